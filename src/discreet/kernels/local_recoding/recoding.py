"""A recoding: the cells that were found, in the terms of the task."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.local_recoding.task import Cells, gathered
from discreet.kernels.packing import added, merged

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


def full_price(task: CellTask, cells: Cells, left: Ints, suppressed_cost: float) -> float:
    """The price with that of the records left out."""
    weight: Floats = np.ones(len(task.counts)) if task.weight is None else task.weight
    return cells.price(task) + suppressed_cost * float(left @ weight)
