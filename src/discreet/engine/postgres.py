"""PostgreSQL as the home of a table: read-only unless a schema is named.

Steps that are worth keeping, and small tables to join with, become temporary tables: they belong
to the session, no other session sees them, and they are dropped when nothing refers to them or
when the session ends, however it ends. With ``ds.settings(schema=…)`` they are tables of that
schema, dropped when nothing refers to them or when this process ends. Where the server refuses
temporary tables (a standby, a read-only transaction, a role without the privilege), a step is
carried out again each time, and small tables stand in the query.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
from typing import TYPE_CHECKING, Any, cast

from discreet.engine.elsewhere import collected, reader, write
from discreet.engine.embedded import embedded
from discreet.engine.lifetimes import fresh_name, when_unused
from discreet.engine.limits import limits_in_force
from discreet.engine.turns import between_turns
from discreet.engine.wait import Watch
from discreet.errors import fail
from discreet.surface import function

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

__all__ = ["collected", "kept", "reader", "same", "uploaded", "watch", "write"]

_REFUSED = ("InsufficientPrivilege", "ReadOnlySqlTransaction")
_MOST_CELLS = 200_000  # of a table that stands in the query
_TRIES = 20  # to drop a table


def kept(table: ir.Table) -> ir.Table:
    """The outcome of a step as a temporary table; the step itself where none may be made."""
    made = _made(table.get_backend(), fresh_name(), obj=table)
    return table if made is None else made


def _made(backend: Any, name: str, **content: Any) -> ir.Table | None:
    """A table of ours, in the session unless a schema is named for it, that is dropped when nothing
    refers to it; None where the server allows none.
    """
    schema = limits_in_force().schema
    place = {"temp": True} if schema is None else {"database": schema}
    drop = functools.partial(_drop, backend.con, _full_name(name))
    try:
        made = backend.create_table(name, **content, **place)
    except Exception as error:
        if schema is not None:
            _refuse_schema(schema, type(error).__name__)
        if type(error).__name__ in _REFUSED:
            return None
        between_turns(drop)  # it may have been stopped just after the table was made
        raise
    when_unused(made, drop, outlives_us=schema is not None)
    return cast("ir.Table", made)


def _refuse_schema(schema: str, error: str) -> None:
    reasons = {
        "InvalidSchemaName": "does not exist",
        "InsufficientPrivilege": "may not be written by this role",
        "ReadOnlySqlTransaction": "cannot be written in a read-only transaction",
    }
    if error in reasons:
        fail(
            "N11",
            f"the schema {schema!r} that is named for tables {reasons[error]}.",
            "Create it, GRANT CREATE and USAGE on it, or name none: "
            f"{function('settings', 'schema=…')}.",
        )


def _drop(connection: Any, name: str) -> bool:
    """Drop a table outside any transaction of the user's that might still be undone.

    Not while the connection is at work, in a call that is not ours: garbage may be collected within
    it, and to wait for it would be to wait for oneself.
    """
    from psycopg.errors import QueryCanceled

    if connection.lock.locked():
        return False
    for _ in range(_TRIES):  # what is being stopped may stop this as well
        with contextlib.suppress(QueryCanceled):
            connection.execute(f"DROP TABLE IF EXISTS {name}")
            return True
    return True


def watch(table: ir.Table) -> Watch:
    """How a step of the server is stopped; it does not say how far it is."""
    connection = table.get_backend().con

    def stop() -> None:
        connection.cancel()
        if embedded.cache_info().currsize:  # it writes what the server sends
            embedded().con.interrupt()

    return Watch(lambda: -1.0, stop)


def uploaded(backend: Any, table: pa.Table) -> ir.Table:
    """An Arrow table as a temporary table; in the query itself where none may be made."""
    import ibis

    name = fresh_name()
    made = _made(backend, name, schema=ibis.schema(table.schema))
    if made is None:
        return _in_the_query(backend, table)
    with backend.begin() as cursor, cursor.copy(f"COPY {_full_name(name)} FROM STDIN") as copy:
        for batch in table.to_batches():
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                copy.write_row(row)
    return made


def _full_name(name: str) -> str:
    schema = limits_in_force().schema
    place = "pg_temp" if schema is None else '"' + schema.replace('"', '""') + '"'
    return f'{place}."{name}"'


def _in_the_query(backend: Any, table: pa.Table) -> ir.Table:
    """A small table as arrays of the query that are unnested side by side."""
    import ibis

    if table.num_rows * table.num_columns > _MOST_CELLS:
        fail(
            "N09",
            "the step needs a temporary table, and the server allows none.",
            "Grant TEMPORARY on the database, or copy the table to Parquet and read that.",
        )
    schema = ibis.schema(table.schema)
    types = {n: backend.compiler.type_mapper.to_string(t) for n, t in schema.items()}
    lists = ", ".join(
        f"ARRAY[{', '.join(_text(v) for v in table[n].to_pylist())}]::{types[n]}[]"
        for n in table.column_names
    )
    names = ", ".join(f'"{n}"' for n in table.column_names)
    query = f"SELECT {names} FROM unnest({lists}) AS given({names})"  # noqa: S608
    return backend.sql(query, schema=schema)


def _text(value: Any) -> str:
    """A value as a literal of the query; its type is that of the array."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, dt.date | dt.datetime | dt.time):
        return f"'{value.isoformat()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"'{value!r}'" if isinstance(value, float) else f"'{value}'"


def same(left: Any, right: Any) -> list[Any]:
    """Two cells are equal, or both missing: as two equalities, which the server can hash;
    it would compare every pair of rows for ``IS NOT DISTINCT FROM``.
    """
    present = _present(left.type())
    if present is None:
        return [left.identical_to(right)]
    return [
        left.fill_null(present) == right.fill_null(present),
        left.isnull() == right.isnull(),
    ]


def _present(dtype: Any) -> Any:
    """Some value of a type, to stand for a missing one."""
    import ibis

    values = [
        ("is_boolean", False),
        ("is_numeric", 0),
        ("is_string", ""),
        ("is_date", dt.date(1970, 1, 1)),
        ("is_timestamp", dt.datetime(1970, 1, 1, tzinfo=None)),  # noqa: DTZ001
    ]
    found = next((v for test, v in values if getattr(dtype, test)()), None)
    return None if found is None else ibis.literal(found, type=dtype)
