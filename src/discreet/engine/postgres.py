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
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from discreet.engine.elsewhere import collected, reader, write
from discreet.engine.embedded import stop_if_open
from discreet.engine.limits import limits_in_force
from discreet.engine.turns import Watch, between_turns, fresh_name, when_unused
from discreet.errors import fail
from discreet.surface import function

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

__all__ = ["collected", "kept", "readable", "reader", "same", "uploaded", "watch", "write"]

_REFUSED = ("InsufficientPrivilege", "ReadOnlySqlTransaction")
_MOST_CELLS = 200_000  # of a table that stands in the query
_TRIES = 20  # to drop a table
_PLAIN = {  # what the server calls the types that are read as they are
    "bool": "boolean", "int2": "int16", "int4": "int32", "int8": "int64", "oid": "int64",
    "float4": "float32", "float8": "float64", "numeric": "decimal", "text": "string",
    "varchar": "string", "bpchar": "string", "name": "string", "bytea": "binary", "date": "date",
    "time": "time", "timestamp": "timestamp(6)", "timestamptz": "timestamp('UTC', 6)",
}  # fmt: skip
_DIGITS = 38  # of a decimal number elsewhere
_SCALE = 9  # of them behind the point, where none is declared


def readable(table: ir.Table) -> ir.Table:
    """The table with amounts of money as numbers, and columns of types that no other engine has as
    texts: enumerations, JSON, addresses, ranges, lists, … A domain is what it is made of.

    Ibis takes some of these for plain types: the server is asked.
    """
    schema, stored = table.schema(), _stored(table)
    made = {}
    for name, dtype in schema.items():
        plain = _PLAIN.get(stored.get(name, ""))
        if stored.get(name) == "money":
            made[name] = table[name].cast(f"decimal({_DIGITS}, 2)")
        elif plain is None:
            made[name] = _cast(table[name], "string")
        elif dtype.is_unknown():
            made[name] = table[name].cast(plain)
    return _with_decimals(table.mutate(**made) if made else table)


def _stored(table: ir.Table) -> dict[str, str]:
    """What the server calls the types of the columns, but of those that Ibis gives out as others;
    of a domain, the type below it.
    """
    from psycopg.postgres import types

    backend, schema = table.get_backend(), table.schema()
    asked = [n for n, t in schema.items() if not (t.is_json() or t.is_map() or t.is_geospatial())]
    if not asked:
        return {}
    with backend.begin() as cursor:
        cursor.execute(backend.compile(table.select(*asked).limit(0)))
        codes = [column.type_code for column in cursor.description]
    known = {one.oid: one.name for one in types}
    return {name: known.get(code, "") for name, code in zip(asked, codes, strict=True)}


def _cast(column: Any, dtype: str) -> Any:
    """A column in a type, also where Ibis takes it to be of that type already."""
    import ibis
    from ibis.expr.operations import Cast

    return Cast(column, to=ibis.dtype(dtype)).to_expr()


def _with_decimals(table: ir.Table) -> ir.Table:
    """The table with decimals that have no limit, or one that no other engine has: in 38 digits
    where that loses nothing, else as in a CSV file, as floating-point numbers or texts. NaN is a
    missing value.
    """
    import ibis

    decimals = {name: dtype for name, dtype in table.schema().items() if dtype.is_decimal()}
    nan = {name: ibis.literal("NaN").cast(dtype) for name, dtype in decimals.items()}
    known = {name: table[name].nullif(nan[name]) for name in decimals}
    wide = {n: known[n] for n, t in decimals.items() if (t.precision or _DIGITS + 1) > _DIGITS}
    scales = {n: min(decimals[n].scale or _SCALE, _DIGITS) for n in wide}
    asked = {f"{n}_{how}": test for n in wide for how, test in _tests(wide[n], scales[n]).items()}
    found = collected(table.aggregate(**asked)).to_pylist()[0] if asked else {}
    for name, column in wide.items():
        exact = f"decimal({_DIGITS}, {scales[name]})"
        lost = found[f"{name}_exact"] is False
        near = "string" if found[f"{name}_number"] is False else "float64"
        known[name] = column.cast(near if lost else exact)
    return table.mutate(**known) if known else table


def _tests(column: Any, scale: int) -> dict[str, Any]:
    """Whether 38 digits hold every number, and whether each has few before the point or no end."""
    import ibis

    size, cast = column.abs(), column.cast(f"decimal({_DIGITS}, {scale})")
    endless = column.cast("string").isin(["Infinity", "-Infinity"])
    exact = ibis.ifelse(size < Decimal(10) ** (_DIGITS - scale), cast == column, False)
    return {"exact": exact.all(), "number": (endless | (size < Decimal(10) ** 15)).all()}


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
        stop_if_open()  # it writes what the server sends

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
