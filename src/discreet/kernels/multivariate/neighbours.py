"""The nearest neighbours of every point: an exact search in boxes.

The points are put into blocks of a k-d tree. A point is compared with those of a block only if the
block's bounding box is no farther away than the farthest neighbour so far. A bound is computed as
distances are, column by column: rounding never makes it larger than the distance of a point in the
box. So the neighbours are those of comparing all points with each other.

Ties. Of points at equal distance the one with the smaller number is nearer.
"""

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate import nearest
from discreet.kernels.multivariate.arrays import kernel
from discreet.kernels.multivariate.blocks import balanced_blocks

_BLOCK = 16  # points of a block
_SUPER = 32  # blocks that have a box together


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
