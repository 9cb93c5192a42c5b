"""A source: a lazy table in the engine that holds it, and how steps on it are carried out.

Inside, columns have positional names (``c0``, ``c1``, …): whatever stands in a header —
quotes, SQL, two names that differ in case only — never reaches the engine.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from discreet import csvfile
from discreet.errors import DiscreetError, Problem, raise_all
from discreet.frames import FrameKind

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

Kind = Literal["integer", "number", "boolean", "text", "date", "timestamp", "time", "other"]


T = TypeVar("T")


_BATCH = 1 << 18


_counter = itertools.count()


@dataclass(frozen=True, repr=False)
class Source:
    """A lazy table: the engine's columns by position, their names, how the rows are numbered."""

    table: ir.Table
    names: tuple[str, ...]
    origin: str
    row: str | None
    kind: FrameKind

    @functools.cached_property
    def kinds(self) -> dict[str, Kind]:
        """The storage kind of each column, by name."""
        schema = self.table.schema()
        return {name: _kind(schema[self.at(name)]) for name in self.names}

    def __repr__(self) -> str:
        return f"Source: {len(self.names):,} columns of {self.origin}"  # a table may show its cells

    def at(self, name: str) -> str:
        """The engine's name of a column."""
        return f"c{self.names.index(name)}"

    @property
    def engine(self) -> str:
        """Name of the backend that holds the table."""
        return str(self.table.get_backend().name)


def _kind(dtype: Any) -> Kind:
    tests: list[tuple[str, Kind]] = [
        ("is_boolean", "boolean"),
        ("is_integer", "integer"),
        ("is_numeric", "number"),
        ("is_string", "text"),
        ("is_date", "date"),
        ("is_timestamp", "timestamp"),
        ("is_time", "time"),
    ]
    if dtype.is_decimal() and dtype.scale == 0:
        return "integer"
    return next((kind for test, kind in tests if getattr(dtype, test)()), "other")


@functools.cache
def embedded() -> Any:
    """The DuckDB of this process, in memory, which fetches nothing from outside."""
    import ibis

    return ibis.duckdb.connect(
        autoinstall_known_extensions=False,
        enable_external_file_cache=False,  # the system caches files; what we hold is counted
    )


def fresh_name() -> str:
    """A name for a table that no other table has."""
    return f"discreet_{os.getpid()}_{next(_counter)}"


def when_unused(table: ir.Table, release: Callable[[str], None], name: str) -> None:
    """Release what the engine holds once no expression refers to it any more."""
    weakref.finalize(table.op(), release, name).atexit = False


def forget(name: str) -> None:
    """Let go of a registered Arrow table."""
    if not sys.is_finalizing():
        embedded().con.unregister(name)


def drop(name: str) -> None:
    """Drop a table that the engine keeps for us."""
    if not sys.is_finalizing():
        embedded().con.execute(f'DROP TABLE IF EXISTS "{name}"')


def kept(source: Source, table: ir.Table) -> Source:
    """Have the engine carry out a step once and keep the outcome, so that it is not repeated."""
    if source.engine != "duckdb" or table.get_backend() is not embedded():
        return replace(source, table=translated(table.cache, source.origin))
    name = fresh_name()
    made = translated(lambda: embedded().create_table(name, table, temp=True), source.origin)
    when_unused(made, drop, name)
    return replace(source, table=made)


def uploaded(source: Source, table: pa.Table) -> ir.Table:
    """A small table, or one column per record, handed to the engine that holds the source."""
    import ibis

    backend = source.table.get_backend()
    if backend is not embedded():
        return ibis.memtable(table)
    name = fresh_name()
    backend.con.register(name, table)
    made = backend.table(name)
    when_unused(made, forget, name)
    return made


def give_back(source: Source) -> None:
    """Have the embedded engine and Arrow return the memory that they hold in reserve.

    DuckDB keeps what a query needed; naming its limit again makes it let go.
    """
    import pyarrow as pa

    if source.table.get_backend() is embedded():
        connection = embedded().con
        settings = "SELECT value FROM duckdb_settings() WHERE name = 'memory_limit'"
        limit = connection.sql(settings).fetchall()[0][0]
        connection.execute(f"SET memory_limit = '{limit}'")
    pa.default_memory_pool().release_unused()


def collected(expression: Any, source: Source) -> pa.Table:
    """The outcome of an expression as an Arrow table."""
    return translated(expression.to_pyarrow, source.origin)


def batches(expression: Any, source: Source) -> Iterator[pa.RecordBatch]:
    """The outcome of an expression in pieces, so that it need not fit into memory."""
    pieces = iter(translated(lambda: _reader(expression), source.origin))
    while (batch := translated(lambda: next(pieces, None), source.origin)) is not None:
        yield batch


def _reader(expression: Any) -> Iterator[pa.RecordBatch]:
    backend = expression.get_backend()
    if backend.name != "duckdb":
        return expression.to_pyarrow_batches(chunk_size=_BATCH)
    # Ibis 12 asks DuckDB 2 for a reader by a name it no longer has
    return backend.con.sql(backend.compile(expression)).to_arrow_reader(_BATCH)


def translated(step: Callable[[], T], origin: str) -> T:
    """Run a step; what the engine says of a failure may quote a cell, so it is not passed on."""
    try:
        return step()
    except DiscreetError:
        raise
    except Exception as error:  # noqa: BLE001 - every backend has errors of its own
        problem = _problem(str(error), type(error).__name__, origin)
    raise_all([problem])
    raise AssertionError


def _problem(message: str, name: str, origin: str) -> Problem:
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"line {line[1]} of {origin}" if line else origin
    if "unicode" in message or "not utf-8" in message:
        return csvfile.not_in_encoding(where, "utf-8")
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if widths:
        return Problem(
            "S06",
            f"{where} has {widths[2]} cells, the header has {widths[1]}.",
            "Mend the line, or check the separator.",
        )
    if "Maximum line size" in message:
        return Problem("S07", f"{where} is too long.", "Check whether a quote is not closed.")
    if line:
        return Problem("S07", f"{where} cannot be read as CSV.", "Check its quotes and separators.")
    if "CSV Parser" in message:
        return Problem(
            "S07",
            f"{where} mixes line ends or has a quote out of place.",
            "Save it with one kind of line end and balanced quotes.",
        )
    if "arquet" in message or "magic bytes" in message:
        return Problem(
            "S07", f"{origin} cannot be read as Parquet.", "Check that the file is whole."
        )
    return Problem(
        "E01",
        f"the engine failed on {origin} ({name}).",
        "Its message may quote a value and is withheld; run the step in the engine to see it.",
    )
