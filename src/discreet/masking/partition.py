"""Partitions for microaggregation: which records form a group of at least k.

MDAV-generic (Algorithm 5.1 of Domingo-Ferrer & Torra 2005) takes continuous attributes in units of
their standard deviation, ordinal ones by rank difference over the number of categories, nominal
ones as equal or not; d² is the sum over the attributes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discreet.masking.averages import OrdinalAverage, mean_and_spread

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats, Ints


@dataclass(eq=False)
class Points:
    """The attributes of the records as the partition sees them.

    Attributes
    ----------
    numbers : array (n, d)
        Continuous attributes, standardised.
    ranks, ranges : arrays (n, o) and (o,)
        Ordinal attributes by rank, and the number of categories of each scale.
    codes : array (n, c)
        Nominal attributes by code.
    """

    numbers: Floats
    ranks: Ints
    ranges: Floats
    codes: Ints
    plain: bool = field(init=False)

    def __post_init__(self) -> None:
        self.plain = not self.ranks.shape[1] and not self.codes.shape[1]

    def __len__(self) -> int:
        return len(self.numbers)

    def some(self, records: Ints) -> Points:
        """The points of some records."""
        return Points(self.numbers[records], self.ranks[records], self.ranges, self.codes[records])

    def axes(self) -> Floats:
        """All attributes that have an order, as columns: what blocks are cut along."""
        return np.column_stack([self.numbers, self.ranks / np.maximum(self.ranges, 1)])


def standardised(values: Floats, unit: tuple[float, float] | None = None) -> Floats:
    """Values in units of their sample standard deviation around their mean; 0 if constant.

    ``unit`` is the mean and standard deviation of the whole file, where the values are a part.
    """
    mean, spread = unit or unit_of(*mean_and_spread(values))
    return (values - mean) / spread if spread else np.zeros_like(values)


def unit_of(mean: float, spread: float) -> tuple[float, float]:
    """Mean and standard deviation to eight digits of the latter: sums that engines add up in
    different orders differ in later digits, and the groups must not depend on them.
    """
    if not spread:
        return mean, 0.0
    digits = 8 - math.floor(math.log10(spread))
    return round(mean, digits), round(spread, digits)


def mdav_groups(points: Points, k: int, ordinal: OrdinalAverage, watch: Ints) -> Ints:
    """Groups of k to 2k − 1 records."""
    from discreet.kernels.multivariate.mdav import mdav
    from discreet.kernels.multivariate.mixed import mdav_mixed

    if points.plain:
        return mdav(points.numbers, k, watch)
    average = "median" if ordinal == "median" else "convex"
    return mdav_mixed(
        points.numbers,
        points.ranks,
        points.ranges,
        points.codes,
        k,
        average=average,  # type: ignore[arg-type]
        watch=watch,
    )


def v_mdav_groups(points: Points, k: int, gamma: float, watch: Ints) -> Ints:
    """Groups of k to 2k − 1 records that follow clusters in the data."""
    from discreet.kernels.multivariate.variable import v_mdav

    return v_mdav(points.numbers, k, gamma=gamma, watch=watch)


def pca_groups(points: Points, k: int) -> Ints:
    """Groups of k neighbours along the first principal component; the last takes the remainder."""
    from discreet.kernels.principal import first_component, scores
    from discreet.kernels.univariate import fixed_groups

    columns = np.ascontiguousarray(points.numbers.T)
    return fixed_groups(scores(columns, first_component(columns)), k)


def exchanged(points: Points, groups: Ints, k: int, watch: Ints) -> Ints:
    """Groups between which records moved and changed places while the sum of squares fell."""
    from discreet.kernels.multivariate.exchange import exchange

    return exchange(points.numbers, groups, k, watch)


def blocks_of(points: Points, size: int, k: int) -> list[Ints]:
    """Records in balanced blocks of about ``size``, never fewer than k, cut along wide axes."""
    from discreet.kernels.multivariate.blocks import balanced_blocks

    if len(points) <= size:
        return [np.arange(len(points))]
    block = balanced_blocks(points.axes(), block_size(size, k))
    order = np.argsort(block, kind="stable")
    return np.split(order, np.cumsum(np.bincount(block))[:-1])


def block_size(size: int, k: int) -> int:
    """The largest block: halves of one record more are no smaller than k."""
    return max(size, 2 * k)
