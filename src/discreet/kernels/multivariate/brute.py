"""MDAV by computing every distance: O(n^2 / k) distances, the quickest for few records.

The records that are left stand first in every column; a record taken away gives its place to the
last one.
"""

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate import nearest
from discreet.kernels.multivariate.arrays import Watch, kernel, unwatched
from discreet.kernels.multivariate.sums import add, add_all, centroid


def brute_groups(points: Floats, k: int, watch: Watch | None = None) -> Ints:
    """Group records by MDAV, comparing each seed with every record that is left.

    Parameters and result are those of ``mdav``.
    """
    n, d = points.shape
    points, labels = np.ascontiguousarray(points), np.empty(n, np.int64)
    near, heap, places = np.empty(k - 1), np.empty(k - 1, np.int64), np.empty(k - 1, np.int64)
    columns, left, sums = np.array(points.T, order="C"), np.arange(n), np.zeros((d, 2))
    watch = unwatched() if watch is None else watch
    centre, distances = np.empty(d), np.empty(n)
    bits = distances.view(np.int64)
    _groups(
        points,
        columns,
        left,
        k,
        sums,
        near,
        heap,
        places,
        centre,
        distances,
        bits,
        labels,
        watch,
    )
    return labels


@kernel
def _groups(
    points: Floats,
    columns: Floats,
    left: Ints,
    k: int,
    sums: Floats,
    near: Floats,
    records: Ints,
    places: Ints,
    centre: Floats,
    distances: Floats,
    bits: Ints,
    labels: Ints,
    watch: Watch,
) -> None:
    """Follow Algorithm 5.1: pairs of opposite groups while 3k records are left, then the rest.

    ``bits`` are the distances' own.
    """
    m, label = len(points), 0
    add_all(sums, points)
    while m >= 2 * k and watch[1] == 0:
        pair = m >= 3 * k
        centroid(sums, m, centre)
        squared_distances(columns, m, centre, distances)
        place = farthest(bits, left, m)
        for _ in range(2 if pair else 1):
            seed, m = left[place], m - 1
            labels[seed] = label
            add(sums, points, seed, -1.0)
            _drop(columns, left, distances, place, m)
            squared_distances(columns, m, points[seed], distances)
            nearest.clear(near, records)
            nearest_places(distances, left, m, near, records, places)
            for size in range(k - 1, 0, -1):
                record, place = nearest.pop(near, records, places, size)
                labels[record] = label
                add(sums, points, record, -1.0)
                records[size - 1] = place
            nearest.ascend(records)
            for i in range(k - 2, -1, -1):  # from the back: what moves up is not to be dropped
                m -= 1
                _drop(columns, left, distances, records[i], m)
            label += 1
            watch[0] += k
            place = farthest(bits, left, m)
    for i in range(m):
        labels[left[i]] = label


@kernel
def squared_distances(columns: Floats, m: int, centre: Floats, out: Floats) -> None:
    """Write the squared distances of the first m records, summed in the order of the columns."""
    step = 1024  # stays in the first-level cache
    for start in range(0, m, step):
        part = out[start : min(start + step, m)]
        for i in range(len(part)):
            part[i] = 0.0
        for j in range(len(centre)):
            add_squared_differences(columns[j, start:], centre[j], part)


@kernel
def add_squared_differences(x: Floats, centre: float, out: Floats) -> None:
    """Add the squared differences of values from a centre, as many as ``out`` has room for."""
    for i in range(len(out)):
        difference = x[i] - centre
        out[i] += difference * difference


@kernel
def farthest(bits: Ints, left: Ints, m: int) -> int:
    """Find the place of the largest distance, given as bits; the smallest record number among
    equals."""
    most, best = np.int64(-1), -1
    for i in range(m):  # distances are not negative: they order like their bit patterns
        most = max(most, bits[i])
    for i in range(m):
        if bits[i] == most and (best < 0 or left[i] < left[best]):
            best = i
    return best


@kernel
def nearest_places(
    distances: Floats, left: Ints, m: int, near: Floats, records: Ints, places: Ints
) -> None:
    """Offer the first m records to the heap."""
    if len(near) == 0:
        return
    for i in range(m):
        if distances[i] <= near[0]:
            nearest.offer(near, records, places, distances[i], left[i], i)


@kernel
def _drop(columns: Floats, left: Ints, distances: Floats, place: int, last: int) -> None:
    """Let the last record take a place."""
    for j in range(len(columns)):
        columns[j, place] = columns[j, last]
    left[place], distances[place] = left[last], distances[last]
