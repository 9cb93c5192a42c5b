"""Moments and quantiles of numbers before and after a masking, over records that have them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.kernels.arrays import Floats
from discreet.kernels.summation import centred, row_totals, totals

QUANTILES = np.arange(1, 20) / 20


@dataclass(frozen=True, eq=False)
class Summary:
    """What the measures are computed from: sums over the records, whoever added them up.

    Attributes
    ----------
    n : int
        Records, each with all values.
    mean_x, mean_y, cov_x, cov_y : arrays
        Means and covariances of original and masked values.
    relative, known, squares, absolute : arrays
        Per attribute Σ |x − y|/|x| over the x that are not 0, their number, Σ (x − y)² and
        Σ |x − y|.
    m22, m31 : arrays
        Central moments of the original values: means of a²·b² and of a³·b.
    quantiles_x, quantiles_y, low, high : arrays
        At ``QUANTILES``, and of the original values as far below and above as ``around`` says.
    """

    n: int
    mean_x: Floats
    mean_y: Floats
    cov_x: Floats
    cov_y: Floats
    relative: Floats
    known: Floats
    squares: Floats
    absolute: Floats
    m22: Floats
    m31: Floats
    quantiles_x: Floats
    quantiles_y: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, x: Floats, y: Floats) -> Summary:
        """From the values themselves; every sum is the same for every order of the records."""
        n = len(x)
        x, y = np.ascontiguousarray(x.T), np.ascontiguousarray(y.T)
        mean_x, centred_x = centred(x)
        mean_y, centred_y = centred(y)
        squares, known, below_above = centred_x**2, x != 0, around(n)
        cubes = squares * centred_x
        change = np.divide(np.abs(x - y), np.abs(x), out=np.zeros_like(x), where=known)
        quantiles = np.quantile(x, np.concatenate([QUANTILES, *below_above]), axis=1)
        quantiles_x, low, high = np.split(quantiles, 3)
        return cls(
            n=n,
            mean_x=mean_x,
            mean_y=mean_y,
            cov_x=_products(centred_x, centred_x) / max(n - 1, 1),
            cov_y=_products(centred_y, centred_y) / max(n - 1, 1),
            relative=row_totals(change),
            known=known.sum(axis=1).astype(np.float64),
            squares=row_totals((x - y) ** 2),
            absolute=row_totals(np.abs(x - y)),
            m22=_products(squares, squares) / n,
            m31=_products(cubes, centred_x) / n,
            quantiles_x=quantiles_x,
            quantiles_y=np.quantile(y, QUANTILES, axis=1),
            low=low,
            high=high,
        )

    def some(self, columns: Sequence[int]) -> Summary:
        """The same for some of the attributes."""
        at = list(columns)
        parts = {
            name: value[np.ix_(at, at)] if name in _BY_PAIR else value[..., at]
            for name, value in vars(self).items()
            if name != "n"
        }
        return Summary(n=self.n, **parts)


_BY_PAIR = ("cov_x", "cov_y", "m22", "m31")


def around(n: int) -> tuple[Floats, Floats]:
    """The shares below and above each quantile that its density is estimated between."""
    width = np.minimum(0.05, n**-0.2 / 4)
    return np.maximum(QUANTILES - width, 0), np.minimum(QUANTILES + width, 1)


def _products(a: Floats, b: Floats) -> Floats:
    """Σ a_i·b_j over the records, for every row i of a and j of b."""
    first, second = (at.ravel() for at in np.indices((len(a), len(b))))
    if a is b:
        first, second = np.triu_indices(len(a))
    most = np.abs(a).max(axis=1)[first] * np.abs(b).max(axis=1)[second]
    sums = totals(lambda at: a[:, at][first] * b[:, at][second], a.shape[1], most)
    found = np.empty((len(a), len(b)))
    if a is b:
        found[second, first] = sums
    found[first, second] = sums
    return found
