"""Decomposable log-linear models: the fit is known at once, without the grid of all cells.

Where the margins of a model can be taken away one after the other, each of them sharing with one
of those that are left all that it shares with any (its *separator*), the fitted mean of a cell is
the product of its counts in the margins over that in the separators. Independent attributes are
such a model; so is a chain of pairs. Three pairs of three attributes are not.

The projection onto the terms of the model is the sum of those onto the margins less those onto the
separators, so that the error of the fit needs no grid either.

References
----------
.. [1] Bishop, Fienberg, Holland, *Discrete multivariate analysis*, 1975: 3.4 (closed-form
   estimates; the rule by which sets are taken away).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.kernels.arrays import Floats
from discreet.kernels.loglinear import Axes, Grid
from discreet.kernels.packing import numbered

_DENSE = 1 << 22  # cells of a margin that are counted in a table
Parts = list[tuple[Axes, int]]  # sets of attributes, and by which power they are multiplied


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
