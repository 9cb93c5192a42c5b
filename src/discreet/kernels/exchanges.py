"""Exchanges: how many records of a category become one of another, as many as come back.

Flows are symmetric, w_ij = w_ji ≥ 0. With R_ij = w_ij / n_i off the diagonal and the rest on it,
the expected counts stay as they are, n R = n, whatever the flows are. So the diagonal can be
chosen: its least value, or every value of it. Whole flows change no count at all.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.draws import Hashes

_STEPS = 200
_CLOSE = 1e-13


def flows_for_least(counts: Ints, affinity: Floats, keep: float) -> Floats:
    """Flows with which the least diagonal of the matrix is ``keep``.

    Parameters
    ----------
    counts : array
        Records of each category, all above 0.
    affinity : matrix
        Symmetric: how readily two categories are exchanged beside their frequency; 0 for never.
        Between groups that never exchange, each group has ``keep`` as its least diagonal.
    keep : float
        From 0 to 1.

    Examples
    --------
    >>> flows = flows_for_least(np.array([50, 30, 20]), np.ones((3, 3)), 0.8)
    >>> matrix(np.array([50, 30, 20]), flows).diagonal().round(4).tolist()
    [0.875, 0.825, 0.8]
    """
    size = counts.astype(np.float64)
    found = affinity * np.outer(size, size)
    np.fill_diagonal(found, 0)
    leaving = found.sum(axis=1) / size
    for group in groups(affinity):
        most = leaving[group].max()
        if most > 0:
            found[np.ix_(group, group)] *= (1 - keep) / most
    return _symmetric(found)


def flows_for_all(counts: Ints, affinity: Floats, keep: Floats) -> Floats | None:
    """Flows with which the diagonal of the matrix is ``keep``, category by category; None where a
    category of some group would have to give more than the others of the group take.

    Examples
    --------
    >>> counts, keep = np.array([50, 30, 20]), np.array([0.9, 0.8, 0.7])
    >>> flows = flows_for_all(counts, np.ones((3, 3)), keep)
    >>> matrix(counts, flows).diagonal().round(9).tolist()
    [0.9, 0.8, 0.7]
    >>> flows_for_all(np.array([90, 10]), np.ones((2, 2)), np.array([0.5, 0.5])) is None
    True
    """
    leaving = counts * (1 - keep)
    found = np.zeros_like(affinity, dtype=np.float64)
    for group in groups(affinity):
        moving = group[leaving[group] > _CLOSE * counts[group]]
        if len(moving) == 0:
            continue
        own = leaving[moving]
        over = own.max() - (own.sum() - own.max())
        if over > _CLOSE * own.sum():
            return None
        weight = affinity[np.ix_(moving, moving)] * np.outer(own, own)
        np.fill_diagonal(weight, 0)
        part = _star(own) if over >= -_CLOSE * own.sum() else _scaled(weight, own, counts[moving])
        if part is None:
            return None
        found[np.ix_(moving, moving)] = part
    return _symmetric(found)


def _star(leaving: Floats) -> Floats:
    """The one that gives as much as all others together exchanges with each of them alone."""
    centre, found = int(leaving.argmax()), np.zeros((len(leaving), len(leaving)))
    found[centre], found[:, centre] = leaving, leaving
    found[centre, centre] = 0
    return found


def _scaled(weight: Floats, leaving: Floats, counts: Ints) -> Floats | None:
    """Weights scaled by a number for each row and the same for its column, until the rows have
    their sums: Newton's method on the logarithms, which are the minimum of a convex function.
    """
    logs = np.full(len(leaving), -0.5 * np.log(weight.sum() / leaving.sum()))
    for _ in range(_STEPS):
        flow = weight * np.exp(logs[:, None] + logs)
        sums = flow.sum(axis=1)
        if (abs(sums - leaving) <= _CLOSE * counts).all():
            return flow
        step = np.linalg.lstsq(flow + np.diag(sums), leaving - sums, rcond=None)[0]
        logs += step / max(1.0, abs(step).max())
    return None


def groups(affinity: Floats) -> list[Ints]:
    """The groups of categories that exchange with each other, directly or by way of others."""
    left, found = np.ones(len(affinity), dtype=bool), []
    for first in range(len(affinity)):
        if not left[first]:
            continue
        inside = np.zeros(len(affinity), dtype=bool)
        inside[first] = True
        while True:
            wider = inside | (affinity[inside] > 0).any(axis=0)
            if (wider == inside).all():
                break
            inside = wider
        left &= ~inside
        found.append(np.flatnonzero(inside))
    return found


def _symmetric(flows: Floats) -> Floats:
    """The same to the last bit on both sides."""
    upper = np.triu(flows, 1)
    return upper + upper.T


def whole_flows(counts: Ints, flows: Floats, keep: Floats) -> Ints:
    """Whole, symmetric flows near the given ones, with which no category loses more than the share
    that ``keep`` leaves. Rounded down first; then the pairs with the largest rest get one more
    while both have room, of equal rests the first categories.

    Examples
    --------
    >>> counts, keep = np.array([5, 3, 2]), np.full(3, 0.5)
    >>> whole_flows(counts, flows_for_least(counts, np.ones((3, 3)), 0.5), keep).tolist()
    [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    """
    room = np.floor(counts * (1 - keep) + 1e-9).astype(np.int64)
    made = np.floor(flows + 1e-9).astype(np.int64)
    room -= made.sum(axis=1)
    first, second = np.triu_indices(len(counts), 1)
    rest = (flows - made)[first, second]
    for pair in np.lexsort((second, first, -rest.round(9))):
        i, j = first[pair], second[pair]
        if rest[pair] <= 1e-9:
            break
        if room[i] > 0 and room[j] > 0:
            made[i, j] += 1
            made[j, i] += 1
            room[i] -= 1
            room[j] -= 1
    return made


def matrix(counts: Ints, flows: Floats | Ints) -> Floats:
    """The probabilities R with which a category (row) becomes another (column)."""
    found = flows / counts[:, None].astype(np.float64)
    np.fill_diagonal(found, 0)
    np.fill_diagonal(found, np.maximum(1 - found.sum(axis=1), 0))
    return found


def cumulated(probabilities: Floats) -> Floats:
    """The rows of a matrix added up; a draw below an entry, and not below the one before, belongs
    to it. Beyond the last category that is possible no draw lies.

    Examples
    --------
    >>> cumulated(np.array([[0.25, 0.75, 0.0]])).tolist()
    [[0.25, 2.0, 2.0]]
    """
    found = np.cumsum(probabilities, axis=1)
    last = probabilities.shape[1] - 1 - (probabilities[:, ::-1] > 0).argmax(axis=1)
    found[np.arange(probabilities.shape[1]) >= last[:, None]] = 2.0
    return found


@njit(cache=True, nogil=True)
def drawn(codes: Ints, cumulative: Floats, draws: Floats) -> Ints:
    """The category that each record becomes: the first whose cumulated probability is above its
    draw."""
    found = np.empty(len(codes), dtype=np.int64)
    for i in range(len(codes)):
        row, draw = cumulative[codes[i]], draws[i]
        low, high = 0, len(row) - 1
        while low < high:
            middle = (low + high) // 2
            if draw < row[middle]:
                high = middle
            else:
                low = middle + 1
        found[i] = low
    return found


def exchanged(codes: Ints, flows: Ints, draws: Hashes) -> Ints:
    """The category that each record becomes with whole flows: those of a category with the smallest
    draws become the first category that it flows to, the next ones the second, and so on; the rest
    keep theirs.

    Examples
    --------
    >>> draws = np.array([7, 5, 6, 8], dtype=np.uint64)
    >>> exchanged(np.array([0, 0, 1, 1]), np.array([[0, 1], [1, 0]]), draws).tolist()
    [0, 1, 0, 1]
    """
    found = codes.copy()
    order = np.argsort(codes.astype(np.min_scalar_type(len(flows))), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(flows)))])
    for i in range(len(flows)):
        targets = np.repeat(np.arange(len(flows)), flows[i])
        own = order[starts[i] : starts[i + 1]]
        found[own[_smallest(draws[own], len(targets))]] = targets
    return found


def _smallest(draws: Hashes, number: int) -> Ints:
    """The places of the smallest draws, in their order."""
    if number < len(draws):
        lowest = np.argpartition(draws, number)[:number]
        return lowest[np.argsort(draws[lowest], kind="stable")]
    return np.argsort(draws, kind="stable")
