"""What is to be recoded, as arrays: items that are alike, the trees of the keys, and what a cell
costs.

A *cell* is a tuple of nodes, one per key. An *item* stands for records that are alike in all that
matters: the values of the keys, and where a criterion counts them, those of the confidential
attributes. Lower-bounded facility location: open cells, give every record to a cell that covers it,
so that each open cell has enough, at least cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.packing import added, merged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Bools, Floats, Ints
    from discreet.kernels.local_recoding.instance import Instance, Nodes


@dataclass(frozen=True, eq=False)
class KeyTree:
    """The hierarchy of one key.

    Attributes
    ----------
    parent : int32 array
        Per node the node above it; a top is its own parent. The nodes 0, 1, … that items may have
        come first, in the order of the values. A key without a hierarchy has only tops.
    cost : float64 array
        Per node what it costs that a record shows it, from 0; it never falls towards the top.
    """

    parent: NDArray[np.int32]
    cost: Floats


@dataclass(frozen=True, eq=False)
class CellTask:
    """Items to be given to cells.

    Attributes
    ----------
    codes : int32 array, items × keys
        The node of each item in each key before anything is done.
    counts : int64 array
        Records of each item.
    trees : tuple of KeyTree
        One per key.
    k : int
        Least number of records that show the same cell.
    weight : float64 array, optional
        What the change of an item is worth, 1 where not given.
    fixed : bool array, items × keys, optional
        Nodes that must stay as they are.
    values : int32 array, items × attributes
        Confidential values of each item, where a criterion counts them.
    distinct : tuple of int
        Least number of different values of each of these attributes in a cell.

    The price of an item in a cell is weight · Σ over the keys of (cost of the node − cost of the
    item's own node).
    """

    codes: NDArray[np.int32]
    counts: Ints
    trees: tuple[KeyTree, ...]
    k: int
    weight: Floats | None = None
    fixed: NDArray[np.bool_] | None = None
    values: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 0), np.int32))
    distinct: tuple[int, ...] = ()

    def of_items(self, item: Ints) -> CellTask:
        """The same of some items, in an order."""
        return replace(
            self,
            codes=self.codes[item],
            counts=self.counts[item],
            weight=None if self.weight is None else self.weight[item],
            fixed=None if self.fixed is None else self.fixed[item],
            values=self.values[item] if len(self.values) else self.values,
        )


@dataclass(frozen=True, eq=False)
class Cells:
    """Which cells the records of an item get; sorted by item, then cell.

    Attributes
    ----------
    item : int64 array
    node : int32 array, rows × keys
        The cell.
    count : int64 array
        How many records of the item get it; they add up to the records of the item.
    """

    item: Ints
    node: NDArray[np.int32]
    count: Ints

    def price(self, task: CellTask) -> float:
        """What the change costs in all."""
        each, codes = np.zeros(len(self.item)), np.take(task.codes, self.item, axis=0)
        for a, tree in enumerate(task.trees):
            each += tree.cost[self.node[:, a]] - tree.cost[codes[:, a]]
        weight = 1.0 if task.weight is None else task.weight[self.item]
        return float(np.sum(each * self.count * weight))

    def only(self, kept: Bools) -> Cells:
        """Some of the rows."""
        if kept.all():
            return self
        return Cells(self.item[kept], self.node[kept], self.count[kept])


def gathered(item: Ints, node: NDArray[np.int32], count: Ints) -> Cells:
    """Cells sorted by item and cell, those that are the same put together.

    Examples
    --------
    >>> node = np.array([[4], [5], [4]], np.int32)
    >>> found = gathered(np.array([2, 0, 2]), node, np.array([1, 3, 1]))
    >>> found.item.tolist(), found.node.tolist(), found.count.tolist()
    ([0, 2], [[5], [4]], [3, 2])
    """
    place = np.full(int(item.max(initial=-1)) + 1, -1)
    place[item] = np.arange(len(item))
    order = place[place >= 0]
    if len(order) == len(item):  # every item has one cell
        return Cells(item[order], np.take(node, order, axis=0), count[order])
    columns = [item, *node.T]
    first, owner = merged(columns, [int(column.max()) + 1 for column in columns])
    return Cells(item[first], np.take(node, first, axis=0), added(owner, count, len(first)))


# -- A recoding: the cells that were found, in the terms of the task -------------------------------


@dataclass(frozen=True, eq=False)
class Recoded(Cells):
    """Cells, the records that got none, and what was reached.

    Attributes
    ----------
    left : int64 array
        Per item of the task how many records have no cell: those that nothing tried can serve
        (a stratum with too few records, nodes that must stay), and those left out on purpose.
    rounds : int
        How often every neighbourhood was searched.
    settled : bool
        Whether rounds of all widths in a row found nothing better.
    """

    left: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    rounds: int = 0
    settled: bool = False


def recoding(
    task: CellTask, at: Instance, item: Ints, records: Ints, label: Ints, cells: Nodes
) -> Recoded:
    """From rows of the instance: their items and records, and which of some cells each has. Parts
    of an item may have found the same cell on different ways."""
    node = np.empty(cells.shape, np.int32)
    node[:, at.keys["place"]] = cells - at.keys["start"]
    first, rank = merged(list(node.T), [len(tree.parent) for tree in task.trees])
    found = gathered(at.item[item], rank[label].astype(np.int32)[:, None], records)
    shown = np.take(node[first], found.node[:, 0], axis=0)
    left = task.counts - added(found.item, found.count, len(task.counts))
    return Recoded(found.item, shown, found.count, left)
