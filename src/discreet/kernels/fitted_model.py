"""A log-linear model that was fitted to a sample, and the risks that follow from it.

With λ people expected of a cell, of which a share π is sampled, X others are there beside the f in
the sample: Poisson with mean x = λ(1 − π). A figure over the cells, Σ g(f, x), is off by chance
(the variance of what it estimates, given x) and by the error of the fit (delta method, by its
slopes x · dg/dx along ln μ).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.kernels.arrays import Floats
from discreet.kernels.decomposable import closed_form, closed_projection, leverages, parts_of
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
from discreet.kernels.poisson import mean_reciprocal, reciprocal_variance
from discreet.kernels.summation import total


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
