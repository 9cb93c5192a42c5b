"""The fewest records, in whole classes, whose removal brings a sum under a limit.

A class of size s adds the value v to the measure. Choosing classes of least total size whose
values add up to the excess is a knapsack problem; sizes are small whole numbers and the budget
bounds them, so that it is solved exactly by dynamic programming over the number of records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TOLERANCE = 1e-12


def fewest_records(
    sizes: NDArray[np.int64], values: NDArray[np.float64], limit: float, budget: int
) -> NDArray[np.bool_] | None:
    """The classes to remove so that the values of the others add up to at most ``limit``.

    None when the budget of records is not enough. Ties go to the smaller, then earlier classes.
    """
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    excess = float(values.sum()) - limit
    if excess <= _TOLERANCE:
        return chosen
    items = np.flatnonzero((values > 0) & (sizes <= budget))
    items = items[np.lexsort([items, -values[items], sizes[items]])]
    if _falling(values[items]):  # a smaller class never adds less
        return _smallest_first(chosen, items, sizes, values, excess, budget)
    return _knapsack(chosen, items, sizes, values, excess, budget)


def _falling(values: NDArray[np.float64]) -> bool:
    """Whether values never rise."""
    return bool((np.diff(values) <= _TOLERANCE).all())


def _smallest_first(
    chosen: NDArray[np.bool_],
    items: NDArray[np.int64],
    sizes: NDArray[np.int64],
    values: NDArray[np.float64],
    excess: float,
    budget: int,
) -> NDArray[np.bool_] | None:
    gained = np.cumsum(values[items])
    needed = int(np.searchsorted(gained, excess - _TOLERANCE)) + 1
    if needed > len(items) or int(sizes[items[:needed]].sum()) > budget:
        return None
    chosen[items[:needed]] = True
    return chosen


def _knapsack(
    chosen: NDArray[np.bool_],
    items: NDArray[np.int64],
    sizes: NDArray[np.int64],
    values: NDArray[np.float64],
    excess: float,
    budget: int,
) -> NDArray[np.bool_] | None:
    """best[s] is the largest value of classes with s records or fewer. Of classes of equal size
    the most valuable are taken, so that per size only their number is kept."""
    room = min(budget, int(sizes[items].sum()))
    best = np.zeros(room + 1)
    groups = np.split(items, np.flatnonzero(np.diff(sizes[items])) + 1) if len(items) else []
    number = np.zeros((len(groups), room + 1), dtype=np.int32)
    for taken, group in zip(number, groups, strict=True):
        size = int(sizes[group[0]])
        for value in values[group[: room // size]]:
            better = best[: room + 1 - size] + value
            improves = better > best[size:] + _TOLERANCE
            if not improves.any():
                break  # the next one is worth no more
            taken[size:][improves] = taken[: room + 1 - size][improves] + 1
            best[size:][improves] = better[improves]
    enough = np.flatnonzero(best >= excess - _TOLERANCE)
    if not len(enough):
        return None
    left = int(enough[0])
    for taken, group in zip(number[::-1], reversed(groups), strict=True):
        used = int(taken[left])
        chosen[group[:used]] = True
        left -= used * int(sizes[group[0]])
    return chosen
