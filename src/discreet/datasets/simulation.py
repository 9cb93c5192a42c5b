"""Drawing simulated attributes: the same numbers on every machine.

The uniform stream of PCG64 is read through tables of rounded numbers, so that no last digit of a
mathematical library decides about a value.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.errors import fail

Codes = npt.NDArray[np.int64]
GRID = 2**16  # cells of an inverse table: shares are exact to 1/65536
KNOTS = 2**12  # knots of the lognormal quantile function


def stream(n: int, seed: int, file: int) -> np.random.Generator:
    """The random stream of one file of `n` records; each file has its own."""
    for what, value, least in (("n", n, 1), ("seed", seed, 0)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
            fail("P07", f"{what} must be an integer of at least {least}.", "Give a whole number.")
    # A stream for each file: equal seeds must not give two files the same ages.
    return np.random.Generator(np.random.PCG64([file, int(seed)]))


def draw(rng: np.random.Generator, n: int, weights: npt.ArrayLike, row: Codes | int = 0) -> Codes:
    """Codes 0, 1, … in proportion to `weights`; with a matrix, to its row for each record."""
    cumulated = np.cumsum(np.atleast_2d(weights), axis=1)
    ends = np.rint(cumulated / cumulated[:, -1:] * GRID).astype(np.int64)
    counts = np.diff(ends, axis=1, prepend=0)  # a weight of 0 gets no cell
    inverse = np.repeat(np.indices(counts.shape)[1].ravel(), counts.ravel()).astype(np.int16)
    return inverse[below(rng, n, GRID) + GRID * row].astype(np.int64)


def below(rng: np.random.Generator, n: int, bound: int) -> Codes:
    """Whole numbers from 0 to bound - 1."""
    return (rng.random(n) * bound).astype(np.int64)


def lognormal(rng: np.random.Generator, n: int, sigma: float) -> npt.NDArray[np.float64]:
    """Lognormal factors of median 1, by straight lines between quantiles."""
    # Six decimals hide the last-digit differences between mathematical libraries.
    quantile = np.round(np.exp(sigma * _normal()), 6)
    place = rng.random(n) * KNOTS
    cell = place.astype(np.int64)
    return np.asarray(quantile[cell] + (place - cell) * np.diff(quantile)[cell])


@functools.cache
def _normal() -> npt.NDArray[np.float64]:
    """The quantiles of the standard normal distribution at the knots; finite at both ends."""
    inverse = NormalDist().inv_cdf
    return np.array([inverse(max(0.1, min(i, KNOTS - 0.1)) / KNOTS) for i in range(KNOTS + 1)])


def curve(points: Mapping[int, float]) -> npt.NDArray[np.float64]:
    """Values at 0 to 100, on straight lines between some points."""
    return np.round(np.interp(np.arange(101), list(points), list(points.values())), 4)


def text(values: Sequence[str | None], codes: Codes) -> pa.Array:
    """What the codes stand for."""
    return pa.array(values, pa.string()).take(pa.array(codes))
