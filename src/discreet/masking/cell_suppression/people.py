"""The search for cells to blank with people of the population behind them: enough, or a share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.local_recoding.people import apart
from discreet.kernels.local_recoding.task import Cells
from discreet.masking.cell_people import begun
from discreet.masking.cell_suppression import bounds, joins
from discreet.masking.cell_suppression.search import Choice, chosen, most_blanks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Ints
    from discreet.kernels.local_recoding.peel import Passes
    from discreet.kernels.local_recoding.task import CellTask
    from discreet.masking.cell_people import CellPeople
    from discreet.masking.cell_suppression.request import SearchName


def chosen_with_people(
    task: CellTask,
    people: Sequence[CellPeople],
    search: SearchName,
    most: int | None,
    passes: Passes | None = None,
) -> Choice:
    """Cells that meet what is asked of the people behind them, and the least numbers of a task."""
    start = begun(task, people, most)
    least = max(start.least_price(task), bounds.least_cost(task))
    if start.out.any():
        return Choice(None, least)
    if any(one.shares for one in people):
        return Choice(_allowed(task, _apart(task, people[0], passes), most), least)
    alone = joins.unchanged(start.task)
    if not joins.failing_items(start.task, passes).any():
        return Choice(alone, least, exact=start.exact)
    spent = most_blanks(task, alone)
    rest = None if most is None else most - spent
    if rest is not None and rest <= 0:
        return Choice(None, least)
    return Choice(chosen(start.task, "category", search, rest, passes).cells, least)


def _apart(task: CellTask, people: CellPeople, passes: Passes | None) -> Cells | None:
    """Cells of which no two cover the same person; None where some do not hold."""
    failing = joins.failing_of(task, joins.unchanged(task), passes)

    def holds(item: Ints, label: Ints, behind: Ints) -> NDArray[np.bool_]:
        size = np.bincount(label, task.counts[item], len(behind)).astype(np.int64)
        bad = failing(item, label, len(behind)) & (size > 0)
        return ~(bad | people.fails(size, behind))

    node, served = apart(task, people.nodes, holds)
    return Cells(np.arange(len(served)), node, task.counts.copy()) if served.all() else None


def _allowed(task: CellTask, cells: Cells | None, most: int | None) -> Cells | None:
    """The cells, if they blank none that must stay, and no more of a record than may be."""
    if cells is None or (most is not None and most_blanks(task, cells) > most):
        return None
    moved = cells.node != task.codes[cells.item]
    return None if task.fixed is not None and (moved & task.fixed).any() else cells
