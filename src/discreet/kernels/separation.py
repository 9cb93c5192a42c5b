"""Separation: how well each set of attributes tells records apart, for all sets up to a size.

Sets are visited depth first, each from the partition that the set before it made, and one pass
over its tuples counts a set. The widest attributes come first, because their classes are settled
soonest. Threads share the sets by their first attribute; the counts do not depend on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Ints
from discreet.kernels.coded_tuples import CodedTuples, attribute_sets, number_of_sets
from discreet.kernels.compilation import njit

_U64 = np.uint64
_SMALL = 4  # tuples per class, on average: below, one pass over all is quicker than class by class


class Separation(NamedTuple):
    """Counts for each set of attributes, in the order of :func:`attribute_sets`.

    Attributes
    ----------
    classes : array
        Number of classes.
    uniques : array
        Records alone in their class.
    pairs : array
        Pairs of records in the same class: those that the set does not separate.
    """

    classes: Ints
    uniques: Ints
    pairs: Ints


def separation(
    tuples: CodedTuples,
    up_to: int,
    *,
    threads: int = 1,
    watch: Ints | None = None,
) -> Separation:
    """Count classes, uniques and unseparated pairs of all sets of up to ``up_to`` attributes.

    Parameters
    ----------
    tuples : CodedTuples
        A missing value is a value.
    up_to : int
    threads : int
        The sets are shared out; the result does not depend on it.
    watch : array of two numbers, optional
        The first one counts sets (with several threads, about); the second one ends it early.

    Examples
    --------
    >>> sex, age = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> found = separation(CodedTuples([sex, age], [2, 2], np.array([1, 1, 2])), 2)
    >>> found.classes.tolist(), found.uniques.tolist(), found.pairs.tolist()
    ([2, 2, 3], [0, 1, 2], [2, 3, 1])
    """
    codes, cardinalities, counts, _ = tuples
    width, depth = len(codes), min(up_to, len(codes))
    watch = np.zeros(2, dtype=np.int64) if watch is None else watch
    wide = sorted(range(width), key=lambda a: (-int(cardinalities[a]), a))
    columns = np.stack([np.asarray(codes[a], dtype=np.uint32) for a in wide])
    sizes = np.array([cardinalities[a] for a in wide], dtype=np.int64)
    weights = np.asarray(counts, dtype=np.uint64)
    left = [number_of_sets(width - a, depth) for a in range(width + 1)]
    ends = left[0] - np.array(left[1:], dtype=np.int64)
    figures = np.zeros((ends[-1], 3), dtype=np.uint64)
    parts = np.split(figures, ends[:-1])
    free: SimpleQueue[tuple[Partitions, Tables]] = SimpleQueue()
    for _ in range(threads):
        free.put((partitions_of(weights, depth), tables_for(int(sizes.max()))))

    def visit(first: int) -> None:
        place = free.get()
        _walk(columns, sizes, first, *place, parts[first], watch)
        free.put(place)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(visit, range(width)))
    return _separation(figures[_places(wide, depth)], int(weights.sum()))


def _places(wide: Sequence[int], depth: int) -> Ints:
    """Where each set stands in the order of the walk: lexicographic, a set before its supersets."""
    rank = {a: i for i, a in enumerate(wide)}
    sets = attribute_sets(len(wide), depth)
    walked = {chosen: i for i, chosen in enumerate(sorted(sets))}
    return np.array([walked[tuple(sorted(rank[a] for a in s))] for s in sets], dtype=np.int64)


def _separation(figures: NDArray[np.uint64], n: int) -> Separation:
    classes, uniques, squares = (figures[:, i].astype(np.int64) for i in range(3))
    return Separation(classes, uniques, (squares - n) // 2)  # Σ f(f − 1)/2 = (Σ f² − Σ f)/2


@njit(cache=True, nogil=True)
def _walk(columns, sizes, first, partitions, tables, figures, watch):  # type: ignore[no-untyped-def]
    """Count all sets that begin with an attribute, in lexicographic order."""
    width, depth = len(columns), len(partitions.size)
    chosen = np.empty(depth, np.int64)
    chosen[0], row = first, 0
    records, offset = partitions.weight[0].sum(), _U64(0)
    tables.held[:] = offset
    for at in range(len(figures)):
        a = chosen[row]
        deeper = row + 1 < depth and a + 1 < width
        if deeper:
            refine(partitions, row, columns[a], tables, figures[at])
        elif partitions.size[row, 0] < _SMALL * partitions.size[row, 1]:
            _count_all(partitions, row, columns[a], tables.held, offset, figures[at])
            offset += records
        else:
            _count_classes(partitions, row, columns[a], tables.records[: sizes[a]], figures[at])
        for i in range(3):
            figures[at, i] += partitions.settled[row, i]
        if deeper:
            row += 1
            chosen[row] = a
        while row > 0 and chosen[row] + 1 == width:
            row -= 1
        chosen[row] += 1
        watch[0] += 1
        if watch[1] != 0:
            return


@njit(cache=True, nogil=True)
def _count_all(partitions, row, column, held, offset, figures):  # type: ignore[no-untyped-def]
    """Count the classes of a set in one pass over the tuples.

    What a code holds is a running number of records, from ``offset`` on; less than the number
    where a class starts means none of this class, so that nothing has to be cleared.
    """
    order, weight, start = partitions.order[row], partitions.weight[row], partitions.start[row]
    classes, alone, squares = _U64(0), _U64(0), _U64(0)
    for i in range(partitions.size[row, 0]):
        base, w, code = offset + start[i], weight[i], column[order[i]]
        now = max(held[code], base)
        before = now - base
        held[code] = now + w
        squares += w * (before + before + w)
        classes += _U64(before == _U64(0))
        alone += _U64((before == _U64(0)) & (w == _U64(1)))
        alone -= _U64(before == _U64(1))  # who was alone is so no longer
    figures[0], figures[1], figures[2] = classes, alone, squares


@njit(cache=True, nogil=True)
def _count_classes(partitions, row, column, records, figures):  # type: ignore[no-untyped-def]
    """Count the classes of a set class by class, which is quicker where they are large."""
    order, weight, end = partitions.order[row], partitions.weight[row], partitions.end[row]
    classes, alone, squares = _U64(0), _U64(0), _U64(0)
    begin = np.uint32(0)
    for c in range(partitions.size[row, 1]):
        for i in range(begin, end[c]):
            records[column[order[i]]] += weight[i]
        few = len(records) < end[c] - begin
        for i in range(0 if few else begin, len(records) if few else end[c]):
            code = np.uint32(i) if few else column[order[i]]
            f = records[code]
            records[code] = _U64(0)
            squares += f * f
            classes += _U64(f != _U64(0))
            alone += _U64(f == _U64(1))
        begin = end[c]
    figures[0], figures[1], figures[2] = classes, alone, squares


# -- Partitions of tuples into classes, refined by one attribute after the other -------------------
#
# A class of one tuple can split no more: it is settled, counted once, and leaves. The other tuples
# lie class by class, so that an attribute splits them with tables no larger than its codes.


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
