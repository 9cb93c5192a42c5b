"""Record risk where the records are: sums per cell are joined to them, classes of known sets with
many combinations are counted beside them; only counts come back.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from discreet.engine import coded_counts
from discreet.engine.counts import portions, single_rows
from discreet.engine.source import Source, alike, collected, kept, same, uploaded, with_twin
from discreet.engine.summation import ExactSum, sums_of, totals

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

_SETS = 8  # known sets that are counted in one query


@dataclass(frozen=True, eq=False)
class CellSums:
    """What knowing some attributes identifies: their values, then ``reach`` and ``spent``."""

    names: tuple[str, ...]
    table: pa.Table


@dataclass(frozen=True, eq=False)
class LargeSet:
    """A known set with too many combinations to bring them here: its attributes, its probability,
    and which of the sensitive attributes are among them."""

    names: tuple[str, ...]
    probability: float
    weighed: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """How sensitive the values of an attribute are: by value (a table of value and weight), by
    range (above, up to, weight), or all the same."""

    name: str
    weight: float
    by_value: pa.Table | None = None
    by_range: tuple[tuple[float, float, float], ...] | None = None
    default: float | None = None


def exposed(
    source: Source,
    sums: Sequence[CellSums],
    large: Sequence[LargeSet],
    sensitivities: Sequence[Sensitivity],
    base: float,
    alpha: float,
    names: tuple[str, ...],
) -> Source:
    """The table with further columns: α · (T · reach − spent), T, reach, and the weight of each
    sensitive attribute."""
    import ibis

    table = source.table.mutate(reach=ibis.literal(base, "float64"), spent=ibis.literal(0.0))
    for part in sums:
        table = _added(source, table, part)
    for number, one in enumerate(sensitivities):
        table = _weighed(source, table, one, f"w{number}")
    before: list[ir.Table] = []
    for number, some in enumerate(portions(large, _SETS)):
        if number:
            before = [*before[-1:], table]  # held until the next step is computed from it
            table = kept(source, table).table
        table = _counted(source, table, some)
    del before
    weights = [table[f"w{number}"] for number in range(len(sensitivities))]
    total = functools.reduce(operator.add, weights, ibis.literal(0.0))
    table = table.mutate(total=total)
    risk = alpha * (table["total"] * table["reach"] - table["spent"])
    made = [ibis.greatest(risk, 0.0), table["total"], table["reach"], *weights]
    columns: dict[str, Any] = {c: table[c] for c in source.table.columns}
    first = len(source.names)
    columns |= {f"c{first + i}": column.cast("float64") for i, column in enumerate(made)}
    return kept(replace(source, names=(*source.names, *names)), table.select(**columns))


def _counted(source: Source, table: ir.Table, sets: Sequence[LargeSet]) -> ir.Table:
    """The sums with what knowing some sets adds: every record counts the records of its class."""
    import ibis

    columns = table.columns
    classes = [[source.at(name) for name in one.names] for one in sets]
    sizes = {
        f"size{i}": table.count().over(ibis.window(group_by=keys)) for i, keys in enumerate(classes)
    }
    table = table.mutate(**sizes)
    reach, spent = table["reach"], table["spent"]
    for size, one in zip(sizes, sets, strict=True):
        share = one.probability / table[size].cast("float64")
        reach = reach + share
        for number in one.weighed:
            spent = spent + share * table[f"w{number}"]
    changed = {"reach": reach, "spent": spent}
    return table.select(**{c: changed.get(c, table[c]) for c in columns})


def _added(source: Source, table: ir.Table, part: CellSums) -> ir.Table:
    physical = [f"s{i}" for i in range(len(part.names))]
    given = uploaded(source, part.table.rename_columns([*physical, "r", "s"]))
    joined = table.join(given, alike(source, table, part.names, given))
    changed = {"reach": joined["reach"] + joined["r"], "spent": joined["spent"] + joined["s"]}
    return joined.select(**{c: changed.get(c, joined[c]) for c in table.columns})


def _weighed(source: Source, table: ir.Table, part: Sensitivity, name: str) -> ir.Table:
    column = table[source.at(part.name)]
    if part.by_value is None:
        return table.mutate(**{name: _weight(column, part)})
    given = uploaded(source, part.by_value.rename_columns(["value", name]))
    joined = table.join(given, same(column, given["value"]))
    return joined.select(**{c: joined[c] for c in [*table.columns, name]})


def _weight(column: Any, part: Sensitivity) -> Any:
    import ibis

    if part.by_range is None:
        return ibis.ifelse(column.notnull(), part.weight, 0.0)
    number = column.cast("float64")
    branches = [(_inside(number, low, high), w * part.weight) for low, high, w in part.by_range]
    rest = part.weight * (part.default or 0.0)
    return ibis.cases((column.isnull(), 0.0), *branches, else_=rest)


def _inside(number: Any, above: float, up_to: float) -> Any:
    conditions = [number > above] if above > -math.inf else []
    conditions += [number <= up_to] if up_to < math.inf else []
    return conditions[0] & conditions[-1] if conditions else number.notnull()


def outside(source: Source, part: Sensitivity) -> int:
    """How many records have a number that lies in no range."""
    column = source.table[source.at(part.name)]
    number, found = column.cast("float64"), column.isnull()
    for above, up_to, _ in part.by_range or ():
        found = found | _inside(number, above, up_to)
    counted = source.table.aggregate(n=(~found).sum())
    return int(collected(counted, source)["n"][0].as_py() or 0)


def number_summary(source: Source, name: str) -> tuple[float, float]:
    """The sum and the largest of the numbers in a column."""
    column = source.table[source.at(name)]
    most = collected(source.table.aggregate(most=column.max()), source)["most"][0].as_py()
    return totals(source, source.table, {"risk": column})["risk"], float(most)


@with_twin(coded_counts.number_above)
def number_above(source: Source, name: str, threshold: float) -> int:
    """How many records have a larger number."""
    column = source.table[source.at(name)]
    found = collected(source.table.aggregate(n=(column > threshold).sum()), source)
    return int(found["n"][0].as_py() or 0)


def log_steps(source: Source, name: str, per_decade: int) -> list[tuple[int | None, int]]:
    """Records by steps of the logarithm of a number; None for those that are 0."""
    import ibis

    column = source.table[source.at(name)]
    safe = ibis.ifelse(column > 0, column, 1.0)
    step = ibis.ifelse(
        column > 0, (safe.log10() * per_decade - 1e-9).ceil().cast("int64"), ibis.null("int64")
    )
    table = source.table.select(step=step)
    found = collected(table.group_by("step").agg(n=table.count()), source).to_pylist()
    return sorted(((r["step"], r["n"]) for r in found), key=lambda r: (r[0] is not None, r[0] or 0))


def sums_of_products(source: Source, names: Sequence[str], factor: str) -> list[float]:
    """The sum over the records of each column times a factor."""
    table = source.table
    by = table[source.at(factor)]
    found = totals(source, table, {name: table[source.at(name)] * by for name in names})
    return [found[name] for name in names]


def mean_sums(
    source: Source, asked: Sequence[tuple[Sequence[str], Sequence[str]]]
) -> list[list[float]]:
    """For some attributes and numbers, the sum over the classes on the attributes of the mean of
    each number in the class; many by one query.
    """
    most = max((len(names) for _, names in asked), default=0)
    every = {name: source.table[source.at(name)] for _, names in asked for name in names}
    sums = sums_of(source, source.table, every) if every else {}
    tables = [_mean_sum(source, by, [sums[name] for name in names], most) for by, names in asked]
    rows = zip(asked, single_rows(source, tables), strict=True)
    return [[float(row[f"v{i}"]) for i in range(len(names))] for (_, names), row in rows]


def _mean_sum(source: Source, by: Sequence[str], sums: Sequence[ExactSum], most: int) -> ir.Table:
    """One row of sums, made as long as the longest."""
    import ibis

    columns = {f"k{i}": source.table[source.at(b)] for i, b in enumerate(by)}
    numbers = {f"v{i}": one.term.cast("float64") for i, one in enumerate(sums)}
    limits = {f"v{i}": one for i, one in enumerate(sums)}
    table = source.table.select(**columns, **numbers)
    means = {v: replace(limits[v], term=table[v]).number() / table[v].count() for v in numbers}
    classes = table.group_by(list(columns)).agg(**means) if columns else table.aggregate(**means)
    added = {v: replace(limits[v], term=classes[v]).number() for v in numbers}
    rest = {f"v{i}": ibis.null("float64") for i in range(len(sums), most)}
    found = classes.aggregate(**added)
    return found.mutate(**rest) if rest else found
