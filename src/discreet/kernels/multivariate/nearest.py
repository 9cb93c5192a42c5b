"""The nearest records so far, in a binary heap with the farthest of them at the root.

A record is nearer than another if its distance is smaller or, at equal distance, its number.
Without a heap, the farthest record is found by its distance, and distances are computed in the
order of the columns.
"""

from typing import NamedTuple

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate.arrays import kernel

_MOST = np.int64(2**63 - 1)


class Nearest(NamedTuple):
    """The heap: arrays of one length."""

    distances: Floats  # squared
    bits: Ints  # the same memory read as integers
    records: Ints  # their numbers
    places: Ints


def room_for(number: int) -> Nearest:
    """A heap of so many records, which is to be cleared."""
    distances = np.empty(number)
    records, places = np.empty(number, np.int64), np.empty(number, np.int64)
    return Nearest(distances, distances.view(np.int64), records, places)


@kernel
def clear(heap: Nearest) -> None:
    """Fill the heap with what every record beats."""
    for i in range(len(heap.records)):
        heap.distances[i], heap.records[i] = np.inf, _MOST


@kernel
def offer(heap: Nearest, distance: float, record: int, place: int) -> None:
    """Put a record in the place of the farthest one, if it is nearer."""
    most = heap.distances[0]
    if distance < most or (distance == most and record < heap.records[0]):
        _sink(heap, len(heap.records), distance, record, place)


@kernel
def pop(heap: Nearest, size: int) -> tuple[int, int]:
    """Take the farthest record off a heap that has shrunk to ``size`` records."""
    record, place, last = heap.records[0], heap.places[0], size - 1
    if last > 0:
        _sink(heap, last, heap.distances[last], heap.records[last], heap.places[last])
    return record, place


@kernel
def ascend(places: Ints) -> None:
    """Sort a few numbers."""
    for i in range(1, len(places)):
        place, at = places[i], i
        while at > 0 and places[at - 1] > place:
            places[at] = places[at - 1]
            at -= 1
        places[at] = place


@kernel
def fill(heap: Nearest, distances: Floats, left: Ints, m: int) -> None:
    """Fill the heap with the nearest of the first m records."""
    clear(heap)
    for i in range(m if len(heap.records) else 0):
        if distances[i] <= heap.distances[0]:
            offer(heap, distances[i], left[i], i)


@kernel
def farthest(bits: Ints, left: Ints, m: int) -> int:
    """Find the place of the largest distance, given as bits; the smallest record number among
    equals."""
    most, best = np.int64(-1), -1
    for i in range(m):  # distances are not negative: they order like their bit patterns
        most = max(most, bits[i])
    for i in range(m):
        if bits[i] == most and (best < 0 or left[i] < left[best]):
            best = i
    return best


@kernel
def _sink(heap: Nearest, size: int, distance: float, record: int, place: int) -> None:
    """Replace the root and restore the order of the heap."""
    distances, records, places, i = heap.distances, heap.records, heap.places, 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and (
            distances[child + 1] > distances[child]
            or (distances[child + 1] == distances[child] and records[child + 1] > records[child])
        ):
            child += 1
        if distance > distances[child] or (
            distance == distances[child] and record > records[child]
        ):
            break
        distances[i], records[i], places[i] = distances[child], records[child], places[child]
        i = child
    distances[i], records[i], places[i] = distance, record, place


@kernel
def squared_distances(columns: Floats, m: int, centre: Floats, out: Floats) -> None:
    """Write the squared distances of the first m records, summed in the order of the columns."""
    step = 1024  # stays in the first-level cache
    for start in range(0, m, step):
        part = out[start : min(start + step, m)]
        for i in range(len(part)):
            part[i] = 0.0
        for j in range(len(centre)):
            add_squared_differences(columns[j, start:], centre[j], part)


@kernel
def add_squared_differences(x: Floats, centre: float, out: Floats) -> None:
    """Add the squared differences of values from a centre, as many as ``out`` has room for."""
    for i in range(len(out)):
        difference = x[i] - centre
        out[i] += difference * difference
