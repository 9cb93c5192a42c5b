"""A log-linear model that was fitted to a sample, and the risks that follow from it.

With λ people expected of a cell, of which a share π is sampled, X others are there beside the f in
the sample: Poisson with mean x = λ(1 − π). A figure over the cells, Σ g(f, x), is off by chance
(the variance of what it estimates, given x) and by the error of the fit (delta method, by its
slopes x · dg/dx along ln μ).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.kernels.arrays import Floats
from discreet.kernels.loglinear import (
    MOST_CELLS,
    Axes,
    Grid,
    ModelFit,
    fit_of,
    fitted,
    generators,
    projection,
    spread,
)
from discreet.kernels.packing import numbered
from discreet.kernels.summation import total

_FEW = 64  # steps forwards that are worth it
_MANY = 2000.0  # f + m from which on fourteen moments give all digits
_MOMENTS = 14
_SERIES = 50.0  # f + m up to which a variance is added up
_DENSE = 1 << 22  # cells of a margin that are counted in a table
Parts = list[tuple[Axes, int]]  # sets of attributes, and by which power they are multiplied
UNDERFIT = 1.645  # a score that a model which holds exceeds in one of twenty samples


@dataclass(frozen=True)
class ModelFigure:
    """An estimate, its standard deviation by the model, and by how much it is too low because the
    margins hold the very records whose risk is asked for.
    """

    value: float
    sd: float
    understated: float

    def interval(self, z: float, most: float) -> tuple[float, float]:
        """So many standard deviations about the estimate, and about what it may rightly be."""
        low = self.value + min(self.understated, 0.0) - z * self.sd
        high = self.value + max(self.understated, 0.0) + z * self.sd
        return max(low, 0.0), min(high, most)


@dataclass(frozen=True, eq=False)
class FittedModel:
    """The means of the listed cells, and of all cells where the grid is small enough.

    Attributes
    ----------
    grid : Grid
    margins : sequence of tuples of int
    shares : array
        π of the listed cells.
    share : float
        π of the others.
    means : array
        μ of the listed cells.
    full : array or None
        μ of all cells.
    error : float
        How far the margins of the fit are from those counted, as a share of n.
    """

    grid: Grid
    margins: Sequence[Axes]
    shares: Floats
    share: float
    means: Floats
    full: Floats | None
    error: float

    @classmethod
    def of(
        cls, grid: Grid, margins: Sequence[Axes], shares: Floats, share: float, most: int
    ) -> FittedModel:
        """Fit a model: on the grid of up to ``most`` cells, else in closed form."""
        if grid.cells <= most:
            full, error = fitted(grid, margins)
            means = full.ravel()[grid.places()]
            return cls(grid, margins, shares, share, means, full, error)
        parts = parts_of(generators(margins, len(grid.shape)))
        assert parts is not None
        return cls(grid, margins, shares, share, closed_form(grid, parts), None, 0.0)

    @functools.cached_property
    def others(self) -> Floats:
        """How many people are expected in the listed cells beside those in the sample, x.

        Counts tell of μ = πλ in each cell; weighted ones of λ, in units of n over all people.
        """
        by = self.shares if self.grid.weighted is None else self.share
        return self.means * (1 - self.shares) / by

    @functools.cached_property
    def values(self) -> Floats:
        """E(1/F) of the listed cells."""
        return mean_reciprocal(self.grid.counts, self.others)

    @property
    def alone(self) -> Floats:
        """1 for cells with one record, and else 0."""
        return (self.grid.counts == 1).astype(np.float64)

    def tau1(self) -> ModelFigure:
        """The records alone in the sample that are alone in the population."""
        nobody = np.exp(-self.others)
        slopes = -self.others * nobody
        curves = slopes + self.others**2 * nobody
        return self._figure(nobody, nobody * (1 - nobody), slopes, curves, self.alone)

    def tau2(self) -> ModelFigure:
        """The records alone in the sample that are matched rightly."""
        return self._matches(self.alone)

    def expected(self) -> ModelFigure:
        """All records that are matched rightly."""
        return self._matches(self.grid.counts.astype(np.float64))

    def _matches(self, times: Floats) -> ModelFigure:
        f, x = self.grid.counts, self.others
        first, second, third = self.values, mean_reciprocal(f + 1, x), mean_reciprocal(f + 2, x)
        slopes = x * (second - first)  # d/dx E 1/(f + X) = E 1/(f + 1 + X) − E 1/(f + X)
        curves = slopes + x**2 * (third - 2 * second + first)
        return self._figure(first, reciprocal_variance(f, x), slopes, curves, times)

    def _figure(
        self, values: Floats, chance: Floats, slopes: Floats, curves: Floats, times: Floats
    ) -> ModelFigure:
        """The sum of some values, each taken so many times; slopes and curves are derivatives of
        the values by ln μ.

        A cell is looked at because it has records, and these are in its margins: its fitted ln μ
        is too high by its leverage times what it has above μ.
        """
        held = slopes * times
        variance = total(times**2 * chance) + spread(self.grid, held, self._projected(held))
        above = self.grid.amounts - self.means
        low = total(times * self._leverages * (slopes * above + curves / 2))
        return ModelFigure(total(times * values), math.sqrt(variance), -low)

    @functools.cached_property
    def _leverages(self) -> Floats:
        return leverages(self.grid, generators(self.margins, len(self.grid.shape)))

    def _projected(self, slopes: Floats) -> Floats:
        if self.full is not None:
            return projection(self.grid, self.margins, self.full, slopes)
        parts = parts_of(generators(self.margins, len(self.grid.shape)))
        assert parts is not None
        return closed_projection(self.grid, parts, slopes)

    def quality(self) -> ModelFit | None:
        """How well it fits, where all cells were looked at."""
        if self.full is None:
            return None
        listed = None if self.grid.weighted is None else self.means * self.shares / self.share
        return fit_of(self.grid, self.full, self.shares, self.share, listed)


def is_fitted(grid: Grid, margins: Sequence[Axes], most: int = MOST_CELLS) -> bool:
    """Whether a model can be fitted: on a grid of up to ``most`` cells, or in closed form."""
    closed = parts_of(generators(margins, len(grid.shape))) is not None
    return grid.cells <= most or closed


# -- Poisson counts: the mean of 1/(f + X), where X is Poisson with mean m -------------------------
#
# It is ∫₀¹ t^(f−1) e^(−m(1−t)) dt =: G_f, so that G_1 = (1 − e^(−m))/m and, by parts,
# m · G_(f+1) = 1 − f · G_f.
#
# - f ≤ m: forwards, where an error shrinks by f/m at each step.
# - f > m: f · G_f = 1 − m/(f+1) + m²/((f+1)(f+2)) − …, whose terms shrink from the first on.
# - f and m large together: by the moments of X around its mean, in powers of m/(f + m)².


def mean_reciprocal(counts: Any, means: Any) -> Floats:
    """E 1/(f + X) for counts f ≥ 1 and X Poisson with the means, one of each.

    Examples
    --------
    >>> mean_reciprocal([1, 1, 4], [0.0, 2.0, 0.0]).round(12).tolist()
    [1.0, 0.432332358382, 0.25]
    """
    f, m = np.broadcast_arrays(np.asarray(counts, np.float64), np.asarray(means, np.float64))
    f, m = f.ravel(), m.ravel()
    found = np.empty_like(m)
    falling = f > m
    large = (f + m >= _MANY) & (f > _FEW)
    for chosen, formula in (
        (large, _by_moments),
        (falling & ~large, _by_series),
        (~falling & ~large, _forwards),
    ):
        if chosen.any():
            found[chosen] = formula(f[chosen], m[chosen])
    return found.reshape(np.broadcast_shapes(np.shape(counts), np.shape(means)))


def _forwards(f: Floats, m: Floats) -> Floats:
    order = np.argsort(-f, kind="stable")  # those that go on stand first
    f, m = f[order], m[order]
    value = -np.expm1(-m) / m
    for step in range(1, int(f[0])):
        going = int(np.searchsorted(-f, -step, side="left"))
        value[:going] = (1 - step * value[:going]) / m[:going]
    found = np.empty_like(value)
    found[order] = value
    return found


def _by_series(f: Floats, m: Floats) -> Floats:
    total, term, step = np.ones_like(m), np.ones_like(m), 0
    while np.abs(term).max(initial=0.0) > 1e-17:
        step += 1
        term = -term * m / (f + step)
        total = total + term
    return total / f


def _by_moments(f: Floats, m: Floats) -> Floats:
    """Σ (−1)^k E(X − m)^k / (f + m)^(k+1), with E(X − m)^(k+1) = m Σ C(k, i) E(X − m)^i, i < k."""
    middle = f + m
    scaled = [np.ones_like(m), np.zeros_like(m)]  # E(X − m)^k / (f + m)^k
    for k in range(1, _MOMENTS):
        parts = [math.comb(k, i) * scaled[i] * middle ** (i - k - 1) for i in range(k)]
        scaled.append(m * sum(parts))
    signed = [(-1) ** k * part for k, part in enumerate(scaled)]
    return np.asarray(sum(signed[::-1])) / middle


def reciprocal_variance(counts: Any, means: Any) -> Floats:
    """The variance of 1/(f + X) for counts f ≥ 1 and X Poisson with the means, one of each; to two
    digits where f + m is above 50.

    Examples
    --------
    >>> reciprocal_variance([1, 1, 2], [0.0, 1.0, 1.0]).round(6).tolist()
    [0.0, 0.085253, 0.011956]
    """
    f, m = np.broadcast_arrays(np.asarray(counts, np.float64), np.asarray(means, np.float64))
    shape, f, m = m.shape, f.ravel(), m.ravel()
    middle = f + m
    with np.errstate(under="ignore"):  # by the first derivatives of 1/(f + m)
        found = m / middle**4 * (1 - 2 / middle + 8 * m / middle**2)
    few = middle <= _SERIES
    f, m = f[few], m[few]
    squares, chance = np.zeros_like(m), np.exp(-m)
    for j in range(int(_SERIES + 12 * math.sqrt(_SERIES))):
        squares += chance / (f + j) ** 2
        chance = chance * m / (j + 1)
    found[few] = np.maximum(squares - mean_reciprocal(f, m) ** 2, 0.0)
    return np.asarray(found.reshape(shape))


# -- Decomposable log-linear models: the fit is known at once, without the grid of all cells -------
#
# Where the margins of a model can be taken away one after the other, each of them sharing with one
# of those that are left all that it shares with any (its *separator*), the fitted mean of a cell is
# the product of its counts in the margins over that in the separators. Independent attributes are
# such a model; so is a chain of pairs. Three pairs of three attributes are not.
#
# The projection onto the terms of the model is the sum of those onto the margins less those onto
# the separators, so that the error of the fit needs no grid either.
#
# References
# ----------
# .. [1] Bishop, Fienberg, Holland, *Discrete multivariate analysis*, 1975: 3.4 (closed-form
#    estimates; the rule by which sets are taken away).


def parts_of(margins: Sequence[Axes]) -> Parts | None:
    """The margins and, with the power −1, their separators; None if they cannot be taken apart.

    Examples
    --------
    >>> parts_of([(0, 1), (1, 2)])
    [((0, 1), 1), ((1,), -1), ((1, 2), 1)]
    >>> parts_of([(0, 1), (0, 2), (1, 2)]) is None
    True
    """
    left, found = [set(m) for m in margins], []
    while len(left) > 1:
        at = next((i for i in range(len(left)) if _separated(left, i)), None)
        if at is None:
            return None
        ear = left.pop(at)
        found += [(_axes(ear), 1), (_axes(ear & set().union(*left)), -1)]
    return [*found, *((_axes(one), 1) for one in left)]


def _separated(sets: list[set[int]], at: int) -> bool:
    """Whether one of the others holds all that a set shares with any of them."""
    others = [one for i, one in enumerate(sets) if i != at]
    shared = sets[at] & set().union(*others)
    return any(shared <= one for one in others)


def _axes(attributes: set[int]) -> Axes:
    return tuple(sorted(attributes))


def closed_form(grid: Grid, parts: Parts) -> Floats:
    """μ of the listed cells."""
    logs = np.zeros(len(grid.counts))
    for axes, power in parts:
        logs += power * np.log(_sums(grid, axes, grid.amounts))
    return np.exp(logs)


def closed_projection(grid: Grid, parts: Parts, slopes: Floats) -> Floats:
    """At the listed cells, the projection of d/μ onto the terms of the model, for the slopes d of
    these cells: what ``loglinear.projection`` finds step by step.
    """
    found = np.zeros(len(grid.counts))
    for axes, power in parts:
        found += power * _sums(grid, axes, slopes) / _sums(grid, axes, grid.amounts)
    return found


def leverages(grid: Grid, margins: Sequence[Axes]) -> Floats:
    """How much the fitted ln μ of a listed cell rises with its own amount, about: 1/m summed over
    the margins less the separators. One more in each keeps it near the truth where m is small.

    Where margins cannot be taken apart, the number of records stands for all separators.
    """
    parts = parts_of(margins) or [*((m, 1) for m in margins), ((), 1 - len(margins))]
    found = np.zeros(len(grid.counts))
    for axes, power in parts:
        found += power / (_sums(grid, axes, grid.amounts) + 1)
    return np.maximum(found, 0.0)


def _sums(grid: Grid, axes: Axes, values: Floats) -> Floats:
    """For every listed cell, the sum over those that are equal to it in some attributes."""
    codes = [np.zeros(len(values), np.int64), *(grid.codes[a] for a in axes)]  # one at least
    owner, _ = numbered(codes, [1, *(grid.shape[a] for a in axes)], _DENSE)
    return np.asarray(np.bincount(owner, values).astype(np.float64)[owner])


# -- The choice of a log-linear model: two-way margins are added while the model underfits ---------
#
# A model without the margins that matter spreads the records over too many cells, holds those with
# one record for rarer than they are, and overstates their risk. B̂ of Skinner and Shlomo (2008) is
# then far above 0 (``loglinear.ModelFit``). Each step adds the margin with which the larger one of
# |B̂1|/sd and |B̂2|/sd is least, until neither is significantly positive or no margin lowers it. Of
# equal margins the first wins.


@dataclass(frozen=True)
class AddedMargin:
    """A model on the way: the margin that was added last, and how it fits."""

    added: Axes
    fit: ModelFit

    @property
    def score(self) -> float:
        """The larger one of the two scores, whatever their sign."""
        return max(map(abs, self.fit.scores))


def underfits(fit: ModelFit) -> bool:
    """Whether a model overstates the risk of the cells with one record."""
    return max(fit.scores) > UNDERFIT


def chosen_margins(
    grid: Grid, shares: Floats, share: float, watch: Callable[[int], None] = lambda _done: None
) -> list[AddedMargin]:
    """The steps from independence to the model that is chosen; ``shares`` are the π of the listed
    cells, ``share`` that of the others. ``watch`` is told how many models were tried.
    """
    mu, _ = fitted(grid, [])
    done = 0
    steps = [AddedMargin((), fit_of(grid, mu, shares, share))]
    while underfits(steps[-1].fit):
        best: tuple[AddedMargin, Floats] | None = None
        margins = [step.added for step in steps[1:]]
        for pair in _left(grid, margins):
            tried, _ = fitted(grid, [*margins, pair], mu)
            step = AddedMargin(pair, fit_of(grid, tried, shares, share))
            if best is None or step.score < best[0].score:
                best = step, tried
            done += 1
            watch(done)
        if best is None or best[0].score >= steps[-1].score:
            break
        steps.append(best[0])
        mu = best[1]
    return steps


def _left(grid: Grid, margins: list[Axes]) -> Iterator[Axes]:
    """The pairs that are not in the model; an attribute with one value has nothing to add."""
    wide = [a for a, size in enumerate(grid.shape) if size > 1]
    return (pair for pair in itertools.combinations(wide, 2) if pair not in margins)
