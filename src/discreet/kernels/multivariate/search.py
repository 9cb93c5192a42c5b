"""Searches among blocks of records that pass over boxes too far away, or not far enough.

Bounds are safe in rounded arithmetic. Subtracting, squaring and adding in a fixed order never
reverse an inequality when they round, so the distance to the near (far) side of a box, computed
like a distance to a record, is not above (below) the computed distance of any record in it. A box
is passed over only if its bound is strictly worse: a record at equal distance could have a smaller
number.
"""

from typing import Any, NamedTuple

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate import nearest
from discreet.kernels.multivariate.arrays import Shorts, Singles, kernel
from discreet.kernels.multivariate.boxes import (
    LANES,
    SPAN,
    Boxes,
    block_distances,
    rounding,
)
from discreet.kernels.multivariate.coarse import coarsen, lower, none_far, none_near, upper

MOST = np.int64(0x7FFFFFFFFFFFFFFF)
INFINITY = np.int64(0x7FF0000000000000)  # the bits of infinity


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
