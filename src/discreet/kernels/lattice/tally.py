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
from numba import njit
from numba.extending import intrinsic
from numpy.typing import NDArray

from discreet.kernels.lattice.rollup import Classes, Floats, Ints, Words, u64


class Tally(NamedTuple):
    """Accumulators by margin, distinct confidential values and class size, both clipped.

    `small` holds pairs (classes, Σ share) side by side, in one cache line; of the classes
    beyond the cap, `large` holds (records, Σ size²) and `large_loss` Σ size · share.
    `distinct` is room for the distinct values of each margin of one class; it stays 0
    where there are no masks.
    """

    small: Floats
    large: Ints
    large_loss: Floats
    distinct: Words


def new_tally(cells: int, p_cap: int, cap: int) -> Tally:
    """Return accumulators for 1, 2 or 4 cells."""
    count = int(_margins(cells))
    return Tally(
        np.zeros((count, p_cap + 1, cap + 2, 2)),
        np.zeros((count, p_cap + 1, 2), np.int64),
        np.zeros((count, p_cap + 1)),
        np.zeros(count, np.uint64),
    )


@njit(cache=True, nogil=True)
def tally(classes: Classes, size: int, into: Tally) -> None:
    """Tally every margin of the first `size` classes; empty margins go to size 0."""
    into.small[:] = 0.0
    into.large[:] = 0
    into.large_loss[:] = 0.0
    small = into.small.reshape(into.small.size)
    beyond = into.small.shape[2] - 1
    row = u64(2 * into.small.shape[2])
    plane = row * u64(into.small.shape[1])
    for i in range(u64(size)):
        cls = classes[i]
        share = cls.share
        sums = _sums(cls.count)
        _count_distinct(cls.mask, into)
        begin = u64(0)
        for j in range(_margins(len(cls.count))):
            at = begin + u64(2) * u64(min(sums[j], beyond))
            if cls.mask.shape[0] > 0:
                at += row * into.distinct[j]
            small[at] += 1.0
            small[at + u64(1)] += share
            begin += plane
        # The last margin is the whole class: unless it is large, none is.
        if sums[_margins(len(cls.count)) - 1] >= beyond:
            _tally_large(sums, cls, into, beyond)


@njit(cache=True, nogil=True)
def _tally_large(sums: tuple[Any, ...], cls: Any, into: Tally, beyond: int) -> None:
    for j in range(_margins(len(cls.count))):
        members = sums[j] if sums[j] >= beyond else 0
        p = into.distinct[j]
        into.large[j, p, 0] += members
        into.large[j, p, 1] += members * members
        into.large_loss[j, p] += members * cls.share


@njit(cache=True, nogil=True)
def _margins(cells: int) -> int:
    return 9 if cells == 4 else (3 if cells == 2 else 1)


@njit(cache=True, nogil=True)
def _sums(cells: NDArray[np.int32]) -> tuple[Any, ...]:
    """Return (first, second, both) of the last attribute for each of those of the first."""
    a = np.int64(cells[0])
    b = np.int64(cells[1]) if len(cells) > 1 else 0
    c = np.int64(cells[2]) if len(cells) > 2 else 0
    d = np.int64(cells[3]) if len(cells) > 2 else 0
    return a, b, a + b, c, d, c + d, a + c, b + d, a + b + c + d


@njit(cache=True, nogil=True)
def _unions(cells: Words) -> tuple[Any, ...]:
    """Return what `_sums` does, with unions of values for sums of records."""
    a = u64(cells[0])
    b = u64(cells[1]) if len(cells) > 1 else u64(0)
    c = u64(cells[2]) if len(cells) > 2 else u64(0)
    d = u64(cells[3]) if len(cells) > 2 else u64(0)
    return a, b, a | b, c, d, c | d, a | c, b | d, a | b | c | d


@njit(cache=True, nogil=True)
def _count_distinct(masks: Words, into: Tally) -> None:
    """Note how many distinct values each margin has, the least over the attributes, clipped."""
    p_cap = u64(into.small.shape[1] - 1)
    for a in range(masks.shape[0]):
        unions = _unions(masks[a])
        for j in range(_margins(masks.shape[1])):
            most = into.distinct[j] if a > 0 else p_cap
            into.distinct[j] = min(_popcount(unions[j]), most)


def _ctpop(context: Any, word: Any) -> Any:  # noqa: ARG001
    """Emit LLVM's bit count, one instruction on common processors."""
    return word(word), lambda _, builder, __, args: builder.ctpop(args[0])


_popcount: Any = intrinsic(_ctpop)
