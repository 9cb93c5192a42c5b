"""Aggregation of records at hand: groups of similar ones, and the averages that replace them.

It works on an Arrow table alone, so that it can be sent to where the records are: a block of
records is masked by :func:`mask_block` alike here and on the executors of a cluster.

MDAV-generic (Algorithm 5.1 of Domingo-Ferrer & Torra 2005) takes continuous attributes in units of
their standard deviation, ordinal ones by rank difference over the number of categories, nominal
ones as equal or not; d² is the sum over the attributes. Averages are means of continuous values,
medians of ordinal ones, the most frequent nominal one (sections 5.2 to 5.4).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from discreet.frames import array_of, numbers_of
from discreet.frequency.frequency_set import coded, steps
from discreet.masking.attainable import Attainable, column_of, wholes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats, Ints

    Wholes = NDArray[Any]

Method = Literal["mdav", "v-mdav", "pca", "fixed", "individual", "optimal-univariate"]
Objective = Literal["squares", "absolute"]
MissingValues = Literal["refuse", "category"]
Ties = Literal["split", "together"]
UNIVARIATE = ("fixed", "individual", "optimal-univariate")
_TOLD_APART = 2**53  # up to it, every whole number is a floating-point number
OrdinalAverage = Literal["median", "convex-median"]


@dataclass(frozen=True)
class Grouping:
    """How to microaggregate."""

    k: int
    method: Method
    objective: Objective
    ordinal: OrdinalAverage
    missing: MissingValues
    preserve_variance: bool
    round: bool
    blocks: int | None
    gamma: float
    ties: Ties
    exchange: bool

    @property
    def univariate(self) -> bool:
        """Whether each column is masked by itself."""
        return self.method in UNIVARIATE


@dataclass(frozen=True)
class MaskedAttribute:
    """An attribute to mask.

    Attributes
    ----------
    measure : str
        continuous, ordinal or nominal.
    scale : tuple of str or None
        Of an ordinal attribute, lowest first.
    attainable : Attainable or None
        What its averages are rounded to; None where they are not rounded.
    base : int
        What averages that are not rounded are given above, in units of the last digit.
    unit : tuple of float or None
        Mean and standard deviation in the whole file; None when the records at hand are all.
    """

    name: str
    measure: str
    scale: tuple[str, ...] | None = None
    attainable: Attainable | None = None
    base: int = 0
    unit: tuple[float, float] | None = None


@dataclass(eq=False)
class Column:
    """An attribute being masked.

    Attributes
    ----------
    values : array
        Numbers, above the origin; or codes.
    labels : pyarrow.Array or None
        What codes stand for.
    origin, unit : int
        The former in units of the last digit, of which ``unit`` are 1; 0 unless the numbers are
        too large to be told apart as floating-point numbers.
    wholes, kind : array, pyarrow.DataType
        Numbers in units of their last digit, and how they are stored, where averages are rounded.
    """

    attribute: MaskedAttribute
    values: NDArray[Any]
    labels: pa.Array | None
    origin: int = 0
    unit: int = 1
    wholes: Wholes | None = None
    kind: pa.DataType | None = None
    result: NDArray[Any] | None = None

    @classmethod
    def of(cls, attribute: MaskedAttribute, column: pa.ChunkedArray) -> Column:
        """Numbers of a continuous attribute; codes of an ordinal or nominal one, in their order."""
        if attribute.measure == "continuous":
            return cls._numbers(attribute, column)
        labels, codes = coded(column, None)
        if attribute.scale is None:
            return cls(attribute, codes.astype(np.int64), labels)
        ranks = np.array(steps(labels, attribute.scale), dtype=np.int64)[codes]
        return cls(attribute, ranks, _on_scale(attribute.scale, labels))

    @classmethod
    def _numbers(cls, attribute: MaskedAttribute, column: pa.ChunkedArray) -> Column:
        exact = wholes(column)
        if exact is None:
            return cls(attribute, numbers_of(column).astype(np.float64), None)
        unit = 10 ** getattr(column.type, "scale", 0)
        large = max(-int(exact.min()), int(exact.max())) > _TOLD_APART
        origin = int(exact.min()) if large else 0
        values = (exact - origin).astype(np.float64) / unit
        kept = exact if attribute.attainable else None
        return cls(attribute, values, None, origin, unit, kept, column.type)

    @property
    def categories(self) -> int:
        """Number of categories."""
        return len(self.labels) if self.labels is not None else 0

    def mask(self, parts: list[Ints], options: Grouping) -> None:
        """Univariate: groups of this column alone, within strata."""
        groups, number = np.empty(len(self.values), dtype=np.int64), 0
        for part in parts:
            labels = _univariate(self.values[part], options)
            groups[part] = labels + number
            number += int(labels.max()) + 1
        self.average(groups, parts, options)

    def average(self, groups: Ints, parts: list[Ints], options: Grouping) -> None:
        """The average of each record's group; variances are preserved within strata, so that the
        means of the strata are, too."""
        if self.attribute.measure == "continuous":
            means = group_means(self.values, groups)
            found = means.copy()
            for part in parts if options.preserve_variance else ():
                found[part] = rescaled(means[part], self.values[part])
            if options.round and self.attribute.attainable is not None:
                self.result = self._rounded(found, means, groups)
            else:
                self.result = found + (self.origin - self.attribute.base) / self.unit
        elif self.attribute.measure == "ordinal":
            self.result = group_ranks(self.values, self.categories, groups, options.ordinal)
        else:
            self.result = group_codes(self.values, self.categories, groups)

    def masked(self) -> pa.Array:
        """The masked column, ready to be put back."""
        assert self.result is not None
        if self.labels is not None:
            return self.labels.take(array_of(self.result))
        whole = self.result.dtype != np.float64
        return column_of(self.result, self.kind) if whole else array_of(self.result)

    def _rounded(self, found: Floats, means: Floats, groups: Ints) -> Wholes:
        """Averages as values that the attribute can take: means exactly; what was rescaled as
        floating-point numbers, halves to the even one."""
        can = self.attribute.attainable
        assert can is not None
        assert self.wholes is not None
        exact = whole_means(self.wholes, groups)
        moved = found != means
        if moved.any():
            near = np.rint(found[moved] * self.unit)
            exact = exact.astype(object)  # what was rescaled may lie beyond the range of int64
            exact[moved] = [int(value) + self.origin for value in near]
        return can.nearest(exact)


def groups_of(columns: list[Column], parts: list[Ints], options: Grouping, watch: Ints) -> Ints:
    """Groups over all columns, within strata and blocks."""
    points = _points(columns)
    groups = np.full(len(points), -1, dtype=np.int64)
    number = 0
    for part in parts:
        inside = points.some(part)
        size = options.blocks or len(part)
        for block in blocks_of(inside, size, options.k):
            labels = _partition(inside.some(block), options, watch)
            groups[part[block]] = labels + number
            number += int(labels.max()) + 1
    return groups


def mask_block(
    block: pa.Table,
    attributes: Mapping[str, MaskedAttribute],
    order: Sequence[str],
    options: Grouping,
) -> pa.Table:
    """One block of records with other values in the columns of the attributes."""
    ordered = block.sort_by([(name, "ascending") for name in order])
    columns = {name: Column.of(a, ordered.column(name)) for name, a in attributes.items()}
    everyone = [np.arange(ordered.num_rows)]
    if options.univariate:
        for column in columns.values():
            column.mask(everyone, options)
    else:
        watch = np.zeros(2, np.int64)
        groups = groups_of(list(columns.values()), everyone, options, watch)
        for column in columns.values():
            column.average(groups, everyone, options)
    for name, column in columns.items():
        at = ordered.column_names.index(name)
        ordered = ordered.set_column(at, name, column.masked())
    return ordered


def _points(columns: list[Column]) -> Points:
    n = len(columns[0].values)
    by_measure = {
        measure: [c for c in columns if c.attribute.measure == measure]
        for measure in ("continuous", "ordinal", "nominal")
    }
    numbers = [
        standardised(c.values.astype(float), _above(c.origin / c.unit, c.attribute.unit))
        for c in by_measure["continuous"]
    ]
    ranks = [c.values for c in by_measure["ordinal"]]
    ranges = [c.categories for c in by_measure["ordinal"]]  # equation (1)
    codes = [c.values for c in by_measure["nominal"]]
    return Points(
        np.column_stack(numbers) if numbers else np.empty((n, 0)),
        np.column_stack(ranks).astype(np.int64) if ranks else np.empty((n, 0), dtype=np.int64),
        np.array(ranges, dtype=float),
        np.column_stack(codes).astype(np.int64) if codes else np.empty((n, 0), dtype=np.int64),
    )


def _above(origin: float, unit: tuple[float, float] | None) -> tuple[float, float] | None:
    """Mean and standard deviation of values above an origin."""
    return None if unit is None else (unit[0] - origin, unit[1])


def _partition(points: Points, options: Grouping, watch: Ints) -> Ints:
    """Groups of k or more; with an exchange, records move while the sum of squares falls."""
    from discreet.kernels.multivariate.exchange import exchange
    from discreet.kernels.multivariate.variable import v_mdav

    if options.method == "v-mdav":
        groups = v_mdav(points.numbers, options.k, gamma=options.gamma, watch=watch)
    elif options.method == "pca":
        groups = _along_component(points, options.k)
    else:
        groups = _mdav(points, options.k, options.ordinal, watch)
    return exchange(points.numbers, groups, options.k, watch) if options.exchange else groups


def _mdav(points: Points, k: int, ordinal: OrdinalAverage, watch: Ints) -> Ints:
    from discreet.kernels.multivariate.mdav import mdav
    from discreet.kernels.multivariate.mixed import mdav_mixed

    if points.plain:
        return mdav(points.numbers, k, watch)
    return mdav_mixed(
        points.numbers,
        points.ranks,
        points.ranges,
        points.codes,
        k,
        average="median" if ordinal == "median" else "convex",
        watch=watch,
    )


def _along_component(points: Points, k: int) -> Ints:
    """Groups of k neighbours along the first principal component; the last takes the remainder."""
    from discreet.kernels.univariate import first_component, fixed_groups, scores

    columns = np.ascontiguousarray(points.numbers.T)
    return fixed_groups(scores(columns, first_component(columns)), k)


def _univariate(values: Floats, options: Grouping) -> Ints:
    from discreet.kernels.univariate import fixed_groups, optimal_groups

    if options.method == "optimal-univariate":
        return optimal_groups(values, options.k, options.objective)
    return fixed_groups(values, options.k, together=options.ties == "together")


def _on_scale(scale: Sequence[str], labels: pa.Array) -> pa.Array:
    """All steps of a scale as values of the column: an average may be a step that no record has."""
    step = dict(zip(steps(labels, scale), labels.to_pylist(), strict=True))
    others = pa.array(list(scale)).cast(labels.type).to_pylist()
    return pa.array([step.get(i, others[i]) for i in range(len(scale))], labels.type)


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
    from discreet.kernels.multivariate.mixed import convex_median, median

    of = median if average == "median" else convex_median
    return _per_group(ranks, categories, groups, of)


def group_codes(codes: Ints, categories: int, groups: Ints) -> Ints:
    """The most frequent code of each record's group; the smallest of equally frequent ones."""
    from discreet.kernels.multivariate.mixed import plurality

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

    @property
    def plain(self) -> bool:
        """Whether all attributes are continuous."""
        return not self.ranks.shape[1] and not self.codes.shape[1]

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
