"""Hints: columns that were read as text, although most of their values are numbers or dates.

Such a column is not averaged but replaced by its most frequent value, and it is not cut into
intervals. Nothing is changed by itself: the hint says which argument of ``read`` would do it.
No value is shown; the codes that are named are the usual ones of other programs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from discreet import engine
from discreet.errors import Problem, argument

if TYPE_CHECKING:
    from discreet.csvfile import CsvOptions
    from discreet.data.microdata import Microdata

_ROWS = 1000  # are looked at
_MOST = 0.5  # of the values
_CODES = ("NA", "N/A", "n/a", "NULL", "null", "None", "NaN", "#N/A", "#NULL!", ".", "-", "?")
_POINT = re.compile(r"\s*[+-]?[0-9]+(\.[0-9]+)?\s*")
_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")
_GROUPED = re.compile(
    r"\s*[+-]?[0-9]{1,3}([.,'\u00a0\u202f\u2019 ])[0-9]{3}(\1[0-9]{3})*([.,][0-9]*)?\s*"
)
_LEADING = re.compile(r"\s*0[0-9]")  # a code, not an amount
_DATE = re.compile(r"\s*([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})\s*")


def hints_of(data: Microdata, csv: CsvOptions, as_text: Collection[str]) -> list[Problem]:
    """What would make numbers or dates of columns of a CSV file; nothing for other sources."""
    held_back = data.roles.held_back
    texts = [
        name
        for name, kind in data.source.kinds.items()
        if kind == "text" and name not in held_back and name not in as_text
        and data.types.scale(name) is None
    ]  # fmt: skip
    if not texts:
        return []
    head = engine.head(data.source, texts, _ROWS)
    found = [(name, hint(head.column(name).unique().to_pylist(), csv)) for name in texts]
    return [
        Problem("D13", f"{name!r} is read as text: {said[0]}", said[1])
        for name, said in found
        if said
    ]


def hint(cells: Sequence[str | None], csv: CsvOptions) -> tuple[str, str] | None:
    """What most of the cells look like, and what to say for it; None where they are plain texts.

    Examples
    --------
    >>> from discreet.csvfile import CsvOptions
    >>> hint(["1", "2", "NA"], CsvOptions())[0]
    "its values are numbers, and the code 'NA'."
    """
    values = [cell for cell in cells if cell is not None]
    usual = [code for code in _CODES if code in values]
    others = [cell for cell in values if cell not in usual]
    if not others:
        return None
    numbers = sum(bool(_POINT.fullmatch(c)) and not _LEADING.match(c) for c in others)
    commas = sum(bool(_COMMA.fullmatch(c)) for c in others)
    if usual and numbers == len(others):
        names = ", ".join(repr(code) for code in usual)
        remedy = f"If {names} means missing, read it with {argument('missing_values', usual[0])}."
        return f"its values are numbers, and the code {names}.", remedy
    grouped = [found for c in others if (found := _GROUPED.fullmatch(c))]
    marked = csv.thousands is None and grouped and numbers + len(grouped) >= _MOST * len(others)
    if marked and (not commas or csv.decimal == "," or any(found[2] for found in grouped)):
        what = "most of its values are numbers with marks between thousands."
        return what, f"Name the mark with {argument('thousands')}."
    if csv.decimal == "." and commas and numbers + commas >= _MOST * len(others):
        what = "most of its values have a decimal comma."
        return what, f"Read it with {argument('decimal', ',')}."
    dates = [found for c in others if (found := _DATE.fullmatch(c))]
    if csv.date_format is None and len(dates) >= _MOST * len(others):
        said = f"Read it with {argument('date_format', _written(dates))}."
        return "most of its values are dates.", said
    if csv.decimal == "," and any("." in c for c in others) and numbers >= _MOST * len(others):
        what = f"most of its values have a decimal point, and {argument('decimal', ',')} was given."
        return what, "Write the numbers of all columns in the same way."
    if numbers >= 0.9 * len(others):
        what = f"{len(others) - numbers:,} of {len(others):,} values seen are not numbers."
        if numbers == len(others):
            what = f"some values after the first {_ROWS:,} records are not numbers."
        return what, f"If they mean missing, name them in {argument('missing_values')}."
    return None


def _written(dates: Sequence[re.Match[str]]) -> str:
    """How dates are written; the day comes first where it cannot be seen."""
    month_first = any(int(date[3]) > 12 for date in dates)
    first, second = ("mm", "dd") if month_first else ("dd", "mm")
    mark, year = dates[0][2], "y" * len(dates[0][4])
    return mark.join([first, second, year])
