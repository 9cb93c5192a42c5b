"""Sets as bits of a word, and numbers for those of up to some size, so that each has a row of its
own and no row is empty.

Sets stand in the order of their bits (attribute a is bit a): {}, {0}, {1}, {1, 0}, {2}, …; those
that are too large are left out.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.arrays import Ints
from discreet.kernels.compilation import njit

_DE_BRUIJN = 0x03F79D71B4CB0A89  # its first six bits tell how far it was shifted
_PLACES = np.zeros(64, np.int64)
for _place in range(64):
    _PLACES[((_DE_BRUIJN << _place) % 2**64) >> 58] = _place
_FACTOR = np.uint64(_DE_BRUIJN)


def set_numbers(attributes: int, size: int) -> Ints:
    """How many sets of up to ``r`` of the first ``b`` attributes there are, the empty one among
    them: entry (b, r). A set {b₀ > b₁ > …} has the number Σ entry(b_j, size − j).

    Examples
    --------
    >>> set_numbers(3, 2)[3].tolist()
    [1, 4, 7]
    """
    numbers = np.ones((attributes + 1, size + 1), dtype=np.int64)
    for b in range(1, attributes + 1):
        numbers[b, 1:] = numbers[b - 1, 1:] + numbers[b - 1, :-1]
    return numbers


@njit(cache=True, nogil=True)
def number_of(bits, numbers, left) -> int:  # type: ignore[no-untyped-def]
    """The number of a set, given as bits, among those of up to ``left`` attributes; else −1."""
    number = 0
    for a in range(len(numbers) - 2, -1, -1):
        if bits >> a & 1:
            if left == 0:
                return -1
            number += numbers[a, left]
            left -= 1
    return number


@njit(cache=True, nogil=True, inline="always")
def lowest(word) -> int:  # type: ignore[no-untyped-def]
    """The place of the lowest bit of a word that is not 0.

    Examples
    --------
    >>> lowest(np.uint64(40))
    3
    """
    return _PLACES[((word & (~word + np.uint64(1))) * _FACTOR) >> np.uint64(58)]
