"""Class sizes of coded records: for every record, how many records have the same tuple of codes.

Where the combinations can be numbered densely, records are packed in blocks that stay in the
cache and counted in a table (three short loops in Numba); otherwise packed tuples are sorted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.kernels.packing import Codes, fits, pack

_BLOCK = 1 << 14
_DENSE = 1 << 24  # at most this many table cells, or four per record


def class_sizes(codes: Codes, cardinalities: Sequence[int]) -> NDArray[np.int32]:
    """The size of each record's class, in the order of the records."""
    n = len(codes[0])
    if fits(cardinalities, min(max(_DENSE, 4 * n), 2**31)):
        return _dense(codes, cardinalities, n)
    packed, _ = pack(codes, cardinalities)
    _, inverse, counts = np.unique(packed, return_inverse=True, return_counts=True)
    return counts.astype(np.int32)[inverse]


def _dense(codes: Codes, cardinalities: Sequence[int], n: int) -> NDArray[np.int32]:
    cells = np.zeros(int(np.prod(cardinalities, dtype=np.int64)), dtype=np.int32)
    packed = np.empty(n, dtype=np.uint32)
    for start in range(0, n, _BLOCK):
        block = packed[start : start + _BLOCK]
        block[:] = codes[0][start : start + _BLOCK]
        for column, radix in zip(codes[1:], cardinalities[1:], strict=True):
            _append(block, column[start : start + _BLOCK], np.uint32(radix))
        _tally(block, cells)
    sizes = np.empty(n, dtype=np.int32)
    _gather(packed, cells, sizes)
    return sizes


@njit(cache=True, nogil=True)
def _append(packed, column, radix):  # type: ignore[no-untyped-def]
    for i in range(packed.size):
        packed[i] = packed[i] * radix + np.uint32(column[i])


@njit(cache=True, nogil=True)
def _tally(packed, cells):  # type: ignore[no-untyped-def]
    for i in range(packed.size):
        cells[packed[i]] += np.int32(1)


@njit(cache=True, nogil=True)
def _gather(packed, cells, sizes):  # type: ignore[no-untyped-def]
    for i in range(packed.size):
        sizes[i] = cells[packed[i]]
