"""Probabilistic record linkage: pairs of records by the attributes in which they agree.

A pair of an initial and a masked record has a pattern: which attributes agree. Pairs of the same
person agree in attribute j with probability m_j, other pairs with u_j, independently. The EM
algorithm finds m and u from how often each pattern occurs among all n² pairs, n of which are right
[1]_ [2]_. A pair weighs log2(m/u) for each attribute that agrees and log2((1 − m)/(1 − u)) for each
that does not; a record is linked to the pair of largest weight.

All pairs are counted without forming one. Σ f(v)·g(v) over the values v of some attributes is the
number of pairs that agree in at least these; differences of such sums are the patterns.

References
----------
.. [1] Jaro, "Advances in record-linkage methodology as applied to matching the 1985 census of
   Tampa, Florida", J. Am. Stat. Assoc. 84 (406), 1989.
.. [2] Winkler, "Using the EM algorithm for weight computation in the Fellegi-Sunter model of record
   linkage", Proc. Section on Survey Research Methods, ASA, 1988.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.packing import merged

MOST_COLUMNS = 15
_STEPS = 2000
_SAME = 1e-12
_CERTAIN = 1e-9  # no probability is nearer to 0 or 1
_EQUAL = 1e-9  # weights that differ by less are equal


class Agreement(NamedTuple):
    """Per attribute the probability to agree of right pairs (m) and of others (u), and per record
    how many masked records have the largest weight, if its own is among them; else 0."""

    m: Floats
    u: Floats
    near: Ints


def agreement(x: Ints, y: Ints) -> Agreement:
    """Link records of two files (same row: the same person) by codes of at most 15 attributes.

    Examples
    --------
    >>> x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> agreement(x, x).near.tolist()
    [1, 1, 1, 1]
    """
    n, d = x.shape
    sums = _agreeing(x, y)
    m, u = _estimated(_patterns(sums, d).astype(np.float64), n, d)
    telling = m > u * (1 + _EQUAL)  # else it is no sign of a person that an attribute agrees
    weights = np.where(telling, np.log2(m / u) - np.log2((1 - m) / (1 - u)), 0.0)
    return Agreement(m, u, _linked(x, y, weights, telling))


def _agreeing(x: Ints, y: Ints) -> Ints:
    """For each set of attributes, as bits, the number of pairs that agree in all of them."""
    d = x.shape[1]
    rows, at = _distinct(np.vstack([x, y]))
    f, g = (np.bincount(part, minlength=len(rows)) for part in (at[: len(x)], at[len(x) :]))
    found = np.zeros(1 << d, np.int64)
    todo = [((1 << d) - 1, d, rows, f, g)]
    while todo:
        bits, below, rows, f, g = todo.pop()
        found[bits] = int(f @ g)
        for a in range(below):  # each set is reached once, by leaving out later attributes first
            fewer, at = _distinct(np.delete(rows, a, axis=1))
            some = (np.bincount(at, weights=counts, minlength=len(fewer)) for counts in (f, g))
            first, second = (counts.astype(np.int64) for counts in some)
            todo.append((bits & ~(1 << a), a, fewer, first, second))
    return found


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """The different rows, and which of them each row is."""
    columns = [np.zeros(len(rows), np.int64), *rows.T]  # one at least
    first, at = merged(columns, [int(column.max(initial=0)) + 1 for column in columns])
    return rows[first], at


def _patterns(sums: Ints, d: int) -> Ints:
    """The number of pairs that agree in exactly the attributes of each set."""
    found = sums.copy()
    for a in range(d):
        sets = np.flatnonzero(~np.arange(1 << d) >> a & 1)
        found[sets] -= found[sets | 1 << a]
    return found


def _estimated(pairs: Floats, n: int, d: int) -> tuple[Floats, Floats]:
    """The probabilities m and u, from the number of pairs of each pattern, n of which are right."""
    agrees = (np.arange(1 << d)[:, None] >> np.arange(d) & 1).astype(np.float64)
    seen = pairs > 0
    pairs, agrees = pairs[seen], agrees[seen]
    share = 1 / n
    m, u = np.full(d, 0.9), _inside(pairs @ agrees / pairs.sum())
    for _ in range(_STEPS):
        right = share * np.exp(_log_likelihood(agrees, m))
        other = (1 - share) * np.exp(_log_likelihood(agrees, u))
        weight = pairs * right / (right + other)
        rest = pairs - weight
        before = m
        m = _inside(weight @ agrees / max(weight.sum(), _CERTAIN))
        u = _inside(rest @ agrees / max(rest.sum(), _CERTAIN))
        if np.abs(m - before).max() <= _SAME:
            break
    return m, u


def _inside(shares: Floats) -> Floats:
    return np.clip(shares, _CERTAIN, 1 - _CERTAIN)


def _log_likelihood(agrees: Floats, chance: Floats) -> Floats:
    return np.asarray(agrees @ np.log(chance) + (1 - agrees) @ np.log(1 - chance))


def _linked(x: Ints, y: Ints, weights: Floats, telling: Bools) -> Ints:
    """Per record how many masked ones have the largest weight, if its own is one of them.

    Sets of attributes are tried by falling weight. Whoever agrees in at least such a set agrees in
    no more, since the larger sets weigh more and were tried before.
    """
    used = np.flatnonzero(telling)
    x, y, weights = x[:, used], y[:, used], weights[used]
    own = (x == y) @ weights
    sets = np.arange(1 << len(used))
    total = (sets[:, None] >> np.arange(len(used)) & 1) @ weights
    order = np.argsort(-total, kind="stable")
    near, left = np.zeros(len(x), np.int64), np.arange(len(x))
    start = 0
    while len(left):
        best = total[order[start]]
        stop = start + int((total[order[start:]] >= best - _EQUAL).sum())
        counts = np.zeros(len(left), np.int64)
        for one in order[start:stop]:
            columns = [a for a in range(len(used)) if one >> a & 1]
            counts += _found(x[left][:, columns], y[:, columns])
        there = counts > 0
        mine = there & (own[left] >= best - _EQUAL)
        near[left[mine]] = counts[mine]
        left, start = left[~there], stop
    return near


def _found(x: Ints, y: Ints) -> Ints:
    """How many rows of y each row of x is equal to."""
    if x.shape[1] == 0:
        return np.full(len(x), len(y), np.int64)
    rows, at = _distinct(np.vstack([x, y]))
    return np.bincount(at[len(x) :], minlength=len(rows))[at[: len(x)]]
