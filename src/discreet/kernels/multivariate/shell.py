"""The records farthest from an older centroid, sorted: where the next seed is looked for.

A record at distance q from the older centroid is, by the triangle inequality, not farther than
q + shift from the present one, ``shift`` being the distance of the two centroids. So the walk down
the list ends when that sum falls below the farthest record found.
"""

from typing import NamedTuple

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate.arrays import kernel
from discreet.kernels.multivariate.boxes import Boxes, all_distances, rounding


class Shell(NamedTuple):
    """The outer records by descending distance from ``centre``."""

    centre: Floats
    distances: Floats
    records: Ints
    x: Floats  # (records, d)
    state: Ints  # where the list begins, and the records passed since it was drawn up
    beyond: float  # no record off the list is farther than this; -1 if all are on it


def draw_up(points: Floats, boxes: Boxes, centre: Floats, left: int) -> Shell:
    """List an eighth of the records that are left, the farthest from a centre."""
    squares, records = all_distances(boxes.x, centre).ravel(), boxes.records.ravel()
    squares[squares == np.inf] = -1.0
    size = min(left, max(2048, left // 8))
    places = np.argpartition(squares, len(squares) - size)[len(squares) - size :]
    places = places[np.argsort(-squares[places], kind="stable")]
    distances = np.sqrt(squares[places])
    outer = records[places].astype(np.int64)
    beyond = float(distances[-1]) if size < left else -1.0
    return Shell(centre.copy(), distances, outer, points[outer], np.zeros(2, np.int64), beyond)


@kernel
def walk(shell: Shell, centre: Floats, labels: Ints) -> int:
    """Find the unlabelled record farthest from a centre; -1 if it need not be on the list."""
    older, distances, records, x = shell.centre, shell.distances, shell.records, shell.x
    state, d, shift = shell.state, len(centre), 0.0
    for j in range(d):
        difference = older[j] - centre[j]
        shift += difference * difference
    shift = np.sqrt(shift)
    slack = 1.0 + 4.0 * rounding(d)  # the distances compared are rounded
    best, record, reach = -1.0, -1, -1.0
    i, dead = state[0], 0
    while i < len(records) and not (distances[i] + shift) * slack + 1e-150 < reach:
        if labels[records[i]] < 0:
            square = 0.0
            for j in range(d):
                difference = x[i, j] - centre[j]
                square += difference * difference
            if square > best or (square == best and records[i] < record):
                best, record, reach = square, records[i], np.sqrt(square)
        else:
            dead += 1
        i += 1
    state[1] += i - state[0]
    if 4 * dead > i - state[0]:
        _close_up(shell, i, labels)
    if shell.beyond >= 0.0 and not (shell.beyond + shift) * slack + 1e-150 < reach:
        return -1
    return record


@kernel
def _close_up(shell: Shell, end: int, labels: Ints) -> None:
    """Drop labelled records from the beginning of the list."""
    distances, records, x, state = shell.distances, shell.records, shell.x, shell.state
    free = end
    for i in range(end - 1, state[0] - 1, -1):
        if labels[records[i]] < 0:
            free -= 1
            distances[free], records[free] = distances[i], records[i]
            for j in range(x.shape[1]):
                x[free, j] = x[i, j]
    state[0] = free
