"""Running the plan of a workspace in a folder of its own, as ``discreet run`` would.

The folder holds what the steward will have: ``release.toml`` beside the table and the files of
hierarchies, under the names that the plan gives them. So what was made there is made again from
the downloaded plan.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import discreet as ds
from discreet.app import uploads
from discreet.app.work.task import Task

PLAN = "release.toml"
_ORDER = ("source", "roles", "types", "hierarchies", "criterion", "steps", "outputs")
RUNS = ".runs"  # no upload can have this name


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


def inputs_of(document: Mapping[str, Any]) -> list[str]:
    """The files that a plan reads: the source, and those of hierarchies."""
    return [document["source"]["file"], *(name for _, name in hierarchy_files(document).values())]


def outputs_for(document: Mapping[str, Any], suffix: str = ".csv") -> dict[str, str]:
    """A name for the masked file that is not that of a file which the plan reads."""
    taken, stem = {Path(name).stem for name in inputs_of(document)}, "masked"
    while stem in taken:
        stem = f"new-{stem}"
    return {"masked": f"{stem}{suffix}"}


def run(task: Task) -> tuple[Path, Any]:
    """Run the plan; the new folder with its files, and the release."""
    room = Path(tempfile.mkdtemp(prefix="run-"))  # private, and erased with the job
    source, *others = dict.fromkeys(inputs_of(task.document))
    uploads.link(task.folder / source, room)
    for name in others:  # small, and may be replaced by another upload
        shutil.copyfile(task.folder / name, room / name)
    ordered = {name: task.document[name] for name in _ORDER if task.document.get(name)}
    text = ds.Plan.of(ordered, room).to_toml()
    (room / PLAN).write_text(text, encoding="utf-8")
    return room, ds.Plan.read(room / PLAN).run()


def keep(room: Path, task: Task) -> None:
    """Give the folder its place; it takes that of an older one whole."""
    place = folder_of(task.folder, task.slot)
    place.parent.mkdir(mode=0o700, exist_ok=True)
    shutil.rmtree(place, ignore_errors=True)
    shutil.move(room, place)
