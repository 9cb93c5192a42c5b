"""Projects: what of a table is kept from one day to the next, and how it is taken up again.

A project holds the plan, uploaded hierarchies, what the forms say, the history of choices, and the
runs with their figures. It holds no record, and no value but those that a plan or a hierarchy has:
drawings and tables of a run are worked out again, and so is all that was measured of the table.
A table that was uploaded, or a register of the population, is asked for again, and known by its
digest.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import os
import shutil
import tomllib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import IO, Any

import discreet as ds
from discreet.app.jobs.plan_run import files_read, hierarchy_files, is_output
from discreet.app.jobs.protection import Run
from discreet.app.jobs.task import WORKING
from discreet.app.jobs.tasks import AGAIN
from discreet.app.server import uploads
from discreet.app.server.project_files import SUFFIX, Content, ProjectFolder
from discreet.app.server.workspaces import (
    DIGESTS,
    LEVELS,
    REGISTERS,
    RELEASE,
    STORE,
    MadeChoice,
    WorkResult,
    Workspace,
    Workspaces,
)
from discreet.errors import DiscreetError, Problem, fail
from discreet.files import write_arrow

EXAMPLE = "patients.csv"
_PATIENTS = 2_000
_RUN = "run-"
_FOUND = ("risk", "record_risk", "measures", "explore")  # found again when a project is taken up
_SAME = "same"  # in place of the state of the table, where it is the one with the digest
_PLAIN = tuple(one.name for one in fields(Run) if one.name != "sections")  # they may name values


@dataclass(eq=False)
class ProjectKeeper:
    """Saves a workspace in its project file as one goes.

    Attributes
    ----------
    folder : ProjectFolder
    place : Path
        Of the project file.
    table : mapping
        Where the table came from: ``path`` of the command line, or ``example``.
    problem : Problem or None
        Why it is not saved.
    """

    folder: ProjectFolder
    place: Path
    table: Mapping[str, Any]
    problem: Problem | None = None
    _seen: tuple[int, ...] | None = None  # the file as it was when it was last read or written

    @property
    def id(self) -> str:
        """By which the first page names it."""
        own = self.folder.entry(Path(self.table["path"])) if self.is_beside else self.place
        return own.stem

    def read(self) -> Content:
        """What was kept; nothing where nothing was."""
        found = self.folder.read(self.place) if os.path.lexists(self.place) else {}
        self._seen = _mark(self.place)
        return found

    def save(self, workspace: Workspace) -> None:
        """Write what there is now; why that cannot be is said on the pages."""
        if not _is_worth_it(workspace):
            return
        try:
            if self._seen != (now := _mark(self.place)) and now is not None:
                what = "another running app has saved this project since."
                fail("N66", what, "Go on there: changes made here are not saved.")
            self.folder.write(self.place, {**content_of(workspace), **self._origin})
            if self.is_beside:
                self.folder.note(Path(self.table["path"]))
            self.problem, self._seen = None, _mark(self.place)
        except DiscreetError as error:
            self.problem = error.problems[0]
        except OSError:
            what = f"the project {self.place.name} cannot be written."
            self.problem = Problem("O05", what, "Check the permissions of its folder.")

    def remove(self) -> None:
        """Erase the project."""
        self.folder.remove(self.place)

    @property
    def is_beside(self) -> bool:
        """Whether it lies beside its table."""
        return self.place.parent != self.folder.folder

    @property
    def _origin(self) -> dict[str, Any]:
        return {name: one for name, one in self.table.items() if not self.is_beside}


def _mark(place: Path) -> tuple[int, ...] | None:
    try:
        found = place.lstat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _is_worth_it(workspace: Workspace) -> bool:
    """Whether there is more than a table that was looked at."""
    others = [part for name, part in workspace.document.items() if name != "source"]
    chosen = len(workspace.history) > 1 or any(others)
    more = chosen or any(slot != "open" for slot in workspace.results)
    return workspace.table is not None and workspace.recognise is None and more


# -- what is kept --------------------------------------------------------------------------------


def content_of(workspace: Workspace) -> dict[str, Any]:
    """All that a project file holds of a workspace."""
    assert workspace.table is not None
    state = workspace.results["open"].basis.split()[-1]
    settings = {name: one for name, one in workspace.settings.items() if name != AGAIN}
    settings[LEVELS] = _marked(settings.get(LEVELS, ""), state, _SAME)
    return {
        "name": workspace.name,
        "sha256": workspace.table.digest,
        "records": workspace.table.n,
        "plan": dict(workspace.document),
        "settings": settings,
        "files": dict(_packed(workspace)),
        "runs": [_run_kept(slot, one, state) for slot, one in _runs(workspace)],
        "found": [n for n in _FOUND if workspace.is_current(n) or n in workspace.pending],
        "release": dict(_release(workspace)),
        "history": list(_history(workspace, state)),
        "place": workspace.place,
    }


def _release(workspace: Workspace) -> Mapping[str, Any]:
    """The sections that the release was made with, where it is up to date."""
    basis, changes = workspace.remade
    if RELEASE in workspace.pending and basis == workspace.basis(RELEASE):
        return changes
    current = workspace.is_current(RELEASE)
    return workspace.results[RELEASE].changes if current else {}


def _runs(workspace: Workspace) -> list[tuple[str, WorkResult]]:
    return [(slot, one) for slot, one in workspace.results.items() if slot.startswith(_RUN)]


def _run_kept(slot: str, found: WorkResult, state: str) -> dict[str, Any]:
    run = {name: getattr(found.value, name) for name in _PLAIN}
    basis = _marked(found.basis, state, _SAME)
    return {"slot": slot, "basis": basis, "remarks": list(found.remarks), "run": run}


def _history(workspace: Workspace, state: str) -> Iterator[dict[str, Any]]:
    """Each choice, with the sections that it changed."""
    before: Mapping[str, Any] = {}
    for choice in workspace.history:
        changed = {
            name: choice.document.get(name)
            for name in {**before, **choice.document}
            if before.get(name) != choice.document.get(name)
        }
        kept = asdict(replace(choice, document=changed))
        yield kept | {"levels": _marked(choice.levels, state, _SAME)}
        before = choice.document


def _marked(text: str, old: str, new: str) -> str:
    """The state of the table within a basis, under another name."""
    return " ".join(new if word == old else word for word in text.split(" "))


def _packed(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """The uploaded hierarchies, now and in the history, by their digests."""
    registers = set(workspace.registers)
    for files in (workspace.settings.get(DIGESTS, {}), *(one.files for one in workspace.history)):
        for name, digest in files.items():
            if name not in registers:
                yield digest, _pack(workspace, digest)


@functools.lru_cache(64)
def _pack(workspace: Workspace, digest: str) -> str:
    return base64.b85encode(zlib.compress(workspace.content_of(digest))).decode()


# -- how it is taken up --------------------------------------------------------------------------


def is_plan(name: str) -> bool:
    """Whether a file is a plan and not a table, by its name.

    Examples
    --------
    >>> is_plan("RELEASE.TOML"), is_plan("survey.csv")
    (True, False)
    """
    return name.lower().endswith(".toml")


def open_path(all_: Workspaces, file: Path) -> Workspace:
    """Open a file of the command line: a table, a plan, or the project of either."""
    if file.suffix == SUFFIX:
        file = file.with_suffix("")
    if not file.is_file():
        fail("S01", f"{file.name} does not exist or is not a file.", "Check the path.")
    keeper, folder = None, all_.projects
    if folder is not None:
        keeper = ProjectKeeper(folder, folder.place_for(file), {"path": str(file)})
    content = keeper.read() if keeper else {}
    with _made(all_) as workspace:
        if content:
            take_up(workspace, content)
        if is_plan(file.name):
            _open_plan(workspace, file)
        else:
            source = uploads.link_source(file, workspace.folder)
            if not content:
                workspace.change(lambda document: {**document, "source": {"file": source}})
        workspace.keeper = keeper
        _read(workspace)
        return workspace


def open_project(all_: Workspaces, given: str) -> Workspace:
    """Go on with a project that the first page lists."""
    folder = all_.projects
    known = folder.listed() if folder is not None else []
    found = [one for one in known if one.id == given and one.problem is None]
    if folder is None or not found:
        fail("N66", "this project no longer exists.", "Choose another one.")
    content = found[0].content
    if "path" in content:
        return open_path(all_, Path(content["path"]))
    origin = {"example": True} if content.get("example") else {}
    keeper = ProjectKeeper(folder, folder.folder / f"{given}{SUFFIX}", origin)
    with _made(all_) as workspace:
        take_up(workspace, keeper.read())
        if origin:
            _put_example(workspace)
        else:
            workspace.missing = {workspace.source: content["sha256"], **workspace.missing}
        workspace.keeper = keeper
        _read(workspace)
        return workspace


def open_upload(
    all_: Workspaces, file: IO[bytes], name: str, options: Mapping[str, Any]
) -> Workspace:
    """Open an upload: a table, or a plan, whose table and other files are then asked for."""
    with _made(all_) as workspace:
        workspace.keeper = _new_keeper(all_.projects, {})
        if is_plan(name):
            _take_plan(workspace, file.read(), name)
        else:
            source = uploads.keep_source(file, workspace.folder, name)
            section = {"source": {"file": source, **options}}
            workspace.change(lambda document: {**document, **section})
            _read(workspace)
        return workspace


def open_example(all_: Workspaces) -> Workspace:
    """Open simulated patients."""
    with _made(all_) as workspace:
        workspace.keeper = _new_keeper(all_.projects, {"example": True})
        source = _put_example(workspace)
        workspace.change(lambda document: {**document, "source": {"file": source}})
        _read(workspace)
        return workspace


def _new_keeper(folder: ProjectFolder | None, origin: Mapping[str, Any]) -> ProjectKeeper | None:
    return None if folder is None else ProjectKeeper(folder, folder.new(), origin)


@contextlib.contextmanager
def _made(all_: Workspaces) -> Iterator[Workspace]:
    """A new workspace, which is gone again where it cannot be filled."""
    workspace = all_.create()
    try:
        yield workspace
    except DiscreetError:
        all_.close(workspace)
        raise


def _read(workspace: Workspace) -> None:
    if not workspace.missing:
        workspace.begin("open")


def _put_example(workspace: Workspace) -> str:
    place = uploads.source_folder(workspace.folder) / EXAMPLE
    write_arrow(place, ds.datasets.patients(_PATIENTS, 1, weighted=True))
    return f"{uploads.SOURCE}/{EXAMPLE}"


def take_up(workspace: Workspace, content: Content) -> None:
    """Give a workspace all that a project holds; its table is read afterwards."""
    settings = dict(content["settings"])
    store = workspace.folder / WORKING / STORE
    store.mkdir(mode=0o700, parents=True)
    for digest, packed in content["files"].items():
        (store / digest).write_bytes(zlib.decompress(base64.b85decode(packed)))
    for name, digest in settings.get(DIGESTS, {}).items():
        if digest in content["files"]:
            shutil.copyfile(store / digest, workspace.folder / name)
    asked = {name: settings[DIGESTS][name] for name in settings.get(REGISTERS, [])}
    workspace.document, workspace.settings = content["plan"], settings
    workspace.results = {one["slot"]: _run_of(one) for one in content["runs"]}
    workspace.history, workspace.place = tuple(_choices(content)), content["place"]
    workspace.missing = asked
    workspace.recognise = functools.partial(_recognise, content)


def _run_of(kept: Mapping[str, Any]) -> WorkResult:
    run = Run(**kept["run"], sections=())
    return WorkResult("protect", run, tuple(kept["remarks"]), kept["basis"])


def _choices(content: Content) -> Iterator[MadeChoice]:
    document: dict[str, Any] = {}
    for one in content["history"]:
        both = {**document, **one["document"]}
        document = {name: part for name, part in both.items() if part is not None}
        yield MadeChoice(**{**one, "document": document})


def _recognise(content: Content, workspace: Workspace, read: str, state: str) -> None:
    """Where the table is the very same, all that was found is valid, and the rest found again; a
    release is made again.
    """
    if read != content["sha256"]:
        return
    same = functools.partial(_marked, old=_SAME, new=state)
    levels = same(workspace.settings.get(LEVELS, ""))
    workspace.settings = {**workspace.settings, LEVELS: levels}
    workspace.results = {
        s: replace(one, basis=same(one.basis)) for s, one in workspace.results.items()
    }
    workspace.history = tuple(replace(one, levels=same(one.levels)) for one in workspace.history)
    release = content.get("release", {})
    workspace.remade = (workspace.basis(RELEASE), release)
    workspace.pending = (*content["found"], *([RELEASE] if release else []))


# -- plans, and files that are asked for ---------------------------------------------------------


def _open_plan(workspace: Workspace, file: Path) -> None:
    """Take over a plan of the command line with its files. One that was edited since the project
    was made is one more choice.
    """
    plan = ds.Plan.read(file)
    if plan.source is None or not plan.source.is_file():
        fail("S01", f"the table of {file.name} is not there.", "Put it where the plan says.")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    source = uploads.link_source(plan.source, workspace.folder)
    if workspace.settings.get("opened") == digest:
        return
    names = own_names(plan.document, source)
    for given, name in names.items():
        if name != source:
            with plan.file(given).open("rb") as opened:
                _put(workspace, opened, name)
    _take_over(workspace, _sections(plan.document, names))
    workspace.settings = {**workspace.settings, "opened": digest}
    workspace.missing = {}


def _take_plan(workspace: Workspace, text: bytes, name: str) -> None:
    """Take an uploaded plan. The files that it names are asked for; none is looked for here."""
    try:
        document = tomllib.loads(text.decode("utf-8-sig"))
        names = own_names(document, "")
        sections = _sections(document, names)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        remedy = f"In a terminal, discreet run --dry-run {name} says where."
        fail("S20", f"{name} cannot be read as a plan.", remedy)
    workspace.document = {"source": {"file": sections["source"]["file"]}}
    workspace.missing = dict.fromkeys(names.values(), "")
    workspace.complete = functools.partial(_take_over, sections=sections)


def own_names(document: Mapping[str, Any], source: str) -> dict[str, str]:
    """The files that a plan names, and the names that a workspace has for them: never a path.

    Examples
    --------
    >>> job = {"job": {"file": "../job.csv"}}
    >>> own_names({"source": {"file": "/data/s.csv"}, "hierarchies": job}, "")
    {'/data/s.csv': '.source/s.csv', '../job.csv': 'job.csv'}
    """
    first = document["source"]["file"]
    source = source or f"{uploads.SOURCE}/{uploads.tame(first, 'table.csv')}"
    names = {first: source}
    for given in ds.Plan.files_in(document):
        plain = uploads.tame(given, "file.csv")
        free = f"plan-{plain}" if is_output(plain) else plain
        taken = [Path(one).name for one in names.values()]
        names.setdefault(given, uploads.unlike(free, taken))
    return names


def _sections(document: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The sections of a plan as a workspace has them: what is written is no matter of theirs."""
    named = ds.Plan.with_files(document, names)
    return {name: part for name, part in named.items() if name != "outputs"}


def _take_over(workspace: Workspace, sections: Mapping[str, Any]) -> None:
    """Have a plan that is not ours as the plan of a workspace; its files are there."""
    hierarchies = [name for _, name in hierarchy_files(sections).values()]
    others = [name for name in files_read(sections) if name not in hierarchies]
    known = dict.fromkeys([*workspace.registers, *others])
    workspace.settings = {**workspace.settings, REGISTERS: list(known)}
    workspace.change(lambda _: sections)


def give(workspace: Workspace, files: Iterable[tuple[str, IO[bytes]]]) -> list[Problem]:
    """Take files that were asked for, known by their digest or else by their name; what is wrong
    with the others. When all are there, the table is read.
    """
    problems = []
    for name, file in files:
        digest = uploads.digest_of(file)
        fits = [one for one, known in workspace.missing.items() if known == digest] or [
            one
            for one, known in workspace.missing.items()
            if not known and Path(one).name.casefold() == name.casefold()
        ]
        if not fits:
            what = f"{name} is not a file that the project needs, or it has changed since."
            problems.append(Problem("N66", what, "Choose the file that the project was made with."))
            continue
        _put(workspace, file, fits[0])
        workspace.missing = {n: d for n, d in workspace.missing.items() if n != fits[0]}
    if not workspace.missing and not problems:
        if workspace.complete is not None:
            workspace.complete(workspace)
            workspace.complete = None
        workspace.begin("open")
    return problems


def _put(workspace: Workspace, file: IO[bytes], name: str) -> None:
    """Give a file of a plan its place."""
    if name.startswith(uploads.SOURCE):
        uploads.keep_source(file, workspace.folder, Path(name).name)
        return
    with uploads.room(workspace.folder) as room:
        workspace.keep_file(room / uploads.keep(file, room, name), name)
