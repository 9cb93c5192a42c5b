"""Aggregating: means and spreads of columns, blocks masked on the executors, columns rescaled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet.engine import spark
from discreet.engine.failures import translated
from discreet.engine.missing import endless
from discreet.engine.source import Source, collected

if TYPE_CHECKING:
    import pyarrow as pa


class Spread(NamedTuple):
    """Mean and sample standard deviation of a column, and how many values are infinite."""

    mean: float
    spread: float
    endless: int


class Move(NamedTuple):
    """A change of scale: (value − mean) · factor + to_mean."""

    mean: float
    factor: float
    to_mean: float


def spreads(source: Source, names: Sequence[str]) -> dict[str, Spread]:
    """Mean and spread of some columns, in two passes: around the mean, nothing cancels."""
    if not names:
        return {}
    numbers = {name: source.table[source.at(name)].cast("float64") for name in names}
    first: dict[str, Any] = {"n": source.table.count()}
    for i, column in enumerate(numbers.values()):
        first[f"m{i}"], first[f"e{i}"] = column.mean(), endless(column).sum()
    row = collected(source.table.aggregate(**first), source).to_pylist()[0]
    without_end = [int(row[f"e{i}"] or 0) for i in range(len(names))]
    if any(without_end):
        return {name: Spread(0.0, 0.0, e) for name, e in zip(names, without_end, strict=True)}
    means = [float(row[f"m{i}"]) for i in range(len(names))]
    second = {}
    for i, column in enumerate(numbers.values()):
        apart = column - means[i]
        second[f"s{i}"], second[f"c{i}"] = (apart * apart).sum(), apart.sum()
    sums = collected(source.table.aggregate(**second), source).to_pylist()[0]
    n = int(row["n"])
    return {
        name: Spread(
            means[i] + sums[f"c{i}"] / n,
            max((sums[f"s{i}"] - sums[f"c{i}"] ** 2 / n) / max(n - 1, 1), 0.0) ** 0.5,
            0,
        )
        for i, name in enumerate(names)
    }


def on_executors(
    blocked: Source, work: Callable[[pa.Table], pa.Table], numbers: Mapping[str, bool]
) -> Source:
    """The table with each block (column ``block``) passed through a function where it is.

    ``numbers`` names the columns that become numbers, whole ones or not.
    """
    types = {blocked.at(name): "bigint" if whole else "double" for name, whole in numbers.items()}
    made = translated(lambda: spark.by_block(blocked.table, work, types), blocked.origin)
    return replace(blocked, table=made)


def rescaled(source: Source, moves: Mapping[str, Move], whole: Collection[str]) -> Source:
    """The table with columns on another scale, some of them rounded to whole numbers."""
    changed = {}
    for name, move in moves.items():
        value = (source.table[source.at(name)] - move.mean) * move.factor + move.to_mean
        changed[source.at(name)] = _rounded(value).cast("int64") if name in whole else value
    return replace(source, table=source.table.mutate(**changed))


def _rounded(value: Any) -> Any:
    """To the nearest whole number, halves to the even one: engines differ in their own."""
    up = (value + 0.5).floor()
    half_to_odd = (up == value + 0.5) & (up % 2 != 0)
    return half_to_odd.ifelse(up - 1, up)
