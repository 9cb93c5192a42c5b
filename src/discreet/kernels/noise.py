"""Noise for numbers: independent, with the covariance of the data, or with all moments kept.

With c the amount, z standard normal deviates and S the covariance:

- independent: x' = x + c · sd · z for each column by itself; variances become (1 + c²) as large.
- correlated [1]_: x' = x + c · e with e ~ N(0, S); correlations stay as they were in expectation.
- exact moments [2]_: x' = m + √(1 − c²) (x − m) + c · e, where e sums up to 0, is orthogonal to x
  and has the covariance of x to the last digits; so have the masked values, around the same means.
- multiplicative [3]_: x' = x (1 ± c + t) with one sign per record and |t| ≤ c/2, two humps of
  factors on both sides of 1 with nothing between.

References
----------
.. [1] Kim 1986; Tendick, Matloff 1994; Brand 2002.
.. [2] Burridge 2003; Muralidhar, Sarathy 2008.
.. [3] Höhne 2004.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from discreet.kernels.arrays import Floats
from discreet.kernels.compilation import numeric
from discreet.kernels.draws import normal_quantiles
from discreet.kernels.orthogonal import Basis, centred_column, fresh

Draw = Callable[[int], Floats]

_HUMP = 0.25  # standard deviation of a hump, as a share of the amount; cut off at twice that
_CUT = 0.022750131948179212  # share of normal deviates below −2


def spread(values: Floats) -> float:
    """The sample standard deviation; 0 for fewer than two values.

    Examples
    --------
    >>> spread(np.array([1.0, 3.0]))
    1.4142135623730951
    """
    if len(values) < 2:
        return 0.0
    _, length = centred_column(values, np.empty(len(values)))
    return length / math.sqrt(len(values) - 1)


def independent(values: Floats, amount: float, z: Floats) -> Floats:
    """Values with noise of so many of their standard deviations."""
    return values + (amount * spread(values)) * z


def correlated(found: Basis, columns: Floats, amount: float, draw: Draw) -> Floats:
    """Columns with noise that has the covariance of a basis of them.

    Parameters
    ----------
    found : Basis
        Of the records whose covariance is taken.
    columns : array of float, shape (d, n)
        Of all records that get noise; NaN stays.
    draw : function
        From 0, 1, … to standard normal deviates, one per record.
    """
    rank, n = len(found.rows), found.rows.shape[1]
    z = _drawn(draw, rank, columns.shape[1])
    return _combined(
        columns, np.zeros(len(columns)), 1.0, found.weights, amount / math.sqrt(n - 1), z
    )


def exact(found: Basis, columns: Floats, amount: float, draw: Draw) -> Floats:
    """Columns with noise that changes neither their means nor their covariance.

    Parameters are those of ``correlated``; the basis is of the same records, which are at least
    2r + 1 for a basis of r rows.

    Examples
    --------
    >>> from discreet.kernels.orthogonal import basis
    >>> x = np.array([[1.0, 2.0, 3.0, 4.0, 9.0]])
    >>> made = exact(basis(x), x, 0.5, lambda _: np.array([0.3, -1.0, 0.2, 1.1, 0.4]))
    >>> round(float(made.mean()), 9), round(float(made.var()), 9) == round(float(x.var()), 9)
    (3.8, True)
    """
    z = fresh(_drawn(draw, len(found.rows), columns.shape[1]), found.rows)
    keep = math.sqrt((1.0 - amount) * (1.0 + amount))
    return _combined(columns, found.mean, keep, found.weights, amount, z)


def factors(amount: float, up: Floats, within: Floats) -> Floats:
    """Factors on both sides of 1, from c/2 to 3c/2 away from it.

    Parameters
    ----------
    amount : float
        c, below 2/3: the factors are positive.
    up : array
        A uniform number for each record: below 1/2 it is made smaller, else larger.
    within : array
        Another one, for the place within the hump.

    Examples
    --------
    >>> factors(0.2, np.array([0.1, 0.9]), np.array([0.5, 0.5])).tolist()
    [0.8, 1.2]
    """
    hump = normal_quantiles(_CUT + within * (1 - 2 * _CUT))  # between −2 and 2
    t = np.clip(hump, -2.0, 2.0) * (_HUMP * amount)
    return 1.0 + np.where(up < 0.5, -amount, amount) + t


def _drawn(draw: Draw, number: int, n: int) -> Floats:
    found = np.empty((number, n))
    for i in range(number):
        found[i] = draw(i)
    return found


def _combined(
    columns: Floats, mean: Floats, keep: float, weights: Floats, times: float, rows: Floats
) -> Floats:
    """For every column, mean + keep · (column − mean) + times · Σ weights · rows."""
    made = np.empty_like(columns)
    for j in range(len(columns)):
        _one_combined(columns[j], mean[j], keep, times * weights[:, j], rows, made[j])
    return made


@numeric
def _one_combined(
    column: Floats, mean: float, keep: float, weights: Floats, rows: Floats, out: Floats
) -> None:
    step = 4096  # stays in the cache
    for start in range(0, len(column), step):
        end = min(start + step, len(column))
        for i in range(start, end):
            out[i] = 0.0
        for r in range(len(rows)):
            weight = weights[r]
            for i in range(start, end):
                out[i] += weight * rows[r, i]
        if keep == 1.0:
            for i in range(start, end):
                out[i] += column[i]
        else:
            for i in range(start, end):
                out[i] = (mean + keep * (column[i] - mean)) + out[i]
