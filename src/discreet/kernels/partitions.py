"""Partitions of tuples into classes, refined by one attribute after the other.

A class of one tuple can split no more: it is settled, counted once, and leaves. The other tuples
lie class by class, so that an attribute splits them with tables no larger than its codes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compilation import njit

_U64 = np.uint64


class Partitions(NamedTuple):
    """A stack of partitions, a row each; row 0 holds all tuples in one class.

    Attributes
    ----------
    order : array (rows, tuples)
        The tuples of classes that are not settled, class by class.
    weight, start : arrays (rows, tuples)
        Records of each of them, and the number of records listed before its class.
    end : array (rows, classes)
        Where each class ends.
    size : array (rows, 2)
        How many tuples and classes are listed.
    settled : array (rows, 3)
        Of the classes that are settled: their number, those of one record, the sum of squares.
    """

    order: NDArray[np.uint32]
    weight: NDArray[np.uint64]
    start: NDArray[np.uint64]
    end: NDArray[np.uint32]
    size: NDArray[np.uint64]
    settled: NDArray[np.uint64]


class Tables(NamedTuple):
    """Room for one number per code; all but ``held`` are zero between two uses."""

    held: NDArray[np.uint64]
    records: NDArray[np.uint64]
    tuples: NDArray[np.uint32]
    place: NDArray[np.uint32]
    start: NDArray[np.uint64]


def partitions_of(weights: NDArray[np.uint64], rows: int) -> Partitions:
    """Room for partitions of some tuples, with the first one filled in."""
    n = len(weights)
    made = Partitions(
        np.empty((rows, n), np.uint32),
        np.empty((rows, n), np.uint64),
        np.empty((rows, n), np.uint64),
        np.empty((rows, max(n // 2, 1)), np.uint32),
        np.zeros((rows, 2), np.uint64),
        np.zeros((rows, 3), np.uint64),
    )
    made.order[0], made.weight[0], made.start[0] = np.arange(n), weights, 0
    made.end[0, 0], made.size[0] = n, (n, 1)
    return made


def tables_for(codes: int) -> Tables:
    """Tables for codes below a number."""
    return Tables(
        np.zeros(codes, np.uint64),
        np.zeros(codes, np.uint64),
        np.zeros(codes, np.uint32),
        np.zeros(codes, np.uint32),
        np.zeros(codes, np.uint64),
    )


@njit(cache=True, nogil=True)
def refine(partitions, row, column, tables, figures) -> None:  # type: ignore[no-untyped-def]
    """Split the classes of a row by an attribute, into the next row.

    ``figures`` get what was not settled before: classes, classes of one record, squares.
    """
    end, settled = partitions.end[row], partitions.settled[row + 1]
    settled[:] = partitions.settled[row]
    partitions.size[row + 1] = _U64(0)
    squares, before, begin = _U64(0), _U64(0), np.uint32(0)
    for c in range(partitions.size[row, 1]):
        _tally(partitions, row, column, begin, end[c], tables)
        before, more = _split(partitions, row, column, begin, end[c], tables, before)
        squares += more
        begin = end[c]
    figures[0] = partitions.size[row + 1, 1] + settled[0] - partitions.settled[row, 0]
    figures[1] = settled[1] - partitions.settled[row, 1]
    figures[2] = squares + settled[2] - partitions.settled[row, 2]


@njit(cache=True, nogil=True)
def _tally(partitions, row, column, begin, end, tables):  # type: ignore[no-untyped-def]
    """Tuples and records of a class, by code."""
    order, weight = partitions.order[row], partitions.weight[row]
    for i in range(begin, end):
        code = column[order[i]]
        tables.tuples[code] += np.uint32(1)
        tables.records[code] += weight[i]


@njit(cache=True, nogil=True)
def _split(partitions, row, column, begin, end, tables, before):  # type: ignore[no-untyped-def]
    """List the parts of a class that can split further, settle the others, clear the tables."""
    order, weight = partitions.order[row], partitions.weight[row]
    size, settled = partitions.size[row + 1], partitions.settled[row + 1]
    to_order, to_weight = partitions.order[row + 1], partitions.weight[row + 1]
    to_start, to_end = partitions.start[row + 1], partitions.end[row + 1]
    listed, classes, squares = size[0], size[1], _U64(0)
    for i in range(begin, end):
        code, w = column[order[i]], weight[i]
        f = tables.records[code]
        tables.records[code] = _U64(0)
        if f != _U64(0):  # the first tuple of its part
            if tables.tuples[code] == np.uint32(1):
                tables.tuples[code] = np.uint32(0)
                settled[0] += _U64(1)
                settled[1] += _U64(w == _U64(1))
                settled[2] += w * w
                continue
            tables.place[code], tables.start[code] = listed, before
            listed, before, squares = listed + tables.tuples[code], before + f, squares + f * f
            to_end[classes] = listed
            classes += _U64(1)
        at = tables.place[code]
        to_order[at], to_weight[at], to_start[at] = order[i], w, tables.start[code]
        tables.place[code] = at + np.uint32(1)
        tables.tuples[code] -= np.uint32(1)
    size[0], size[1] = listed, classes
    return before, squares
