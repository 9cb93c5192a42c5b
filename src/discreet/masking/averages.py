"""Averages of groups: means of continuous values, medians of ordinal ones, the most frequent
nominal one. Domingo-Ferrer & Torra (2005), sections 5.2 to 5.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats, Ints

    Wholes = NDArray[Any]  # int64, or whole numbers of Python where these may overflow

OrdinalAverage = Literal["median", "convex-median"]


def group_means(values: Floats, groups: Ints) -> Floats:
    """The mean of each record's group: summed from its smallest value on, around that value, so
    that neither large values nor the order of the rows make a difference."""
    order = np.lexsort([values, groups])
    starts = np.flatnonzero(np.r_[True, np.diff(groups[order]) > 0])
    origin = values[order][starts]
    sizes = np.diff(np.r_[starts, len(values)])
    shifted = values[order] - np.repeat(origin, sizes)
    means = np.empty_like(values)
    means[order] = np.repeat(origin + np.add.reduceat(shifted, starts) / sizes, sizes)
    return means


def whole_means(values: Wholes, groups: Ints) -> Wholes:
    """The mean of each record's group rounded to a whole number, halves to the even one, exactly:
    sums of numbers too large for int64 are given as numbers of Python."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(groups[order]) > 0])
    sizes = np.diff(np.r_[starts, len(values)])
    divisors = sizes.astype(values.dtype)
    lowest = values.min()
    sums = np.add.reduceat(values[order] - lowest, starts)
    down, rest = sums // divisors + lowest, 2 * (sums % divisors)
    up = (rest > divisors) | ((rest == divisors) & (down % 2 == 1))
    means = np.empty_like(values)
    means[order] = np.repeat(down + up.astype(values.dtype), sizes)
    return means


def rescaled(masked: Floats, original: Floats) -> Floats:
    """Masked values with the variance of the original ones; unchanged where they have it already,
    or are constant."""
    mean, spread = mean_and_spread(masked)
    to_mean, to_spread = mean_and_spread(original)
    if not spread or spread == to_spread:
        return masked
    return (masked - mean) * (to_spread / spread) + to_mean


def mean_and_spread(values: Floats) -> tuple[float, float]:
    """Mean and sample standard deviation, the same for every order of the values."""
    ordered = np.sort(values)
    mean = float(ordered[0] + np.mean(ordered - ordered[0]))
    squares = np.sort((ordered - mean) ** 2)
    return mean, float(np.sqrt(squares.sum() / (len(values) - 1))) if len(values) > 1 else 0.0


def group_ranks(ranks: Ints, categories: int, groups: Ints, average: OrdinalAverage) -> Ints:
    """The (convex) median rank of each record's group."""
    from discreet.kernels.multivariate.ordinal import convex_median, median

    of = median if average == "median" else convex_median
    return _per_group(ranks, categories, groups, of)


def group_codes(codes: Ints, categories: int, groups: Ints) -> Ints:
    """The most frequent code of each record's group; the smallest of equally frequent ones."""
    from discreet.kernels.multivariate.ordinal import plurality

    return _per_group(codes, categories, groups, plurality)


def _per_group(codes: Ints, categories: int, groups: Ints, average: object) -> Ints:
    number = int(groups.max()) + 1
    found = np.empty(number, dtype=np.int64)
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=number))
    for group, members in enumerate(np.split(order, ends[:-1])):
        counts = np.bincount(codes[members], minlength=categories)
        found[group] = average(counts)  # type: ignore[operator]
    return found[groups]
