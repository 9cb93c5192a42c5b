"""Spreadsheets, read by calamine: values as they were last saved. Nothing in them is run.

A column has the type that fits all its cells, as in a CSV file; a mixed one is text.

The reader takes memory for every place up to the last cell. Two cells in opposite corners of a
sheet, a file of five kilobytes, would take half a terabyte and end the process: how far the cells
reach is found out before.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet import csvfile
from discreet.errors import Problem, argument, did_you_mean, fail, library, listed, raise_all
from discreet.files import unpacked_parts
from discreet.header import NUMBERS, Verdict, verdict
from discreet.words import counted

_PLACES = 10_000_000  # that a sheet may always have; more only where its cells fill them
_SHEET = re.compile(r"xl/worksheets/[^/]*\.(xml|bin)", re.IGNORECASE)
_ROW = re.compile(rb"""\br=["'](\d{1,10})["']""")
_CELL = re.compile(rb"""\br=["']([A-Za-z]{1,7})\d{1,10}["']""")
_UNPLACED = re.compile(rb"<(?:\w+:)?c(?=[\s/>])(?![^<>]*\br=)")
_ROW_START = re.compile(rb"<(?:\w+:)?row\b")


def read_sheet(
    path: Path,
    sheet: str | int | None,
    names: Sequence[str] | None,
    header: bool = False,
    columns: frozenset[str] = frozenset(),
) -> pa.Table:
    """The cells of a sheet: its first row that is not empty names the columns.

    One that looks like a record is refused, as in a CSV file, unless ``names`` are given or it is
    said to be a ``header``; ``columns`` are those that the user speaks of.
    """
    rows = _rows(path, sheet)
    head: list[Any] = next((row for row in rows if not _is_empty(row)), [])
    records = [row for row in rows if not _is_empty(row)]
    if names is not None:
        if len(names) != len(head):
            what = f"{argument('names')} has {len(names)} names, {path.name} {len(head)} columns."
            fail("S06", what, "Name each column.")
        records = [head, *records]
    if not head or not records:
        fail("S02", f"{path.name} has no records.", "Give a sheet with a header and records.")
    if names is None and not header:
        csvfile.told_of_records(path, "row", _verdict(head, records, columns), 7)
    named = csvfile.names_in([_text(c) for c in head] if names is None else names, path, "row")
    made = [_column([row[i] for row in records]) for i in range(len(named))]
    return pa.Table.from_arrays(made, names=list(named))


def _is_empty(row: Sequence[Any]) -> bool:
    return all(cell == "" for cell in row)


def _verdict(
    head: Sequence[Any], records: Sequence[Sequence[Any]], columns: frozenset[str]
) -> Verdict | None:
    """What of a first row belies that it is a header."""
    cells = [_text(cell) for cell in head]
    if not columns.isdisjoint(cells):
        return None
    if any(isinstance(cell, bool | dt.time | dt.timedelta) for cell in head):
        return Verdict(refused=True, why="holds times or truth values")
    if any(isinstance(cell, float) and not cell.is_integer() for cell in head):
        return Verdict(refused=True, why=NUMBERS)  # however small: texts may have an exponent
    below = [[_text(cell) for cell in row] for row in records[: csvfile.ROWS]]
    return verdict(cells, below, columns)


def _rows(path: Path, sheet: str | int | None) -> Iterable[list[Any]]:
    refuse_scattered(path)
    calamine = library("python_calamine", "'discreet[formats]'", "python-calamine")
    problem: Problem | None = None
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        return iter(
            book.get_sheet_by_name(_chosen(book, sheet, path)).to_python(skip_empty_area=True)
        )
    except calamine.PasswordError:
        problem = Problem("S05", f"{path.name} is encrypted.", "Save it without a password.")
    except (calamine.CalamineError, OSError, ValueError):
        remedy = "Check that it is a whole spreadsheet, without a password."
        problem = Problem("S07", f"{path.name} cannot be read as a spreadsheet.", remedy)
    raise_all([problem])
    raise AssertionError


def _chosen(book: Any, sheet: str | int | None, path: Path) -> str:
    """The name of the sheet: the first one that can be seen where none is named."""
    names = list(book.sheet_names)
    if isinstance(sheet, int) and not isinstance(sheet, bool) and 1 <= sheet <= len(names):
        return names[sheet - 1]
    if isinstance(sheet, str) and sheet in names:
        return sheet
    if sheet is None:
        seen = [one.name for one in book.sheets_metadata if str(one.visible).endswith("Visible")]
        return (seen or names)[0]
    near = did_you_mean(sheet, names) if isinstance(sheet, str) else ""
    what = f"{path.name} has no such sheet."
    has = f"It has {counted(len(names), 'sheet')}, counted from 1: {listed(names)}."
    fail("S17", what, near or has)


def _column(cells: list[Any]) -> pa.Array:
    """The cells in the type that fits all; an empty one is missing."""
    values = [None if cell == "" else cell for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        numbers = pa.array(values, pa.float64())
        with contextlib.suppress(pa.ArrowException):
            return numbers.cast(pa.int64())  # all of them whole
        return numbers
    for kind, dtype in ((bool, pa.bool_()), (dt.date, pa.date32()), (str, pa.string())):
        if kinds == {kind}:
            return pa.array(values, dtype)
    if kinds <= {dt.date, dt.datetime}:  # the reader gives midnight as a date
        return pa.array([_moment(value) for value in values], pa.timestamp("us"))
    return pa.array([None if value is None else _text(value) for value in values], pa.string())


def _moment(value: dt.date | None) -> dt.datetime | None:
    if value is None or isinstance(value, dt.datetime):
        return value
    return dt.datetime(value.year, value.month, value.day)  # noqa: DTZ001 - a sheet has no zones


def _text(cell: Any) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell)) if whole else str(cell)


def refuse_scattered(path: Path) -> None:
    """Refuse a spreadsheet whose few cells lie far apart, or that grows beyond measure."""
    for name, blocks in groupby(unpacked_parts(path), itemgetter(0)):
        contents = (block for _, block in blocks)
        if not _SHEET.fullmatch(name):
            for _ in contents:
                pass
            continue
        reach = _Reach()
        for block in contents if name.lower().endswith("bin") else _whole_tags(contents):
            (reach.add_binary if name.lower().endswith("bin") else reach.add)(block)
        if reach.rows * reach.columns > max(_PLACES, reach.size):
            what = f"cells of {path.name} lie so far apart that a table of them is too large:"
            what += f" {reach.rows:,} rows of {reach.columns:,} columns."
            fail("S18", what, "Delete the cells outside of the table, or save it as CSV.")


def _whole_tags(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks that end between two tags; a tag of a megabyte is cut."""
    rest = b""
    for block in blocks:
        end = block.rfind(b"<")
        end = len(block) - 64 if end < 0 else end
        yield rest + block[:end]
        rest = block[end:]
    yield rest


@dataclass
class _Reach:
    """The last row and column that were seen, and the bytes that were read."""

    rows: int = 0
    columns: int = 0
    size: int = 0
    _started: int = 0
    _unplaced: int = 0
    _rest: bytes = b""

    def add(self, block: bytes) -> None:
        """Look at a block of XML. Cells may leave out where they are: then they are counted."""
        self.size += len(block)
        starts = len(_ROW_START.findall(block))
        self._started += starts
        self.rows = max([self.rows, self._started, *map(int, _ROW.findall(block))])
        self.columns = max([self.columns, *map(_number, set(_CELL.findall(block)))])
        if _UNPLACED.search(block) is None:
            self._unplaced = 0 if starts else self._unplaced
            return
        first, *others = (len(_UNPLACED.findall(row)) for row in _ROW_START.split(block))
        counts = [self._unplaced + first, *others]
        self.columns = max([self.columns, *counts])
        self._unplaced = counts[-1]

    def add_binary(self, block: bytes) -> None:
        """Look at a block of records: a row begins with its number, a cell with its column."""
        self.size += len(block)
        raw, at = self._rest + block, 0
        while at < len(raw):
            kind, length, start = _record(raw, at)
            if start + length > len(raw):
                break
            if (kind <= 11 or kind == 62) and length >= 4:  # 0 is a row, the others are cells
                number = 1 + int.from_bytes(raw[start : start + 4], "little")
                if kind:
                    self.columns = max(self.columns, number)
                else:
                    self.rows = max(self.rows, number)
            at = start + length
        self._rest = raw[at:]


def _number(letters: bytes) -> int:
    """The number of a column: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _record(raw: bytes, at: int) -> tuple[int, int, int]:
    """Kind and length of a binary record, and where its contents begin."""
    kind = raw[at]
    at += 1
    if kind & 0x80 and at < len(raw):
        kind |= raw[at] << 8
        at += 1
    length = 0
    for place in range(4):
        if at >= len(raw):
            return kind, len(raw), at  # not whole yet
        length |= (raw[at] & 0x7F) << (7 * place)
        at += 1
        if not raw[at - 1] & 0x80:
            break
    return kind, length, at
