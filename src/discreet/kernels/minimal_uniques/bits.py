"""Bits of a word: the place of the lowest one."""

from __future__ import annotations

import numpy as np

from discreet.kernels.compilation import njit

_DE_BRUIJN = 0x03F79D71B4CB0A89  # its first six bits tell how far it was shifted
_PLACES = np.zeros(64, np.int64)
for _place in range(64):
    _PLACES[((_DE_BRUIJN << _place) % 2**64) >> 58] = _place
_FACTOR = np.uint64(_DE_BRUIJN)


@njit(cache=True, nogil=True, inline="always")
def lowest(word) -> int:  # type: ignore[no-untyped-def]
    """The place of the lowest bit of a word that is not 0.

    Examples
    --------
    >>> lowest(np.uint64(40))
    3
    """
    return _PLACES[((word & (~word + np.uint64(1))) * _FACTOR) >> np.uint64(58)]
