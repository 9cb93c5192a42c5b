"""Coded tuples: what a frequency set is for the kernels that look at sets of attributes, and
those of coded records.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.packing import Codes, fits, merged, numbered, pack, roomy
from discreet.kernels.summation import group_totals

_DENSE = 8  # possible cells per tuple up to which each has a place of its own


class CodedTuples(NamedTuple):
    """Distinct tuples of codes, and how many records have each.

    Attributes
    ----------
    codes : sequence of integer arrays
        One column per attribute, one entry per distinct tuple, 0 ≤ code < cardinality.
    cardinalities : sequence of int
    counts : array
        Records per tuple.
    missing : sequence of int, optional
        Per attribute a code that stands for no value, or −1: a tuple that has it is left out of the
        sets with the attribute.
    """

    codes: Codes
    cardinalities: Sequence[int]
    counts: Ints
    missing: Sequence[int] | None = None


# -- Sets of attributes, by number: how many there are up to a size, and which ---------------------


def number_of_sets(attributes: int, up_to: int) -> int:
    """How many sets of 1 to ``up_to`` attributes there are.

    Examples
    --------
    >>> number_of_sets(27, 4)
    20853
    """
    return sum(math.comb(attributes, size) for size in range(1, min(up_to, attributes) + 1))


def attribute_sets(attributes: int, up_to: int) -> list[tuple[int, ...]]:
    """All sets of 1 to ``up_to`` attributes: by size, then in the order of the attributes."""
    sizes = range(1, min(up_to, attributes) + 1)
    return [chosen for size in sizes for chosen in itertools.combinations(range(attributes), size)]


# -- Small cells: for each set of attributes, the combinations of values that few records have -----


class SmallCells(NamedTuple):
    """Counts for each set of attributes, and who is in a small cell of any.

    Attributes
    ----------
    cells, records : arrays
        Per set the number of small cells, and of the records in them.
    touched : array
        Per tuple whether it is in a small cell of some set.
    """

    cells: Ints
    records: Ints
    touched: NDArray[np.bool_]


def small_cells(
    tuples: CodedTuples,
    sets: Sequence[tuple[int, ...]],
    at_most: int,
    *,
    advance: Callable[[int], None] = lambda _: None,
) -> SmallCells:
    """Count the cells of each set that at most so many records have, and some.

    Parameters
    ----------
    tuples : CodedTuples
        A missing value makes no cell.
    sets : sequence of tuples of int
        Attributes by number.
    at_most : int
    advance : function
        Told how many sets are done.

    Examples
    --------
    >>> sex, age = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> tuples = CodedTuples([sex, age], [2, 2], np.array([1, 4, 3]))
    >>> found = small_cells(tuples, [(0,), (1,), (0, 1)], 3)
    >>> found.cells.tolist(), found.records.tolist(), found.touched.tolist()
    ([1, 1, 2], [3, 1, 4], [True, False, True])
    """
    codes, cardinalities, counts, missing = tuples
    cells, records = np.zeros((2, len(sets)), dtype=np.int64)
    touched = np.zeros(len(counts), dtype=np.bool_)
    gaps = [] if missing is None else [c == m for c, m in zip(codes, missing, strict=True)]
    for number, chosen in enumerate(sets):
        own, cards = [codes[a] for a in chosen], [cardinalities[a] for a in chosen]
        owner, groups = numbered(own, cards, _DENSE * len(counts))
        whole = np.ones(len(counts), dtype=np.bool_)
        for a in chosen if gaps else ():
            whole &= ~gaps[a]
        sizes = np.zeros(groups, dtype=np.int64)
        np.add.at(sizes, owner[whole], counts[whole])
        small = (sizes > 0) & (sizes <= at_most)
        cells[number], records[number] = small.sum(), sizes[small].sum()
        touched |= whole & small[owner]
        advance(number + 1)
    return SmallCells(cells, records, touched)


# -- Frequencies -----------------------------------------------------------------------------------
#
# Frequencies of coded records: distinct tuples, how many records have each, and their weights.


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
