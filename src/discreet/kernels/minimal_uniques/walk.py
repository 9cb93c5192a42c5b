"""The walk over all sets of attributes: who is alone on which.

Tuples are sorted by their attributes, the narrowest first, and a set is extended only by attributes
before those it has: what is to come is always the first few. So tuples of a class that agree on all
that is to come stand side by side; nothing will tell them apart, and they are merged. Who is alone
leaves, and so does a class without a tuple of one record. The narrowest attributes are not walked
over: see the narrow ones below.

What is noted is enough to tell what is minimal, and not more: a set is left out for a tuple only
where a smaller one does and every larger one is left out, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.compilation import njit
from discreet.kernels.packing import Codes

_ONE = np.uint32(1)
_TOP, _NEXT = np.int64(0), np.int64(1)  # not 0 and 1, for which Numba would compile all anew
_NONE, _BIT, _PLACE = np.uint64(0), np.uint64(1), np.uint64(63)
_COMBINATIONS, _MOST = 128, 6  # two words of them; attributes, which have 64 sets
_DE_BRUIJN = 0x03F79D71B4CB0A89  # its first six bits tell how far it was shifted
_PLACES = np.zeros(64, np.int64)
for _shift in range(64):
    _PLACES[((_DE_BRUIJN << _shift) % 2**64) >> 58] = _shift
_FACTOR = np.uint64(_DE_BRUIJN)


class Stack(NamedTuple):
    """Entries class by class, a row for each size of a set; tables by code, zero between uses."""

    entries: NDArray[np.uint64]
    end: NDArray[np.uint32]
    size: NDArray[np.int64]
    tuples: NDArray[np.uint32]
    single: NDArray[np.uint32]
    last: NDArray[np.uint32]
    place: NDArray[np.uint32]
    parts: NDArray[np.uint32]


def stack_of(tuples: int, words: int, depth: int, codes: int) -> Stack:
    """Room for a walk."""
    rows = depth + 1
    return Stack(
        np.empty((rows, words, tuples), np.uint64),
        np.empty((rows, tuples // 2 + 2), np.uint32),
        np.zeros((rows, 2), np.int64),
        *(np.zeros(codes + 1, np.uint32) for _ in range(5)),
    )


@njit(cache=True, nogil=True)
def walk(entries, fields, narrow, stack, numbers, alone, watch) -> None:  # type: ignore[no-untyped-def]
    """Note in ``alone`` (set, tuple as a bit) who becomes alone on which set of up to as many
    attributes as ``numbers`` has columns.
    """
    depth, before = numbers.shape[1] - 1, len(narrow.without) - 1
    found = np.empty(entries.shape[1] + 1, np.uint64)
    _all_tuples(entries, fields, _TOP, stack)
    note_narrow(stack, _TOP, _TOP, fields, narrow, rows_of(narrow, numbers, depth), alone)
    for f in range(1, len(fields.word)):
        _all_tuples(entries, fields, f, stack)
        at = numbers[before + f, depth]
        _note(alone[at], fields, found, _refine(stack, _TOP, fields, f, found))
        if stack.size[1, 0] > 0 and depth > 1:
            _walk_on(fields, narrow, stack, numbers, alone, found, f, at, watch)
        if watch[1] != 0:
            return


@njit(cache=True, nogil=True)
def _walk_on(fields, narrow, stack, numbers, alone, found, start, base, watch):  # type: ignore[no-untyped-def]
    """The sets that begin with an attribute, which are numbered from ``base`` on."""
    depth, before = numbers.shape[1] - 1, len(narrow.without) - 1
    note_narrow(stack, _NEXT, base, fields, narrow, rows_of(narrow, numbers, depth - 1), alone)
    chosen, row = np.empty(depth, np.int64), _NEXT
    chosen[0], chosen[1] = start, 1
    while row > 0:
        if chosen[row] == chosen[row - 1]:
            row -= 1
            chosen[row] += 1
            continue
        at = _TOP
        for j in range(row + 1):
            at += numbers[before + chosen[j], depth - j]
        _note(alone[at], fields, found, _refine(stack, row, fields, chosen[row], found))
        if stack.size[row + 1, 0] > 0 and row + 1 < depth:
            rows = rows_of(narrow, numbers, depth - row - 1)
            note_narrow(stack, row + 1, at, fields, narrow, rows, alone)
            row += 1
            chosen[row] = 1
        else:
            chosen[row] += 1
        watch[0] = at
        if watch[1] != 0:
            return


@njit(cache=True, nogil=True)
def _note(alone, fields, found, number):  # type: ignore[no-untyped-def]
    for e in range(number):
        i = (found[e] & fields.number) >> _BIT
        alone[i >> np.uint64(6)] |= _BIT << (i & np.uint64(63))


@njit(cache=True, nogil=True, inline="always")
def _same(one, j, other, k, word, mask):  # type: ignore[no-untyped-def]
    """Whether two entries agree on a part of a word, and on the words before."""
    for w in range(word):
        if one[w, j] != other[w, k]:
            return False
    return (one[word, j] ^ other[word, k]) & mask == 0


@njit(cache=True, nogil=True)
def _all_tuples(entries, fields, f, stack):  # type: ignore[no-untyped-def]
    """All tuples in one class, those merged that agree on the attributes up to one."""
    to, last = stack.entries[0], entries.shape[0] - 1
    listed, single = 0, np.int64(0)
    for k in range(entries.shape[1]):
        alone = np.int64(not entries[last, k] & _BIT)
        if k > 0 and _same(entries, k - 1, entries, k, fields.word[f], fields.upto[f]):
            single -= np.int64(not to[last, listed - 1] & _BIT)
            to[last, listed - 1] |= _BIT
        else:
            for w in range(last + 1):
                to[w, listed] = entries[w, k]
            single += alone
            listed += 1
    some = single > 0
    stack.end[0, 0] = listed
    stack.size[0, 0], stack.size[0, 1] = listed * some, some


@njit(cache=True, nogil=True)
def _refine(stack, row, fields, f, found):  # type: ignore[no-untyped-def]
    """Split the classes of a row by an attribute, into the next row; who becomes alone is found."""
    end, size = stack.end[row], stack.size[row + 1]
    size[:] = 0
    number, begin = 0, np.int64(0)
    for c in range(stack.size[row, 1]):
        stop = np.int64(end[c])
        if stop - begin == 2:
            number = _of_two(stack, row, begin, fields, f, found, number)
        else:
            listed = size[0]
            parts = _tally(stack, row, begin, stop, fields, f)
            if fields.missing[f] <= fields.mask[f]:
                stack.single[fields.missing[f]] = 0
            number = _place(stack, row, begin, stop, parts, found, number)
            if size[0] != listed:
                _move(stack, row, begin, stop, fields, f)
            for p in range(parts):
                stack.single[stack.parts[p]] = 0
        begin = stop
    return number


@njit(cache=True, nogil=True, inline="always")
def _of_two(stack, row, begin, fields, f, found, number):  # type: ignore[no-untyped-def]
    """Who of a class of two becomes alone. Where they agree the class ends: some other attribute
    tells them apart, and then this one is not needed.
    """
    codes, last = stack.entries[row, fields.word[f]], stack.entries[row, -1]
    x = codes[begin] >> fields.shift[f] & fields.mask[f]
    y = codes[begin + 1] >> fields.shift[f] & fields.mask[f]
    if x != y:
        if x != fields.missing[f] and not last[begin] & _BIT:
            found[number] = last[begin]
            number += 1
        if y != fields.missing[f] and not last[begin + 1] & _BIT:
            found[number] = last[begin + 1]
            number += 1
    return number


@njit(cache=True, nogil=True, inline="always")
def _tally(stack, row, begin, stop, fields, f):  # type: ignore[no-untyped-def]
    """Entries of a class by code, and how many of them are of one record; how many codes it has."""
    tuples, single, last, alone = stack.tuples, stack.single, stack.last, stack.place
    entries, word, before = stack.entries[row], fields.word[f], fields.before[f]
    codes, ends, shift, mask = entries[word], entries[-1], fields.shift[f], fields.mask[f]
    parts = np.int64(0)
    for k in range(begin, stop):
        code = codes[k] >> shift & mask
        fresh = np.uint32(tuples[code] == 0)
        new = fresh | np.uint32(not _same(entries, last[code], entries, k, word, before))
        mine = new & ~np.uint32(ends[k])
        tuples[code] += new
        single[code] += mine - alone[code] * (_ONE - new)
        alone[code], last[code], stack.parts[parts] = mine, k, code
        parts += np.int64(fresh)
    return parts


@njit(cache=True, nogil=True, inline="always")
def _place(stack, row, begin, stop, parts, found, number):  # type: ignore[no-untyped-def]
    """Where the parts of a class go: to the end of what is listed, those that hold someone to look
    for; behind, to be overwritten, the others. Who is a part of his own is found.
    """
    tuples, single, place = stack.tuples, stack.single, stack.place
    ends, to_end = stack.entries[row, -1], stack.end[row + 1]
    listed, classes = stack.size[row + 1]
    behind = listed + stop - begin
    for p in range(parts):
        code = stack.parts[p]
        several, some = np.int64(tuples[code]), single[code] != 0
        kept = np.int64(some & (several > 1))
        behind -= several * (1 - kept)
        place[code] = listed if kept else behind
        listed += several * kept
        to_end[classes] = listed
        classes += kept
        found[number] = ends[stack.last[code]]
        number += np.int64(some & (several == 1))
        tuples[code], single[code] = 0, _ONE
    stack.size[row + 1, 0], stack.size[row + 1, 1] = listed, classes
    return number


@njit(cache=True, nogil=True, inline="always")
def _move(stack, row, begin, stop, fields, f):  # type: ignore[no-untyped-def]
    """Bring the entries of a class to their parts; the tables are zero again."""
    fresh, place, entries, to = (
        stack.single,
        stack.place,
        stack.entries[row],
        stack.entries[row + 1],
    )
    word, before, final = fields.word[f], fields.before[f], len(entries) - 1
    codes, shift, mask = entries[word], fields.shift[f], fields.mask[f]
    for k in range(begin, stop):
        code = codes[k] >> shift & mask
        new = np.uint32(not _same(to, place[code], entries, k, word, before))
        at = place[code] + (new & ~fresh[code])
        new |= fresh[code]
        merged = to[final, at] | _BIT
        for w in range(final):
            to[w, at] = entries[w, k]
        to[final, at] = entries[final, k] if new else merged
        place[code], fresh[code] = at, 0


# -- The narrowest attributes: together they have at most 128 combinations, and up to 64 sets ------
#
# Which combinations a class has fits two words, and all sets of them are looked at in them.


class Narrow(NamedTuple):
    """The sets of the narrowest attributes; set s holds attribute a where its bit a is set.

    Attributes
    ----------
    others : array (2, combinations, sets)
        Which other combinations agree with one on a set, as bits of two words.
    known : array (combinations)
        The sets on which a combination has no missing value, as bits.
    without : array (attributes)
        The sets that do not hold an attribute, as bits.
    """

    others: NDArray[np.uint64]
    known: NDArray[np.uint64]
    without: NDArray[np.uint64]


def narrow_sets(
    codes: Codes, cardinalities: Sequence[int], missing: Sequence[int]
) -> tuple[NDArray[np.uint8], Narrow]:
    """The combination of each tuple on the first attributes, as many as fit, and their sets."""
    number = 0
    while number < min(len(cardinalities), _MOST):
        if math.prod(cardinalities[: number + 1]) > _COMBINATIONS:
            break
        number += 1
    combination = np.zeros(len(codes[0]), np.uint8)
    for column, cardinality in zip(codes[:number], cardinalities, strict=False):
        combination = combination * np.uint8(cardinality) + column.astype(np.uint8)
    combinations = math.prod(cardinalities[:number])
    every = np.indices(tuple(cardinalities[:number])).reshape(number, combinations)
    held = (np.arange(1 << number)[:, None] >> np.arange(number)) & 1 == 1
    same, gap = every[:, :, None] == every[:, None, :], every == np.array([missing[:number]]).T
    others = np.zeros((combinations, len(held), _COMBINATIONS), np.bool_)
    for s, one in enumerate(held):
        others[:, s, :combinations] = same[one].all(axis=0) & ~np.eye(combinations, dtype=np.bool_)
    known = _words(np.array([~gap[one].any(axis=0) for one in held]).T)
    both = np.stack([_words(others[:, :, :64]), _words(others[:, :, 64:])])
    return combination, Narrow(both, known, _words(~held.T))


def _words(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Each row of bits as a word, the first one lowest."""
    places = np.arange(bits.shape[-1], dtype=np.uint64)
    return (bits.astype(np.uint64) << places).sum(axis=-1, dtype=np.uint64)


@njit(cache=True, nogil=True)
def rows_of(narrow, numbers, left) -> Ints:  # type: ignore[no-untyped-def]
    """How far from a set its union with each narrow one stands, if ``left`` may be added; or −1."""
    rows = np.empty(1 << len(narrow.without), np.int64)
    for s in range(len(rows)):
        rows[s] = number_of(s, numbers, left)
    return rows


@njit(cache=True, nogil=True)
def note_narrow(stack, row, at, fields, narrow, rows, alone) -> None:  # type: ignore[no-untyped-def]
    """Note who is alone on a set with some of the narrowest attributes, where fewer do not do."""
    first, last, end = stack.entries[row, 0], stack.entries[row, -1], stack.end[row]
    shift, number = fields.shift[0], fields.number
    who = np.empty(_COMBINATIONS, np.uint64)
    asked = _NONE
    for s in range(1, len(rows)):
        asked |= np.uint64(rows[s] >= 0) << np.uint64(s)
    begin = np.int64(0)
    for c in range(stack.size[row, 1]):
        low, high, low_twice, high_twice = _NONE, _NONE, _NONE, _NONE
        for k in range(begin, np.int64(end[c])):
            code, several = first[k] >> shift, _NONE - (last[k] & _BIT)
            bit = _BIT << (code & _PLACE)
            below = bit if code <= _PLACE else _NONE
            above = bit ^ below
            low_twice |= below & (low | several)
            high_twice |= above & (high | several)
            low |= below
            high |= above
            who[code] = last[k]
        begin = np.int64(end[c])
        for word in range(2):
            once = high & ~high_twice if word else low & ~low_twice
            while once != _NONE:
                code = np.uint64(64 * word) + np.uint64(lowest(once))
                once &= once - _BIT
                i = (who[code] & number) >> _BIT
                sets = _smallest(code, low, high, asked, narrow)
                while sets != _NONE:
                    alone[at + rows[lowest(sets)], i >> np.uint64(6)] |= _BIT << (i & _PLACE)
                    sets &= sets - _BIT


@njit(cache=True, nogil=True, inline="always")
def _smallest(code, low, high, asked, narrow):  # type: ignore[no-untyped-def]
    """The smallest sets on which no other combination of a class agrees with one."""
    others, more = narrow.others[0, code], narrow.others[1, code]
    found = _NONE
    for s in range(len(others)):
        found |= np.uint64((low & others[s]) | (high & more[s]) == _NONE) << np.uint64(s)
    found &= asked & narrow.known[code]
    least = found
    for a in range(len(narrow.without)):
        least &= ~((found & narrow.without[a]) << np.uint64(1 << a))
    return least


# -- Sets as bits of a word ------------------------------------------------------------------------
#
# And numbers for those of up to some size, so that each has a row of its own and no row is empty.
#
# Sets stand in the order of their bits (attribute a is bit a): {}, {0}, {1}, {1, 0}, {2}, …; those
# that are too large are left out.


def set_numbers(attributes: int, size: int) -> Ints:
    """How many sets of up to ``r`` of the first ``b`` attributes there are, the empty one among
    them: entry (b, r). A set {b₀ > b₁ > …} has the number Σ entry(b_j, size − j).

    Examples
    --------
    >>> set_numbers(3, 2)[3].tolist()
    [1, 4, 7]
    """
    numbers = np.ones((attributes + 1, size + 1), dtype=np.int64)
    for b in range(1, attributes + 1):
        numbers[b, 1:] = numbers[b - 1, 1:] + numbers[b - 1, :-1]
    return numbers


@njit(cache=True, nogil=True)
def number_of(bits, numbers, left) -> int:  # type: ignore[no-untyped-def]
    """The number of a set, given as bits, among those of up to ``left`` attributes; else −1."""
    number = 0
    for a in range(len(numbers) - 2, -1, -1):
        if bits >> a & 1:
            if left == 0:
                return -1
            number += numbers[a, left]
            left -= 1
    return number


@njit(cache=True, nogil=True, inline="always")
def lowest(word) -> int:  # type: ignore[no-untyped-def]
    """The place of the lowest bit of a word that is not 0.

    Examples
    --------
    >>> lowest(np.uint64(40))
    3
    """
    return _PLACES[((word & (~word + np.uint64(1))) * _FACTOR) >> np.uint64(58)]
