"""Known sets that are likely enough, and unions of them that are counted together.

Counting records is dear, summing up cells is cheap. Known sets are merged into few unions of
attributes with few cells each: the records are counted once per union, and the counts of every set
in it are summed up from the cells. A set with too many cells for that belongs to a union that is
refined instead: its classes are split by one attribute after the other (see ``refinement``), and
the sets passed on the way need no table.

The plan follows from the sets, the cardinalities and the number of records alone, so every engine
adds in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.known_sets.arrays import Advance, Each, Set

# From measurements with a million and ten million records (benchmarks/record_risk.py), in ns.
_RECORD, _ATTRIBUTE, _CELL = 1.5, 0.17, 8.0  # to count and look up, to pack, to sum up
_FAR, _FARTHER = 18, 0.8  # from 2^17 cells on, every doubling costs more per record
_DEALT, _SPLIT = 18.0, 5.0  # per record: to deal it out, and to split the classes once
_FEWEST, _MOST = 2**12, 2**22  # cells: fewer cost next to nothing, more need too much memory


@dataclass(frozen=True)
class Union:
    """Attributes that are counted together.

    Attributes
    ----------
    attributes : tuple of int
        Ascending in a table; the one with most values first where classes are refined.
    members : tuple of int
        The positions of its known sets in the list of all, ascending.
    table : bool
        Whether every combination of codes gets a cell.
    """

    attributes: Set
    members: tuple[int, ...]
    table: bool


def unions(sets: Sequence[Set], cardinalities: Sequence[int], n: int) -> list[Union]:
    """Divide the known sets, all but the empty one, among unions.

    Parameters
    ----------
    sets : sequence of tuples of ascending attribute numbers
    cardinalities : number of values, per attribute
    n : number of records

    Examples
    --------
    >>> sets = [(), (0,), (1,), (2,), (0, 1), (1, 2), (1, 3)]
    >>> for union in unions(sets, [17, 2, 7, 10**6], n=20_000):
    ...     print(union)
    Union(attributes=(0, 1, 2), members=(1, 2, 3, 4, 5), table=True)
    Union(attributes=(3, 1), members=(6,), table=False)
    """
    radices = [int(c) for c in cardinalities]  # numpy integers would overflow in a product
    rooms = {max(_FEWEST, min(cells, _MOST)) for cells in (n // 4, n)}
    plans = [_plan(sets, radices, n, room) for room in sorted(rooms)]
    return min(plans, key=lambda plan: sum(_estimate(union, sets, radices, n) for union in plan))


def _plan(sets: Sequence[Set], radices: Sequence[int], n: int, room: int) -> list[Union]:
    """Count sets of up to `room` cells in tables, refine the others and what they pass."""
    place = {known: i for i, known in enumerate(sets) if known}
    falling = sorted(range(len(radices)), key=lambda a: (-radices[a], a))
    rank = {a: i for i, a in enumerate(falling)}  # attributes with more values come first
    large = [known for known in place if prod(radices[a] for a in known) > room]
    passed = {tuple(sorted(step)) for known in large for step in _steps(known, rank)}
    small = [known for known in place if known not in passed]
    tables = _merged(_facets(small), radices, n, room)
    refined = [known for known in place if known in passed]
    return _counted(small, tables, place, radices) + _refined(refined, place, rank)


def _steps(known: Set, rank: Mapping[int, int]) -> list[Set]:
    """The sets that a set is refined from, one attribute after the other, and itself."""
    order = sorted(known, key=rank.__getitem__)
    return [tuple(order[: i + 1]) for i in range(len(order))]


def _estimate(union: Union, sets: Sequence[Set], radices: Sequence[int], n: int) -> float:
    """About how many nanoseconds a union takes."""
    if union.table:
        return float(_cost(prod(radices[a] for a in union.attributes), len(union.attributes), n))
    rank = {a: i for i, a in enumerate(union.attributes)}
    steps = {step for member in union.members for step in _steps(sets[member], rank)}
    return n * (_DEALT + _SPLIT * len(steps))


def _facets(sets: Collection[Set]) -> list[Set]:
    """The largest sets: with a known set all its subsets are known sets."""
    inner = {known[:i] + known[i + 1 :] for known in sets for i in range(len(known))}
    return [known for known in sets if known not in inner]


def _merged(facets: Sequence[Set], radices: Sequence[int], n: int, room: int) -> list[Set]:
    """Put each facet, the largest first, where it adds least; alone, where that costs less."""
    size = np.array(radices, dtype=np.float64)
    has = np.zeros((len(facets), len(radices)), dtype=bool)
    cells, found = np.ones(len(facets)), 0
    for facet in sorted(facets, key=lambda known: (-prod(radices[a] for a in known), known)):
        at, so_far = list(facet), has[:found]
        joint = cells[:found] * np.where(so_far[:, at], 1.0, size[at]).prod(axis=1)
        width = so_far.sum(axis=1)
        added = _cost(joint, width + (~so_far[:, at]).sum(axis=1), n)
        added -= _cost(cells[:found], width, n)
        added[joint > room] = np.inf
        into = int(added.argmin()) if found else 0
        if not found or added[into] >= _cost(size[at].prod(), len(at), n):
            into, found = found, found + 1
        has[into, at] = True
        cells[into] = size[has[into]].prod()
    return [tuple(np.flatnonzero(row).tolist()) for row in has[:found]]


def _cost(cells: Any, width: Any, n: int) -> Any:
    """About how many nanoseconds a table of so many cells and attributes takes."""
    doublings = np.maximum(np.frexp(cells)[1] - _FAR, 0)
    return n * (_RECORD + _ATTRIBUTE * width + _FARTHER * doublings) + _CELL * cells


def _counted(
    sets: Sequence[Set], tables: Sequence[Set], place: Mapping[Set, int], radices: Sequence[int]
) -> list[Union]:
    """Give each set to the smallest table that holds it."""
    ascending = sorted(range(len(tables)), key=lambda t: prod(radices[a] for a in tables[t]))
    masks = [(t, _mask(tables[t])) for t in ascending]
    members: list[list[int]] = [[] for _ in tables]
    for known in sets:
        own = _mask(known)
        members[next(t for t, mask in masks if own & mask == own)].append(place[known])
    return [Union(t, tuple(m), True) for t, m in zip(tables, members, strict=True) if m]


def _mask(attributes: Set) -> int:
    return sum(1 << a for a in attributes)


def _refined(sets: Sequence[Set], place: Mapping[Set, int], rank: Mapping[int, int]) -> list[Union]:
    """One union for all sets with the same attribute of most values: it splits them first."""
    by_root: dict[int, list[Set]] = {}
    for known in sets:
        by_root.setdefault(min(known, key=rank.__getitem__), []).append(known)
    return [
        Union(
            tuple(sorted({a for known in by_root[root] for a in known}, key=rank.__getitem__)),
            tuple(place[known] for known in by_root[root]),
            False,
        )
        for root in sorted(by_root, key=rank.__getitem__)
    ]


class SetProgress:
    """Counts the sets of a plan; the empty set, which is in no union, is done from the start."""

    def __init__(self, advance: Advance | None, sets: int, plan: Sequence[Union]) -> None:
        self._advance, self._sets = advance, sets
        self._done = sets - sum(len(union.members) for union in plan)

    def add(self, union: Union) -> None:
        """Count the sets of a union as done."""
        self._done += len(union.members)
        self._tell(self._done)

    def within(self, union: Union, each: Each) -> Each:
        """A map that tells how much of a union is done."""

        def mapped(step: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
            for i, found in enumerate(each(step, items)):
                self._tell(self._done + len(union.members) * i // len(items))
                yield found

        return mapped

    def _tell(self, done: int) -> None:
        if self._advance is not None:
            self._advance(done, self._sets)


# -- The known sets that are likely enough: Figure 1 of Orooji and Knapp, a size at a time ---------
#
# PK(KS) is the product of the probabilities of its attributes. A set is kept while PK > ε; adding
# an attribute cannot raise the product, so no superset of a dropped set needs a look. This holds
# for rounded products too: multiplying by a number of at most 1 never rounds upwards past the
# factor.


_ROUNDING = 1e-12  # a product that equals ε but for rounding is dropped
_AT_ONCE = 4096  # sets that are extended together: bounds the memory


class TooManySets(Exception):
    """More sets are kept than the limit allows; `found` were when the search stopped."""

    def __init__(self, found: int, limit: int) -> None:
        self.found = found
        self.limit = limit


def known_sets(
    probabilities: Sequence[float], epsilon: float, limit: int
) -> tuple[list[Set], Floats]:
    """Return all sets of attributes with PK > ε, and their PK.

    Parameters
    ----------
    probabilities : sequence of float
        How likely each attribute is to be known, between 0 and 1; 0 is never known.
    epsilon : float
        From 0 (all sets with PK > 0) to 1 (the empty set alone).
    limit : int
        The most sets to return.

    Returns
    -------
    sets : list of tuples of ascending attribute numbers
        The empty set first (PK = 1, never dropped), then by size, then by attribute numbers.
    pk : array of float
        Multiplied in the order of the attributes, so that the last bit is the same everywhere.

    Raises
    ------
    TooManySets
        As soon as more than `limit` are found.

    Examples
    --------
    >>> sets, pk = known_sets([0.3, 0.8, 0.7, 0.005, 0.001], epsilon=0.2, limit=100)
    >>> sets
    [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    >>> pk.round(3).tolist()
    [1.0, 0.3, 0.8, 0.7, 0.24, 0.21, 0.56]
    """
    likely = np.asarray(probabilities, dtype=np.float64)
    sets: list[Set] = [()]
    parts = [np.ones(1)]
    size = (np.empty((1, 0), dtype=np.int64), np.ones(1))
    while len(size[1]):
        size = _one_larger(*size, likely, epsilon * (1 + _ROUNDING), len(sets), limit)
        sets += [tuple(row) for row in size[0].tolist()]
        parts.append(size[1])
    return sets, np.concatenate(parts)


def _one_larger(
    sets: Ints, pk: Floats, likely: Floats, bound: float, found: int, limit: int
) -> tuple[Ints, Floats]:
    """Extend every set by every later attribute; what is kept is in the order of its numbers."""
    extended = [(sets[:0, :0].reshape(0, sets.shape[1] + 1), pk[:0])]
    for start in range(0, len(pk), _AT_ONCE):
        some = sets[start : start + _AT_ONCE]
        last = some[:, -1:] if some.shape[1] else np.full((len(some), 1), -1)
        products = pk[start : start + _AT_ONCE, None] * likely
        row, added = np.nonzero((products > bound) & (np.arange(len(likely)) > last))
        extended.append((np.column_stack([some[row], added]), products[row, added]))
        found += len(row)
        if found > limit:
            raise TooManySets(found, limit)
    return np.concatenate([s for s, _ in extended]), np.concatenate([p for _, p in extended])
