"""The outside of a CSV file: separator, encoding, header — found by reading its first lines.

What is wrong with a file is said before the engine opens it: the engine's own messages
quote the offending line, which may hold a cell.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import gzip
import io
import itertools
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, cast

from discreet.errors import Problem, argument, fail, raise_all

Encoding = Literal["utf-8", "latin-1", "utf-16"]
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "latin-1", "utf-16")
SEPARATORS = (",", ";", "\t")
_HEAD = 1 << 20
_ROWS = 50
_NUMBER = re.compile(r"(?!(19|20)\d\d$)[+-]?(\d+([.,]\d*)?|[.,]\d+)")  # years are fair names


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written, and the names in its header."""

    separator: str
    encoding: Encoding
    names: tuple[str, ...]
    header_rows: int  # up to and with the header; blank lines before it count
    line_end: str


@dataclass(frozen=True)
class CsvOptions:
    """What the user says of a CSV file; ``names`` name the columns of a file without header."""

    separator: str | None = None
    encoding: str = "utf-8"
    names: tuple[str, ...] | None = None
    header: bool = False  # True: the first line is a header although it holds numbers


def inspect(path: Path, options: CsvOptions) -> Dialect:
    """Sniff the separator and read the header of a CSV file.

    Parameters
    ----------
    path : pathlib.Path
        A file that exists.
    options : CsvOptions
        A separator that is not given is chosen among comma, semicolon and tab: the one that
        cuts the first rows into the same number of cells, the more the better. A byte order
        mark is skipped.
    """
    known = _known_encoding(options.encoding)
    _checked_separator(options.separator)
    head = _head(path, known)
    if not head.strip():
        fail("S02", f"{path.name} is empty.", "Give a file with a header and records.")
    chosen = options.separator or _sniff(head)
    first, rows = _first_row(head, chosen, path)
    if options.names is not None:
        _need_as_many(options.names, first, path)
        return Dialect(chosen, known, _names(list(options.names), path), rows - 1, _line_end(head))
    if not options.header and any(_NUMBER.fullmatch(cell.strip()) for cell in first):
        fail(
            "S14",
            f"the first line of {path.name} holds numbers and may be a record, not a header.",
            f"Name the columns with {argument('names')}, or say {argument('header', True)} "
            "if it is a header.",
        )
    return Dialect(chosen, known, _names(first, path), rows, _line_end(head))


def _need_as_many(names: tuple[str, ...], first: list[str], path: Path) -> None:
    if len(names) != len(first):
        fail(
            "S06",
            f"{argument('names')} has {len(names)} names, the first line of {path.name} "
            f"{len(first)} cells.",
            "Name each column.",
        )


def _checked_separator(separator: object) -> None:
    one = isinstance(separator, str) and len(separator) == 1 and separator not in '"\r\n'
    if separator is not None and not one:
        fail(
            "P02",
            f"{argument('separator')} must be one character.",
            "Leave it out to have it sniffed.",
        )


def _known_encoding(encoding: object) -> Encoding:
    name = encoding.lower().replace("_", "-") if isinstance(encoding, str) else ""
    name = {"utf8": "utf-8", "utf-8-sig": "utf-8", "latin1": "latin-1", "utf16": "utf-16"}.get(
        name, name
    )
    name = {"iso-8859-1": "latin-1"}.get(name, name)
    if name not in ENCODINGS:
        fail("P03", f"encoding {encoding!r} is not known.", f"Use one of {', '.join(ENCODINGS)}.")
    return name


def _head(path: Path, encoding: Encoding) -> str:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    problem: Problem | None = None
    raw = b""
    try:
        with cast("IO[bytes]", opener(path, "rb")) as file:
            raw = file.read(_HEAD)
    except PermissionError:
        problem = Problem("S03", f"{path.name} may not be read.", "Check its permissions.")
    except (OSError, EOFError, zlib.error):
        problem = Problem("S03", f"{path.name} cannot be opened.", "Check that it is a whole file.")
    raise_all([problem] if problem else [])
    if encoding != "utf-16" and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        fail(
            "S05",
            f"{path.name} is encoded in UTF-16.",
            f"Read it with {argument('encoding', 'utf-16')}.",
        )
    if raw.startswith(b"PAR1"):
        fail("S05", f"{path.name} holds Parquet.", "Give its name the ending .parquet.")
    if encoding != "utf-16" and b"\0" in raw:
        fail("S05", f"{path.name} is not a text file.", "Give a CSV or Parquet file.")
    return _decoded(raw, encoding, path).removeprefix("\ufeff")


def _decoded(raw: bytes, encoding: Encoding, path: Path) -> str:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        return decoder.decode(raw, final=len(raw) < _HEAD)
    except UnicodeDecodeError:
        pass
    raise_all([not_in_encoding(path.name, encoding)])
    return ""


def not_in_encoding(name: str, encoding: str) -> Problem:
    """The problem of a file that is not written in the encoding it was read with."""
    return Problem(
        "S05",
        f"{name} is not encoded in {encoding.upper()}.",
        f"If it was written by an older program, read it with {argument('encoding', 'latin-1')}.",
    )


def _sniff(head: str) -> str:
    """The separator that cuts the first rows into most cells, all alike; else the header."""

    def fit(separator: str) -> tuple[bool, int]:
        widths = [len(row) for row in _rows(head, separator) if row]
        alike = len(set(widths)) == 1
        return alike and widths[0] > 1, widths[0] if widths else 0

    best = max(SEPARATORS, key=fit)  # the first one where two fit as well
    return best if fit(best)[1] > 1 else SEPARATORS[0]


def _rows(head: str, separator: str) -> Iterator[list[str]]:
    """The first rows, as far as they can be read."""
    lines = io.StringIO(head, newline="")  # a line may end in CR alone
    with contextlib.suppress(csv.Error):
        yield from itertools.islice(csv.reader(lines, delimiter=separator, strict=True), _ROWS)


def _first_row(head: str, separator: str, path: Path) -> tuple[list[str], int]:
    """The first row that is not blank, and the number of rows up to it."""
    for number, row in enumerate(_rows(head, separator), 1):
        if len(row) > 1 or (row and row[0].strip()):
            return row, number
    fail("S07", f"the header of {path.name} cannot be read.", "Check its quotes.")


def _line_end(head: str) -> str:
    """The first line end that stands outside quotes."""
    found = re.search(r"\r\n|\r|\n", re.sub(r'"[^"]*"', "", head))
    return found[0] if found else "\n"


def _names(header: list[str], path: Path) -> tuple[str, ...]:
    names = [name.strip() or f"column {i}" for i, name in enumerate(header, 1)]
    refuse_duplicates(names, path)
    return tuple(names)


def refuse_duplicates(names: Sequence[str], path: Path) -> None:
    """Raise the problem of columns that have the same name."""
    raise_all(
        [
            Problem("S04", f"{path.name} has more than one column {name!r}.", "Rename them.")
            for name, number in Counter(names).items()
            if number > 1
        ]
    )
