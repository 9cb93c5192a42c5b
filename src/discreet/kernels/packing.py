"""Packing: a tuple of codes becomes one integer by mixed radix.

Two tuples get the same integer exactly when they are equal, and integers sort as the tuples
do. When the product of the cardinalities exceeds 63 bits, the part packed so far is replaced
by its rank among the tuples present, which is never larger than their number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Codes = Sequence[NDArray[np.integer]]
LIMIT = 2**63 - 1
_SMALL = 2**31 - 1
_BLOCK = 1 << 15  # tuples at a time
_DENSE = 2  # possible tuples per given one up to which each has a place of its own


def pack(codes: Codes, cardinalities: Sequence[int]) -> tuple[NDArray[np.int64], int]:
    """Pack columns of codes (0 ≤ code < cardinality) into one; also the bound on its values."""
    if codes and fits(cardinalities, _SMALL):
        return _packed(codes, cardinalities), math.prod(cardinalities)
    packed = np.zeros(len(codes[0]) if codes else 1, dtype=np.int64)
    bound = 1
    for column, given in zip(codes, cardinalities, strict=True):
        cardinality, digits = int(given), column.astype(np.int64, copy=False)
        if bound * cardinality > LIMIT:  # then both parts have at most as many values as records
            packed, bound = _ranked(packed)
            digits, cardinality = _ranked(digits)
        packed = packed * np.int64(cardinality) + digits
        bound *= cardinality
    return packed, bound


def _packed(codes: Codes, cardinalities: Sequence[int]) -> NDArray[np.int64]:
    """The same where 31 bits suffice, in blocks that stay in the cache."""
    packed = np.empty(len(codes[0]), dtype=np.int64)
    for start in range(0, len(packed), _BLOCK):
        block = codes[0][start : start + _BLOCK].astype(np.int32)
        for column, cardinality in zip(codes[1:], cardinalities[1:], strict=True):
            block *= np.int32(cardinality)
            block += column[start : start + _BLOCK].astype(np.int32, copy=False)
        packed[start : start + _BLOCK] = block
    return packed


def _ranked(packed: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    distinct, rank = np.unique(packed, return_inverse=True)
    return rank.astype(np.int64), len(distinct)


def fits(cardinalities: Sequence[int], limit: int = LIMIT) -> bool:
    """Whether all combinations can be numbered up to a limit."""
    return math.prod(map(int, cardinalities)) <= limit  # numpy integers would overflow


def merged(codes: Codes, cardinalities: Sequence[int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The position of one tuple of each group of equal ones, in order, and the group of each."""
    packed, bound = pack(codes, cardinalities)
    if roomy(bound, len(packed)):
        return _merged_in_place(packed, bound)
    order = _order(packed, bound)
    ordered = packed[order]
    begins = np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(packed)]
    owner = np.empty(len(packed), dtype=np.intp)
    owner[order] = np.cumsum(begins) - 1
    return order[begins], owner


def numbered(
    codes: Codes, cardinalities: Sequence[int], room: int
) -> tuple[NDArray[np.int64], int]:
    """A number for each tuple, equal ones the same, and the bound on them; where there is room for
    every possible tuple, some numbers may be nobody's."""
    packed, bound = pack(codes, cardinalities)
    if bound <= room:
        return packed, bound
    return _ranked(packed)


def _order(packed: NDArray[np.int64], bound: int) -> NDArray[np.intp]:
    """The positions of packed tuples in their order, equal ones as they stand."""
    bits = len(packed).bit_length()
    if bound << bits > LIMIT:
        return np.argsort(packed, kind="stable")
    both = packed << bits | np.arange(len(packed))  # sorting numbers is quicker than positions
    both.sort()
    return both & ((1 << bits) - 1)


def roomy(bound: int, tuples: int) -> bool:
    """Whether every possible tuple may have a place of its own."""
    return bound <= _DENSE * tuples


def _merged_in_place(
    packed: NDArray[np.int64], bound: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The same without sorting: every possible tuple has a place."""
    place = np.full(bound, -1, dtype=np.intp)
    place[packed[::-1]] = np.arange(len(packed) - 1, -1, -1)
    present = place >= 0
    return place[present], (np.cumsum(present) - 1)[packed]


def added(owner: NDArray[np.intp], counts: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    """The sum of the counts of each group."""
    totals = np.bincount(owner, counts, groups)  # in floating point, which is exact up to 2^53
    return totals.astype(np.int64)
