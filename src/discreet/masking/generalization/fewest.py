"""The fewest records, in whole classes, whose removal brings a sum under a limit.

A class of size s adds the value v to the measure. Choosing classes of least total size whose
values add up to the excess is a knapsack problem; sizes are small whole numbers and the budget
bounds them, so that it is solved exactly by dynamic programming over the number of records.
Where several sums have limits, all ways that no other one beats in each of them are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import argument, fail

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE = 5e-13  # half of what a check allows, which adds up in another order
_MOST = 1_000_000  # ways to reach several sums that are looked at


def fewest_for_all(
    sizes: NDArray[np.int64], sums: Sequence[tuple[NDArray[np.float64], float]], budget: int
) -> NDArray[np.bool_] | None:
    """As :func:`fewest_records`, for several sums, each with its values and its limit."""
    alone = [fewest_records(sizes, values, limit, budget) for values, limit in sums]
    found = [chosen for chosen in alone if chosen is not None]
    if len(found) < len(alone):
        return None  # one limit alone takes more than the budget
    most = max(found, key=lambda chosen: int(sizes[chosen].sum()))  # no fewer will do
    if all(float(values[~most].sum()) - limit <= TOLERANCE for values, limit in sums):
        return most
    return _unbeaten(sizes, sums, budget)


def fewest_records(
    sizes: NDArray[np.int64], values: NDArray[np.float64], limit: float, budget: int
) -> NDArray[np.bool_] | None:
    """The classes to remove so that the values of the others add up to at most ``limit``.

    None when the budget of records is not enough. Ties go to the smaller, then earlier classes.
    """
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    excess = float(values.sum()) - limit
    if excess <= TOLERANCE:
        return chosen
    items = np.flatnonzero((values > 0) & (sizes <= budget))
    items = items[np.lexsort([items, -values[items], sizes[items]])]
    falling = (np.diff(values[items]) <= TOLERANCE).all()  # a smaller class never adds less
    choose = _smallest_first if falling else _knapsack
    found = choose(items, sizes, values, excess, budget)
    if found is None:
        return None
    chosen[found] = True
    return chosen


def _unbeaten(
    sizes: NDArray[np.int64], sums: Sequence[tuple[NDArray[np.float64], float]], budget: int
) -> NDArray[np.bool_] | None:
    """Class by class, all ways to remove some of them that no other way beats: with fewer records
    and no less of each excess removed."""
    excess = np.array([max(float(values.sum()) - limit, 0.0) for values, limit in sums])
    values = np.stack([values for values, _ in sums])
    items = np.flatnonzero((values > 0).any(axis=0) & (sizes <= budget))
    items = items[np.lexsort([items, sizes[items]])]
    used, gained = np.zeros(1, np.int64), np.zeros((1, len(sums)))
    before: list[tuple[NDArray[np.int64], NDArray[np.bool_]]] = []
    ways = 0
    for item in items:
        more = used + sizes[item]
        fits = np.flatnonzero(more <= budget)
        both = np.concatenate([used, more[fits]])
        sums_of = np.minimum(np.concatenate([gained, gained[fits] + values[:, item]]), excess)
        ways += len(both)
        if ways > _MOST:
            fail(
                "N06",
                "several limits of the disclosure risk can be met in too many ways.",
                f"Give one limit, or a smaller {argument('max_suppressed')}.",
            )
        kept = _not_beaten(both, sums_of)
        came_from = np.concatenate([np.arange(len(used)), fits])[kept]
        before.append((came_from, kept >= len(used)))
        used, gained = both[kept], sums_of[kept]
    enough = np.flatnonzero((gained >= excess - TOLERANCE).all(axis=1))
    if not len(enough):
        return None
    chosen, at = np.zeros(len(sizes), dtype=np.bool_), int(enough[np.argmin(used[enough])])
    for item, (came_from, with_item) in zip(items[::-1], reversed(before), strict=True):
        chosen[item] = with_item[at]
        at = int(came_from[at])
    return chosen


def _not_beaten(used: NDArray[np.int64], gained: NDArray[np.float64]) -> NDArray[np.int64]:
    """The ways that no other one beats, in the order of their records."""
    order = np.lexsort([*(-gained.T[::-1]), used])
    kept: list[int] = []
    front = np.empty((0, gained.shape[1]))
    for at in order.tolist():
        if not (front >= gained[at]).all(axis=1).any():
            kept.append(at)
            front = np.vstack([front[~(gained[at] >= front).all(axis=1)], gained[at]])
    return np.array(kept, dtype=np.int64)


def _smallest_first(
    items: NDArray[np.int64],
    sizes: NDArray[np.int64],
    values: NDArray[np.float64],
    excess: float,
    budget: int,
) -> NDArray[np.int64] | None:
    gained = np.cumsum(values[items])
    needed = int(np.searchsorted(gained, excess - TOLERANCE)) + 1
    if needed > len(items) or int(sizes[items[:needed]].sum()) > budget:
        return None
    return items[:needed]


def _knapsack(
    items: NDArray[np.int64],
    sizes: NDArray[np.int64],
    values: NDArray[np.float64],
    excess: float,
    budget: int,
) -> NDArray[np.int64] | None:
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
            improves = better > best[size:] + TOLERANCE
            if not improves.any():
                break  # the next one is worth no more
            taken[size:][improves] = taken[: room + 1 - size][improves] + 1
            best[size:][improves] = better[improves]
    enough = np.flatnonzero(best >= excess - TOLERANCE)
    if not len(enough):
        return None
    left, found = int(enough[0]), []
    for taken, group in zip(number[::-1], reversed(groups), strict=True):
        used = int(taken[left])
        found.append(group[:used])
        left -= used * int(sizes[group[0]])
    return np.concatenate(found)
