"""The walk over all sets of attributes: who is alone on which.

Tuples are sorted by their attributes, the narrowest first, and a set is extended only by attributes
before those it has: what is to come is always the first few. So tuples of a class that agree on all
that is to come stand side by side; nothing will tell them apart, and they are merged. Who is alone
leaves, and so does a class without a tuple of one record. The narrowest attributes are not walked
over: see ``narrow``.

What is noted is enough to tell what is minimal, and not more: a set is left out for a tuple only
where a smaller one does and every larger one is left out, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compilation import njit
from discreet.kernels.minimal_uniques.narrow import note_narrow, rows_of

_ONE = np.uint32(1)
_BIT = np.uint64(1)
_TOP, _NEXT = np.int64(0), np.int64(1)  # not 0 and 1, for which Numba would compile all anew


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
