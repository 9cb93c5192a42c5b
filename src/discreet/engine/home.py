"""The home of a table: what an engine must be able to do, one file for each engine."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

    from discreet.engine.wait import Watch

_HOMES = {"duckdb": "embedded", "pyspark": "spark", "postgres": "postgres"}


class Home(Protocol):
    """The steps that differ between engines; everything else is said in Ibis."""

    def readable(self, table: ir.Table) -> ir.Table:
        """The table with columns of types that cannot be counted, joined or given out as texts, or
        as the numbers that they are."""

    def kept(self, table: ir.Table) -> ir.Table:
        """Carry out a step once and keep the outcome as long as something refers to it."""

    def uploaded(self, backend: Any, table: pa.Table) -> ir.Table:
        """Hand an Arrow table to the engine."""

    def collected(self, expression: ir.Table) -> pa.Table:
        """Bring the outcome of an expression into this process."""

    def reader(self, expression: ir.Table) -> Iterator[pa.RecordBatch]:
        """Bring it in pieces."""

    def write(self, chosen: ir.Table, path: Path, like: Path | None) -> None:
        """Write a CSV or Parquet file that appears whole or not at all, with permissions not
        wider than those of the file ``like``.
        """

    def watch(self, table: ir.Table) -> Watch | None:
        """How a step on a table is watched and stopped; None where it cannot be."""

    def same(self, left: Any, right: Any) -> list[Any]:
        """Conditions of a join: equal, or both missing."""


def home_of(table: ir.Table) -> Home:
    """The engine that holds a table."""
    name = _HOMES.get(str(table.get_backend().name), "elsewhere")
    return cast("Home", importlib.import_module(f"discreet.engine.{name}"))
