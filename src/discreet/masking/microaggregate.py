"""Microaggregation: values are replaced by the average of a small group of similar records.

``"mdav"``: MDAV-generic for continuous, ordinal and nominal attributes together (Domingo-Ferrer &
Torra 2005, Algorithm 5.1). ``"v-mdav"``: groups of k to 2k − 1 that follow clusters (Solanas &
Martínez-Ballesté 2006). Univariate, each column by itself: ``"fixed"`` takes k sorted values at a
time (Truta, Fotouhi & Barth-Jones 2005, equations 1 and 2), ``"optimal-univariate"`` finds the
k-partition of least loss (Hansen & Mukherjee 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet import attributes, engine
from discreet.attributes import AttributeType
from discreet.criteria.criterion import whole_number
from discreet.errors import Problem, fail, raise_all
from discreet.masking.averages import (
    OrdinalAverage,
    group_codes,
    group_means,
    group_ranks,
    rescaled,
)
from discreet.masking.masked import Masked, masked_from, require_ids, require_link
from discreet.masking.partition import (
    Points,
    blocks_of,
    mdav_groups,
    standardised,
    v_mdav_groups,
)
from discreet.microdata import Microdata
from discreet.progressing import watched

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Method = Literal["mdav", "v-mdav", "fixed", "optimal-univariate"]
Objective = Literal["squares", "absolute"]
MissingValues = Literal["refuse", "category"]
_KNOWN: dict[str, tuple[str, ...]] = {
    "method": ("mdav", "v-mdav", "fixed", "optimal-univariate"),
    "objective": ("squares", "absolute"),
    "ordinal": ("median", "convex-median"),
    "missing": ("refuse", "category"),
}
_UNIVARIATE = ("fixed", "optimal-univariate")
_NUMERIC = ("integer", "number")


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


def microaggregate(
    data: Microdata,
    columns: Sequence[str] | str | None = None,
    k: int = 3,
    *,
    method: Method = "mdav",
    preserve_variance: bool | None = None,
    ordinal: OrdinalAverage = "median",
    by: Sequence[str] | str = (),
    missing: MissingValues = "refuse",
    round: bool = False,  # noqa: A002
    blocks: int | None = None,
    objective: Objective = "squares",
    gamma: float = 0.2,
) -> Masked:
    """Replace values by the average of a group of at least k similar records.

    Parameters
    ----------
    data : Microdata
    columns : list of str, optional
        The attributes to mask, of any type; the keys when not given. The univariate methods take
        numeric columns, each by itself.
    k : int
        Least size of a group; MDAV makes groups of k to 2k − 1.
    method : {"mdav", "v-mdav", "fixed", "optimal-univariate"}
    preserve_variance : bool, optional
        Rescale continuous attributes to their original variance; by default after MDAV, not
        after the univariate methods. Means are always preserved.
    ordinal : {"median", "convex-median"}
        The average of ordinal attributes.
    by : list of columns, optional
        Strata: groups are formed within each. A stratum of fewer than k records is an error.
    missing : {"refuse", "category"}
        A missing value is an error; or, in a nominal attribute, a category of its own.
    round : bool
        Keep integers integers: round the averages of integer columns.
    blocks : int, optional
        Split very large files into balanced blocks of about this many records, along the axes of
        largest variance, and form groups within them: faster, with a somewhat larger loss.
    objective : {"squares", "absolute"}
        What the optimal univariate partition minimises.
    gamma : float
        How readily the groups of V-MDAV grow.

    Returns
    -------
    Masked

    Notes
    -----
    Of records at equal distance the one with the smaller record id comes first. Continuous
    attributes are compared in units of their standard deviation in the whole file.

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> ds.microaggregate(ages, ["age"], k=4, method="fixed").to("arrow")["age"].to_pylist()
    [15.0, 15.0, 15.0, 15.0, 55.0, 55.0, 55.0, 55.0]
    """
    if not isinstance(data, Microdata):
        fail("P09", "the first argument is not microdata.", "Open it with ds.read(…) first.")
    chosen = attributes.names(columns) if columns is not None else data.need_keys()
    strata = attributes.names(by)
    preserve = preserve_variance if preserve_variance is not None else method not in _UNIVARIATE
    options = Options(k, method, objective, ordinal, missing, preserve, round, blocks, gamma)
    raise_all(_problems(data, chosen, strata, options))
    source = _aggregated(data, chosen, strata, options)
    return masked_from(
        data,
        source,
        method="microaggregate",
        parameters={"columns": list(chosen), "by": list(strata), **vars(options)},
        changed=frozenset(chosen),
        complete=source,
        types={c: AttributeType("continuous") for c in chosen if _continuous(data, c)},
    )


def _aggregated(
    data: Microdata, chosen: tuple[str, ...], strata: tuple[str, ...], options: Options
) -> engine.Source:
    link = require_link(data)
    require_ids(data)
    order = data.source.at(data.record_id) if data.record_id else link
    extra = [s for s in strata if s not in chosen]
    found = engine.records(data.source, link, [*chosen, *extra], order)
    columns = [_column(data, name, found.column(name), options) for name in chosen]
    parts = _strata(found, strata, options.k)
    if options.method in _UNIVARIATE:
        for column in columns:
            column.mask(parts, options)
    else:
        _together(columns, parts, options)
    masked = found.select(["link"])
    for column in columns:
        masked = masked.append_column(column.name, column.masked(options))
    return engine.replaced(data.source, link, masked)


def _together(columns: list[Column], parts: list[Ints], options: Options) -> None:
    """Groups over all columns, within strata and blocks; then the averages of each column."""
    points = _points(columns)
    groups = watched(
        "grouping similar records", len(points), lambda w: _groups(points, parts, options, w)
    )
    for column in columns:
        column.average(groups, options)


def _groups(points: Points, parts: list[Ints], options: Options, watch: Ints) -> Ints:
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


def _partition(points: Points, options: Options, watch: Ints) -> Ints:
    if options.method == "v-mdav":
        return v_mdav_groups(points, options.k, options.gamma, watch)
    return mdav_groups(points, options.k, options.ordinal, watch)


def _points(columns: list[Column]) -> Points:
    n = len(columns[0].values)
    numbers = [standardised(c.values.astype(float)) for c in columns if c.measure == "continuous"]
    ranks = [c.values for c in columns if c.measure == "ordinal"]
    ranges = [c.categories for c in columns if c.measure == "ordinal"]  # equation (1)
    codes = [c.values for c in columns if c.measure == "nominal"]
    return Points(
        np.column_stack(numbers) if numbers else np.empty((n, 0)),
        np.column_stack(ranks).astype(np.int64) if ranks else np.empty((n, 0), dtype=np.int64),
        np.array(ranges, dtype=float),
        np.column_stack(codes).astype(np.int64) if codes else np.empty((n, 0), dtype=np.int64),
    )


@dataclass(eq=False)
class Column:
    """An attribute being masked: numbers, or codes with what they stand for."""

    name: str
    measure: str
    values: NDArray[Any]
    labels: pa.Array | None
    integer: bool
    result: NDArray[Any] | None = None

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
        if self.measure == "continuous":
            means = group_means(self.values, groups)
            self.result = rescaled(means, self.values) if options.preserve_variance else means
        elif self.measure == "ordinal":
            self.result = group_ranks(self.values, self.categories, groups, options.ordinal)
        else:
            self.result = group_codes(self.values, self.categories, groups)

    def masked(self, options: Options) -> pa.Array:
        """The masked column, ready to be put back."""
        import pyarrow as pa

        if self.labels is not None:
            return self.labels.take(pa.array(self.result))
        assert self.result is not None
        if options.round and self.integer:
            return pa.array(np.rint(self.result).astype(np.int64))
        return pa.array(self.result)


def _univariate(values: Floats, options: Options) -> Ints:
    from discreet.kernels.univariate import fixed_groups, optimal_groups

    if options.method == "fixed":
        return fixed_groups(values, options.k)
    return optimal_groups(values, options.k, options.objective)


def _column(data: Microdata, name: str, column: pa.ChunkedArray, options: Options) -> Column:
    """Numbers of a continuous attribute; codes of an ordinal or nominal one, in their order."""
    if _continuous(data, name) or options.method in _UNIVARIATE:
        values = _finite(name, column.to_numpy().astype(np.float64))
        return Column(name, "continuous", values, None, data.source.kinds[name] == "integer")
    from discreet.frequency import coded

    labels, codes = coded(column, None)
    scale = data.types[name].scale
    if scale is None:
        return Column(name, "nominal", codes.astype(np.int64), labels, integer=False)
    ranks = np.array(attributes.steps(labels, scale), dtype=np.int64)[codes]
    return Column(name, "ordinal", ranks, _on_scale(scale, labels), integer=False)


def _on_scale(scale: Sequence[str], labels: pa.Array) -> pa.Array:
    """All steps of a scale as values of the column: an average may be a step that no record has."""
    import pyarrow as pa

    step = dict(zip(attributes.steps(labels, scale), labels.to_pylist(), strict=True))
    others = pa.array(list(scale)).cast(labels.type).to_pylist()
    return pa.array([step.get(i, others[i]) for i in range(len(scale))], labels.type)


def _finite(name: str, values: Floats) -> Floats:
    endless = int((~np.isfinite(values)).sum())
    if endless:
        what = f"{name!r} has {endless:,} infinite values and no mean."
        fail("D12", what, "Name them in missing_values=, or drop the records.")
    return values


def _strata(found: pa.Table, strata: tuple[str, ...], k: int) -> list[Ints]:
    """The records of each stratum; one that is too small is an error."""
    if not strata:
        return [np.arange(found.num_rows)]
    from discreet.frequency import coded
    from discreet.kernels.packing import pack

    columns = [coded(found.column(name), None) for name in strata]
    packed, _ = pack([codes for _, codes in columns], [len(values) for values, _ in columns])
    _, which = np.unique(packed, return_inverse=True)
    sizes = np.bincount(which)
    if (sizes < k).any():
        fail(
            "D07",
            f"{int((sizes < k).sum()):,} of {len(sizes):,} strata have fewer than k = {k} records.",
            "Merge small strata, or lower k.",
        )
    return np.split(np.argsort(which, kind="stable"), np.cumsum(sizes)[:-1])


def _continuous(data: Microdata, name: str) -> bool:
    return data.types[name].measure == "continuous" and data.source.kinds[name] in _NUMERIC


def _problems(
    data: Microdata, chosen: tuple[str, ...], strata: tuple[str, ...], options: Options
) -> list[Problem]:
    problems = [*whole_number("k", options.k, 1), *_option_problems(options)]
    for word, names in (("column", chosen), ("stratum", strata)):
        problems += [
            attributes.unknown_column(word, c, data.columns, data.name)
            for c in names
            if c not in data.columns
        ]
    if not chosen:
        problems.append(Problem("P04", "no column is named.", "Name the columns to aggregate."))
    problems += [
        Problem("R02", f"column {c!r} is named more than once.", "Name it once.")
        for c in dict.fromkeys(chosen)
        if chosen.count(c) > 1
    ]
    if data.record_id in chosen:
        what = f"{data.record_id!r} is the record id, which links the records."
        problems.append(Problem("R04", what, "Name other columns."))
    if not problems and options.k > data.n:
        what = f"k = {options.k:,} is more than the {data.n:,} records there are."
        problems.append(Problem("P17", what, "Lower k."))
    return problems + _column_problems(data, [c for c in chosen if c in data.columns], options)


def _option_problems(options: Options) -> list[Problem]:
    problems = [
        Problem("P16", f"{word}= is not known.", f"Use one of {', '.join(known)}.")
        for word, known in _KNOWN.items()
        if getattr(options, word) not in known
    ]
    if options.blocks is not None:
        problems += whole_number("blocks", options.blocks, 1)
    if not (isinstance(options.gamma, int | float) and options.gamma >= 0):
        problems.append(
            Problem("P10", "gamma= is a number of at least 0.", "Give for example 0.2.")
        )
    return problems


def _column_problems(data: Microdata, chosen: list[str], options: Options) -> list[Problem]:
    kinds = data.source.kinds
    univariate = options.method in (*_UNIVARIATE, "v-mdav")
    problems = [
        Problem(
            "D12", f"{c!r} is stored as {kinds[c]} and has no mean.", "Name numeric columns only."
        )
        for c in chosen
        if kinds[c] not in _NUMERIC
        and (univariate or data.types[c].measure == "continuous" or kinds[c] == "other")
    ]
    missing = engine.profile(data.source, chosen)[1] if chosen else {}
    return problems + [
        Problem("D03", f"{c!r} has {missing[c][1]:,} missing values.", _missing_remedy(data, c))
        for c in chosen
        if missing[c][1] and not (options.missing == "category" and _nominal(data, c))
    ]


def _nominal(data: Microdata, name: str) -> bool:
    return data.types[name].measure == "nominal"


def _missing_remedy(data: Microdata, name: str) -> str:
    if _nominal(data, name):
        return 'Fill them, or choose missing="category".'
    return "Fill them or drop the records."
