"""Dates and times of Parquet files that no engine can hold are found before it reads them.

Where the statistics of a file tell the first and the last of them, it is not read for that.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.engine.columns import are_in_calendar, has, problems_of
from discreet.engine.failures import translated
from discreet.errors import Problem

_UNITS = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}


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
