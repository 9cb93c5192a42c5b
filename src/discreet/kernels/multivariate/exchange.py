"""Exchange between groups: records move and change places while the sum of squares falls.

MDAV forms its groups one after the other, and the last ones get what is left. Here every record is
looked at in turn: it may move to one of the groups around its own, or change places with a record
of one, as long as all groups keep k to 2k - 1 records. Of all these the one that lowers the sum of
squared distances from the group means most is made. The passes end when a whole pass changes
nothing. No step raises the sum, so the result is never worse than the groups it began with.

The groups around a group are the twenty whose means were nearest to its own at the beginning.

A group of m records with mean c that gives up x and gets y has
|y - c|^2 - |x - c|^2 - |x - y|^2 / m more than before; one that only gives up x has
m / (m - 1) |x - c|^2 less, one that only gets y has m / (m + 1) |y - c|^2 more.

Ties. Of steps that lower the sum equally the first one is made: to the nearer group, a move before
an exchange, an exchange with the smaller record number. A gain within rounding of 0 is none.
"""

from typing import Any

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate import nearest
from discreet.kernels.multivariate.arrays import Watch, kernel, unwatched
from discreet.kernels.multivariate.blocks import balanced_blocks

AROUND = 20  # groups; twice as many lower the sum by 0.1 % more on the Census file
PASSES = 100  # the last of many passes change next to nothing
_ROUNDING = 1e-12
_BLOCK = 16  # points of a block
_SUPER = 32  # blocks that have a box together


def exchange(points: Floats, labels: Ints, k: int, watch: Watch | None = None) -> Ints:
    """Improve a partition into groups of k to 2k - 1 records.

    Parameters
    ----------
    points : array of float, shape (n, d), ``d >= 1``
        Standardised columns; finite.
    labels : array of int, the group of every record, numbered from 0
    k : smallest group size; no group has fewer records, or 2k and more
    watch : progress; it ends early when it was told to

    Returns
    -------
    labels : array of int, with the same numbers of groups

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [9.0], [8.0]])
    >>> exchange(points, np.array([0, 1, 1, 0]), 2).tolist()
    [1, 1, 0, 0]
    """
    points, labels = np.ascontiguousarray(points, np.float64), labels.astype(np.int64)
    sizes = np.bincount(labels)
    groups = len(sizes)
    members = np.full((groups, 2 * k - 1), -1, np.int64)
    centres = np.zeros((groups, points.shape[1]))
    _begin(points, labels, members, centres)
    around = neighbours(centres, AROUND)
    watch = unwatched() if watch is None else watch
    changed, looked = np.ones(groups, np.int64), np.zeros(len(points), np.int64)
    _improve(points, labels, k, members, sizes, centres, around, changed, looked, watch)
    return labels


@kernel
def _begin(points: Floats, labels: Ints, members: Ints, centres: Floats) -> None:
    """List the members of every group in ascending order, and take their means."""
    filled = np.zeros(len(members), np.int64)
    for i in range(len(labels)):
        members[labels[i], filled[labels[i]]] = i
        filled[labels[i]] += 1
    for group in range(len(members)):
        _mean(points, members[group], filled[group], centres[group])


@kernel
def _mean(points: Floats, members: Ints, size: int, out: Floats) -> None:
    """Write the mean of some records, added in ascending order."""
    for j in range(len(out)):
        total = 0.0
        for t in range(size):
            total += points[members[t], j]
        out[j] = total / size


@kernel
def _improve(
    points: Floats,
    labels: Ints,
    k: int,
    members: Ints,
    sizes: Ints,
    centres: Floats,
    around: Ints,
    changed: Ints,
    looked: Ints,
    watch: Watch,
) -> None:
    """Pass over the records until nothing changes.

    ``changed`` and ``looked`` say in which turn a group was changed and a record looked at: one
    around which nothing has changed since then is passed over.
    """
    turn = np.int64(1)
    for _ in range(PASSES):
        before = turn
        for i in range(len(points)):
            if watch[1] != 0:
                return
            if not _stirred(changed, around[labels[i]], labels[i], looked[i]):
                continue
            looked[i] = turn
            group, record = _best(points, labels, k, members, sizes, centres, around, i)
            if group < 0:
                continue
            turn += 1
            own = labels[i]
            _leave(members[own], sizes, own, i)
            if record >= 0:
                _leave(members[group], sizes, group, record)
                _join(members[own], sizes, own, record)
                labels[record] = own
            _join(members[group], sizes, group, i)
            labels[i] = group
            for one in (own, group):
                _mean(points, members[one], sizes[one], centres[one])
                changed[one] = turn
        if turn == before:
            return


@kernel
def _stirred(changed: Ints, around: Ints, own: int, since: int) -> bool:
    """Whether a group, or one around it, has changed since a turn."""
    if changed[own] > since:
        return True
    latest = np.int64(0)
    for group in around:
        latest = max(latest, changed[group])
    return bool(latest > since)


@kernel
def _best(
    points: Floats,
    labels: Ints,
    k: int,
    members: Ints,
    sizes: Ints,
    centres: Floats,
    around: Ints,
    i: int,
) -> tuple[Any, Any]:
    """Find where record i goes, and who takes its place (-1: no one); (-1, -1) if it stays."""
    own, x = labels[i], points[i]
    m, here = sizes[own], squared(x, centres[own])
    least, to, partner = 0.0, np.int64(-1), np.int64(-1)
    for group in around[own]:
        size, there = sizes[group], squared(x, centres[group])
        if m > k and size < 2 * k - 1:
            gain, loss = here * m / (m - 1), there * size / (size + 1)
            if loss - gain < least - _ROUNDING * (gain + loss):
                least, to, partner = loss - gain, group, np.int64(-1)
        for t in range(size):
            y = points[members[group, t]]
            apart, stays = squared(x, y), squared(y, centres[group])
            comes = squared(y, centres[own])
            loss = comes - here - apart / m + there - stays - apart / size
            if loss < least - _ROUNDING * (comes + here + there + stays + apart):
                least, to, partner = loss, group, members[group, t]
    return to, partner


@kernel
def _leave(members: Ints, sizes: Ints, group: int, record: int) -> None:
    """Take a record out of a group, whose members stay in ascending order."""
    last = sizes[group] - 1
    t = 0
    while members[t] != record:
        t += 1
    for later in range(t, last):
        members[later] = members[later + 1]
    members[last] = -1
    sizes[group] = last


@kernel
def _join(members: Ints, sizes: Ints, group: int, record: int) -> None:
    """Put a record into a group, whose members stay in ascending order."""
    t = sizes[group]
    while t > 0 and members[t - 1] > record:
        members[t] = members[t - 1]
        t -= 1
    members[t] = record
    sizes[group] += 1


# -- The nearest neighbours of every point: an exact search in boxes -------------------------------
#
# The points are put into blocks of a k-d tree. A point is compared with those of a block only if
# the block's bounding box is no farther away than the farthest neighbour so far. A bound is
# computed as distances are, column by column: rounding never makes it larger than the distance of a
# point in the box. So the neighbours are those of comparing all points with each other.
#
# Ties. Of points at equal distance the one with the smaller number is nearer.


def neighbours(points: Floats, number: int) -> Ints:
    """Find the nearest other points of every point, the nearest first.

    Parameters
    ----------
    points : array of float, shape (n, d), without NaN
    number : how many; all others where there are not so many

    Returns
    -------
    found : array of int, shape (n, min(number, n - 1))

    Examples
    --------
    >>> neighbours(np.array([[0.0], [5.0], [1.0], [6.0]]), 2).tolist()
    [[2, 1], [3, 2], [0, 1], [1, 2]]
    """
    points = np.ascontiguousarray(points, np.float64)
    n = len(points)
    found = np.empty((n, max(min(number, n - 1), 0)), np.int64)
    if not found.shape[1]:
        return found
    block = balanced_blocks(points, _BLOCK)
    order = np.argsort(block, kind="stable")
    starts = np.r_[0, np.cumsum(np.bincount(block))]
    boxes = _boxes(points[order], starts)
    around = _boxes_around(boxes)
    _search(points, order, starts, block, boxes, around, found)
    return found


def _boxes(ordered: Floats, starts: Ints) -> Floats:
    """The least and the largest value of every column, in every block."""
    return np.stack([
        np.minimum.reduceat(ordered, starts[:-1]), np.maximum.reduceat(ordered, starts[:-1])
    ])  # fmt: skip


def _boxes_around(boxes: Floats) -> Floats:
    """The boxes of several blocks together."""
    first = np.arange(0, boxes.shape[1], _SUPER)
    return np.stack([
        np.minimum.reduceat(boxes[0], first), np.maximum.reduceat(boxes[1], first)
    ])  # fmt: skip


@kernel
def _search(
    points: Floats,
    order: Ints,
    starts: Ints,
    block: Ints,
    boxes: Floats,
    around: Floats,
    found: Ints,
) -> None:
    """Fill the neighbours of every point: first from its own block, then from the others."""
    number, blocks = found.shape[1], boxes.shape[1]
    near, heap = np.empty(number), np.empty(number, np.int64)
    places = np.zeros(number, np.int64)
    for i in range(len(points)):
        nearest.clear(near, heap)
        own = block[i]
        _offer_block(points, order, starts, own, i, near, heap, places)
        for s in range(around.shape[1]):
            if box_distance(points[i], around, s) > near[0]:
                continue
            for b in range(s * _SUPER, min((s + 1) * _SUPER, blocks)):
                if b != own and box_distance(points[i], boxes, b) <= near[0]:
                    _offer_block(points, order, starts, b, i, near, heap, places)
        for size in range(number, 0, -1):
            found[i, size - 1], _ = nearest.pop(near, heap, places, size)


@kernel
def _offer_block(
    points: Floats,
    order: Ints,
    starts: Ints,
    block: int,
    i: int,
    near: Floats,
    heap: Ints,
    places: Ints,
) -> None:
    """Offer the points of a block as neighbours of point i."""
    for place in range(starts[block], starts[block + 1]):
        other = order[place]
        if other != i:
            nearest.offer(near, heap, places, squared(points[i], points[other]), other, place)


@kernel
def squared(a: Floats, b: Floats) -> float:
    """The squared distance of two points, summed in the order of the columns."""
    total = 0.0
    for j in range(len(a)):
        difference = a[j] - b[j]
        total += difference * difference
    return total


@kernel
def box_distance(point: Floats, boxes: Floats, box: int) -> float:
    """The squared distance of a point from a box; 0 inside."""
    total = 0.0
    for j in range(len(point)):
        outside = max(boxes[0, box, j] - point[j], point[j] - boxes[1, box, j], 0.0)
        total += outside * outside
    return total
