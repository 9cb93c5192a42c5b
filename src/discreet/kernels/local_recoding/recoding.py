"""A recoding: the cells that were found, in the terms of the task."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.local_recoding.task import Cells

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats, Ints
    from discreet.kernels.local_recoding.instance import Instance, Nodes
    from discreet.kernels.local_recoding.task import CellTask


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


def recoding(task: CellTask, at: Instance, item: Ints, records: Ints, cell: Nodes) -> Recoded:
    """From rows of the instance: its items, records and cells."""
    item = at.item[item]
    node = np.empty(cell.shape, np.int32)
    node[:, at.keys["place"]] = cell - at.keys["start"]
    once = len(item) == 0 or np.bincount(item).max() == 1
    order = np.argsort(item) if once else np.lexsort((*node.T[::-1], item))
    item, node, records = item[order], node[order], records[order]
    if not once:  # parts of an item may have found the same cell on different ways
        same = (item[1:] == item[:-1]) & (node[1:] == node[:-1]).all(axis=1)
        begin = np.flatnonzero(np.concatenate([[True], ~same]))
        item, node, records = item[begin], node[begin], np.add.reduceat(records, begin)
    left = task.counts - np.bincount(item, records, len(task.counts)).astype(np.int64)
    return Recoded(item, node, records, left)


def full_price(task: CellTask, cells: Cells, left: Ints, suppressed_cost: float) -> float:
    """The price with that of the records left out."""
    weight: Floats = np.ones(len(task.counts)) if task.weight is None else task.weight
    return cells.price(task) + suppressed_cost * float(left @ weight)
