"""Amounts: how often each confidential value occurs in each class of a roll-up.

A class has, in each cell, a row of whole numbers, one per value, filled up to a length that
instructions on many numbers at once like.  Rows are kept apart from the classes, so that
looking for equal keys stays in the cache, and as narrow as the most frequent value allows.
Where classes merge, rows add up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.compilation import njit
from discreet.kernels.lattice.rollup import u64

Amounts = NDArray[np.void]
LENGTHS = (16, 32, 64)  # of a row


class ValuePairs(NamedTuple):
    """Records by tuple and value: so many `records` of tuple `owner` have the value `value`."""

    owner: Ints
    value: Ints
    records: Ints


def row_length(values: int) -> int:
    """Return the length of a row for so many values."""
    return next(length for length in LENGTHS if values <= length)


def amount_dtype(pairs: ValuePairs, values: int, cells: int, wide: bool) -> np.dtype[Any]:
    """Return the dtype of the amounts of a class: what holds all records of each value.

    `wide` rows hold those of any file.
    """
    most = np.bincount(pairs.value, pairs.records, values).max(initial=0)
    kind = np.uint16 if most < 2**16 and not wide else np.uint32
    return np.dtype([("value", kind, (cells, LENGTHS[-1] if wide else row_length(values)))])


@njit(cache=True, nogil=True)
def spread(
    owner: Ints, value: Ints, count: Ints, place: Ints, cell: NDArray[np.uint8], into: Amounts
) -> None:
    """Add the records of each pair to the class of its tuple, in the tuple's cell."""
    for n in range(len(owner)):
        i = owner[n]
        into[place[i]].value[cell[i], value[n]] += count[n]


def in_words(amounts: Amounts) -> Amounts:
    """Return the same memory as words of 64 bits, whose number is part of the dtype."""
    return amounts.view([("word", np.uint64, (amounts.itemsize // 8,))])


@njit(cache=True, nogil=True)
def add_up(source: Amounts, size: int, place: NDArray[np.uint32], target: Amounts) -> None:
    """Add the amounts of the first `size` classes, `in_words`, up where these merged.

    The parts of a word add up side by side, since none of them overflows.  Classes keep the
    order in which they first appear: amounts are the first of their class if it is the next
    new one.  `target` may be `source`.
    """
    known = u64(0)
    for i in range(u64(size)):
        at = u64(place[i])
        own, into = source[i].word, target[at].word
        if at == known:
            known += u64(1)
            for v in range(len(own)):
                into[v] = own[v]
        else:
            for v in range(len(own)):
                into[v] += own[v]


def _truncated(context: Any, wide: Any, like: Any) -> Any:  # noqa: ARG001
    """Emit a number in the type of another one: sums of narrow numbers stay narrow."""

    def emit(context: Any, builder: Any, _: Any, args: Any) -> Any:
        return context.cast(builder, args[0], wide, like)

    return like(wide, like), emit


narrow: Any = intrinsic(_truncated)
