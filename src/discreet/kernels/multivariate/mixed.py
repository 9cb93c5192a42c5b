"""MDAV of records with continuous, ordinal and nominal attributes [1]_.

The squared distance of two records is the sum of those of their attributes: the squared difference
of continuous values, ((a - b) / range)^2 of ordinal ranks, and 0 or 1 for nominal values that are
equal or not. The average record has means, medians (or convex medians), and most frequent values;
of equally frequent ones the smallest code. Ties and precision are those of ``mdav``; ordinal
attributes are summed after continuous ones, and nominal ones last.

References
----------
.. [1] Domingo-Ferrer, Torra, "Ordinal, continuous and heterogeneous k-anonymity through
   microaggregation", 2005: Algorithm 5.1, Sections 5.2 to 5.4.
"""

from typing import Literal, NamedTuple

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate import nearest
from discreet.kernels.multivariate.arrays import Watch, kernel, unwatched
from discreet.kernels.multivariate.brute import add_squared_differences, farthest, nearest_places
from discreet.kernels.multivariate.sums import add, centroid

Average = Literal["median", "convex"]


class _Table(NamedTuple):
    """The records that are left, first in every column."""

    numbers: Floats  # (d, n)
    ranks: Floats  # (o, n)
    codes: Ints  # (c, n)
    ranges: Floats  # (o,)
    left: Ints  # (n,): record numbers


class _Averages(NamedTuple):
    """What the average record of the records that are left is made from, and that record."""

    sums: Floats  # (d, 2)
    rank_counts: Ints  # (o, categories)
    code_counts: Ints  # (c, categories)
    number: Floats  # (d,)
    rank: Floats  # (o,)
    code: Ints  # (c,)


class _Room(NamedTuple):
    """Room for one group: the ranks of its seed, distances, and the heap of nearest records."""

    rank: Floats  # (o,)
    distances: Floats  # (n,)
    bits: Ints  # the same memory read as integers
    near: Floats
    records: Ints
    places: Ints


def mdav_mixed(
    points: Floats,
    ranks: Ints,
    ranges: Floats,
    codes: Ints,
    k: int,
    *,
    average: Average = "median",
    watch: Watch | None = None,
) -> Ints:
    """Partition records of mixed attributes into groups of k to 2k - 1 neighbours.

    Parameters
    ----------
    points : array of float, shape (n, d): continuous attributes, standardised
    ranks : array of int, shape (n, o): ordinal attributes, categories numbered from 0 in order
    ranges : array of float, shape (o,)
        What a difference of ranks is divided by: the number of categories as in equation (1) of
        [1]_, or one less, so that the two ends are at distance 1.
    codes : array of int, shape (n, c): nominal attributes, categories numbered from 0
    k : smallest group size, ``1 <= k <= n``
    average : of ordinal attributes, ``"median"`` (the lower one) or ``"convex"`` median

    Returns
    -------
    labels : array of int, the group of every record, numbered from 0 in the order of creation

    Examples
    --------
    >>> ages, none = np.array([[-1.0], [-0.5], [0.5], [1.5]]), np.empty((4, 0), np.int64)
    >>> jobs = np.array([[0], [1], [1], [0]])
    >>> mdav_mixed(ages, none, np.empty(0), jobs, 2).tolist()
    [1, 1, 0, 0]
    """
    n, d = points.shape
    points, near = np.ascontiguousarray(points, np.float64), np.empty(k - 1)
    table = _Table(
        np.array(points.T, order="C"),
        np.array(ranks.T, np.float64, order="C"),
        np.array(codes.T, np.int64, order="C"),
        np.ascontiguousarray(ranges, np.float64),
        np.arange(n),
    )
    averages = _Averages(
        np.zeros((d, 2)),
        np.zeros((ranks.shape[1], int(ranks.max(initial=0)) + 1), np.int64),
        np.zeros((codes.shape[1], int(codes.max(initial=0)) + 1), np.int64),
        np.empty(d),
        np.empty(ranks.shape[1]),
        np.empty(codes.shape[1], np.int64),
    )
    heap, places = np.empty(k - 1, np.int64), np.empty(k - 1, np.int64)
    labels = np.full(n, -1)
    ranks = np.ascontiguousarray(ranks, np.int64)
    codes = np.ascontiguousarray(codes, np.int64)
    watch = unwatched() if watch is None else watch
    convex, distances = average == "convex", np.empty(n)
    room = _Room(np.empty(ranks.shape[1]), distances, distances.view(np.int64), near, heap, places)
    _groups(points, ranks, codes, k, convex, table, averages, room, labels, watch)
    return labels


@kernel
def _groups(
    points: Floats,
    ranks: Ints,
    codes: Ints,
    k: int,
    convex: bool,
    table: _Table,
    averages: _Averages,
    room: _Room,
    labels: Ints,
    watch: Watch,
) -> None:
    """Follow Algorithm 5.1: pairs of opposite groups while 3k records are left, then the rest."""
    left, distances, bits, near = table.left, room.distances, room.bits, room.near
    records, places, rank = room.records, room.places, room.rank
    m, label = len(points), 0
    for i in range(m):
        _count(points, ranks, codes, i, np.int64(1), averages)
    while m >= 2 * k and watch[1] == 0:
        pair = m >= 3 * k
        _average(averages, m, convex)
        _distances(table, m, averages.number, averages.rank, averages.code, distances)
        place = farthest(bits, left, m)
        for _ in range(2 if pair else 1):
            seed, m = left[place], m - 1
            labels[seed] = label
            _count(points, ranks, codes, seed, np.int64(-1), averages)
            _drop(table, distances, place, m)
            for j in range(len(rank)):
                rank[j] = ranks[seed, j]
            _distances(table, m, points[seed], rank, codes[seed], distances)
            nearest.clear(near, records)
            nearest_places(distances, left, m, near, records, places)
            for size in range(k - 1, 0, -1):
                record, place = nearest.pop(near, records, places, size)
                labels[record] = label
                _count(points, ranks, codes, record, np.int64(-1), averages)
                records[size - 1] = place
            nearest.ascend(records)
            for i in range(k - 2, -1, -1):  # from the back: what moves up is not to be dropped
                m -= 1
                _drop(table, distances, records[i], m)
            label += 1
            watch[0] += k
            place = farthest(bits, left, m)
    for i in range(m):
        labels[left[i]] = label


@kernel
def _count(
    points: Floats, ranks: Ints, codes: Ints, record: int, sign: np.int64, averages: _Averages
) -> None:
    """Put a record into sums and counts, or take it out."""
    add(averages.sums, points, record, float(sign))
    for j in range(ranks.shape[1]):
        averages.rank_counts[j, ranks[record, j]] += sign
    for j in range(codes.shape[1]):
        averages.code_counts[j, codes[record, j]] += sign


@kernel
def _average(averages: _Averages, m: int, convex: bool) -> None:
    """Write the average record, attribute by attribute."""
    centroid(averages.sums, m, averages.number)
    for j in range(len(averages.rank)):
        counts = averages.rank_counts[j]
        averages.rank[j] = convex_median(counts) if convex else median(counts)
    for j in range(len(averages.code)):
        averages.code[j] = plurality(averages.code_counts[j])


@kernel
def _distances(
    table: _Table, m: int, number: Floats, rank: Floats, code: Ints, out: Floats
) -> None:
    """Write the squared distances of the records that are left from one record."""
    step = 1024  # stays in the first-level cache
    for start in range(0, m, step):
        part = out[start : min(start + step, m)]
        for i in range(len(part)):
            part[i] = 0.0
        for j in range(len(number)):
            add_squared_differences(table.numbers[j, start:], number[j], part)
        for j in range(len(rank)):
            x, centre, width = table.ranks[j, start:], rank[j], table.ranges[j]
            for i in range(len(part)):
                difference = (x[i] - centre) / width
                part[i] += difference * difference
        for j in range(len(code)):
            z, centre_code = table.codes[j, start:], code[j]
            for i in range(len(part)):
                part[i] += 0.0 if z[i] == centre_code else 1.0


@kernel
def _drop(table: _Table, distances: Floats, place: int, last: int) -> None:
    """Let the last record take a place."""
    for j in range(len(table.numbers)):
        table.numbers[j, place] = table.numbers[j, last]
    for j in range(len(table.ranks)):
        table.ranks[j, place] = table.ranks[j, last]
    for j in range(len(table.codes)):
        table.codes[j, place] = table.codes[j, last]
    table.left[place], distances[place] = table.left[last], distances[last]


# -- Averages of categories, from how many records have each ---------------------------------------
#
# Median, convex median, plurality [1]_.
#
# References
# ----------
# .. [1] Domingo-Ferrer, Torra, "Ordinal, continuous and heterogeneous k-anonymity through
#    microaggregation", 2005: Definitions 5.2 and 5.3, Section 5.4, Figure 2.


@kernel
def median(counts: Ints) -> int:
    """Return the lower median: the first category that half of the records do not exceed.

    Examples
    --------
    >>> import numpy as np
    >>> median(np.array([0, 1, 2, 0, 0, 1, 1, 0]))  # {1, 2, 2, 5, 6}
    2
    """
    total, below = 0, 0
    for count in counts:
        total += count
    for category in range(len(counts)):
        below += counts[category]
        if 2 * below >= total:
            return category
    return 0


@kernel
def convex_median(counts: Ints) -> int:
    """Return the lower median of the convex frequencies.

    A category's convex frequency is the smaller of the largest frequency up to it and the largest
    from it on (Definition 5.3); so a gap between frequent categories is filled.

    Examples
    --------
    >>> import numpy as np
    >>> convex_median(np.array([0, 1, 2, 0, 0, 1, 1, 0]))  # {1, 2, 2, 5, 6}: the median is 2
    3
    >>> convex_median(np.array([0, 1, 1, 0, 0, 0, 0, 1]))  # {1, 2, 7}: the median is 2
    4
    """
    # Up to the mode the largest frequency so far is the smaller one, after it the largest to come.
    mode, total, largest = plurality(counts), 0, 0
    for category in range(mode + 1):
        largest = max(largest, counts[category])
        total += largest
    largest = 0
    for category in range(len(counts) - 1, mode, -1):
        largest = max(largest, counts[category])
        total += largest
    below, largest = 0, 0
    for category in range(mode + 1):
        largest = max(largest, counts[category])
        below += largest
        if 2 * below >= total:
            return category
    above, largest, category = 0, 0, len(counts) - 1
    while category > mode:  # from the end: the first to leave less than half below it
        largest = max(largest, counts[category])
        above += largest
        if 2 * (total - above) < total:
            return category
        category -= 1
    return mode


@kernel
def plurality(counts: Ints) -> int:
    """Return the most frequent category, the first among equals.

    Examples
    --------
    >>> import numpy as np
    >>> plurality(np.array([1, 3, 0, 3]))
    1
    """
    best = 0
    for category in range(len(counts)):
        if counts[category] > counts[best]:
            best = category
    return best
