"""Distance-based record linkage: a masked record is linked to the nearest initial one."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compilation import njit

_ROUNDING = 1e-15  # of a coordinate: what scaling, averaging and subtracting may make of it


def own_is_nearest(initial: NDArray[np.float64], masked: NDArray[np.float64]) -> float:
    """Expected number of masked records linked to their own initial record (same row).

    Of equally near initial records, but for rounding, one is taken at random: the own one counts
    its share. Shares are added up by their size, so that the order of the records does not matter.
    """
    near = _equally_near(np.ascontiguousarray(initial), np.ascontiguousarray(masked))
    equal, records = np.unique(near[near > 0], return_counts=True)
    return math.fsum(records / equal)


@njit(cache=True, nogil=True)
def _equally_near(initial, masked):  # type: ignore[no-untyped-def]
    """Per masked record how many initial records are as near as its own; 0 if one is nearer."""
    n, d = initial.shape
    near = np.zeros(n, np.int64)
    for i in range(n):
        own, size = 0.0, 0.0
        for a in range(d):
            own += (masked[i, a] - initial[i, a]) ** 2
            size += np.abs(masked[i, a]) + np.abs(initial[i, a])
        margin = 2 * _ROUNDING * (own + size * np.sqrt(own))
        least, most, equal = own - margin, own + margin, 0
        for j in range(n):
            distance = 0.0
            for a in range(d):
                distance += (masked[i, a] - initial[j, a]) ** 2
                if distance > most:
                    break
            if distance < least:
                equal = 0
                break
            if distance <= most:
                equal += 1
        near[i] = equal
    return near
