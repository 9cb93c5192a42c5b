"""MDAV with searches that look at few records, to the same groups as comparing all.

The records nearest to a seed and the one opposite come from blocks with bounding boxes, the seed
from a list of outer records.
"""

from typing import Any, NamedTuple

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate import nearest
from discreet.kernels.multivariate.arrays import Shorts, Singles, Watch, kernel, unwatched
from discreet.kernels.multivariate.boxes import LANES, Boxes, build, remove, rounding
from discreet.kernels.multivariate.coarse import coarsened
from discreet.kernels.multivariate.search import Scratch, find_farthest, find_nearest, scratch
from discreet.kernels.multivariate.shell import Shell, draw_up, walk
from discreet.kernels.multivariate.sums import add, add_all, centroid

_CACHED = 1 << 20  # bytes that stay in a core's own cache: there is no haste to read less


class _Progress(NamedTuple):
    """What is left to group, and the groups so far."""

    sums: Floats  # (d, 2)
    centre: Floats
    counts: Ints  # records left, groups formed
    where: Shorts  # the place of each record in the blocks
    labels: Ints  # -1: not yet in a group
    near: Floats  # the heap of nearest records
    near_bits: Ints  # the same memory read as integers
    records: Ints
    places: Ints
    watch: Watch


def pruned_groups(points: Floats, k: int, watch: Watch | None = None) -> Ints:
    """Group records by MDAV, passing over blocks of records that are too far or too near.

    Parameters and result are those of ``mdav``.
    """
    points = np.ascontiguousarray(points)
    n, d = points.shape
    near = np.empty(k - 1)
    progress = _Progress(
        np.zeros((d, 2)),
        np.empty(d),
        np.array([n, 0]),
        np.empty(n, np.int32),
        np.full(n, -1),
        near,
        near.view(np.int64),
        np.empty(k - 1, np.int64),
        np.empty(k - 1, np.int64),
        unwatched() if watch is None else watch,
    )
    add_all(progress.sums, points)
    while progress.counts[0] >= 2 * k and progress.watch[1] == 0:
        np.divide(progress.sums[:, 0], progress.counts[0], out=progress.centre)
        left = np.flatnonzero(progress.labels < 0)
        boxes = build(points, left, progress.centre, progress.where)
        large = points.nbytes > _CACHED
        coarse = coarsened(boxes.x, boxes.origin, boxes.scale[0]) if large else None
        room = scratch(boxes)
        enough = progress.counts[0] * 5 // 8  # then pack the remaining records anew
        while progress.counts[0] >= max(2 * k, enough) and progress.watch[1] == 0:
            np.divide(progress.sums[:, 0], progress.counts[0], out=progress.centre)
            shell = draw_up(points, boxes, progress.centre, int(progress.counts[0]))
            _advance(points, k, enough, boxes, coarse, room, shell, progress)
    progress.labels[progress.labels < 0] = progress.counts[1]
    return progress.labels


@kernel
def _advance(
    points: Floats,
    k: int,
    enough: int,
    boxes: Boxes,
    coarse: Singles | None,
    room: Scratch,
    shell: Shell,
    progress: _Progress,
) -> None:
    """Form groups until few records are left, or until walks have cost as much as a new list."""
    sums, centre, counts, labels = progress.sums, progress.centre, progress.counts, progress.labels
    patience = 2 * counts[0]
    watch = progress.watch
    while counts[0] >= max(2 * k, enough) and shell.state[1] <= patience and watch[1] == 0:
        groups = 2 if counts[0] >= 3 * k else 1
        centroid(sums, counts[0], centre)
        aim, cap, seed = centre, 1.0 / boxes.scale[0], walk(shell, centre, labels)
        place = int(progress.where[seed]) if seed >= 0 else -1
        for group in range(groups):
            if place < 0:
                place = find_farthest(boxes, coarse, room, aim, cap)
            if group == 0:
                if seed < 0:
                    seed = int(boxes.records[place // LANES, place % LANES])
                    shell.state[1] += patience // 8
                aim, cap = points[seed], _cap(boxes.origin, centre, points, seed)
            _take(points, k, place, boxes, coarse, room, progress)
            place = -1


@kernel
def _cap(origin: Floats, centre: Floats, points: Floats, seed: int) -> float:
    """Bound the distance from the origin: no record is farther from the centre than the seed."""
    shift = reach = 0.0
    for j in range(len(centre)):
        away, off = centre[j] - origin[j], centre[j] - points[seed, j]
        shift += away * away
        reach += off * off
    return (np.sqrt(shift) + np.sqrt(reach)) * (1.0 + rounding(len(centre))) + 1e-150


@kernel
def _take(
    points: Floats,
    k: int,
    place: int,
    boxes: Boxes,
    coarse: Singles | None,
    room: Scratch,
    progress: _Progress,
) -> None:
    """Group a seed with the k - 1 records nearest to it."""
    counts, labels, sums = progress.counts, progress.labels, progress.sums
    near, records, places = progress.near, progress.records, progress.places
    block = place // LANES
    seed: Any = np.int64(boxes.records[block, place % LANES])
    labels[seed] = counts[1]
    add(sums, points, seed, -1.0)
    remove(boxes, coarse, place)
    if k > 1:
        find_nearest(
            boxes, coarse, room, points, seed, block, near, progress.near_bits, records, places
        )
        for size in range(k - 1, 0, -1):
            record, place = nearest.pop(near, records, places, size)
            labels[record] = counts[1]
            add(sums, points, record, -1.0)
            remove(boxes, coarse, place)
    counts[0] -= k
    progress.watch[0] += k
    counts[1] += 1
