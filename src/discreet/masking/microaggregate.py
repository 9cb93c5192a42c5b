"""Microaggregation: values are replaced by the average of a small group of similar records.

``"mdav"``: MDAV-generic for continuous, ordinal and nominal attributes together (Domingo-Ferrer &
Torra 2005, Algorithm 5.1). ``"v-mdav"``: groups of k to 2k − 1 that follow clusters (Solanas &
Martínez-Ballesté 2006). ``"pca"``: groups of k along the first principal component.

Univariate, each column by itself: ``"fixed"`` takes k sorted values at a time (Truta, Fotouhi &
Barth-Jones 2005, equations 1 and 2); ``"individual"``, individual ranking, is the same by the name
that it has for several columns; ``"optimal-univariate"`` finds the k-partition of least loss
(Hansen & Mukherjee 2003). k then holds for each column and not for the columns together, which the
masked file says of itself (:class:`ColumnGroups`).

Where the records are spread over machines, blocks are cut by the engine and masked on the
executors, and nothing but sums and cut points crosses. The blocks are those of
:func:`discreet.kernels.multivariate.blocks.balanced_blocks`, and each is masked by the same
function as here.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from annotated_doc import Doc
from annotated_types import Ge

from discreet import engine
from discreet.data import attributes
from discreet.data.attributes import AttributeType
from discreet.data.masked import Masked, masked_from, require_ids, require_link
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import (
    Problem,
    argument,
    fail,
    listed,
    raise_all,
)
from discreet.frames import FrameKind
from discreet.masking.aggregation import (
    UNIVARIATE,
    Column,
    Grouping,
    MaskedAttribute,
    Method,
    MissingValues,
    Objective,
    OrdinalAverage,
    Ties,
    block_size,
    groups_of,
    mask_block,
    unit_of,
)
from discreet.masking.attainable import attainable
from discreet.masking.method import (
    Strata,
    WholeStays,
    column_problems,
    linked_records,
    masking,
    replaced_columns,
    unfit_columns,
    unknown_columns,
)
from discreet.masking.perturbation import strata_of
from discreet.masking.promises import InGroups
from discreet.parameters import (
    ColumnFacts,
    Columns,
    Label,
    Public,
    Unfit,
    Variant,
    Vary,
    as_type,
    parameters_of,
    problems_of,
)
from discreet.progress import watched
from discreet.results import Result
from discreet.words import counted, share

if TYPE_CHECKING:
    from discreet.kernels.arrays import Ints


_NUMERIC = ("integer", "number")
_TAKES_ALL = f"Use {argument('method', 'mdav')}."
_NO_EXCHANGE = Unfit(
    "D12",
    "has no mean, which an exchange between groups needs",
    f"Leave {argument('exchange')} out, or name numeric columns only.",
    {"exchange": (False, None)},
)
_WHOLE = 1_000_000  # records that one executor may hold


# -- Columns in groups of their own: what k means where each column is masked by itself ------------
#
# Univariate microaggregation puts every value of a column into a group of k. Two columns have
# different groups, so that a pair of masked values may be that of one record alone.


@dataclass(frozen=True, repr=False)
class ColumnGroups(Result):
    """That k holds for each column, and for how many records it does not hold for all together.

    Attributes
    ----------
    k : int
        Least size of a group, of each column by itself.
    columns : tuple of str
        What was masked.
    below : int
        Records that share the masked values of all these columns with fewer than k − 1 others.
    smallest : int
        Fewest records that share them.
    n : int
        Number of records.

    Examples
    --------
    >>> import discreet as ds
    >>> people = ds.read({"age": [1, 2, 8, 9], "pay": [5, 9, 6, 8]}, keys=["age", "pay"])
    >>> masked = ds.microaggregate(people, k=2, method="individual")
    >>> print(masked.outcome.explain())
    Every value is shared by at least 2 records, in each of the 2 columns by itself.
    The columns together are not 2-anonymous: 4 records (100.0%) share all values with no other.
    If an intruder may know these columns together, microaggregate them together, by MDAV.
    """

    k: int
    columns: tuple[str, ...]
    below: int
    smallest: int
    n: int
    kind: FrameKind

    def explain(self) -> str:
        """What holds and what does not, and what to do where it must."""
        number = counted(len(self.columns), "column")
        first = (
            f"Every value is shared by at least {counted(self.k, 'record')}, in each of the "
            f"{number} by itself."
        )
        if not self.below:
            return f"{first}\nHere that holds for the columns together, too."
        others = "no other" if self.k == 2 else f"fewer than {self.k - 1:,} others"
        return "\n".join([
            first,
            f"The columns together are not {self.k}-anonymous: {counted(self.below, 'record')} "
            f"({share(self.below, self.n)}) share all values with {others}.",
            "If an intruder may know these columns together, microaggregate them "
    "together, by MDAV.",
        ])  # fmt: skip

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row: k, the smallest class of all columns together, and the records below k."""
        row = {"k": self.k, "smallest": self.smallest, "below": self.below, "records": self.n}
        return self._frame([row], kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "k": self.k,
            "columns": list(self.columns),
            "below_k_together": self.below,
            "smallest_together": self.smallest,
        }


def column_groups(
    source: engine.Source, columns: Sequence[str], k: int, kind: FrameKind
) -> ColumnGroups:
    """Counted where the records are: classes of all masked columns together."""
    found = engine.class_signatures(source, columns, (), skip_missing=False)
    size, classes = (found.column(name).to_numpy() for name in ("size", "classes"))
    records = size * classes
    below = int(records[size < k].sum())
    return ColumnGroups(k, tuple(columns), below, int(size.min()), int(records.sum()), kind)


def cautions(recorded: Mapping[str, Any]) -> list[str]:
    """What a reader of a report must know of a step: that k is no k of the columns together."""
    several = len(recorded["columns"]) > 1
    if recorded["method"] not in UNIVARIATE or not several:
        return []
    return [
        f"Each column was microaggregated by itself: k = {recorded['k']} holds for each of them, "
        "but the columns together need not be k-anonymous."
    ]


def averageable(column: ColumnFacts) -> list[Unfit]:
    """Why a column has no average, or has one by some methods only.

    Examples
    --------
    >>> averageable(ColumnFacts("date", "continuous", "continuous", 0))[0].what
    'is stored as date and has no mean'
    >>> averageable(ColumnFacts("text", "nominal", "nominal", 3))[2].unless
    {'missing': ('category',)}
    """
    found = []
    number = column.kind in _NUMERIC
    if column.kind == "other" or (column.measure == "continuous" and not number):
        what = f"is stored as {column.kind} and has no mean"
        found.append(Unfit("D12", what, "Name numeric columns only."))
    elif not number:
        what = f"is stored as {column.kind} and has no mean, which this method needs"
        found += [Unfit("D12", what, _TAKES_ALL, {"method": ("mdav",)}), _NO_EXCHANGE]
    elif column.measure != "continuous":
        what = f"is {column.type} and has no mean, which this method needs"
        remedy = f"{_TAKES_ALL[:-1]}; or, if its numbers are amounts, read it with "
        remedy += f"{as_type('continuous')}."
        found += [Unfit("D12", what, remedy, {"method": ("mdav",)}), _NO_EXCHANGE]
    if column.missing:
        what = f"has {counted(column.missing, 'missing value')}"
        if column.measure == "nominal":
            remedy = f"Fill them, or choose {argument('missing', 'category')}."
            found.append(Unfit("D03", what, remedy, {"missing": ("category",)}))
        else:
            found.append(Unfit("D03", what, "Fill them or drop the records."))
    return found


@masking(
    title="Microaggregation",
    done="microaggregated",
    about="Similar records form groups, and all get the average of their group.",
    example="--keys age,income --k 5",
    tells=("information_loss",),
    cautions=cautions,
)
def microaggregate(
    data: Microdata,
    columns: Annotated[
        Sequence[str] | str | None,
        Columns(fit=averageable),
        Label("Columns"),
        Doc("Attributes to mask; the keys by default."),
        Public,
    ] = None,
    k: Annotated[
        int,
        Ge(1),
        Label("k: least size of a group"),
        Doc("Least size of a group."),
        Public,
        Vary(3, 5, 10, 20),
    ] = 3,
    *,
    method: Annotated[
        Method,
        Label(
            "Method",
            {
                "mdav": "MDAV: groups of k to 2k − 1, all columns together",
                "v-mdav": "V-MDAV: groups that grow with their surroundings",
                "pca": "along the first principal component, all columns together",
                "fixed": "fixed size, each column by itself",
                "individual": "individual ranking, each column by itself",
                "optimal-univariate": "optimal, each column by itself",
            },
        ),
        Doc("How groups are formed."),
        Public,
        Variant,
    ] = "mdav",
    preserve_variance: Annotated[
        bool | None,
        Label("Keep variances"),
        Doc("Rescale to the original variances; by default unless columns are masked one by one."),
        Public,
    ] = None,
    ordinal: Annotated[
        OrdinalAverage,
        Label(
            "Average of ordinal attributes",
            {"median": "the median", "convex-median": "the convex median"},
        ),
        Doc("The average of ordinal attributes."),
        Public,
    ] = "median",
    by: Annotated[Strata, Doc("Columns that make the strata: groups are formed within each.")] = (),
    missing: Annotated[
        MissingValues,
        Label(
            "Missing values",
            {"refuse": "are refused", "category": "a missing value is a category"},
        ),
        Doc("A missing value is an error, or a category of a nominal attribute."),
        Public,
    ] = "refuse",
    round: Annotated[WholeStays, Doc("Round the averages of whole numbers.")] = False,  # noqa: A002
    blocks: Annotated[
        int | None,
        Ge(1),
        Label("Size of blocks"),
        Doc("Split very large files into blocks of about this many records."),
        Public,
    ] = None,
    objective: Annotated[
        Objective,
        Label(
            "What the optimal partition minimises",
            {"squares": "squared distances", "absolute": "absolute distances"},
        ),
        Doc("What the optimal univariate partition minimises."),
        Public,
    ] = "squares",
    gamma: Annotated[
        float,
        Ge(0),
        Label("Growth γ of V-MDAV"),
        Doc("How easily the groups of V-MDAV grow."),
        Public,
    ] = 0.2,
    ties: Annotated[
        Ties,
        Label(
            "Equal values in groups of fixed size",
            {"split": "may be split between groups", "together": "stay together"},
        ),
        Doc("Whether groups of fixed size, in each column by itself, may split equal values."),
        Public,
    ] = "split",
    exchange: Annotated[
        bool,
        Label("Exchange records between groups"),
        Doc("Move and exchange records between groups while that lowers the loss."),
        Public,
    ] = False,
) -> Masked:
    """Replace values by the average of a group of at least k similar records.

    Parameters
    ----------
    data : Microdata
    columns : list of str, optional
        The attributes to mask, of any type; the keys when not given. V-MDAV and the univariate
        methods, which take each column by itself, need continuous ones.
    k : int
        Least size of a group; MDAV makes groups of k to 2k − 1.
    method : {"mdav", "v-mdav", "pca", "fixed", "individual", "optimal-univariate"}
        The last three take each column by itself, so that k does not hold for columns together.
    preserve_variance : bool, optional
        Rescale continuous attributes to their original variance, within each stratum; by default
        after MDAV, V-MDAV and pca, not after the univariate methods. Means are always preserved,
        those of the strata too. A stratum that is one group has one value and no variance.
    ordinal : {"median", "convex-median"}
        The average of ordinal attributes.
    by : list of columns, optional
        Strata: groups are formed within each, and means and variances preserved. A stratum of
        fewer than k records is an error.
    missing : {"refuse", "category"}
        A missing value is an error; or, in a nominal attribute, a category of its own.
    round : bool
        Make averages of whole numbers and decimals values that the attribute can take: rounded
        to its last digit, halves to the even one, and within the range of the data; where it has
        at most 20 values, each in 10 records or more on average, the nearest of them. Means are
        rounded exactly, however large they are. Other averages stay as they are.
    blocks : int, optional
        Split very large files into balanced blocks of about this many records, along the axes of
        largest variance, and form groups within them: faster, with a somewhat larger loss.
    objective : {"squares", "absolute"}
        What the optimal univariate partition minimises.
    gamma : float
        How easily the groups of V-MDAV grow.
    ties : {"split", "together"}
        Whether equal values may be split between groups of fixed size (``"fixed"``,
        ``"individual"``), in the order of the records; or stay together, so that a group ends
        where the value changes: safer against those who see the split, with a larger loss.
    exchange : bool
        Improve the groups of all columns together: records move, and change places, between
        neighbouring groups while the sum of squares falls. It never rises, and groups keep k to
        2k − 1 records. All columns must be continuous.

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

    References
    ----------
    - Domingo-Ferrer, Torra (2005), *Ordinal, continuous and heterogeneous k-anonymity through
      microaggregation*. Data Mining and Knowledge Discovery 11 (2): Algorithm 5.1.
    - Solanas, Martínez-Ballesté (2006), *V-MDAV: a multivariate microaggregation with variable
      group size*. COMPSTAT.
    - Hansen, Mukherjee (2003), *A polynomial algorithm for optimal univariate microaggregation*.
      IEEE Transactions on Knowledge and Data Engineering 15 (4).
    """
    require_microdata(data)
    chosen = attributes.names(columns) if columns is not None else data.need_keys()
    strata = attributes.names(by)
    preserve = preserve_variance if preserve_variance is not None else method not in UNIVARIATE
    options = Grouping(
        k, method, objective, ordinal, missing, preserve, round, blocks, gamma, ties, exchange
    )
    raise_all(_problems(data, chosen, strata, options))
    source = _aggregated(data, chosen, strata, options)
    return masked_from(
        data,
        source,
        method="microaggregate",
        parameters={"columns": list(chosen), "by": list(strata), **vars(options)},
        promise=_promise(chosen, strata, options),
        after=data.n,
        changed=frozenset(chosen),
        complete=source,
        types={c: AttributeType("continuous") for c in chosen if _continuous(data, c)},
        outcome=_outcome(data, source, chosen, options),
    )


def _outcome(
    data: Microdata, source: engine.Source, chosen: tuple[str, ...], options: Grouping
) -> ColumnGroups | None:
    """That k holds for each column alone, where there are several."""
    if not options.univariate or len(chosen) < 2:
        return None
    return column_groups(source, chosen, options.k, data.source.kind)


def _promise(chosen: tuple[str, ...], strata: tuple[str, ...], options: Grouping) -> InGroups:
    """Within a stratum k records or more share the values of all columns, or of each one where
    columns are masked by themselves. Strata that are masked as well are no longer what they were.
    """
    within = [name for name in strata if name not in chosen]
    sets = [[name] for name in chosen] if options.univariate else [list(chosen)]
    return InGroups(options.k, [[*names, *within] for names in sets])


def _aggregated(
    data: Microdata, chosen: tuple[str, ...], strata: tuple[str, ...], options: Grouping
) -> engine.Source:
    attributes_ = _attributes(data, chosen, options)
    if engine.is_distributed(data.source):
        return _on_executors(data, attributes_, strata, options)
    extra = [s for s in strata if s not in chosen]
    found = linked_records(data, [*chosen, *extra])
    columns = [Column.of(a, found.column(a.name)) for a in attributes_]
    parts = strata_of(found, strata)
    _need_k([len(part) for part in parts], options.k, strata)
    if options.univariate:
        for column in columns:
            column.mask(parts, options)
    else:
        _together(columns, parts, options)
    return replaced_columns(data, found, {c.attribute.name: c.masked() for c in columns})


def _together(columns: list[Column], parts: list[Ints], options: Grouping) -> None:
    """Groups over all columns, within strata and blocks; then the averages of each column."""
    groups = watched(
        "grouping similar records",
        len(columns[0].values),
        lambda watch: groups_of(columns, parts, options, watch),
    )
    for column in columns:
        column.average(groups, parts, options)


def _attributes(data: Microdata, chosen: Sequence[str], options: Grouping) -> list[MaskedAttribute]:
    numbers = [name for name in chosen if _continuous(data, name) or options.univariate]
    can = attainable(data, numbers) if options.round else {}
    return [
        MaskedAttribute(name, "continuous", attainable=can.get(name))
        if name in numbers
        else _categorical(name, data.types.scale(name))
        for name in chosen
    ]


def _categorical(name: str, scale: tuple[str, ...] | None) -> MaskedAttribute:
    return MaskedAttribute(name, "nominal" if scale is None else "ordinal", scale)


def _continuous(data: Microdata, name: str) -> bool:
    return data.types[name].measure == "continuous" and data.source.kinds[name] in _NUMERIC


def _problems(
    data: Microdata, chosen: tuple[str, ...], strata: tuple[str, ...], options: Grouping
) -> list[Problem]:
    problems = [
        *problems_of(parameters_of(microaggregate), vars(options)),
        *column_problems(data, chosen, to="aggregate"),
        *unknown_columns(data, strata, "stratum"),
    ]
    if not problems and options.k > data.n:
        what = f"k = {options.k:,} is more than the {data.n:,} records there are."
        problems.append(Problem("P17", what, "Lower k."))
    if options.exchange is True and options.univariate:
        what = f"{argument('exchange')} is for groups of all columns together, and with "
        what += f"{argument('method', options.method)} each column has its own."
        problems.append(
            Problem("P80", what, f"Leave it out, or choose {argument('method', 'mdav')}.")
        )
    problems += unfit_columns(data, chosen, vars(options), averageable)
    there = [c for c in chosen if c in data.columns]
    numbers = [c for c in there if _continuous(data, c) or options.univariate]
    return problems + data.unbounded_problems(numbers)


def _on_executors(
    data: Microdata,
    attributes: Sequence[MaskedAttribute],
    strata: Sequence[str],
    options: Grouping,
) -> engine.Source:
    """The table with masked columns."""
    link = require_link(data)
    require_ids(data)
    order = data.source.at(data.record_id) if data.record_id else link
    spreads = engine.spreads(data.source, [a.name for a in attributes if a.measure == "continuous"])
    measured = [
        replace(a, unit=unit_of(*spreads[a.name])) if a.name in spreads else a for a in attributes
    ]
    sizes = _sizes(data, strata, options)
    axes = [
        engine.Axis(a.name, a.scale, 1 / a.unit[1] if a.unit and a.unit[1] else 0.0)
        for a in measured
        if a.measure != "nominal"
    ]
    size = options.blocks if options.blocks and not options.univariate else max(sizes)
    # groups of one keep their values
    later = options.preserve_variance and options.k > 1 and bool(spreads)
    source = engine.in_strata(data.source, strata) if later else data.source
    blocked = engine.in_blocks(source, order, axes, strata, block_size(size, options.k), data.n)
    can = {a.name: a.attainable for a in measured if a.attainable and options.round}
    if later:  # means are rounded once they are rescaled
        measured = [replace(a, base=can[a.name].low) if a.name in can else a for a in measured]
    work = functools.partial(
        mask_block,
        attributes={data.source.at(a.name): a for a in measured},
        order=list(dict.fromkeys([order, link])),
        options=replace(
            options, preserve_variance=False, blocks=None, round=options.round and not later
        ),
    )
    numbers = [a.name for a in measured if a.unit and (later or a.name not in can)]
    masked = engine.on_executors(blocked, work, numbers)
    if not later:
        return masked
    rounded = {n: engine.Rounded(c.digits, c.low, c.high, c.few) for n, c in can.items()}
    return engine.rescaled(masked, _moves(source, masked, numbers), rounded, data.source)


def _moves(
    source: engine.Source, masked: engine.Source, names: Sequence[str]
) -> dict[int, dict[str, engine.Move]]:
    """By stratum, how each attribute gets its variance again around its mean, which groups keep;
    one that is constant stays as it is."""
    before = engine.spreads_by_stratum(source, names)
    return {
        stratum: {
            name: engine.Move(s.mean, before[stratum][name].spread / s.spread if s.spread else 1.0)
            for name, s in found.items()
        }
        for stratum, found in engine.spreads_by_stratum(masked, names).items()
    }


def _need_k(sizes: Collection[int], k: int, strata: Sequence[str]) -> None:
    small = sum(size < k for size in sizes)
    if small:
        by = f" by {listed(strata)}" if strata else ""
        what = f"{small:,} of {len(sizes):,} strata{by} have fewer than k = {k} records."
        fail("D07", what, "Merge small strata, or lower k.")


def _sizes(data: Microdata, strata: Sequence[str], options: Grouping) -> list[int]:
    sizes = data.frequency_set(strata).counts.tolist() if strata else [data.n]
    _need_k(sizes, options.k, strata)
    largest = max(sizes) if options.univariate else min(max(sizes), options.blocks or max(sizes))
    if largest > _WHOLE:
        fail(
            "N10",
            f"{largest:,} records would have to be held by one machine.",
            f"Give {argument('blocks')}, of at most a million records, and "
            f"{argument('method', 'mdav')}.",
        )
    return [int(size) for size in sizes]
