"""Joining classes that fail: the plain way to a file whose classes all hold, for any criterion.

The failing class with fewest records joins the class that costs least to join, until none fails.
It works for every criterion on classes, since in the end all records may form one; a better search
goes first where there is one, and leaves few classes to join.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.local_recoding.task import Cells, CellTask, gathered
from discreet.kernels.packing import pack

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools, Floats, Ints
    from discreet.kernels.local_recoding.peel import Passes


# from rows of the cells, the class of each, and the number of classes, to those that fail
Failing = Callable[["Ints", "Ints", int], "Bools"]


def unchanged(task: CellTask) -> Cells:
    """Every record as it is."""
    return Cells(np.arange(len(task.counts)), task.codes.copy(), task.counts.copy())


def failing_of(task: CellTask, cells: Cells, passes: Passes | None = None) -> Failing:
    """Which classes have too few records, or too few different values, or do not pass."""

    def failing(rows: Ints, owner: Ints, number: int) -> Bools:
        found = np.bincount(owner, cells.count[rows], number) < task.k
        for a, least in enumerate(task.distinct):
            values = task.values[cells.item[rows], a]
            pairs = np.unique(np.column_stack([owner, values]), axis=0)
            found |= np.bincount(pairs[:, 0], minlength=number) < least
        if passes is not None:
            found |= ~passes(cells.item[rows], cells.count[rows], owner, number)
        return np.asarray(found)

    return failing


def failing_items(task: CellTask, passes: Passes | None = None) -> Bools:
    """Which items are in a class that fails, before anything is done."""
    cells = unchanged(task)
    classes = _Joining(task, cells, None)
    bad = failing_of(task, cells, passes)(cells.item, classes.owner, len(classes.node))
    return bad[classes.owner]


def all_pass(task: CellTask, cells: Cells, passes: Passes | None = None) -> bool:
    """Whether all classes that cells form hold."""
    classes = _Joining(task, cells, None)
    rows = np.arange(len(cells.item))
    return not failing_of(task, cells, passes)(rows, classes.owner, len(classes.node)).any()


def joined(task: CellTask, cells: Cells, failing: Failing, most: int | None = None) -> Cells | None:
    """Cells whose classes all hold, made from given ones by joining; None where it did not work.

    Parameters
    ----------
    task : CellTask
        Whose trees have two levels: the values, and a blank.
    cells : Cells
        To begin with.
    failing : function
        Which classes fail.
    most : int, optional
        Most blanks of a record.
    """
    classes = _Joining(task, cells, most)
    bad = failing(np.arange(len(cells.item)), classes.owner, len(classes.node))
    while bad.any():
        made = classes.join(bad)
        if made is None:
            return None
        rows = np.flatnonzero(classes.owner == made)
        bad &= classes.size > 0
        bad[made] = failing(rows, np.zeros(len(rows), dtype=np.int64), 1)[0]
    return classes.cells(cells)


class _Joining:
    """Classes under way: the node of each, its records, and who would pay for a blank."""

    def __init__(self, task: CellTask, cells: Cells, most: int | None) -> None:
        tops = [int(tree.parent[0]) for tree in task.trees]
        packed, _ = pack(list(cells.node.T), [top + 1 for top in tops])
        _, first, owner = np.unique(packed, return_index=True, return_inverse=True)
        self.owner = owner.astype(np.int64)
        self.node = cells.node[first].copy()
        self.top = np.array(tops, dtype=np.int32)
        self.price = np.array([tree.cost[-1] for tree in task.trees])
        weight = np.ones(len(task.counts)) if task.weight is None else task.weight
        number = len(first)
        self.size = np.bincount(owner, cells.count, number).astype(np.int64)
        self.worth = np.bincount(owner, cells.count * weight[cells.item], number)
        self.fixed = np.zeros(self.node.shape, dtype=bool)
        if task.fixed is not None:
            np.logical_or.at(self.fixed, owner, task.fixed[cells.item])
        self.missing = np.full(number, len(tops))  # the fewest that a record had before
        np.minimum.at(self.missing, owner, np.sum(task.codes[cells.item] == self.top, axis=1))
        self.most = most

    def join(self, bad: Bools) -> int | None:
        """Join the smallest failing class that can be with the one for which it costs least, then
        the one with fewest records, the first of these; the class that they form, or None."""
        for one in np.lexsort([np.arange(len(bad)), self.size, ~bad])[: int(bad.sum())]:
            cost = self._costs(int(one))
            other = int(np.lexsort([np.arange(len(cost)), self.size, cost])[0])
            if np.isfinite(cost[other]):
                self._merge(int(one), other)
                return other
        return None

    def _costs(self, one: int) -> Floats:
        """What it costs to join a class with each of the others; infinite where it cannot be."""
        unlike = self.node != self.node[one]
        shown, mine = self.node != self.top, self.node[one] != self.top
        cost = (unlike & shown) @ self.price * self.worth
        cost = cost + (unlike & mine) @ self.price * self.worth[one]
        never = (unlike & ((self.fixed & shown) | (self.fixed[one] & mine))).any(axis=1)
        never |= self.size == 0
        if self.most is not None:
            blanks = np.sum(unlike | ~shown, axis=1)
            never |= blanks - np.minimum(self.missing, self.missing[one]) > self.most
        never[one] = True
        return np.where(never, np.inf, cost)

    def _merge(self, one: int, other: int) -> None:
        self.node[other] = np.where(self.node[one] == self.node[other], self.node[one], self.top)
        alike = (self.node == self.node[other]).all(axis=1) & (self.size > 0)
        alike[[one, other]] = True, False
        for same in np.flatnonzero(alike):  # whose records now show the same
            self._take(int(same), other)

    def _take(self, one: int, other: int) -> None:
        self.owner[self.owner == one] = other
        self.size[other] += self.size[one]
        self.worth[other] += self.worth[one]
        self.fixed[other] |= self.fixed[one]
        self.missing[other] = min(self.missing[one], self.missing[other])
        self.size[one] = 0

    def cells(self, given: Cells) -> Cells:
        return gathered(given.item, self.node[self.owner], given.count)
