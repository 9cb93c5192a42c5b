"""The nearest records so far, in a binary heap with the farthest of them at the root.

A record is nearer than another if its distance is smaller or, at equal distance, its number. A heap
is three arrays of one length: squared distances, record numbers, and the places of the records.
"""

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate.arrays import kernel

_MOST = np.int64(2**63 - 1)


@kernel
def clear(distances: Floats, records: Ints) -> None:
    """Fill the heap with what every record beats."""
    for i in range(len(distances)):
        distances[i], records[i] = np.inf, _MOST


@kernel
def offer(
    distances: Floats, records: Ints, places: Ints, distance: float, record: int, place: int
) -> None:
    """Put a record in the place of the farthest one, if it is nearer."""
    if distance < distances[0] or (distance == distances[0] and record < records[0]):
        _sink(distances, records, places, len(distances), distance, record, place)


@kernel
def pop(distances: Floats, records: Ints, places: Ints, size: int) -> tuple[int, int]:
    """Take the farthest record off a heap that has shrunk to ``size`` records."""
    record, place, last = records[0], places[0], size - 1
    if last > 0:
        _sink(distances, records, places, last, distances[last], records[last], places[last])
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
def _sink(
    distances: Floats,
    records: Ints,
    places: Ints,
    size: int,
    distance: float,
    record: int,
    place: int,
) -> None:
    """Replace the root and restore the order of the heap."""
    i = 0
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
