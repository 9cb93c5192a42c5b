"""Log-linear models of counts on a grid: iterative proportional fitting, and what it gives.

The cells of the grid are all combinations of some coded attributes, those without a record
included. The count of a cell is Poisson with mean μ, and ln μ is a sum of terms of the margins of
the model: every attribute by itself, and the sets that are named. At the maximum of the likelihood
the margins of μ are those of the counts; without further sets μ is a product, known at once.

The risk over the cells with one record depends on x = λ(1 − π), where λ = μ/π is the mean in the
population, of which a share π is sampled: h₁ = e^(−x), the chance that no other person is there,
and h₂ = (1 − e^(−x))/x, the mean of one over the number of people.

References
----------
.. [1] Bishop, Fienberg, Holland, *Discrete multivariate analysis*, 1975: 3.5.
.. [2] Skinner, Shlomo, "Assessing identification risk in survey microdata using log-linear
   models", J. American Statistical Association 103 (483), 2008.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.kernels.arrays import Floats, Ints

MOST_CELLS = 1 << 24
_CLOSE = 1e-10  # of n: how far a fitted margin may be from the counted one
_CYCLES = 1000
_BLOCK = 1 << 15  # cells at a time: they stay in the cache
_GONE = 300.0  # e to the power of it is as good as 0, and its square still no subnormal number
_SHORT, _TERMS = 0.3, 14  # below, integrals of the exponential by so many terms of their series

Axes = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Grid:
    """Counts on a grid of cells; only cells with records are listed.

    Attributes
    ----------
    codes : tuple of integer arrays
        One per attribute.
    counts : array
    shape : tuple of int
        Number of values of each attribute.
    weighted : array, optional
        What a model is fitted to in place of the counts: sums of weights that add up to n.
    """

    codes: tuple[Any, ...]
    counts: Ints
    shape: tuple[int, ...]
    weighted: Floats | None = None

    @property
    def amounts(self) -> Floats:
        """What a model is fitted to: the counts, or weighted ones."""
        return self.counts.astype(np.float64) if self.weighted is None else self.weighted

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @property
    def cells(self) -> int:
        """Number of cells, those without a record included."""
        return math.prod(self.shape)

    def places(self) -> Ints:
        """Where the listed cells are among all of them."""
        return np.ravel_multi_index(self.codes, self.shape).astype(np.int64)

    def margin(self, axes: Axes) -> Floats:
        """The amounts by some of the attributes, as a grid with the others left at length 1."""
        shape = [self.shape[a] for a in axes]
        at = np.ravel_multi_index([self.codes[a] for a in axes], shape)
        table = np.bincount(at, self.amounts, math.prod(shape)).astype(np.float64)
        return table.reshape([s if a in axes else 1 for a, s in enumerate(self.shape)])


def generators(margins: Sequence[Axes], attributes: int) -> list[Axes]:
    """The margins that a model fits: each attribute, and the sets, unless a larger one holds it."""
    every = {*((a,) for a in range(attributes)), *(tuple(sorted(m)) for m in margins)}
    return sorted(m for m in every if not any(set(m) < set(other) for other in every))


def fitted(
    grid: Grid, margins: Sequence[Axes], start: Floats | None = None
) -> tuple[Floats, float]:
    """μ of all cells, and how far its margins are from those counted, as a share of n.

    ``start`` is the fit of a model that holds no other terms than this one.
    """
    wanted = generators(margins, len(grid.shape))
    mu = _product(grid) if start is None else start.copy()
    if all(len(m) == 1 for m in wanted):
        return mu, 0.0
    tables = [(_others(m, grid), grid.margin(m)) for m in wanted]
    worst = math.inf
    for _ in range(_CYCLES):
        worst = 0.0
        for others, table in tables:
            held = mu.sum(axis=others, keepdims=True)
            worst = max(worst, float(np.abs(held - table).max()))
            mu *= np.divide(table, held, out=np.zeros_like(held), where=held > 0)
        if worst <= _CLOSE * grid.n:
            break
    return mu, worst / grid.n


def _product(grid: Grid) -> Floats:
    found = np.full((1,) * len(grid.shape), float(grid.n))
    for a in range(len(grid.shape)):
        found = found * (grid.margin((a,)) / grid.n)
    return found


def _others(margin: Axes, grid: Grid) -> tuple[int, ...]:
    return tuple(a for a in range(len(grid.shape)) if a not in margin)


def projection(grid: Grid, margins: Sequence[Axes], mu: Floats, slopes: Floats) -> Floats:
    """At the listed cells, the projection of d/μ onto the terms of the model, each cell weighing
    μ, for the slopes d of the listed cells; found as μ itself is, one margin after the other.
    """
    wanted = generators(margins, len(grid.shape))
    left = np.zeros(grid.shape)
    left.ravel()[grid.places()] = slopes
    tables = [(_others(m, grid), mu.sum(axis=_others(m, grid), keepdims=True)) for m in wanted]
    held = np.zeros(grid.shape)
    size = float(np.abs(slopes).sum()) or 1.0
    for _ in range(_CYCLES):
        worst = 0.0
        for others, table in tables:
            excess = left.sum(axis=others, keepdims=True)
            worst = max(worst, float(np.abs(excess).max()))
            step = np.divide(excess, table, out=np.zeros_like(excess), where=table > 0)
            held += step
            left -= mu * step
        if worst <= 1e-9 * size:
            break
    return np.asarray(held.ravel()[grid.places()])


def spread(grid: Grid, slopes: Floats, projected: Floats) -> float:
    """The variance of Σ d · ln μ̂ over the cells, for the slopes d of the listed ones and the
    projection of d/μ at these.

    To first order the sum is off by Σ p · (y − μ), where p is the projection and y what the model
    is fitted to. Counts have the variance μ, and Σ p² μ = Σ p d. Weighted ones have a variance of
    y²/f over f records of like weights.
    """
    if grid.weighted is None:
        return max(float((slopes * projected).sum()), 0.0)
    return float((projected**2 * grid.weighted**2 / grid.counts).sum())


# -- how well a model fits the cells with one record ---------------------------------------------


@dataclass(frozen=True)
class ModelFit:
    """What a model expects of the sample, and by how much its risks seem to be too high.

    Attributes
    ----------
    uniques, pairs : float
        Expected numbers of cells with one and with two records.
    excess1, excess2 : float
        By how much τ1 and τ2 are overestimated, B̂ of Skinner and Shlomo.
    sd1, sd2 : float
        Standard deviations of these where the model holds.
    """

    uniques: float
    pairs: float
    excess1: float
    excess2: float
    sd1: float
    sd2: float

    @property
    def scores(self) -> tuple[float, float]:
        """Both excesses in units of their standard deviations."""
        pairs = ((self.excess1, self.sd1), (self.excess2, self.sd2))
        return tuple(b / sd if sd > 0 else 0.0 for b, sd in pairs)  # type: ignore[return-value]


def fit_of(
    grid: Grid, mu: Floats, shares: Floats, share: float, listed: Floats | None = None
) -> ModelFit:
    """How a fit holds; ``shares`` are the π of the listed cells, ``share`` that of the others. The
    means of the ``listed`` cells are those of ``mu`` unless they are given.
    """
    total = np.zeros(6)
    for part in _blocks(mu.ravel()):
        total += _parts(np.zeros_like(part), part, np.full_like(part, share))
    held = mu.ravel()[grid.places()]
    total -= _parts(np.zeros_like(held), held, np.full_like(held, share))
    means = held if listed is None else listed
    total += _parts(grid.counts.astype(np.float64), means, shares)
    uniques, pairs, first, spread1, second, spread2 = total.tolist()
    return ModelFit(uniques, pairs, first, second, math.sqrt(spread1), math.sqrt(spread2))


def _blocks(values: Floats) -> Iterator[Floats]:
    return (values[i : i + _BLOCK] for i in range(0, len(values), _BLOCK))


def _parts(f: Floats, mu: Floats, pi: Floats) -> Floats:
    """Sums over cells of: chance of one record and of two, and both B̂, each with its variance.

    B̂ = Σ μe^(−μ) [−h′ (f − μ)/π + h″ ((f − μ)² − f)/(2π²)], h′ and h″ by λ: the expected value of
    I(f = 1)(h(λ̂) − h(λ)) to second order. f − μ and (f − μ)² − f are not correlated, and have
    the variances μ and 2μ².
    """
    once = mu * np.exp(-np.minimum(mu, _GONE))
    by = (1 - pi) / pi  # dx/dμ
    x = mu * by
    e = np.exp(-np.minimum(x, _GONE))
    away = f - mu
    square = away**2 - f
    found = [once.sum(), (once * mu).sum() / 2]
    for slope, curve in ((e, e), (_moment(1, x, e), _moment(2, x, e))):
        a, b = once * by * slope, once * by**2 * curve / 2
        found.append((a * away + b * square).sum())
        found.append((a * a * mu + 2 * (b * mu) ** 2).sum())
    return np.array(found)


def _moment(k: int, x: Floats, e: Floats) -> Floats:
    """∫₀¹ s^k e^(−xs) ds for k of 1 and 2, given e^(−x): −h₂′ and h₂″ by x."""
    short = x < _SHORT
    large = np.where(short, 1.0, x)
    if k == 1:
        found = (1 - e * (1 + large)) / large**2
    else:
        found = (2 - e * (large**2 + 2 * large + 2)) / large**3
    small = x[short]
    series = np.zeros_like(small)
    for j in reversed(range(_TERMS)):  # Σ (−x)^j / (j! (k + 1 + j)), by Horner's rule
        series = 1 / (k + 1 + j) - small / (j + 1) * series
    found[short] = series
    return np.asarray(found)
