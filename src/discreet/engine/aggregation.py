"""Aggregating: means and spreads of columns, blocks masked on the executors, columns rescaled."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from discreet.engine import spark
from discreet.engine.failures import translated
from discreet.engine.source import Source, alike, collected, uploaded

if TYPE_CHECKING:
    import ibis.expr.types as ir


class Spread(NamedTuple):
    """Mean and sample standard deviation of a column."""

    mean: float
    spread: float


class Move(NamedTuple):
    """A change of scale around a mean, which stays: (value − mean) · factor + mean."""

    mean: float
    factor: float


class Rounded(NamedTuple):
    """What values are rounded to, in units of the last of some digits after the point: from low to
    high, or to the nearest of a few, the lower one of two. The values are given above the low."""

    digits: int
    low: int
    high: int
    few: tuple[int, ...] | None


Stratum = int  # the number of a stratum


def spreads(source: Source, names: Sequence[str]) -> dict[str, Spread]:
    """Mean and spread of some columns, in one pass: engines add up around a running mean."""
    if not names:
        return {}
    row = collected(source.table.aggregate(**_sums(source, names)), source).to_pylist()[0]
    return _spreads(row, names)


def spreads_by_stratum(source: Source, names: Sequence[str]) -> dict[Stratum, dict[str, Spread]]:
    """Mean and spread of some columns by the column ``stratum``."""
    grouped = source.table.group_by("stratum").agg(**_sums(source, names))
    found = collected(grouped, source).to_pylist()
    return {row["stratum"]: _spreads(row, names) for row in found}


def _sums(source: Source, names: Sequence[str]) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    for i, name in enumerate(names):
        column = source.table[source.at(name)].cast("float64")
        asked[f"m{i}"], asked[f"s{i}"] = column.mean(), column.std(how="sample")
    return asked


def _spreads(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Spread]:
    return {
        name: Spread(float(row[f"m{i}"]), float(row[f"s{i}"] or 0.0))
        for i, name in enumerate(names)
    }


def in_strata(source: Source, strata: Sequence[str]) -> Source:
    """The table with a further column ``stratum``: the number of each record's stratum."""
    import ibis

    table = source.table
    if not strata:
        return replace(source, records=table.mutate(stratum=ibis.literal(0, type="int64")))
    columns = {f"s{i}": table[source.at(name)] for i, name in enumerate(strata)}
    found = collected(table.select(**columns).distinct(), source)
    numbers = pa.array(range(found.num_rows), pa.int64())
    given = uploaded(source, found.append_column("stratum", numbers))
    joined = table.join(given, alike(source, table, strata, given))
    return replace(source, records=joined.select(*table.columns, "stratum"))


def on_executors(
    blocked: Source, work: Callable[[pa.Table], pa.Table], numbers: Collection[str]
) -> Source:
    """The table with each block (column ``block``) passed through a function where it is.

    ``numbers`` names the columns that become floating-point numbers; the others keep their type.
    """
    types = {blocked.at(name): "double" for name in numbers}
    made = translated(lambda: spark.by_block(blocked.table, work, types), blocked.origin)
    return replace(blocked, records=made)


def rescaled(
    source: Source,
    moves: Mapping[Stratum, Mapping[str, Move]],
    rounded: Mapping[str, Rounded],
    like: Source,
) -> Source:
    """The table with columns on other scales by the column ``stratum``, which goes; some of them
    are rounded and get their type in ``like`` again."""
    names = list(next(iter(moves.values())))
    given = _uploaded_moves(source, moves, names)
    joined = source.table.join(given, source.table["stratum"] == given["of_stratum"])
    changed = {}
    for i, name in enumerate(names):
        mean, factor = joined[f"m{i}"], joined[f"f{i}"]
        value = joined[source.at(name)]
        moved = (factor == 1).ifelse(value, (value - mean) * factor + mean)
        kind = like.table.schema()[like.at(name)]
        changed[source.at(name)] = (
            _attained(moved, rounded[name], kind) if name in rounded else moved
        )
    columns = {c: changed.get(c, joined[c]) for c in source.table.columns if c != "stratum"}
    return replace(source, records=joined.select(**columns))


def _uploaded_moves(
    source: Source, moves: Mapping[Stratum, Mapping[str, Move]], names: Sequence[str]
) -> ir.Table:
    columns = {"of_stratum": pa.array(list(moves), pa.int64())}
    for i, name in enumerate(names):
        columns[f"m{i}"] = pa.array([one[name].mean for one in moves.values()], pa.float64())
        columns[f"f{i}"] = pa.array([one[name].factor for one in moves.values()], pa.float64())
    return uploaded(source, pa.table(columns))


def _attained(value: Any, to: Rounded, kind: Any) -> Any:
    """Values above the low as ones that the attribute can take, in the type it is stored in."""
    import ibis

    unit, span = 10**to.digits, to.high - to.low
    steps = ibis.least(ibis.greatest(value * float(unit), 0.0), float(span))
    steps = ibis.least(_rounded(steps), float(span))
    if to.few is not None:
        above = [v - to.low for v in to.few]
        middles = [(one + other) / 2 for one, other in itertools.pairwise(above)]
        pairs = zip(middles, above, strict=False)
        nearest = [(steps <= middle, ibis.literal(float(v))) for middle, v in pairs]
        last = ibis.literal(float(above[-1]))
        steps = ibis.cases(*nearest, else_=last) if nearest else last
    if to.digits:
        return ((steps + float(to.low)) / float(unit)).cast(kind)
    # a span of whole numbers may be larger than the largest of them: not in floating point
    exact = ibis.least(steps.cast("decimal(38, 0)"), ibis.literal(span, type="decimal(38, 0)"))
    return (exact + ibis.literal(to.low, type="decimal(38, 0)")).cast(kind)


def _rounded(value: Any) -> Any:
    """To the nearest whole number, halves to the even one: engines differ in their own. From 2⁵²
    on floating-point numbers are whole, and may be too large for an engine to round."""
    import ibis

    small = ibis.least(value, float(2**52))
    up = (small + 0.5).floor().cast("float64")
    half_to_odd = (up == small + 0.5) & (up % 2 != 0)
    return (value < 2.0**52).ifelse(half_to_odd.ifelse(up - 1, up), value)
