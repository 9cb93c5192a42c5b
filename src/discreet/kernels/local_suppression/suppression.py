"""What a suppression came to: the cells, and how few any answer needs, as far as proven."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.kernels.local_recoding.task import Cells, CellTask, gathered
from discreet.kernels.packing import pack

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools, Ints
    from discreet.kernels.integer_program import IntegerSolution, Stop


@dataclass(frozen=True, eq=False)
class Suppression:
    """Which cells are blanked.

    Attributes
    ----------
    cells : Cells, optional
        None where no answer was found.
    bound : float, optional
        No answer costs less, as far as proven; None where nothing was proven.
    restriction : str
        Among which answers the bound holds.
    stopped : str, optional
        ``"proven"``: none costs less. ``"nodes"``, ``"seconds"``: a limit was reached.
        ``"linear"``: only the linear bound was proven. ``"size"``: too large for one programme,
        solved by pieces. ``"infeasible"``: there is no answer of this
        kind. None: nothing was to be proven.
    """

    cells: Cells | None
    bound: float | None = None
    restriction: str = ""
    stopped: Stop | Literal["size"] | None = None

    @property
    def proven(self) -> bool:
        """Whether no answer within the restriction costs less."""
        return self.stopped == "proven"


def answered(
    task: CellTask, cells: Cells, found: IntegerSolution, unit: float, restriction: str
) -> Suppression:
    """What an integer programme came to, whose prices are in units."""
    bound = cells.price(task) if found.proven else found.bound * unit
    return Suppression(cells, bound, restriction, found.stopped)


def placed(found: Suppression, order: Ints) -> Suppression:
    """The same of the items as they were given."""
    cells = found.cells
    if cells is None:
        return found
    return replace(found, cells=gathered(order[cells.item], cells.node, cells.count))


def in_order(task: CellTask) -> tuple[CellTask, Ints]:
    """The task with its items in the order of their codes, so that the given order is no matter;
    and which item each one was."""
    if _sorted(task):
        return task, np.arange(len(task.counts))
    columns = [*task.values.T] if len(task.values) else []
    columns += [] if task.fixed is None else [*task.fixed.T]
    columns += [] if task.weight is None else [task.weight]
    order = np.lexsort((*columns, task.counts, *task.codes.T[::-1]))
    return task.of_items(order), order


def _sorted(task: CellTask) -> bool:
    """Whether the codes are in order already, and all different."""
    packed, _ = pack(list(np.ascontiguousarray(task.codes.T)), [len(t.parent) for t in task.trees])
    return bool(np.all(packed[1:] > packed[:-1]))


def blanked(task: CellTask, item: Ints, mask: Bools, count: Ints) -> Cells:
    """The cells of all items, where some records of some items are blank in the keys of a mask."""
    taken = np.bincount(item, count, len(task.counts)).astype(np.int64)
    rest = np.flatnonzero(task.counts > taken)
    items = np.concatenate((item, rest))
    counts = np.concatenate((count, (task.counts - taken)[rest]))
    masks = np.concatenate((mask, np.zeros((len(rest), len(task.trees)), dtype=bool)))
    node = task.codes[items]
    for a, tree in enumerate(task.trees):
        node[:, a] = np.where(masks[:, a], tree.parent[node[:, a]], node[:, a])
    return gathered(items, node, counts)
