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

LANES = 128
SPAN = 32
_MOVED = 2.0**-22  # twice the distance that rounding can move two points
_INFINITY = np.int32(0x7F800000)  # the bits of infinity


class Boxes(NamedTuple):
    """Blocks of records with bounding boxes on two levels."""

    x: Floats  # (blocks, d, LANES): coordinates, infinite where no record is left
    records: Shorts  # (blocks, LANES): record numbers
    low: Floats  # (super-blocks, d, SPAN): the boxes of blocks; empty ones go from inf to -inf
    high: Floats
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
    order = split(points, records, np.minimum(np.arange(blocks + 1) * LANES, n), SPAN)
    where[order] = np.arange(n)
    full = np.pad(order, (0, blocks * LANES - n), "edge").reshape(blocks, LANES)
    x = np.ascontiguousarray(points[full].transpose(0, 2, 1))
    low = _grouped(x.min(axis=2), SPAN, np.inf)
    high = _grouped(x.max(axis=2), SPAN, -np.inf)
    super_low = _grouped(low.min(axis=2), len(low), np.inf)
    super_high = _grouped(high.max(axis=2), len(low), -np.inf)
    most = np.sqrt(all_distances(x, origin).max(axis=1))
    radius = _grouped(most * (1.0 + rounding(d)) + 1e-150, SPAN, 0.0)
    x[-1, :, n - blocks * LANES + LANES :] = np.inf  # where no record is
    scale = np.ldexp(1.0, -np.frexp(radius.max())[1])
    return Boxes(
        x,
        full.astype(np.int32),
        low,
        high,
        super_low,
        super_high,
        origin.copy(),
        np.maximum(abs(super_low), abs(super_high)).max(axis=2)[0],
        radius,
        radius.max(axis=1)[np.newaxis],
        np.array([scale]),
    )


def _grouped(rows: Floats, size: int, fill: float) -> Floats:
    """Put rows side by side in groups of a size, their columns apart; the last is filled up."""
    more = [(0, -len(rows) % size)] + [(0, 0)] * (rows.ndim - 1)
    whole = np.pad(rows, more, constant_values=fill)
    return np.ascontiguousarray(np.moveaxis(whole.reshape(-1, size, *rows.shape[1:]), 1, -1))


def all_distances(x: Floats, centre: Floats) -> Floats:
    """The squared distances of all records from a centre, infinite where none is left."""
    squares = np.zeros((len(x), LANES))
    for j in range(len(centre)):
        difference = x[:, j] - centre[j]
        difference *= difference
        squares += difference
    return squares


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
def shrink_block(x: Floats, low: Floats, high: Floats, block: int, j: int) -> None:
    """Draw one column of the box of the records left in a block."""
    least, most = np.inf, -np.inf
    for i in range(LANES):
        value = x[block, j, i]
        least = min(least, value)
        most = max(most, value if value < np.inf else -np.inf)
    s, lane = block // SPAN, block % SPAN
    low[s, j, lane], high[s, j, lane] = least, most


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
def remove(boxes: Boxes, coarse: Singles | None, place: int) -> None:
    """Take a record out, and draw anew the sides of boxes on which it lay."""
    x, low, high = boxes.x, boxes.low, boxes.high
    super_low, super_high = boxes.super_low, boxes.super_high
    block, lane = place // LANES, place % LANES
    s, i = block // SPAN, block % SPAN
    for j in range(x.shape[1]):
        value = x[block, j, lane]
        x[block, j, lane] = np.inf
        if coarse is not None:
            coarse[block, j, lane] = np.inf
        if value <= low[s, j, i] or value >= high[s, j, i]:
            shrink_block(x, low, high, block, j)
            if value <= super_low[0, j, s] or value >= super_high[0, j, s]:
                shrink_super(low, high, super_low, super_high, s, j)


# -- Blocks of records in single precision ---------------------------------------------------------
#
# Half the memory to read, to see that none is of interest.
#
# Coordinates are taken from an origin and scaled by a power of two, so that no record is farther
# than 1 from it. Rounding to singles moves a record and a centre by 2^-24 at most, each. So the
# coarse distance of two differs from their scaled distance by 2^-23 at most, and by the rounding of
# the sum. A block is passed over if even so none of its records can be near, or far, enough.


def coarsened(x: Floats, origin: Floats, scale: float) -> Singles:
    """The coordinates of all blocks in single precision."""
    coarse = np.empty(x.shape, np.float32)
    for j in range(len(origin)):
        coarse[:, j] = (x[:, j] - origin[j]) * scale
    return coarse


@kernel
def coarsen(centre: Floats, origin: Floats, scale: float, out: Singles) -> None:
    """Write a centre in single precision."""
    for j in range(len(centre)):
        out[j] = np.float32((centre[j] - origin[j]) * scale)


@kernel
def upper(square: float, scale: float, d: int) -> float:
    """Bound the coarse squared distances of records not farther than this."""
    root = (np.sqrt(square) * scale + _MOVED) * (1.0 + _rounding(d))
    return root * root


@kernel
def lower(square: float, scale: float, d: int) -> float:
    """Bound the coarse squared distances of records not nearer than this."""
    root = max(np.sqrt(square) * scale - _MOVED, 0.0) * (1.0 - _rounding(d))
    return root * root


@kernel
def _rounding(d: int) -> float:
    """Bound the relative error of a sum of d squares in single precision."""
    return min(2.0**-23 * (d + 8), 1.0)


@kernel
def none_near(
    coarse: Singles, block: int, centre: Singles, distances: Singles, bits: Shorts, limit: float
) -> bool:
    """Whether all records of a block are farther than a limit; ``bits`` are the distances' own."""
    _distances(coarse, block, centre, distances)
    least = _INFINITY
    for i in range(coarse.shape[2]):
        least = min(least, bits[i])  # not negative: floats order like their bits
    bits[0] = least
    return distances[0] > limit


@kernel
def none_far(
    coarse: Singles, block: int, centre: Singles, distances: Singles, bits: Shorts, limit: float
) -> bool:
    """Whether all records left in a block are nearer than a limit."""
    _distances(coarse, block, centre, distances)
    most = np.int32(0)
    for i in range(coarse.shape[2]):
        most = max(most, bits[i] if bits[i] < _INFINITY else np.int32(0))
    bits[0] = most
    return distances[0] < limit


@kernel
def _distances(coarse: Singles, block: int, centre: Singles, out: Singles) -> None:
    """Write coarse squared distances, infinite where no record is left."""
    for i in range(coarse.shape[2]):
        out[i] = np.float32(0.0)
    for j in range(len(centre)):
        for i in range(coarse.shape[2]):
            difference = coarse[block, j, i] - centre[j]
            out[i] += difference * difference
