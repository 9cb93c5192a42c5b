"""Records in blocks of neighbours with bounding boxes, on two levels.

Blocks hold LANES records, column by column; SPAN blocks form a super-block. A record that is taken
away leaves infinity in its place, which no search accepts, and the boxes shrink to the records that
are left.
"""

from typing import NamedTuple

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate.arrays import Shorts, Singles, kernel
from discreet.kernels.multivariate.blocks import split
from discreet.kernels.multivariate.coarse import coarsen_blocks

LANES = 128
SPAN = 32
_CACHED = 1 << 20  # bytes that stay in a core's own cache: there is no haste to read less
MOST = np.int64(0x7FFFFFFFFFFFFFFF)
INFINITY = np.int64(0x7FF0000000000000)  # the bits of infinity


class Boxes(NamedTuple):
    """Blocks of records with bounding boxes on two levels.

    Arrays with the suffix ``_bits`` are the same memory read as integers.
    """

    x: Floats  # (blocks, d, LANES): coordinates, infinite where no record is left
    x_bits: Ints
    coarse: Singles  # (blocks, d, LANES): x in single precision; of few records, (0, d, LANES)
    records: Shorts  # (blocks, LANES): record numbers
    low: Floats  # (super-blocks, d, SPAN): the boxes of blocks; empty ones go from inf to -inf
    low_bits: Ints
    high: Floats
    high_bits: Ints
    super_low: Floats  # (1, d, super-blocks)
    super_high: Floats
    origin: Floats  # (d,): a point in their midst
    extent: Floats  # (d,): the largest absolute coordinates
    radius: Floats  # (super-blocks, SPAN): at most so far from the origin are a block's records
    super_radius: Floats  # (1, super-blocks)
    scale: Floats  # (1,): a power of two; no record is farther from the origin than 1 / scale


def build(points: Floats, records: Ints, origin: Floats, where: Shorts) -> Boxes:
    """Put records into blocks; ``where`` receives the place of each, block * LANES + lane."""
    n, d = len(records), points.shape[1]
    blocks = -(-n // LANES)
    supers = -(-blocks // SPAN)
    order = split(points, records, np.minimum(np.arange(blocks + 1) * LANES, n), SPAN)
    x, low = np.full((blocks, d, LANES), np.inf), np.full((supers, d, SPAN), np.inf)
    high = -low
    boxes = Boxes(
        x,
        x.view(np.int64),
        np.empty((blocks if x.nbytes > _CACHED else 0, d, LANES), np.float32),
        np.zeros((blocks, LANES), np.int32),
        low,
        low.view(np.int64),
        high,
        high.view(np.int64),
        np.full((1, d, supers), np.inf),
        np.full((1, d, supers), -np.inf),
        origin.copy(),
        np.zeros(d),
        np.zeros((supers, SPAN)),
        np.zeros((1, supers)),
        np.ones(1),
    )
    _fill(points, order, where, boxes.x, boxes.records)
    _draw(boxes, n, np.empty(LANES))
    boxes.scale[0] = np.ldexp(1.0, -np.frexp(boxes.super_radius.max())[1])
    coarsen_blocks(boxes.x, boxes.origin, boxes.scale[0], boxes.coarse)
    return boxes


@kernel
def _fill(points: Floats, order: Ints, where: Shorts, x: Floats, records: Shorts) -> None:
    """Copy records to their places."""
    for i in range(len(order)):
        block, lane, record = i // LANES, i % LANES, order[i]
        for j in range(points.shape[1]):
            x[block, j, lane] = points[record, j]
        records[block, lane], where[record] = record, i


@kernel
def _draw(boxes: Boxes, n: int, squares: Floats) -> None:
    """Draw all boxes and find the radii of the blocks; ``squares`` is room for distances."""
    x, origin, radius = boxes.x, boxes.origin, boxes.radius
    blocks, d = x.shape[0], x.shape[1]
    for block in range(blocks):
        for j in range(d):
            shrink_block(boxes.x_bits, boxes.low_bits, boxes.high_bits, block, j)
    for s in range(len(radius)):
        for j in range(d):
            shrink_super(boxes.low, boxes.high, boxes.super_low, boxes.super_high, s, j)
            side = max(abs(boxes.super_low[0, j, s]), abs(boxes.super_high[0, j, s]))
            boxes.extent[j] = max(boxes.extent[j], side)
    for block in range(blocks):
        s, lane, most = block // SPAN, block % SPAN, 0.0
        block_distances(x, block, origin, squares)
        for i in range(min(LANES, n - block * LANES)):
            most = max(most, squares[i])
        radius[s, lane] = np.sqrt(most) * (1.0 + rounding(d)) + 1e-150
        boxes.super_radius[0, s] = max(boxes.super_radius[0, s], radius[s, lane])


@kernel
def rounding(d: int) -> float:
    """Bound the relative error of a sum of d squares and a few more operations."""
    return 1e-15 * (d + 8)


@kernel
def block_distances(x: Floats, block: int, centre: Floats, out: Floats) -> None:
    """Write the squared distances of a block's records, infinite where none is left."""
    for i in range(LANES):
        out[i] = 0.0
    for j in range(len(centre)):
        for i in range(LANES):
            difference = x[block, j, i] - centre[j]
            out[i] += difference * difference


@kernel
def shrink_block(x_bits: Ints, low_bits: Ints, high_bits: Ints, block: int, j: int) -> None:
    """Draw one column of the box of the records left in a block."""
    least, most = INFINITY, -INFINITY - 1
    for i in range(LANES):
        bits = x_bits[block, j, i]
        ordered = bits ^ ((bits >> 63) & MOST)  # integers in the order of the floats
        least = min(least, ordered)
        most = max(most, ordered if ordered < INFINITY else -INFINITY - 1)
    s, lane = block // SPAN, block % SPAN
    low_bits[s, j, lane] = least ^ ((least >> 63) & MOST)
    high_bits[s, j, lane] = most ^ ((most >> 63) & MOST)


@kernel
def shrink_super(
    low: Floats, high: Floats, super_low: Floats, super_high: Floats, s: int, j: int
) -> None:
    """Draw one column of the box of a super-block around those of its blocks."""
    least, most = np.inf, -np.inf
    for i in range(SPAN):
        least, most = min(least, low[s, j, i]), max(most, high[s, j, i])
    super_low[0, j, s], super_high[0, j, s] = least, most


@kernel
def remove(boxes: Boxes, place: int) -> None:
    """Take a record out, and draw anew the sides of boxes on which it lay."""
    x, coarse, low, high = boxes.x, boxes.coarse, boxes.low, boxes.high
    super_low, super_high = boxes.super_low, boxes.super_high
    x_bits, low_bits, high_bits = boxes.x_bits, boxes.low_bits, boxes.high_bits
    block, lane = place // LANES, place % LANES
    s, i = block // SPAN, block % SPAN
    for j in range(x.shape[1]):
        value = x[block, j, lane]
        x[block, j, lane] = np.inf
        if len(coarse) > 0:
            coarse[block, j, lane] = np.inf
        if value <= low[s, j, i] or value >= high[s, j, i]:
            shrink_block(x_bits, low_bits, high_bits, block, j)
            if value <= super_low[0, j, s] or value >= super_high[0, j, s]:
                shrink_super(low, high, super_low, super_high, s, j)
