"""DuckDB as the home of a table: embedded in this process and the default, or a connection that
the user has opened with Ibis.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.engine.limits import Limits, configuration, leave_spill_folders, limits_in_force
from discreet.engine.turns import Watch, fresh_name, in_turn, when_unused
from discreet.errors import argument, fail
from discreet.files import beside

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

_BATCH = 1 << 18


@functools.cache
def connection() -> Any:
    """The DuckDB of this process, in memory, which fetches nothing from outside."""
    import duckdb

    opened = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": False,
            "enable_external_file_cache": False,  # the system caches files; what we hold is counted
            **configuration(limits_in_force()),
        },
    )
    # as Ibis has it; and have it count what it has done, and draw nothing: see watch()
    opened.execute("SET timezone = 'UTC'; SET python_enable_replacements = false")
    opened.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
    return opened


def embedded() -> Any:
    """The same for Ibis."""
    return _for_ibis(connection())


@functools.lru_cache(maxsize=1)
def _for_ibis(opened: Any) -> Any:
    import ibis

    return ibis.duckdb.from_connection(opened)


def stop_if_open() -> None:
    """Stop what the embedded engine does."""
    if connection.cache_info().currsize:
        connection().interrupt()


def let_go_if_lost() -> None:
    """Close the embedded engine where it is of no use any more, so that the next step opens another
    one: some failures end the engine for good, with all that it held."""
    in_turn(_let_go_if_lost)


def _let_go_if_lost() -> None:
    import duckdb

    if not connection.cache_info().currsize:
        return
    try:
        connection().cursor().execute("SELECT 1").fetchall()
    except (duckdb.FatalException, duckdb.ConnectionException):
        connection().close()
        connection.cache_clear()
        leave_spill_folders()


def opened(name: str, what: str) -> ir.Table:
    """A table or view that we made, dropped when nothing refers to it."""
    made, run = embedded().table(name), connection().execute
    when_unused(made, lambda: run(f'DROP {what} IF EXISTS "{name}"'))
    return made


def adjust(before: Limits, new: Limits) -> None:
    """Have the engine, if it is open, keep to other limits."""
    if not connection.cache_info().currsize:
        return
    old, settings = configuration(before), configuration(new)
    changed = {name: value for name, value in settings.items() if value != old.get(name)}
    in_turn(lambda: _set(changed, gone=old.keys() - settings.keys()))


def _set(settings: dict[str, Any], gone: Set[str]) -> None:
    open_ = connection()
    if "temp_directory" in settings:  # first: it may fail
        _move(open_, settings["temp_directory"])
    for name in gone:
        open_.execute(f"RESET {name}")
    for name in settings.keys() - {"temp_directory"}:
        open_.execute(f"SET {name} = '{settings[name]}'")


def _move(open_: Any, folder: str) -> None:
    import duckdb

    try:
        quoted = folder.replace("'", "''")
        open_.execute(f"SET temp_directory = '{quoted}'")
    except duckdb.NotImplementedException:
        pass
    else:
        return
    fail(
        "N70",
        "the engine already uses a folder for temporary files.",
        f"Set {argument('temp_directory')} before the first step, or DISCREET_TEMP_DIRECTORY.",
    )


def watch(table: ir.Table) -> Watch:
    """How a step of the engine is watched and stopped."""
    return watch_of(table.get_backend().con)


def watch_of(running: Any) -> Watch:
    """How what a connection does is watched and stopped."""
    return Watch(running.query_progress, running.interrupt)


_TEXTS = ("is_json", "is_inet", "is_macaddr", "is_interval", "is_geospatial", "is_unknown")


def readable(table: ir.Table) -> ir.Table:
    """The table with columns of types that Ibis cannot count, join or give out as texts."""
    odd = [n for n, t in table.schema().items() if any(getattr(t, test)() for test in _TEXTS)]
    return table.mutate(**{n: table[n].cast("string") for n in odd}) if odd else table


def kept(table: ir.Table) -> ir.Table:
    """The outcome of a step as a temporary table, dropped when nothing refers to it."""
    backend, name = table.get_backend(), fresh_name()
    made, run = backend.create_table(name, table, temp=True), backend.con.execute
    when_unused(made, lambda: run(f'DROP TABLE IF EXISTS "{name}"'))
    return made


def uploaded(backend: Any, table: pa.Table) -> ir.Table:
    """An Arrow table as a table of the engine, which reads its buffers in place."""
    name, con = fresh_name(), backend.con
    con.register(name, table)
    made = backend.table(name)
    when_unused(made, lambda: con.unregister(name))
    return made


def collected(expression: ir.Table) -> pa.Table:
    """The outcome of an expression."""
    return expression.to_pyarrow()


def reader(expression: ir.Table) -> Iterator[pa.RecordBatch]:
    """The outcome of an expression in pieces."""
    backend = expression.get_backend()
    # Ibis 12 asks DuckDB 2 for a reader by a name it no longer has
    return backend.con.sql(backend.compile(expression)).to_arrow_reader(_BATCH)


def write(chosen: ir.Table, path: Path, like: Path | None) -> None:
    """One file, CSV or Parquet, written beside its place and renamed."""
    with beside(path, like) as place:
        if path.suffix == ".parquet":
            chosen.to_parquet(place)
        else:
            chosen.to_csv(place, header=True)


def same(left: Any, right: Any) -> list[Any]:
    """Conditions under which two cells are equal, a missing one being equal to a missing one."""
    return [left.identical_to(right)]


def give_back() -> None:
    """Have the embedded engine return the memory that it holds in reserve.

    It keeps what a query needed; naming its limit again makes it let go.
    """
    con, limit = connection(), limits_in_force().memory_limit
    if limit is None:
        settings = "SELECT value FROM duckdb_settings() WHERE name = 'memory_limit'"
        limit = con.sql(settings).fetchall()[0][0]
    con.execute(f"SET memory_limit = '{limit}'")
