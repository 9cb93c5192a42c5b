"""Spreadsheets, read by calamine: values as they were last saved. Nothing in them is run.

A column has the type that fits all its cells, as in a CSV file; a mixed one is text.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import Problem, argument, did_you_mean, fail, listed, raise_all
from discreet.formats.extent import refuse_scattered

if TYPE_CHECKING:
    import pyarrow as pa


def read_sheet(path: Path, sheet: str | int | None, names: Sequence[str] | None) -> pa.Table:
    """The cells of a sheet: its first row that is not empty names the columns."""
    import pyarrow as pa

    rows = _rows(path, sheet)
    head: list[Any] = next((row for row in rows if any(cell != "" for cell in row)), [])
    if names is not None:
        header, body = list(names), [head, *rows]
        if len(header) != len(head):
            what = f"{argument('names')} has {len(header)} names, {path.name} {len(head)} columns."
            fail("S06", what, "Name each column.")
    else:
        header, body = _header(head), list(rows)
    records = [row for row in body if any(cell != "" for cell in row)]
    if not header or not records:
        fail("S02", f"{path.name} has no records.", "Give a sheet with a header and records.")
    columns = [_column([row[i] for row in records]) for i in range(len(header))]
    return pa.Table.from_arrays(columns, names=header)


def _rows(path: Path, sheet: str | int | None) -> Iterable[list[Any]]:
    refuse_scattered(path)
    calamine = _calamine()
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
    fail("S17", what, near or f"Its sheets are {listed(names)}; they are counted from 1.")


def _header(cells: Sequence[Any]) -> list[str]:
    return [_text(cell).strip() or f"column {i}" for i, cell in enumerate(cells, 1)]


def _column(cells: list[Any]) -> pa.Array:
    """The cells in the type that fits all; an empty one is missing."""
    import pyarrow as pa

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
    if kinds <= {dt.date, dt.datetime}:
        return pa.array(values, pa.timestamp("us"))
    return pa.array([None if value is None else _text(value) for value in values], pa.string())


def _text(cell: Any) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell)) if whole else str(cell)


def _calamine() -> Any:
    try:
        return importlib.import_module("python_calamine")
    except ModuleNotFoundError:
        pass
    fail("M01", "python-calamine is not installed.", "Run: pip install 'discreet[formats]'")
