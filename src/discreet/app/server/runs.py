"""The runs of a workspace: maskings that were tried, one of which is the candidate for release."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from discreet.app.forms import draft
from discreet.app.forms.labels import LOSS, NODE_LOSS
from discreet.app.jobs.plan_run import folder_of, names_for
from discreet.app.jobs.protection import Run
from discreet.app.server.workspaces import ASKED, Workspace
from discreet.errors import DiscreetError, fail
from discreet.plan.criteria import built, kind_of, tables_of

MOST = 20
LONGEST = 80  # characters of a name
_SLOT = "run-"
_NAMES = "run_names"  # the setting that holds them, by slot


@dataclass(frozen=True)
class Kept:
    """A run as pages show it."""

    number: int
    run: Run
    current: bool
    chosen: bool
    remarks: tuple[str, ...] = ()
    lacks: tuple[Any, ...] = ()  # criteria that are wanted now
    name: str = ""  # that it was given

    @property
    def label(self) -> str:
        """Its name, or else what was done."""
        return self.name or self.run.label

    @property
    def slot(self) -> str:
        """Where its result and its files are."""
        return f"{_SLOT}{self.number}"

    @property
    def can_be_released(self) -> bool:
        """Whether it is up to date, and a masked file was written."""
        return self.current and bool(self.run.masked)

    @property
    def k(self) -> tuple[int | None, int | None]:
        """Smallest class before and after."""
        return self._both("risk", "k")

    @property
    def alone(self) -> tuple[int | None, int | None]:
        """Records that are alone in their class, before and after."""
        return self._both("risk", "uniques")

    @property
    def risk(self) -> tuple[float | None, float | None]:
        """DR_max before and after."""
        return self._both("disclosure_risk", "maximal")

    @property
    def loss(self) -> float | None:
        """Share of the information in the keys that is lost; None where that does not apply."""
        return self._losses.get(LOSS)

    @property
    def node_loss(self) -> float | None:
        """The loss that Explore shows of a node; None where the run is more than a node."""
        return self._losses.get(NODE_LOSS)

    @property
    def no_loss(self) -> str:
        """Why the run is not on the map; empty where it is."""
        told = self._losses.get("not_applicable", {})
        return str(told.get(LOSS, "" if self.loss is not None else "it was not measured."))

    @property
    def _losses(self) -> Mapping[str, Any]:
        return self.run.figures["information_loss"] or {}

    def _both(self, part: str, name: str) -> tuple[Any, Any]:
        found: Mapping[str, Any] = self.run.figures[part]
        before, after = ((found[when] or {}).get(name) for when in ("before", "after"))
        return before, after

    @property
    def left(self) -> list[Mapping[str, Any]]:
        """What is left of each attribute, the one with the largest loss first."""
        return list(self.run.figures.get("left", ()))

    def equals(self, other: Kept) -> bool:
        """Whether a run did the same with the same outcome, and is as fit to be released."""
        same = self.run.label == other.run.label and self.run.figures == other.run.figures
        return same and (self.current, self.lacks) == (other.current, other.lacks)

    @property
    def complete(self) -> int | None:
        """The released records that the changes of statistics are of, where some miss a number."""
        complete: int | None = self.run.figures.get("complete")  # a run of before may lack it
        return None if complete == self.run.figures["records"]["after"] else complete

    def largest_change(self, statistic: str) -> float | None:
        """The largest change of a mean, a standard deviation (relative) or a correlation."""
        rows = [
            r
            for r in self.run.figures["statistics"]
            if r["statistic"] == statistic and r["initial"] is not None and r["masked"] is not None
        ]
        changes = [abs(r["masked"] - r["initial"]) / _unit(r) for r in rows if _unit(r)]
        return max(changes, default=None)


def _unit(row: Mapping[str, Any]) -> float:
    return 1.0 if row["statistic"] == "correlation" else abs(row["initial"])


def runs_of(workspace: Workspace) -> list[Kept]:
    """All runs, in the order in which they were made."""
    chosen = workspace.settings.get("release", {}).get("run")
    wanted = workspace.document.get("criterion")
    confidential = tuple(workspace.confidential)
    names = workspace.settings.get(_NAMES, {})
    found = []
    for slot, result in workspace.results.items():
        if slot.startswith(_SLOT):
            lacks = unmet(wanted, result.value, confidential, workspace.folder)
            kept = Kept(
                int(slot.removeprefix(_SLOT)),
                result.value,
                workspace.is_current(slot),
                slot == chosen,
                result.remarks,
                tuple(lacks),
                names.get(slot, ""),
            )
            found.append(kept)
    return sorted(found, key=lambda kept: kept.number)


def run_of(workspace: Workspace, number: int) -> Kept:
    """A run by its number; one that is not there is not found."""
    for kept in runs_of(workspace):
        if kept.number == number:
            return kept
    raise HTTPException(404)


def candidate(workspace: Workspace) -> Kept | None:
    """The run that was chosen."""
    return next((kept for kept in runs_of(workspace) if kept.chosen), None)


def begin(workspace: Workspace) -> None:
    """Run the chain of the plan as it stands."""
    numbers = [kept.number for kept in runs_of(workspace)]
    if len(numbers) >= MOST:
        fail("N63", f"{MOST} runs are kept already.", "Remove one on the page Compare.")
    outputs = {"masked": names_for(workspace.sections)["csv"]}
    slot = f"{_SLOT}{max(numbers, default=0) + 1}"
    workspace.begin("protect", slot=slot, changes={"outputs": outputs})


def choose(workspace: Workspace, kept: Kept) -> None:
    """Make a run the candidate; what was acknowledged was said of another one."""
    if not kept.can_be_released:
        what = "a run that is out of date, or whose criterion does not hold, cannot be released."
        fail("N64", what, "Choose another one, or run it again.")
    if not kept.chosen:
        workspace.set("release", {"run": kept.slot})


def rename(workspace: Workspace, kept: Kept, name: str) -> None:
    """Give a run a name; without one it is called by what was done."""
    plain = " ".join(name.split())
    if len(plain) > LONGEST:
        fail("P60", f"the name is longer than {LONGEST} characters.", "Choose a shorter one.")
    names = {s: n for s, n in workspace.settings.get(_NAMES, {}).items() if s != kept.slot}
    workspace.set(_NAMES, names | ({kept.slot: plain} if plain else {}))


def duplicate(workspace: Workspace, kept: Kept) -> None:
    """Have the steps of a run, and what it had to hold, in the plan, to go on from there."""
    made = kept.run.document
    workspace.change(
        lambda d: draft.with_steps(d, made.get("steps", []), made.get("criterion")),
        choosing_levels=kept.current,
    )


def run_again(workspace: Workspace, kept: Kept) -> None:
    """Work out once more what a project does not keep of a run: the same records, drawn anew."""
    if not kept.current:
        what = "a run that is out of date cannot be computed again."
        fail("N64", what, "Duplicate it, and run the new one.")
    workspace.begin("protect", slot=kept.slot, changes=kept.run.document)


def remove(workspace: Workspace, kept: Kept) -> None:
    """Erase a run and its files."""
    if kept.chosen:
        workspace.set("release", {})
    workspace.results = {s: r for s, r in workspace.results.items() if s != kept.slot}
    rename(workspace, kept, "")
    shutil.rmtree(folder_of(workspace.folder, kept.slot), ignore_errors=True)


# -- What is wanted now, held against what a run was made for and what was measured of it ----------
#
# A run keeps the criterion that it was made with. When more is asked for later, the run does not
# meet it by that: it does where the masked table was found to, or where its own criterion, which
# holds, asks for as much. What nobody looked at counts as not met.


def unmet(wanted: Any, run: Run, confidential: tuple[str, ...], folder: Path = Path()) -> list[Any]:
    """The criteria that are wanted and that a run is not known to meet.

    Parameters
    ----------
    wanted : mapping or list of mappings
        As the plan has it.
    run : Run
    confidential : tuple of str
        The attributes that criteria look at unless some are named.
    folder : Path, optional
        That files of the plan are relative to.
    """
    made = run.document.get("criterion") if run.satisfied else None
    own, asked = ([one.resolved(confidential) for one in built(tables_of(given), folder)]
                  for given in (made, wanted))  # fmt: skip
    risk = run.figures["risk"]["after"] or {}
    counted = risk.get("people_k", risk.get("k", 0))  # people, where one may have several records
    size = max([counted, *(one.least_size for one in own)])
    values = [risk.get("p", {}), *(_distinct(one, confidential) or {} for one in own)]
    return [
        one
        for one in asked
        if not _counts_suffice(one, size, values, confidential)
        and not any(kind_of(one).covers(mine, one) for mine in own)
    ]


def earlier(workspace: Workspace, run: Run) -> list[str]:
    """What was asked for before, other than now, and a run is not known to meet, in words.

    What counts was measured against, or masked for; a number that was only typed does not.
    """
    now = workspace.document.get("criterion")
    confidential = tuple(workspace.confidential)
    wanted = {one.describe() for one in unmet(now, run, confidential, workspace.folder)}
    found = [
        one.describe()
        for asked in workspace.settings.get(ASKED, ())
        for one in unmet(asked, run, confidential, workspace.folder)
    ]
    return [said for said in dict.fromkeys(found) if said not in wanted]


def _counts_suffice(
    one: Any, size: int, values: list[dict[str, int]], confidential: tuple[str, ...]
) -> bool:
    """Whether classes of this size, with so many values, are all that it asks for."""
    least = _distinct(one, confidential)
    if not one.counts_decide or least is None or size < one.least_size:
        return False
    return all(max(found.get(name, 0) for found in values) >= n for name, n in least.items())


def _distinct(one: Any, confidential: tuple[str, ...]) -> dict[str, int] | None:
    """The values that it asks for by attribute; None where there is no attribute to look at."""
    try:
        found: dict[str, int] = one.least_distinct(confidential)
    except DiscreetError:
        return None
    return found
