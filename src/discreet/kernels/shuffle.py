"""Data shuffling: the values of columns are dealt out anew by ranks that are drawn [1]_.

Let s* be the normal scores of the given columns, ρ = 2 sin(π ρ_s / 6) the correlations of normal
scores that belong to the rank correlations ρ_s, X the columns to shuffle and S the given ones. Then

    y* = ρ_XS ρ_SS⁻¹ s* + e,  e ~ N(0, ρ_XX − ρ_XS ρ_SS⁻¹ ρ_SX)

is drawn for every record, and the record gets the value of X that has the rank of its y*. The
values of a column stay as they are, as a whole; given S, who gets which is independent of X.

The formula for ρ holds for normal scores. Two things bring the rank correlations of other data
nearer. Equal values of X have one rank on average, so that their ranks vary by 1 − Σ p³ of those of
different ones; correlations with y*, which has no equal values, are larger by the root of that. And
the targets are corrected twice for the rank correlations that came out, on the first 262,144
records, with the same draws.

A matrix that rounding, or rank correlations that no normal scores have, left with negative
eigenvalues is used without them.

References
----------
.. [1] Muralidhar, Sarathy 2006.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit, numeric
from discreet.kernels.draws import normal_quantiles
from discreet.kernels.orthogonal import dot

Draw = Callable[[int], Floats]

_CORRECTIONS = 2
_SOME = 1 << 18  # records on which they are measured
_HIGHEST = 0.9999  # rank correlation of different columns
_NOTHING = 1e-9  # of the largest eigenvalue
_BITS = 11  # of a digit: 2,048 counters stay in the cache
_FEW = 4096  # numbers: for fewer, comparisons are as quick
_SIGN = np.uint64(1 << 63)


@dataclass(frozen=True, eq=False)
class Redistribution:
    """Who gets whose value, and the rank correlations of all columns before and after.

    Attributes
    ----------
    source : array (p, n)
        The place of the record whose value a record gets; its own where a value is missing.
    before, after : array (p + q, p + q)
        The shuffled columns first.
    """

    source: Ints
    before: Floats
    after: Floats


def shuffled(x: Floats, s: Floats, draw: Draw) -> Redistribution:
    """Redistribution out the values of columns anew.

    Parameters
    ----------
    x : array of float, shape (p, n)
        What sorts as the values to shuffle do; NaN where one is missing.
    s : array of float, shape (q, n)
        What sorts as the given values do; q may be 0.
    draw : function
        From 0, 1, … to standard normal deviates, one per record.

    Examples
    --------
    >>> x, s = np.array([[1.0, 2.0, 4.0, 3.0]]), np.array([[5.0, 6.0, 8.0, 7.0]])
    >>> deal = shuffled(x, s, lambda _: np.array([0.3, -0.8, 0.1, 1.2]))
    >>> sorted(deal.source[0].tolist())
    [0, 1, 2, 3]
    """
    p, n = x.shape
    there = ~np.isnan(x)
    orders, ranks = _ranked(x, there)
    given = np.empty(s.shape)
    for j in range(len(s)):
        given[j] = mean_ranks(s[j], ordered(s[j]))
    everything = np.vstack([ranks, given])
    before = correlations(everything)
    target = before / _dampings(ranks, there, len(s))
    scores = _scores(given)
    z = np.empty((p, n))
    for i in range(p):
        z[i] = draw(i)
    few = slice(0, _SOME)
    wanted = target.copy()
    for _ in range(_CORRECTIONS):
        y = _drawn(target, scores[:, few], z[:, few])
        own = np.array([mean_ranks(one, ordered(one)) for one in y])
        reached = correlations(np.vstack([own, _again(given[:, few])]))
        target[:p] += (wanted - reached)[:p]
        target[p:, :p] = target[:p, p:].T
    y = _drawn(target, scores, z)
    source, dealt = np.tile(np.arange(n), (p, 1)), ranks.copy()
    for j in range(p):
        places = np.flatnonzero(there[j])
        to = ordered(y[j]) if len(places) == n else places[ordered(y[j][places])]
        source[j, to] = orders[j]
        dealt[j, to] = ranks[j, orders[j]]
    return Redistribution(source, before, correlations(np.vstack([dealt, given])))


def mean_ranks(values: NDArray[Any], order: Ints) -> Floats:
    """Ranks from 1 on, equal values with their mean rank; ``order`` sorts the values.

    Examples
    --------
    >>> mean_ranks(np.array([7.0, 5.0, 7.0]), np.array([1, 0, 2])).tolist()
    [2.5, 1.0, 2.5]
    """
    found = np.empty(len(values))
    _mean_ranks(values[order], order, found)
    return found


def correlations(rows: Floats) -> Floats:
    """The correlation of every pair of rows over the records that have both; 0 where one of them
    does not vary, 1 of a row with itself.

    Examples
    --------
    >>> correlations(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, np.nan]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    d = len(rows)
    found = np.eye(d)
    gaps = [bool(np.isnan(row).any()) for row in rows]
    centred = [row - row.mean() for row in rows]
    for i in range(d):
        for j in range(i):
            one, other = centred[i], centred[j]
            if gaps[i] or gaps[j]:
                both = ~np.isnan(rows[i]) & ~np.isnan(rows[j])
                one, other = (rows[at][both] for at in (i, j))
                if not both.any():
                    continue
                one, other = one - one.mean(), other - other.mean()
            scale = math.sqrt(dot(one, one) * dot(other, other))
            found[i, j] = found[j, i] = dot(one, other) / scale if scale else 0.0
    return found


def _ranked(x: Floats, there: NDArray[np.bool_]) -> tuple[list[Ints], Floats]:
    """For every column the places of its values from the smallest on, and their mean ranks."""
    orders, ranks = [], np.full(x.shape, np.nan)
    for j in range(len(x)):
        places = np.flatnonzero(there[j])
        values = x[j] if len(places) == x.shape[1] else x[j][places]
        order = ordered(values)
        ranks[j, places] = mean_ranks(values, order)
        orders.append(order if len(places) == x.shape[1] else places[order])
    return orders, ranks


def _dampings(ranks: Floats, there: NDArray[np.bool_], given: int) -> Floats:
    """What rank correlations are divided by: how much less the ranks of columns with equal values
    vary than those of different values do."""
    sizes = np.ones(len(ranks) + given)
    for j, row in enumerate(ranks):
        m = int(there[j].sum())
        most = (m * m - 1) / 12
        sizes[j] = math.sqrt(float(np.nanvar(row)) / most) if m > 1 else 1.0
    found = np.outer(sizes, sizes)
    np.fill_diagonal(found, 1.0)
    return np.where(found > 0, found, 1.0)


def _scores(ranks: Floats) -> Floats:
    """Normal scores of ranks, with variance 1."""
    found = np.empty(ranks.shape)
    for j, row in enumerate(ranks):
        one = normal_quantiles((row - 0.5) / len(row))
        one -= one.mean()
        length = math.sqrt(dot(one, one) / len(one))
        found[j] = one / length if length else 0.0
    return found


def _again(ranks: Floats) -> Floats:
    """Ranks of some of the records, from the ranks of all."""
    return np.array([mean_ranks(row, ordered(row)) for row in ranks]).reshape(ranks.shape)


def _drawn(target: Floats, scores: Floats, z: Floats) -> Floats:
    """What decides the new ranks."""
    p = len(z)
    rho = 2 * np.sin(np.pi / 6 * np.clip(target, -_HIGHEST, _HIGHEST))
    np.fill_diagonal(rho, 1.0)
    slopes = rho[:p, p:] @ _inverse(rho[p:, p:])
    rest = rho[:p, :p] - slopes @ rho[p:, :p]
    values, vectors = np.linalg.eigh((rest + rest.T) / 2)
    weights = np.hstack([slopes, vectors * np.sqrt(np.maximum(values, 0.0))])
    return _mixed(weights, scores, z)


def _inverse(matrix: Floats) -> Floats:
    """The inverse on the range of a symmetric matrix without negative eigenvalues."""
    if not len(matrix):
        return matrix
    values, vectors = np.linalg.eigh(matrix)
    kept = values > _NOTHING * values[-1]
    return np.asarray((vectors[:, kept] / values[kept]) @ vectors[:, kept].T)


def _mixed(weights: Floats, scores: Floats, z: Floats) -> Floats:
    """Σ weights · (scores, then z), for every row of the weights; added in that order."""
    made = np.zeros(z.shape)
    for j in range(len(z)):
        for i, row in enumerate((*scores, *z)):
            _add(made[j], float(weights[j, i]), np.ascontiguousarray(row))
    return made


@numeric
def _add(out: Floats, times: float, row: Floats) -> None:
    for i in range(len(out)):
        out[i] += times * row[i]


@numeric
def _mean_ranks(ordered: NDArray[Any], order: Ints, out: Floats) -> None:
    n, start = len(ordered), 0
    while start < n:
        end = start + 1
        while end < n and ordered[end] == ordered[start]:
            end += 1
        for i in range(start, end):
            out[order[i]] = (start + 1 + end) / 2
        start = end


# -- Order: the places of numbers from the smallest to the largest, equal ones as they come --------
#
# A radix sort of the bit patterns, from the lowest digit to the highest: stable, and two to three
# times as fast as sorting by comparisons for a million numbers. Digits that all numbers share are
# passed over.


def ordered(values: Floats) -> Ints:
    """The places of numbers in ascending order; of equal ones the earlier first.

    Parameters
    ----------
    values : array of float, without NaN

    Examples
    --------
    >>> ordered(np.array([2.0, -1.0, 2.0, -0.0, 0.0])).tolist()
    [1, 3, 4, 0, 2]
    """
    if len(values) < _FEW:
        return np.argsort(values, kind="stable")
    bits = (values + 0.0).view(np.uint64)  # −0 becomes 0
    keys = np.where(bits & _SIGN, ~bits, bits | _SIGN)  # they order as the numbers do
    return _radix(keys, np.arange(len(keys)))


def _radix(keys: NDArray[np.uint64], places: Ints) -> Ints:
    counts = _counted(keys)
    other_keys, other_places = np.empty_like(keys), np.empty_like(places)
    for digit in range(len(counts)):
        if counts[digit].max() < len(keys):
            _scattered(keys, places, other_keys, other_places, counts[digit], digit * _BITS)
            keys, other_keys = other_keys, keys
            places, other_places = other_places, places
    return places


@njit(cache=True, nogil=True)
def _counted(keys: NDArray[np.uint64]) -> Ints:
    """How many numbers have each value of each digit."""
    counts = np.zeros((-(-64 // _BITS), 1 << _BITS), np.int64)
    mask = np.uint64((1 << _BITS) - 1)
    for key in keys:
        rest = key
        for digit in range(len(counts)):
            counts[digit, rest & mask] += 1
            rest >>= np.uint64(_BITS)
    return counts


@njit(cache=True, nogil=True)
def _scattered(
    keys: NDArray[np.uint64],
    places: Ints,
    to_keys: NDArray[np.uint64],
    to_places: Ints,
    counts: Ints,
    shift: int,
) -> None:
    """Move the numbers to where their digit belongs, in the order in which they come."""
    start, total = np.empty(len(counts), np.int64), 0
    for value in range(len(counts)):
        start[value] = total
        total += counts[value]
    mask, by = np.uint64(len(counts) - 1), np.uint64(shift)
    for i in range(len(keys)):
        value = (keys[i] >> by) & mask
        at = start[value]
        start[value] = at + 1
        to_keys[at], to_places[at] = keys[i], places[i]
