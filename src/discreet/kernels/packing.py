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


def pack(codes: Codes, cardinalities: Sequence[int]) -> tuple[NDArray[np.int64], int]:
    """Pack columns of codes (0 ≤ code < cardinality) into one; also the bound on its values."""
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


def _ranked(packed: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    distinct, rank = np.unique(packed, return_inverse=True)
    return rank.astype(np.int64), len(distinct)


def fits(cardinalities: Sequence[int], limit: int = LIMIT) -> bool:
    """Whether all combinations can be numbered up to a limit."""
    return math.prod(cardinalities) <= limit


def group(
    codes: Codes, cardinalities: Sequence[int], counts: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Merge equal tuples: the position of one tuple of each group, in order, and its count."""
    packed, _ = pack(codes, cardinalities)
    _, first, inverse = np.unique(packed, return_index=True, return_inverse=True)
    totals = np.zeros(len(first), dtype=np.int64)
    np.add.at(totals, inverse, counts)
    return first, totals
