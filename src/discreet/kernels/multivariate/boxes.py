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
