"""The walk over all sets of attributes: who is alone on which.

Tuples are sorted by their attributes, the narrowest first, and a set is extended only by attributes
before those it has: what is to come is always the first few. So tuples of a class that agree on all
that is to come stand side by side; nothing will tell them apart, and they are merged. Who is alone
leaves, and so does a class without a tuple of one record. The narrowest attributes are not walked
over: see ``narrow``.

What is noted is enough to tell what is minimal, and not more: a set is left out for a tuple only
where a smaller one does and every larger one is left out, too.

An entry is a tuple · 2, plus 1 where it stands for more than one record or is not asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.kernels.minimal_uniques.narrow import attributes_of, note_narrow, rows_of

_ONE, _NONE = np.uint32(1), np.uint32(0xFFFFFFFF)
_BIT = np.uint64(1)


class Tuples(NamedTuple):
    """Sorted tuples.

    Attributes
    ----------
    columns : array (attributes, tuples)
        Codes, the narrowest attribute first.
    missing : array
        The code of each attribute that never makes a tuple alone, or −1.
    runs : array (attributes + 1, tuples)
        Which tuples agree on the attributes before one: their number is the same.
    entries : array
    narrow : array
        The combination of the narrowest attributes.
    bit : array
        The number of a tuple that is asked for.
    """

    columns: NDArray[np.unsignedinteger]
    missing: NDArray[np.int64]
    runs: NDArray[np.uint32]
    entries: NDArray[np.uint32]
    narrow: NDArray[np.uint8]
    bit: NDArray[np.uint32]


class Stack(NamedTuple):
    """Entries class by class, a row for each size of a set; tables by code, zero between uses."""

    entries: NDArray[np.uint32]
    end: NDArray[np.uint32]
    size: NDArray[np.int64]
    tuples: NDArray[np.uint32]
    single: NDArray[np.uint32]
    last: NDArray[np.uint32]
    place: NDArray[np.uint32]


def stack_of(tuples: int, depth: int, codes: int) -> Stack:
    """Room for a walk."""
    rows = depth + 1
    return Stack(
        np.empty((rows, tuples), np.uint32),
        np.empty((rows, max(tuples // 2, 1)), np.uint32),
        np.zeros((rows, 2), np.int64),
        *(np.zeros(codes, np.uint32) for _ in range(4)),
    )


@njit(cache=True, nogil=True)
def walk(tuples, narrow, stack, numbers, alone, watch) -> None:  # type: ignore[no-untyped-def]
    """Note in ``alone`` (set, tuple as a bit) who becomes alone on which set of up to as many
    attributes as ``numbers`` has columns.
    """
    width, depth = len(tuples.columns), numbers.shape[1] - 1
    first = attributes_of(narrow)
    found = np.empty(len(tuples.entries), np.uint32)
    _all_tuples(tuples, first, stack)
    note_narrow(stack, 0, 0, tuples, narrow, rows_of(narrow, numbers, depth), alone)
    near = Tuples(
        np.empty_like(tuples.columns),
        tuples.missing,
        np.empty_like(tuples.runs),
        tuples.entries,
        np.empty_like(tuples.narrow),
        np.empty_like(tuples.bit),
    )
    for a in range(first, width):
        _all_tuples(tuples, a + 1, stack)
        at = numbers[a, depth]
        number = _refine(stack, 0, tuples.columns[a], tuples.runs[a], tuples.missing[a], found)
        _note(alone[at], tuples.bit, found, number)
        if stack.size[1, 0] > 0 and depth > 1:
            _bring_near(tuples, stack, a, near)
            _walk_on(near, narrow, stack, numbers, alone, found, a, at, first, watch)
        if watch[1] != 0:
            return


@njit(cache=True, nogil=True)
def _walk_on(near, narrow, stack, numbers, alone, found, start, base, first, watch):  # type: ignore[no-untyped-def]
    """The sets that begin with an attribute, which are numbered from ``base`` on."""
    depth = numbers.shape[1] - 1
    rows = rows_of(narrow, numbers, depth - 1)
    note_narrow(stack, 1, base, near, narrow, rows, alone)
    chosen, row = np.empty(depth, np.int64), 1
    chosen[0], chosen[1] = start, first
    while row > 0:
        if chosen[row] == chosen[row - 1]:
            row -= 1
            chosen[row] += 1
            continue
        a, at = chosen[row], 0
        for j in range(row + 1):
            at += numbers[chosen[j], depth - j]
        number = _refine(stack, row, near.columns[a], near.runs[a], near.missing[a], found)
        _note(alone[at], near.bit, found, number)
        if stack.size[row + 1, 0] > 0 and row + 1 < depth:
            rows = rows_of(narrow, numbers, depth - row - 1)
            note_narrow(stack, row + 1, at, near, narrow, rows, alone)
            row += 1
            chosen[row] = first
        else:
            chosen[row] += 1
        watch[0] = at
        if watch[1] != 0:
            return


@njit(cache=True, nogil=True)
def _note(alone, bit, found, number):  # type: ignore[no-untyped-def]
    for e in range(number):
        i = bit[found[e]]
        alone[i >> 6] |= _BIT << np.uint64(i & 63)


@njit(cache=True, nogil=True)
def _bring_near(tuples, stack, a, near):  # type: ignore[no-untyped-def]
    """Copy what is to come of the tuples of row 1, so that those of a class lie side by side."""
    entries = stack.entries[1]
    n = stack.size[1, 0]
    for b in range(a):
        column, run, to, to_run = tuples.columns[b], tuples.runs[b], near.columns[b], near.runs[b]
        for k in range(n):
            i = entries[k] >> _ONE
            to[k], to_run[k] = column[i], run[i]
    for k in range(n):
        i = entries[k] >> _ONE
        near.narrow[k], near.bit[k] = tuples.narrow[i], tuples.bit[i]
        entries[k] = np.uint32(k) << _ONE | entries[k] & _ONE


@njit(cache=True, nogil=True)
def _all_tuples(tuples, first, stack):  # type: ignore[no-untyped-def]
    """All tuples in one class, those merged that agree on the attributes before one."""
    run, entries = tuples.runs[first], stack.entries[0]
    listed, single, before = 0, np.int64(0), _NONE
    for i in range(len(tuples.entries)):
        e = tuples.entries[i]
        if run[i] == before:
            single -= np.int64(not entries[listed - 1] & _ONE)
            entries[listed - 1] |= _ONE
        else:
            entries[listed] = e
            single += np.int64(not e & _ONE)
            listed, before = listed + 1, run[i]
    some = single > 0
    stack.end[0, 0] = listed
    stack.size[0, 0], stack.size[0, 1] = listed * some, some


@njit(cache=True, nogil=True)
def _refine(stack, row, column, run, missing, found):  # type: ignore[no-untyped-def]
    """Split the classes of a row by an attribute, into the next row; who becomes alone is found."""
    entries, end, size = stack.entries[row], stack.end[row], stack.size[row + 1]
    size[:] = 0
    number, begin = 0, np.int64(0)
    for c in range(stack.size[row, 1]):
        stop = np.int64(end[c])
        if stop - begin == 2:
            number = _of_two(entries[begin], entries[begin + 1], column, missing, found, number)
        else:
            _tally(stack, entries, begin, stop, column, run, missing)
            number = _split(stack, row, begin, stop, column, run, found, number)
        begin = stop
    return number


@njit(cache=True, nogil=True, inline="always")
def _of_two(one, other, column, missing, found, number):  # type: ignore[no-untyped-def]
    """Who of a class of two becomes alone. Where they agree the class ends: some other attribute
    tells them apart, and then this one is not needed.
    """
    x, y = column[one >> _ONE], column[other >> _ONE]
    if x != y:
        if x != missing and not one & _ONE:
            found[number] = one >> _ONE
            number += 1
        if y != missing and not other & _ONE:
            found[number] = other >> _ONE
            number += 1
    return number


@njit(cache=True, nogil=True, inline="always")
def _tally(stack, entries, begin, stop, column, run, missing):  # type: ignore[no-untyped-def]
    """Entries of a class by code, and how many of them are of one record."""
    tuples, single, last, alone = stack.tuples, stack.single, stack.last, stack.place
    for k in range(begin, stop):
        i = entries[k] >> _ONE
        code, r = column[i], run[i]
        if tuples[code] != 0 and last[code] == r:
            single[code] -= alone[code]
            alone[code] = 0
        else:
            tuples[code] += _ONE
            last[code] = r
            alone[code] = _ONE - (entries[k] & _ONE)
            single[code] += alone[code]
    if missing >= 0:
        single[missing] = 0


@njit(cache=True, nogil=True, inline="always")
def _split(stack, row, begin, stop, column, run, found, number):  # type: ignore[no-untyped-def]
    """List the parts of a class that hold someone to look for; the tables are zero again."""
    tuples, single, last, place = stack.tuples, stack.single, stack.last, stack.place
    entries, to, to_end = stack.entries[row], stack.entries[row + 1], stack.end[row + 1]
    listed, classes = stack.size[row + 1]
    for k in range(begin, stop):
        e = entries[k]
        i = e >> _ONE
        code = column[i]
        if tuples[code] != 0:  # the first of its part
            several, some = tuples[code], single[code]
            tuples[code], single[code], place[code] = 0, 0, _NONE
            if some != 0 and several == _ONE:
                found[number] = i
                number += 1
            elif some != 0:
                to[listed], last[code], place[code] = e, run[i], listed
                listed += several
                to_end[classes] = listed
                classes += 1
        elif place[code] != _NONE:
            at = place[code]
            if run[i] == last[code]:
                to[at] |= _ONE
            else:
                to[at + _ONE], last[code], place[code] = e, run[i], at + _ONE
    stack.size[row + 1, 0], stack.size[row + 1, 1] = listed, classes
    return number
