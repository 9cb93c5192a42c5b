"""A source: a lazy table in the engine that holds it, and how steps on it are carried out.

Inside, columns have positional names (``c0``, ``c1``, …): whatever stands in a header —
quotes, SQL, two names that differ in case only — never reaches the engine.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast

import pyarrow as pa

from discreet.engine.embedded import embedded
from discreet.engine.embedded import give_back as release_memory
from discreet.engine.failures import attempted, translated
from discreet.engine.held import Held, Kind
from discreet.engine.turns import in_turn
from discreet.errors import fail
from discreet.frames import FrameKind

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from discreet.engine.turns import Watch

P = ParamSpec("P")
R = TypeVar("R")
LINK = "\0link"  # heads what tells records apart, in a table that leaves the engine
HEAD = 1000  # first rows of a CSV file, by which types are guessed and hints are given


@dataclass(frozen=True, repr=False)
class Source:
    """A lazy table: the engine's columns by position, their names, how the rows are numbered."""

    records: ir.Table | Held
    names: tuple[str, ...]
    origin: str
    row: str | None
    kind: FrameKind
    sure: bool = True  # the names are names; else they may be the first record of a file

    @property
    def held(self) -> Held | None:
        """The records, where they are few and held in this process."""
        return self.records if isinstance(self.records, Held) else None

    @property
    def table(self) -> ir.Table:
        """The table for the engine; records that are held here are handed to the embedded one."""
        if not isinstance(self.records, Held):
            return self.records
        held = self.records
        return translated(lambda: held.opened, self.origin)

    @functools.cached_property
    def kinds(self) -> dict[str, Kind]:
        """The storage kind of each column, by name."""
        if self.held is not None:
            return {name: self.held[self.at(name)].kind for name in self.names}
        schema = self.table.schema()
        return {name: _kind(schema[self.at(name)]) for name in self.names}

    @functools.cached_property
    def told_size(self) -> int | None:
        """Number of records, where it was told when they were read; never of what is made of them
        since."""
        return None

    @functools.cached_property
    def told_head(self) -> pa.Table | None:
        """The cells of the first records as they are written, where these were seen when they were
        read; never of what is made of them since."""
        return None

    def told(self, size: int | None, head: pa.Table | None) -> Source:
        """The same, of which the number of records and the first ones are known."""
        made = replace(self)
        vars(made).update(told_size=size, told_head=head)
        return made

    def __repr__(self) -> str:
        return f"Source: {len(self.names):,} columns of {self.origin}"  # a table may show its cells

    def at(self, name: str) -> str:
        """The engine's name of a column."""
        return f"c{self.names.index(name)}"

    def with_column(self, name: str, joined: ir.Table) -> Source:
        """The same with one more column: ``value`` of a table that was joined to it."""
        columns = {c: joined[c] for c in self.table.columns}
        made = joined.select(**columns, **{f"c{len(self.names)}": joined["value"]})
        return replace(self, names=(*self.names, name), records=made)

    @property
    def engine(self) -> str:
        """Name of the backend that holds the table."""
        return "duckdb" if self.held is not None else str(self.table.get_backend().name)


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


def is_near(source: Source) -> bool:
    """Whether the records are in this process already: the embedded engine holds them."""
    return source.held is not None or source.table.get_backend() is embedded()


def is_distributed(source: Source) -> bool:
    """Whether the records are spread over machines, so that they are never brought together."""
    return source.engine == "pyspark"


def need_records_here(source: Source) -> None:
    """Refuse to bring the records of a distributed table into this process."""
    if is_distributed(source):
        fail(
            "N08",
            f"the step compares records with each other, and those of {source.origin} are spread "
            "over machines.",
            "Draw a sample, write it as Parquet, and read that.",
        )


def kept(source: Source, table: ir.Table | None = None) -> Source:
    """Have the engine carry out a step on a source, or all that led to it, once and keep the
    outcome, so that it is not repeated. What is made of records that are held here is, too."""
    if source.held is not None:
        return source if table is None else replace(source, records=_held(source, table))
    table = source.table if table is None else table
    watch = watched(table, "preparing records")
    made = translated(lambda: home_of(table).kept(table), source.origin, watch)
    return replace(source, records=made)


def _held(source: Source, table: ir.Table) -> Held:
    found = collected(table, source)
    return Held.of(found if source.row not in found.column_names else found.sort_by(source.row))


def uploaded(source: Source, table: pa.Table) -> ir.Table:
    """A small table, or one column per record, handed to the engine that holds the source."""
    backend, home = source.table.get_backend(), home_of(source.table)
    watch = watched(source.table, "preparing records")
    return translated(lambda: home.uploaded(backend, table), source.origin, watch)


def same(left: Any, right: Any) -> list[Any]:
    """Conditions of a join under which two cells are equal, or both are missing."""
    return home_of(left).same(left, right)


def alike(source: Source, table: ir.Table, names: Sequence[str], given: ir.Table) -> list[Any]:
    """The same for the named columns of a table of the source, beside s0, s1, … of a given one."""
    columns = [(table[source.at(name)], given[f"s{i}"]) for i, name in enumerate(names)]
    return [condition for left, right in columns for condition in same(left, right)]


def give_back(source: Source) -> None:
    """Have the embedded engine and Arrow return the memory that they hold in reserve."""
    if source.held is None and source.table.get_backend() is embedded():
        in_turn(release_memory)
    pa.default_memory_pool().release_unused()


def collected(expression: Any, source: Source) -> pa.Table:
    """The outcome of an expression as an Arrow table.

    Here and in :func:`batches`, and nowhere else, does anything cross from the engine.
    """
    watch = watched(expression, "counting records")
    found = translated(lambda: home_of(expression).collected(expression), source.origin, watch)
    return _in_microseconds(found)


def _in_microseconds(table: pa.Table) -> pa.Table:
    """Times of day as engines hold them: Ibis gives them out in nanoseconds, which no engine takes
    back as times."""
    for i, field in enumerate(table.schema):
        if field.type == pa.time64("ns"):
            table = table.set_column(i, field.name, table.column(i).cast(pa.time64("us")))
    return table


def batches(expression: Any, source: Source) -> Iterator[pa.RecordBatch]:
    """The outcome of an expression in pieces, so that it need not fit into memory."""
    watch = watched(expression, "reading records")
    pieces = iter(translated(lambda: home_of(expression).reader(expression), source.origin, watch))
    while (batch := translated(lambda: next(pieces, None), source.origin, watch)) is not None:
        yield batch


def watched(table: Any, stage: str) -> Watch | None:
    """How a step on a table is watched, under a name that says what is done."""
    watch = home_of(table).watch(table)
    return None if watch is None else replace(watch, name=stage)


# -- The border between records that are held in this process and those that an engine holds -------
#
# A verb of the engine is said in Ibis. Where records are held here, its twin answers, with numpy on
# codes and to the same bits; here, and nowhere else, is that decided. A verb without a twin, or
# whose twin gives ``NotImplemented`` for what only the engine knows, hands the records to the
# embedded one.


def with_twin(twin: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have another function answer where the records are held here: all of them, of a pair."""

    def chosen(verb: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(verb)
        def called(*given: P.args, **named: P.kwargs) -> R:
            if all(source.held is not None for source in _sources(given[0])):
                origin = _sources(given[0])[0].origin
                found = attempted(lambda: twin(*given, **named), origin)
                if found is not NotImplemented:
                    return found
            return verb(*given, **named)

        return called

    return chosen


def _sources(given: Any) -> tuple[Source, ...]:
    """The source that a verb is given, or both of a pair."""
    return (given,) if isinstance(given, Source) else (given.initial, given.masked)


# -- The home of a table: what an engine must be able to do, one file for each engine --------------


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
