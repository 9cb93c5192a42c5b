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
    """Mean and spread of some columns, in one pass: engines add up around a running mean."""
    if not names:
        return {}
    numbers = {name: source.table[source.at(name)].cast("float64") for name in names}
    asked: dict[str, Any] = {}
    for i, column in enumerate(numbers.values()):
        asked[f"e{i}"] = endless(column).sum()
        asked[f"m{i}"], asked[f"s{i}"] = column.mean(), column.std(how="sample")
    row = collected(source.table.aggregate(**asked), source).to_pylist()[0]
    return {
        name: Spread(0.0, 0.0, int(row[f"e{i}"]))
        if row[f"e{i}"]
        else Spread(float(row[f"m{i}"]), float(row[f"s{i}"] or 0.0), 0)
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
