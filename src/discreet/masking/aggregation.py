"""Aggregation of records at hand: groups of similar ones, and the averages that replace them.

It works on an Arrow table alone, so that it can be sent to where the records are: a block of
records is masked by :func:`mask_block` alike here and on the executors of a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.frequency.frequency_set import coded
from discreet.frequency.scale import steps
from discreet.masking.attainable import Attainable, column_of, wholes
from discreet.masking.averages import (
    OrdinalAverage,
    group_codes,
    group_means,
    group_ranks,
    rescaled,
    whole_means,
)
from discreet.masking.partition import (
    Points,
    blocks_of,
    exchanged,
    mdav_groups,
    pca_groups,
    standardised,
    v_mdav_groups,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats, Ints

    Wholes = NDArray[Any]  # int64, or whole numbers of Python where these may overflow

Method = Literal["mdav", "v-mdav", "pca", "fixed", "individual", "optimal-univariate"]
Objective = Literal["squares", "absolute"]
MissingValues = Literal["refuse", "category"]
Ties = Literal["split", "together"]
UNIVARIATE = ("fixed", "individual", "optimal-univariate")
_TOLD_APART = 2**53  # up to it, every whole number is a floating-point number


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
            values = column.to_numpy().astype(np.float64)
            return cls(attribute, values, None)
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
        import pyarrow as pa

        if self.labels is not None:
            return self.labels.take(pa.array(self.result))
        assert self.result is not None
        whole = self.result.dtype != np.float64
        return column_of(self.result, self.kind) if whole else pa.array(self.result)

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
    if options.method == "v-mdav":
        groups = v_mdav_groups(points, options.k, options.gamma, watch)
    elif options.method == "pca":
        groups = pca_groups(points, options.k)
    else:
        groups = mdav_groups(points, options.k, options.ordinal, watch)
    return exchanged(points, groups, options.k, watch) if options.exchange else groups


def _univariate(values: Floats, options: Grouping) -> Ints:
    from discreet.kernels.univariate import fixed_groups, optimal_groups

    if options.method == "optimal-univariate":
        return optimal_groups(values, options.k, options.objective)
    return fixed_groups(values, options.k, together=options.ties == "together")


def _on_scale(scale: Sequence[str], labels: pa.Array) -> pa.Array:
    """All steps of a scale as values of the column: an average may be a step that no record has."""
    import pyarrow as pa

    step = dict(zip(steps(labels, scale), labels.to_pylist(), strict=True))
    others = pa.array(list(scale)).cast(labels.type).to_pylist()
    return pa.array([step.get(i, others[i]) for i in range(len(scale))], labels.type)
