"""Blocking: records in balanced blocks of neighbours, cut where they are.

The blocks of ``discreet.kernels.multivariate.blocks.balanced_blocks``, computed level by level for
all blocks at once: the axis of largest variance, and the record of the rank where it is cut. Blocks
that one machine can sort are cut to the end in one query. A cut of a larger one is found without
sorting it: counts by bins first narrow its place down, and a few numbers per block cross.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from discreet.engine.source import Source, alike, collected, kept, same, uploaded
from discreet.frequency.frequency_set import steps

if TYPE_CHECKING:
    import ibis.expr.types as ir

_SORTED = 1_000_000  # records of a block that are sorted to find a cut; of more, one bin
_BINS = 4096
_LEVELS = 6  # cuts in one query


class Axis(NamedTuple):
    """An attribute that blocks are cut along: its column, its scale if it is ordinal, and what
    its values are multiplied with to compare variances."""

    name: str
    scale: tuple[str, ...] | None
    factor: float


class _Range(NamedTuple):
    """Blocks ``first`` to ``last`` − 1 of a stratum, still together, under the number of the first;
    the blocks of a stratum are numbered from ``offset``, and cuts are ranks in it."""

    offset: int
    first: int
    last: int
    cuts: tuple[int, ...]

    @property
    def middle(self) -> int:
        return self.first + (self.last - self.first + 1) // 2

    @property
    def rank(self) -> int:
        """How many records come before the middle."""
        return self.cuts[self.middle] - self.cuts[self.first]

    @property
    def size(self) -> int:
        return self.cuts[self.last] - self.cuts[self.first]

    def halves(self) -> tuple[_Range, _Range]:
        return self._replace(last=self.middle), self._replace(first=self.middle)


class _Cut(NamedTuple):
    """Where a block is cut: the first record of its upper half, by value and then by order."""

    axis: int
    value: float
    order: Any


def in_blocks(
    source: Source, order: str, axes: Sequence[Axis], strata: Sequence[str], size: int, n: int
) -> Source:
    """The ``n`` records with a further column ``block``: blocks of at most ``size`` records, within
    strata, cut along the axes. Records of equal value are told apart by the column ``order``.
    """
    columns = source.table.columns
    source, found = _in_strata(_with_axes(source, axes), strata, size, n)
    ranges = {r.offset: r for r in found}
    factors = [1.0 / max(len(a.scale), 1) if a.scale else a.factor for a in axes]
    before = []
    while large := {b: r for b, r in ranges.items() if r.last - r.first > 1 and r.size > _SORTED}:
        cuts = _cuts(source, order, large, _widest(source, large, factors))
        before = [source]  # what the next level is computed from is held until it is
        source = _halved(source, order, cuts, {b: r.offset + r.middle for b, r in large.items()})
        for block, whole in large.items():
            ranges[block], upper = whole.halves()
            ranges[upper.offset + upper.first] = upper
    del before
    source = _sorted_apart(source, order, ranges, factors)
    return replace(source, records=source.table.select(*columns, "block"))


def _with_axes(source: Source, axes: Sequence[Axis]) -> Source:
    """The table with the axes as numbers, a0, a1, …: values, or ranks on a scale."""
    table = source.table
    for i, axis in enumerate(axes):
        column = table[source.at(axis.name)]
        if axis.scale is None:
            table = table.mutate(**{f"a{i}": column.cast("float64")})
            continue
        values = collected(table.select(value=column).distinct(), source)["value"]
        ranks = pa.array(np.array(steps(values, axis.scale), dtype=np.float64))
        given = uploaded(source, pa.table({"value": values, f"a{i}": ranks}))
        joined = table.join(given, same(column, given["value"]))
        table = joined.select(*table.columns, f"a{i}")
    return replace(source, records=table)


def _in_strata(
    source: Source, strata: Sequence[str], size: int, n: int
) -> tuple[Source, list[_Range]]:
    """The table with the first block of each record's stratum as ``block``, and the strata."""
    import ibis

    table = source.table
    if not strata:
        table = table.mutate(block=ibis.literal(0, type="int64"))
        return replace(source, records=table), _ranges([n], size)
    columns = {f"s{i}": table[source.at(name)] for i, name in enumerate(strata)}
    chosen = table.select(**columns)
    found = collected(chosen.group_by(list(columns)).agg(n=chosen.count()), source)
    ranges = _ranges(found["n"].to_pylist(), size)
    number = pa.array([r.offset for r in ranges], pa.int64())
    given = uploaded(source, found.drop_columns(["n"]).append_column("block", number))
    joined = table.join(given, alike(source, table, strata, given))
    return kept(source, joined.select(*table.columns, "block")), ranges


def _ranges(sizes: Sequence[int], size: int) -> list[_Range]:
    """Strata in the fewest blocks of at most some size, equal but for one record."""
    parts = [max(1, -(-n // size)) for n in sizes]
    offsets = np.cumsum([0, *parts])
    return [
        _Range(int(at), 0, p, tuple(int(c) for c in np.arange(p + 1) * n // p))
        for at, p, n in zip(offsets, parts, sizes, strict=False)
    ]


def _sorted_apart(
    source: Source, order: str, ranges: Mapping[int, _Range], factors: Sequence[float]
) -> Source:
    """The table with the blocks cut to the end, each sorted where it is: nothing crosses."""
    levels = (max(r.last - r.first for r in ranges.values()) - 1).bit_length()
    if not levels:
        return source
    source = _bounded(source, ranges)
    for level in range(1, levels + 1):
        source = replace(source, records=_cut_once(source.table, order, factors))
        if level % _LEVELS == 0 and level < levels:
            source = kept(source)
    return source


def _bounded(source: Source, ranges: Mapping[int, _Range]) -> Source:
    """The table with what the cuts of each record's blocks are computed from."""
    import ibis

    bounds = {
        "offset": [r.offset for r in ranges.values()],
        "last": [r.last for r in ranges.values()],
        "parts": [len(r.cuts) - 1 for r in ranges.values()],
        "of_all": [r.cuts[-1] for r in ranges.values()],
    }
    table = source.table
    if len(ranges) == 1:
        known = {name: ibis.literal(v[0], type="int64") for name, v in bounds.items()}
        return replace(source, records=table.mutate(**known))
    numbers = {name: pa.array(v, pa.int64()) for name, v in {"at": list(ranges), **bounds}.items()}
    given = uploaded(source, pa.table(numbers))
    joined = table.join(given, table["block"] == given["at"])
    return replace(source, records=joined.select(*table.columns, *bounds))


def _cut_once(table: ir.Table, order: str, factors: Sequence[float]) -> ir.Table:
    """Every block that is more than one cut in two, along its widest axis."""
    import ibis

    columns = table.columns
    table = _with_widest(table, factors)
    by_value = ibis.window(group_by="block", order_by=["value", order])
    table = table.mutate(place=ibis.row_number().over(by_value))
    first = table["block"] - table["offset"]
    several = table["last"] - first > 1
    middle = first + (table["last"] - first + 1) // 2
    rank = _cut(table, middle) - _cut(table, first)
    upper = several & (table["place"] >= rank)
    changed = {
        "block": upper.ifelse(table["offset"] + middle, table["block"]).cast("int64"),
        "last": (several & ~upper).ifelse(middle, table["last"]).cast("int64"),
    }
    return table.select(**{c: changed.get(c, table[c]) for c in columns})


def _with_widest(table: ir.Table, factors: Sequence[float]) -> ir.Table:
    """The table with each record's value on the axis of largest variance of its block; the first
    of equal ones, up to rounding.
    """
    import ibis

    if len(factors) < 2:
        return table.mutate(value=table["a0"])
    over = ibis.window(group_by="block")
    spreads = {
        f"v{i}": table[f"a{i}"].var(how="pop").over(over) * factor**2
        for i, factor in enumerate(factors)
    }
    table = table.mutate(**spreads)
    most = ibis.greatest(*(table[v] for v in spreads))
    widest = [(table[f"v{i}"] * (1 + 1e-9) >= most, table[f"a{i}"]) for i in range(len(factors))]
    return table.mutate(value=ibis.cases(*widest, else_=table["a0"]))


def _cut(table: ir.Table, part: Any) -> Any:
    """The rank in the stratum at which a block begins."""
    return part * table["of_all"] // table["parts"]


def _widest(
    source: Source, blocks: Mapping[int, _Range], factors: Sequence[float]
) -> dict[int, int]:
    """The axis of largest variance of each block; the first of equal ones, up to rounding."""
    if len(factors) < 2:
        return dict.fromkeys(blocks, 0)
    table = source.table.filter(source.table["block"].isin(list(blocks)))
    spreads = {f"v{i}": table[f"a{i}"].var(how="pop") for i in range(len(factors))}
    found = collected(table.group_by("block").agg(**spreads), source).to_pylist()
    chosen = {}
    for row in found:
        axis, most = 0, -1.0
        for i, factor in enumerate(factors):
            spread = (row[f"v{i}"] or 0.0) * factor**2
            if spread > most * (1 + 1e-9):
                axis, most = i, spread
        chosen[row["block"]] = axis
    return chosen


def _cuts(
    source: Source, order: str, blocks: Mapping[int, _Range], axis: Mapping[int, int]
) -> dict[int, _Cut]:
    """Where each block is cut."""
    rows, target = _rows(source, order, axis), {b: r.rank for b, r in blocks.items()}
    bounds: dict[int, tuple[float, float]] = {}
    large = {b for b, r in blocks.items() if r.size > _SORTED}
    while large:
        found = _narrowed(source, rows, {b: (target[b], *bounds.get(b, ())) for b in large})
        for row in found:
            block = row["block"]
            target[block] -= row["upto"] - row["n"]
            bounds[block] = row["low"], row["high"]
        large = {r["block"] for r in found if r["n"] > _SORTED and r["low"] < r["high"]}
    chosen = _of_rank(source, rows, {b: (rank, *bounds.get(b, ())) for b, rank in target.items()})
    return {r["block"]: _Cut(axis[r["block"]], r["value"], r["order"]) for r in chosen}


def _rows(source: Source, order: str, axis: Mapping[int, int]) -> ir.Table:
    """Block, value on the axis of the block, and order of the records of some blocks."""
    import ibis

    numbers = [pa.array(list(axis), pa.int64()), pa.array(list(axis.values()), pa.int64())]
    given = uploaded(source, pa.table(numbers, names=["of_block", "axis"]))
    table = source.table.join(given, source.table["block"] == given["of_block"])
    value = ibis.cases(
        *((table["axis"] == i, table[f"a{i}"]) for i in sorted(set(axis.values()))),
        else_=ibis.null("float64"),
    )
    return table.select(block=table["block"], value=value, order=table[order])


def _asked(source: Source, rows: ir.Table, blocks: Mapping[int, tuple[Any, ...]]) -> ir.Table:
    """The rows of some blocks that lie within bounds, with the rank that is looked for."""
    bounds = [(*b[1:3], None, None)[:2] for b in blocks.values()]
    given = uploaded(
        source,
        pa.table(
            {
                "of_block": pa.array(list(blocks), pa.int64()),
                "rank": pa.array([b[0] for b in blocks.values()], pa.int64()),
                "low": pa.array([low for low, _ in bounds], pa.float64()),
                "high": pa.array([high for _, high in bounds], pa.float64()),
            }
        ),
    )
    table = rows.join(given, rows["block"] == given["of_block"]).drop("of_block")
    inside = (table["value"] >= table["low"]) & (table["value"] <= table["high"])
    return table.filter(table["low"].isnull() | inside)


def _narrowed(
    source: Source, rows: ir.Table, blocks: Mapping[int, tuple[Any, ...]]
) -> list[dict[str, Any]]:
    """The bin of each block that holds its rank: bounds, records in it, and up to its end."""
    import ibis

    table = _asked(source, rows, blocks)
    over = ibis.window(group_by="block")
    table = table.mutate(
        low=ibis.coalesce(table["low"], table["value"].min().over(over)),
        high=ibis.coalesce(table["high"], table["value"].max().over(over)),
    )
    place = (table["value"] - table["low"]) / (table["high"] - table["low"]).nullif(0) * _BINS
    table = table.mutate(bin=place.floor().fill_null(0.0).clip(upper=float(_BINS - 1)))
    bins = table.group_by(["block", "bin", "rank"]).agg(
        n=table.count(), low=table["value"].min(), high=table["value"].max()
    )
    running = ibis.window(group_by="block", order_by="bin", preceding=None, following=0)
    bins = bins.mutate(upto=bins["n"].sum().over(running))
    here = bins.filter((bins["upto"] - bins["n"] <= bins["rank"]) & (bins["rank"] < bins["upto"]))
    return collected(here.select("block", "n", "low", "high", "upto"), source).to_pylist()


def _of_rank(
    source: Source, rows: ir.Table, blocks: Mapping[int, tuple[Any, ...]]
) -> list[dict[str, Any]]:
    """The record of a rank in each block, by value and then by order."""
    import ibis

    table = _asked(source, rows, blocks)
    window = ibis.window(group_by="block", order_by=["value", "order"])
    table = table.mutate(place=ibis.row_number().over(window))
    here = table.filter(table["place"] == table["rank"])
    return collected(here.select("block", "value", "order"), source).to_pylist()


def _halved(
    source: Source,
    order: str,
    cuts: Mapping[int, _Cut],
    upper: Mapping[int, int],
) -> Source:
    """The table with some blocks cut, the upper halves under numbers of their own."""
    import ibis

    order_type = source.table.schema()[order].to_pyarrow()
    given = uploaded(
        source,
        pa.table(
            {
                "of_block": pa.array(list(cuts), pa.int64()),
                "axis": pa.array([c.axis for c in cuts.values()], pa.int64()),
                "cut": pa.array([c.value for c in cuts.values()], pa.float64()),
                "first": pa.array([c.order for c in cuts.values()], order_type),
                "above": pa.array([upper[b] for b in cuts], pa.int64()),
            }
        ),
    )
    table = source.table.left_join(given, source.table["block"] == given["of_block"])
    axes = sorted({c.axis for c in cuts.values()})
    value = ibis.cases(
        *((table["axis"] == i, table[f"a{i}"]) for i in axes), else_=ibis.null("float64")
    )
    tied = (value == table["cut"]) & (table[order] < table["first"])
    below = ((value < table["cut"]) | tied).fill_null(False)
    block = (table["of_block"].isnull() | below).ifelse(table["block"], table["above"])
    columns = {c: block if c == "block" else table[c] for c in source.table.columns}
    return kept(source, table.select(**columns))
