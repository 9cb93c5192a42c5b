"""The search for minimal sample uniques, and what they add up to for each tuple."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.coded_tuples import CodedTuples
from discreet.kernels.minimal_uniques.entries import asked, fields_of, sorted_entries
from discreet.kernels.minimal_uniques.narrow import narrow_sets
from discreet.kernels.minimal_uniques.sets import set_numbers
from discreet.kernels.minimal_uniques.sums import BLOCK, STEP, add_up
from discreet.kernels.minimal_uniques.walk import stack_of, walk

_ROOM = 1 << 29  # bytes for who is alone on which set: beyond, the tuples are looked for in parts


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
