"""The narrowest attributes: together they have at most 64 combinations, and up to 64 sets. Which
combinations a class has fits one word, and all sets of them are looked at in it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.minimal_uniques.bits import lowest
from discreet.kernels.minimal_uniques.sets import number_of

_ONE, _BIT = np.uint32(1), np.uint64(1)
_WORD, _MOST = 64, 6  # combinations; attributes, which have 64 sets


class Narrow(NamedTuple):
    """The sets of the narrowest attributes; set s holds attribute a where its bit a is set.

    Attributes
    ----------
    alike : array (sets, combinations)
        Which combinations agree with one on a set, as bits.
    known : array (combinations)
        The sets on which a combination has no missing value, as bits.
    above : array (sets)
        The sets that hold a set, as bits.
    """

    alike: NDArray[np.uint64]
    known: NDArray[np.uint64]
    above: NDArray[np.uint64]


def narrow_sets(
    columns: NDArray[np.unsignedinteger], cardinalities: Sequence[int], missing: Ints
) -> tuple[NDArray[np.uint8], Narrow]:
    """The combination of each tuple on the first attributes, as many as fit, and their sets."""
    number = 0
    while number < min(len(cardinalities), _MOST):
        if math.prod(cardinalities[: number + 1]) > _WORD:
            break
        number += 1
    combination = np.zeros(columns.shape[1], np.uint8)
    for column, cardinality in zip(columns[:number], cardinalities, strict=False):
        combination = combination * np.uint8(cardinality) + column.astype(np.uint8)
    combinations = math.prod(cardinalities[:number])
    every = np.indices(tuple(cardinalities[:number])).reshape(number, combinations)
    held = (np.arange(1 << number)[:, None] >> np.arange(number)) & 1 == 1
    same, gap = every[:, :, None] == every[:, None, :], every == missing[:number, None]
    alike = [_words(same[one].all(axis=0)) for one in held]
    known = _words(np.array([~gap[one].any(axis=0) for one in held]).T)
    above = _words((held[:, None, :] <= held[None, :, :]).all(axis=2))
    return combination, Narrow(np.array(alike), known, above)


def _words(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Each row of bits as a word, the first one lowest."""
    places = np.arange(bits.shape[1], dtype=np.uint64)
    return (bits.astype(np.uint64) << places).sum(axis=1, dtype=np.uint64)


@njit(cache=True, nogil=True)
def attributes_of(narrow) -> int:  # type: ignore[no-untyped-def]
    """How many attributes they are."""
    number = 0
    while 1 << number < len(narrow.above):
        number += 1
    return number


@njit(cache=True, nogil=True)
def rows_of(narrow, numbers, left) -> Ints:  # type: ignore[no-untyped-def]
    """How far from a set its union with each narrow one stands, if ``left`` may be added; or −1."""
    rows = np.empty(len(narrow.above), np.int64)
    for s in range(len(rows)):
        rows[s] = number_of(s, numbers, left)
    return rows


@njit(cache=True, nogil=True)
def note_narrow(stack, row, at, tuples, narrow, rows, alone) -> None:  # type: ignore[no-untyped-def]
    """Note who is alone on a set with some of the narrowest attributes, where fewer do not do."""
    entries, end, codes = stack.entries[row], stack.end[row], tuples.narrow
    asked = np.uint64(0)
    for s in range(1, len(rows)):
        asked |= np.uint64(rows[s] >= 0) << np.uint64(s)
    begin = np.int64(0)
    for c in range(stack.size[row, 1]):
        stop = np.int64(end[c])
        there, twice = np.uint64(0), np.uint64(0)
        for k in range(begin, stop):
            e = entries[k]
            bit = _BIT << np.uint64(codes[e >> _ONE])
            twice |= bit & (there | (np.uint64(0) - np.uint64(e & _ONE)))
            there |= bit
        for k in range(begin, stop if there != twice else begin):
            i = entries[k] >> _ONE
            if twice >> np.uint64(codes[i]) & _BIT == 0:
                _note(codes[i], there, asked, narrow, alone[at:], rows, tuples.bit[i])
        begin = stop


@njit(cache=True, nogil=True, inline="always")
def _note(code, there, asked, narrow, alone, rows, i):  # type: ignore[no-untyped-def]
    """Note the smallest sets on which no other combination of a class agrees with one."""
    left = asked & narrow.known[code]
    while left != 0:
        s = lowest(left)
        left &= left - _BIT
        if there & narrow.alike[s, code] == _BIT << np.uint64(code):
            left &= ~narrow.above[s]
            alone[rows[s], i >> 6] |= _BIT << np.uint64(i & 63)
