"""Comparing: initial beside masked values of the released records, added up where they are.

What crosses is a row of sums, one row per contingency table, and the pairs of steps of an ordinal
scale; never a record.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.engine.counting import portions
from discreet.engine.linking import Pair, linked
from discreet.engine.source import Source, collected, kept

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST_SUMS = 300  # in one query
_MOST_TABLES = 30


class Moments(NamedTuple):
    """Sums over the records that have all values; see ``discreet.loss.continuous.Summary``."""

    n: int
    mean_x: Floats
    mean_y: Floats
    cov_x: Floats
    cov_y: Floats
    relative: Floats
    known: Floats
    squares: Floats
    m22: Floats
    m31: Floats
    quantiles_x: Floats
    quantiles_y: Floats
    low: Floats
    high: Floats


def compared(pair: Pair, link: tuple[str, str], names: Sequence[str]) -> Compared:
    """Initial beside masked values of the released records, kept in the engine."""
    return Compared(kept(pair.masked, linked(pair, link, names).drop("id")))


@dataclass(frozen=True, repr=False)
class Compared:
    """A table of initial (x0, …) and masked (y0, …) values, one row per released record."""

    source: Source

    def differing(self, number: int) -> tuple[int, list[int]]:
        """How many records there are, and in how many of them each attribute differs."""
        table = self.source.table
        differs = {
            f"d{i}": (~table[f"x{i}"].identical_to(table[f"y{i}"])).sum() for i in range(number)
        }
        row = _row(self.source, table, {"n": table.count(), **differs})
        return int(row["n"]), [int(row[f"d{i}"] or 0) for i in range(number)]

    def complete(self, number: int) -> Compared:
        """The first attributes as numbers, of the records that have all of them."""
        names = [f"{side}{i}" for i in range(number) for side in "xy"]
        table = self.source.table.select(
            **{name: self.source.table[name].cast("float64") for name in names}
        )
        return Compared(replace(self.source, table=table.drop_null(names, how="any")))

    def size(self) -> int:
        """How many records are compared."""
        return int(_row(self.source, self.source.table, {"n": self.source.table.count()})["n"])

    def moments(self, number: int, n: int, quantiles: Floats, low: Floats, high: Floats) -> Moments:
        """All sums, in two passes: around the means, nothing cancels."""
        table = self.source.table
        first: dict[str, Any] = {}
        shares = [float(q) for q in (*quantiles, *low, *high)]
        for i in range(number):
            x, y = table[f"x{i}"], table[f"y{i}"]
            first[f"mx{i}"], first[f"my{i}"] = x.mean(), y.mean()
            first[f"r{i}"] = ((x - y).abs() / x.abs().nullif(0)).sum()
            first[f"k{i}"] = (x != 0).sum()
            first[f"s{i}"] = ((x - y) * (x - y)).sum()
            first[f"qx{i}"], first[f"qy{i}"] = (
                x.quantile(shares),
                y.quantile(shares[: len(quantiles)]),
            )
        row = _row(self.source, table, first)

        def each(name: str) -> Floats:
            return np.array([row[f"{name}{i}"] or 0.0 for i in range(number)], dtype=np.float64)

        ordered = np.array([row[f"qx{i}"] for i in range(number)], dtype=np.float64).T
        at = len(quantiles)
        central = _central(self.source, number, each("mx"), each("my"))
        return Moments(
            n,
            each("mx"),
            each("my"),
            central["xx"] / max(n - 1, 1),
            central["yy"] / max(n - 1, 1),
            each("r"),
            each("k"),
            each("s"),
            central["m22"] / n,
            central["m31"] / n,
            ordered[:at],
            np.array([row[f"qy{i}"] for i in range(number)], dtype=np.float64).T,
            ordered[at : 2 * at],
            ordered[2 * at :],
        )

    def pairs_of_values(self, attribute: int) -> pa.Table:
        """The initial and masked values of an attribute that occur together, and how often."""
        table = self.source.table.select(
            x=self.source.table[f"x{attribute}"], y=self.source.table[f"y{attribute}"]
        )
        return collected(table.group_by(["x", "y"]).agg(n=table.count()), self.source)

    def entropies(self, attributes: Sequence[int]) -> list[float]:
        """Per attribute Σ over the records of H(V | V′ = v′), in bits."""
        return [
            row["value"]
            for row in _rows(self.source, [_entropy(self.source.table, a) for a in attributes])
        ]

    def variations(self, tables: Sequence[Sequence[int]]) -> list[tuple[float, int, int]]:
        """Per contingency table Σ |f − f′|/f over the cells with f > 0, the number of these, and
        the records in cells that are new.
        """
        asked = [_variation(self.source.table, attributes) for attributes in tables]
        return [
            (float(row["lost"] or 0.0), int(row["cells"] or 0), int(row["new"] or 0))
            for row in _rows(self.source, asked)
        ]


def _central(source: Source, number: int, mean_x: Floats, mean_y: Floats) -> dict[str, Floats]:
    """Sums of products of deviations from the means, as matrices."""
    table = source.table
    x = [table[f"x{i}"] - float(mean_x[i]) for i in range(number)]
    y = [table[f"y{i}"] - float(mean_y[i]) for i in range(number)]
    sums: dict[str, Any] = {}
    for a, b in itertools.product(range(number), repeat=2):
        sums[f"m31_{a}_{b}"] = (x[a] * x[a] * x[a] * x[b]).sum()
        if a <= b:
            sums[f"xx_{a}_{b}"] = (x[a] * x[b]).sum()
            sums[f"yy_{a}_{b}"] = (y[a] * y[b]).sum()
            sums[f"m22_{a}_{b}"] = (x[a] * x[a] * x[b] * x[b]).sum()
    row = _row(source, table, sums)
    return {
        kind: np.array(
            [[_of_pair(row, kind, a, b) for b in range(number)] for a in range(number)],
            dtype=np.float64,
        ).reshape(number, number)
        for kind in ("xx", "yy", "m22", "m31")
    }


def _of_pair(row: dict[str, Any], kind: str, a: int, b: int) -> float:
    first, second = (a, b) if f"{kind}_{a}_{b}" in row else (b, a)
    return float(row[f"{kind}_{first}_{second}"])


def _entropy(table: ir.Table, attribute: int) -> ir.Table:
    import ibis

    both = table.select(x=table[f"x{attribute}"], y=table[f"y{attribute}"])
    pairs = both.group_by(["x", "y"]).agg(n=both.count())
    sized = pairs.mutate(of_y=pairs["n"].sum().over(ibis.window(group_by="y")))
    bits = (sized["of_y"].cast("float64") / sized["n"].cast("float64")).ln() / float(np.log(2))
    return sized.aggregate(value=(sized["n"].cast("float64") * bits).sum())


def _variation(table: ir.Table, attributes: Sequence[int]) -> ir.Table:
    import ibis

    types = {i: table[f"x{i}"].type() for i in attributes}
    initial = table.select(
        **{f"v{i}": table[f"x{i}"] for i in attributes}, f=ibis.literal(1), g=ibis.literal(0)
    )
    masked = table.select(
        **{f"v{i}": table[f"y{i}"].cast(types[i]) for i in attributes},
        f=ibis.literal(0),
        g=ibis.literal(1),
    )
    both = initial.union(masked)
    cells = both.group_by([f"v{i}" for i in attributes]).agg(f=both["f"].sum(), g=both["g"].sum())
    f, g = cells["f"].cast("float64"), cells["g"].cast("float64")
    return cells.aggregate(
        lost=((f - g).abs() / f.nullif(0)).sum(),
        cells=(cells["f"] > 0).sum(),
        new=cells["g"].sum(where=cells["f"] == 0),
    )


def _rows(source: Source, asked: Sequence[ir.Table]) -> list[dict[str, Any]]:
    """Several tables of one row each, by one query for many of them."""
    import ibis

    found = []
    for some in portions(list(enumerate(asked)), _MOST_TABLES):
        numbered = [one.mutate(at=ibis.literal(at, type="int32")) for at, one in some]
        stacked = functools.reduce(lambda one, other: one.union(other), numbered)
        found += sorted(collected(stacked, source).to_pylist(), key=operator.itemgetter("at"))
    return found


def _row(source: Source, table: ir.Table, sums: dict[str, Any]) -> dict[str, Any]:
    """Sums over a table, by few queries."""
    row: dict[str, Any] = {}
    for some in portions(list(sums.items()), _MOST_SUMS):
        row.update(collected(table.aggregate(**dict(some)), source).to_pylist()[0])
    return row
