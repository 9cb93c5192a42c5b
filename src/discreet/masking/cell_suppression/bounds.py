"""What any suppression of cells must cost at least, by counting alone.

A record whose class is too small ends in a class of k. All of that class agree in the cells that it
keeps, also in the initial file: so it loses the cells of a pattern whose group has k records. The
cheapest such pattern of each record, added up, is a bound that needs no search. It holds without
any restriction, and is weaker than that of an integer programme.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.packing import pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats, Ints
    from discreet.kernels.local_recoding.task import CellTask

_MOST_PATTERNS = 600
_MOST_WORK = 50_000_000  # patterns · items


def least_cost(task: CellTask) -> float:
    """The least that every answer in the category reading costs; also in target and source, where
    a record needs k others that its released cells cover."""
    tops = np.array([tree.parent[0] for tree in task.trees])
    price = np.array([tree.cost[-1] for tree in task.trees])
    blank = task.codes == tops
    weight = np.ones(len(task.counts)) if task.weight is None else task.weight
    poor = too_few(task, np.ones(len(tops), dtype=bool))
    cheapest = np.full(len(task.counts), np.inf)
    patterns, size = _patterns(price, len(task.counts))
    for pattern in patterns:
        cost = (~blank & pattern) @ price
        open_ = poor & ~(blank & ~pattern).any(axis=1) & (cost < cheapest)
        if task.fixed is not None:
            open_ &= ~(task.fixed & ~blank & pattern).any(axis=1)
        if open_.any():
            enough = open_ & ~too_few(task, ~pattern)
            cheapest[enough] = cost[enough]
    one_cell = np.where(blank.any(axis=1), 0.0, price.min())  # where no pattern was found
    least = np.where(np.isfinite(cheapest), cheapest, one_cell)
    if size:  # larger patterns were not tried: they blank so many cells at least
        rising = np.r_[0.0, np.cumsum(np.sort(price))]
        least = np.minimum(least, rising[np.maximum(size - blank.sum(axis=1), 0)])
    return float(np.sum(np.where(poor, least * task.counts * weight, 0.0)))


def any_cell(task: CellTask) -> float:
    """The least that every answer costs in the wildcard reading, where one blank may serve many:
    one cell, where some class is too small and no cell misses already."""
    keep = np.ones(len(task.trees), dtype=bool)
    price = [float(tree.cost[-1]) for tree in task.trees]
    weight = 1.0 if task.weight is None else float(task.weight.min())
    blank = task.codes == [int(tree.parent[0]) for tree in task.trees]
    return min(price) * weight if too_few(task, keep).any() and not blank.any() else 0.0


def too_few(task: CellTask, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Per item, whether too few records, or too few values, agree with it in some keys."""
    owner, number = _owners(task, kept)
    poor = np.bincount(owner, task.counts, number) < task.k
    for a, least in enumerate(task.distinct):
        pairs = np.unique(owner * (int(task.values[:, a].max()) + 1) + task.values[:, a])
        poor |= np.bincount(pairs // (int(task.values[:, a].max()) + 1), minlength=number) < least
    return np.asarray(poor[owner])


def _owners(task: CellTask, kept: NDArray[np.bool_]) -> tuple[Ints, int]:
    if not kept.any():
        return np.zeros(len(task.counts), dtype=np.int64), 1
    sizes = [len(tree.parent) for tree in task.trees]
    columns = [task.codes[:, a] for a in np.flatnonzero(kept)]
    packed, _ = pack(columns, [sizes[a] for a in np.flatnonzero(kept)])
    values, owner = np.unique(packed, return_inverse=True)
    return owner.astype(np.int64), len(values)


def _patterns(price: Floats, items: int) -> tuple[list[NDArray[np.bool_]], int]:
    """Sets of keys, the cheap ones first, no more than can be counted soon; and the size of the
    smallest one that is left out, 0 where none is."""
    keys, found = len(price), []
    most = max(1, min(_MOST_PATTERNS, _MOST_WORK // max(items, 1)))
    for size in range(1, keys + 1):
        for some in itertools.combinations(range(keys), size):
            found.append(np.isin(np.arange(keys), some))
            if len(found) >= most:
                whole = len(found) == 2**keys - 1
                return _by_price(found, price), 0 if whole else size
    return _by_price(found, price), 0


def _by_price(found: list[NDArray[np.bool_]], price: Floats) -> list[NDArray[np.bool_]]:
    return sorted(found, key=lambda pattern: float(price[pattern].sum()))
