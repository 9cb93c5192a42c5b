"""What a suppression can blank, and what it came to: the cells, and how few any answer needs, as
far as proven.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.kernels.local_recoding.task import Cells, CellTask, gathered
from discreet.kernels.packing import pack

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools, Floats, Ints
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
        ``"proven"``: none costs less. ``"nodes"``: the limit was reached.
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


# -- Masks: the sets of keys that are blank in a released record, and who hides behind each --------
#
# Behind a mask, the items that agree in all other keys form a *group*; an item belongs to it only
# if what it misses from the start is in the mask. A released record with this mask and these values
# covers exactly the members of its group.


@dataclass(frozen=True, eq=False)
class Blanks:
    """What can be blanked.

    Attributes
    ----------
    blank : bool array, items × keys
        Cells that miss from the start.
    allowed : bool array, items × keys
        Cells that may be blanked.
    price : float64 array, items × keys
        What it costs to blank a cell of one record, in units: so a constant factor changes nothing.
    unit : float
        The smallest price above 0.
    keys : bool array
        Keys that have a blank.
    code : int64 array
        Per key the code of the blank, or −1.
    alike : bool
        Whether nothing misses, nothing must stay, and all items have the same prices.
    """

    blank: Bools
    allowed: Bools
    price: Floats
    unit: float
    keys: Bools
    code: Ints
    alike: bool


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups behind one mask.

    Attributes
    ----------
    mask : bool array
        Per key.
    member : int64 array
        The items that belong to a group.
    group : int64 array
        Of each member, a number that sorts as the values of the other keys do.
    usable : bool array
        Of each member, whether its records may be released with this mask.
    lost : int64 array
        Of each member, how many cells a record loses then.
    price : float64 array
        Of each member, what that costs.
    """

    mask: Bools
    member: Ints
    group: Ints
    usable: Bools
    lost: Ints
    price: Floats


def blanks_of(task: CellTask) -> Blanks:
    """What of a task can be blanked, and at what price."""
    blank = np.zeros(task.codes.shape, dtype=bool)
    price = np.zeros(task.codes.shape)
    code = np.full(len(task.trees), -1)
    alike = task.fixed is None and task.weight is None
    for a, tree in enumerate(task.trees):
        below = np.flatnonzero(tree.parent != np.arange(len(tree.parent)))
        if len(below):
            code[a] = tree.parent[below[0]]
            blank[:, a] = task.codes[:, a] == code[a]
            each = tree.cost[tree.parent] - tree.cost
            price[:, a] = each[task.codes[:, a]]
            alike &= bool(np.all(each[below] == each[below[0]])) and not blank[:, a].any()
    keys = code >= 0
    allowed = keys & ~blank
    if task.fixed is not None:
        allowed &= ~task.fixed
    if task.weight is not None:
        price *= task.weight[:, None]
    unit = float(np.min(price, where=price > 0, initial=np.inf))
    unit = unit if np.isfinite(unit) else 1.0
    return Blanks(blank, allowed, np.round(price / unit, 9), unit, keys, code, alike)


def groups_of(
    task: CellTask, blanks: Blanks, max_blanks: int, *, all_blank: bool
) -> Iterator[Groups]:
    """The groups of every mask that a record can get with at most some cells blanked.

    ``all_blank``: whether a record may lose its last key. Masks come by number of blanks, then in
    the order of the keys.
    """
    cardinalities = [len(tree.parent) for tree in task.trees]
    room = int(blanks.keys.sum()) - (0 if all_blank else 1)
    clean = not blanks.blank.any()
    columns = np.ascontiguousarray(task.codes.T)
    everyone = np.arange(len(task.codes))
    for mask in _masks(blanks, max_blanks):
        member = everyone if clean else np.flatnonzero(~np.any(blanks.blank & ~mask, axis=1))
        shown = np.flatnonzero(~mask)
        codes = [columns[a] if clean else columns[a, member] for a in shown]
        group = pack(codes, [cardinalities[a] for a in shown])[0] if codes else 0 * member
        usable, lost, price = _prices(blanks, mask, member)
        usable &= (lost <= max_blanks) & ((lost == 0) | (mask.sum() <= room))
        yield Groups(mask, member, group, usable, lost, price)


def _prices(blanks: Blanks, mask: Bools, member: Ints) -> tuple[Bools, Ints, Floats]:
    """Whether each member may be released with a mask, the cells it loses, and their price."""
    new = np.flatnonzero(mask)
    if blanks.alike:
        price = float(blanks.price[0, new].sum())
        size = len(member)
        return np.ones(size, dtype=bool), np.full(size, len(new)), np.full(size, price)
    at = np.ix_(member, new)
    missing = blanks.blank[at]
    usable = np.all(blanks.allowed[at] | missing, axis=1)
    price = np.where(missing, 0.0, blanks.price[at]).sum(axis=1)
    return usable, len(new) - missing.sum(axis=1), price


def _masks(blanks: Blanks, max_blanks: int) -> list[Bools]:
    """Every set of keys that may be blank."""
    keys = np.flatnonzero(blanks.keys).tolist()
    found: set[tuple[int, ...]] = set()
    first = np.unique(blanks.blank @ (1 << np.arange(len(blanks.keys))), return_index=True)[1]
    for missing in blanks.blank[first]:
        free = [a for a in keys if not missing[a]]
        has = np.flatnonzero(missing).tolist()
        for size in range(min(max_blanks, len(free)) + 1):
            found |= {tuple(sorted((*has, *s))) for s in itertools.combinations(free, size)}
    masks = []
    for chosen in sorted(found, key=lambda keys: (len(keys), keys)):
        mask = np.zeros(len(blanks.keys), dtype=bool)
        mask[list(chosen)] = True
        masks.append(mask)
    return masks
