"""Distance-based record linkage: whether the nearest record of the other file is the right one.

A record is looked for in the other file, which holds its own counterpart. What counts is how far
that is: whether another record is nearer, and how many are as near. The records of the other file,
each combination once, are the leaves of a balanced k-d tree with bounding boxes [1]_; a box farther
away than the own record is passed over.

The bound of a box is safe in rounded arithmetic. Subtracting, squaring and adding in a fixed order
never reverse an inequality when they round, so the distance from the near side of a box is not
above the distance of any record in it: the tree finds what comparing all pairs finds.

References
----------
.. [1] Friedman, Bentley, Finkel, "An algorithm for finding best matches in logarithmic expected
   time", ACM TOMS 3 (3), 1977.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.multivariate.blocks import split
from discreet.kernels.packing import merged

_ROUNDING = 1e-15  # of a coordinate: what scaling, averaging and subtracting may make of it
_LEAF = 16  # combinations in a leaf, at most
_APART = 1.0  # between names that differ, and between a value and a missing one
MOST_RECORDS = 5000
MOST_COLUMNS = 15
_STEPS = 2000
_SAME = 1e-12
_CERTAIN = 1e-9  # no probability is nearer to 0 or 1
_EQUAL = 1e-9  # weights that differ by less are equal


class Windows(NamedTuple):
    """Where the coordinates of the record looked for must lie, one row per record; a missing
    coordinate lies in every interval that has no bound."""

    low: Floats
    high: Floats


def own_is_nearest(initial: Floats, masked: Floats) -> float:
    """Expected number of masked records linked to their own initial record (same row)."""
    return expected_links(equally_near(masked, initial))


def expected_links(near: Ints) -> float:
    """Expected number of right links when one of the equally near records is taken at random:
    shares are added up by their size, so that the order of the records does not matter.

    Examples
    --------
    >>> expected_links(np.array([1, 0, 3, 3, 3]))
    2.0
    """
    equal, records = np.unique(near[near > 0], return_counts=True)
    return math.fsum(records / equal)


def equally_near(
    records: Floats, others: Floats, names: int = 0, within: Windows | None = None
) -> Ints:
    """Per record how many of the others are as near as its own (same row), but for rounding.

    Parameters
    ----------
    records, others : arrays of shape (n, d)
        The last ``names`` columns hold codes, which are equal or not; a missing number is NaN.
        Names that differ are 1 apart, and so are a number and a missing one.
    within : Windows, optional
        The others that come into question for each record. The own one does, always.

    Returns
    -------
    array of int
        0 where another record is nearer than the own one.

    Examples
    --------
    >>> records = np.array([[0.0], [1.0], [5.0]])
    >>> equally_near(records, np.array([[0.5], [0.5], [1.0]])).tolist()
    [2, 0, 1]
    """
    n, d = records.shape
    if n == 0:
        return np.zeros(0, np.int64)
    bounds = np.empty((n, 0)) if within is None else np.hstack(within)
    asked, of_record = distinct_rows(np.hstack([records, others, bounds]))
    mine, own = asked[:, :d].copy(), asked[:, d : 2 * d].copy()
    low, high = asked[:, 2 * d :][:, :d].copy(), asked[:, 2 * d :][:, d:].copy()
    tree = _tree(others, d - names)
    found = np.zeros(len(asked), np.int64)
    _search(mine, own, low, high, d - names, *tree, found)
    return found[of_record]


class _Tree(NamedTuple):
    """Different combinations in the order of the leaves, how often each occurs, where the leaves
    begin, and the boxes of all nodes: node 1 is the root, i has the children 2i and 2i + 1."""

    points: Floats
    times: Ints
    cuts: Ints
    low: Floats
    high: Floats
    missing: NDArray[np.bool_]


def _tree(others: Floats, numbers: int) -> _Tree:
    points, of_record = distinct_rows(others)
    times = np.bincount(of_record, minlength=len(points))
    leaves = 1 << max(0, (-(-len(points) // _LEAF) - 1).bit_length())
    cuts = np.arange(leaves + 1) * len(points) // leaves
    order = split(_placed(points, numbers), np.arange(len(points)), cuts, 1)
    points, shape = points[order], (2 * leaves, points.shape[1])
    low, high, missing = np.full(shape, np.inf), np.full(shape, -np.inf), np.zeros(shape, np.bool_)
    _draw(points, cuts, low, high, missing)
    return _Tree(points, times[order], cuts, low, high, missing)


def _placed(points: Floats, numbers: int) -> Floats:
    """Coordinates to divide the records by: a missing number stands above all others, and codes
    are scaled to a length of 1."""
    placed = points.copy()
    most = np.nanmax(points, axis=0, initial=0.0) if len(points) else np.zeros(points.shape[1])
    for a in range(points.shape[1]):
        column = placed[:, a]
        column[np.isnan(column)] = most[a] + _APART
        if a >= numbers:
            column /= max(most[a], 1.0)
    return placed


def distinct_rows(rows: Floats) -> tuple[Floats, Ints]:
    """The different rows, in an order of their own, and which of them each row is."""
    bits = np.ascontiguousarray(rows + 0.0)  # -0.0 becomes 0.0
    bits[np.isnan(bits)] = np.nan  # with the same bits
    whole = bits.view(np.int64)
    order = np.lexsort(whole.T)
    new = np.ones(len(rows), np.bool_)
    new[1:] = (whole[order[1:]] != whole[order[:-1]]).any(axis=1)
    place = np.empty(len(rows), np.int64)
    place[order] = np.cumsum(new) - 1
    return bits[order[new]], place


@njit(cache=True, nogil=True)
def _draw(points, cuts, low, high, missing):  # type: ignore[no-untyped-def]
    """Draw the boxes of the leaves, and from these upwards all others."""
    leaves, d = len(cuts) - 1, points.shape[1]
    for leaf in range(leaves):
        for i in range(cuts[leaf], cuts[leaf + 1]):
            for a in range(d):
                value = points[i, a]
                if np.isnan(value):
                    missing[leaves + leaf, a] = True
                else:
                    low[leaves + leaf, a] = min(low[leaves + leaf, a], value)
                    high[leaves + leaf, a] = max(high[leaves + leaf, a], value)
    for node in range(leaves - 1, 0, -1):
        for a in range(d):
            low[node, a] = min(low[2 * node, a], low[2 * node + 1, a])
            high[node, a] = max(high[2 * node, a], high[2 * node + 1, a])
            missing[node, a] = missing[2 * node, a] or missing[2 * node + 1, a]


@njit(cache=True, nogil=True)
def _search(  # type: ignore[no-untyped-def]
    mine, own, from_, upto, numbers, points, times, cuts, low, high, missing, found
):
    """Write for each record how many others are as near as its own; 0 if one is nearer."""
    leaves, stack = len(cuts) - 1, np.empty(128, np.int64)
    for i in range(len(mine)):
        record, equal = mine[i], 0
        least, most = _as_near(record, own[i], numbers)
        stack[0], filled = 1, 1
        while filled > 0:
            filled -= 1
            node = stack[filled]
            if from_.shape[1] > 0 and _outside(low, high, missing, node, from_[i], upto[i]):
                continue
            if node < leaves:
                filled = _entered(record, numbers, low, high, missing, node, most, stack, filled)
                continue
            for j in range(cuts[node - leaves], cuts[node - leaves + 1]):
                apart = squared_distance(record, points[j], numbers, most)
                if apart > most or (from_.shape[1] > 0 and _beyond(points[j], from_[i], upto[i])):
                    continue
                if apart < least:
                    equal, filled = 0, 0
                    break
                equal += times[j]
        found[i] = equal


@njit(cache=True, nogil=True)
def _as_near(record, own, numbers):  # type: ignore[no-untyped-def]
    """Between which squares of distances another record is as near as the own one."""
    distance, size = squared_distance(record, own, numbers, np.inf), 0.0
    for a in range(numbers):
        if not np.isnan(record[a]) and not np.isnan(own[a]):
            size += np.abs(record[a]) + np.abs(own[a])
    margin = 2 * _ROUNDING * (distance + size * np.sqrt(distance))
    return distance - margin, distance + margin


@njit(cache=True, nogil=True)
def _entered(  # type: ignore[no-untyped-def]
    record, numbers, low, high, missing, node, most, stack, filled
):
    """Put the children of a node that are near enough on the stack, the nearer one on top."""
    first = _bound(record, numbers, low, high, missing, 2 * node, most)
    second = _bound(record, numbers, low, high, missing, 2 * node + 1, most)
    near = 2 * node if first <= second else 2 * node + 1
    if max(first, second) <= most:
        stack[filled] = 4 * node + 1 - near
        filled += 1
    if min(first, second) <= most:
        stack[filled] = near
        filled += 1
    return filled


@njit(cache=True, nogil=True)
def squared_distance(one: Floats, other: Floats, numbers: int, most: float) -> float:
    """The square of the distance of two records, or some number above ``most``."""
    distance = 0.0
    for a in range(numbers):
        difference = one[a] - other[a]
        if not np.isnan(difference):
            distance += difference * difference
        elif np.isnan(one[a]) != np.isnan(other[a]):
            distance += _APART
        if distance > most:
            return distance
    for a in range(numbers, len(one)):
        if one[a] != other[a]:
            distance += _APART
    return distance


@njit(cache=True, nogil=True)
def _bound(record, numbers, low, high, missing, node, most):  # type: ignore[no-untyped-def]
    """The square of the distance from the near side of a box, or some number above ``most``."""
    distance = 0.0
    for a in range(numbers):
        value = record[a]
        if np.isnan(value):
            distance += 0.0 if missing[node, a] else _APART
        else:
            gap = max(low[node, a] - value, value - high[node, a], 0.0)
            distance += min(gap * gap, _APART) if missing[node, a] else gap * gap
        if distance > most:
            return distance
    for a in range(numbers, len(record)):
        if record[a] < low[node, a] or record[a] > high[node, a]:
            distance += _APART
    return distance


@njit(cache=True, nogil=True)
def _outside(low, high, missing, node, from_, upto):  # type: ignore[no-untyped-def]
    """Whether no record of a box lies within the intervals."""
    for a in range(len(from_)):
        if low[node, a] > upto[a] or high[node, a] < from_[a]:
            bounded = from_[a] > -np.inf or upto[a] < np.inf
            if bounded or not missing[node, a]:
                return True
    return False


@njit(cache=True, nogil=True)
def _beyond(point, from_, upto):  # type: ignore[no-untyped-def]
    """Whether a record lies outside of an interval."""
    for a in range(len(from_)):
        if np.isnan(point[a]):
            if from_[a] > -np.inf or upto[a] < np.inf:
                return True
        elif point[a] < from_[a] or point[a] > upto[a]:
            return True
    return False


# -- The assignment of masked to initial records, one to one, of least total distance --------------
#
# Shortest augmenting paths with prices for rows and columns [1]_: record after record is assigned,
# and earlier ones give way where that lowers the sum. O(n³) at worst: for some thousand records.
# Records are taken in an order of their values, so that the outcome does not depend on theirs.
#
# References
# ----------
# .. [1] Jonker, Volgenant, "A shortest augmenting path algorithm for dense and sparse linear
#    assignment problems", Computing 38, 1987.


class BestAssignment(NamedTuple):
    """Which masked record each initial one is assigned to, and the sum of the distances."""

    to: Ints
    total: float


def best_assignment(records: Floats, others: Floats, names: int = 0) -> BestAssignment:
    """Assign each record another one, so that the sum of the distances is least; distances are
    those of ``equally_near``.

    Examples
    --------
    >>> found = best_assignment(np.array([[0.0], [1.0]]), np.array([[1.1], [0.9]]))
    >>> round(found.total, 9)
    1.0
    """
    n, d = records.shape
    first, second = (np.lexsort(side.T) for side in (records, others))
    mine, theirs = np.ascontiguousarray(records[first]), np.ascontiguousarray(others[second])
    row = np.zeros(n + 1, np.int64)
    _assign(_distances(mine, theirs, d - names), row)
    to = np.empty(n, np.int64)
    to[first[row[1:] - 1]] = second
    pairs = zip(records, others[to], strict=True)
    total = math.fsum(
        math.sqrt(squared_distance(one, other, d - names, np.inf)) for one, other in pairs
    )
    return BestAssignment(to, total)


def equally_assigned(others: Floats, to: Ints) -> Ints:
    """Per record how many others are equal to its own (same row), if it is assigned one of them;
    else 0.

    Examples
    --------
    >>> others = np.array([[1.0], [1.0], [2.0]])
    >>> equally_assigned(others, np.array([1, 2, 0])).tolist()
    [2, 0, 0]
    """
    points, place = distinct_rows(others)
    times = np.bincount(place, minlength=len(points))
    return np.where(place[to] == place, times[place], 0)


@njit(cache=True, nogil=True)
def _distances(records, others, numbers):  # type: ignore[no-untyped-def]
    n = len(records)
    found = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            found[i, j] = np.sqrt(squared_distance(records[i], others[j], numbers, np.inf))
    return found


@njit(cache=True, nogil=True)
def _assign(distances, row):  # type: ignore[no-untyped-def]
    """Write which row each column gets; both count from 1, and 0 is none."""
    n = len(distances)
    price, value = np.zeros(n + 1), np.zeros(n + 1)
    came, least, done = np.zeros(n + 1, np.int64), np.empty(n + 1), np.empty(n + 1, np.bool_)
    for i in range(1, n + 1):
        row[0], column = i, 0
        least[:] = np.inf
        done[:] = False
        while row[column] != 0:
            done[column] = True
            record, step, following = row[column], np.inf, 0
            for j in range(1, n + 1):
                if not done[j]:
                    cost = distances[record - 1, j - 1] - price[record] - value[j]
                    if cost < least[j]:
                        least[j], came[j] = cost, column
                    if least[j] < step:
                        step, following = least[j], j
            for j in range(n + 1):
                if done[j]:
                    price[row[j]] += step
                    value[j] -= step
                else:
                    least[j] -= step
            column = following
        while column != 0:
            row[column] = row[came[column]]
            column = came[column]


# -- Probabilistic record linkage: pairs of records by the attributes in which they agree ----------
#
# A pair of an initial and a masked record has a pattern: which attributes agree. Pairs of the same
# person agree in attribute j with probability m_j, other pairs with u_j, independently. The EM
# algorithm finds m and u from how often each pattern occurs among all n² pairs, n of which are
# right [1]_ [2]_. A pair weighs log2(m/u) for each attribute that agrees and
# log2((1 − m)/(1 − u)) for each that does not; a record is linked to the pair of largest weight.
#
# All pairs are counted without forming one. Σ f(v)·g(v) over the values v of some attributes is the
# number of pairs that agree in at least these; differences of such sums are the patterns.
#
# References
# ----------
# .. [1] Jaro, "Advances in record-linkage methodology as applied to matching the 1985 census of
#    Tampa, Florida", J. Am. Stat. Assoc. 84 (406), 1989.
# .. [2] Winkler, "Using the EM algorithm for weight computation in the Fellegi-Sunter model of
#    record linkage", Proc. Section on Survey Research Methods, ASA, 1988.


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
