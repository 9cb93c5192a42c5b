"""CSV files: a column gets the type that fits every cell, and only one that loses nothing.

The first rows say which type a column may have. Then the file is read once: every cell is held
against the rule of its type while it is converted. Where one does not fit, the types are found in
passes over the whole file.

The file is in DuckDB's hands from here on, so that all this is said in its SQL.
"""

from __future__ import annotations

import functools
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet import csvfile
from discreet.engine.embedded import connection, opened, watch_of
from discreet.engine.failures import translated
from discreet.engine.held import MOST_CELLS, Held, Kind, is_small, one_zero
from discreet.engine.input import literal, remove_later
from discreet.engine.limits import limits_in_force
from discreet.engine.missing import MissingCodes, normalised
from discreet.engine.source import HEAD, Source
from discreet.engine.turns import fresh_name
from discreet.errors import Problem, UnreadableSource, raise_all
from discreet.frames import array_of

_KEEP_BELOW = 1 << 30  # a CSV file up to this size is kept by the engine in its types
_PARSE_ONCE = 1 << 28  # up to this one its text is kept while the types are found
_BRING_BELOW = 8 * MOST_CELLS  # up to this one it comes into this process

_HEAD_BUFFER = 1 << 22  # bytes that are read at once for the first rows: two of the longest lines
_AT_ONCE = 500  # columns that are looked at in one query
_UNFIT = "discreet: a cell does not fit"

_NUMBER = (  # an exponent beyond 289 may leave the range of a 64-bit number
    r"^\s*[+-]?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)"
    r"([eE][+-]?0*([0-9]{1,2}|1[0-9]{2}|2[0-8][0-9]))?\s*$|^\s*[nN][aA][nN]\s*$"
    r"|^\s*[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?\s*$"  # as in a frame, infinity is a number
)
_PLAIN_NUMBER = r"^(0|-?[1-9][0-9]{0,14})(\.[0-9]*)?$"
_SHORT_INTEGER = r"^\s*(0|-?[1-9][0-9]{0,17})\s*$"
_BLANKS_AROUND = r"^[ \t\n\r\v\f]|[ \t\n\r\v\f]$"
_BLANKS = " \t\n\r\v\f"
_ISO = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9:.]+)?$"  # 'infinity' is a date to some engines


def read_csv(
    path: Path, dialect: csvfile.Dialect, missing: MissingCodes, as_text: Collection[str] = ()
) -> Source:
    """Open a CSV file, each column in the type that fits every cell.

    A type is chosen only where it loses nothing: a code with leading zeros, or with more
    digits than a 64-bit number holds, stays text, and so do the columns ``as_text``. A file that is
    packed, or in an encoding that the engine does not read, is laid down as it reads it, in a
    private place, as long as it is needed. So is one of which some lines end in CRLF and others in
    LF, once the engine has stumbled over it.
    """
    problems: tuple[Problem, ...] = ()
    try:
        return _read_from(_plain(path, dialect), path, dialect, missing, as_text)
    except UnreadableSource as error:
        problems = error.problems
    if any(one.code == "S07" for one in problems) and (place := _with_one_line_end(path, dialect)):
        alike = replace(dialect, line_end="\n")
        return _read_from(place, path, alike, missing, as_text)
    raise_all(problems)
    raise AssertionError


def _read_from(
    place: Path,
    path: Path,
    dialect: csvfile.Dialect,
    missing: MissingCodes,
    as_text: Collection[str],
) -> Source:
    """Open a file from where it is, or from where it was laid down."""
    encoding = dialect.encoding if place == path else "utf-8"
    texts = _Texts.of(place, replace(dialect, encoding=encoding), missing, path.name)
    try:
        source = _read(texts, as_text, place.stat().st_size)
    except BaseException:
        if place != path:
            shutil.rmtree(place.parent, ignore_errors=True)
        raise
    if place != path:
        remove_later(source, place.parent)
    made = replace(normalised(source, missing), sure=dialect.sure)
    return made.told(source.told_size, source.told_head)


def _read(texts: _Texts, as_text: Collection[str], length: int) -> Source:
    kinds = _possible_kinds(texts, as_text)
    if length > _KEEP_BELOW:
        return _in_place(texts, _fitting(texts, kinds))
    first = [some[0] for some in kinds]
    made = _made(texts, texts.checked(first), length)
    if made is None:  # a later row has what the first ones have not
        found = _fitting(texts.kept() if length <= _PARSE_ONCE else texts, kinds)
        made = _made(texts, texts.query(texts.typed(found)), length)
    assert made is not None
    return made


def _made(texts: _Texts, query: str, length: int) -> Source | None:
    """The columns of a file, here or in the engine; None where a cell does not fit its type."""
    return _brought(texts, query) if length <= _BRING_BELOW else _kept(texts, query)


def _brought(texts: _Texts, query: str) -> Source | None:
    table = texts.run(lambda: connection().sql(query).to_arrow_table())
    if table is None:
        return None
    row = array_of(np.arange(table.num_rows, dtype=np.int64))
    cells = pa.table({name: one_zero(table.column(name)) for name in table.column_names})
    held = Held.of(cells.append_column("row", row))
    source = Source(held, texts.names, texts.origin, "row", "arrow")
    if is_small(table.num_rows, table.num_columns):
        return source
    return replace(source, records=source.table)


def _kept(texts: _Texts, query: str) -> Source | None:
    name = fresh_name()
    query = f'CREATE TEMP TABLE "{name}" AS {query}'
    found = texts.run(lambda: connection().execute(query).fetchall())
    if found is None:
        return None
    table = opened(name, "TABLE")
    numbered = table.select(*table.columns, row=table.rowid())
    source = Source(numbered, texts.names, texts.origin, "row", "arrow")
    return source.told(found[0][0], texts.head.rename_columns(list(texts.names)))


def _in_place(texts: _Texts, kinds: Sequence[Kind]) -> Source:
    """A file that is too large to be kept, read again for every step."""
    name = fresh_name()
    query = texts.query([*texts.typed(kinds), "row_number() OVER () - 1 AS row"])
    texts.run(lambda: connection().execute(f'CREATE TEMP VIEW "{name}" AS {query}'))
    return Source(opened(name, "VIEW"), texts.names, texts.origin, "row", "arrow")


def _plain(path: Path, dialect: csvfile.Dialect) -> Path:
    """A file that the engine reads by itself: the one that is given, or a copy that goes later."""
    if path.suffix.lower() not in csvfile.PACKED and dialect.encoding in csvfile.IN_ENGINE:
        return path
    return _laid_down(path, dialect)[0]


def _with_one_line_end(path: Path, dialect: csvfile.Dialect) -> Path | None:
    """A copy of a file in which all lines end in LF; None where none of them ended in CRLF."""
    place, changed = _laid_down(path, dialect, mixed=True)
    if not changed:
        shutil.rmtree(place.parent, ignore_errors=True)
    return place if changed else None


def _laid_down(path: Path, dialect: csvfile.Dialect, *, mixed: bool = False) -> tuple[Path, bool]:
    """A plain copy of a file in a private place, and whether line ends were changed in it."""
    folder = Path(tempfile.mkdtemp(prefix="discreet-", dir=limits_in_force().temp_directory))
    place = folder / "plain.csv"
    try:
        with place.open("xb") as written:
            changed = csvfile.write_plain(path, dialect.encoding, written, mixed=mixed)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return place, changed


@dataclass(frozen=True)
class _Texts:
    """The cells of a file as they are written, and how to ask for them.

    ``table`` is what the engine reads, ``first`` the same for a few rows; ``cells`` are its columns
    without the codes of missing values, ``forms`` how numbers and dates are written in them.
    """

    table: str
    first: str
    names: tuple[str, ...]
    cells: tuple[str, ...]
    forms: tuple[_Form, ...]
    origin: str

    @classmethod
    def of(cls, path: Path, dialect: csvfile.Dialect, missing: MissingCodes, origin: str) -> _Texts:
        line_end = dialect.line_end.replace("\r", "\\r").replace("\n", "\\n")
        columns = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(dialect.names)))
        table = (
            f"read_csv({_quoted(literal(path))}, hive_partitioning = false, auto_detect = false, "
            f"header = false, skip = {dialect.header_rows}, sep = {_quoted(dialect.separator)}, "
            f"new_line = {_quoted(line_end)}, quote = '\"', escape = '\"', "
            f"encoding = {_quoted(dialect.encoding)}, nullstr = '', allow_quoted_nulls = false, "
            f"columns = {{{columns}}}"
        )
        few = f"{table}, parallel = false, buffer_size = {_HEAD_BUFFER})"
        cells = tuple(
            _without(f"c{i}", [str(code) for code in missing.get(name, ())])
            for i, name in enumerate(dialect.names)
        )
        forms = tuple(_Form.of(dialect, name) for name in dialect.names)
        return cls(f"{table})", few, dialect.names, cells, forms, origin)

    def query(self, columns: Sequence[str], table: str | None = None) -> str:
        """Ask for some columns, for each record."""
        return f"SELECT {', '.join(columns)} FROM {table or self.table}"  # noqa: S608 - quoted above

    def typed(self, kinds: Sequence[Kind]) -> list[str]:
        """The columns in types that fit."""
        columns = zip(self.cells, kinds, self.forms, strict=True)
        return [f"{_as_kind(*column)} AS c{i}" for i, column in enumerate(columns)]

    def checked(self, kinds: Sequence[Kind]) -> str:
        """Ask for the columns in types that fit, or a failure. What a cell would be as a number
        is worked out once, below the checks.
        """
        tried = [
            f"TRY_CAST(c{i} AS {_DTYPE[kind]}) AS tried{i}"
            for i, kind in enumerate(kinds)
            if kind in ("integer", "number")
        ]
        columns = enumerate(zip(self.cells, kinds, self.forms, strict=True))
        checked = [f"{_checked(*column, f'tried{i}')} AS c{i}" for i, column in columns]
        return self.query(checked, f"({self.query(['*', *tried])})")

    def collected(self, columns: Sequence[str]) -> pa.Table:
        """What is added up of some columns."""
        query = self.query(columns)
        return self.run(lambda: connection().sql(query).to_arrow_table())

    @functools.cached_property
    def head(self) -> pa.Table:
        """The cells of the first rows."""
        columns = [f"{cell} AS c{i}" for i, cell in enumerate(self.cells)]
        query = f"{self.query(columns, self.first)} LIMIT {HEAD}"
        return self.run(lambda: connection().sql(query).to_arrow_table())

    def run(self, step: Any) -> Any:
        """Have the engine carry out a step; None where a cell does not fit its type."""

        def attempt() -> Any:
            try:
                return step()
            except Exception as error:
                if _UNFIT in str(error):
                    return None
                raise

        return translated(attempt, self.origin, replace(watch_of(connection()), name=_READING))

    def kept(self) -> _Texts:
        """The same, parsed once."""
        name = fresh_name()
        columns = [f"{cell} AS c{i}" for i, cell in enumerate(self.cells)]
        query = f'CREATE TEMP TABLE "{name}" AS {self.query(columns)}'
        self.run(lambda: connection().execute(query))
        cells = tuple(f"c{i}" for i in range(len(self.names)))
        return replace(self, table=f'"{name}"', cells=cells)

    def dropped(self) -> None:
        """Let go of what was parsed."""
        if self.table.startswith('"'):
            self.run(lambda: connection().execute(f"DROP TABLE {self.table}"))


_READING = "reading records"


def _quoted(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def _without(column: str, codes: Sequence[str]) -> str:
    """A column with codes that mean missing taken out."""
    if not codes:
        return column
    return f"CASE WHEN {column} IN ({', '.join(map(_quoted, codes))}) THEN NULL ELSE {column} END"


@dataclass(frozen=True)
class _Form:
    """How numbers and dates of a column are written."""

    decimal: str = "."
    thousands: str | None = None
    date: str | None = None

    @classmethod
    def of(cls, dialect: csvfile.Dialect, name: str) -> _Form:
        return cls(dialect.decimal, dialect.thousands, dialect.date_format_of(name))

    @property
    def is_plain(self) -> bool:
        return self.decimal == "." and self.thousands is None

    def possible(self, kind: Kind) -> Callable[[str], object]:
        """Whether a cell may have a kind."""
        written = _FORMS[kind].search
        if kind in ("integer", "number"):
            return written if self.is_plain else lambda cell: written(self._number(cell))
        if self.date is None:
            return written
        dated = re.compile(csvfile.date_pattern(self.date)[0]).search
        return lambda cell: dated(cell) or written(cell)

    def _number(self, cell: str) -> str:
        """A number with a decimal point and without marks of thousands; else the cell."""
        if not re.search(self._pattern, cell):
            return cell if not _FORMS["number"].search(cell) else ""
        return cell.replace(self.thousands or "", "").replace(self.decimal, ".")

    @property
    def _pattern(self) -> str:
        decimal, whole = re.escape(self.decimal), "[0-9]+"
        if self.thousands is not None:
            whole = f"([0-9]{{1,3}}({re.escape(self.thousands)}[0-9]{{3}})+|[0-9]+)"
        exponent = "([eE][+-]?[0-9]+)?"
        return rf"^\s*[+-]?({whole}({decimal}[0-9]*)?|{decimal}[0-9]+){exponent}\s*$"

    def number(self, column: str) -> str:
        """The text of numbers with a decimal point; what is none becomes a text that is none."""
        if self.is_plain:
            return column
        bare = f"replace({column}, {_quoted(self.thousands)}, '')" if self.thousands else column
        bare = bare if self.decimal == "." else f"replace({bare}, {_quoted(self.decimal)}, '.')"
        written = _matches(column, self._pattern)
        return f"CASE WHEN {column} IS NULL THEN NULL WHEN {written} THEN {bare} ELSE 'no' END"

    def iso(self, column: str, kind: Kind) -> str:
        """The text of dates, year first; what is not written in the format stays as it is."""
        if self.date is None:
            return column
        pattern, groups = csvfile.date_pattern(self.date)
        part = {
            one: f"regexp_extract({column}, {_quoted(pattern)}, {i})"
            for i, one in enumerate(groups, 1)
        }
        day, month = (_two_digits(part[one]) for one in ("%d", "%m"))
        year = part["%Y"] if "%Y" in part else _century(part["%y"])
        text = f"{year} || '-' || {month} || '-' || {day}"
        if kind == "timestamp" and "%H" in part:
            clock = [_two_digits(part[p]) if p in part else "'00'" for p in ("%H", "%M", "%S")]
            text += " || ' ' || " + " || ':' || ".join(clock)
        return f"CASE WHEN {_matches(column, pattern)} THEN {text} ELSE {column} END"


def _matches(column: str, pattern: str) -> str:
    return f"regexp_matches({column}, {_quoted(pattern)})"


def _two_digits(number: str) -> str:
    return f"lpad({number}, 2, '0')"


def _century(year: str) -> str:
    """Two digits as a year: up to 68 of this century, as everybody does."""
    return f"(CASE WHEN {year} BETWEEN '69' AND '99' THEN '19' ELSE '20' END || {year})"


def _possible_kinds(texts: _Texts, as_text: Collection[str]) -> list[list[Kind]]:
    """Per column the kinds that the first rows do not exclude, text last."""
    return [
        ["text"] if name in as_text else [*_possible(column, form), "text"]
        for name, form, column in zip(texts.names, texts.forms, texts.head.columns, strict=True)
    ]


def _possible(head: pa.ChunkedArray, form: _Form) -> list[Kind]:
    """The kinds that no cell of the first rows excludes, in the order they are tried."""
    cells = head.unique().drop_null().to_pylist()
    return [kind for kind in _FORMS if all(map(form.possible(kind), cells))]


def _fitting(texts: _Texts, kinds: Sequence[Sequence[Kind]]) -> list[Kind]:
    """The first kind that fits all cells of each column: one pass over the file, rarely two."""
    left = [list(some) for some in kinds]
    open_ = [i for i, some in enumerate(left) if some[0] != "text"]
    while open_:
        fits = _all_fit(texts, {i: left[i][0] for i in open_})
        for i in (i for i, fit in fits.items() if not fit):
            left[i].pop(0)
        open_ = [i for i in open_ if not fits[i] and left[i][0] != "text"]
    texts.dropped()
    return [some[0] for some in left]


def _all_fit(texts: _Texts, tried: dict[int, Kind]) -> dict[int, bool]:
    found: dict[int, bool] = {}
    items = list(tried.items())
    for some in (items[i : i + _AT_ONCE] for i in range(0, len(items), _AT_ONCE)):
        checks = [
            f"bool_and({_fits(texts.cells[i], kind, texts.forms[i])}) AS c{i}" for i, kind in some
        ]
        row = texts.collected(checks).to_pylist()[0]
        found |= {i: bool(row[f"c{i}"]) for i, _ in some}
    return found


def _checked(column: str, kind: Kind, form: _Form, tried: str) -> str:
    """A column in a type, or a failure where a cell does not fit it. Most numbers are written
    plainly, and that is seen at once by what they would be if ``tried``."""
    if kind == "text":
        return column
    fits, typed = _fits(column, kind, form), _as_kind(column, kind, form)
    slow = f"CASE WHEN {fits} THEN {typed} ELSE error('{_UNFIT}') END"
    quick = ""
    if kind == "integer" and form.is_plain:
        quick = f"WHEN CAST({tried} AS VARCHAR) = {column} THEN {tried}"
    elif kind == "number" and form.is_plain:
        quick = (
            f"WHEN {_plainly_above_one(column, tried)} THEN {tried} "
            f"WHEN {_matches(column, _PLAIN_NUMBER)} THEN CAST({column} AS DOUBLE)"
        )
    return f"CASE {quick} WHEN {column} IS NOT NULL THEN {slow} END"


def _plainly_above_one(column: str, tried: str) -> str:
    """Whether a cell is a number from 1 on that fits, without the cost of a pattern.

    The first character is one of 1 to 9, and the engine takes the cell for a number. More than
    15 digits before the point are a number from 1e15 on, or need an exponent such as ``e-2`` and
    then more than 18 characters. Only the engine's ``1_000`` is left to be excluded.
    """
    return (
        f"{column} >= '1' AND {column} < ':' AND strlen({column}) <= 18 "
        f"AND {tried} >= 1 AND {tried} < 1e15 AND NOT contains({column}, '_')"
    )


def _fits(column: str, kind: Kind, form: _Form) -> str:
    text = form.number(column) if kind in ("integer", "number") else form.iso(column, kind)
    if kind == "number":
        return f"({column} IS NULL OR {_matches(text, _NUMBER)})"
    bare = f"replace({_stripped(text)}, 'T', ' ')" if kind == "timestamp" else _stripped(text)
    same = f"coalesce(CAST(TRY_CAST({bare} AS {_DTYPE[kind]}) AS VARCHAR) = {bare}, false)"
    if kind != "integer":
        return f"({column} IS NULL OR ({same} AND {_matches(bare, _ISO)}))"
    plain = _matches(text, _SHORT_INTEGER)  # seen at a glance; only longer ones are converted
    return f"CASE WHEN {column} IS NULL THEN true WHEN {plain} THEN true ELSE {same} END"


def _stripped(text: str) -> str:
    """The text without blanks around it; to look for blanks is much faster than to strip them."""
    bare = f"trim({text}, {_quoted(_BLANKS)})"
    return f"CASE WHEN {_matches(text, _BLANKS_AROUND)} THEN {bare} ELSE {text} END"


_FORMS: dict[Kind, re.Pattern[str]] = {
    "integer": re.compile(r"^\s*(0|-?[1-9][0-9]*)\s*$"),  # codes such as 02968 are texts
    "number": re.compile(_NUMBER),
    "date": re.compile(r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}\s*$"),
    "timestamp": re.compile(r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9:.]+)?\s*$"),
}
_DTYPE: dict[Kind, str] = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}


def _as_kind(column: str, kind: Kind, form: _Form) -> str:
    if kind == "text":
        return column
    text = form.number(column) if kind in ("integer", "number") else form.iso(column, kind)
    return f"CAST({_stripped(text)} AS {_DTYPE[kind]})"
