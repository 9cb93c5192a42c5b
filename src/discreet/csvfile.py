"""The outside of a CSV file: separator, encoding, header, how it is packed — found by reading its
first lines.

What is wrong with a file is said before the engine opens it: the engine's own messages
quote the offending line, which may hold a cell.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import csv
import gzip
import io
import itertools
import lzma
import re
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from discreet.errors import FULL, Problem, ReadHint, argument, fail, noted, raise_all
from discreet.files import bomb, most_unpacked
from discreet.header import Verdict, verdict
from discreet.surface import in_python

ENCODINGS = ("utf-8", "cp1252", "latin-1", "utf-16")  # the usual ones, as forms offer them
IN_ENGINE = ("utf-8", "latin-1", "utf-16")  # what the engine reads by itself
SEPARATORS = (",", ";", "\t", "|")
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
_HEAD = 1 << 20
_LONGEST_HEADER = 1 << 25
_MOST_COLUMNS = 10_000
_STATED = re.compile(r'"?sep=(.)"?[^\S\r\n]*(\r\n|\r|\n)')  # the first line that spreadsheets write
ROWS = 50  # that are looked at


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written, and the names in its header."""

    separator: str
    encoding: str
    names: tuple[str, ...]
    header_rows: int  # up to and with the header; blank lines before it count
    line_end: str
    sure: bool = True  # the user says which names are names
    decimal: str = "."
    thousands: str | None = None
    date_format: str | Mapping[str, str] | None = None

    def date_format_of(self, name: str) -> str | None:
        """The order of day, month and year in a column, where it was declared."""
        given = self.date_format
        return given.get(name) if isinstance(given, Mapping) else given


@dataclass(frozen=True)
class CsvOptions:
    """What the user says of a CSV file; ``names`` name the columns of a file without header."""

    separator: str | None = None
    encoding: str = "utf-8"
    names: tuple[str, ...] | None = None
    header: bool = False  # True: the first line is a header although it holds numbers
    decimal: str = "."
    thousands: str | None = None
    date_format: str | Mapping[str, str] | None = None
    columns: frozenset[str] = frozenset()  # that the user speaks of: a header has them


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
    problems = [*_separator_problems(options), *_number_problems(options)]
    with noted(problems):
        known = known_encoding(options.encoding)
    with noted(problems):
        formats = _known_formats(options.date_format)
    raise_all(problems)
    head = _head(path, known)
    if not head.strip():
        fail("S02", f"{path.name} is empty.", "Give a file with a header and records.")
    stated = _STATED.match(head)
    body = head[stated.end() :] if stated else head
    chosen = options.separator or (stated[1] if stated else _sniff(body))
    first, rows = _first_row(body, chosen, path)
    rows += bool(stated)
    sure = options.names is not None or options.header
    how = (_line_end(head), sure, options.decimal, options.thousands, formats)
    if options.names is not None:
        _need_as_many(options.names, first, path)
        return Dialect(chosen, known, names_in(options.names, path), rows - 1, *how)
    others = _rows(body, chosen)[rows - bool(stated) :]
    if not sure:
        told_of_records(path, "line", verdict(first, others, options.columns), 6)
    return Dialect(chosen, known, names_in(first, path), rows, *how)


def told_of_records(path: Path, line: str, found: Verdict | None, frames_below: int) -> None:
    """Refuse a first line or row that is taken for a record, and tell of one that may be one.

    ``frames_below`` is how many calls deeper than the line of the user we are.
    """
    if found is None:
        return
    problem = Problem(
        "S14",
        f"the first {line} of {path.name} {found.why} and may be a record, not a header.",
        f"Name the columns with {argument('names')}, or say {argument('header', True)} "
        "if it is a header.",
    )
    raise_all([problem] if found.refused else [])
    warnings.warn(ReadHint(problem), stacklevel=frames_below + 1)


def _need_as_many(names: tuple[str, ...], first: list[str], path: Path) -> None:
    if len(names) != len(first):
        fail(
            "S06",
            f"{argument('names')} has {len(names)} names, the first line of {path.name} "
            f"{len(first)} cells.",
            "Name each column.",
        )


def _separator_problems(options: CsvOptions) -> list[Problem]:
    given: object = options.separator
    one = isinstance(given, str) and len(given) == 1 and given not in '"\r\n'
    if given is None or one:
        return []
    remedy = "Leave it out to have it detected."
    return [Problem("P02", f"{argument('separator')} must be one character.", remedy)]


def _number_problems(options: CsvOptions) -> list[Problem]:
    decimal, thousands = options.decimal, options.thousands
    problems = []
    if decimal not in (".", ","):
        what = f"{argument('decimal')} is neither a point nor a comma."
        problems.append(Problem("P26", what, f"Write {argument('decimal', ',')}."))
    if thousands is not None and (thousands not in (*".,' \u00a0\u202f\u2019",) or not thousands):
        what = f"{argument('thousands')} is not a point, comma, blank or apostrophe."
        problems.append(Problem("P26", what, "Leave it out where numbers have none."))
    if thousands == decimal:
        what = f"{argument('thousands')} and {argument('decimal')} are the same."
        problems.append(Problem("P26", what, "Give the two characters that the file uses."))
    return problems


_PARTS = {"%d": r"([0-9]{1,2})", "%m": r"([0-9]{1,2})", "%Y": r"([0-9]{4})", "%y": r"([0-9]{2})",
          "%H": r"([0-9]{1,2})", "%M": r"([0-9]{1,2})", "%S": r"([0-9]{1,2})"}  # fmt: skip


def _known_formats(given: Any) -> str | dict[str, str] | None:
    """Formats of dates with the directives of Python, where words such as dd/mm/yyyy are taken
    for them; refused where a date cannot be told from them.
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        return {str(name): _known_format(one) for name, one in given.items()}
    return _known_format(given)


def _known_format(given: object) -> str:
    text = given if isinstance(given, str) else ""
    words = {"yyyy": "%Y", "yy": "%y", "dd": "%d", "mm": "%m"}
    if "%" not in text:
        text = re.sub("yyyy|yy|dd|mm", lambda word: words[word[0].lower()], text, flags=re.I)
    used = re.findall("%.", text)
    year = ("%Y" in used) + ("%y" in used) == 1
    if not (year and {"%d", "%m"} <= set(used) <= set(_PARTS) and len(used) == len(set(used))):
        python = in_python(" or '%d/%m/%Y'")
        remedy = f"Write it as 'dd/mm/yyyy'{python}, with a day, a month and a year."
        fail("P27", f"{argument('date_format')} does not say how dates are written.", remedy)
    return text


def date_pattern(date_format: str) -> tuple[str, list[str]]:
    r"""A pattern for dates of a format, and what its groups stand for.

    Examples
    --------
    >>> date_pattern("%d/%m/%Y")
    ('^\\s*([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})\\s*$', ['%d', '%m', '%Y'])
    """
    parts = re.split("(%.)", date_format)
    pattern = "".join(_PARTS.get(part, re.escape(part)) for part in parts)
    return rf"^\s*{pattern}\s*$", [part for part in parts if part in _PARTS]


def known_encoding(encoding: object) -> str:
    """The name of an encoding as Python's codecs have it; utf-8, latin-1 and utf-16 as always."""
    found = None
    if isinstance(encoding, str):
        with contextlib.suppress(LookupError, ValueError):
            found = codecs.lookup(encoding)
    if found is None or not found._is_text_encoding:
        fail(
            "P03",
            f"encoding {encoding!r} is not known.",
            f"Use one of {', '.join(ENCODINGS)}, or another one that Python knows.",
        )
    return {"utf-8-sig": "utf-8", "iso8859-1": "latin-1"}.get(found.name, found.name)


def unpacked(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked where its name ends in one of :data:`PACKED`."""
    suffix = path.suffix.lower()
    if suffix == ".zip":
        return _only_member(path)
    if suffix == ".zst":
        import pyarrow as pa

        return cast("IO[bytes]", pa.input_stream(str(path), compression="zstd"))
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    return cast("IO[bytes]", openers.get(suffix, open)(path, "rb"))


def _only_member(path: Path) -> IO[bytes]:
    archive = zipfile.ZipFile(path)
    held = [one for one in archive.infolist() if not one.is_dir()]
    if len(held) != 1 or held[0].flag_bits & 1:
        archive.close()
        what = f"{path.name} holds {len(held)} files, or is encrypted."
        fail("S18", what, "Unpack it, and read the file that holds the records.")
    return archive.open(held[0])


_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)


def write_plain(path: Path, encoding: str, target: IO[bytes], *, mixed: bool = False) -> bool:
    """Write a file unpacked and in UTF-8, piece by piece; refuse one that grows beyond measure.

    Where it is ``mixed``, lines that end in CRLF end in LF as the others do, but not those within
    quotes. Returns whether there were any.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    most, seen = most_unpacked(path), 0
    problem: Problem | None = None
    ends = _LineEnds() if mixed else None
    alike = ends.alike if ends else lambda text, **_: text
    try:
        with unpacked(path) as file:
            while raw := file.read(_HEAD):
                seen += len(raw)
                if seen > most:
                    problem = bomb(path)
                    break
                target.write(alike(decoder.decode(raw)).encode())
            else:
                target.write(alike(decoder.decode(b"", final=True), final=True).encode())
    except UnicodeDecodeError:
        problem = not_in_encoding(path.name, encoding)
    except _BROKEN as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        problem = _broken(path)
    raise_all([problem] if problem else [])
    return ends is not None and ends.changed


@dataclass
class _LineEnds:
    """Line ends made alike, piece by piece."""

    changed: bool = False
    _quoted: bool = False
    _held: str = ""  # a CR at the end of a piece, whose LF may come with the next one

    def alike(self, text: str, *, final: bool = False) -> str:
        """A piece of a text with LF for CRLF, except within quotes."""
        text = self._held + text
        self._held = "\r" if text.endswith("\r") and not final else ""
        parts = text.removesuffix(self._held).split('"')
        for i in range(int(self._quoted), len(parts), 2):  # a doubled quote ends and begins anew
            bare = parts[i].replace("\r\n", "\n")
            self.changed |= bare != parts[i]
            parts[i] = bare
        self._quoted ^= len(parts) % 2 == 0
        return '"'.join(parts)


def _broken(path: Path) -> Problem:
    return Problem("S03", f"{path.name} cannot be opened.", "Check that it is a whole file.")


def _head(path: Path, encoding: str) -> str:
    problem: Problem | None = None
    raw = b""
    try:
        with unpacked(path) as file:
            raw = file.read(_HEAD)
            while b"\n" not in raw and b"\r" not in raw and len(raw) < _LONGEST_HEADER:
                more = file.read(_HEAD)
                if not more:
                    break
                raw += more
    except PermissionError:
        problem = Problem(
            "S03", f"{path.name} cannot be read: permission is denied.", "Check its permissions."
        )
    except _BROKEN:
        problem = _broken(path)
    raise_all([problem] if problem else [])
    _need_text(raw, encoding, path)
    return _decoded(raw, encoding, path).removeprefix("\ufeff")


_MAGIC = {  # what else a file may be, by its first bytes, and the endings of its kind
    b"PAR1": ("Parquet", ".parquet"),
    b"$FL2": ("SPSS data", ".sav"),
    b"$FL3": ("compressed SPSS data", ".zsav"),
    b"<stata_dta>": ("Stata data", ".dta"),
    b"PK\x03\x04": ("a packed file or a spreadsheet", ".xlsx, .ods or .zip"),
    b"\x1f\x8b": ("a file packed by gzip", ".csv.gz"),
}


def _need_text(raw: bytes, encoding: str, path: Path) -> None:
    wide = encoding.startswith(("utf-16", "utf-32"))
    if not wide and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        fail(
            "S05",
            f"{path.name} is encoded in UTF-16.",
            f"Read it with {argument('encoding', 'utf-16')}.",
        )
    for magic, (kind, ending) in _MAGIC.items():
        if raw.startswith(magic):
            fail("S05", f"{path.name} holds {kind}.", f"Rename it so that it ends in {ending}.")
    if not wide and b"\0" in raw:
        remedy = "Give a CSV file; the name of any other kind must end in .parquet, .sav, .xlsx, …."
        fail("S05", f"{path.name} is not a text file.", remedy)


def _decoded(raw: bytes, encoding: str, path: Path) -> str:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        return decoder.decode(raw, final=len(raw) < _HEAD)
    except UnicodeError:
        pass
    raise_all([not_in_encoding(path.name, encoding)])
    return ""


def not_in_encoding(name: str, encoding: str) -> Problem:
    """The problem of a file that is not written in the encoding it was read with."""
    other = "latin-1" if encoding == "cp1252" else "cp1252"
    return Problem(
        "S05",
        f"{name} is not encoded in {encoding.upper()}.",
        f"If it was written on Windows, read it with {argument('encoding', other)}.",
    )


def _sniff(head: str) -> str:
    """The separator that cuts the first rows into most cells, all alike; else the header."""

    def fit(separator: str) -> tuple[bool, int]:
        rows = [row for row in _rows(head, separator) if row]
        widths = [len(row) for row in (rows[:-1] if len(rows) > 1 and cut else rows)]
        alike = len(set(widths)) == 1
        return alike and widths[0] > 1, widths[0] if widths else 0

    cut = len(head) >= _HEAD // 4 and not head.endswith(("\n", "\r"))  # within the last row
    best = max(SEPARATORS, key=fit)  # the first one where two fit as well
    return best if fit(best)[1] > 1 else SEPARATORS[0]


def _rows(head: str, separator: str) -> list[list[str]]:
    """The first rows, as far as they can be read."""
    lines, rows = io.StringIO(head, newline=""), []  # a line may end in CR alone
    before = csv.field_size_limit(_LONGEST_HEADER)
    try:
        with contextlib.suppress(csv.Error):
            for row in itertools.islice(csv.reader(lines, delimiter=separator, strict=True), ROWS):
                rows.append(row)  # noqa: PERF402 - those before an error count
    finally:
        csv.field_size_limit(before)
    return rows


def _first_row(head: str, separator: str, path: Path) -> tuple[list[str], int]:
    """The first row that is not blank, and the number of rows up to it."""
    for number, row in enumerate(_rows(head, separator), 1):
        if len(row) > 1 or (row and row[0].strip()):
            return row, number
    fail(
        "S07", f"the header of {path.name} cannot be read.", "Check its quotes, and the separator."
    )


def _line_end(head: str) -> str:
    """The first line end that stands outside quotes."""
    end = r"(\r\n|\r|\n)"
    found = re.match(rf'(?:[^"\r\n]|"[^"]*")*{end}', head)  # as a rule, the first line has pairs
    found = found or re.search(end, re.sub(r'"[^"]*"', "", head))
    return found[1] if found else "\n"


def names_in(header: Sequence[str], path: Path, line: str = "line") -> tuple[str, ...]:
    """The names in a header, those that are blank by their places; refused where two are the same,
    which are not shown: they may be cells of a record.
    """
    names = [name.strip() or f"column {i}" for i, name in enumerate(header, 1)]
    refuse_many(names, path)
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names, 1):
        places.setdefault(name, []).append(place)
    alike = [some for some in places.values() if len(some) > 1]
    remedy = f"Rename them. If the first {line} is a record, name the columns: {argument('names')}."
    raise_all(
        [
            Problem("S04", f"columns {_spoken(some)} of {path.name} have the same name.", remedy)
            for some in alike
        ]
    )
    return tuple(names)


def _spoken(places: Sequence[int]) -> str:
    return f"{', '.join(map(str, places[:-1]))} and {places[-1]}"


def refuse_many(names: Sequence[str], path: Path) -> None:
    """Raise the problem of more columns than can be worked with."""
    if len(names) > _MOST_COLUMNS:
        what = f"{path.name} has {len(names):,} columns; at most {_MOST_COLUMNS:,} are read."
        fail("S19", what, "Save the columns that you need to a file of their own.")


def refuse_duplicates(names: Sequence[str], path: Path) -> None:
    """Raise the problem of columns that have the same name."""
    raise_all(
        [
            Problem("S04", f"{path.name} has more than one column {name!r}.", "Rename them.")
            for name, number in Counter(names).items()
            if number > 1
        ]
    )
