"""Hierarchy files in ARX's format: no header, per line a leaf and its label on each level."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.csvfile import SEPARATORS
from discreet.errors import Problem, argument, fail, raise_all
from discreet.files import beside, need_free
from discreet.frames import texts_of
from discreet.words import counted

_SNIFFED = 100  # rows
_NAMED = 8  # lines named in an error


def read_levels(path: Path, separator: str | None) -> list[pa.Array]:
    """The leaves and their labels, level by level; an empty leaf is the missing value."""
    text = _text(path)
    if not text.strip():
        fail("S10", f"{path.name} is empty.", "Give a file with a leaf and its labels per line.")
    rows, lines = _rows(text, separator or _sniff(text), path)
    _refuse_uneven(rows, lines, path)
    if len(rows[0]) < 2:
        fail(
            "S10",
            f"{path.name} has leaves but no level above them.",
            "Check the separator: comma, semicolon, tab and | are detected.",
        )
    leaves, *levels = zip(*rows, strict=True)
    named = [leaf or None for leaf in leaves]
    return [texts_of(column) for column in (named, *levels)]


def write_rows(
    rows: Iterable[Sequence[str | None]],
    path: str | os.PathLike[str],
    *,
    separator: str,
    overwrite: bool,
) -> None:
    """Write rows to a file that appears whole or not at all; None is an empty cell."""
    target = _target(path, overwrite=overwrite)
    refuse_separator(separator)
    lines = [separator.join(_cell(cell, separator) for cell in row) + "\n" for row in rows]
    with beside(target) as place, place.open("w", encoding="utf-8", newline="") as file:
        file.writelines(lines)


def refuse_separator(separator: Any) -> None:
    """Raise when a separator is not one character that can separate."""
    if not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n':
        fail("P02", f"{argument('separator')} must be one character.", "Use ';', ',' or a tab.")


def _text(path: Path) -> str:
    with contextlib.suppress(OSError):
        raw = path.read_bytes()
        with contextlib.suppress(UnicodeDecodeError):
            if b"\0" not in raw:
                return raw.decode("utf-8-sig")
        fail("S05", f"{path.name} is not text in UTF-8.", "Save it as UTF-8.")
    fail("S03", f"{path.name} cannot be opened.", "Check its permissions.")


def _sniff(text: str) -> str:
    """The separator that cuts most of the first rows into as many cells, the more the better."""

    def fit(separator: str) -> tuple[bool, int]:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        with contextlib.suppress(csv.Error):
            widths = Counter(len(row) for row in itertools.islice(reader, _SNIFFED) if row)
            width, rows = widths.most_common(1)[0]
            return width > 1 and 2 * rows > widths.total(), width
        return False, 0

    return max((";", *SEPARATORS), key=fit)  # ARX's own where two fit as well


def _rows(text: str, separator: str, path: Path) -> tuple[list[list[str]], list[int]]:
    """The rows that are not blank, and the line on which each ends."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    with contextlib.suppress(csv.Error):
        numbered = [(row, reader.line_num) for row in reader if row]
        return [row for row, _ in numbered], [line for _, line in numbered]
    fail("S07", f"{path.name} cannot be read near line {reader.line_num}.", "Check its quotes.")


def _refuse_uneven(rows: list[list[str]], lines: list[int], path: Path) -> None:
    usual = Counter(len(row) for row in rows).most_common(1)[0][0]
    uneven = [(line, len(row)) for row, line in zip(rows, lines, strict=True) if len(row) != usual]
    problems = [
        Problem(
            "S06",
            f"{path.name}, line {line}: {counted(n, 'cell')} where others have {usual}.",
            "Correct it.",
        )
        for line, n in uneven[:_NAMED]
    ]
    if len(uneven) > _NAMED:
        more = f"{path.name}: {len(uneven) - _NAMED:,} more lines are too short or too long."
        problems.append(Problem("S06", more, "Check the separator."))
    raise_all(problems)


def _target(path: str | os.PathLike[str], *, overwrite: bool) -> Path:
    if not isinstance(path, str | os.PathLike):
        fail("O01", "what was given is not a path.", "Give the name of a file.")
    target = Path(path)
    need_free(target, overwrite=overwrite, suffixes=(target.suffix,))
    return target


def _cell(cell: str | None, separator: str) -> str:
    if cell is None:
        return ""
    quoted = not cell or any(sign in cell for sign in (separator, '"', "\r", "\n"))
    return '"' + cell.replace('"', '""') + '"' if quoted else cell


def rows_of(table: pa.Table) -> Iterator[tuple[str | None, ...]]:
    """The rows of a table of texts."""
    return zip(*(column.to_pylist() for column in table.columns), strict=True)
