"""Order: the places of numbers from the smallest to the largest, equal ones as they come.

A radix sort of the bit patterns, from the lowest digit to the highest: stable, and two to three
times as fast as sorting by comparisons for a million numbers. Digits that all numbers share are
passed over.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit

_BITS = 11  # of a digit: 2,048 counters stay in the cache
_FEW = 4096  # numbers: for fewer, comparisons are as quick
_SIGN = np.uint64(1 << 63)


def ordered(values: Floats) -> Ints:
    """The places of numbers in ascending order; of equal ones the earlier first.

    Parameters
    ----------
    values : array of float, without NaN

    Examples
    --------
    >>> ordered(np.array([2.0, -1.0, 2.0, -0.0, 0.0])).tolist()
    [1, 3, 4, 0, 2]
    """
    if len(values) < _FEW:
        return np.argsort(values, kind="stable")
    bits = (values + 0.0).view(np.uint64)  # −0 becomes 0
    keys = np.where(bits & _SIGN, ~bits, bits | _SIGN)  # they order as the numbers do
    return _radix(keys, np.arange(len(keys)))


def _radix(keys: NDArray[np.uint64], places: Ints) -> Ints:
    counts = _counted(keys)
    other_keys, other_places = np.empty_like(keys), np.empty_like(places)
    for digit in range(len(counts)):
        if counts[digit].max() < len(keys):
            _scattered(keys, places, other_keys, other_places, counts[digit], digit * _BITS)
            keys, other_keys = other_keys, keys
            places, other_places = other_places, places
    return places


@njit(cache=True, nogil=True)
def _counted(keys: NDArray[np.uint64]) -> Ints:
    """How many numbers have each value of each digit."""
    counts = np.zeros((-(-64 // _BITS), 1 << _BITS), np.int64)
    mask = np.uint64((1 << _BITS) - 1)
    for key in keys:
        rest = key
        for digit in range(len(counts)):
            counts[digit, rest & mask] += 1
            rest >>= np.uint64(_BITS)
    return counts


@njit(cache=True, nogil=True)
def _scattered(
    keys: NDArray[np.uint64],
    places: Ints,
    to_keys: NDArray[np.uint64],
    to_places: Ints,
    counts: Ints,
    shift: int,
) -> None:
    """Move the numbers to where their digit belongs, in the order in which they come."""
    start, total = np.empty(len(counts), np.int64), 0
    for value in range(len(counts)):
        start[value] = total
        total += counts[value]
    mask, by = np.uint64(len(counts) - 1), np.uint64(shift)
    for i in range(len(keys)):
        value = (keys[i] >> by) & mask
        at = start[value]
        start[value] = at + 1
        to_keys[at], to_places[at] = keys[i], places[i]
