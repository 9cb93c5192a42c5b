"""Distance-based record linkage: a masked record is linked to the nearest initial one."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

# Distances of values in units of a standard deviation are rounded: what differs by less is equal.
_TOLERANCE = 1e-12


def own_is_nearest(initial: NDArray[np.float64], masked: NDArray[np.float64]) -> float:
    """Expected number of masked records linked to their own initial record (same row).

    Of equally near initial records one is taken at random: the own one counts its share.
    """
    return float(_own_is_nearest(np.ascontiguousarray(initial), np.ascontiguousarray(masked)))


@njit(cache=True, nogil=True)
def _own_is_nearest(initial, masked):  # type: ignore[no-untyped-def]
    n, d = initial.shape
    linked = 0.0
    for i in range(n):
        own = 0.0
        for a in range(d):
            own += (masked[i, a] - initial[i, a]) ** 2
        low, high = own * (1.0 - _TOLERANCE), own * (1.0 + _TOLERANCE)
        nearer, equal = False, 0
        for j in range(n):
            distance = 0.0
            for a in range(d):
                distance += (masked[i, a] - initial[j, a]) ** 2
                if distance > high:
                    break
            if distance < low:
                nearer = True
                break
            if distance <= high:
                equal += 1
        if not nearer:
            linked += 1.0 / equal
    return linked
