"""CSV files: all columns are read as text first, then given the type that fits every cell.

A type is chosen only where it loses nothing.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet import csvfile
from discreet.engine.counts import portions
from discreet.engine.embedded import embedded, kept
from discreet.engine.failures import translated
from discreet.engine.input import literal
from discreet.engine.lifetimes import fresh_name, when_unused
from discreet.engine.limits import limits_in_force
from discreet.engine.missing import MissingCodes, normalised, without_codes
from discreet.engine.source import Kind, Source, collected, watched

if TYPE_CHECKING:
    import pyarrow as pa

_KEEP_BELOW = 1 << 30  # a CSV file up to this size is kept by the engine in its types
_PARSE_ONCE = 1 << 28  # up to this one its text is kept while the types are found


_HEAD = 1000


_NUMBER = (  # an exponent beyond 289 may leave the range of a 64-bit number
    r"^\s*[+-]?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)"
    r"([eE][+-]?([0-9]{1,2}|1[0-9]{2}|2[0-8][0-9]))?\s*$|^\s*[nN][aA][nN]\s*$"
    r"|^\s*[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?\s*$"  # as in a frame, infinity is a number
)
_SHORT_INTEGER = r"^\s*(0|-?[1-9][0-9]{0,17})\s*$"
_BLANKS_AROUND = r"^[ \t\n\r\v\f]|[ \t\n\r\v\f]$"
_ISO = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9:.]+)?$"  # 'infinity' is a date to some engines


def read_csv(
    path: Path, dialect: csvfile.Dialect, missing: MissingCodes, as_text: Collection[str] = ()
) -> Source:
    """Open a CSV file: all columns as text first, then the type that fits every cell.

    A type is chosen only where it loses nothing: a code with leading zeros, or with more
    digits than a 64-bit number holds, stays text, and so do the columns ``as_text``. A file that is
    packed, or in an encoding that the engine does not read, is laid down as it reads it, in a
    private place, as long as it is needed.
    """
    import ibis

    place = _plain(path, dialect)
    size = place.stat().st_size
    encoding = dialect.encoding if place == path else "utf-8"
    text = _texts(place, replace(dialect, encoding=encoding), path.name)
    if place != path:
        when_unused(text, lambda: shutil.rmtree(place.parent, ignore_errors=True), outlives_us=True)
    if size <= _PARSE_ONCE:
        cells = text
        text = translated(lambda: kept(cells), path.name, watched(cells, "reading records"))
    raw = Source(text, dialect.names, path.name, None, "arrow")
    raw = replace(raw, table=without_codes(raw, missing))
    forms = [_Form.of(dialect, name) for name in dialect.names]
    typed = raw.table.mutate(
        **{
            f"c{i}": _as_kind(raw.table[f"c{i}"], kind, forms[i])
            for i, kind in enumerate(_fitting(raw, as_text, forms))
        },
        row=ibis.row_number(),
    )
    if size <= _KEEP_BELOW:
        typed = translated(lambda: kept(typed), path.name, watched(typed, "reading records"))
    return normalised(Source(typed, dialect.names, path.name, "row", "arrow"), missing)


def _plain(path: Path, dialect: csvfile.Dialect) -> Path:
    """A file that the engine reads by itself: the one that is given, or a copy that goes later."""
    if path.suffix.lower() not in csvfile.PACKED and dialect.encoding in csvfile.IN_ENGINE:
        return path
    folder = Path(tempfile.mkdtemp(prefix="discreet-", dir=limits_in_force().temp_directory))
    place = folder / "plain.csv"
    try:
        with place.open("xb") as written:
            csvfile.write_plain(path, dialect.encoding, written)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return place


def _texts(path: Path, dialect: csvfile.Dialect, origin: str) -> Any:
    """All cells of a file as they are written."""
    return translated(
        lambda: embedded().read_csv(
            literal(path),
            table_name=fresh_name(),
            hive_partitioning=False,
            auto_detect=False,
            header=False,
            skip=dialect.header_rows,
            sep=dialect.separator,
            new_line=dialect.line_end.replace("\r", "\\r").replace("\n", "\\n"),
            quote='"',
            escape='"',
            encoding=dialect.encoding,
            nullstr="",
            allow_quoted_nulls=False,
            columns={f"c{i}": "VARCHAR" for i in range(len(dialect.names))},
        ),
        origin,
    )


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

    def possible(self, cell: str) -> list[Kind]:
        """The kinds that a cell may have."""
        number = self._number(cell)
        kinds = [kind for kind, form in _FORMS.items() if form.search(number)]
        if self.date is not None and re.search(csvfile.date_pattern(self.date)[0], cell):
            kinds += [kind for kind in ("date", "timestamp") if kind not in kinds]
        return kinds

    def _number(self, cell: str) -> str:
        """A number with a decimal point and without marks of thousands; else the cell."""
        if self.is_plain or not re.search(self._pattern, cell):
            return cell if self.is_plain or not _FORMS["number"].search(cell) else ""
        return cell.replace(self.thousands or "", "").replace(self.decimal, ".")

    @property
    def _pattern(self) -> str:
        decimal, whole = re.escape(self.decimal), "[0-9]+"
        if self.thousands is not None:
            whole = f"([0-9]{{1,3}}({re.escape(self.thousands)}[0-9]{{3}})+|[0-9]+)"
        exponent = "([eE][+-]?[0-9]+)?"
        return rf"^\s*[+-]?({whole}({decimal}[0-9]*)?|{decimal}[0-9]+){exponent}\s*$"

    def number(self, column: Any) -> Any:
        """The text of numbers with a decimal point; what is none becomes a text that is none."""
        import ibis

        if self.is_plain:
            return column
        bare = column.replace(self.thousands, "") if self.thousands else column
        bare = bare if self.decimal == "." else bare.replace(self.decimal, ".")
        written = column.re_search(self._pattern)
        return ibis.cases((column.isnull(), ibis.null("string")), (written, bare), else_="no")

    def iso(self, column: Any, kind: Kind) -> Any:
        """The text of dates, year first; what is not written in the format stays as it is."""
        import ibis

        if self.date is None:
            return column
        pattern, groups = csvfile.date_pattern(self.date)
        part = {one: column.re_extract(pattern, i) for i, one in enumerate(groups, 1)}
        day, month = (part[one].lpad(2, "0") for one in ("%d", "%m"))
        year = part["%Y"] if "%Y" in part else _century(part["%y"])
        text = year + ibis.literal("-") + month + ibis.literal("-") + day
        if kind == "timestamp" and "%H" in part:
            clock = [part[p].lpad(2, "0") if p in part else "00" for p in ("%H", "%M", "%S")]
            text = text + ibis.literal(" ") + clock[0]
            for one in clock[1:]:
                text = text + ibis.literal(":") + one
        return column.re_search(pattern).ifelse(text, column)


def _century(year: Any) -> Any:
    """Two digits as a year: up to 68 of this century, as everybody does."""
    import ibis

    last = (year >= "69") & (year <= "99")
    return ibis.cases((last, ibis.literal("19") + year), else_=ibis.literal("20") + year)


def _fitting(raw: Source, as_text: Collection[str], forms: list[_Form]) -> list[Kind]:
    """The first kind that fits all cells of each column: one pass over the file, rarely two."""
    found: dict[int, Kind] = {i: "text" for i, name in enumerate(raw.names) if name in as_text}
    asked = [i for i in range(len(raw.names)) if i not in found]
    head = collected(raw.table.limit(_HEAD), raw)
    open_ = {i: _possible(head.column(f"c{i}"), forms[i]) for i in asked}
    while open_:
        for i in [i for i, kinds in open_.items() if not kinds]:
            found[i] = "text"
            del open_[i]
        fits = _all_fit(raw, [(i, kinds[0]) for i, kinds in open_.items()], forms)
        for (i, kind), fit in fits.items():
            if fit:
                found[i] = kind
                del open_[i]
            else:
                open_[i].pop(0)
    return [found[i] for i in range(len(raw.names))]


def _possible(head: pa.ChunkedArray, form: _Form) -> list[Kind]:
    """The kinds that no cell of the first rows excludes, in the order they are tried."""
    cells = [cell for cell in head.unique().to_pylist() if cell is not None]
    left: list[Kind] = list(_FORMS)
    for cell in cells:
        possible = form.possible(cell)
        left = [kind for kind in left if kind in possible]
    return left


def _all_fit(
    raw: Source, tried: list[tuple[int, Kind]], forms: list[_Form]
) -> dict[tuple[int, Kind], bool]:
    if not tried:
        return {}
    row: dict[str, Any] = {}
    table = raw.table
    for some in portions(tried, 500):
        checks = {f"{kind}{i}": _fits(table[f"c{i}"], kind, forms[i]).all() for i, kind in some}
        row.update(collected(table.aggregate(**checks), raw).to_pylist()[0])
    # no record at all (None): nothing contradicts the kind, and text is the plain reading
    return {(i, kind): bool(row[f"{kind}{i}"]) for i, kind in tried}


def _fits(column: Any, kind: Kind, form: _Form) -> Any:
    column = form.number(column) if kind in ("integer", "number") else form.iso(column, kind)
    if kind == "number":
        return column.isnull() | column.re_search(_NUMBER)
    import ibis

    text = _stripped(column).replace("T", " ") if kind == "timestamp" else _stripped(column)
    same = text.try_cast(_DTYPE[kind]).cast("string") == text
    if kind != "integer":
        same = same & text.re_search(_ISO)
        return column.isnull() | same.fill_null(False)
    plain = column.re_search(_SHORT_INTEGER)  # seen at a glance; only longer ones are converted
    return ibis.cases((column.isnull(), True), (plain, True), else_=same.fill_null(False))


def _stripped(column: Any) -> Any:
    """The text without blanks around it; to look for blanks is much faster than to strip them."""
    import ibis

    return ibis.cases((column.re_search(_BLANKS_AROUND), column.strip()), else_=column)


_FORMS: dict[Kind, re.Pattern[str]] = {
    "integer": re.compile(r"^\s*-?[0-9]+\s*$"),
    "number": re.compile(_NUMBER),
    "date": re.compile(r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}\s*$"),
    "timestamp": re.compile(r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9:.]+)?\s*$"),
}
_DTYPE: dict[Kind, str] = {
    "integer": "int64",
    "number": "float64",
    "date": "date",
    "timestamp": "timestamp",
}


def _as_kind(column: Any, kind: Kind, form: _Form) -> Any:
    if kind == "text":
        return column
    column = form.number(column) if kind in ("integer", "number") else form.iso(column, kind)
    return _stripped(column).cast(_DTYPE[kind])
