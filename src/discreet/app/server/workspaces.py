"""Workspaces: a table, the plan that is made for it, and what was found; one folder each.

The id of a workspace is a second secret beside the cookie, which other servers of this machine get
to see: it stands in the address of every page, and no page lists ids. Everything of a workspace
is erased when it is closed, and of all when the app ends. What is chosen is kept by a project file,
see :mod:`discreet.app.server.projects`, and can be taken back.
"""

from __future__ import annotations

import copy
import functools
import json
import secrets
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.app.forms import criterion as criterion_form
from discreet.app.forms import draft
from discreet.app.forms.draft import Document
from discreet.app.forms.fields import numbers_of
from discreet.app.jobs.job import Job, Jobs
from discreet.app.jobs.table import Opened, TableColumn
from discreet.app.jobs.task import WORKING, JobOutcome
from discreet.app.jobs.tasks import AGAIN, WORK
from discreet.app.jobs.typed_copy import GONE, state_of
from discreet.app.server.project_files import ProjectFolder
from discreet.app.server.uploads import digest_of
from discreet.errors import Problem, fail, listed, raise_all
from discreet.plan.criteria import built, tables_of
from discreet.reports.names import distinct, renamed
from discreet.reports.shown_values import LEAST

if TYPE_CHECKING:
    from discreet.app.server.projects import ProjectKeeper

MOST = 8
_READ = "open"  # the work that reads the table
RELEASE = "release"  # the work that makes the files of a release
REGISTERS = "registers"  # the setting that holds the names of uploaded registers
DIGESTS = "digests"  # the setting that holds those of uploaded hierarchies, by their names
ASKED = "asked"  # the setting that holds all that ever had to hold
LEVELS = "levels"  # the setting that holds what the levels of the chain were chosen for
STORE = "files"  # of all contents that uploaded files had, below the working files
MOST_CHOICES = 100  # that can be taken back
_ASKING = ("risk", "protect")  # work that looks at what must hold
_SINCE = (  # what a basis has in it, and what is said where that has changed
    "the plan has changed since",
    "something else was chosen since",
    "the original file has changed since",
)


@dataclass(frozen=True)
class WorkResult:
    """What a job found.

    Attributes
    ----------
    work : str
        Of ``WORK``.
    value : Any
        What its function returned.
    remarks : tuple of str
        Warnings of the library on the way.
    basis : str
        What it was found from: digests of the plan and of settings, and the state of the original.
    changes : mapping
        Sections in which its plan differed from that of the workspace.
    """

    work: str
    value: Any
    remarks: tuple[str, ...]
    basis: str
    changes: Document = field(default_factory=dict)


@dataclass(frozen=True)
class MadeChoice:
    """What was chosen, and the plan that it led to.

    Attributes
    ----------
    words : str
        What changed.
    document : mapping
        The plan after it.
    levels : str
        What its levels were chosen for.
    files : mapping
        The digests of uploaded files, by their names.
    """

    words: str
    document: Document
    levels: str
    files: Mapping[str, str]


@dataclass(eq=False, repr=False)
class Workspace:
    """A table on the way to its release.

    Attributes
    ----------
    id : str
        128 random bits.
    folder : Path
        Holds the source (or a link to it) in a folder of its own, uploaded hierarchies and
        working files.
    document : mapping
        The sections of the plan. Never changed in place: see :meth:`change`.
    settings : mapping
        What forms hold beside the plan: ``record_risk`` has the keys of ``ds.record_risk``,
        ``levels`` a digest of what the levels of the chain were chosen for, ``digests`` those of
        uploaded hierarchies, ``asked`` what ever had to hold, ``values`` the least size of a group
        that is shown.
    results : dict
        By their slot: the name of the work that found them, or another where there are several.
    job : Job or None
        The last one that was started, unless it failed and the plan has changed since.
    downloaded : frozenset
        What of a release was downloaded: the basis of that release, and the file.
    history, place
        What was chosen so far, and how much of it was not taken back.
    missing : mapping
        Files of its plan that have to be chosen again: their digests by their names, or nothing
        where any file of that name will do.
    keeper : ProjectKeeper or None
        Saves it whenever something has changed.
    lock
        Held by whoever changes something, from reading what it depends on until it is changed.
    """

    id: str
    folder: Path
    jobs: Jobs
    document: Document = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    results: dict[str, WorkResult] = field(default_factory=dict)
    job: Job | None = None
    downloaded: frozenset[tuple[str, str]] = frozenset()  # basis of a release, and which file
    history: tuple[MadeChoice, ...] = ()
    place: int = -1  # in the history: those after it were taken back
    missing: Mapping[str, str] = field(default_factory=dict)  # files asked for: their digests
    pending: tuple[str, ...] = ()  # work to be done again once the table is read
    remade: tuple[str, Document] = ("", {})  # the release among it: its basis, and its changes
    recognise: Callable[[Workspace, str, str], None] | None = None  # see projects.take_up
    complete: Callable[[Workspace], None] | None = None  # called when nothing is missing
    keeper: ProjectKeeper | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    # -- what it is about ------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the source, as its owner has it."""
        return Path(self.source).name if self.source else ""

    @property
    def source(self) -> str:
        """The way from the folder to the source."""
        return str(self.document.get("source", {}).get("file", ""))

    @property
    def table(self) -> Opened | None:
        """What is known of the table; None until it was read as the plan now says."""
        found = self.results.get(_READ)
        if found is None or found.basis.split()[:-1] != self.basis(_READ).split()[:-1]:
            return None
        value: Opened = found.value
        return value

    @property
    def columns(self) -> tuple[TableColumn, ...]:
        """The columns of the table; pages and addresses name them by their number."""
        return self.table.columns if self.table else ()

    @property
    def names(self) -> list[str]:
        """The names of the columns, in their order."""
        return [column.name for column in self.columns]

    @property
    def keys(self) -> list[str]:
        """The columns that an intruder may know."""
        return list(self.document.get("roles", {}).get("keys", []))

    @property
    def confidential(self) -> list[str]:
        """The columns that an intruder wants to learn."""
        return list(self.document.get("roles", {}).get("confidential", []))

    @property
    def hierarchies(self) -> Mapping[str, Any]:
        """The hierarchies of the plan by column, also of one that is no key now."""
        found: Mapping[str, Any] = self.document.get("hierarchies", {})
        return found

    @property
    def labels(self) -> dict[str, str]:
        """The names of the columns as pages show them: short, and no two the same."""
        return _labels(tuple(self.names))

    @property
    def least(self) -> int:
        """Records of a group whose values pages may show."""
        return int(self.settings.get("values", {}).get("least", LEAST))

    # -- the original ----------------------------------------------------------------------------

    @property
    def _state(self) -> str:
        return state_of(self.folder / self.source) if self.source else ""

    @property
    def source_problem(self) -> Problem | None:
        """What is wrong with the original: it has changed since it was read, or is gone."""
        if self.source in self.missing:
            return None  # it is asked for
        if self._state == GONE:
            what = "the original file is no longer there."
            return Problem("N65", what, "Put it back, or open another one.")
        if self.table is None or self.is_current(_READ):
            return None
        what = "the original file has changed since it was opened."
        return Problem("N65", what, "Read it again on the page Data.")

    # -- the plan --------------------------------------------------------------------------------

    @property
    def sections(self) -> dict[str, Any]:
        """The sections of the plan, without what no longer fits the others.

        Hierarchies of columns that are no keys now are left out, and levels that were chosen for
        something else: see :attr:`levels_fit`.
        """
        document = {**self.document, "hierarchies": self._hierarchies}
        if not self.levels_fit:
            document = draft.without_levels(document)
        return {name: part for name, part in document.items() if part}

    @property
    def _hierarchies(self) -> dict[str, Any]:
        return {name: one for name, one in self.hierarchies.items() if name in self.keys}

    @property
    def levels_fit(self) -> bool:
        """Whether the levels of the chain, if it has any, were chosen for the plan as it stands."""
        chosen = self.settings.get(LEVELS)
        return not draft.levels_of(self.document) or chosen == self._ground_of_levels

    @property
    def _ground_of_levels(self) -> str:
        """A digest of all that levels are chosen for: the table, its lattice and what must hold."""
        sections = {**self.document, "hierarchies": self._hierarchies}
        known = _with_digests(sections, self.settings.get(DIGESTS, {}))
        must = json.dumps(self.document.get("criterion", {}), sort_keys=True)
        return f"{WORK['explore'].basis(known, {})} {self._state} {must}"

    @property
    def plan(self) -> ds.Plan:
        """The plan as it stands."""
        return ds.Plan.of(self.sections, self.folder)

    @property
    def _criteria(self) -> list[Any]:
        return built(tables_of(self.document.get("criterion")), self.folder)

    @property
    def wanted(self) -> str:
        """What must hold, in words; empty where nothing is asked for."""
        return renamed(" and ".join(one.describe() for one in self._criteria), self.labels)

    def must(self, said: criterion_form.Said | None = None) -> criterion_form.CriterionFields:
        """The form of what must hold: as the plan has it, or as it was sent."""
        if said is None:
            said = criterion_form.said_of(self.document.get("criterion", {}), self.names)
        labels = [self.labels[name] for name in self.names]
        looked_at = numbers_of(self.confidential, self.names)
        return criterion_form.drawn(said, labels, looked_at, self.registers)

    @property
    def registers(self) -> list[str]:
        """The names of the registers that were added."""
        return list(self.settings.get(REGISTERS, []))

    def criterion_in(self, said: criterion_form.Said) -> tuple[Any, list[Problem]]:
        """What must hold as the form says it, and all that is wrong with it."""
        before = self.document.get("criterion", {})
        return criterion_form.criterion_in(said, before, self.names, self.folder, self.registers)

    @property
    def restricted(self) -> list[str]:
        """What must hold of some confidential attributes only, in words."""
        return [
            renamed(one.describe(), self.labels)
            for one in self._criteria
            if getattr(one, "confidential", None) is not None
        ]

    def change(
        self, edit: Callable[[Document], Document], *, choosing_levels: bool = False
    ) -> None:
        """Change the plan; where the new one is not sound, the old one stays.

        Levels of the chain that were there before are not used when the rest of the plan changes,
        unless they are chosen anew.
        """
        with self.lock:
            before, settings = self.document, self.settings
            self.document = edit(copy.deepcopy(dict(before)))
            if choosing_levels or draft.levels_of(self.document) != draft.levels_of(before):
                self.settings = {**settings, LEVELS: self._ground_of_levels}
            try:
                _ = self.plan
            except ds.DiscreetError:
                self.document, self.settings = before, settings
                raise
            if self.document != before:
                self._forget_failure()
            self._remember_choice(before)

    def set(self, name: str, settings: Any) -> None:
        """Keep the settings of a form."""
        with self.lock:
            self.settings = {**self.settings, name: settings}
            self.save()

    def save(self) -> None:
        """Have the project file say what is there now."""
        if self.keeper is not None:
            self.keeper.save(self)

    # -- what was chosen -------------------------------------------------------------------------

    def _remember_choice(self, before: Document) -> None:
        files = self.settings.get(DIGESTS, {})
        known = self.history[self.place].files if self.history else files
        words = draft.changed(_with_digests(before, known), _with_digests(self.document, files))
        if words or not self.history or files != self.history[self.place].files:
            made = MadeChoice(words, self.document, self.settings.get(LEVELS, ""), files)
            past = self.history[: self.place + 1]
            self.history = (*past, made)[-MOST_CHOICES:]
            self.place = len(self.history) - 1
        self.save()

    def need_idle(self) -> None:
        """Refuse what cannot be done while a job is running."""
        if self.is_busy:
            fail("N62", "a job of this table is running.", "Wait for it, or cancel it.")

    def go_to(self, place: int) -> None:
        """Take choices back, or make those again that were taken back."""
        with self.lock:
            chosen = self.history[place]
            known = self.settings.get(DIGESTS, {})
            other = {n: one for n, one in chosen.files.items() if known.get(n) != one}
            if other:
                self.need_idle()
            for name, digest in other.items():
                shutil.copyfile(self._store / digest, self.folder / name)
            changed = {LEVELS: chosen.levels, DIGESTS: {**known, **other}}
            self.document, self.settings = chosen.document, {**self.settings, **changed}
            self.place = place
            self._forget_failure()
            if self.table is None and not self.is_busy:
                self.begin(_READ)  # another way to read the file
            self.save()

    def keep_file(self, draft: Path, name: str) -> None:
        """Give an uploaded file its place; what was there before can be had again."""
        with self.lock:
            with draft.open("rb") as opened:
                digest = digest_of(opened)
            self._store.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.copyfile(draft, self._store / digest)
            draft.replace(self.folder / name)
            known = self.settings.get(DIGESTS, {})
            self.settings = {**self.settings, DIGESTS: {**known, name: digest}}

    @property
    def _store(self) -> Path:
        return self.folder / WORKING / STORE

    def content_of(self, digest: str) -> bytes:
        """What an uploaded file held, now or earlier."""
        return (self._store / digest).read_bytes()

    # -- what was found --------------------------------------------------------------------------

    def basis(self, work: str) -> str:
        """What a work would look at now: see :class:`WorkResult`."""
        seen = _with_digests(self.sections, self.settings.get(DIGESTS, {}))
        return f"{WORK[work].basis(seen, self.settings)} {self._state}"

    def is_current(self, slot: str) -> bool:
        """Whether there is a result, and nothing it depends on has changed since."""
        found = self.results.get(slot)
        return found is not None and found.basis == self.basis(found.work)

    @property
    def out_of_date(self) -> tuple[str, ...]:
        """Slots of results that were found from something that has changed since."""
        return tuple(slot for slot in self.results if not self.is_current(slot))

    @property
    def late(self) -> dict[str, str]:
        """What is out of date, in the words of the page, and why."""
        if self.recognise is not None:
            return {}  # not known before the table is read
        slots = [slot for slot in self.out_of_date if slot != _READ]
        return {WORK[self.results[slot].work].result: self._since(slot) for slot in slots}

    def _since(self, slot: str) -> str:
        found = self.results[slot]
        parts = zip(found.basis.split(), self.basis(found.work).split(), strict=True)
        changed = [words for words, (then, now) in zip(_SINCE, parts, strict=True) if then != now]
        return " and ".join(changed)

    # -- jobs ------------------------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """Whether a job is under way, or about to be."""
        return bool(self.pending) or self._is_at_work

    @property
    def _is_at_work(self) -> bool:
        return self.job is not None and not self.job.is_over

    def _forget_failure(self) -> None:
        """Tell no more of a job that failed or was cancelled: it was about another plan. That the
        table could not be read is told until there is one, read again or as it was before.
        """
        job = self.job
        if job is not None and job.is_over and job.state != "done":
            self.job = job if job.name == _READ and self.table is None else None

    def begin(
        self,
        work: str,
        *,
        slot: str | None = None,
        changes: Document | None = None,
        going_on: bool = False,
    ) -> Job:
        """Start a work on the plan as it stands.

        Parameters
        ----------
        work : str
            Of ``WORK``.
        slot : str, optional
            Where its result is kept; without it, by the name of the work.
        changes : mapping, optional
            Sections that the job has instead of those of the workspace, such as steps to try.
        going_on : bool
            Whether it is one of those that are pending.
        """
        with self.lock:
            if self._is_at_work or not going_on:
                self.need_idle()
            problem = self.source_problem
            if problem is not None and (work != _READ or self._state == GONE):
                raise_all([problem])
            if self.missing:
                what = f"{listed(sorted(map(_last, self.missing)))} must be chosen again."
                fail("N66", what, "Choose it on the page Data.")
            plan = ds.Plan.of({**self.sections, **(changes or {})}, self.folder)
            where = slot or work
            empty = WorkResult(work, None, (), self.basis(work), dict(changes or {}))
            parts = {name: self.basis(name) for name in self.settings.get(AGAIN, ())}
            task = {
                "work": work,
                "slot": where,
                "document": plan.to_dict(),
                "folder": str(self.folder),
                "settings": dict(self.settings),
            }
            if work in _ASKING:
                self.remember()
            self.job = Job(work, WORK[work].title)
            self.jobs.start(
                self.job, task, self.folder, lambda found: self._keep(where, empty, found, parts)
            )
            return self.job

    def remember(self) -> None:
        """Keep in mind what must hold now: to ask for less later is to be said in a release."""
        asked, before = self.document.get("criterion"), self.settings.get(ASKED, [])
        if asked and asked not in before:
            self.set(ASKED, [*before, copy.deepcopy(asked)])

    def _keep(
        self, slot: str, empty: WorkResult, found: JobOutcome, parts: Mapping[str, str]
    ) -> None:
        with self.lock:
            result = replace(empty, value=found.value, remarks=found.remarks)
            if slot == AGAIN:
                again = {
                    name: replace(result, work=name, value=one, basis=parts[name])
                    for name, one in found.value.items()
                }
                self.results = {**self.results, **again}
            else:
                self.results = {**self.results, slot: result}
            if slot == _READ:  # what was said of columns that are gone is void
                self.document = draft.within(self.document, [c.name for c in found.value.columns])
                self._go_on(found.value.digest, result.basis.split()[-1])
            self.save()

    def _go_on(self, digest: str, state: str) -> None:
        """Take a project up where its table was read: what is known of it, and what is not kept is
        found again.
        """
        if self.recognise is None:
            return
        self.recognise(self, digest, state)
        self.recognise = None
        if self.pending:
            threading.Thread(target=self._find_again, args=(self.job,), daemon=True).start()

    def _find_again(self, job: Job) -> None:
        """One after the other, as long as nothing comes between."""
        with self.lock:
            pending = self._to_be_done()
        try:
            for work, basis, changes in pending:
                job.over.wait()
                with self.lock:
                    if job.state != "done" or self.basis(work) != basis:
                        return
                    job = self.begin(work, changes=changes, going_on=True)
            job.over.wait()
        except ds.DiscreetError:
            return  # the app is being closed
        finally:
            self.pending = ()

    def _to_be_done(self) -> list[tuple[str, str, Document]]:
        """What is pending: its work, from what it is done, and the changes of its plan."""
        basis, changes = self.remade
        found = [name for name in self.pending if name != RELEASE]
        self.settings = {**self.settings, AGAIN: found}
        first = [(AGAIN, self.basis(AGAIN), dict[str, Any]())] if found else []
        return [*first, *([(RELEASE, basis, changes)] if RELEASE in self.pending else [])]

    def cancel(self) -> None:
        """End the job; returns when its process is gone."""
        if self.job is not None:
            self.jobs.cancel(self.job)

    def erase(self) -> None:
        """End the job and remove the folder."""
        self.cancel()
        shutil.rmtree(self.folder, ignore_errors=True)


def _with_digests(document: Document, digests: Mapping[str, str]) -> Document:
    """Sections to be compared: a file counts by what is in it, too, for it can be replaced."""
    marked = {
        name: {**one, "digest": digests.get(one["file"])} if "file" in one else one
        for name, one in document.get("hierarchies", {}).items()
    }
    return {**document, "hierarchies": marked}


@functools.lru_cache(maxsize=MOST)
def _labels(names: tuple[str, ...]) -> dict[str, str]:
    return distinct(names)


class Workspaces:
    """The workspaces of one start of the app, a bounded number."""

    def __init__(
        self, folder: Path, most: int = MOST, projects: ProjectFolder | None = None
    ) -> None:
        self.folder, self.most, self.jobs = folder, most, Jobs()
        self.projects = projects  # where they are saved, if at all
        self._all: dict[str, Workspace] = {}
        self._lock = threading.Lock()

    def create(self) -> Workspace:
        """A new one with an empty folder that only its owner may enter."""
        with self._lock:
            self._make_room()
            made = secrets.token_urlsafe(16)
            folder = self.folder / made
            folder.mkdir(mode=0o700)
            self._all[made] = Workspace(made, folder, self.jobs)
            return self._all[made]

    def _make_room(self) -> None:
        """Let go of tables that could not be read, and refuse one too many."""
        unread = [
            w for w in self._all.values() if not w.results and not w.is_busy and not w.missing
        ]
        for one in unread if len(self._all) >= self.most else []:
            self._all.pop(one.id).erase()
        if len(self._all) >= self.most:
            what = f"{self.most} tables are open."
            fail("N61", what, "Close one on its last page, or start the app again.")

    def get(self, given: str) -> Workspace | None:
        """The workspace of an id."""
        return self._all.get(given)

    @property
    def all(self) -> list[Workspace]:
        """Those that are open, in the order in which they were opened."""
        return list(self._all.values())

    def close(self, workspace: Workspace) -> None:
        """Erase a workspace; its project stays."""
        with self._lock:
            self._all.pop(workspace.id, None)
        workspace.erase()

    def close_all(self) -> None:
        """End all jobs and erase everything."""
        self.jobs.close()
        for workspace in list(self._all.values()):
            self.close(workspace)


def _last(name: str) -> str:
    return Path(name).name
