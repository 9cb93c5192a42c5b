"""Opening: a file, a frame or a table of any backend becomes a source."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet import csvfile
from discreet.engine import spark
from discreet.engine.columns import are_in_calendar, has, is_length, plain, problems_of
from discreet.engine.embedded import embedded, uploaded
from discreet.engine.failures import translated
from discreet.engine.held import Held, as_given_back, is_plain, is_small
from discreet.engine.missing import MissingCodes, normalised
from discreet.engine.source import Source, collected, home_of
from discreet.engine.turns import fresh_name, when_unused
from discreet.errors import Problem, fail, raise_all
from discreet.frames import FrameKind, unreadable

_UNITS = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}


def is_table(source: object) -> bool:
    """Whether an object is an Ibis table or a Spark frame (without importing either library for
    those that are not).
    """
    home = type(source).__module__.partition(".")[0]
    ibis = home == "ibis" and hasattr(source, "get_backend") and hasattr(source, "columns")
    return ibis or spark.is_frame(source)


def from_table(table: Any, missing: MissingCodes) -> Source:
    """Open a table of any Ibis backend or a Spark frame; rows have no numbers of their own."""
    names = tuple(str(c) for c in table.columns)
    if spark.is_frame(table):
        csvfile.refuse_duplicates(names, Path("the Spark frame"))
        opened = translated(lambda: spark.opened(table), "the Spark frame")
        return _readable(Source(opened, names, "the Spark frame", None, "arrow"), missing)
    translated(table.get_backend, "the Ibis table")
    renamed = table.select(**{f"c{i}": table[name] for i, name in enumerate(table.columns)})
    return _readable(Source(renamed, names, "the table", None, "arrow"), missing)


def _readable(source: Source, missing: MissingCodes) -> Source:
    """The records in types that can be worked with, and with one missing value."""
    table = source.table
    made = translated(lambda: home_of(table).readable(table), source.origin)
    return normalised(replace(source, records=made), missing)


def in_spark(source: Source) -> Source:
    """A file or frame of this process handed to Spark, its rows numbered as before."""
    table = collected(source.table, source)

    def handed() -> Any:
        return spark.uploaded(spark.backend_of(spark.session()), table)

    return replace(source, records=translated(handed, source.origin))


def read_parquet_in_spark(path: Path, missing: MissingCodes) -> Source:
    """Open a Parquet file, or a folder of them, with Spark; rows have no numbers there."""
    frame = translated(lambda: spark.session().read.parquet(path.absolute().as_uri()), path.name)
    opened = translated(lambda: spark.opened(frame), path.name)
    return _readable(Source(opened, tuple(frame.columns), path.name, None, "arrow"), missing)


def from_arrow(table: pa.Table, kind: FrameKind, missing: MissingCodes) -> Source:
    """Open an Arrow table in the embedded engine, which reads its buffers in place."""
    names = tuple(str(n) for n in table.column_names)
    fit = {n: plain(column) for n, column in zip(names, table.columns, strict=True)}
    raise_all([*problems_of(fit).values()])
    row = pa.array(np.arange(table.num_rows, dtype=np.int64))
    physical = [*(f"c{i}" for i in range(len(names))), "row"]
    small = is_small(table.num_rows, table.num_columns)
    if small and not missing:
        cells = [as_given_back(column) for column in fit.values()]
        if all(column is not None for column in cells):
            held = Held.of(pa.Table.from_arrays([*cells, row], names=physical))
            return Source(held, names, f"the {kind} frame", "row", kind)
    arrow = pa.Table.from_arrays([*fit.values(), row], names=physical)
    opened = translated(lambda: uploaded(embedded(), arrow), f"the {kind} frame")
    source = normalised(Source(opened, names, f"the {kind} frame", "row", kind), missing)
    return brought(source) if small else source


def brought(source: Source) -> Source:
    """A small table of the embedded engine, held in this process."""
    assert source.row is not None
    table = collected(source.table.order_by(source.row), source)
    return replace(source, records=Held.of(table)) if is_plain(table) else source


def read_parquet(path: Path, missing: MissingCodes) -> Source:
    """Open a Parquet file, or the parts of a folder in the order of their names, in place. The
    engine renames columns that differ in case only, so the names are taken from the file and
    the columns by position.
    """
    parts = parquet_parts(path)
    schemas = [translated(functools.partial(_schema, part), path.name) for part in parts]
    names = tuple(schemas[0].names)
    csvfile.refuse_duplicates(names, path)
    if any(schema != schemas[0] for schema in schemas):
        fail(
            "S16",
            f"the parts of {path.name} have different columns.",
            "Give a folder that holds the parts of one table and nothing else.",
        )
    lengths = [field.name for field in schemas[0] if has(field.type, is_length)]
    raise_all([unreadable(name) for name in lengths])  # else they would be read as integers
    raise_all(beyond_calendar(parts, schemas[0], path.name))
    table, row = _scanned(parts, names, path.name)
    columns = {f"c{i}": table[i] for i in range(len(names))}
    halves = [i for i, dtype in enumerate(schemas[0].types) if pa.types.is_float16(dtype)]
    # the engine does not know NaN among them, but it does write it
    columns |= {f"c{i}": table[i].cast("string").cast("float32") for i in halves}
    source = Source(table.select(**columns, row=row), names, path.name, "row", "arrow")
    found = _readable(_in_known_types(source), missing)
    return brought(found) if is_small(sum(_lengths(parts, path.name)), len(names)) else found


def parquet_parts(path: Path) -> list[Path]:
    """The files of a table: the one, or those of a folder that Spark wrote."""
    if not path.is_dir():
        return [path]
    held = [file for file in path.iterdir() if not file.name.startswith((".", "_"))]
    parts = sorted(file for file in held if file.is_file() and file.suffix in (".parquet", ".pq"))
    if not parts or len(parts) < len(held):
        fail(
            "S01",
            f"{path.name or path} is a folder that is not made of Parquet files alone.",
            "Give a CSV or Parquet file, or a folder of the Parquet parts of one table.",
        )
    return parts


def _schema(path: Path) -> pa.Schema:
    """The columns that a Parquet file holds, without what other programs noted beside them."""
    import pyarrow.parquet as pq

    return pq.read_schema(path).remove_metadata()


def _scanned(parts: Sequence[Path], names: Sequence[str], origin: str) -> tuple[Any, Any]:
    """The table of some files, and the numbers of its rows."""
    import ibis

    lower = {name.lower() for name in names}
    numbered = not lower & {"file_row_number", "filename"}
    options = {"file_row_number": True, "filename": len(parts) > 1} if numbered else {}
    files = [literal(part) for part in parts]
    table = translated(
        lambda: embedded().read_parquet(
            files, table_name=fresh_name(), hive_partitioning=False, **options
        ),
        origin,
    )
    if not numbered:
        return table, ibis.row_number()
    if len(parts) == 1:
        return table, table["file_row_number"]
    starts = np.cumsum([0, *_lengths(parts, origin)]).tolist()
    first = [(table["filename"] == str(p), at) for p, at in zip(parts, starts, strict=False)]
    return table, table["file_row_number"] + ibis.cases(*first)


def _lengths(parts: Sequence[Path], origin: str) -> list[int]:
    """The number of records in each of some files."""
    import pyarrow.parquet as pq

    held = [translated(functools.partial(pq.read_metadata, part), origin) for part in parts]
    return [part.num_rows for part in held]


def remove_later(source: Source, folder: Path) -> None:
    """Remove a folder that a source reads, once nothing refers to it any more."""
    if source.held is not None:  # it was read
        shutil.rmtree(folder, ignore_errors=True)
        return
    when_unused(source.table, lambda: shutil.rmtree(folder, ignore_errors=True), outlives_us=True)


def as_integers(source: Source, names: Sequence[str]) -> Source:
    """The table with some columns as whole numbers."""
    changed = {source.at(name): source.table[source.at(name)].cast("int64") for name in names}
    return replace(source, records=source.table.mutate(**changed)) if changed else source


def literal(path: Path) -> str:
    """A path that the engine does not take for a pattern."""
    return "".join(f"[{c}]" if c in "[*?" else c for c in str(path))


_NEAR = {"TIMESTAMPTZ_NS": "timestamp('UTC')", "TIME_NS": "time", '"NULL"': "string"}


def _in_known_types(source: Source) -> Source:
    """Columns of types that Ibis does not know, converted to one that loses nothing."""
    schema = source.table.schema()
    near = {
        source.at(name): target
        for name in source.names
        if schema[source.at(name)].is_unknown()
        for raw, target in _NEAR.items()
        if raw in str(schema[source.at(name)])
    }
    if not near:
        return source
    texts = {c: (source.table[c].cast("string"), source.table[c].cast(t)) for c, t in near.items()}
    lost = {c: (text != value.cast("string")).any() for c, (text, value) in texts.items()}
    found = collected(source.table.aggregate(**lost), source).to_pylist()[0]
    raise_all([unreadable(n) for n in source.names if found.get(source.at(n))])
    converted = source.table.mutate(**{c: value for c, (_, value) in texts.items()})
    return replace(source, records=converted)


# -- Dates and times of Parquet files that no engine can hold are found before it reads them -------
#
# Where the statistics of a file tell the first and the last of them, it is not read for that.


def beyond_calendar(parts: Sequence[Path], schema: pa.Schema, origin: str) -> list[Problem]:
    """The problems of columns with dates and times that the engine cannot hold: it would read them,
    and some of them would end it when they are written."""
    names = [field.name for field in schema if has(field.type, pa.types.is_temporal)]
    found: dict[str, Problem] = {}
    for part in parts if names else ():
        if not translated(functools.partial(_are_told, part), origin):
            found |= _found(part, names, origin)
    return [found[name] for name in names if name in found]


def _found(path: Path, names: Sequence[str], origin: str) -> dict[str, Problem]:
    """The problems of some columns of a file, which is read piece by piece."""
    found: dict[str, Problem] = {}
    batches = translated(functools.partial(_batches, path, names), origin)
    while (batch := translated(functools.partial(next, batches, None), origin)) is not None:
        columns = pa.Table.from_batches([batch])
        found |= problems_of(dict(zip(columns.column_names, columns.columns, strict=True)))
    return found


def _batches(path: Path, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Some columns of a Parquet file in pieces."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path, coerce_int96_timestamp_unit="us")
    return iter(file.iter_batches(columns=list(names)))


def _are_told(path: Path) -> bool:
    """Whether a file says of all its dates and times that they are in the calendar."""
    import pyarrow.parquet as pq

    about = pq.read_metadata(path)
    groups = [about.row_group(i) for i in range(about.num_row_groups)]
    for i in range(about.num_columns):
        column = about.schema.column(i)
        stored = _stored(column)
        if stored is None and column.physical_type != "INT96":  # moments of old files, never told
            continue
        if stored is None or not all(_is_told(group.column(i), stored) for group in groups):
            return False
    return True


def _stored(column: Any) -> pa.DataType | None:
    """How dates or times are stored in a column of a file; None where these are no such."""
    told = json.loads(column.logical_type.to_json())
    unit = _UNITS.get(told.get("timeUnit", ""))
    if told["Type"] == "Date":
        return pa.date32()
    if told["Type"] == "Time" and unit is not None:
        return pa.time32(unit) if unit == "ms" else pa.time64(unit)
    return pa.timestamp(unit) if told["Type"] == "Timestamp" and unit is not None else None


def _is_told(piece: Any, stored: pa.DataType) -> bool:
    """Whether the statistics of a piece of a column say that all of it is in the calendar."""
    told = piece.statistics
    if told is None:
        return False
    if told.has_min_max:
        return are_in_calendar(stored, told.min_raw, told.max_raw)
    return bool(told.has_null_count and told.null_count == piece.num_values)
