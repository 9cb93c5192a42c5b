"""Rank swapping: values trade places with others of nearly the same rank.

From the lowest rank on, each record that has not been swapped takes a partner among those above it,
within the window, that have not been swapped either: all with the same probability, by its own
draw. Where none is left the record keeps its value.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit


def partners(draws: Floats, window: int) -> Ints:
    """The rank whose value each rank gets; an exchange of pairs, so it is its own inverse.

    Parameters
    ----------
    draws : array
        A uniform number for each rank, from the lowest up.
    window : int
        How far apart two ranks may be that are exchanged, at least 1.

    Examples
    --------
    >>> partners(np.array([0.2, 0.0, 0.9, 0.0]), 2).tolist()
    [2, 3, 0, 1]
    """
    return _partners(draws, min(window, max(len(draws) - 1, 1)))


@njit(cache=True, nogil=True)
def _partners(draws: Floats, window: int) -> Ints:
    n = len(draws)
    partner = np.arange(n)
    free = np.empty(n, dtype=np.int64)  # the ranks within the window that are not swapped,
    place = np.full(n, -1)  # and where each of them stands there
    size, end = 0, 0
    for rank in range(n):
        while end < n and end <= rank + window:
            free[size], place[end] = end, size
            size, end = size + 1, end + 1
        if place[rank] < 0:
            continue
        size = _removed(free, place, size, rank)
        if size == 0:
            continue
        other = free[min(int(draws[rank] * size), size - 1)]
        size = _removed(free, place, size, other)
        partner[rank], partner[other] = other, rank
    return partner


@njit(cache=True, nogil=True)
def _removed(free: Ints, place: Ints, size: int, rank: int) -> int:
    """Take a rank out of the list; the last one takes its place."""
    last = free[size - 1]
    free[place[rank]] = last
    place[last] = place[rank]
    place[rank] = -1
    return size - 1
