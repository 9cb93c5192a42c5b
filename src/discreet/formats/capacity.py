"""What files of other programs can hold. A column with more is refused before anything is written:
their writers fail at it, or cut and round it without a word.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import Problem

_EXACT = 2**53  # whole numbers up to here are floating point numbers as well
_DIGITS = 15  # a decimal number with no more is the same again
_LARGEST = {
    ".xlsx": 9.99999999999999e307,
    ".sav": 1.797693134862315e308,  # what is next to it means missing
    ".zsav": 1.797693134862315e308,
    ".dta": 8.988465674311579e307,
}
_LONG = range(-(2**31) + 1, 2_147_483_621)  # what Stata stores as a whole number of 4 bytes
_TEXT = {".xlsx": 32_767, ".sav": 32_767, ".zsav": 32_767}
_LABEL = {".xlsx": 32_767, ".sav": 256, ".zsav": 256, ".dta": 80}
_VALUE_LABEL = {".sav": 120, ".zsav": 120, ".dta": 32_000}
_EPOCH = dt.date(1970, 1, 1)
_FIRST_DAY = dt.date(1900, 1, 1)  # of a spreadsheet; its first noon is another one's in the writer
_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY = 86_400
_REMEDY = "Write .csv or .parquet, or leave the column out."


def refusal(name: str, suffix: str, why: str) -> Problem:
    """The problem of a column that a file of a program cannot hold."""
    return Problem("O10", f"a {suffix} file cannot hold {name!r}: {why}.", _REMEDY)


def unfit_cells(values: pa.ChunkedArray, suffix: str) -> str | None:
    """Why a file cannot hold the cells of a column as what they are; None where it can."""
    dtype = values.type
    if pa.types.is_integer(dtype):
        return _of_integers(values)
    if pa.types.is_floating(dtype):
        return _of_numbers(values, suffix)
    if pa.types.is_decimal(dtype):
        return _of_decimals(values)
    if pa.types.is_date(dtype):
        return _of_dates(values, suffix)
    if pa.types.is_timestamp(dtype):
        return _of_timestamps(values, suffix)
    if pa.types.is_time(dtype):
        return _of_times(values)
    return None


def unfit_texts(
    values: Any, label: str, value_labels: Mapping[Any, str], suffix: str
) -> str | None:
    """Why a file cannot hold the texts of a column, or what is said of it; None where it can."""
    if len(label) > _LABEL[suffix] or (suffix != ".dta" and _size(label) > _LABEL[suffix]):
        return f"its label is longer than {_LABEL[suffix]:,} characters"
    most = _VALUE_LABEL.get(suffix)
    if most is not None and any(_size(text) > most for text in value_labels.values()):
        return f"it has a label of a value that is longer than {most:,} characters"
    if not _is_text(values.type):
        return None
    if suffix in _TEXT and _longest(values, suffix) > _TEXT[suffix]:
        return f"it has texts of more than {_TEXT[suffix]:,} characters"
    if suffix != ".xlsx" and pc.any(pc.match_substring(values, "\0")).as_py():
        return "it has texts with the character 0, at which they would end"
    return None


def is_long(values: Any) -> bool:
    """Whether whole numbers of 4 bytes are such numbers to Stata, too: the largest mean missing."""
    found = pc.min_max(values).as_py()
    return found["min"] is None or (found["min"] in _LONG and found["max"] in _LONG)


def _is_text(dtype: pa.DataType) -> bool:
    return pa.types.is_string(dtype) or pa.types.is_large_string(dtype)


def _of_integers(values: pa.ChunkedArray) -> str | None:
    beyond = _is_beyond(values, -_EXACT, _EXACT)
    return f"it has whole numbers beyond {_EXACT:,}, which would be rounded" if beyond else None


def _of_numbers(values: pa.ChunkedArray, suffix: str) -> str | None:
    beyond = pc.any(pc.greater(pc.abs(values), _LARGEST[suffix])).as_py()
    return "it has infinite numbers, or too large ones" if beyond else None


def _of_decimals(values: pa.ChunkedArray) -> str | None:
    if values.type.scale == 0:
        return _of_integers(values)
    there = (one for one in values.unique().to_pylist() if one is not None)
    beyond = any(len(one.normalize().as_tuple().digits) > _DIGITS for one in there)
    return f"it has decimal numbers of more than {_DIGITS} digits" if beyond else None


def _of_dates(values: pa.ChunkedArray, suffix: str) -> str | None:
    days = values.cast(pa.date32()).cast(pa.int32())
    return _outside(days, suffix, _FIRST_DAY, 1)


def _of_timestamps(values: pa.ChunkedArray, suffix: str) -> str | None:
    if values.type.tz is not None and values.null_count < len(values):
        return "it has times with a time zone"
    moments = values.cast(pa.int64())
    return _outside(moments, suffix, _FIRST_DAY + dt.timedelta(1), _DAY * _UNITS[values.type.unit])


def _outside(values: Any, suffix: str, first: dt.date, day: int) -> str | None:
    """Why dates do not fit that are counted from 1970, so many steps a day."""
    end = ((dt.date.max - _EPOCH).days + 1) * day - 1
    if _is_beyond(values, (dt.date.min - _EPOCH).days * day, end):
        return "it has dates that are not within the years 1 to 9999"
    if suffix == ".xlsx" and _is_beyond(values, (first - _EPOCH).days * day, end):
        return f"it has dates before {first}"
    return None


def _of_times(values: pa.ChunkedArray) -> str | None:
    whole = values.cast(pa.int32() if pa.types.is_time32(values.type) else pa.int64())
    beyond = _is_beyond(whole, 0, _DAY * _UNITS[values.type.unit] - 1)
    return "it has the time 24:00 or a later one" if beyond else None


def _is_beyond(values: Any, least: int, most: int) -> bool:
    found = pc.min_max(values).as_py()
    return found["min"] is not None and (found["min"] < least or found["max"] > most)


def _longest(values: Any, suffix: str) -> int:
    """The size of the longest text: in bytes, or in halves of characters as spreadsheets count."""
    if suffix != ".xlsx":
        return pc.max(pc.binary_length(values)).as_py() or 0
    long = values.filter(pc.greater(pc.utf8_length(values), _TEXT[suffix] // 2))
    return max((len(text.encode("utf-16-le")) // 2 for text in long.to_pylist()), default=0)


def _size(text: str) -> int:
    return len(text.encode())
