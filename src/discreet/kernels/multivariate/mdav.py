"""MDAV: groups of k records around the records farthest from the average, and their opposites.

Each group's average later replaces its records, so that no released record stands for fewer than k
persons. The partition follows Algorithm 5.1 of [1]_: while 3k records are left, the record r
farthest from the centroid forms a group with the k - 1 nearest to it, and then so does the record
farthest from r among those left. If 2k to 3k - 1 are left, r's group is formed once more; the rest
is the last group.

Ties. Of records at equal distance the one with the smaller number comes first: as a seed, and in a
group.

Precision. A squared distance is summed in the order of the columns, in doubles, without fused
operations; distances are compared as computed. The centroid is the column's sum, kept in twice the
precision (see ``sums``), divided by the number of records. So labels do not depend on the machine
or on the way of searching.

References
----------
.. [1] Domingo-Ferrer, Torra, "Ordinal, continuous and heterogeneous k-anonymity through
   microaggregation", Data Mining and Knowledge Discovery 11, 2005.
"""

from typing import Any, NamedTuple

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate import nearest
from discreet.kernels.multivariate.arrays import Shorts, Singles, Watch, kernel, unwatched
from discreet.kernels.multivariate.boxes import (
    LANES,
    SPAN,
    Boxes,
    all_distances,
    block_distances,
    build,
    coarsen,
    coarsened,
    lower,
    none_far,
    none_near,
    remove,
    rounding,
    upper,
)
from discreet.kernels.multivariate.brute import brute_groups
from discreet.kernels.multivariate.sums import add, add_all, centroid

# With fewer records or groups, computing every distance is as quick as avoiding it.
_FEW_RECORDS = 4096
_FEW_GROUPS = 600
MOST = np.int64(0x7FFFFFFFFFFFFFFF)
INFINITY = np.int64(0x7FF0000000000000)  # the bits of infinity
_CACHED = 1 << 20  # bytes that stay in a core's own cache: there is no haste to read less


# -- Searches among blocks of records that pass over boxes too far away, or not far enough ---------
#
# Bounds are safe in rounded arithmetic. Subtracting, squaring and adding in a fixed order never
# reverse an inequality when they round, so the distance to the near (far) side of a box, computed
# like a distance to a record, is not above (below) the computed distance of any record in it. A box
# is passed over only if its bound is strictly worse: a record at equal distance could have a
# smaller number.


# -- The records farthest from an older centroid, sorted: where the next seed is looked for --------
#
# A record at distance q from the older centroid is, by the triangle inequality, not farther than q
# + shift from the present one, ``shift`` being the distance of the two centroids. So the walk down
# the list ends when that sum falls below the farthest record found.


def mdav(points: Floats, k: int, watch: Watch | None = None) -> Ints:
    """Partition records into groups of k to 2k - 1 neighbours.

    Parameters
    ----------
    points : array of float, shape (n, d), ``d >= 1``
        Standardised columns; finite, below 1e150 in absolute value.
    k : smallest group size, ``1 <= k <= n``
    watch : progress; the labels mean nothing once it was told to end early

    Returns
    -------
    labels : array of int, the group of every record, numbered from 0 in the order of creation

    Examples
    --------
    >>> mdav(np.array([[0.0], [1.0], [9.0], [5.0], [8.0], [4.0], [2.0]]), 2).tolist()
    [1, 1, 0, 2, 0, 2, 2]
    """
    points = np.ascontiguousarray(points, np.float64)
    few = len(points) < max(_FEW_RECORDS, _FEW_GROUPS * k)
    return (brute_groups if few else pruned_groups)(points, k, watch)


# -- MDAV with searches that look at few records, to the same groups as comparing all --------------
#
# The records nearest to a seed and the one opposite come from blocks with bounding boxes, the seed
# from a list of outer records.


class Shell(NamedTuple):
    """The outer records by descending distance from ``centre``."""

    centre: Floats
    distances: Floats
    records: Ints
    x: Floats  # (records, d)
    state: Ints  # where the list begins, and the records passed since it was drawn up
    beyond: float  # no record off the list is farther than this; -1 if all are on it


def draw_up(points: Floats, boxes: Boxes, centre: Floats, left: int) -> Shell:
    """List an eighth of the records that are left, the farthest from a centre."""
    squares, records = all_distances(boxes.x, centre).ravel(), boxes.records.ravel()
    squares[squares == np.inf] = -1.0
    size = min(left, max(2048, left // 8))
    places = np.argpartition(squares, len(squares) - size)[len(squares) - size :]
    places = places[np.argsort(-squares[places], kind="stable")]
    distances = np.sqrt(squares[places])
    outer = records[places].astype(np.int64)
    beyond = float(distances[-1]) if size < left else -1.0
    return Shell(centre.copy(), distances, outer, points[outer], np.zeros(2, np.int64), beyond)


@kernel
def walk(shell: Shell, centre: Floats, labels: Ints) -> int:
    """Find the unlabelled record farthest from a centre; -1 if it need not be on the list."""
    older, distances, records, x = shell.centre, shell.distances, shell.records, shell.x
    state, d, shift = shell.state, len(centre), 0.0
    for j in range(d):
        difference = older[j] - centre[j]
        shift += difference * difference
    shift = np.sqrt(shift)
    slack = 1.0 + 4.0 * rounding(d)  # the distances compared are rounded
    best, record, reach = -1.0, -1, -1.0
    i, dead = state[0], 0
    while i < len(records) and not (distances[i] + shift) * slack + 1e-150 < reach:
        if labels[records[i]] < 0:
            square = 0.0
            for j in range(d):
                difference = x[i, j] - centre[j]
                square += difference * difference
            if square > best or (square == best and records[i] < record):
                best, record, reach = square, records[i], np.sqrt(square)
        else:
            dead += 1
        i += 1
    state[1] += i - state[0]
    if 4 * dead > i - state[0]:
        _close_up(shell, i, labels)
    if shell.beyond >= 0.0 and not (shell.beyond + shift) * slack + 1e-150 < reach:
        return -1
    return record


@kernel
def _close_up(shell: Shell, end: int, labels: Ints) -> None:
    """Drop labelled records from the beginning of the list."""
    distances, records, x, state = shell.distances, shell.records, shell.x, shell.state
    free = end
    for i in range(end - 1, state[0] - 1, -1):
        if labels[records[i]] < 0:
            free -= 1
            distances[free], records[free] = distances[i], records[i]
            for j in range(x.shape[1]):
                x[free, j] = x[i, j]
    state[0] = free


class Scratch(NamedTuple):
    """Room for the bounds and distances of one search.

    Arrays with the suffix ``_bits`` are the same memory as integers, which are compared faster.
    """

    bounds: Floats  # (super-blocks,)
    bounds_bits: Ints
    block_bounds: Floats  # (SPAN,)
    block_bounds_bits: Ints
    turned: Floats  # (super-blocks or SPAN,)
    distances: Floats  # (LANES,)
    distances_bits: Ints
    coarse_centre: Singles  # (d,)
    coarse: Singles  # (LANES,)
    coarse_bits: Shorts


def scratch(boxes: Boxes) -> Scratch:
    """Make room for searches among these boxes."""
    supers, coarse = len(boxes.low), np.empty(LANES, np.float32)
    bounds, block_bounds, distances = np.empty(supers), np.empty(SPAN), np.empty(LANES)
    return Scratch(
        bounds,
        bounds.view(np.int64),
        block_bounds,
        block_bounds.view(np.int64),
        np.empty(max(supers, SPAN)),
        distances,
        distances.view(np.int64),
        np.empty(len(boxes.origin), np.float32),
        coarse,
        coarse.view(np.int32),
    )


@kernel
def find_nearest(
    boxes: Boxes,
    coarse: Singles | None,
    scratch: Scratch,
    points: Floats,
    seed: int,
    start: int,
    near: Floats,
    near_bits: Ints,
    records: Ints,
    places: Ints,
) -> None:
    """Fill the heap with the records nearest to a seed, which was in block ``start``.

    ``coarse`` are the blocks in single precision, where that pays.
    """
    x, numbers, low, high = boxes.x, boxes.records, boxes.low, boxes.high
    distances, bits = scratch.distances, scratch.distances_bits
    bounds, block_bounds = scratch.bounds, scratch.block_bounds
    centre, scale = points[seed], boxes.scale[0]
    coarse_centre = scratch.coarse_centre
    coarse_distances, coarse_bits = scratch.coarse, scratch.coarse_bits
    if coarse is not None:
        coarsen(centre, boxes.origin, scale, coarse_centre)
    nearest.clear(near, records)
    _offer_block(x, numbers, start, centre, distances, bits, near, near_bits, records, places)
    row = len(boxes.super_low) - 1  # 0, but a literal would make the compiler repeat itself
    _near_bounds(boxes.super_low, boxes.super_high, row, centre, bounds)
    most = limit = np.inf
    for s in range(len(bounds)):
        if bounds[s] > near[0]:
            continue
        _near_bounds(low, high, s, centre, block_bounds)
        for i in range(SPAN):
            block = s * SPAN + i
            if block_bounds[i] <= near[0] and block != start and block_bounds[i] < np.inf:
                if coarse is not None:
                    if near[0] < most:
                        most, limit = near[0], upper(near[0], scale, len(centre))
                    if none_near(
                        coarse, block, coarse_centre, coarse_distances, coarse_bits, limit
                    ):
                        continue
                _offer_block(
                    x, numbers, block, centre, distances, bits, near, near_bits, records, places
                )


@kernel
def find_farthest(
    boxes: Boxes, coarse: Singles | None, scratch: Scratch, centre: Floats, cap: float
) -> int:
    """Find the place of the record farthest from a centre, the smallest number among equals.

    No record is farther than ``cap`` from the origin of the boxes.
    """
    x, numbers, low, high, radius = boxes.x, boxes.records, boxes.low, boxes.high, boxes.radius
    origin, extent, turned = boxes.origin, boxes.extent, scratch.turned
    distances, bits = scratch.distances, scratch.distances_bits
    bounds, bounds_bits = scratch.bounds, scratch.bounds_bits
    block_bounds, block_bounds_bits = scratch.block_bounds, scratch.block_bounds_bits
    row = len(boxes.super_low) - 1  # 0, but a literal would make the compiler repeat itself
    _far_bounds(boxes.super_low, boxes.super_high, row, centre, bounds)
    _round_bounds(
        boxes.super_low,
        boxes.super_high,
        boxes.super_radius,
        row,
        origin,
        extent,
        centre,
        cap,
        turned,
        bounds,
    )
    scale, limit, coarse_centre = boxes.scale[0], 0.0, scratch.coarse_centre
    coarse_distances, coarse_bits = scratch.coarse, scratch.coarse_bits
    if coarse is not None:
        coarsen(centre, origin, scale, coarse_centre)
    best, best_bits, record, place = -1.0, np.int64(0), 0, -1
    while True:
        s = _first_largest(bounds_bits)
        if bounds[s] < best or bounds[s] < 0.0:
            return place
        bounds[s] = -1.0
        _far_bounds(low, high, s, centre, block_bounds)
        _round_bounds(low, high, radius, s, origin, extent, centre, cap, turned, block_bounds)
        while True:
            i = _first_largest(block_bounds_bits)
            if block_bounds[i] < best or block_bounds[i] < 0.0:
                break
            block_bounds[i] = -1.0
            block = s * SPAN + i
            if block < len(x):
                if coarse is not None and none_far(
                    coarse, block, coarse_centre, coarse_distances, coarse_bits, limit
                ):
                    continue
                block_distances(x, block, centre, distances)
                lane = _farthest_lane(numbers, block, bits, best_bits)
                if lane >= 0 and (distances[lane] > best or numbers[block, lane] < record):
                    best, best_bits = distances[lane], bits[lane]
                    if coarse is not None:
                        limit = lower(best, scale, len(centre))
                    record, place = int(numbers[block, lane]), block * LANES + lane


@kernel
def _first_largest(bits: Ints) -> int:
    """Find the first of the largest values, given as bits; these order like floats from -1.0 up."""
    most = bits[0]
    for i in range(len(bits)):
        most = max(most, bits[i])
    i = 0
    while bits[i] != most:
        i += 1
    return i


@kernel
def _near_bounds(low: Floats, high: Floats, s: int, centre: Floats, out: Floats) -> None:
    """Write the squared distance of a centre from the near side of each box."""
    for i in range(len(out)):
        out[i] = 0.0
    for j in range(len(centre)):
        c = centre[j]
        for i in range(len(out)):
            gap = max(low[s, j, i] - c, c - high[s, j, i], 0.0)
            out[i] += gap * gap


@kernel
def _far_bounds(low: Floats, high: Floats, s: int, centre: Floats, out: Floats) -> None:
    """Write the squared distance of a centre from the far side of each box."""
    for i in range(len(out)):
        out[i] = 0.0
    for j in range(len(centre)):
        c = centre[j]
        for i in range(len(out)):
            reach = max(high[s, j, i] - c, c - low[s, j, i], 0.0)  # 0 for an empty box
            out[i] += reach * reach


@kernel
def _round_bounds(
    low: Floats,
    high: Floats,
    radius: Floats,
    s: int,
    origin: Floats,
    extent: Floats,
    centre: Floats,
    cap: float,
    turned: Floats,
    out: Floats,
) -> None:
    """Lower the bounds where the corner of a box lies farther out than its records.

    About an origin o, |x - c|^2 = |x - o|^2 + |c - o|^2 - 2 (x - o)(c - o). The first term is not
    above the square of a radius, the last one is largest in a corner of the box.
    """
    n = len(out)
    constant, scale = 0.0, cap * cap
    for i in range(n):
        turned[i] = 0.0
    for j in range(len(centre)):
        v = origin[j] - centre[j]
        twice = 2.0 * v
        constant += v * (v - 2.0 * origin[j])
        scale += abs(v) * (abs(v) + 4.0 * extent[j])
        if v > 0.0:  # not where v is zero: that times infinity is not a number
            for i in range(n):
                turned[i] += twice * high[s, j, i]
        elif v < 0.0:
            for i in range(n):
                turned[i] += twice * low[s, j, i]
    constant += 2.0 * scale * rounding(len(centre)) + 1e-300
    for i in range(n):
        r = min(radius[s, i], cap)
        bound = max(turned[i] + (r * r + constant), 0.0)
        out[i] = min(out[i], bound)


@kernel
def _offer_block(
    x: Floats,
    numbers: Shorts,
    block: int,
    centre: Floats,
    distances: Floats,
    bits: Ints,
    near: Floats,
    near_bits: Ints,
    records: Ints,
    places: Ints,
) -> None:
    """Offer the records of a block to the heap."""
    block_distances(x, block, centre, distances)
    least = MOST
    for i in range(LANES):
        least = min(least, bits[i])
    if least == INFINITY or least > near_bits[0]:
        return
    for i in range(LANES):
        if distances[i] <= near[0] and distances[i] < np.inf:
            number: Any = np.int64(numbers[block, i])
            nearest.offer(near, records, places, distances[i], number, block * LANES + i)


@kernel
def _farthest_lane(numbers: Shorts, block: int, bits: Ints, least_bits: np.int64) -> int:
    """Find a block's farthest record, the smallest number among equals; -1 if nearer than least."""
    most = -1
    for i in range(LANES):
        most = max(most, bits[i] if bits[i] < INFINITY else -1)
    if most < least_bits:
        return -1
    lane = -1
    for i in range(LANES):
        if bits[i] == most and (lane < 0 or numbers[block, i] < numbers[block, lane]):
            lane = i
    return lane


class _Progress(NamedTuple):
    """What is left to group, and the groups so far."""

    sums: Floats  # (d, 2)
    centre: Floats
    counts: Ints  # records left, groups formed
    where: Shorts  # the place of each record in the blocks
    labels: Ints  # -1: not yet in a group
    near: Floats  # the heap of nearest records
    near_bits: Ints  # the same memory read as integers
    records: Ints
    places: Ints
    watch: Watch


def pruned_groups(points: Floats, k: int, watch: Watch | None = None) -> Ints:
    """Group records by MDAV, passing over blocks of records that are too far or too near.

    Parameters and result are those of ``mdav``.
    """
    points = np.ascontiguousarray(points)
    n, d = points.shape
    near = np.empty(k - 1)
    progress = _Progress(
        np.zeros((d, 2)),
        np.empty(d),
        np.array([n, 0]),
        np.empty(n, np.int32),
        np.full(n, -1),
        near,
        near.view(np.int64),
        np.empty(k - 1, np.int64),
        np.empty(k - 1, np.int64),
        unwatched() if watch is None else watch,
    )
    add_all(progress.sums, points)
    while progress.counts[0] >= 2 * k and progress.watch[1] == 0:
        np.divide(progress.sums[:, 0], progress.counts[0], out=progress.centre)
        left = np.flatnonzero(progress.labels < 0)
        boxes = build(points, left, progress.centre, progress.where)
        large = points.nbytes > _CACHED
        coarse = coarsened(boxes.x, boxes.origin, boxes.scale[0]) if large else None
        room = scratch(boxes)
        enough = progress.counts[0] * 5 // 8  # then pack the remaining records anew
        while progress.counts[0] >= max(2 * k, enough) and progress.watch[1] == 0:
            np.divide(progress.sums[:, 0], progress.counts[0], out=progress.centre)
            shell = draw_up(points, boxes, progress.centre, int(progress.counts[0]))
            _advance(points, k, enough, boxes, coarse, room, shell, progress)
    progress.labels[progress.labels < 0] = progress.counts[1]
    return progress.labels


@kernel
def _advance(
    points: Floats,
    k: int,
    enough: int,
    boxes: Boxes,
    coarse: Singles | None,
    room: Scratch,
    shell: Shell,
    progress: _Progress,
) -> None:
    """Form groups until few records are left, or until walks have cost as much as a new list."""
    sums, centre, counts, labels = progress.sums, progress.centre, progress.counts, progress.labels
    patience = 2 * counts[0]
    watch = progress.watch
    while counts[0] >= max(2 * k, enough) and shell.state[1] <= patience and watch[1] == 0:
        groups = 2 if counts[0] >= 3 * k else 1
        centroid(sums, counts[0], centre)
        aim, cap, seed = centre, 1.0 / boxes.scale[0], walk(shell, centre, labels)
        place = int(progress.where[seed]) if seed >= 0 else -1
        for group in range(groups):
            if place < 0:
                place = find_farthest(boxes, coarse, room, aim, cap)
            if group == 0:
                if seed < 0:
                    seed = int(boxes.records[place // LANES, place % LANES])
                    shell.state[1] += patience // 8
                aim, cap = points[seed], _cap(boxes.origin, centre, points, seed)
            _take(points, k, place, boxes, coarse, room, progress)
            place = -1


@kernel
def _cap(origin: Floats, centre: Floats, points: Floats, seed: int) -> float:
    """Bound the distance from the origin: no record is farther from the centre than the seed."""
    shift = reach = 0.0
    for j in range(len(centre)):
        away, off = centre[j] - origin[j], centre[j] - points[seed, j]
        shift += away * away
        reach += off * off
    return (np.sqrt(shift) + np.sqrt(reach)) * (1.0 + rounding(len(centre))) + 1e-150


@kernel
def _take(
    points: Floats,
    k: int,
    place: int,
    boxes: Boxes,
    coarse: Singles | None,
    room: Scratch,
    progress: _Progress,
) -> None:
    """Group a seed with the k - 1 records nearest to it."""
    counts, labels, sums = progress.counts, progress.labels, progress.sums
    near, records, places = progress.near, progress.records, progress.places
    block = place // LANES
    seed: Any = np.int64(boxes.records[block, place % LANES])
    labels[seed] = counts[1]
    add(sums, points, seed, -1.0)
    remove(boxes, coarse, place)
    if k > 1:
        find_nearest(
            boxes, coarse, room, points, seed, block, near, progress.near_bits, records, places
        )
        for size in range(k - 1, 0, -1):
            record, place = nearest.pop(near, records, places, size)
            labels[record] = counts[1]
            add(sums, points, record, -1.0)
            remove(boxes, coarse, place)
    counts[0] -= k
    progress.watch[0] += k
    counts[1] += 1
