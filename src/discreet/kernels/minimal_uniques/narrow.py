"""The narrowest attributes: together they have at most 128 combinations, and up to 64 sets. Which
combinations a class has fits two words, and all sets of them are looked at in them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.compilation import njit
from discreet.kernels.minimal_uniques.sets import lowest, number_of
from discreet.kernels.packing import Codes

_NONE, _BIT, _PLACE = np.uint64(0), np.uint64(1), np.uint64(63)
_COMBINATIONS, _MOST = 128, 6  # two words of them; attributes, which have 64 sets


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
