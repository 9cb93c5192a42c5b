"""The search for minimal sample uniques, and what they add up to for each tuple."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.coded_tuples import CodedTuples
from discreet.kernels.compilation import njit
from discreet.kernels.minimal_uniques.walk import lowest, narrow_sets, set_numbers, stack_of, walk
from discreet.kernels.packing import Codes

_ROOM = 1 << 29  # bytes for who is alone on which set: beyond, the tuples are looked for in parts
_WORD = 64
_NONE = 2**64 - 1

Words = NDArray[np.uint64]
BLOCK = 8  # words at a time: their sums stay in the cache
STEP = 4  # amounts at a time


class MinimalUniques(NamedTuple):
    """What the minimal sets of each tuple add up to.

    Attributes
    ----------
    total : array
        Per tuple the sum of what its minimal sets are worth.
    shares : array (tuples, attributes)
        The part of it from sets that hold an attribute.
    sets : mapping of tuple of int to int
        The sets that are minimal for a tuple, and for how many; by size, then in order.
    """

    total: NDArray[np.signedinteger]
    shares: NDArray[np.signedinteger]
    sets: dict[tuple[int, ...], int]


def minimal_uniques(
    tuples: CodedTuples,
    worth: Sequence[int],
    *,
    watch: Ints | None = None,
    room: int = _ROOM,
) -> MinimalUniques:
    """Find the minimal sets of attributes on which a tuple of one record is alone.

    Parameters
    ----------
    tuples : CodedTuples
        A missing value makes nobody alone.
    worth : sequence of int
        What a minimal set of 1, 2, … attributes is worth; larger sets are not looked at.
    watch : array of two numbers, optional
        The first one counts sets, the second one ends it early.
    room : int
        Bytes for who is alone on which set.

    Examples
    --------
    >>> sex, age = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> found = minimal_uniques(CodedTuples([sex, age], [2, 2], np.array([1, 1, 1])), [1, 1])
    >>> found.total.tolist(), found.shares.tolist(), found.sets
    ([1, 1, 1], [[0, 1], [1, 1], [1, 0]], {(0,): 1, (1,): 1, (0, 1): 1})
    """
    codes, cardinalities, counts, missing = tuples
    width, depth = len(codes), min(len(worth), len(codes))
    watch = np.zeros(2, dtype=np.int64) if watch is None else watch
    wide = sorted(range(width), key=lambda a: (int(cardinalities[a]), a))
    cards, columns = [int(cardinalities[a]) for a in wide], [codes[a] for a in wide]
    skipped = [-1 if missing is None else int(missing[a]) for a in wide]
    combinations, narrow = narrow_sets(columns, cards, skipped)
    n, first = len(counts), len(narrow.without)
    fields = fields_of([len(narrow.known), *cards[first:]], [-1, *skipped[first:]], n)
    entries = sorted_entries(fields, [combinations, *columns[first:]])
    unique = _uniques(columns[-1], np.asarray(counts))
    numbers, (sets, below) = set_numbers(width, depth), _sets(width, depth)
    amounts = _amounts(sets, wide, worth)
    sums, minimal = np.zeros((n, width + 1), amounts.dtype), np.zeros(len(sets), np.int64)
    for part in np.array_split(unique, -(-len(unique) * len(sets) // (8 * room)) or 1):
        alone = np.zeros((len(sets), -(-len(part) // (64 * BLOCK)) * BLOCK), np.uint64)
        stack = stack_of(n, len(entries), depth, cards[-1])
        walk(asked(entries, fields, part), fields, narrow, stack, numbers, alone, watch)
        del stack
        add_up(alone, below, amounts, part, sums, minimal)
    return MinimalUniques(sums[:, width], sums[:, :width], _counted(sets, wide, minimal))


def _uniques(column: NDArray[np.integer], counts: Ints) -> NDArray[np.intp]:
    """The tuples of one record, by the widest attribute, whose classes are visited most."""
    unique = np.flatnonzero(counts == 1)
    return unique[np.argsort(column[unique], kind="stable")]


def _amounts(sets: Ints, wide: Sequence[int], worth: Sequence[int]) -> NDArray[np.signedinteger]:
    """What a set is worth, for each attribute that it holds and then as a whole."""
    worths = np.array([0, *worth], dtype=np.int64)[(sets >= 0).sum(axis=1)]
    most = sum(worths.tolist())  # as if all sets were minimal for a tuple
    kind = np.int32 if most <= np.iinfo(np.int32).max else np.int64
    amounts = np.zeros((len(sets), -(-(len(wide) + 1) // STEP) * STEP), kind)
    amounts[:, len(wide)] = worths
    for at in range(sets.shape[1]):
        rows = np.flatnonzero(sets[:, at] >= 0)
        amounts[rows, np.array(wide)[sets[rows, at]]] = worths[rows]
    return amounts


def _counted(sets: Ints, wide: Sequence[int], minimal: Ints) -> dict[tuple[int, ...], int]:
    """The sets that are minimal for someone; by size, then in the order of the attributes."""
    found = {
        tuple(sorted(wide[a] for a in sets[s].tolist() if a >= 0)): int(minimal[s])
        for s in np.flatnonzero(minimal)
    }
    return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))


def _sets(width: int, depth: int) -> tuple[Ints, Ints]:
    """The attributes of each set, in the order of their numbers, and the number of each set without
    one of them; then −1."""
    bits, size = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for a in range(width):
        more = size < depth
        bits = np.concatenate([bits, bits[more] | 1 << a])
        size = np.concatenate([size, size[more] + 1])
    sets, below = np.full((2, len(bits), depth), -1, np.int64)
    place = np.zeros(len(bits), np.int64)
    for a in range(width):
        rows = np.flatnonzero(bits >> a & 1)
        sets[rows, place[rows]] = a
        below[rows, place[rows]] = np.searchsorted(bits, bits[rows] ^ 1 << a)
        place[rows] += 1
    return sets, below


# -- Entries: all that the walk needs of a tuple, in one word or a few -----------------------------
#
# From the top: the combination of the narrowest attributes, the code of each other attribute, the
# narrowest first, and at the end the number of the tuple and a bit that is set where the entry
# stands for more than one record or is not asked for. So tuples agree on the first attributes where
# the upper parts of their words do, and no table has to be looked at.


class Fields(NamedTuple):
    """Where the codes are. The first field holds the narrowest attributes together.

    Attributes
    ----------
    word, shift, mask : arrays
        A code is ``entry[word] >> shift & mask``.
    before, upto : arrays
        The bits of that word before a field, and with it.
    missing : array
        The code that never makes a tuple alone, or one that is too large.
    number : int
        The bits of the last word with the number of the tuple, and the bit after it.
    """

    word: Ints
    shift: Words
    mask: Words
    before: Words
    upto: Words
    missing: Words
    number: np.uint64


def fields_of(cardinalities: Sequence[int], missing: Sequence[int], tuples: int) -> Fields:
    """Places for codes below some numbers, and for the number of a tuple.

    Examples
    --------
    >>> fields = fields_of([4, 1000], [-1, 0], 300)
    >>> fields.word.tolist(), fields.shift.tolist(), int(fields.number)
    ([0, 0], [62, 52], 1023)
    """
    bits = [max(1, (int(c) - 1).bit_length()) for c in cardinalities]
    places, word, left = [], 0, _WORD
    for size in bits:
        if size > left:
            word, left = word + 1, _WORD
        places.append((word, left - size, (1 << size) - 1, 2**_WORD - (1 << left)))
        left -= size
    words, shifts, masks, before = zip(*places, strict=True)
    return Fields(
        np.array(words, np.int64),
        np.array(shifts, np.uint64),
        np.array(masks, np.uint64),
        np.array(before, np.uint64),
        np.array([b | m << s for _, s, m, b in places], np.uint64),
        np.array([_NONE if code < 0 else code for code in missing], np.uint64),
        np.uint64(2 ** (tuples.bit_length() + 1) - 1),
    )


def sorted_entries(fields: Fields, codes: Codes) -> Words:
    """The words of each tuple, (words, tuples), in their order; the number is where it stood."""
    full = fields.number > (np.uint64(1) << fields.shift[-1]) - np.uint64(1)
    entries = np.zeros((int(fields.word[-1]) + 1 + int(full), len(codes[0])), np.uint64)
    for word, shift, column in zip(fields.word, fields.shift, codes, strict=True):
        entries[word] |= column.astype(np.uint64) << shift
    entries[-1] |= np.arange(len(codes[0]), dtype=np.uint64) << np.uint64(1)
    if len(entries) > 1:
        return np.ascontiguousarray(entries[:, np.lexsort(entries[::-1])])
    entries.sort()
    return entries


def asked(entries: Words, fields: Fields, tuples: NDArray[np.intp]) -> Words:
    """Entries that are numbered as the tuples that are asked for; the last bit marks the others."""
    numbers = np.ones(entries.shape[1], np.uint64)
    numbers[tuples] = np.arange(len(tuples), dtype=np.uint64) << np.uint64(1)
    found = entries.copy()
    found[-1] &= ~fields.number
    found[-1] |= numbers[(entries[-1] & fields.number) >> np.uint64(1)]
    return found


# -- What the minimal sets of each tuple add up to: 512 tuples at a time, all sets of them ---------


@njit(cache=True, nogil=True)
def add_up(alone, below, worth, tuples, sums, minimal) -> None:  # type: ignore[no-untyped-def]
    """Add what each minimal set is worth to its tuple, and count it.

    Parameters
    ----------
    alone : array (sets, words)
        Who is alone on each set, as bits; whole blocks of words.
    below : array (sets, attributes)
        Where the sets with one attribute less stand; then −1.
    worth : array (sets, amounts)
        A multiple of four amounts.
    tuples : array
        Whose bit it is.
    sums, minimal : arrays (tuples, amounts) and (sets)
        To write, and to add to.
    """
    amounts, left = worth.shape[1], np.empty(BLOCK, np.uint64)
    found = np.empty((64 * BLOCK, amounts), worth.dtype)
    for begin in range(0, alone.shape[1], BLOCK):
        found[:] = 0
        for s in range(1, len(below)):
            _minimal_here(alone[:, begin : begin + BLOCK], s, below[s], left)
            for word in range(BLOCK):
                minimal[s] += _add(left[word], worth[s], found[64 * word :])
        for i in range(64 * begin, min(64 * (begin + BLOCK), len(tuples))):
            for a in range(sums.shape[1]):
                sums[tuples[i], a] = found[i - 64 * begin, a]


@njit(cache=True, nogil=True, inline="always")
def _minimal_here(alone, s, below, left):  # type: ignore[no-untyped-def]
    """For whom a set is minimal: who is alone on it and on none with one attribute less."""
    for word in range(BLOCK):
        left[word] = alone[s, word]
    for less in below:
        if less < 0:
            break
        for word in range(BLOCK):
            left[word] &= ~alone[less, word]


@njit(cache=True, nogil=True, inline="always")
def _add(left, worth, found):  # type: ignore[no-untyped-def]
    """Add what a set is worth to the tuples of a word, and count them."""
    number = 0
    while left != 0:
        i = lowest(left)
        left &= left - np.uint64(1)
        number += 1
        for a in range(0, len(worth), STEP):
            found[i, a] += worth[a]
            found[i, a + 1] += worth[a + 1]
            found[i, a + 2] += worth[a + 2]
            found[i, a + 3] += worth[a + 3]
    return number
