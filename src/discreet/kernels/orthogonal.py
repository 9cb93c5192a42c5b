"""Orthonormal columns: a basis of centred columns, and fresh columns that are orthogonal to it.

Gram–Schmidt with column pivoting, the longest rest first, each column made orthogonal twice [1]_. A
column whose rest is no longer than rounding makes it adds nothing: a singular covariance has a
basis of fewer columns. Sums are taken in the order of the records, in blocks; who wants the same
bits for every order of the rows hands over the records in one order.

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
from discreet.kernels.compilation import numeric

_NOTHING = 1e-11  # of a column's length; a shorter rest is as good as none
_ROUNDING = 8 * np.finfo(float).eps
_SMALLEST = 2.0**-900  # squares below it may have lost digits
_UP = 2.0**600
_BLOCK = 1024  # terms that are added up before they join the sum


@dataclass(frozen=True, eq=False)
class Basis:
    """Columns x_j = mean_j + Σ_i weights[i, j] · rows[i].

    Attributes
    ----------
    mean : array (d,)
    rows : array (r, n)
        Orthonormal, and orthogonal to a constant one; r is the rank of the covariance.
    weights : array (r, d)
        weightsᵀ · weights is the matrix of centred sums of squares and products.
    """

    mean: Floats
    rows: Floats
    weights: Floats


def basis(columns: Floats) -> Basis:
    """A basis of columns around their means.

    Parameters
    ----------
    columns : array of float, shape (d, n), finite

    Examples
    --------
    >>> found = basis(np.array([[0.0, 1.0, 2.0], [0.0, 2.0, 4.0]]))
    >>> len(found.rows), (found.weights.T @ found.weights).round(9).tolist()
    (1, [[2.0, 4.0], [4.0, 8.0]])
    """
    d, n = columns.shape
    rest, mean, length = np.empty((d, n)), np.empty(d), np.empty(d)
    for j in range(d):
        mean[j], length[j] = centred_column(np.ascontiguousarray(columns[j], np.float64), rest[j])
    most = np.maximum(columns.max(axis=1), -columns.min(axis=1))
    noise = _ROUNDING * math.sqrt(n) * most  # what rounding of the values may do to a length
    rows, weights = np.empty((d, n)), np.zeros((d, d))
    rank = _orthogonal(rest, length, noise, rows, weights)
    return Basis(mean, rows[:rank], weights[:rank])


def fresh(columns: Floats, rows: Floats) -> Floats:
    """Orthonormal columns made from random ones, orthogonal to given ones and to a constant.

    Parameters
    ----------
    columns : array of float, shape (m, n)
        Overwritten; n is at least 1 + r + m.
    rows : array of float, shape (r, n)
        Orthonormal, and orthogonal to a constant one.

    Examples
    --------
    >>> made = fresh(np.array([[1.0, 0.0, 3.0, 2.0]]), np.array([[0.5, -0.5, 0.5, -0.5]]))
    >>> round(float(made.sum()), 9), round(float((made**2).sum()), 9)
    (0.0, 1.0)
    """
    _made_orthogonal(columns, np.ascontiguousarray(rows))
    return columns


@numeric
def dot(a: Floats, b: Floats) -> float:
    """Σ a · b, in blocks of eight sums each."""
    total = 0.0
    for start in range(0, len(a), _BLOCK):
        end = min(start + _BLOCK, len(a))
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
        i = start
        while i + 8 <= end:
            s0 += a[i] * b[i]
            s1 += a[i + 1] * b[i + 1]
            s2 += a[i + 2] * b[i + 2]
            s3 += a[i + 3] * b[i + 3]
            s4 += a[i + 4] * b[i + 4]
            s5 += a[i + 5] * b[i + 5]
            s6 += a[i + 6] * b[i + 6]
            s7 += a[i + 7] * b[i + 7]
            i += 8
        while i < end:
            s0 += a[i] * b[i]
            i += 1
        total += ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
    return total


@numeric
def length_of(a: Floats) -> float:
    """√Σ a²; of numbers whose squares are too small to be stored, in units of a power of two."""
    squares = dot(a, a)
    if squares < _SMALLEST:
        larger = a * _UP
        return math.sqrt(dot(larger, larger)) / _UP
    return math.sqrt(squares)


@numeric
def _sum(a: Floats) -> float:
    total = 0.0
    for start in range(0, len(a), _BLOCK):
        part = 0.0
        for i in range(start, min(start + _BLOCK, len(a))):
            part += a[i]
        total += part
    return total


@numeric
def _subtract(a: Floats, times: float, b: Floats) -> None:
    for i in range(len(a)):
        a[i] -= times * b[i]


@numeric
def centred_column(column: Floats, out: Floats) -> tuple[float, float]:
    """Write a column around its mean; the mean is corrected once. Its mean and its length."""
    first, n = column[0], len(column)
    for i in range(n):
        out[i] = column[i] - first
    mean = _sum(out) / n
    for i in range(n):
        out[i] -= mean
    rest = _sum(out) / n
    for i in range(n):
        out[i] -= rest
    return first + (mean + rest), length_of(out)


@numeric
def _orthogonal(rest: Floats, length: Floats, noise: Floats, rows: Floats, weights: Floats) -> int:
    """Fill rows and weights, the rest that is longest beside its column first; return the rank."""
    d, rank = len(rest), 0
    left, size = np.ones(d, np.bool_), length.copy()
    for _ in range(d):
        pivot, most = -1, _NOTHING
        for j in range(d):
            if left[j] and size[j] > noise[j] and size[j] / length[j] > most:
                pivot, most = j, size[j] / length[j]
        if pivot < 0:
            break
        own, left[pivot] = rest[pivot], False
        for i in range(rank):  # once more: what is left of the earlier ones is rounding
            more = dot(rows[i], own)
            weights[i, pivot] += more
            _subtract(own, more, rows[i])
        scale = length_of(own)
        weights[rank, pivot] = scale
        for i in range(len(own)):
            rows[rank, i] = own[i] / scale
        for j in range(d):
            if left[j]:
                weights[rank, j] = dot(rows[rank], rest[j])
                _subtract(rest[j], weights[rank, j], rows[rank])
                size[j] = length_of(rest[j])
                noise[j] += abs(weights[rank, j]) * noise[pivot] / scale
        rank += 1
    return rank


@numeric
def _made_orthogonal(columns: Floats, rows: Floats) -> None:
    """Make every column orthogonal to a constant, to the rows and to the columns before it."""
    n = columns.shape[1]
    for j in range(len(columns)):
        own = columns[j]
        for _ in range(2):
            mean = _sum(own) / n
            for i in range(n):
                own[i] -= mean
            _project(own, rows)
            _project(own, columns[:j])
            length = math.sqrt(dot(own, own))
            for i in range(n):
                own[i] /= length


@numeric
def _project(own: Floats, rows: Floats) -> None:
    """Subtract what a column has along orthonormal rows, block by block for all of them."""
    n, along = len(own), np.zeros(len(rows))
    for start in range(0, n, _BLOCK):
        end = min(start + _BLOCK, n)
        for k in range(len(rows)):
            along[k] += dot(own[start:end], rows[k, start:end])
    for start in range(0, n, _BLOCK):
        end = min(start + _BLOCK, n)
        for k in range(len(rows)):
            _subtract(own[start:end], along[k], rows[k, start:end])
