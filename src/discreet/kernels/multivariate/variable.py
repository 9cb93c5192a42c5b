"""V-MDAV: groups of k records that grow while their surroundings are nearer to them than to others.

The record farthest from the centroid of all records and the k - 1 nearest to it form a group. Then
the record e nearest to the group joins it if d(e, group) < gamma * d(e, nearest record without a
group), until the group has 2k - 1 records. The fewer than k records that remain at the end each
join the group of the nearest grouped record [1]_. The distance of a record from a group is that
from the nearest record in it.

Groups keep to 2k - 1 records: the records that remain join groups with room for them, and a group
does not grow when that would leave records without room.

References
----------
.. [1] Solanas, Martínez-Ballesté, "V-MDAV: a multivariate microaggregation with variable group
   size", COMPSTAT 2006. They find gamma = 0.2 good for scattered and 1.1 for clustered data.
"""

from typing import NamedTuple

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate.arrays import Watch, kernel, unwatched
from discreet.kernels.multivariate.brute import farthest, squared_distances
from discreet.kernels.multivariate.sums import add_all, centroid


def v_mdav(points: Floats, k: int, *, gamma: float = 0.2, watch: Watch | None = None) -> Ints:
    """Partition records into groups of k to 2k - 1 neighbours that follow clusters in the data.

    Parameters
    ----------
    points : array of float, shape (n, d): standardised columns
    k : smallest group size, ``1 <= k <= n``
    gamma : how readily groups grow, ``gamma >= 0``; 0 never

    Returns
    -------
    labels : array of int, the group of every record, numbered from 0 in the order of creation

    Examples
    --------
    >>> clusters = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.1], [9.2]])
    >>> v_mdav(clusters, 2, gamma=1.1).tolist()
    [0, 0, 0, 2, 2, 1, 1, 1]
    """
    n, d = points.shape
    points, labels = np.ascontiguousarray(points, np.float64), np.full(n, -1)
    field = _Field(
        np.array(points.T, order="C"),
        np.arange(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
    )
    sums, centre = np.zeros((d, 2)), np.empty(d)
    add_all(sums, points)
    centroid(sums, n, centre)
    watch = unwatched() if watch is None else watch
    _groups(points, k, gamma, centre, field, np.zeros(n // k, np.int64), labels, watch)
    return labels


class _Field(NamedTuple):
    """The records without a group, first in every array."""

    columns: Floats  # (d, n)
    left: Ints  # record numbers
    outer: Floats  # squared distances from the centroid of all records,
    seeded: Floats  # from the seed of the present group,
    inner: Floats  # from the nearest record of that group,
    other: Floats  # and from the record looked at


@kernel
def _groups(
    points: Floats,
    k: int,
    gamma: float,
    centre: Floats,
    field: _Field,
    sizes: Ints,
    labels: Ints,
    watch: Watch,
) -> None:
    """Form and extend groups while k records are left, then deal out the rest."""
    columns, left, inner, other = field.columns, field.left, field.inner, field.other
    m, label, room = len(points), 0, 0
    squared_distances(columns, m, centre, field.outer)
    while m >= k and watch[1] == 0:
        place = farthest(field.outer.view(np.int64), left, m)
        squared_distances(columns, m, points[left[place]], field.seeded)
        inner[:m] = np.inf
        for size in range(k):
            if size > 0:
                place = _nearest(field.seeded, left, m)
            labels[left[place]] = label
            m = _join(points, field, place, m)
        sizes[label] = k
        while m > 1 and sizes[label] < 2 * k - 1:
            # those who remain at the end need room in groups
            if m - 1 < k and m - 1 > room + 2 * k - 2 - sizes[label]:
                break
            place = _nearest(inner, left, m)
            squared_distances(columns, m, points[left[place]], other)
            other[place] = np.inf
            without = np.sqrt(other[_nearest(other, left, m)])
            if not np.sqrt(inner[place]) < gamma * without:
                break
            labels[left[place]] = label
            sizes[label] += 1
            m = _join(points, field, place, m)
        room += 2 * k - 1 - sizes[label]
        label += 1
        watch[0] += sizes[label - 1]
    if watch[1] == 0:
        _deal_out(points, left[:m], k, sizes, labels)


@kernel
def _nearest(distances: Floats, left: Ints, m: int) -> int:
    """Find the place of the smallest distance; the smallest record number among equals."""
    bits, least, best = distances.view(np.int64), np.iinfo(np.int64).max, -1
    for i in range(m):  # distances are not negative: they order like their bit patterns
        least = min(least, bits[i])
    for i in range(m):
        if bits[i] == least and (best < 0 or left[i] < left[best]):
            best = i
    return best


@kernel
def _join(points: Floats, field: _Field, place: int, m: int) -> int:
    """Move a record from the field into the group; return how many are left."""
    columns, left, inner, other = field.columns, field.left, field.inner, field.other
    record, last = left[place], m - 1
    for j in range(len(columns)):
        columns[j, place] = columns[j, last]
    left[place], inner[place] = left[last], inner[last]
    field.outer[place], field.seeded[place] = field.outer[last], field.seeded[last]
    squared_distances(columns, last, points[record], other)
    for i in range(last):
        inner[i] = min(inner[i], other[i])
    return last


@kernel
def _deal_out(points: Floats, rest: Ints, k: int, sizes: Ints, labels: Ints) -> None:
    """Let each remaining record, in their order, join the nearest grouped one's group with room."""
    n, d = points.shape
    rest.sort()
    chosen = np.empty(len(rest), np.int64)
    for r in range(len(rest)):
        best = np.inf
        for i in range(n):
            if labels[i] >= 0 and sizes[labels[i]] < 2 * k - 1:
                square = 0.0
                for j in range(d):
                    difference = points[i, j] - points[rest[r], j]
                    square += difference * difference
                if square < best:
                    best, chosen[r] = square, labels[i]
        sizes[chosen[r]] += 1
    for r in range(len(rest)):
        labels[rest[r]] = chosen[r]
