"""Known sets with too many combinations for a table: classes split by one attribute at a time.

The classes of a set are those of the set without its last attribute, each split by the values of
that attribute. A row that is alone in its class stays alone, so only the others, the *crowd*, are
looked at again; where combinations are many, the crowd is soon small. Sets that begin alike share
their first steps: they form a tree, in which attributes with more values come first.

Classes of the first attribute never mix. Rows are dealt out by it into parts that stay in the
cache, and parts can be refined at the same time: what a row gets follows from its class sizes,
whichever its part. A row is a record, or a row of a frequency set that stands for several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.compilation import njit
from discreet.kernels.known_sets.arrays import Array, Columns, Rows, Set, Weights, Whole
from discreet.kernels.known_sets.counts import add_values

Visit = Callable[[int, Array | None], None]

_PART = 2**16  # rows refined together
_CODES = 2**16  # codes up to here, or up to twice the number of rows, are counted as they are


@dataclass
class SetNode:
    """A set, below the set without its last attribute; no member if it is only passed."""

    member: int | None = None
    children: dict[int, SetNode] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """Rows that share no class with rows elsewhere.

    Attributes
    ----------
    rows : their numbers
    codes, weights : per attribute, the codes of these rows and the sensitivity of each code
    counts : the records that each row stands for; None if one
    sizes : while a set is visited, the records in the class of each row
    """

    rows: Rows
    codes: Mapping[int, Array]
    weights: Mapping[int, Array]
    counts: Array | None
    sizes: Array
    room: Room

    def visit(self, top: SetNode, visit: Visit) -> None:
        """Visit the sets below the empty one, each after the sets it was split from.

        `visit` gets the number of the set and the sensitivity S of each row, None if all are 0.
        """
        everyone = np.arange(len(self.rows), dtype=np.int32)
        self._descend(top, Crowd(everyone, np.array([len(everyone)], np.int32)), None, visit)

    def _descend(self, node: SetNode, crowd: Crowd, spent: Array | None, visit: Visit) -> None:
        if node.member is not None:
            visit(node.member, spent)
        for a, child in node.children.items():
            # Rows outside the crowd keep the sizes they got when they were left alone.
            own = self._split(a, crowd, last=not child.children)
            self._descend(child, own, self._sensitivity(spent, a), visit)

    def _split(self, a: int, crowd: Crowd, last: bool) -> Crowd:
        """Split the classes by an attribute; where nothing follows, only count them."""
        if last:
            count(self.codes[a], crowd, self.counts, self.room, self.sizes)
            return crowd
        return split(self.codes[a], crowd, self.counts, self.room, self.sizes)

    def _sensitivity(self, spent: Array | None, a: int) -> Array | None:
        if a not in self.weights:
            return spent
        total = np.zeros(len(self.rows), self.weights[a].dtype) if spent is None else spent.copy()
        add_values(self.codes[a], self.weights[a], total)
        return total


@dataclass(frozen=True)
class Deal:
    """Rows in the order of their codes on the first attribute, and where each code ends."""

    columns: Mapping[int, Array]
    weights: Mapping[int, Array]
    counts: Array | None
    first: int
    order: Rows
    ends: Ints

    def bounds(self) -> list[tuple[int, int]]:
        """The codes of each part, from and to: as many as fill it, at least one."""
        found, low = [], 0
        while low < len(self.ends):
            begin = self.ends[low - 1] if low else 0
            high = int(np.searchsorted(self.ends, begin + _PART, side="right"))
            found.append((low, max(low + 1, high)))
            low = found[-1][1]
        return found

    def part(self, bounds: tuple[int, int]) -> Part:
        """Gather the rows of a part."""
        low, high = bounds
        rows = self.order[self.ends[low - 1] if low else 0 : self.ends[high - 1]]
        codes = {a: _taken(column, rows) for a, column in self.columns.items()}
        weights = dict(self.weights)
        codes[self.first] = codes[self.first].astype(np.int64) - low
        if self.first in weights:
            weights[self.first] = weights[self.first][low:high]
        counts = None if self.counts is None else _taken(self.counts, rows)
        sizes = np.empty(len(rows), np.int32 if counts is None else np.int64)
        most = max(int(own.max(initial=0)) + 1 for own in codes.values())
        return Part(rows, codes, weights, counts, sizes, room_for(most, len(rows)))


def deal(
    columns: Mapping[int, Array] | Columns,
    cardinalities: Sequence[int],
    attributes: Sequence[int],
    weights: Weights | Whole,
    counts: Array | None = None,
) -> Deal:
    """Sort rows by the first of the attributes. A code that is too large to count is replaced."""
    numbered: dict[int, Array] = {}
    values: dict[int, Array] = {}
    for a in attributes:
        numbered[a], own = columns[a], weights[a]
        if cardinalities[a] > max(_CODES, 2 * len(columns[a])):
            present, rank = np.unique(columns[a], return_inverse=True)
            numbered[a], own = rank.astype(np.int32), None if own is None else own[present]
        if own is not None:
            values[a] = own
    first = numbered[attributes[0]]
    ends = np.zeros(int(first.max(initial=0)) + 1, dtype=np.int64)
    order = np.empty(len(first), dtype=np.int32)
    sort_by_code(first, ends, order)
    return Deal(numbered, values, counts, attributes[0], order, ends)


def tree(sets: Mapping[int, Set], attributes: Sequence[int]) -> SetNode:
    """Arrange numbered sets below the empty one by their attributes, in the order given."""
    top = SetNode()
    for member, known in sets.items():
        node = top
        for a in attributes:
            if a in known:
                node = node.children.setdefault(a, SetNode())
        node.member = member
    return top


def _taken(column: Array, rows: Rows) -> Array:
    out = np.empty(len(rows), column.dtype)
    take(column, rows, out)
    return out


# -- Loops that split classes of rows by the codes of one more attribute ---------------------------


class Crowd(NamedTuple):
    """The rows that share their class, class by class, and where each class ends."""

    order: Rows
    ends: Rows


class Room(NamedTuple):
    """By code, the rows and records of one class, and where its next row goes; reset after use."""

    rows: Rows
    records: Ints
    place: Rows
    codes: NDArray[np.uint32]


def room_for(codes: int, rows: int) -> Room:
    """Room to split classes of up to so many codes and rows."""
    return Room(
        np.zeros(codes, np.int32),
        np.zeros(codes, np.int64),
        np.full(codes, -1, np.int32),
        np.empty(rows, np.uint32),
    )


def split(column: Array, crowd: Crowd, counts: Array | None, room: Room, sizes: Array) -> Crowd:
    """Split classes by a column of codes.

    Writes the records in the new class of each row of the crowd to `sizes`, and returns the rows
    that are not alone in it. `counts` are the records that each row stands for, None if one.
    """
    order, ends = np.empty_like(crowd.order), np.empty(len(crowd.order) // 2, np.int32)
    rows, classes = _split(column, crowd, counts, room, sizes, order, ends)
    return Crowd(order[:rows], ends[:classes])


@njit(cache=True, nogil=True)
def count(column, crowd, counts, room, sizes) -> None:  # type: ignore[no-untyped-def]
    """Write the sizes of the classes split by a column, as `split` does."""
    begin = 0
    for end in crowd.ends:
        members = crowd.order[begin:end]
        _tally(column, members, counts, room)
        for j in range(members.size):
            code = room.codes[j]
            size = room.rows[code] if counts is None else room.records[code]
            sizes[np.uint32(members[j])] = size
        _reset(room, members.size)
        begin = end


@njit(cache=True, nogil=True)
def _split(column, crowd, counts, room, sizes, order, ends):  # type: ignore[no-untyped-def]
    begin = 0
    crowded = np.int32(0)
    classes = np.uint32(0)
    for end in crowd.ends:
        members = crowd.order[begin:end]
        _tally(column, members, counts, room)
        for j in range(members.size):
            i, code = members[j], room.codes[j]
            size = room.rows[code] if counts is None else room.records[code]
            sizes[np.uint32(i)] = size
            if room.rows[code] > 1:
                if room.place[code] < 0:
                    room.place[code] = crowded
                    crowded += room.rows[code]
                    ends[classes] = crowded
                    classes += np.uint32(1)
                order[np.uint32(room.place[code])] = i
                room.place[code] += np.int32(1)
        _reset(room, members.size)
        begin = end
    return crowded, classes


@njit(cache=True, nogil=True)
def _tally(column, members, counts, room):  # type: ignore[no-untyped-def]
    """Count the rows and records of one class by their code."""
    for j in range(members.size):
        i = np.uint32(members[j])
        code = np.uint32(column[i])
        room.codes[j] = code
        room.rows[code] += np.int32(1)
        if counts is not None:
            room.records[code] += counts[i]


@njit(cache=True, nogil=True)
def _reset(room, rows):  # type: ignore[no-untyped-def]
    for j in range(rows):
        code = room.codes[j]
        room.rows[code] = 0
        room.records[code] = 0
        room.place[code] = -1


@njit(cache=True, nogil=True)
def sort_by_code(column, ends, order) -> None:  # type: ignore[no-untyped-def]
    """Counting sort: the rows in the order of their codes, and where each code ends."""
    for i in range(column.size):
        ends[column[i]] += 1
    total = 0
    for code in range(ends.size):
        total, ends[code] = total + ends[code], total
    for i in range(column.size):
        order[ends[column[i]]] = i
        ends[column[i]] += 1


@njit(cache=True, nogil=True)
def take(column, rows, out) -> None:  # type: ignore[no-untyped-def]
    """Copy the codes of some rows."""
    for i in range(rows.size):
        out[i] = column[np.uint32(rows[i])]
