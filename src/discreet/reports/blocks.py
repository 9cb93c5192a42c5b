"""The blocks that a page is made of: words, key figures, tables, charts with their tables, code.

They hold plain text and numbers; the templates escape them. A cell is shown by what it is: whole
numbers with separators, others with four figures, shares as percentages.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

from discreet.words import share

MOST_ROWS = 40
_NOISE = 1e-12  # less than this is what rounding left of 0
_NUMERIC = re.compile(r"[+−-]?[\d,]+(\.\d+)?( ?%)?|–")


@dataclass(frozen=True)
class Share:
    """A part of a whole, shown as a percentage."""

    part: int
    whole: int


@dataclass(frozen=True)
class Words:
    """Paragraphs; ``tone`` tells good news from bad, which the words say as well."""

    lines: tuple[str, ...]
    tone: str = ""


@dataclass(frozen=True)
class KeyFigures:
    """A few numbers and what each of them is."""

    figures: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Table:
    """A table with its caption; the first cell of a row is its heading."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""

    @property
    def aligned(self) -> tuple[str, ...]:
        """The alignment of each column: numbers stand right, but for the headings of rows."""
        return tuple(
            "num" if c and self.rows and all(_is_number(row[c]) for row in self.rows) else "txt"
            for c in range(len(self.columns))
        )


@dataclass(frozen=True)
class Figure:
    """A chart with its alternative text and the table of its numbers."""

    title: str
    alt: str
    svg: str
    table: Table
    note: str = ""
    fixed: bool = False  # keeps its size, and scrolls where it does not fit
    wide: bool = False


@dataclass(frozen=True)
class Code:
    """Lines to run."""

    caption: str
    text: str


@dataclass(frozen=True)
class SideBySide:
    """Blocks beside each other where there is room."""

    blocks: tuple[Words | Table, ...]


Block = Words | KeyFigures | Table | Figure | Code | SideBySide


@dataclass(frozen=True)
class Section:
    """A section of the page."""

    id: str
    title: str
    blocks: tuple[Block, ...] = field(default_factory=tuple)


def shown(cell: Any) -> str:
    """A cell as text.

    Examples
    --------
    >>> shown(12345), shown(0.123456), shown(91827.3645), shown(None), shown(Share(1, 3))
    ('12,345', '0.1235', '91,830', '–', '33.3%')
    """
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return rounded(cell)
    if isinstance(cell, Share):
        return share(cell.part, cell.whole) if cell.whole else "–"
    return str(cell)


def rounded(value: float, digits: int = 4) -> str:
    """A number with a few significant digits: the statistic of many records shows no single one.

    Examples
    --------
    >>> rounded(918273645.2), rounded(0.00012347), rounded(-0.5), rounded(1e-30)
    ('918,300,000', '0.0001235', '-0.5', '0')
    """
    number = float(f"{value:.{digits}g}") if not abs(value) < _NOISE else 0.0
    if not -1e15 < number < 1e15 or 0 < abs(number) < 1e-6:
        return f"{number:.{digits}g}"
    if number == int(number):
        return f"{int(number):,}"
    places = next(d for d in range(1, 12) if round(number, d) == number)
    return f"{number:,.{places}f}"


def upwards(risk: float) -> float:
    """A risk with three decimals, never less than it is."""
    return math.ceil(risk * 1000 - 1e-9) / 1000


def cut(table: Table, most: int = MOST_ROWS) -> Table:
    """The first rows of a table, and how many there are in all."""
    if len(table.rows) <= most:
        return table
    said = f"The first {most:,} of {len(table.rows):,} rows."
    return Table(table.caption, table.columns, table.rows[:most], f"{said} {table.note}".strip())


def _is_number(cell: Any) -> bool:
    if isinstance(cell, str):
        return _NUMERIC.fullmatch(cell) is not None
    plain = cell is None or isinstance(cell, int | float | Share)
    return plain and not isinstance(cell, bool)
