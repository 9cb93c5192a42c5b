"""Attacks on a masked file: the nearest masked records of a person, and who fits a description.

Records are rows of numbers. A column holds numbers, in units of their standard deviation; names,
codes that are equal or 1 apart; or labels, codes of masked values that fit some codes of initial
ones and are 1 apart from the others. What is missing on either side tells nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import njit

NUMBER, NAME, LABEL = 0, 1, 2
_ROUNDING = 1e-12  # of a distance in standard deviations: what is as near counts


class ColumnKinds(NamedTuple):
    """What each column holds; of labels, which of them (y) fits which initial value (x):
    ``fits[first + x · labels + y]``."""

    kinds: Ints
    first: Ints
    labels: Ints
    fits: NDArray[np.uint8]


class MaskedPoints(NamedTuple):
    """Different masked records and how often each occurs."""

    rows: Floats
    times: Ints


@njit(cache=True, nogil=True)
def _gap(x, y, a, columns):  # type: ignore[no-untyped-def]
    """The square of the distance of an initial and a masked value."""
    if np.isnan(x) or np.isnan(y):
        return 0.0
    if columns.kinds[a] == NUMBER:
        return (x - y) * (x - y)
    if columns.kinds[a] == NAME:
        return 0.0 if x == y else 1.0
    return 1.0 - columns.fits[columns.first[a] + np.int64(x) * columns.labels[a] + np.int64(y)]


@njit(cache=True, nogil=True)
def _reached(person, rows, times, by, columns, apart):  # type: ignore[no-untyped-def]
    """Write the distances of all masked records that are there, and give the limit of the
    nearest."""
    least = np.inf
    for j in range(len(rows)):
        if times[j] == 0:
            continue
        distance = 0.0
        for a in by:
            distance += _gap(person[a], rows[j, a], a, columns)
            if distance > least * (1 + 2 * _ROUNDING) + 2 * _ROUNDING:
                break
        apart[j] = distance
        least = min(least, distance)
    return least + _ROUNDING * (1 + least)


@njit(cache=True, nogil=True)
def same_record(
    known: Floats,
    own: Ints,
    points: MaskedPoints,
    parts: tuple[Ints, Ints],
    columns: ColumnKinds,
    without_own: bool,
) -> Floats:
    """Per person the chance that two people, who know some columns each, take the same record.

    Each takes one of the nearest masked records by the own columns, at random. ``own`` says which
    row of the points is the person's; ``without_own`` that it is not in the file.

    Examples
    --------
    >>> kinds = ColumnKinds(np.zeros(2, int), np.zeros(2, int), np.zeros(2, int), np.zeros(0, "u1"))
    >>> points = MaskedPoints(np.array([[1.0, 1.0], [2.0, 5.0]]), np.array([1, 2]))
    >>> known, halves = np.array([[1.0, 2.0], [2.0, 4.0]]), (np.array([0]), np.array([1]))
    >>> same_record(known, np.array([0, 1]), points, halves, kinds, without_own=False).tolist()
    [1.0, 0.5]
    """
    rows, times = points
    found, left = np.zeros(len(known)), times.copy()
    near, far = np.empty(len(rows)), np.empty(len(rows))
    for i in range(len(known)):
        left[own[i]] -= without_own
        here = _reached(known[i], rows, left, parts[0], columns, near)
        there = _reached(known[i], rows, left, parts[1], columns, far)
        a, b, both = 0, 0, 0
        for j in range(len(rows)):
            if left[j] > 0:
                by_one, by_other = near[j] <= here, far[j] <= there
                a += left[j] if by_one else 0
                b += left[j] if by_other else 0
                both += left[j] if by_one and by_other else 0
        left[own[i]] += without_own
        if both > 0:
            found[i] = both / (np.float64(a) * np.float64(b))
    return found


@njit(cache=True, nogil=True)
def right_values(
    known: Floats,
    own: Ints,
    points: MaskedPoints,
    by: Ints,
    wanted: tuple[Ints, Floats],
    columns: ColumnKinds,
    without_own: bool,
) -> Floats:
    """Per person and secret the share of the nearest masked records that tell its value.

    ``wanted`` are columns, and how far a number may be away; a missing value is never told.
    """
    (rows, times), (secrets, widths) = points, wanted
    found, left, near = np.zeros((len(known), len(secrets))), times.copy(), np.empty(len(rows))
    for i in range(len(known)):
        left[own[i]] -= without_own
        limit = _reached(known[i], rows, left, by, columns, near)
        number = 0
        for j in range(len(rows)):
            if left[j] > 0 and near[j] <= limit:
                number += left[j]
                for s in range(len(secrets)):
                    a = secrets[s]
                    x, y = known[i, a], rows[j, a]
                    if not np.isnan(x) and not np.isnan(y):
                        gap = _gap(x, y, a, columns)
                        if gap <= widths[s] * widths[s] * (1 + _ROUNDING):
                            found[i, s] += left[j]
        left[own[i]] += without_own
        if number > 0:
            found[i] /= number
    return found


@njit(cache=True, nogil=True)
def _fits(shown, row, by, widths, columns, initial):  # type: ignore[no-untyped-def]
    """Whether a record fits a description in every column that asks for something."""
    for c in range(len(by)):
        a = by[c]
        if np.isnan(shown[a]):
            continue
        if np.isnan(row[a]):
            return False
        if columns.kinds[a] == LABEL and not initial:
            if row[a] != shown[a]:
                return False
        elif _gap(row[a], shown[a], a, columns) > widths[c] * widths[c] * (1 + _ROUNDING):
            return False
    return True


@njit(cache=True, nogil=True)
def fitting(
    shown: Floats,
    rows: Floats,
    times: Ints,
    by: Ints,
    widths: Floats,
    columns: ColumnKinds,
    initial: bool,
) -> Ints:
    """Per description how many records fit it in every column; 3 stands for three and more.

    A description is a masked record: numbers within a width of its own, its names, what its labels
    fit; what is missing in it asks for nothing. Among masked records, labels must be equal.
    """
    found = np.zeros(len(shown), np.int64)
    for i in range(len(shown)):
        for j in range(len(rows)):
            if _fits(shown[i], rows[j], by, widths, columns, initial):
                found[i] += times[j]
                if found[i] > 2:
                    break
        found[i] = min(found[i], 3)
    return found


@njit(cache=True, nogil=True)
def fits_own(shown: Floats, known: Floats, by: Ints, widths: Floats, columns: ColumnKinds) -> Bools:
    """Whether each description fits the initial record of the same row."""
    found = np.zeros(len(shown), np.bool_)
    for i in range(len(shown)):
        found[i] = _fits(shown[i], known[i], by, widths, columns, True)
    return found
