"""Columns of Arrow as the engine takes them: in types that it has, with cells that it can hold.

What it cannot hold is refused by the name of the column when it is read. Later it would be an error
of the engine that names nothing, and some of these errors end the engine.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from discreet.errors import Problem
from discreet.frames import no_calendar, no_text, unreadable

_EPOCH = dt.date(1970, 1, 1)
_FIRST, _LAST = (dt.date.min - _EPOCH).days, (dt.date.max - _EPOCH).days  # years 1 to 9999
_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # of a second
_SECONDS = 86_400  # of a day
_INFINITE = 2**63 - 1  # the engine takes it, and its negative, for infinity
_MOST_DIGITS = 38


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Decode dictionaries, unwrap extension types and convert types the engine does not have to
    one that loses nothing; every other column is left in place. None when there is no such type.
    """
    if isinstance(column.type, pa.BaseExtensionType) and column.type != pa.uuid():
        column = column.cast(column.type.storage_type)
    if types.is_run_end_encoded(column.type):
        column = pa.chunked_array(map(pc.run_end_decode, column.chunks), column.type.value_type)
    near = _near_type(column.type)
    try:
        return None if near is None else column if near == column.type else column.cast(near)
    except pa.ArrowException:
        return None


def _near_type(dtype: pa.DataType) -> pa.DataType | None:
    if types.is_run_end_encoded(dtype):  # only within lists and structures
        near = _near_type(dtype.value_type)
        return dtype if near == dtype.value_type else near
    if types.is_nested(dtype):
        return _near_nested(dtype)
    if types.is_dictionary(dtype):
        return _near_type(dtype.value_type)
    if is_length(dtype):
        return None
    if types.is_null(dtype):
        return pa.string()
    if types.is_float16(dtype):
        return pa.float32()
    if types.is_decimal(dtype):
        return _near_decimal(dtype)
    if dtype == pa.time64("ns"):
        return pa.time64("us")
    if types.is_timestamp(dtype) and dtype.tz is not None and dtype.unit == "ns":
        return pa.timestamp("us", dtype.tz)
    return dtype


def _near_decimal(dtype: pa.DataType) -> pa.DataType:
    """No digits beyond those before and after the point, and not more than the engine has."""
    digits = max(dtype.precision - min(dtype.scale, 0), dtype.scale)
    same = digits == dtype.precision and dtype.scale >= 0
    if same and not types.is_decimal256(dtype):
        return dtype
    return pa.decimal128(min(digits, _MOST_DIGITS), max(dtype.scale, 0))


def _near_nested(dtype: pa.DataType) -> pa.DataType | None:
    """Lists, maps and structures of near types."""
    if types.is_union(dtype):
        return None
    parts = [dtype.field(i) for i in range(dtype.num_fields)]
    if types.is_struct(dtype) and not _are_names([part.name for part in parts]):
        return None
    near = [_near_type(part.type) for part in parts]
    if any(one is None for one in near):
        return None
    if all(one == part.type for one, part in zip(near, parts, strict=True)):
        return dtype
    made = [part.with_type(one) for one, part in zip(near, parts, strict=True)]
    if types.is_struct(dtype):
        return pa.struct(made)
    if types.is_map(dtype):
        entry = made[0].type
        return pa.map_(entry.field(0), entry.field(1))
    if types.is_fixed_size_list(dtype):
        return pa.list_(made[0], dtype.list_size)
    if types.is_large_list(dtype):
        return pa.large_list(made[0])
    return pa.list_(made[0]) if types.is_list(dtype) else None  # views cannot be converted


def _are_names(names: list[str]) -> bool:
    """Whether the parts of a structure have names that the engine can tell apart."""
    return bool(names) and all(names) and len({name.lower() for name in names}) == len(names)


def is_length(dtype: pa.DataType) -> bool:
    """Whether values are lengths of time."""
    return types.is_duration(dtype) or types.is_interval(dtype)


def has(dtype: pa.DataType, test: Callable[[pa.DataType], bool]) -> bool:
    """Whether a type, or one within it, is of a kind."""
    within = (dtype.field(i).type for i in range(dtype.num_fields))
    return test(dtype) or (types.is_nested(dtype) and any(has(part, test) for part in within))


def problems_of(columns: Mapping[str, pa.ChunkedArray | None]) -> dict[str, Problem]:
    """What is wrong with columns in near types; None stands for one that has no such type."""
    found = {
        name: unreadable(name) if column is None else _unfit(name, column.chunks)
        for name, column in columns.items()
    }
    return {name: problem for name, problem in found.items() if problem is not None}


def _unfit(name: str, chunks: Iterable[pa.Array]) -> Problem | None:
    """What is wrong with the cells of a column, where the engine cannot hold them."""
    for chunk in chunks:
        for cells in _values(chunk):
            if _is_text(cells.type) and not _is_readable(cells):
                return no_text(f"column {name!r}")
            if types.is_temporal(cells.type) and not _is_in_calendar(cells):
                return no_calendar(f"column {name!r}")
    return None


def _values(cells: pa.Array) -> Iterable[pa.Array]:
    """The plain values of cells, also of those that are lists, maps or structures."""
    dtype = cells.type
    if types.is_run_end_encoded(dtype):
        parts = [pc.run_end_decode(cells)]
    elif types.is_map(dtype):
        ends = cells.offsets
        first, last = ends[0].as_py(), ends[-1].as_py()
        parts = [cells.keys.slice(first, last - first), cells.items.slice(first, last - first)]
    elif types.is_struct(dtype):
        parts = cells.flatten()
    elif types.is_nested(dtype):
        parts = [cells.flatten()]
    else:
        return [cells]
    return (values for part in parts for values in _values(part))


def _is_text(dtype: pa.DataType) -> bool:
    return types.is_string(dtype) or types.is_large_string(dtype) or types.is_string_view(dtype)


def _is_readable(texts: pa.Array) -> bool:
    """Whether texts are UTF-8, which Arrow takes on trust."""
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _is_in_calendar(times: pa.Array) -> bool:
    found = pc.min_max(times)
    lowest, highest = found["min"].value, found["max"].value
    return lowest is None or are_in_calendar(times.type, lowest, highest)


def are_in_calendar(dtype: pa.DataType, lowest: int, highest: int) -> bool:
    """Whether dates are within the years 1 to 9999, or times of day within a day, by the first and
    the last of them."""
    first, last = _limits(dtype)
    return first <= lowest and highest <= last


def _limits(dtype: pa.DataType) -> tuple[int, int]:
    """The first and the last moment that a type of dates or times may hold."""
    if types.is_date32(dtype):
        return _FIRST, _LAST
    day = _SECONDS * _UNITS["ms" if types.is_date64(dtype) else dtype.unit]
    if types.is_time(dtype):
        return 0, day - 1
    return max(_FIRST * day, 1 - _INFINITE), min((_LAST + 1) * day - 1, _INFINITE - 1)
