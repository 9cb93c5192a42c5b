"""Aggregation of records at hand: groups of similar ones, and the averages that replace them.

It works on an Arrow table alone, so that it can be sent to where the records are: a block of
records is masked by :func:`mask_block` alike here and on the executors of a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.attributes import steps
from discreet.errors import fail
from discreet.masking.averages import (
    OrdinalAverage,
    group_codes,
    group_means,
    group_ranks,
    rescaled,
)
from discreet.masking.partition import Points, blocks_of, mdav_groups, standardised, v_mdav_groups

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Method = Literal["mdav", "v-mdav", "fixed", "optimal-univariate"]
Objective = Literal["squares", "absolute"]
MissingValues = Literal["refuse", "category"]
UNIVARIATE = ("fixed", "optimal-univariate")


@dataclass(frozen=True)
class Options:
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

    @property
    def univariate(self) -> bool:
        """Whether each column is masked by itself."""
        return self.method in UNIVARIATE


@dataclass(frozen=True)
class Attribute:
    """An attribute to mask.

    Attributes
    ----------
    measure : str
        continuous, ordinal or nominal.
    scale : tuple of str or None
        Of an ordinal attribute, lowest first.
    integer : bool
        Whether its values are whole numbers.
    unit : tuple of float or None
        Mean and standard deviation in the whole file; None when the records at hand are all.
    """

    name: str
    measure: str
    scale: tuple[str, ...] | None = None
    integer: bool = False
    unit: tuple[float, float] | None = None


@dataclass(eq=False)
class Column:
    """An attribute being masked: numbers, or codes with what they stand for."""

    attribute: Attribute
    values: NDArray[Any]
    labels: pa.Array | None
    result: NDArray[Any] | None = None

    @classmethod
    def of(cls, attribute: Attribute, column: pa.ChunkedArray) -> Column:
        """Numbers of a continuous attribute; codes of an ordinal or nominal one, in their order."""
        if attribute.measure == "continuous":
            values = column.to_numpy().astype(np.float64)
            return cls(attribute, finite(attribute.name, values), None)
        from discreet.frequency import coded

        labels, codes = coded(column, None)
        if attribute.scale is None:
            return cls(attribute, codes.astype(np.int64), labels)
        ranks = np.array(steps(labels, attribute.scale), dtype=np.int64)[codes]
        return cls(attribute, ranks, _on_scale(attribute.scale, labels))

    @property
    def categories(self) -> int:
        """Number of categories."""
        return len(self.labels) if self.labels is not None else 0

    def mask(self, parts: list[Ints], options: Options) -> None:
        """Univariate: groups of this column alone, within strata."""
        groups, number = np.empty(len(self.values), dtype=np.int64), 0
        for part in parts:
            labels = _univariate(self.values[part], options)
            groups[part] = labels + number
            number += int(labels.max()) + 1
        self.average(groups, options)

    def average(self, groups: Ints, options: Options) -> None:
        """The average of each record's group."""
        if self.attribute.measure == "continuous":
            means = group_means(self.values, groups)
            self.result = rescaled(means, self.values) if options.preserve_variance else means
        elif self.attribute.measure == "ordinal":
            self.result = group_ranks(self.values, self.categories, groups, options.ordinal)
        else:
            self.result = group_codes(self.values, self.categories, groups)

    def masked(self, options: Options) -> pa.Array:
        """The masked column, ready to be put back."""
        import pyarrow as pa

        if self.labels is not None:
            return self.labels.take(pa.array(self.result))
        assert self.result is not None
        if options.round and self.attribute.integer:
            return pa.array(np.rint(self.result).astype(np.int64))
        return pa.array(self.result)


def groups_of(columns: list[Column], parts: list[Ints], options: Options, watch: Ints) -> Ints:
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
    block: pa.Table, attributes: Mapping[str, Attribute], order: Sequence[str], options: Options
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
            column.average(groups, options)
    for name, column in columns.items():
        at = ordered.column_names.index(name)
        ordered = ordered.set_column(at, name, column.masked(options))
    return ordered


def finite(name: str, values: Floats) -> Floats:
    """Values that have a mean."""
    endless = int((~np.isfinite(values)).sum())
    if endless:
        not_finite(name, endless)
    return values


def not_finite(name: str, endless: int) -> None:
    """Refuse values that have no mean."""
    what = f"{name!r} has {endless:,} infinite values and no mean."
    fail("D12", what, "Name them in missing_values=, or drop the records.")


def _points(columns: list[Column]) -> Points:
    n = len(columns[0].values)
    by_measure = {
        measure: [c for c in columns if c.attribute.measure == measure]
        for measure in ("continuous", "ordinal", "nominal")
    }
    numbers = [
        standardised(c.values.astype(float), c.attribute.unit) for c in by_measure["continuous"]
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


def _partition(points: Points, options: Options, watch: Ints) -> Ints:
    if options.method == "v-mdav":
        return v_mdav_groups(points, options.k, options.gamma, watch)
    return mdav_groups(points, options.k, options.ordinal, watch)


def _univariate(values: Floats, options: Options) -> Ints:
    from discreet.kernels.univariate import fixed_groups, optimal_groups

    if options.method == "fixed":
        return fixed_groups(values, options.k)
    return optimal_groups(values, options.k, options.objective)


def _on_scale(scale: Sequence[str], labels: pa.Array) -> pa.Array:
    """All steps of a scale as values of the column: an average may be a step that no record has."""
    import pyarrow as pa

    step = dict(zip(steps(labels, scale), labels.to_pylist(), strict=True))
    others = pa.array(list(scale)).cast(labels.type).to_pylist()
    return pa.array([step.get(i, others[i]) for i in range(len(scale))], labels.type)
