"""CSV files: all columns are read as text first, then given the type that fits every cell.

A type is chosen only where it loses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet import csvfile
from discreet.engine.counts import portions
from discreet.engine.embedded import embedded, kept
from discreet.engine.failures import translated
from discreet.engine.input import literal
from discreet.engine.lifetimes import fresh_name
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
    digits than a 64-bit number holds, stays text, and so do the columns ``as_text``.
    """
    import ibis

    physical = {f"c{i}": "VARCHAR" for i in range(len(dialect.names))}
    text = translated(
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
            columns=physical,
        ),
        path.name,
    )
    if path.stat().st_size <= _PARSE_ONCE:
        cells = text
        text = translated(lambda: kept(cells), path.name, watched(cells, "reading records"))
    raw = Source(text, dialect.names, path.name, None, "arrow")
    raw = replace(raw, table=without_codes(raw, missing))
    typed = raw.table.mutate(
        **{
            f"c{i}": _as_kind(raw.table[f"c{i}"], kind)
            for i, kind in enumerate(_fitting(raw, as_text))
        },
        row=ibis.row_number(),
    )
    if path.stat().st_size <= _KEEP_BELOW:
        typed = translated(lambda: kept(typed), path.name, watched(typed, "reading records"))
    return normalised(Source(typed, dialect.names, path.name, "row", "arrow"), missing)


def _fitting(raw: Source, as_text: Collection[str]) -> list[Kind]:
    """The first kind that fits all cells of each column: one pass over the file, rarely two."""
    found: dict[int, Kind] = {i: "text" for i, name in enumerate(raw.names) if name in as_text}
    asked = [i for i in range(len(raw.names)) if i not in found]
    head = collected(raw.table.limit(_HEAD), raw)
    open_ = {i: _possible(head.column(f"c{i}")) for i in asked}
    while open_:
        for i in [i for i, kinds in open_.items() if not kinds]:
            found[i] = "text"
            del open_[i]
        fits = _all_fit(raw, [(i, kinds[0]) for i, kinds in open_.items()])
        for (i, kind), fit in fits.items():
            if fit:
                found[i] = kind
                del open_[i]
            else:
                open_[i].pop(0)
    return [found[i] for i in range(len(raw.names))]


def _possible(head: pa.ChunkedArray) -> list[Kind]:
    """The kinds that no cell of the first rows excludes, in the order they are tried."""
    cells = [cell for cell in head.unique().to_pylist() if cell is not None]
    return [kind for kind, form in _FORMS.items() if all(form.search(cell) for cell in cells)]


def _all_fit(raw: Source, tried: list[tuple[int, Kind]]) -> dict[tuple[int, Kind], bool]:
    if not tried:
        return {}
    row: dict[str, Any] = {}
    table = raw.table
    for some in portions(tried, 500):
        checks = {f"{kind}{i}": _fits(table[f"c{i}"], kind).all() for i, kind in some}
        row.update(collected(table.aggregate(**checks), raw).to_pylist()[0])
    # no record at all (None): nothing contradicts the kind, and text is the plain reading
    return {(i, kind): bool(row[f"{kind}{i}"]) for i, kind in tried}


def _fits(column: Any, kind: Kind) -> Any:
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


def _as_kind(column: Any, kind: Kind) -> Any:
    return column if kind == "text" else _stripped(column).cast(_DTYPE[kind])
