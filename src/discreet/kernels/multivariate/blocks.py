"""Balanced blocks of neighbouring records: a k-d tree's leaves, all of the same size.

Every split cuts the column of largest variance at a rank; records of equal value are told apart by
their number. Within a block the numbers ascend.

References
----------
.. [1] Friedman, Bentley, Finkel, "An algorithm for finding best matches in logarithmic expected
   time", ACM TOMS 3 (3), 1977: split the column of largest spread at its median.
"""

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate.arrays import kernel


def balanced_blocks(points: Floats, size: int) -> Ints:
    """Split records into the fewest blocks of at most ``size`` neighbours, equal but for one.

    Parameters
    ----------
    points : array of float, shape (n, d), without NaN
    size : largest block, ``1 <= size``

    Returns
    -------
    blocks : array of int, the block of every record, numbered from 0 along the splits

    Examples
    --------
    >>> balanced_blocks(np.array([[4.0], [1.0], [9.0], [1.0], [8.0]]), 2).tolist()
    [1, 0, 2, 1, 2]
    """
    n = len(points)
    parts = max(1, -(-n // size))
    cuts = np.arange(parts + 1) * n // parts
    blocks = np.empty(n, np.int64)
    blocks[split(points, np.arange(n), cuts, 1)] = np.repeat(np.arange(parts), np.diff(cuts))
    return blocks


def split(points: Floats, records: Ints, cuts: Ints, unit: int) -> Ints:
    """Order records so that those of ranks cuts[p] to cuts[p + 1] - 1 form the p-th block.

    Parts are halved at multiples of ``unit`` parts as long as there are more than that.
    """
    order, ranges = records.copy(), [(0, len(cuts) - 1)]
    values, later = np.empty(len(records)), np.empty(len(records), np.int64)
    moments = np.empty((2, points.shape[1]))
    while ranges:
        first, last = ranges.pop()
        if last - first < 2:
            continue
        middle = (first + last) // 2
        if last - first > unit:
            middle = first + (last - first + 2 * unit - 1) // (2 * unit) * unit
        part, rank = order[cuts[first] : cuts[last]], int(cuts[middle] - cuts[first])
        here = values[: len(part)]
        column = _widest(points, part, *moments)
        _gather(points, part, column, here)
        here.partition(rank)
        _divide(points, part, column, here[rank], rank, later)
        ranges += [(first, middle), (middle, last)]
    return order


@kernel
def _widest(points: Floats, records: Ints, sums: Floats, squares: Floats) -> int:
    """Find the column of largest variance, the first among equals.

    Equal are variances that only the order of adding up may have made different.
    """
    n, d = len(records), points.shape[1]
    first = points[records[0]]
    for j in range(d):
        sums[j], squares[j] = 0.0, 0.0
    for i in range(n):
        x = points[records[i]]
        for j in range(d):
            difference = x[j] - first[j]
            sums[j] += difference
            squares[j] += difference * difference
    column, most = 0, -1.0
    for j in range(d):
        spread = squares[j] - sums[j] * sums[j] / n
        if spread > most * (1 + 1e-9):
            column, most = j, spread
    return column


@kernel
def _gather(points: Floats, records: Ints, column: int, out: Floats) -> None:
    """Copy one column of some records."""
    for i in range(len(records)):
        out[i] = points[records[i], column]


@kernel
def _divide(
    points: Floats, records: Ints, column: int, pivot: float, rank: int, later: Ints
) -> None:
    """Move the records below a pivot to the front, with as many equal ones as the rank needs."""
    equal = rank
    for i in range(len(records)):
        equal -= points[records[i], column] < pivot
    low, high = 0, 0
    for i in range(len(records)):
        record = records[i]
        value = points[record, column]
        tied = value == pivot and equal > 0
        equal -= tied
        here = tied or value < pivot
        records[low] = record  # overwritten unless it belongs here
        later[high] = record
        low += here
        high += not here
    for i in range(high):
        records[low + i] = later[i]
