"""Univariate microaggregation: groups of at least k neighbours in sorted order [1]_.

Each group's mean later replaces its values, so that no value stands for fewer than k records.

Ties. Equal values keep their input order and may be split between groups, unless fixed groups are
asked to keep them together. Among partitions of equal loss the first group is as small as possible,
then the second, and so on: constant values give the fixed groups. Losses equal but for rounding are
told apart by rounding, alike for every row order.

Precision. A group's loss is a sum of non-negative terms about one of its own values: offsets cancel
before squaring. Totals are pairs of doubles: down to 1e-30 of the largest loss, any groups that
differ from those of an exact optimum are by themselves as good as they, up to rounding.

References
----------
.. [1] Truta, Fotouhi, Barth-Jones, "Global disclosure risk measures and k-anonymity property for
   microdata", equations (1) and (2).
.. [2] Hansen, Mukherjee, "A polynomial algorithm for optimal univariate microaggregation", IEEE
   TKDE 15 (4), 2003: a shortest path in O(kn); no group needs 2k records.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeVar

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.summation import row_totals, totals

Objective = Literal["squares", "absolute"]
_F = TypeVar("_F", bound=Callable[..., Any])
_kernel: Callable[[_F], _F] = njit(cache=True, nogil=True)
_DIGITS = 12
_DIGITS_OF_SIGN = 6


def fixed_groups(values: Floats, k: int, *, together: bool = False) -> Ints:
    """Group every k consecutive sorted values; the last group takes the remainder.

    Parameters
    ----------
    values : array of float, any order, without NaN
    k : smallest group size, ``1 <= k <= len(values)``
    together : whether equal values stay in one group, which ends where the next value begins

    Returns
    -------
    groups : array of int, in input order, numbered from 0 by ascending value

    Examples
    --------
    >>> fixed_groups(np.array([68.0, 8.0, 72.0, 10.0, 19.0]), 2).tolist()
    [1, 0, 1, 0, 1]
    >>> fixed_groups(np.array([68.0, 8.0, 8.0, 8.0, 19.0]), 2, together=True).tolist()
    [1, 0, 0, 0, 1]
    """
    n, order = len(values), np.argsort(values, kind="stable")
    if together:
        return _labels(_ends_of_values(values[order], k), order)
    groups = np.empty(n, np.int64)
    groups[order] = np.minimum(np.arange(n) // k, n // k - 1)
    return groups


def optimal_groups(values: Floats, k: int, objective: Objective = "squares") -> Ints:
    """Group sorted values into the k-partition of least total distance from the group means.

    Parameters
    ----------
    values, k : as for ``fixed_groups``; values are finite
    objective : what a group costs
        ``"squares"``, the sum of (x - mean)^2: O(n log k) after sorting. ``"absolute"``, the sum of
        |x - mean| as in [1]_: a group of any size can be optimal ({-3, 0, ..., 0, 3} with k = 3 is
        best left whole). Time grows like n (k + log n) on usual data; O(n^2) is not excluded.

    Returns
    -------
    groups : array of int, in input order, numbered from 0 by ascending value

    Examples
    --------
    >>> optimal_groups(np.array([-3.0, 0, 0, 0, 0, 3]), 3, "absolute").tolist()
    [0, 0, 0, 0, 0, 0]
    """
    order = np.argsort(values, kind="stable")
    x = values[order]
    exponent = np.frexp(max(abs(x[0]), abs(x[-1])))[1]
    x *= np.ldexp(1.0, -max(exponent, -1000))  # |x| < 1 without rounding: no square overflows
    return _labels((_squares_ends if objective == "squares" else _absolute_ends)(x, k), order)


@_kernel
def _ends_of_values(x: Floats, k: int) -> Ints:
    """The ends of groups of k sorted values that go on to the last of equal values."""
    n, start = len(x), 0
    ends = np.full(n, n)
    while start < n:
        end = min(start + k, n)
        while end < n and x[end] == x[end - 1]:
            end += 1
        ends[start] = end if n - end >= k else n
        start = ends[start]
    return ends


@_kernel
def _labels(ends: Ints, order: Ints) -> Ints:
    """Number the groups [0, ends[0]), [ends[0], ends[ends[0]]), ... and undo the sorting."""
    groups, label, end = np.empty(len(order), np.int64), -1, 0
    for i in range(len(order)):
        if i == end:
            label, end = label + 1, ends[i]
        groups[order[i]] = label
    return groups


@_kernel
def _two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b rounded, and the rounding error (Knuth)."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


@_kernel
def _plus(pairs: Floats, i: int, y: float) -> tuple[float, float]:
    """Return pairs[i] + y as a double and the rest that it cannot hold."""
    total, error = _two_sum(pairs[i, 0], y)
    error += pairs[i, 1]
    return total + error, error - ((total + error) - total)


@_kernel
def _squares_ends(x: Floats, k: int) -> Ints:
    """Solve loss[i] = min of cost(i, j) + loss[j] over i + k <= j < i + 2k, from the right [2]_.

    Starts i in a stretch [pivot - k, pivot) need loss[j] for j >= pivot only, known by then; and
    every group [i, j) straddles the pivot, so its cost is joined in O(1) from two parts.
    """
    n = len(x)
    ends, loss, parts = np.empty(n, np.int64), np.full((n + 1, 2), np.inf), np.zeros((2, 2 * k, 2))
    loss[n] = 0.0
    for pivot in range(n - k + 1, 0, -k):
        first, last = max(0, pivot - k), min(n, pivot + 2 * k - 2)
        _moments(x[first:pivot][::-1], x[pivot - 1], parts[0])
        _moments(x[pivot:last], x[pivot - 1], parts[1])
        least, rest = loss[pivot + np.argmin(loss[pivot : last + 1, 0])]
        for j in range(pivot, last + 1):  # what all choices share must not drown their differences
            if loss[j, 0] < np.inf:
                loss[j, 0], loss[j, 1] = _plus(loss, j, -least)
                loss[j, 1] -= rest
        _best_ends(first, pivot, k, parts, loss, ends)
    return ends


@_kernel
def _moments(x: Floats, origin: float, out: Floats) -> None:
    """Fill out[m] with the squared deviations and the mean distance from origin of m values."""
    squares = total = mean = 0.0
    for m in range(len(x)):
        distance = abs(x[m] - origin)
        squares += (distance - mean) ** 2 * (m / (m + 1))
        total += distance
        mean = total / (m + 1)
        out[m + 1, 0], out[m + 1, 1] = squares, mean


@_kernel
def _best_ends(first: int, pivot: int, k: int, parts: Floats, loss: Floats, ends: Ints) -> None:
    """Find the best end of each start in [first, pivot), by halving strides.

    The cost satisfies the quadrangle inequality, so best ends do not decrease with the start
    (Aggarwal et al. 1987, "SMAWK"): those of the starts one stride away enclose the one sought.
    """
    n, stride = len(ends), 1
    while 2 * stride <= pivot - first:
        stride *= 2
    while stride > 0:
        for i in range(first + stride - 1, pivot, 2 * stride):
            low = max(i + k, ends[i - stride]) if i - stride >= first else i + k
            high = min(i + 2 * k - 1, ends[i + stride] if i + stride < pivot else n)
            m, best, rest = pivot - i, np.inf, 0.0
            for j in range(low, high + 1):
                p = j - pivot
                gap = parts[0, m, 1] + parts[1, p, 1]
                cost = parts[0, m, 0] + parts[1, p, 0] + gap * gap * (m * p / (m + p))
                total, error = _plus(loss, j, cost)
                if (total - best) + (error - rest) < 0.0:
                    best, rest, ends[i] = total, error, j
            loss[i, 0], loss[i, 1] = best, rest
        stride //= 2


@_kernel
def _absolute_ends(x: Floats, k: int) -> Ints:
    """Solve loss[i] = min of cost(i, j) + loss[j] over j >= i + k, from the right.

    Lemma: cost(i, j) does not decrease with j. A new value y moves the mean of m values by d with
    m |d| = |y - new mean|, and the m old values gain no more than m |d| by the move. So cost(i, j)
    plus the least loss in a block of ends from j on bounds the block. Least losses of aligned
    blocks of 1, 2, 4, ... ends stand in a tree: node v has the halves 2v and 2v + 1.
    """
    n, leaves = len(x), 1
    while leaves <= n:
        leaves *= 2
    ends, sums, loss = np.empty(n, np.int64), _prefix_sums(x), np.full((2 * leaves, 2), np.inf)
    loss[leaves + n] = 0.0
    for i in range(n, -1, -1):
        if i <= n - k:
            _best_end(i, k, x, sums, loss, ends)
        node = leaves + i
        while node % 2 == 0:  # every block that begins at i is now complete
            later = loss[node + 1, 0] - loss[node, 0] + (loss[node + 1, 1] - loss[node, 1]) < 0.0
            loss[node // 2] = loss[node + 1] if later else loss[node]
            node //= 2
    return ends


@_kernel
def _prefix_sums(x: Floats) -> Floats:
    """Sum outwards from the value nearest to zero: no sum then dwarfs the values beside it."""
    sums, nearest = np.zeros((len(x) + 1, 2)), np.argmin(np.abs(x))
    for i in range(nearest, len(x)):
        sums[i + 1, 0], sums[i + 1, 1] = _plus(sums, i, x[i])
    for i in range(nearest, 0, -1):
        sums[i - 1, 0], sums[i - 1, 1] = _plus(sums, i, -x[i - 1])
    return sums


@_kernel
def _best_end(i: int, k: int, x: Floats, sums: Floats, loss: Floats, ends: Ints) -> None:
    """Walk the blocks of ends from i + k on: pass over a block, or look into its first half."""
    leaves, j, at, width, best, rest = len(loss) // 2, i + k, i, 1, np.inf, 0.0
    while j <= len(x):
        cost, at = _absolute_cost(i, j, at, x, sums)
        while True:
            total, error = _plus(loss, (leaves + j) // width, cost)
            better = (total - best) + (error - rest) < 0.0
            if not better or width == 1:
                break
            width //= 2
        if better:
            best, rest, ends[i] = total, error, j
        j += width
        if j % (2 * width) == 0:
            width *= 2
    loss[leaves + i, 0], loss[leaves + i, 1] = best, rest


@_kernel
def _absolute_cost(i: int, j: int, at: int, x: Floats, sums: Floats) -> tuple[float, int]:
    """Return the sum of |x - mean| over [i, j), and the last place (``at`` or later) <= mean."""
    if x[i] == x[j - 1]:
        return 0.0, at
    mean, beyond = _sum_about(x[i], i, j, sums) / (j - i), j  # mean: from x[i] on
    while beyond - at > 1:
        middle = (at + beyond) // 2
        at, beyond = (middle, beyond) if x[middle] - x[i] <= mean else (at, middle)
    shift = _sum_about(x[at], i, j, sums) / (j - i)  # from x[at] up to the mean
    lower = -_sum_about(x[at], i, at + 1, sums)  # distances of the values below x[at] from it
    return 2.0 * (max(shift, 0.0) * (at + 1 - i) + max(lower, 0.0)), at


@_kernel
def _sum_about(origin: float, i: int, j: int, sums: Floats) -> float:
    """Return the sum of x - origin over [i, j), cancelled in twice the working precision."""
    scaled = origin * 134217729.0  # 2^27 + 1 (Veltkamp): both halves times (j - i) are exact
    upper = scaled - (scaled - origin)
    total, error = _two_sum(sums[j, 0], -sums[i, 0])
    total, error_upper = _two_sum(total, -(j - i) * upper)
    total, error_lower = _two_sum(total, -(j - i) * (origin - upper))
    return total + (error + error_upper + error_lower + (sums[j, 1] - sums[i, 1]))


# -- The first principal component of records: the direction in which they vary most ---------------
#
# Sums over the records are the same for every order of them (``summation``). The loadings are
# rounded to twelve digits, so that the last bits of an eigenvector, which differ between machines,
# decide nothing. Their sign is chosen: the loading of largest magnitude is positive, the first
# among equals. Two standardised columns always have equal ones, up to the digits that a standard
# deviation is rounded to; so magnitudes are compared by fewer digits.


def first_component(columns: Floats) -> Floats:
    """The loadings of the first principal component.

    Parameters
    ----------
    columns : array of float, shape (d, n)
        Finite; centred here, not scaled.

    Returns
    -------
    loadings : array of d numbers; those of constant columns only are (1, 0, …)

    Examples
    --------
    >>> first_component(np.array([[0.0, 1.0, 2.0], [0.0, -1.0, -2.0]])).round(4).tolist()
    [0.7071, -0.7071]
    """
    products = cross_products(columns - (row_totals(columns) / columns.shape[1])[:, None])
    if not products.any():
        return np.eye(len(columns))[0]
    largest = np.linalg.eigh(products / np.abs(products).max())[1][:, -1]
    loadings = np.round(largest, _DIGITS)
    leading = np.argmax(np.round(np.abs(loadings), _DIGITS_OF_SIGN))
    return np.asarray(loadings * np.sign(loadings[leading]))


def cross_products(columns: Floats) -> Floats:
    """The sum over the records of the product of each pair of columns, as a symmetric matrix."""
    d, n = columns.shape
    one, other = np.triu_indices(d)
    most = np.abs(columns).max(axis=1, initial=0.0)
    sums = totals(lambda at: columns[one, at] * columns[other, at], n, most[one] * most[other])
    found = np.zeros((d, d))
    found[one, other] = found[other, one] = sums
    return found


def scores(columns: Floats, loadings: Floats) -> Floats:
    """The place of each record along a component; added column by column."""
    found = np.zeros(columns.shape[1])
    for column, loading in zip(columns, loadings, strict=True):
        found += column * loading
    return found
