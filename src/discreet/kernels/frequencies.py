"""Frequencies of coded records: distinct tuples, how many records have each, and their weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.packing import Codes, fits, merged, pack, roomy
from discreet.kernels.summation import group_totals


class Frequencies(NamedTuple):
    """Distinct tuples in the order of the codes.

    Attributes
    ----------
    codes : list of arrays
    counts : array
        Per tuple its number of records.
    weights : array or None
        Per tuple the sum of their weights.
    place : array
        Per record the place of its tuple: among the tuples, or among all that are possible.
    present : array or None
        The places of the tuples, where every possible one has a place.
    """

    codes: list[NDArray[np.integer]]
    counts: Ints
    weights: Floats | None
    place: NDArray[np.intp]
    present: NDArray[np.intp] | None

    def of_records(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """For every record the number of its tuple; numbers may be rows."""
        if self.present is None:
            return numbers[self.place]
        by_place = np.zeros((int(self.present[-1]) + 1, *numbers.shape[1:]), numbers.dtype)
        by_place[self.present] = numbers
        return by_place[self.place]


def frequencies(
    codes: Codes, cardinalities: Sequence[int], weights: Floats | None = None
) -> Frequencies:
    """Count the tuples of some columns of codes; the sums of the weights are exact.

    Examples
    --------
    >>> towns, sexes = np.array([1, 0, 1]), np.array([0, 1, 0])
    >>> found = frequencies([towns, sexes], [2, 2], np.array([0.1, 2, 0.2]))
    >>> [column.tolist() for column in found.codes], found.counts.tolist()
    ([[0, 1], [1, 0]], [1, 2])
    >>> found.of_records(found.counts).tolist()
    [2, 1, 2]
    """
    packed, bound = pack(codes, cardinalities)
    if not (fits(cardinalities) and roomy(bound, len(packed))):
        first, owner = merged(codes, cardinalities)
        sums = None if weights is None else group_totals(weights, owner, len(first))
        counts = np.bincount(owner, minlength=len(first))
        return Frequencies([column[first] for column in codes], counts, sums, owner, None)
    counted = np.bincount(packed, minlength=bound)
    present = np.flatnonzero(counted)
    sums = None if weights is None else group_totals(weights, packed, bound)[present]
    digits = np.unravel_index(present, [int(c) for c in cardinalities])
    return Frequencies(list(digits), counted[present], sums, packed, present)
