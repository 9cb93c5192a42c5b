"""The category reading, exactly: a blank is a value, and every released tuple has k records.

An integer programme. A *use* is an item in a cell: y records of it get it. Items of classes that
are too small must get a cell, those of other classes may lend records (donors), as long as their
class keeps k. A cell b is open or not; an open one has at least k records.

    min Σ price · y   where   Σ_cells y = records of each item that must move,
                              Σ y ≥ k · b in each cell, y ≤ (records) · b,
                              Σ y of a class that lends ≤ its records − k.

Where p different values are asked for, a cell also has Σ_v q_v ≥ p · b, with q_v ≤ 1 and
q_v ≤ Σ y of the items with value v; and a class that lends keeps one record of each item.

References
----------
Meyerson, A., Williams, R. (2004): "On the complexity of optimal k-anonymity", PODS, 223–228.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.integer_program import IntegerProgram, LinearConditions, least_cost, solve
from discreet.kernels.local_recoding.task import Cells, CellTask, gathered
from discreet.kernels.local_suppression.suppression import (
    Suppression,
    answered,
    blanked,
    blanks_of,
    groups_of,
    in_order,
    placed,
)
from discreet.kernels.packing import merged

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools, Floats, Ints
    from discreet.kernels.integer_program import IntegerSolution

WHOLE = 300_000  # uses up to which one programme is solved
PIECE = 100  # beyond that, so many of the classes that are too small at a time
_PROOF = 40_000  # uses up to which more is tried to be proven than the linear bound


def exact(
    task: CellTask, *, max_blanks: int = 3, nodes: int = 10_000, proof: bool = True
) -> Suppression:
    """Blank the fewest cells, by price, so that every released tuple has at least k records.

    Parameters
    ----------
    task : CellTask
        With trees of one level.
    max_blanks : int
        Most cells that a record may lose. Raised where there is no answer with fewer.
    nodes : int
        Limit of the search; see `least_cost`.
    proof : bool
        Whether to go on where the linear bound does not prove that an answer is the best. Without
        it the answer is nearly always the same, much sooner.

    Examples
    --------
    >>> from discreet.kernels.local_recoding.task import KeyTree
    >>> tree = KeyTree(np.array([2, 2, 2], np.int32), np.array([0.0, 0.0, 1.0]))
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    >>> found = exact(CellTask(codes, np.array([1, 1, 3]), (tree, tree), 2))
    >>> found.cells.node.tolist(), found.cells.count.tolist(), found.bound, found.stopped
    ([[0, 2], [0, 2], [1, 1]], [1, 1, 3], 2.0, 'proven')
    """
    task, order = in_order(task)
    keys = int(blanks_of(task).keys.sum())
    for most in range(max_blanks, max(max_blanks, keys) + 1):
        found = _solved(task, min(most, keys), nodes, proof)
        if found.stopped != "infeasible":
            break
    return placed(found, order)


def linear_bound(task: CellTask, *, max_blanks: int = 3) -> float | None:
    """The least cost that the linear relaxation proves, under the restriction of `exact`; None
    where the programme is too large for it."""
    must = ~enough(task)
    uses = _uses(task, must, must, max_blanks)
    if len(uses.item) > WHOLE:
        return None
    found = solve(_Model(task, must, uses).program(), relaxed=True)
    return None if found.values is None else found.bound * blanks_of(task).unit


def enough(task: CellTask) -> Bools:
    """Per item, whether its class has k records and the values that are asked for."""
    cls, size = _classes(task)
    good = size >= task.k
    for a, least in enumerate(task.distinct):
        pairs = np.unique(np.column_stack((cls, task.values[:, a])), axis=0)
        good &= np.bincount(pairs[:, 0], minlength=len(size)) >= least
    return good[cls]


def _classes(task: CellTask) -> tuple[Ints, Ints]:
    """The class of each item, and the records of each class."""
    if not len(task.codes):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    _, cls = merged(list(task.codes.T), [len(tree.parent) for tree in task.trees])
    return cls, np.bincount(cls, task.counts).astype(np.int64)


def _solved(task: CellTask, max_blanks: int, nodes: int, proof: bool) -> Suppression:
    """The answer with at most some blanks a record; by pieces where it is large."""
    words = _restriction(task, max_blanks)
    must = ~enough(task)
    uses = _uses(task, must, must, max_blanks)
    if len(uses.item) > WHOLE:
        return _by_pieces(task, max_blanks, nodes, words)
    model = _Model(task, must, uses)
    proof = proof and len(uses.item) <= _PROOF
    found = least_cost(model.program(), model.added, nodes=nodes, proof=proof)
    if found.values is None:
        return Suppression(None, None, words, found.stopped)
    return answered(task, model.cells(found), found, blanks_of(task).unit, words)


def _by_pieces(task: CellTask, max_blanks: int, nodes: int, words: str) -> Suppression:
    """Some of the classes that are too small at a time; what has moved stays where it is."""
    now, item = task, np.arange(len(task.counts))
    while not np.all(safe := enough(now)):
        must = _piece(now, ~safe)
        model = _Model(now, must, _uses(now, ~safe, must, max_blanks))
        found = least_cost(model.program(), model.added, nodes=nodes, proof=False)
        if found.values is None:
            return Suppression(None, None, words, found.stopped)
        now, item = _after(now, item, model.cells(found))
    return Suppression(gathered(item, now.codes, now.counts), None, words, "size")


def _restriction(task: CellTask, max_blanks: int) -> str:
    """Among which answers the least cost is sought."""
    kept = f"{task.k} records" + (" and every value" if task.distinct else "")
    some = "1 blank" if max_blanks == 1 else f"{max_blanks} blanks"
    return f"at most {some} a record, and classes that lend records keep {kept}"


def _piece(task: CellTask, small: Bools) -> Bools:
    """The items of the first classes that are too small."""
    cls, _ = _classes(task)
    return small & np.isin(cls, np.unique(cls[small])[:PIECE])


def _after(task: CellTask, item: Ints, cells: Cells) -> tuple[CellTask, Ints]:
    """The task that is left: what has moved stays where it is."""
    before = task.of_items(cells.item)
    moved = np.any(cells.node != before.codes, axis=1)
    fixed = np.repeat(moved[:, None], task.codes.shape[1], axis=1)
    fixed = fixed if before.fixed is None else fixed | before.fixed
    after = replace(before, codes=cells.node, counts=cells.count, fixed=fixed)
    return after, item[cells.item]


@dataclass(frozen=True, eq=False)
class _Uses:
    """Items in cells.

    Attributes
    ----------
    item, cell : int64 arrays
    mask : int64 array
        Of each use, the place of its mask in `masks`.
    price : float64 array
        Of one record.
    open : bool array
        Of each cell, whether it is a class that has enough.
    """

    item: Ints
    cell: Ints
    mask: Ints
    price: Floats
    open: Bools
    masks: Bools


def _uses(task: CellTask, small: Bools, must: Bools, max_blanks: int) -> _Uses:
    """Every cell that an item that must move can get and that can have k records; and who can."""
    blanks = blanks_of(task)
    cls, size = _classes(task)
    spare = np.where(small, 0, size[cls] - task.k)
    item, cell, mask, price, opened, masks = [], [], [], [], [], []
    cells = 0
    for place, groups in enumerate(groups_of(task, blanks, max_blanks, all_blank=True)):
        masks.append(groups.mask)
        goes = must[groups.member] & groups.usable
        here = np.unique(groups.group[goes])
        if not len(here):
            continue
        at = np.minimum(np.searchsorted(here, groups.group), len(here) - 1)
        inside = here[at] == groups.group
        own = inside & (groups.lost == 0) & ~small[groups.member]
        lends = inside & groups.usable & (groups.lost > 0) & (spare[groups.member] > 0)
        is_open = np.bincount(at[own], minlength=len(here)) > 0
        records = np.where(goes, task.counts[groups.member], 0)
        records += np.where(lends, np.minimum(spare, task.counts)[groups.member], 0)
        full = is_open | (np.bincount(at, records, len(here)) >= task.k)
        kept = (goes | lends) & full[at] & ~(lends & is_open[at])
        number = np.cumsum(full) - 1 + cells
        item.append(groups.member[kept])
        cell.append(number[at[kept]])
        mask.append(np.full(int(kept.sum()), place))
        price.append(groups.price[kept])
        opened.append(is_open[full])
        cells += int(full.sum())
    none = np.empty(0, np.int64)
    return _Uses(
        np.concatenate([none, *item]),
        np.concatenate([none, *cell]),
        np.concatenate([none, *mask]),
        np.concatenate([np.empty(0), *price]),
        np.concatenate([np.empty(0, bool), *opened]),
        np.array(masks),
    )


class _Model:
    """The integer programme. Columns: uses, then cells that are not open yet, then values."""

    def __init__(self, task: CellTask, must: Bools, uses: _Uses) -> None:
        self._task, self._must, self._uses = task, must, uses
        self._goes = must[uses.item]
        self._closed = np.cumsum(~uses.open) - 1  # number of each cell among those not open
        self._cells = int((~uses.open).sum())
        self._to_open = uses.open[uses.cell]
        cls, size = _classes(task)
        self._cls = cls
        self._spare = np.maximum(size - task.k, 0)
        most = np.where(must, task.counts, np.minimum(self._spare[cls], task.counts))
        self._most = np.where(self._goes, most[uses.item], np.minimum(most[uses.item], self._lent))

    @property
    def _lent(self) -> int:
        """Records that a cell borrows at most: one that is open has one that had to move."""
        return max(self._task.k - 1, sum(self._task.distinct) - len(self._task.distinct), 1)

    def program(self) -> IntegerProgram:
        """The programme."""
        uses, rows = self._uses, LinearConditions()
        use, b = np.arange(len(uses.item)), len(uses.item) + self._closed
        self._move_all(rows, use)
        self._lend(rows, use)
        filled = ~self._to_open
        at, opened = self._closed[uses.cell[filled]], len(use) + np.arange(self._cells)
        each = np.arange(self._cells)
        rows.add((at, use[filled], 1), (each, opened, -self._task.k), rows=self._cells, least=0)
        linked = np.flatnonzero(filled & self._goes)
        link, most = np.arange(len(linked)), self._most[linked]
        rows.add((link, linked, 1), (link, b[uses.cell[linked]], -most), rows=len(linked), most=0)
        lent = np.flatnonzero(~self._goes)
        rows.add(
            (self._closed[uses.cell[lent]], lent, 1),
            (each, opened, -self._lent),
            rows=self._cells,
            most=0,
        )
        values = self._values(rows, len(use) + self._cells)
        columns = len(use) + self._cells
        return rows.of(
            cost=np.concatenate((uses.price, np.zeros(self._cells + values))),
            upper=np.concatenate((self._most, np.ones(self._cells + values))).astype(np.float64),
            integer=np.arange(columns + values) < columns,
        )

    def _move_all(self, rows: LinearConditions, use: Ints) -> None:
        """Every record of a class that is too small gets a cell."""
        must = np.flatnonzero(self._must)
        place = np.cumsum(self._must) - 1
        goes = use[self._goes]
        counts = self._task.counts[must]
        item = place[self._uses.item[goes]]
        rows.add((item, goes, 1), rows=len(must), least=counts, most=counts)

    def _lend(self, rows: LinearConditions, use: Ints) -> None:
        """A class that lends keeps k records, and where values count one of each item. No item
        lends more than it has, which a class of several items does not say."""
        lent = use[~self._goes]
        item, counts = self._uses.item[lent], self._task.counts
        rows.add((self._cls[item], lent, 1), rows=len(self._spare), most=self._spare)
        if self._task.distinct:
            rows.add((item, lent, 1), rows=len(counts), most=np.maximum(counts - 1, 0))
        elif (counts < self._spare[self._cls]).any():
            rows.add((item, lent, 1), rows=len(counts), most=counts)

    def _values(self, rows: LinearConditions, first: int) -> int:
        """A cell has enough different values; how many columns that takes."""
        task, uses, columns = self._task, self._uses, 0
        filled = np.flatnonzero(~self._to_open)
        cell = self._closed[uses.cell[filled]]
        for a, least in enumerate(task.distinct):
            pairs = np.column_stack((cell, task.values[uses.item[filled], a]))
            found, of = np.unique(pairs, axis=0, return_inverse=True)
            q = first + columns + np.arange(len(found))
            each, b = np.arange(len(found)), len(uses.item) + np.arange(self._cells)
            rows.add((of.ravel(), filled, -1), (each, q, 1), rows=len(found), most=0)
            rows.add((each, q, 1), (each, b[found[:, 0]], -1), rows=len(found), most=0)
            cells = np.arange(self._cells)
            rows.add((found[:, 0], q, 1), (cells, b, -least), rows=self._cells, least=0)
            columns += len(found)
        return columns

    def added(self, reduced: Floats) -> Floats:
        """What a column adds at least: a cell is filled with its k cheapest records."""
        uses, k = self._uses, self._task.k
        filled = np.flatnonzero(~self._to_open)
        cell = self._closed[uses.cell[filled]]
        each = np.minimum(self._most[filled], k)
        price, at = np.repeat(reduced[filled], each), np.repeat(cell, each)
        order = np.lexsort((price, at))
        price, at = price[order], at[order]
        rank = np.arange(len(at)) - np.searchsorted(at, at)
        total = reduced[len(uses.item) : len(uses.item) + self._cells].copy()
        total += np.bincount(at[rank < k], price[rank < k], self._cells)
        dearest = np.zeros(self._cells)
        dearest[at[rank == k - 1]] = price[rank == k - 1]
        more = reduced.copy()
        more[filled] = total[cell] + np.maximum(reduced[filled] - dearest[cell], 0)
        more[len(uses.item) : len(uses.item) + self._cells] = total
        return more

    def cells(self, found: IntegerSolution) -> Cells:
        """The cells of all items."""
        assert found.values is not None
        count = np.rint(found.values[: len(self._uses.item)]).astype(np.int64)
        used = np.flatnonzero(count)
        mask = self._uses.masks[self._uses.mask[used]]
        return blanked(self._task, self._uses.item[used], mask, count[used])
