"""Class statistics of one roll-up: how many classes of each size, and their loss.

Up to two attributes with two values each are not part of the class keys: their
values are *cells* counted inside the class.  One set of classes then serves every
combination of their levels: at level "both values apart" each cell is a class of
its own, where the values are merged the sum of two cells is.  Two cells have three
*margins* (first, second, both), two attributes have nine; every margin is tallied
once per class and later added to the nodes it belongs to.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import intrinsic

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit, shared
from discreet.kernels.lattice.rollup import Classes, Words, u64

MASK_BITS = 64
_ALL = u64(2**64 - 1)  # bits of a count
# The cells of each margin, as bits: first, second and both of the last attribute, for the
# first value, the second and both of the first.
CELLS = (1, 2, 3, 4, 8, 12, 5, 10, 15)


class Tally(NamedTuple):
    """Accumulators by margin, row and class size, clipped.

    Classes with fewer than p distinct confidential values, or that fail the conditions
    there are, are in row 0, the others in row 1; without either row 0 is the only one.
    `small` holds pairs (classes, Σ share) side by side, in one cache line; of the classes
    beyond the cap, `large` holds (records,
    Σ size²) and `large_loss` Σ size · share.  `offset` leads from the number of distinct
    values to where the row begins in a plane of `small`: looking it up is faster than
    comparing with p; without p it is None.  In each row sizes lie below `end`, or beyond the
    cap.  `flat` is the memory of `small`.
    """

    small: Floats
    flat: Floats
    large: Ints
    large_loss: Floats
    offset: Words | None
    end: Ints


def new_tally(cells: int, p: int, cap: int, failing: int | None = None) -> Tally:
    """Return accumulators for 1, 2 or 4 cells; p = 1 does not look at distinct values.

    With two rows, no class of more than `failing` records is in row 0.
    """
    count, rows = margins_of(cells), rows_of(p)
    offset = None if rows == 1 else np.zeros(MASK_BITS + 1, np.uint64)
    if offset is not None:
        offset[p:] = 2 * (cap + 2)
    small = np.zeros((count, rows, cap + 2, 2))
    return Tally(
        small,
        small.ravel(),
        np.zeros((count, rows, 2), np.int64),
        np.zeros((count, rows)),
        offset,
        np.array([cap if failing is None or rows == 1 else failing, cap]) + 1,
    )


def rows_of(p: int) -> int:
    """Return the number of rows: with p = 1 no class has too few distinct values.

    p = 0 stands for conditions that are not about distinct values alone.
    """
    return 1 if p == 1 else 2


@njit(cache=True, nogil=True)
def tally(classes: Classes, size: int, into: Tally, offset: Words | None) -> None:
    """Tally every margin of the first `size` classes; empty margins go to size 0.

    `offset` is that of `into`: where it is None, what looks at values is not even compiled.
    """
    clear(into)
    # Taken from `into` inside the loop, each would cost a reference count per class.
    small, large, large_loss = into.flat, into.large, into.large_loss
    beyond = u64(into.small.shape[2] - 1)
    plane = u64(2 * into.small.shape[1] * into.small.shape[2])
    for i in range(u64(size)):
        cls = classes[i]
        whole = margin_sums(cls.count)[8]
        if offset is None:
            _add(cls, small, beyond, plane)
        else:
            _add_by_values(cls, small, beyond, plane, offset)
        # Unless the whole class is large, no margin is.
        if whole >= beyond:
            held = 0 if offset is None else _held(cls.mask, offset)
            add_large(cls, _ALL, held, beyond, large, large_loss)


@njit(cache=True, nogil=True)
def clear(into: Tally) -> None:
    """Begin anew."""
    into.small[:] = 0.0
    into.large[:] = 0
    into.large_loss[:] = 0.0


@njit(cache=True, nogil=True, forceinline=True)
def _add(cls: Any, small: Floats, beyond: np.uint64, plane: np.uint64) -> None:
    """Add the margins of a class to the only row there is."""
    share, sums = cls.share, margin_sums(cls.count)
    begin = u64(0)
    for j in range(margins_of(len(cls.count))):
        at = begin + u64(2) * min(sums[j], beyond)
        small[at] += 1.0
        small[at + u64(1)] += share
        begin += plane


@njit(cache=True, nogil=True, forceinline=True)
def _add_by_values(
    cls: Any, small: Floats, beyond: np.uint64, plane: np.uint64, offset: Words
) -> None:
    """Add the margins of a class to the rows that their distinct values belong to.

    One margin after the other: nine sums and nine unions do not fit the registers.
    """
    share, others = cls.share, _distinct(cls.mask, 1)
    a, b, c, d = four(cls.count)
    p, q, r, s = four(cls.mask[0])
    begin = u64(0)
    for j in range(margins_of(len(cls.count))):
        cells = CELLS[j]
        members = _in(cells, 1, a) + _in(cells, 2, b) + _in(cells, 4, c) + _in(cells, 8, d)
        values = _in(cells, 1, p) | _in(cells, 2, q) | _in(cells, 4, r) | _in(cells, 8, s)
        distinct = popcount(values)
        if cls.mask.shape[0] > 1:
            distinct = min(distinct, others[j])
        at = begin + u64(2) * min(members, beyond) + offset[distinct]
        small[at] += 1.0
        small[at + u64(1)] += share
        begin += plane


@njit(cache=True, nogil=True)
def _held(masks: Words, offset: Words) -> int:
    """Return, as bits, the margins with enough distinct values."""
    held, distinct = 0, _distinct(masks, 0)
    for j in range(margins_of(masks.shape[1])):
        held |= int(offset[distinct[j]] > 0) << j
    return held


@njit(cache=True, nogil=True, forceinline=True)
def add_large(
    cls: Any, bits: np.uint64, held: int, beyond: np.uint64, large: Ints, large_loss: Floats
) -> None:
    """Add what is kept of large margins, each to its row, which bits tell.

    The sums of some bits of the counts are computed anew: few classes come here, and registers
    stay free for the others.
    """
    sums = margin_sums(cls.count)
    for j in range(margins_of(len(cls.count))):
        members = sums[j] & bits
        records = np.int64(members if members >= beyond else u64(0))
        row = (held >> j) & 1
        large[j, row, 0] += records
        large[j, row, 1] += records * records
        large_loss[j, row] += records * cls.share


@shared
def margins_of(cells: int) -> int:
    """Return how many margins so many cells have."""
    return 9 if cells == 4 else (3 if cells == 2 else 1)


@njit(cache=True, nogil=True)
def _in(cells: int, cell: int, content: np.uint64) -> np.uint64:
    """Return what a cell holds if it is one of `cells`, else 0."""
    return content if cells & cell else u64(0)


@njit(cache=True, nogil=True)
def four(cells: Any) -> tuple[Any, ...]:
    """Return the content of four cells; those that are not there are empty."""
    a = u64(cells[0])
    b = u64(cells[1]) if len(cells) > 1 else u64(0)
    c = u64(cells[2]) if len(cells) > 2 else u64(0)
    d = u64(cells[3]) if len(cells) > 2 else u64(0)
    return a, b, c, d


@njit(cache=True, nogil=True)
def margin_sums(cells: Any) -> tuple[Any, ...]:
    """Return how many records each margin has."""
    return sums_of(*four(cells))


@njit(cache=True, nogil=True)
def sums_of(a: Any, b: Any, c: Any, d: Any) -> tuple[Any, ...]:
    """Return the sum of each margin of four cells."""
    return a, b, a + b, c, d, c + d, a + c, b + d, a + b + c + d


@njit(cache=True, nogil=True)
def _distinct(masks: Words, first: int) -> tuple[Any, ...]:
    """Return how many distinct values each margin has, the least from attribute `first` on."""
    most = u64(MASK_BITS)
    least = most, most, most, most, most, most, most, most, most
    for a in range(first, masks.shape[0]):
        least = _least(least, _counts(masks[a]))
    return least


@njit(cache=True, nogil=True)
def _counts(cells: Words) -> tuple[Any, ...]:
    """Return how many values each margin has."""
    a, b, c, d = four(cells)
    return (
        popcount(a),
        popcount(b),
        popcount(a | b),
        popcount(c),
        popcount(d),
        popcount(c | d),
        popcount(a | c),
        popcount(b | d),
        popcount(a | b | c | d),
    )


@njit(cache=True, nogil=True)
def _least(x: tuple[Any, ...], y: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the smaller one of each margin."""
    return (
        min(x[0], y[0]),
        min(x[1], y[1]),
        min(x[2], y[2]),
        min(x[3], y[3]),
        min(x[4], y[4]),
        min(x[5], y[5]),
        min(x[6], y[6]),
        min(x[7], y[7]),
        min(x[8], y[8]),
    )


def _ctpop(context: Any, word: Any) -> Any:  # noqa: ARG001
    """Emit LLVM's bit count, one instruction on common processors."""
    return word(word), lambda _, builder, __, args: builder.ctpop(args[0])


popcount: Any = intrinsic(_ctpop)
