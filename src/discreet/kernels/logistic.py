"""Logistic regression by iteratively reweighted least squares, of rows that are counted.

Newton's method on the likelihood, a step halved while it does not help. Columns that follow from
others are left out: a Cholesky decomposition with pivoting finds them. Where some rows can be told
apart for certain, no coefficients are best; the fitted chances still have a limit, which they are
taken to. All sums run over the rows in their order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.kernels.arrays import Bools, Floats
from discreet.kernels.compilation import njit

_MOST_STEPS = 100
_MOST_HALVINGS = 30
_SAME = 1e-12  # of a record: a smaller change of the deviance, or a smaller slope of it, is none
_NOTHING = 1e-10  # of a column's square; a smaller rest is as good as none
_CERTAIN = 1e-6


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """Fitted chances, one per row, and which columns were used.

    ``certain`` says whether some row is as good as certainly one or the other.
    """

    chances: Floats
    used: Bools
    certain: bool
    steps: int


def logistic(columns: Floats, ones: Floats, of: Floats) -> LogisticFit:
    """Fit the chance that a record of a row is a one.

    Parameters
    ----------
    columns : array of shape (rows, p), the first of which is the intercept
    ones, of : arrays
        How many of the records of each row are ones, and how many there are.

    Examples
    --------
    >>> columns = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> logistic(columns, np.array([1.0, 3.0]), np.array([4.0, 4.0])).chances.round(9).tolist()
    [0.25, 0.75]
    """
    used = _independent(_cross(columns, of))
    design = np.ascontiguousarray(columns[:, used])
    share = ones.sum() / of.sum()
    slopes = np.zeros(design.shape[1])
    slopes[0] = np.log(share / (1 - share))
    chances = np.full(len(design), share)
    deviance, limit, steps = _deviance(chances, ones, of), _SAME * of.sum(), 0
    while steps < _MOST_STEPS:
        steps += 1
        gradient = _sums(design, ones - of * chances)
        if np.abs(gradient).max() <= limit:
            break
        step = _solved(_cross(design, of * chances * (1 - chances)), gradient)
        for _ in range(_MOST_HALVINGS):
            tried = _chances(_products(design, slopes + step))
            after = _deviance(tried, ones, of)
            if after <= deviance:
                break
            step = step / 2
        if after > deviance:
            break
        gained, slopes, chances, deviance = deviance - after, slopes + step, tried, after
        if gained <= limit:
            break
    certain = bool(((chances < _CERTAIN) | (chances > 1 - _CERTAIN)).any())
    return LogisticFit(chances, used, certain, steps)


def _chances(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -500, 500))))


def _deviance(chances: Floats, ones: Floats, of: Floats) -> float:
    """−2 · log-likelihood, 0 for rows that are told apart for certain."""
    zeros = of - ones
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(ones > 0, ones * np.log(chances), 0.0)
        second = np.where(zeros > 0, zeros * np.log1p(-chances), 0.0)
    return float(-2 * (first.sum() + second.sum()))


def _solved(cross: Floats, gradient: Floats) -> Floats:
    """Newton's step; the shortest one where the likelihood is flat in some direction."""
    size = np.sqrt(np.maximum(np.diag(cross), 0))
    unit = np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(cross / np.outer(unit, unit))
    known = values > 1e-13 * max(float(values[-1]), 0.0)
    along = vectors[:, known].T @ (gradient / unit)
    return np.asarray(vectors[:, known] @ (along / values[known]) / unit)


def _independent(cross: Floats) -> Bools:
    """Which columns are kept: the intercept, then always the one with the longest rest."""
    rest, size = cross.copy(), np.diag(cross).copy()
    left = size > 0
    used = np.zeros(len(cross), np.bool_)
    pivot = 0
    while True:
        used[pivot], left[pivot] = True, False
        column = rest[:, pivot] / rest[pivot, pivot]
        rest -= np.outer(column, rest[pivot])
        share = np.where(left, np.diag(rest) / np.where(size > 0, size, 1.0), -1.0)
        pivot = int(np.argmax(share > share.max() * (1 - 1e-9)))  # the first of equally long ones
        if share.max() <= _NOTHING:
            return used


@njit(cache=True, nogil=True)
def _cross(columns, weights):  # type: ignore[no-untyped-def]
    """Σ weight · column · column′ over the rows, in their order."""
    rows, p = columns.shape
    found = np.zeros((p, p))
    for i in range(rows):
        for a in range(p):
            scaled = weights[i] * columns[i, a]
            if scaled != 0.0:
                for b in range(p):
                    found[a, b] += scaled * columns[i, b]
    return found


@njit(cache=True, nogil=True)
def _sums(columns, weights):  # type: ignore[no-untyped-def]
    """Σ weight · column over the rows, in their order."""
    rows, p = columns.shape
    found = np.zeros(p)
    for i in range(rows):
        for a in range(p):
            found[a] += weights[i] * columns[i, a]
    return found


@njit(cache=True, nogil=True)
def _products(columns, slopes):  # type: ignore[no-untyped-def]
    """Σ slope · column over the columns, for every row."""
    rows, p = columns.shape
    found = np.zeros(rows)
    for i in range(rows):
        for a in range(p):
            found[i] += slopes[a] * columns[i, a]
    return found
