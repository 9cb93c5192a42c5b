"""Conditions on a class beside its size: on its confidential values and on the people behind it.

All are inequalities of counts: of the records of a class, of the records with a value, and of
the people of a population with the keys of the class.  A count is compared with a share of
another one as floating-point numbers, product against count, in the same way everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.lattice.rollup import u64

VALUES = 64  # of all attributes together: so many are followed
SMALL = 64  # margins of fewer people are small
_SIZES = 2**10  # up to here, tables say how often a value may occur


@dataclass(frozen=True)
class ClassConditions:
    """What a class must satisfy.

    Attributes
    ----------
    low, high : per value v, low[v] · size ≤ records with it ≤ high[v] · size
    optional : per value, whether it may also be absent
    groups : per confidential attribute, which values are its own and how many of them a class
        must have at least
    least_people : how many people are behind a class, at least
    low_people, high_people : low · people ≤ records ≤ high · people
    """

    low: Floats = field(default_factory=lambda: np.zeros(0))
    high: Floats = field(default_factory=lambda: np.zeros(0))
    optional: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    groups: tuple[tuple[tuple[int, ...], int], ...] = ()
    least_people: int = 0
    low_people: float = 0.0
    high_people: float = np.inf


class PeopleArrays(NamedTuple):
    """The people that must be behind a class; `shares` tells whether low and high matter.

    For the smallest margins `places` says at once where they go: in a plane of the tally, by
    people and records (see `tally_by_conditions`).
    """

    places: NDArray[Any]
    least: np.uint64
    low: float
    high: float
    shares: bool


class ValueArrays(NamedTuple):
    """What a class must have of its values, as the loops take it.

    `most` and `fewer`, in rows of the length of the amounts, say for classes of up to
    `sizes` records how often a value may and must occur; where it may also be absent, `absent`
    is 1 and `fewer` one less.  No class of fewer than `first` records holds.
    `group` is the attribute of each value, `distinct` how many values of it there must be.
    """

    most: NDArray[Any]
    fewer: NDArray[Any]
    absent: NDArray[Any]
    bounded_below: bool
    sizes: np.uint64
    first: np.uint64
    low: Floats
    high: Floats
    optional: Bools
    group: Ints
    distinct: Ints


def people_arrays(asked: ClassConditions, cap: int) -> PeopleArrays:
    """Return the conditions on people as the loops take them."""
    shares = asked.low_people > 0 or asked.high_people < 1
    low, high = float(asked.low_people), float(asked.high_people)
    people, records = np.ogrid[:SMALL, :SMALL]
    holds = (records >= low * people) & (records <= min(high, 2.0**31) * people)
    holds &= people >= asked.least_people
    holds[0, 0] = True  # nobody behind nothing
    places = 2 * np.minimum(records, cap + 1) + 2 * (cap + 2) * holds
    kind = np.uint16 if places.max() < 2**16 else np.uint32  # a small table stays in the cache
    least = u64(min(asked.least_people, 2**31))  # more than there ever are
    return PeopleArrays(places.astype(kind).ravel(), least, low, high, shares)


def largest_failing(
    asked: PeopleArrays, counts: Ints, people: Ints | None, pairs: Any, cap: int
) -> int:
    """Return the largest size, up to the cap, of a class that fails conditions on people.

    Where no tuple has more records than people, a class of so many records as there must be
    people holds, and so does every larger one.
    """
    if asked.shares or pairs is not None or people is None or (people < counts).any():
        return cap
    return min(max(int(asked.least) - 1, 0), cap)


def value_arrays(asked: ClassConditions, amounts: np.dtype[Any]) -> ValueArrays:
    """Return the conditions on values as the loops take them, in rows like those of amounts."""
    kind, length, values = amounts["value"].base, amounts["value"].shape[-1], len(asked.high)
    sizes = np.arange(_SIZES + 1, dtype=np.float64)[:, None]
    end = np.iinfo(kind).max
    most, least = np.zeros((2, len(sizes), length), kind)
    # As the loops compare: a count is too many if it is above the product, as numbers.
    most[:, :values] = np.minimum(np.floor(asked.high * sizes), end)
    least[:, :values] = np.minimum(np.ceil(asked.low * sizes), end)
    absent = np.zeros(length, kind)
    absent[:values] = asked.optional
    room = most[:, :values].sum(axis=1, dtype=np.int64)
    # Of a value that must be there one record may be too many for a small class.
    never = ((least[:, :values] > most[:, :values]) & ~asked.optional).any(axis=1)
    may_hold = (room >= sizes.ravel()) & ~never
    may_hold[0] = False
    group = np.full(values, -1)
    for g, (own, _) in enumerate(asked.groups):
        group[list(own)] = g
    return ValueArrays(
        most.ravel(),
        (np.maximum(least, absent) - absent).ravel(),
        absent,
        bool((asked.low > 0).any()),
        u64(_SIZES),
        u64(np.argmax(may_hold) if may_hold.any() else _SIZES + 1),
        asked.low,
        asked.high,
        asked.optional,
        group,
        np.array([least for _, least in asked.groups], np.int64),
    )


# -- Amounts: how often each confidential value occurs in each class of a roll-up ------------------
#
# A class has, in each cell, a row of whole numbers, one per value, filled up to a length that
# instructions on many numbers at once like. Rows are kept apart from the classes, so that looking
# for equal keys stays in the cache, and as narrow as the most frequent value allows. Where classes
# merge, rows add up.


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
