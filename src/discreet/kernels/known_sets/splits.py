"""Loops that split classes of rows by the codes of one more attribute."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.compilation import njit
from discreet.kernels.known_sets.arrays import Array, Rows


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
