"""Released files for other programs: the words of values become codes again, with their labels.

Codes and labels of values that are still there are those of the file that was read. Values that
came with the masking, such as ``[20, 30)`` or ``*``, get codes and labels of their own. Nothing is
said of a value that is not in the released records: its label would tell that it was there.
What a file says of itself (its label, notes, times, authors) is left out unless asked for.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import DiscreetError, Problem, argument, failure, library, raise_all
from discreet.files.rooms import room
from discreet.formats import DROPPED, Codebook, Variable
from discreet.frames import from_arrow
from discreet.words import counted

_SPSS = (  # what a variable may be called: not as a word of the program
    re.compile(r"(?!(ALL|AND|BY|EQ|GE|GT|LE|LT|NE|NOT|OR|TO|WITH)$)[^\W\d_][\w.@#$]*"),
    64,
)
_STATA = (
    re.compile(
        r"(?!(byte|double|float|if|in|int|long|str[0-9]{1,4}|strL|using|with)$)"
        r"(?!_(all|b|coef|cons|n|N|pi|pred|rc|skip)$)[^\W\d]\w*"
    ),
    32,
)
_NAMES = {".sav": _SPSS, ".zsav": _SPSS, ".dta": _STATA}
_EXTRA = "'discreet[formats]'"
_MOST_ROWS = 1_048_575  # records of a sheet, beside its header
_EPOCH = dt.datetime(2000, 1, 1)  # noqa: DTZ001 - in place of the time of writing
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
_DAY_ZERO = dt.date(1970, 1, 1)
_FIRST_DAY = dt.date(1900, 1, 1)  # of a spreadsheet; its first noon is another one's in the writer
_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY = 86_400
_REMEDY = "Write .csv or .parquet, or leave the column out."


def release_problems(
    names: Sequence[str], path: Path, metadata: Sequence[str], records: int | None = None
) -> list[Problem]:
    """All that stands in the way of writing columns to a file of another program."""
    suffix = path.suffix.lower()
    problems = [
        Problem(
            "P28", f"{argument('metadata')} names {name!r}.", f"It can name {', '.join(DROPPED)}."
        )
        for name in metadata
        if name not in DROPPED
    ]
    if suffix in _NAMES:
        form, most = _NAMES[suffix]
        problems += [
            Problem("O10", f"a {suffix} file cannot have a column {name!r}.", "Rename it.")
            for name in names
            if not form.fullmatch(name)
            or not (name[0].isalpha() or name[0] == "_")
            or len(name.encode()) > most
        ]
    if suffix == ".xlsx" and records is not None and records > _MOST_ROWS:
        what = f"a sheet holds {_MOST_ROWS:,} records, and there are {records:,}."
        problems.append(Problem("O10", what, "Write .csv, .parquet, .sav or .dta."))
    return problems


def write_release(
    table: pa.Table, path: Path, book: Codebook | None, metadata: Sequence[str], weight: str | None
) -> None:
    """Write records to a path whose ending names the program; the file at the path is new."""
    known = book or Codebook("")
    columns = _columns(table, known, path.suffix)
    problem: Problem | None = None
    try:
        if path.suffix == ".xlsx":
            _write_sheet(path, columns)
        else:
            _write_statistical(path, columns, known, metadata)
            _scrub(path, columns, weight)
        return
    except DiscreetError:
        raise
    except Exception as error:  # noqa: BLE001 - the message may quote a value: it is withheld
        problem = failure(error, "O05", f"{path.name} cannot be written")
    raise_all([problem])


@dataclass(frozen=True, eq=False, repr=False)
class _Column:
    """A column as it is written: values, and what is said of it."""

    values: pa.ChunkedArray
    label: str = ""
    values_labels: Mapping[Any, str] = field(default_factory=dict)
    measure: str = ""
    format: str = ""


def _columns(table: pa.Table, book: Codebook, suffix: str) -> dict[str, _Column]:
    """The columns as they are written; refused where the file cannot hold them."""
    columns: dict[str, _Column] = {}
    problems = []
    for name in table.column_names:
        why = unfit_cells(table[name], suffix)
        if why is None:
            made = columns[name] = _column(table[name], book.variables.get(name), suffix)
            why = unfit_texts(made.values, made.label, made.values_labels, suffix)
        problems += [refusal(name, suffix, why)] if why else []
    if suffix == ".xlsx" and (empty := _empty_records(table)):
        what = f"{counted(empty, 'record')} without any value would be lost in a sheet."
        problems.append(Problem("O10", what, "Write .csv or .parquet, or leave them out."))
    raise_all(problems)
    return columns


def _empty_records(table: pa.Table) -> int:
    """How many records have no value: empty rows of a sheet are no records to who reads it."""
    left = np.ones(table.num_rows, dtype=bool)
    for column in table.columns:
        is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        filled = pc.not_equal(column, "").fill_null(False) if is_text else column.is_valid()
        left &= ~filled.to_numpy()
        if not left.any():
            return 0
    return int(left.sum())


def _column(values: pa.ChunkedArray, known: Variable | None, suffix: str) -> _Column:
    label = known.label if known else ""
    if suffix == ".xlsx":
        return _Column(_number(values), label)
    is_text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    stata = suffix == ".dta"
    if known is None or not known.numeric:
        return _of_texts(values, known, label) if is_text else _Column(_plain(values, stata), label)
    if not is_text:
        return _of_numbers(values, known, label, stata)
    return _of_words(values, known, label, stata)


def _of_numbers(values: pa.ChunkedArray, known: Variable, label: str, stata: bool) -> _Column:
    """Numbers with the labels of those codes that still occur."""
    there = set(values.unique().to_pylist()) if known.values else set()
    labels = {code: text for code, text in known.values.items() if code in there}
    return _Column(_plain(values, stata), label, labels, known.measure, known.format)


def _of_texts(values: pa.ChunkedArray, known: Variable | None, label: str) -> _Column:
    """Texts of a variable that the file stores as text; words of codes are such texts again."""
    if known is None or not known.words:
        return _Column(values, label, measure=known.measure if known else "")
    codes = {text: str(code) for code, text in known.texts().items()}
    there = [text for text in values.unique().to_pylist() if text is not None]
    labels = {codes[text]: known.values[codes[text]] for text in there if text in codes}
    table = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    coded = pa.array([None if t is None else codes.get(t, t) for t in table.to_pylist()])
    return _Column(pa.chunked_array([coded]), label, labels, known.measure)


def _of_words(values: pa.ChunkedArray, known: Variable, label: str, stata: bool) -> _Column:
    """Words as numbers: known ones have their code, new ones the next codes."""
    texts = known.texts() if known.words else {}
    there = [text for text in values.unique().to_pylist() if text is not None]
    codes = {text: float(code) for code, text in texts.items() if text in there}
    new = sorted((text for text in there if text not in codes), key=natural)
    first = 1 + max((int(code) for code in known.values), default=0)
    codes |= {text: float(first + i) for i, text in enumerate(new)}
    by_text = {text: known.values[code] for code, text in texts.items() if text in there}
    labels = {code: by_text.get(text, text) for text, code in codes.items()}
    order = sorted(codes, key=lambda text: codes[text])
    dtype = pa.int32() if stata and all(c.is_integer() for c in codes.values()) else pa.float64()
    places = pc.index_in(values, value_set=pa.array(order, pa.string()))
    coded = pa.array([codes[text] for text in order], pa.float64()).cast(dtype)
    measure = known.measure if not new else "ordinal" if not known.words else "nominal"
    plain = {int(c) if dtype == pa.int32() else c: t for c, t in sorted(labels.items())}
    return _Column(coded.take(places.combine_chunks()), label, plain, measure)


def natural(text: str) -> tuple[float, int, str]:
    """How labels of a hierarchy are sorted: by their first number, what has none last.

    Examples
    --------
    >>> sorted(["*", "≥65", "[18, 65)", "<18"], key=natural)
    ['<18', '[18, 65)', '≥65', '*']
    """
    found = re.search(r"-?\d+(\.\d+)?", text)
    number = float(found[0]) if found else float("inf")
    return number, 0 if text.startswith("<") else 1, text


def _plain(values: Any, stata: bool) -> Any:
    """Values of a kind that these programs have."""
    if pa.types.is_boolean(values.type):
        return values.cast(pa.int32())
    if pa.types.is_timestamp(values.type):  # the writer takes seconds for something else
        return values.cast(pa.timestamp("us"), safe=False)
    if stata and pa.types.is_int32(values.type) and not is_long(values):
        return values.cast(pa.float64())
    return _number(values)


def _number(values: Any) -> Any:
    """Decimal numbers as numbers of a kind that every program has."""
    return values.cast(pa.float64()) if pa.types.is_decimal(values.type) else values


def _write_statistical(
    path: Path, columns: Mapping[str, _Column], book: Codebook, metadata: Sequence[str]
) -> None:
    program = library("pyreadstat", _EXTRA)
    stata = path.suffix == ".dta"
    cells = {name: _filled(c.values) if stata else c.values for name, c in columns.items()}
    frame = from_arrow(pa.table(cells), "pandas")
    same = book.program == ("Stata" if stata else "SPSS")
    how: dict[str, Any] = {
        "file_label": book.about.get("file_label", "") if "file_label" in metadata else "",
        "column_labels": {name: one.label for name, one in columns.items() if one.label},
        "variable_value_labels": {n: dict(c.values_labels) for n, c in columns.items()
                                  if c.values_labels},
        "variable_format": {n: c.format for n, c in columns.items() if same and c.format},
    }  # fmt: skip
    if stata:
        program.write_dta(frame, str(path), **how)
        return
    how["variable_measure"] = {n: c.measure for n, c in columns.items() if c.measure}
    notes = book.about.get("notes", ()) if "notes" in metadata else ()
    how |= {"note": notes[0] if len(notes) == 1 else list(notes)} if notes else {}
    program.write_sav(frame, str(path), compress=path.suffix == ".zsav", **how)


def _filled(values: Any) -> Any:
    """Texts as Stata has them, to which a missing one is empty: its writer fails at long ones."""
    is_text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    return pc.fill_null(values, "") if is_text else values


def _scrub(path: Path, columns: Mapping[str, _Column], weight: str | None) -> None:
    """Take the time of writing out of the file, and say which variable is the weight."""
    with path.open("r+b") as file:
        head = file.read(4096)
        if path.suffix == ".dta":
            at = head.find(b"<timestamp>")
            if at >= 0:
                length = head[at + 11]
                file.seek(at + 12)
                file.write(_EPOCH.strftime("%d %b %Y %H:%M").encode()[:length].ljust(length))
            return
        file.seek(92)
        file.write(b"01 Jan 0000:00:00")
        if weight in columns and path.suffix == ".sav":
            place = 1
            for name, column in columns.items():
                if name == weight:
                    file.seek(76)
                    file.write(place.to_bytes(4, "little"))
                    return
                if str(column.values.type) in ("string", "large_string"):
                    return  # how many places a text takes is the writer's business
                place += 1


def _write_sheet(path: Path, columns: Mapping[str, _Column]) -> None:
    """A sheet of the records, and one of the variables where they have labels.

    The writer lays cells down in files of its own until the book is closed: in a room that is gone
    in the end, whatever happens.
    """
    writer = library("xlsxwriter", _EXTRA)
    options: dict[str, Any] = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "default_date_format": "yyyy-mm-dd",
    }
    with room(path) as folder:
        workbook = writer.Workbook(str(path), options | {"tmpdir": str(folder)})
        try:
            workbook.set_properties({"created": _EPOCH})
            _write_records(workbook.add_worksheet("records"), columns)
            labels = [(name, one.label) for name, one in columns.items() if one.label]
            if labels:
                about = workbook.add_worksheet("variables")
                for i, pair in enumerate([("column", "label"), *labels]):
                    for j, text in enumerate(pair):
                        about.write_string(i, j, text)
            workbook.close()
        finally:
            for sheet in workbook.worksheets():
                sheet.row_data_fh.close()  # some systems remove no open file


def _write_records(sheet: Any, columns: Mapping[str, _Column]) -> None:
    sheet.write_row(0, 0, list(columns))
    table = pa.table({name: column.values for name, column in columns.items()})
    row = 0
    for batch in table.to_batches(max_chunksize=10_000):
        for record in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            row += 1
            for i, cell in enumerate(record):
                _write_cell(sheet, row, i, cell)


def _write_cell(sheet: Any, row: int, column: int, cell: Any) -> None:
    """A cell as what it is: a text is never run as a formula."""
    if cell is None or cell != cell:  # noqa: PLR0124 - what is no number is missing
        return
    if isinstance(cell, bool):
        sheet.write_boolean(row, column, cell)
    elif isinstance(cell, int | float):
        sheet.write_number(row, column, cell)
    elif isinstance(cell, dt.date | dt.datetime):
        sheet.write_datetime(row, column, cell)
    else:
        sheet.write_string(row, column, str(cell))


# -- What files of other programs can hold ---------------------------------------------------------
#
# A column with more is refused before anything is written: their writers fail at it, or cut and
# round it without a word.


def refusal(name: str, suffix: str, why: str) -> Problem:
    """The problem of a column that a file of a program cannot hold."""
    return Problem("O10", f"a {suffix} file cannot hold {name!r}: {why}.", _REMEDY)


def unfit_cells(values: pa.ChunkedArray, suffix: str) -> str | None:
    """Why a file cannot hold the cells of a column as what they are; None where it can."""
    dtype = values.type
    if pa.types.is_integer(dtype):
        return _of_integers(values)
    if pa.types.is_floating(dtype):
        return _numbers_beyond(values, suffix)
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


def _numbers_beyond(values: pa.ChunkedArray, suffix: str) -> str | None:
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
    end = ((dt.date.max - _DAY_ZERO).days + 1) * day - 1
    if _is_beyond(values, (dt.date.min - _DAY_ZERO).days * day, end):
        return "it has dates that are not within the years 1 to 9999"
    if suffix == ".xlsx" and _is_beyond(values, (first - _DAY_ZERO).days * day, end):
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
