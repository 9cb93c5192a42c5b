"""The search for minimal sample uniques, and what they add up to for each tuple."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.minimal_uniques.narrow import narrow_sets
from discreet.kernels.minimal_uniques.sets import set_numbers
from discreet.kernels.minimal_uniques.sums import add_up
from discreet.kernels.minimal_uniques.walk import Tuples, stack_of, walk
from discreet.kernels.packing import Codes, pack

Columns = NDArray[np.unsignedinteger]
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

    total: Ints
    shares: Ints
    sets: dict[tuple[int, ...], int]


def minimal_uniques(
    codes: Codes,
    cardinalities: Sequence[int],
    counts: Ints,
    worth: Sequence[int],
    *,
    missing: Sequence[int] | None = None,
    watch: Ints | None = None,
    room: int = _ROOM,
) -> MinimalUniques:
    """Find the minimal sets of attributes on which a tuple of one record is alone.

    Parameters
    ----------
    codes : sequence of integer arrays
        One column per attribute, one entry per distinct tuple, 0 ≤ code < cardinality.
    cardinalities : sequence of int
    counts : array
        Records per tuple.
    worth : sequence of int
        What a minimal set of 1, 2, … attributes is worth; larger sets are not looked at.
    missing : sequence of int, optional
        Per attribute a code that makes nobody alone, or −1: a set with it is not looked at for a
        tuple that has it.
    watch : array of two numbers, optional
        The first one counts sets, the second one ends it early.
    room : int
        Bytes for who is alone on which set.

    Examples
    --------
    >>> sex, age = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> found = minimal_uniques([sex, age], [2, 2], np.array([1, 1, 1]), [1, 1])
    >>> found.total.tolist(), found.shares.tolist(), found.sets
    ([1, 1, 1], [[0, 1], [1, 1], [1, 0]], {(0,): 1, (1,): 1, (0, 1): 1})
    """
    width, depth = len(codes), min(len(worth), len(codes))
    watch = np.zeros(2, dtype=np.int64) if watch is None else watch
    wide = sorted(range(width), key=lambda a: (int(cardinalities[a]), a))
    cards = [int(cardinalities[a]) for a in wide]
    order = np.argsort(pack([codes[a] for a in wide], cards)[0])
    columns = np.stack([_small(codes[a][order], cards[-1]) for a in wide])
    skipped = np.array([-1 if missing is None else missing[a] for a in wide], dtype=np.int64)
    unique = _uniques(columns, np.asarray(counts)[order])
    numbers, (sets, below) = set_numbers(width, depth), _sets(width, depth)
    combinations, narrow = narrow_sets(columns, cards, skipped)
    n, runs, stack = len(order), _runs(columns), stack_of(len(order), depth, cards[-1])
    amounts = _amounts(sets, wide, worth)
    sums, minimal = np.zeros((n, width + 1), np.int64), np.zeros(len(sets), np.int64)
    for part in np.array_split(unique, -(-len(unique) * len(sets) // (8 * room)) or 1):
        entries, bit = np.arange(n, dtype=np.uint32) * 2 + 1, np.zeros(n, np.uint32)
        entries[part], bit[part] = entries[part] - 1, np.arange(len(part), dtype=np.uint32)
        alone = np.zeros((len(sets), -(-len(part) // 64)), np.uint64)
        tuples = Tuples(columns, skipped, runs, entries, combinations, bit)
        walk(tuples, narrow, stack, numbers, alone, watch)
        add_up(alone, below, amounts, order[part], sums, minimal)
    return MinimalUniques(sums[:, width], sums[:, :width], _counted(sets, wide, minimal))


def _uniques(columns: Columns, counts: Ints) -> NDArray[np.intp]:
    """The tuples of one record, by the widest attribute, whose classes are visited most."""
    unique = np.flatnonzero(counts == 1)
    return unique[np.argsort(columns[-1][unique], kind="stable")]


def _amounts(sets: Ints, wide: Sequence[int], worth: Sequence[int]) -> Ints:
    """What a set is worth, for each attribute that it holds and, at the end, as a whole."""
    worths = np.array([0, *worth], dtype=np.int64)[(sets >= 0).sum(axis=1)]
    amounts = np.zeros((len(sets), len(wide) + 1), np.int64)
    amounts[:, -1] = worths
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


def _small(column: NDArray[np.integer], cardinality: int) -> NDArray[np.unsignedinteger]:
    """Codes as narrow numbers, so that more of them are in the cache."""
    kinds = (np.uint8, np.uint16, np.uint32)
    return column.astype(next(k for k in kinds if cardinality <= np.iinfo(k).max + 1))


def _runs(columns: Columns) -> NDArray[np.uint32]:
    """For each number of first attributes, which of the sorted tuples agree on them."""
    width, n = columns.shape
    runs, new = np.zeros((width + 1, n), np.uint32), np.zeros(n, np.bool_)
    for a in range(width):
        new[1:] |= columns[a, 1:] != columns[a, :-1]
        np.cumsum(new, out=runs[a + 1], dtype=np.uint32)
    return runs


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
