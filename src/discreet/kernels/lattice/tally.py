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
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import njit, shared
from discreet.kernels.lattice.conditions import SMALL, Amounts, PeopleArrays, ValueArrays, narrow
from discreet.kernels.lattice.rollup import Classes, Words, u64

MASK_BITS = 64
_ALL = u64(2**64 - 1)  # bits of a count
# The cells of each margin, as bits: first, second and both of the last attribute, for the
# first value, the second and both of the first.
CELLS = (1, 2, 3, 4, 8, 12, 5, 10, 15)
RECORDS = u64(2**32 - 1)  # of a count with people: records below, people above
Due = NDArray[np.uint32]
_HALF = u64(32)
_SIX = u64(32 - 6)
_SMALL = u64(SMALL) << _HALF


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


# -- Class statistics of one roll-up, apart by whether a class meets conditions beside its size ----
#
# As in `tally`, every margin of every class is added to the classes of its size, in row 1 if
# it meets the conditions and in row 0 if not.


def _two_sums(context: Any, array: Any, at: Any, first: Any, second: Any) -> Any:  # noqa: ARG001
    """Emit two sums side by side in one instruction."""

    def emit(context: Any, builder: Any, _: Any, args: Any) -> Any:
        ir = cgutils.ir
        two = ir.VectorType(ir.DoubleType(), 2)
        begin = context.make_array(array)(context, builder, args[0]).data
        place = builder.bitcast(builder.gep(begin, [args[1]]), two.as_pointer())
        more = ir.Constant(two, ir.Undefined)
        for n in range(2):
            more = builder.insert_element(more, args[2 + n], ir.IntType(32)(n))
        builder.store(builder.fadd(builder.load(place, align=8), more), place, align=8)
        return context.get_dummy_value()

    return types.void(array, at, first, second), emit


_add_two: Any = intrinsic(_two_sums)


@njit(cache=True, nogil=True)
def tally_by_people(
    classes: Classes, size: int, asked: PeopleArrays, into: Tally, vacant: Bools
) -> None:
    """Tally every margin of the first `size` classes by the people behind them.

    Margins without records go to size 0, those that people have to row 0 where shares are
    asked for.  Classes without any are left out: of them `vacant` keeps that there are some.
    """
    clear(into)
    if asked.shares:
        vacant[0] = _tally_by_shares(classes, size, asked, into) < size
    else:
        _tally_by_least(classes, size, asked.least << _HALF, into)


@njit(cache=True, nogil=True)
def _tally_by_least(classes: Classes, size: int, least: np.uint64, into: Tally) -> None:
    """Tally by how many people there are; they stand in front, so that comparing whole counts
    compares them."""
    small, large, large_loss = into.flat, into.large, into.large_loss
    beyond, row = u64(into.small.shape[2] - 1), u64(2 * into.small.shape[2])
    for i in range(u64(size)):
        cls = classes[i]
        counts = margin_sums(cls.count)
        records = counts[8] & RECORDS
        if records == u64(0):
            continue
        share, begin = cls.share, u64(0)
        for j in range(margins_of(len(cls.count))):
            few = (counts[j] - least) >> u64(63)  # a branch would often be guessed wrong
            at = begin + u64(2) * min(counts[j] & RECORDS, beyond) + (row & (few - u64(1)))
            _add_two(small, at, 1.0, share)
            begin += u64(2) * row
        if records >= beyond:
            held = _enough(cls.count, least)
            add_large(cls, RECORDS, held, beyond, large, large_loss)


@njit(cache=True, nogil=True)
def _enough(cells: Any, least: np.uint64) -> int:
    """Return, as bits, the margins with enough people."""
    counts, held = margin_sums(cells), 0
    for j in range(9):
        held |= int(counts[j] >= least) << j
    return held


@njit(cache=True, nogil=True)
def _tally_by_shares(classes: Classes, size: int, asked: PeopleArrays, into: Tally) -> int:
    """Tally by the share of the people that have records; return how many classes have any.

    Of a class of few people a table says where its margins go: six bits for the people and six
    for the records make a place in it, and no sum of them overflows.  The others are added as
    nothing here, so that nothing is guessed, and after.
    """
    small, large, large_loss = into.flat, into.large, into.large_loss
    beyond, row = u64(into.small.shape[2] - 1), u64(2 * into.small.shape[2])
    places, few = asked.places, min(u64(SMALL), beyond)
    due = np.empty(size, np.uint32)
    some = left = u64(0)
    for i in range(u64(size)):
        cls = classes[i]
        a, b, c, d = four(cls.count)
        whole = a + b + c + d
        if whole & RECORDS == u64(0):
            continue
        some += u64(1)
        fits = (whole < _SMALL) & (whole & RECORDS < few)
        due[left] = i
        left += u64(not fits)
        keep, one = u64(0) - u64(fits), 1.0 if fits else 0.0
        share, begin = cls.share * one, u64(0)
        counts = sums_of(_place(a & keep), _place(b & keep), _place(c & keep), _place(d & keep))
        for j in range(margins_of(len(cls.count))):
            _add_two(small, begin + u64(places[counts[j]]), one, share)
            begin += u64(2) * row
    for n in range(left):
        cls = classes[due[n]]
        counts = margin_sums(cls.count)
        held = _held_by_people(counts, asked.least, asked.low, asked.high, True)
        _add_held(cls, _records(cls.count), held, small, beyond, row)
        add_large(cls, RECORDS, held, beyond, large, large_loss)
    return int(np.int64(some))


@njit(cache=True, nogil=True)
def _place(count: np.uint64) -> np.uint64:
    """Return where few people and records stand in a table."""
    return (count >> _SIX) | (count & RECORDS)


@njit(cache=True, nogil=True, forceinline=True)
def _add_held(
    cls: Any,
    members: tuple[Any, ...],
    held: int,
    small: Floats,
    beyond: np.uint64,
    row: np.uint64,
) -> None:
    """Add the margins of a class to their rows, which bits tell."""
    share, begin = cls.share, u64(0)
    for j in range(margins_of(len(cls.count))):
        at = begin + u64(2) * min(members[j], beyond)
        at += row if held & (1 << j) else u64(0)
        _add_two(small, at, 1.0, share)
        begin += u64(2) * row


@njit(cache=True, nogil=True)
def _held_by_people(
    counts: tuple[Any, ...], least: np.uint64, low: float, high: float, shares: bool
) -> int:
    """Return, as bits, which margins hold."""
    held = 0
    for j in range(9):
        records, people = np.float64(counts[j] & RECORDS), np.float64(counts[j] >> _HALF)
        share = (records >= low * people) & (records <= high * people)
        holds = ((counts[j] >> _HALF) >= least) & (share | (not shares))
        held |= int(holds | (counts[j] == u64(0))) << j
    return held


@njit(cache=True, nogil=True)
def tally_by_values(
    classes: Classes,
    size: int,
    amounts: Amounts,
    asked: ValueArrays,
    people: PeopleArrays | None,
    into: Tally,
    vacant: Bools,
) -> None:
    """Tally every margin of the first `size` classes by how often values occur in them, and by
    the people behind them where there are any."""
    clear(into)
    # Taken from `into` inside the loop, each would cost a reference count per class.
    small, large, large_loss = into.flat, into.large, into.large_loss
    beyond, row = u64(into.small.shape[2] - 1), u64(2 * into.small.shape[2])
    most, fewer, absent = asked.most, asked.fewer, asked.absent
    first, sizes, below = asked.first, asked.sizes, asked.bounded_below
    plain = len(asked.distinct) == 0
    vacant[0] = False
    due = np.empty(size, np.uint32)
    few = min(first, beyond) if people is None else u64(0)
    for n in range(_tally_failing(classes, size, few, small, row, due)):
        i = u64(due[n])
        cls = classes[i]
        counts = margin_sums(cls.count)
        members = counts
        if people is not None:
            members = _records(cls.count)
            vacant[0] |= people.shares & (members[8] == u64(0))
        held = 0
        if members[8] >= first:
            if (members[8] <= sizes) & plain & (not below):
                held = _held_by_tables(amounts[i], members, most, None, None)
            elif (members[8] <= sizes) & plain:
                held = _held_by_tables(amounts[i], members, most, fewer, absent)
            else:
                held = _held_by_shares(amounts[i], members, asked)
        if people is not None:
            by_people = _held_by_people(
                counts, people.least, people.low, people.high, people.shares
            )
            held = (held & by_people) | _nobody(counts)
        _add_held(cls, members, held, small, beyond, row)
        if members[8] >= beyond:
            add_large(cls, RECORDS, held, beyond, large, large_loss)


@njit(cache=True, nogil=True)
def _tally_failing(
    classes: Classes, size: int, few: np.uint64, small: Floats, row: np.uint64, due: Due
) -> int:
    """Tally the classes of fewer than `few` records, none of which holds; return how many are
    still due, and in `due` which.  These are added as nothing, so that nothing is guessed."""
    left = u64(0)
    for i in range(u64(size)):
        cls = classes[i]
        a, b, c, d = four(cls.count)
        fits = a + b + c + d < few
        due[left] = i
        left += u64(not fits)
        keep, one = u64(0) - u64(fits), 1.0 if fits else 0.0
        counts = sums_of(a & keep, b & keep, c & keep, d & keep)
        share, begin = cls.share * one, u64(0)
        for j in range(margins_of(len(cls.count))):
            _add_two(small, begin + u64(2) * counts[j], one, share)
            begin += u64(2) * row
    return int(np.int64(left))


@njit(cache=True, nogil=True, forceinline=True)
def _held_by_tables(
    amounts: Any, members: tuple[Any, ...], most: Any, fewer: Any, absent: Any
) -> int:
    """Return, as bits, the margins in which no value occurs too often or, unless `fewer` is None,
    too rarely.

    One loop over the values for all margins: each step of it does many values at once.
    """
    value = amounts.value
    cells, length = value.shape
    n0, n1, n2, n3, n4, n5, n6, n7, n8 = _begins(members, u64(length))
    a = b = c = d = e = f = g = h = k = False
    for v in range(u64(length)):
        w = value[0, v]
        x = value[1, v] if cells > 1 else narrow(0, w)
        y = value[2, v] if cells > 2 else narrow(0, w)
        z = value[3, v] if cells > 2 else narrow(0, w)
        wx, yz, wy, xz = narrow(w + x, w), narrow(y + z, w), narrow(w + y, w), narrow(x + z, w)
        no = narrow(0, w) if absent is None else absent[v]
        a |= _off(w, no, n0 + v, most, fewer)
        b |= _off(x, no, n1 + v, most, fewer)
        c |= _off(wx, no, n2 + v, most, fewer)
        if cells > 2:
            d |= _off(y, no, n3 + v, most, fewer)
            e |= _off(z, no, n4 + v, most, fewer)
            f |= _off(yz, no, n5 + v, most, fewer)
            g |= _off(wy, no, n6 + v, most, fewer)
            h |= _off(xz, no, n7 + v, most, fewer)
            k |= _off(narrow(wx + yz, w), no, n8 + v, most, fewer)
    return _bits(a, b, c, d, e, f, g, h, k)


@njit(cache=True, nogil=True, forceinline=True)
def _off(count: Any, no: Any, at: np.uint64, most: Any, fewer: Any) -> bool:
    """Return whether a value occurs too often or too rarely, as tables say.

    For a value that may be absent `no` is 1, and `fewer` one less than it needs: less 1, no record
    becomes the largest number there is.
    """
    if fewer is None:
        return bool(count > most[at])
    return bool((count > most[at]) | (narrow(count - no, count) < fewer[at]))


@njit(cache=True, nogil=True)
def _held_by_shares(amounts: Any, members: tuple[Any, ...], asked: ValueArrays) -> int:
    """Return, as bits, the margins that hold, of a class that no table knows."""
    value = amounts.value
    held = 0
    distinct = np.zeros(len(asked.distinct), np.int64)
    for j in range(margins_of(value.shape[0])):
        size, holds = np.float64(members[j]), True
        distinct[:] = 0
        for v in range(len(asked.high)):
            count = u64(0)
            for c in range(value.shape[0]):
                count += u64(value[c, v]) if CELLS[j] & (1 << c) else u64(0)
            records = np.float64(count)
            few = (records < asked.low[v] * size) & ((count > u64(0)) | (not asked.optional[v]))
            holds &= not (few | (records > asked.high[v] * size))
            if asked.group[v] >= 0:
                distinct[asked.group[v]] += count > u64(0)
        for g in range(len(distinct)):
            holds &= distinct[g] >= asked.distinct[g]
        held |= int(holds) << j
    return held


@njit(cache=True, nogil=True)
def _nobody(counts: tuple[Any, ...]) -> int:
    """Return, as bits, the margins without records and people: no one lacks a record there."""
    none = 0
    for j in range(9):
        none |= int(counts[j] == u64(0)) << j
    return none


@njit(cache=True, nogil=True)
def _begins(members: tuple[Any, ...], length: np.uint64) -> tuple[Any, ...]:
    """Return where the row of each margin's size begins in a table."""
    a, b, c, d = members[0], members[1], members[3], members[4]
    return sums_of(a * length, b * length, c * length, d * length)


@njit(cache=True, nogil=True)
def _bits(a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int, k: int) -> int:
    """Return the margins that do not fail."""
    low = int(a) | int(b) << 1 | int(c) << 2 | int(d) << 3 | int(e) << 4
    return 511 ^ (low | int(f) << 5 | int(g) << 6 | int(h) << 7 | int(k) << 8)


@njit(cache=True, nogil=True)
def _records(cells: Any) -> tuple[Any, ...]:
    """Return the records of each margin, without the people."""
    a, b, c, d = four(cells)
    return sums_of(a & RECORDS, b & RECORDS, c & RECORDS, d & RECORDS)
