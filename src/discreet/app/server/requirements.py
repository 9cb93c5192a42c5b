"""What is wanted now, held against what a run was made for and what was measured of it.

A run keeps the criterion that it was made with. When more is asked for later, the run does not
meet it by that: it does where the masked table was found to, or where its own criterion, which
holds, asks for as much. What nobody looked at counts as not met.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from discreet.app.jobs.protection import Run
from discreet.app.server.workspaces import ASKED, Workspace
from discreet.errors import DiscreetError
from discreet.plan.criteria import built, kind_of, tables_of


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
