"""Counting: sizes, distinct values, frequency sets and class sizes."""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from discreet.engine import coded_counts
from discreet.engine.missing import endless
from discreet.engine.source import Source, batches, collected, is_distributed, same, with_twin
from discreet.engine.summation import columns_of, sums_of
from discreet.errors import argument, fail
from discreet.frequency.frequency_set import FrequencySet

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray

T = TypeVar("T")
_HEAD = 1000  # rows that show at once what a column cannot be
_ROUNDING = 1e-12  # of shares, beside a limit


@with_twin(coded_counts.size)
def size(source: Source) -> int:
    """Number of records."""
    if source.told_size is not None:
        return source.told_size
    return int(collected(source.table.aggregate(n=source.table.count()), source)["n"][0].as_py())


@with_twin(coded_counts.is_empty)
def is_empty(source: Source) -> bool:
    """Whether there is no record at all, without counting them."""
    if source.told_size is not None:
        return source.told_size == 0
    one = source.table.limit(1)
    return int(collected(one.aggregate(n=one.count()), source)["n"][0].as_py()) == 0


@with_twin(coded_counts.profile)
def profile(source: Source, names: Sequence[str]) -> tuple[int, dict[str, tuple[int, int]]]:
    """Number of records, and per column the number of distinct values and of missing ones."""
    row: dict[str, Any] = {}
    for some in portions(names, 50) or [()]:  # twice fifty distinct counts beat a hundred at once
        aggregates: dict[str, Any] = {"n": source.table.count()}
        for name in some:
            column = source.table[source.at(name)]
            if source.kinds[name] != "other":
                aggregates[f"d{source.at(name)}"] = column.nunique()
            aggregates[f"m{source.at(name)}"] = column.isnull().sum()
        row.update(collected(source.table.aggregate(**aggregates), source).to_pylist()[0])
    return row["n"], {
        name: (int(row.get(f"d{source.at(name)}") or 0), int(row[f"m{source.at(name)}"] or 0))
        for name in names
    }


@with_twin(coded_counts.codes)
def codes(source: Source, names: Sequence[str], most: int, each: int) -> list[str]:
    """The columns of numbers that hold whole numbers only, at most so many different ones, and
    each of them in so many records on average.

    The first rows exclude most of the others: whatever rows an engine gives first, a column with
    too many values in some rows has too many in all.
    """
    few = _not_excluded(source, names, most)
    found: list[str] = []
    for some in portions(few, 50):
        aggregates: dict[str, Any] = {}
        for name in some:
            column, at = source.table[source.at(name)], source.at(name)
            aggregates |= {f"d{at}": column.nunique(), f"n{at}": column.count()}
            aggregates[f"w{at}"] = _whole(column).all()
        row = collected(source.table.aggregate(**aggregates), source).to_pylist()[0]
        for name in some:
            distinct, filled, whole = (row[f"{sign}{source.at(name)}"] for sign in "dnw")
            if whole and 1 <= distinct <= most and filled >= each * distinct:
                found.append(name)
    return found


def _not_excluded(source: Source, names: Sequence[str], most: int) -> list[str]:
    if not names or is_distributed(source):  # no record is brought from another machine
        return list(names)
    columns = {source.at(name): source.table[source.at(name)] for name in names}
    head = collected(source.table.select(**columns).limit(_HEAD), source)
    found = []
    for name in names:
        values = [v for v in head.column(source.at(name)).unique().to_pylist() if v is not None]
        if len(values) <= most and all(map(coded_counts.is_whole, values)):
            found.append(name)
    return found


def _whole(column: Any) -> Any:
    """Whether a number is whole, or missing."""
    if column.type().is_integer():
        return column.isnull() | column.notnull()
    if not column.type().is_floating():
        return column.isnull() | (column.floor() == column).fill_null(False)
    # beyond 2^53 every float is whole, and Spark cannot round what no integer holds
    large = column.abs() > 2.0**53
    small = large.ifelse(None, column)
    whole = (large & ~endless(column)) | (small.floor() == small).fill_null(False)
    return column.isnull() | whole.fill_null(False)


class Extent(NamedTuple):
    """Of a column of exact numbers: digits after the point, lowest and highest value, and how many
    different ones there are."""

    digits: int
    low: Any
    high: Any
    distinct: int


def extents(source: Source, names: Sequence[str]) -> dict[str, Extent]:
    """The extents of those columns that are stored in whole numbers or decimals."""
    schema = source.table.schema()
    types = {name: schema[source.at(name)] for name in names}
    digits = {
        name: 0 if of.is_integer() else of.scale
        for name, of in types.items()
        if of.is_integer() or (of.is_decimal() and of.scale is not None)
    }
    if not digits:
        return {}
    asked: dict[str, Any] = {}
    for i, name in enumerate(digits):
        column = source.table[source.at(name)]
        asked |= {f"l{i}": column.min(), f"h{i}": column.max(), f"d{i}": column.nunique()}
    row = collected(source.table.aggregate(**asked), source).to_pylist()[0]
    return {
        name: Extent(digits[name], row[f"l{i}"], row[f"h{i}"], int(row[f"d{i}"]))
        for i, name in enumerate(digits)
    }


def portions(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Parts small enough for one query."""
    return [items[i : i + size] for i in range(0, len(items), size)]


def single_rows(source: Source, tables: Sequence[ir.Table]) -> list[dict[str, Any]]:
    """The rows of tables that have one each, in their order; many by one query."""
    import ibis

    found: list[dict[str, Any]] = []
    for some in portions(list(enumerate(tables)), 30):
        numbered = [table.mutate(at=ibis.literal(at, type="int32")) for at, table in some]
        stacked = functools.reduce(lambda one, other: one.union(other), numbered)
        found += sorted(collected(stacked, source).to_pylist(), key=operator.itemgetter("at"))
    return found


@with_twin(coded_counts.counts)
def counts(source: Source, by: Sequence[str]) -> pa.Table:
    """Distinct combinations of the attributes ``by`` (columns 0, 1, …) and their count ``n``."""
    columns = {f"k{i}": source.table[source.at(name)] for i, name in enumerate(by)}
    table = source.table.select(**columns)
    return collected(table.group_by(list(columns)).agg(n=table.count()), source)


@with_twin(coded_counts.frequencies)
def frequencies(
    source: Source,
    by: Sequence[str],
    scales: Mapping[str, Sequence[str] | None],
    weight: str | None = None,
    inverse: bool = False,
) -> FrequencySet:
    """The frequency set of some attributes, on their scales where these have one; with the sums of
    the weights in a column, or of 1/weight, where one is named."""
    if weight is None:
        return FrequencySet.from_arrow(by, counts(source, by), scales)
    table, sums = _weighted_counts(source, by, weight, inverse)
    return FrequencySet.from_arrow(by, table, scales, sums)


def _weighted_counts(
    source: Source, by: Sequence[str], weight: str, inverse: bool
) -> tuple[pa.Table, NDArray[np.float64]]:
    """As :func:`counts`, with the sum of the weights of each combination beside it: the same bits
    for every order of the records, on every engine.
    """
    columns = {f"k{i}": source.table[source.at(name)] for i, name in enumerate(by)}
    given = source.table[source.at(weight)].cast("float64")
    table = source.table.select(**columns, w=1.0 / given if inverse else given)
    sums = sums_of(source, table, {"w": table["w"]})
    asked = table.group_by(list(columns)).agg(n=table.count(), **columns_of(sums))
    found = collected(asked, source)
    weights = sums["w"].values(found["w_coarse"], found["w_fine"])
    return found.drop_columns(["w_coarse", "w_fine"]), weights


def largest(source: Source, name: str, most: int) -> NDArray[np.int64]:
    """How many records hold each of the most frequent values of an attribute."""
    import ibis

    table = source.table.select(v=source.table[source.at(name)])
    sizes = table.group_by("v").agg(n=table.count())
    top = sizes.select("n").order_by(ibis.desc("n")).limit(most)
    return np.sort(np.asarray(collected(top, source)["n"], dtype=np.int64))[::-1]


@with_twin(coded_counts.class_signatures)
def class_signatures(
    source: Source, by: Sequence[str], distinct: Sequence[str], skip_missing: bool
) -> pa.Table:
    """How many classes (``classes``) share a size (``size``) and, per attribute of ``distinct``,
    a number of distinct values (``d0``, ``d1``, …); a missing value counts as one of them
    unless it is skipped.

    Only these small counts leave the engine, however many classes there are.
    """
    keys = {f"k{i}": source.table[source.at(name)] for i, name in enumerate(by)}
    values = {f"v{i}": source.table[source.at(name)] for i, name in enumerate(distinct)}
    table = source.table.select(**keys, **values)
    if (
        len(distinct) == 1 and not skip_missing
    ):  # counting pairs first is twice as fast as a distinct count per class
        pairs = table.group_by([*keys, *values]).agg(n=table.count())
        classes = pairs.group_by(list(keys)).agg(size=pairs["n"].sum(), d0=pairs.count())
    else:
        numbers = {
            f"d{i}": table[v].nunique() + (0 if skip_missing else _any_missing(table[v]))
            for i, v in enumerate(values)
        }
        classes = table.group_by(list(keys)).agg(size=table.count(), **numbers)
    shape = ["size", *(f"d{i}" for i in range(len(distinct)))]
    return collected(classes.group_by(shape).agg(classes=classes.count()), source)


def summed_classes(
    source: Source,
    by: Sequence[str],
    distinct: Sequence[str],
    sums: Sequence[tuple[str, str, Source]],
) -> pa.Table:
    """As :func:`class_signatures`, with sums over the values of attributes in each class (``s_0``,
    ``s_1``, …): Σ c·log c of the entropy, Σ (|share − whole| − whole) of the distance from the
    distribution in another table, the ``most`` records of one value, the records of the l-th most
    frequent value and all after it (``tail l``), the number of values whose share of the class is
    more than a factor above that of the other table (``gained basic β``, ``gained enhanced β``) or
    too many doublings ``off δ``, or the share of the other table that has those values
    (``covered``).
    """
    keys = {f"k{i}": source.table[source.at(name)] for i, name in enumerate(by)}
    values = {f"v{i}": source.table[source.at(name)] for i, name in enumerate(distinct)}
    table = source.table.select(**keys, **values)
    numbers = {f"d{i}": table[v].nunique() + _any_missing(table[v]) for i, v in enumerate(values)}
    classes = table.group_by(list(keys)).agg(size=table.count(), **numbers)
    others = [f"o{i}" for i in range(len(by))]
    for name in dict.fromkeys(name for name, _, _ in sums):
        pairs, parts = pairs_of(source, by, name), []
        for number, (own, kind, whole) in enumerate(sums):
            if own == name:
                parts.append(f"s_{number}")
                pairs = _with_part(pairs, kind, whole, name).rename({parts[-1]: "part"})
        added = pairs.group_by(others).agg(**{part: pairs[part].sum() for part in parts})
        alike = [c for k, o in zip(keys, others, strict=True) for c in same(classes[k], added[o])]
        classes = classes.join(added, alike).select(*classes.columns, *parts)
    shape = [c for c in classes.columns if c not in keys]
    return collected(classes.group_by(shape).agg(classes=classes.count()), source)


def pairs_of(source: Source, by: Sequence[str], name: str) -> ir.Table:
    """The values of an attribute in each class with their counts, and the size of the class."""
    import ibis

    others = {f"o{i}": source.table[source.at(key)] for i, key in enumerate(by)}
    table = source.table.select(**others, v=source.table[source.at(name)])
    pairs = table.group_by(list(table.columns)).agg(n=table.count())
    return pairs.mutate(size=pairs["n"].sum().over(ibis.window(group_by=list(others))))


def _with_part(pairs: ir.Table, kind: str, whole: Source, name: str) -> ir.Table:
    """The pairs with what each of them adds to a sum."""
    if kind == "entropy":
        count = pairs["n"].cast("float64")
        return pairs.mutate(part=count * count.ln())
    if kind == "most" or kind.startswith("tail "):
        at = 0 if kind == "most" else int(kind.removeprefix("tail ")) - 1
        return _with_rank(pairs, at, kind)
    return _with_shares(pairs, kind, whole, name)


def _with_rank(pairs: ir.Table, at: int, kind: str) -> ir.Table:
    """The number of a pair where its rank, from the most frequent value on, is the one or later."""
    import ibis

    others = [c for c in pairs.columns if c.startswith("o")]
    window = ibis.window(group_by=others, order_by=ibis.desc("n"))
    ranked = pairs.mutate(rank=ibis.row_number().over(window))
    counts = ranked["rank"] == at if kind == "most" else ranked["rank"] >= at
    return ranked.select(*pairs.columns, part=counts.ifelse(ranked["n"], 0))


def _with_shares(pairs: ir.Table, kind: str, whole: Source, name: str) -> ir.Table:
    """What the share of a value in its class adds, beside that in another table."""
    import ibis

    table = whole.table.select(w=whole.table[whole.at(name)])
    held = table.group_by("w").agg(of_all=table.count())
    held = held.mutate(
        whole=held["of_all"].cast("float64") / held["of_all"].sum().over(ibis.window())
    )
    joined = pairs.join(held, same(pairs["v"], held["w"]))
    share = joined["n"].cast("float64") / joined["size"].cast("float64")
    return joined.select(*pairs.columns, part=_part_of_shares(kind, share, joined["whole"]))


def _part_of_shares(kind: str, share: ir.FloatingValue, whole: ir.FloatingValue) -> ir.Value:
    """What a value adds to a sum of a kind, from its two shares."""
    import ibis

    if kind == "distance":
        return (share - whole).abs() - whole
    if kind == "covered":
        return whole
    *words, number = kind.split()
    limit = float(number)
    if words == ["off"]:
        far = ((share / whole).ln() / math.log(2)).abs() >= limit - _ROUNDING
        return far.ifelse(1, 0)
    most = ibis.literal(limit)
    if words[-1] == "enhanced":
        most = ibis.least(most, -whole.ln())
    return (share / whole - 1 > most + _ROUNDING).ifelse(1, 0)


def class_figures(source: Source, sets: Sequence[Sequence[str]]) -> list[tuple[int, int, int]]:
    """Per set of attributes the number of classes, of records alone in theirs, and of pairs of
    records in the same class; one row for each, and many by one query.
    """
    rows = single_rows(source, [_figures(source, names) for names in sets])
    return [(row["classes"], row["uniques"], row["pairs"]) for row in rows]


@with_twin(coded_counts.value_figures)
def value_figures(source: Source, names: Sequence[str]) -> dict[str, tuple[int, int, int]]:
    """Per column its number of values, of records that have one, and of records that alone have
    theirs; a missing value is no value. Only these numbers leave the engine.
    """
    rows = single_rows(source, [_value_figures(source, name) for name in names])
    return {
        name: (int(row["values"] or 0), int(row["filled"] or 0), int(row["unique"] or 0))
        for name, row in zip(names, rows, strict=True)
    }


def _value_figures(source: Source, name: str) -> ir.Table:
    column = source.table.select(v=source.table[source.at(name)])
    held = column.filter(column["v"].notnull())
    sizes = held.group_by("v").agg(n=held.count())
    figures = {
        "values": sizes.count(),
        "filled": sizes["n"].sum(),
        "unique": (sizes["n"] == 1).sum(),
    }
    return sizes.aggregate(**{part: figure.cast("int64") for part, figure in figures.items()})


def _figures(source: Source, names: Sequence[str]) -> ir.Table:
    columns = {f"k{i}": source.table[source.at(name)] for i, name in enumerate(names)}
    table = source.table.select(**columns)
    classes = table.group_by(list(columns)).agg(n=table.count())
    size = classes["n"]
    figures = {
        "classes": classes.count(),
        "uniques": (size == 1).sum(),
        "pairs": (size * (size - 1)).sum() // 2,
    }
    return classes.aggregate(**{name: figure.cast("int64") for name, figure in figures.items()})


def _any_missing(column: Any) -> Any:
    return column.isnull().any().ifelse(1, 0)


@with_twin(coded_counts.class_sizes)
def class_sizes(source: Source, by: Sequence[str], n: int) -> NDArray[np.int64]:
    """The size of each record's class, in the order of the records."""
    if source.row is None:
        fail(
            "N02",
            f"the records of {source.origin} have no order in the engine.",
            f"Give {argument('record_id')} when reading it, or use the class sizes as a column.",
        )
    table = with_class_size(source, by, "size")
    sizes = np.empty(n, dtype=np.int64)
    for batch in batches(table.select("row", "size"), source):
        sizes[batch.column(0).to_numpy()] = batch.column(1).to_numpy()
    return sizes


def with_class_size(source: Source, by: Sequence[str], name: str) -> ir.Table:
    """The table with the size of each record's class as a further column, still lazy."""
    keys = [source.at(b) for b in by]
    table = source.table
    # a projection of its own: shared with the join, the whole table would be held in memory
    keyed = table.select(**{f"{k}_class": table[k] for k in keys})
    classes = keyed.group_by(list(keyed.columns)).agg(**{name: keyed.count()})
    alike = [c for k in keys for c in same(table[k], classes[f"{k}_class"])]
    joined = table.join(classes, alike)
    return joined.select(*table.columns, name)


@with_twin(coded_counts.infinite)
def infinite(
    source: Source, names: Sequence[str], above: float = sys.float_info.max
) -> dict[str, int]:
    """How many records hold an infinite number, or one above another size, by column; only
    columns that have some."""
    schema = source.table.schema()
    floating = [name for name in names if schema[source.at(name)].is_floating()]
    if not floating:
        return {}
    asked = {
        source.at(name): (source.table[source.at(name)].abs() > above).sum() for name in floating
    }
    row = collected(source.table.aggregate(**asked), source).to_pylist()[0]
    return {name: int(row[source.at(name)]) for name in floating if row[source.at(name)]}


@with_twin(coded_counts.missing)
def missing(source: Source, name: str) -> int:
    """How many records have no value in a column, or a blank text."""
    column = source.table[source.at(name)]
    bare = column.isnull()
    if source.kinds[name] == "text":
        bare = bare | (column.strip() == "").fill_null(False)
    found = collected(source.table.aggregate(n=bare.sum()), source)
    return int(found["n"][0].as_py() or 0)


@with_twin(coded_counts.not_positive)
def not_positive(source: Source, name: str) -> int:
    """How many records hold a missing, zero, negative or infinite number."""
    return _unlike(source, name, source.table[source.at(name)] > 0)


@with_twin(coded_counts.beyond)
def beyond(source: Source, name: str, least: float, most: float) -> int:
    """How many records hold a missing, smaller, larger or infinite number."""
    column = source.table[source.at(name)]
    return _unlike(source, name, (column >= least) & (column <= most))


def _unlike(source: Source, name: str, condition: Any) -> int:
    column, good = source.table[source.at(name)], condition.fill_null(False)
    if source.table.schema()[source.at(name)].is_floating():
        good = good & ~endless(column).fill_null(False)
    return int(collected(source.table.aggregate(n=(~good).sum()), source)["n"][0].as_py() or 0)
