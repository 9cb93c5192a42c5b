"""Blocks of records in single precision: half the memory to read, to see that none is of interest.

Coordinates are taken from an origin and scaled by a power of two, so that no record is farther than
1 from it. Rounding to singles moves a record and a centre by 2^-24 at most, each. So the coarse
distance of two differs from their scaled distance by 2^-23 at most, and by the rounding of the sum.
A block is passed over if even so none of its records can be near, or far, enough.
"""

import numpy as np

from discreet.kernels.arrays import Floats
from discreet.kernels.multivariate.arrays import Shorts, Singles, kernel

_MOVED = 2.0**-22  # twice the distance that rounding can move two points
_INFINITY = np.int32(0x7F800000)  # the bits of infinity


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
