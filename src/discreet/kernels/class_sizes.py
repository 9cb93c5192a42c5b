"""Class sizes of coded records: for every record, how many records have the same tuple of codes.

Where the combinations can be numbered densely, records are packed in blocks that stay in the
cache and counted in a table. Otherwise packed tuples are dealt out by a hash into parts that
fit the cache, and each part is counted by open addressing. Short loops in Numba, one thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compilation import njit
from discreet.kernels.packing import Codes, fits, pack

_BLOCK = 1 << 14
_DENSE = 1 << 24  # at most this many table cells, or four per record
_PART = 1 << 11  # records per part, on average


def class_sizes(codes: Codes, cardinalities: Sequence[int]) -> NDArray[np.int32]:
    """The size of each record's class, in the order of the records.

    Parameters
    ----------
    codes : sequence of integer arrays
        One column per attribute, of any integer type, with 0 ≤ code < cardinality.
    cardinalities : sequence of int
        Their product may exceed 64 bits.

    Examples
    --------
    >>> age, sex = np.array([50, 30, 30, 20, 20, 50]), np.array([0, 1, 1, 0, 0, 0])
    >>> class_sizes([age, sex], [51, 2])
    array([2, 2, 2, 2, 2, 2], dtype=int32)
    """
    radices = [int(c) for c in cardinalities]  # numpy integers would overflow in a product
    n = len(codes[0])
    if n == 0:
        return np.empty(0, dtype=np.int32)
    if fits(radices, min(max(_DENSE, 4 * n), 2**31)):
        return _dense(codes, radices, n)
    ranked = [_ranked(column, radix) for column, radix in zip(codes, radices, strict=True)]
    packed, _ = pack([column for column, _ in ranked], [radix for _, radix in ranked])
    return _sparse(packed)


def _ranked(column: NDArray[np.integer[Any]], radix: int) -> tuple[NDArray[np.int64], int]:
    """Signed codes below 2**31: a rank among n records times such a radix fits 64 bits."""
    if radix <= 2**31:
        return column.astype(np.int64, copy=False), radix
    values, rank = np.unique(column, return_inverse=True)
    return rank.astype(np.int64), len(values)


def _dense(codes: Codes, radices: Sequence[int], n: int) -> NDArray[np.int32]:
    cells = np.zeros(int(np.prod(radices, dtype=np.int64)), dtype=np.int32)
    packed = np.empty(n, dtype=np.uint32)
    for start in range(0, n, _BLOCK):
        block = packed[start : start + _BLOCK]
        block[:] = codes[0][start : start + _BLOCK]
        for column, radix in zip(codes[1:], radices[1:], strict=True):
            append(block, column[start : start + _BLOCK], np.uint32(radix))
        tally(block, cells)
    sizes = np.empty(n, dtype=np.int32)
    _gather(packed, cells, sizes)
    return sizes


def _sparse(packed: NDArray[np.int64]) -> NDArray[np.int32]:
    n = packed.size
    bits = min(max((n // _PART).bit_length(), 1), 16)
    ends = np.zeros(1 << bits, dtype=np.int64)
    hashes, rows = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.int64)
    shift = np.uint64(64 - bits)
    _deal(packed.view(np.uint64), shift, ends, hashes, rows)
    # twice as many slots as records in the fullest part, so that a free one is always near
    slots = 1 << int(2 * np.diff(ends, prepend=0).max()).bit_length()
    sizes = np.empty(n, dtype=np.int32)
    held, counts = np.empty(slots, dtype=np.uint64), np.empty(slots, dtype=np.int32)
    _count_parts(hashes, rows, ends, held, counts, sizes)
    return sizes


@njit(cache=True, nogil=True)
def append(packed, column, radix) -> None:  # type: ignore[no-untyped-def]
    """Make each code another digit of what is packed."""
    for i in range(packed.size):
        packed[i] = packed[i] * radix + np.uint32(column[i])


@njit(cache=True, nogil=True)
def tally(packed, cells) -> None:  # type: ignore[no-untyped-def]
    """Count the records of each cell."""
    for i in range(packed.size):
        cells[packed[i]] += np.int32(1)


@njit(cache=True, nogil=True)
def _gather(packed, cells, sizes):  # type: ignore[no-untyped-def]
    for i in range(packed.size):
        sizes[i] = cells[packed[i]]


@njit(cache=True, nogil=True)
def _mixed(x):  # type: ignore[no-untyped-def]
    """Finalizer of MurmurHash3: one to one, so equal hashes are equal tuples."""
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))


@njit(cache=True, nogil=True)
def _deal(packed, shift, ends, hashes, rows):  # type: ignore[no-untyped-def]
    """Order the records by the first bits of their hash (a counting sort)."""
    for i in range(packed.size):
        ends[_mixed(packed[i]) >> shift] += 1
    total = 0
    for part in range(ends.size):
        total, ends[part] = total + ends[part], total
    for i in range(packed.size):
        mixed = _mixed(packed[i])
        at = ends[mixed >> shift]
        hashes[at], rows[at] = mixed, i
        ends[mixed >> shift] = at + 1


@njit(cache=True, nogil=True)
def _count_parts(hashes, rows, ends, held, counts, sizes):  # type: ignore[no-untyped-def]
    start = 0
    for end in ends:
        slots = 2
        while slots < 2 * (end - start):
            slots *= 2
        mask = np.uint64(slots - 1)
        counts[:slots] = 0
        for i in range(start, end):
            slot = _slot(hashes[i], mask, held, counts)
            held[slot] = hashes[i]
            counts[slot] += np.int32(1)
        for i in range(start, end):
            sizes[rows[i]] = counts[_slot(hashes[i], mask, held, counts)]
        start = end


@njit(cache=True, nogil=True)
def _slot(mixed, mask, held, counts):  # type: ignore[no-untyped-def]
    """Where a hash is held, or the free slot where it belongs."""
    slot = mixed & mask
    while counts[slot] != 0 and held[slot] != mixed:
        slot = (slot + np.uint64(1)) & mask
    return slot
