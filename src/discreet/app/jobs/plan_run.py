"""Running the plan of a workspace in a folder of its own, as ``discreet run`` would.

The folder holds the plan that is given out, in which the table and the files of hierarchies have
the names that their owner knows, and what a run of it writes. So what was made there is made
again from the downloaded plan. The source itself is read where it lies and never put there, every
file is new, and none has the name of a file that the plan reads.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import discreet as ds
from discreet.app.jobs.task import JobTask
from discreet.errors import fail
from discreet.files import copy_new, pack, write_new

RUNS = ".runs"  # no upload can have this name
# all that a run or a release writes, by what it is
NAMES = {
    "csv": "masked.csv",
    "parquet": "masked.parquet",
    "spss": "masked.sav",
    "stata": "masked.dta",
    "excel": "masked.xlsx",
    "ledger": "masked.ledger.json",
    "public": "masked.public.json",
    "report": "report.html",
    "public_report": "public-report.html",
    "plan": "release.toml",
    "script": "release.py",
    "figures": "figures.json",
    "given": "to-give-out.zip",
    "archive": "for-the-house.zip",
}
_AGAIN = "new-"  # before the names, where one is taken
GIVEN = ("masked", "public_report", "public")  # what may leave the house


@dataclass(frozen=True)
class RunFolder:
    """A new folder with the plan in it, which was run.

    Attributes
    ----------
    folder : Path
    names : mapping
        Of the files that are written there: see :data:`NAMES`.
    release : Release
        What the run gave.
    """

    folder: Path
    names: Mapping[str, str]
    release: Any

    def write(self, what: str, text: str) -> None:
        """Write one of the files."""
        write_new(self.folder / self.names[what], text)

    @property
    def plan(self) -> Any:
        """The plan that was run, as it is given out."""
        given = ds.Plan.read(self.folder / self.names["plan"])
        source = {"source": given.section("source")}
        return replace(given, document={**self.release.plan.document, **source})

    def keep(self, task: JobTask) -> Path:
        """Give the folder its place, and say it; it takes that of an older one whole."""
        place = folder_of(task.folder, task.slot)
        place.parent.mkdir(mode=0o700, exist_ok=True)
        shutil.rmtree(place, ignore_errors=True)
        shutil.move(self.folder, place)
        return place


def folder_of(workspace: Path, slot: str) -> Path:
    """Where the files of a finished run lie."""
    return workspace / RUNS / slot


def hierarchy_files(document: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """The files of hierarchies: the column and the name of each, by what pages call it.

    Examples
    --------
    >>> hierarchy_files({"hierarchies": {"sex": {"suppress": True}, "job": {"file": "job.csv"}}})
    {'hierarchy-1': ('job', 'job.csv')}
    """
    entries = document.get("hierarchies", {}).items()
    named = [(column, one["file"]) for column, one in entries if "file" in one]
    return {f"hierarchy-{i}": pair for i, pair in enumerate(named, 1)}


def files_read(document: Mapping[str, Any]) -> list[str]:
    """The names of the files that a plan reads beside its table, such as hierarchies and registers
    of the population.

    Examples
    --------
    >>> files_read({"criterion": {"k_map": {"k": 5, "population": "town.csv"}}})
    ['town.csv']
    """
    source = document.get("source", {}).get("file")
    return [name for name in ds.Plan.files_in(document) if name != source]


def names_for(document: Mapping[str, Any]) -> dict[str, str]:
    """The names of the files of a run: none is that of a file which the plan reads, on any system.

    Examples
    --------
    >>> names_for({"source": {"file": ".source/survey.csv"}})["plan"]
    'release.toml'
    >>> names_for({"source": {"file": ".source/Release.toml"}})["plan"]
    'new-release.toml'
    """
    read = [document["source"]["file"], *files_read(document)]
    taken, before = {Path(name).name.casefold() for name in read}, ""
    while any(before + name in taken for name in NAMES.values()):
        before += _AGAIN
    return {what: before + name for what, name in NAMES.items()}


def is_output(name: str) -> bool:
    """Whether a run or a release may write a file of this name, on any system.

    Examples
    --------
    >>> [is_output(name) for name in ("Report.html", "new-masked.csv", "jobs.csv")]
    [True, True, False]
    """
    plain = name.casefold()
    while plain.startswith(_AGAIN):
        plain = plain.removeprefix(_AGAIN)
    return plain in NAMES.values()


def run(task: JobTask) -> RunFolder:
    """Run the plan in a new folder."""
    folder = Path(tempfile.mkdtemp(prefix="run-"))  # private, and erased with the job
    for name in files_read(task.document):
        copy_new(task.folder / name, folder / name)  # may be replaced by another upload
    names, source = names_for(task.document), task.folder / task.document["source"]["file"]
    sections = ds.Plan.schema()["properties"]  # in the order of a plan
    ordered = {name: task.document[name] for name in sections if task.document.get(name)}
    named = f"./{source.name}" if source.name.startswith("~") else source.name
    ordered |= {"source": {**ordered["source"], "file": named}}
    place = folder / names["plan"]
    write_new(place, ds.Plan.of(ordered, folder).to_toml())
    return RunFolder(folder, names, ds.Plan.read(place).on(source).run())


# -- Releasing: the chosen plan run once more with all its outputs, and verified from its ledger ---
#
# A release is made from the source itself. Its ledger is then compared with the files, and the plan
# is run again: the masked file must come out the same to the last bit.


@dataclass(frozen=True)
class Released:
    """A release that lies ready.

    Attributes
    ----------
    files : mapping
        By what they are: their names.
    sizes : mapping
        By what they are: their bytes.
    verified : bool
        Whether all is as the ledger says.
    words : tuple of str
        What was verified.
    """

    files: Mapping[str, str]
    sizes: Mapping[str, int]
    verified: bool
    words: tuple[str, ...]


def release(task: JobTask) -> Released:
    """Make all files of the release, and verify them."""
    room = run(task)
    if not room.release.files:
        fail("N64", "the criterion does not hold: nothing is written.", "Choose another run.")
    room.write("script", room.plan.to_python())
    files = {role: place.name for role, place in room.release.plan.outputs.items()}
    files |= {what: room.names[what] for what in ("plan", "script")}
    files |= {role: name for role, (_, name) in hierarchy_files(task.document).items()}
    found = _verified(room)
    for what, packed in (("given", GIVEN), ("archive", tuple(files))):
        named = [room.folder / files[role] for role in packed if role in files]
        pack(room.folder / room.names[what], named)
    files |= {what: room.names[what] for what in ("given", "archive")}
    place = room.keep(task)
    sizes = {role: (place / name).stat().st_size for role, name in files.items()}
    return Released(files, sizes, found.satisfied, tuple(found.explain().splitlines()))


def _verified(room: RunFolder) -> Any:
    plan = room.release.plan
    ledger = ds.Ledger.read(plan.outputs["ledger"])
    given = room.folder / room.names["plan"]
    return ledger.verify(plan.outputs["masked"], initial=plan.source, plan=given)
