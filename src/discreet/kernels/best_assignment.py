"""The assignment of masked to initial records, one to one, of least total distance.

Shortest augmenting paths with prices for rows and columns [1]_: record after record is assigned,
and earlier ones give way where that lowers the sum. O(n³) at worst: for some thousand records.
Records are taken in an order of their values, so that the outcome does not depend on theirs.

References
----------
.. [1] Jonker, Volgenant, "A shortest augmenting path algorithm for dense and sparse linear
   assignment problems", Computing 38, 1987.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.linkage import distinct_rows, squared_distance

MOST_RECORDS = 5000


class BestAssignment(NamedTuple):
    """Which masked record each initial one is assigned to, and the sum of the distances."""

    to: Ints
    total: float


def best_assignment(records: Floats, others: Floats, names: int = 0) -> BestAssignment:
    """Assign each record another one, so that the sum of the distances is least; distances are
    those of ``equally_near``.

    Examples
    --------
    >>> found = best_assignment(np.array([[0.0], [1.0]]), np.array([[1.1], [0.9]]))
    >>> round(found.total, 9)
    1.0
    """
    n, d = records.shape
    first, second = (np.lexsort(side.T) for side in (records, others))
    mine, theirs = np.ascontiguousarray(records[first]), np.ascontiguousarray(others[second])
    row = np.zeros(n + 1, np.int64)
    _assign(_distances(mine, theirs, d - names), row)
    to = np.empty(n, np.int64)
    to[first[row[1:] - 1]] = second
    pairs = zip(records, others[to], strict=True)
    total = math.fsum(
        math.sqrt(squared_distance(one, other, d - names, np.inf)) for one, other in pairs
    )
    return BestAssignment(to, total)


def equally_assigned(others: Floats, to: Ints) -> Ints:
    """Per record how many others are equal to its own (same row), if it is assigned one of them;
    else 0.

    Examples
    --------
    >>> others = np.array([[1.0], [1.0], [2.0]])
    >>> equally_assigned(others, np.array([1, 2, 0])).tolist()
    [2, 0, 0]
    """
    points, place = distinct_rows(others)
    times = np.bincount(place, minlength=len(points))
    return np.where(place[to] == place, times[place], 0)


@njit(cache=True, nogil=True)
def _distances(records, others, numbers):  # type: ignore[no-untyped-def]
    n = len(records)
    found = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            found[i, j] = np.sqrt(squared_distance(records[i], others[j], numbers, np.inf))
    return found


@njit(cache=True, nogil=True)
def _assign(distances, row):  # type: ignore[no-untyped-def]
    """Write which row each column gets; both count from 1, and 0 is none."""
    n = len(distances)
    price, value = np.zeros(n + 1), np.zeros(n + 1)
    came, least, done = np.zeros(n + 1, np.int64), np.empty(n + 1), np.empty(n + 1, np.bool_)
    for i in range(1, n + 1):
        row[0], column = i, 0
        least[:] = np.inf
        done[:] = False
        while row[column] != 0:
            done[column] = True
            record, step, following = row[column], np.inf, 0
            for j in range(1, n + 1):
                if not done[j]:
                    cost = distances[record - 1, j - 1] - price[record] - value[j]
                    if cost < least[j]:
                        least[j], came[j] = cost, column
                    if least[j] < step:
                        step, following = least[j], j
            for j in range(n + 1):
                if done[j]:
                    price[row[j]] += step
                    value[j] -= step
                else:
                    least[j] -= step
            column = following
        while column != 0:
            row[column] = row[came[column]]
            column = came[column]
