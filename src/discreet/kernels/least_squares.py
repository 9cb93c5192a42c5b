"""Least squares with an intercept, for columns of any scale, and which columns say nothing new.

The columns are centred and brought to length 1; then they are made orthogonal one after the other,
the one with the longest rest first (QR decomposition with column pivoting, by modified
Gram–Schmidt, each column made orthogonal twice [1]_). A column whose rest is no longer than
rounding makes it follows from the others. All sums over the records are the same for every order
of them (``summation``), and so is the fit.

References
----------
.. [1] Giraud, Langou, Rozložník, "The loss of orthogonality in the Gram-Schmidt orthogonalization
   process", Comput. Math. Appl. 50 (7), 2005: twice is enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.kernels.arrays import Floats
from discreet.kernels.summation import row_totals, total, totals

_ROUNDING = 8 * np.finfo(float).eps
_NOTHING = 1e-11  # of a column's length; a shorter rest is as good as none


class CollinearError(Exception):
    """Columns that follow from the intercept and the other columns, by number."""

    def __init__(self, columns: list[int]) -> None:
        super().__init__(f"{len(columns)} columns")
        self.columns = columns


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients and their standard errors, the intercept first, and R².

    Where the fit is perfect, the errors are those of rounding the response. R² is None where the
    response does not vary.
    """

    coefficients: Floats
    standard_errors: Floats
    r2: float | None


def least_squares(columns: Floats, y: Floats) -> Fit:
    """Fit y = b0 + Σ b_j · columns[j].

    Parameters
    ----------
    columns : array of shape (p, n), without a constant one for the intercept
    y : array of n > p + 1 numbers

    Raises
    ------
    CollinearError
        When a column is constant, or follows from others.

    Examples
    --------
    >>> fit = least_squares(np.array([[0.0, 1, 2, 3]]), np.array([1.0, 3, 5, 7]))
    >>> fit.coefficients.tolist(), fit.r2
    ([1.0, 2.0], 1.0)
    """
    p, n = columns.shape
    means = row_totals(columns) / n
    mean_y = total(y) / n
    rest_y = y - mean_y
    spread = total(rest_y**2)
    lengths, order, q, r = _orthogonal(columns, means)
    reached = np.zeros(p)
    for i in range(p):
        reached[i] = total(q[i] * rest_y)
        rest_y = rest_y - reached[i] * q[i]
    back = _inverse(r)
    slopes, shift = np.zeros(p), np.zeros(p)
    slopes[order] = (back @ reached) / lengths[order]
    shift[:] = back.T @ (means[order] / lengths[order])
    errors = np.zeros(p)
    errors[order] = np.sqrt((back**2).sum(axis=1)) / lengths[order]
    left = total(rest_y**2)
    nothing = n * (_ROUNDING * float(np.abs(y).max())) ** 2  # as much as rounding may leave
    noise = math.sqrt(max(left, nothing) / (n - p - 1))
    at_zero = math.fsum([mean_y, *(-slopes * means)])
    return Fit(
        np.array([at_zero, *slopes]),
        noise * np.array([math.sqrt(1 / n + math.fsum(shift**2)), *errors]),
        1 - left / spread if spread > nothing else None,
    )


def _orthogonal(columns: Floats, means: Floats) -> tuple[Floats, list[int], Floats, Floats]:
    """Lengths of the centred columns, the order of pivots, and Q and R of the scaled columns."""
    p, n = columns.shape
    rest = columns - means[:, None]
    lengths = np.sqrt(row_totals(rest**2))
    # what rounding of the values and of their mean may do to a centred column
    noise = _ROUNDING * math.sqrt(n) * np.abs(columns).max(axis=1, initial=0.0)
    constant = [j for j in range(p) if lengths[j] <= noise[j]]
    if constant:
        raise CollinearError(constant)
    rest, noise = rest / lengths[:, None], noise / lengths
    order: list[int] = []
    q, r = np.zeros((p, n)), np.zeros((p, p))
    for step in range(p):
        others = [j for j in range(p) if j not in order]
        sizes = np.sqrt(row_totals(rest[others] ** 2))
        pivot = others[int(np.argmax(sizes))]
        if sizes.max() <= max(_NOTHING, noise[pivot]):
            raise CollinearError(others)
        own = rest[pivot]
        for i in range(step):  # once more: what is left of the earlier ones is rounding
            more = total(q[i] * own)
            r[i, pivot] += more
            own = own - more * q[i]
        length = math.sqrt(total(own**2))
        q[step], r[step, pivot] = own / length, length
        order.append(pivot)
        later = [j for j in others if j != pivot]
        if later:
            r[step, later] = _dots(q[step], rest[later])
            rest[later] -= r[step, later][:, None] * q[step]
            noise[later] += np.abs(r[step, later]) * noise[pivot] / length
    return lengths, order, q, r[:, order]


def _dots(one: Floats, many: Floats) -> Floats:
    """Σ one · row over the records, for every row."""
    most = float(np.abs(one).max()) * np.abs(many).max(axis=1)
    return totals(lambda at: many[:, at] * one[at], len(one), most)


def _inverse(r: Floats) -> Floats:
    """The inverse of an upper triangular matrix, by substitution from below."""
    p = len(r)
    found = np.zeros((p, p))
    for i in reversed(range(p)):
        found[i, i] = 1 / r[i, i]
        found[i, i + 1 :] = -(r[i, i + 1 :] @ found[i + 1 :, i + 1 :]) / r[i, i]
    return found
