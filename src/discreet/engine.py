"""The engine boundary: few verbs over Ibis, evaluated lazily, and nothing else knows Ibis.

DuckDB is embedded and the default; a table of any other Ibis backend stays where it is.
Inside, columns have positional names (``c0``, ``c1``, …): whatever stands in a header —
quotes, SQL, two names that differ in case only — never reaches the engine.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from discreet import csvfile
from discreet.errors import Problem, fail, raise_all
from discreet.frames import FrameKind

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray

Kind = Literal["integer", "number", "boolean", "text", "date", "timestamp", "time", "other"]
MissingCodes = Mapping[str, Sequence[Any]]
T = TypeVar("T")

_KEEP_BELOW = 1 << 30  # a CSV file up to this size is parsed once and kept by the engine
_HEAD = 1000
_BATCH = 1 << 18
_NUMBER = (
    r"^\s*[+-]?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\s*$"
    r"|^\s*[nN][aA][nN]\s*$"
)
_counter = itertools.count()


@dataclass(frozen=True)
class Source:
    """A lazy table: the engine's columns by position, their names, how the rows are numbered."""

    table: ir.Table
    names: tuple[str, ...]
    origin: str
    row: str | None
    kind: FrameKind

    @functools.cached_property
    def kinds(self) -> dict[str, Kind]:
        """The storage kind of each column, by name."""
        schema = self.table.schema()
        return {name: _kind(schema[self.at(name)]) for name in self.names}

    def at(self, name: str) -> str:
        """The engine's name of a column."""
        return f"c{self.names.index(name)}"

    @property
    def engine(self) -> str:
        """Name of the backend that holds the table."""
        return str(self.table.get_backend().name)


# -- opening -----------------------------------------------------------------------------------


@functools.cache
def _embedded() -> Any:
    import ibis

    return ibis.duckdb.connect(autoinstall_known_extensions=False)


def is_table(source: object) -> bool:
    """Whether an object is an Ibis table (without importing Ibis for those that are not)."""
    return type(source).__module__.partition(".")[0] == "ibis" and hasattr(source, "get_backend")


def from_table(table: Any, missing: MissingCodes) -> Source:
    """Open a table of any Ibis backend; rows have no numbers of their own there."""
    names = tuple(str(c) for c in table.columns)
    renamed = table.select(**{f"c{i}": table[name] for i, name in enumerate(table.columns)})
    return _normalised(Source(renamed, names, "the table", None, "arrow"), missing)


def from_arrow(table: pa.Table, kind: FrameKind, missing: MissingCodes) -> Source:
    """Open an Arrow table in the embedded engine, which reads its buffers in place."""
    import pyarrow as pa

    names = tuple(str(n) for n in table.column_names)
    columns = [_plain(column) for column in table.columns]
    row = pa.array(np.arange(table.num_rows, dtype=np.int64))
    physical = [*(f"c{i}" for i in range(len(names))), "row"]
    arrow = pa.Table.from_arrays([*columns, row], names=physical)
    name = _fresh_name()
    embedded = _embedded()
    embedded.con.register(name, arrow)
    source = Source(embedded.table(name), names, f"the {kind} frame", "row", kind)
    _when_unused(source.table, _forget, name)
    return _normalised(source, missing)


def read_parquet(path: Path, missing: MissingCodes) -> Source:
    """Open a Parquet file in place."""
    table = _translated(
        lambda: _embedded().read_parquet(str(path), table_name=_fresh_name(), file_row_number=True),
        path.name,
    )
    names = tuple(c for c in table.columns if c != "file_row_number")
    columns = {f"c{i}": table[name] for i, name in enumerate(names)}
    source = Source(
        table.select(**columns, row=table["file_row_number"]), names, path.name, "row", "arrow"
    )
    return _normalised(source, missing)


def read_csv(path: Path, dialect: csvfile.Dialect, missing: MissingCodes) -> Source:
    """Open a CSV file: all columns as text first, then the type that fits every cell.

    A type is chosen only where it loses nothing: a code with leading zeros, or with more
    digits than a 64-bit number holds, stays text.
    """
    import ibis

    physical = {f"c{i}": "VARCHAR" for i in range(len(dialect.names))}
    text = _translated(
        lambda: _embedded().read_csv(
            str(path),
            table_name=_fresh_name(),
            auto_detect=False,
            header=False,
            skip=dialect.header_lines,
            sep=dialect.separator,
            quote='"',
            escape='"',
            encoding=dialect.encoding,
            nullstr="",
            allow_quoted_nulls=False,
            columns=physical,
        ),
        path.name,
    )
    raw = Source(text, dialect.names, path.name, None, "arrow")
    raw = replace(raw, table=_without_codes(raw, missing))
    typed = raw.table.mutate(
        **{f"c{i}": _as_kind(raw.table[f"c{i}"], kind) for i, kind in enumerate(_fitting(raw))},
        row=ibis.row_number(),
    )
    if path.stat().st_size <= _KEEP_BELOW:
        name = _fresh_name()
        typed = _translated(lambda: _embedded().create_table(name, typed, temp=True), path.name)
        _when_unused(typed, _drop, name)
    return _normalised(Source(typed, dialect.names, path.name, "row", "arrow"), {})


def _fresh_name() -> str:
    return f"discreet_{os.getpid()}_{next(_counter)}"


def _when_unused(table: ir.Table, release: Callable[[str], None], name: str) -> None:
    """Release what the engine holds once no expression refers to it any more."""
    weakref.finalize(table.op(), release, name).atexit = False


def _forget(name: str) -> None:
    if not sys.is_finalizing():
        _embedded().con.unregister(name)


def _drop(name: str) -> None:
    if not sys.is_finalizing():
        _embedded().con.execute(f'DROP TABLE IF EXISTS "{name}"')


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Decode dictionaries and unwrap extension types; every other column is left in place."""
    import pyarrow as pa

    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    return column


def _kind(dtype: Any) -> Kind:
    tests: list[tuple[str, Kind]] = [
        ("is_boolean", "boolean"),
        ("is_integer", "integer"),
        ("is_numeric", "number"),
        ("is_string", "text"),
        ("is_date", "date"),
        ("is_timestamp", "timestamp"),
        ("is_time", "time"),
    ]
    if dtype.is_decimal() and dtype.scale == 0:
        return "integer"
    return next((kind for test, kind in tests if getattr(dtype, test)()), "other")


def _fitting(raw: Source) -> list[Kind]:
    """The first kind that fits all cells of each column: one pass over the file, rarely two."""
    order: tuple[Kind, ...] = ("integer", "number", "date", "timestamp")
    every = [(i, kind) for i in range(len(raw.names)) for kind in order]
    fits = _all_fit(raw.table.limit(_HEAD), every, raw.origin)
    open_ = {i: [k for k in order if fits[i, k]] for i in range(len(raw.names))}
    found: dict[int, Kind] = {}
    while open_:
        for i in [i for i, kinds in open_.items() if not kinds]:
            found[i] = "text"
            del open_[i]
        fits = _all_fit(raw.table, [(i, kinds[0]) for i, kinds in open_.items()], raw.origin)
        for (i, kind), fit in fits.items():
            if fit:
                found[i] = kind
                del open_[i]
            else:
                open_[i].pop(0)
    return [found[i] for i in range(len(raw.names))]


def _all_fit(
    table: ir.Table, tried: list[tuple[int, Kind]], origin: str
) -> dict[tuple[int, Kind], bool]:
    if not tried:
        return {}
    checks = {f"{kind}{i}": _fits(table[f"c{i}"], kind).all() for i, kind in tried}
    row = _translated(lambda: table.aggregate(**checks).to_pyarrow(), origin).to_pylist()[0]
    # no cell at all (None): nothing contradicts the kind, and text is the plain reading
    return {(i, kind): bool(row[f"{kind}{i}"]) for i, kind in tried}


def _fits(column: Any, kind: Kind) -> Any:
    if kind == "number":
        return column.re_search(_NUMBER)
    text = column.strip().replace("T", " ") if kind == "timestamp" else column.strip()
    same = text.try_cast(_DTYPE[kind]).cast("string") == text
    return column.isnull() | same.fill_null(False)


_DTYPE: dict[Kind, str] = {
    "integer": "int64",
    "number": "float64",
    "date": "date",
    "timestamp": "timestamp",
}


def _as_kind(column: Any, kind: Kind) -> Any:
    return column if kind == "text" else column.strip().cast(_DTYPE[kind])


def _normalised(source: Source, missing: MissingCodes) -> Source:
    """One missing value (no NaN), one zero (no −0.0), and the codes named as missing taken out."""
    import ibis

    source = replace(source, table=_without_codes(source, missing))
    schema = source.table.schema()
    changed = {}
    for name in source.names:
        at = source.at(name)
        if schema[at].is_floating():
            column = source.table[at]
            changed[at] = ibis.cases(
                (column.isnan(), ibis.null(schema[at])), (column == 0, 0.0), else_=column
            ).cast(schema[at])
    return replace(source, table=source.table.mutate(**changed)) if changed else source


def _without_codes(source: Source, missing: MissingCodes) -> ir.Table:
    changed = {}
    for name, codes in missing.items():
        column = source.table[source.at(name)]
        kind = source.kinds[name]
        values: list[Any] = [str(c) for c in codes] if kind == "text" else []
        if kind in ("integer", "number"):
            values = [v for v in map(_as_number, codes) if v is not None]
        if values:
            changed[source.at(name)] = column.isin(values).ifelse(None, column)
    return source.table.mutate(**changed) if changed else source.table


def _as_number(code: Any) -> int | float | None:
    if isinstance(code, bool):
        return None
    for convert in (int, float):
        try:
            number = convert(code if not isinstance(code, float) else repr(code))
        except (TypeError, ValueError):
            continue
        return None if math.isnan(number) else number
    return None


# -- measuring ---------------------------------------------------------------------------------


def size(source: Source) -> int:
    """Number of records."""
    return int(_collect(source.table.aggregate(n=source.table.count()), source)["n"][0].as_py())


def is_empty(source: Source) -> bool:
    """Whether there is no record at all, without counting them."""
    return _collect(source.table.limit(1).select("c0"), source).num_rows == 0


def profile(source: Source, names: Sequence[str]) -> tuple[int, dict[str, tuple[int, int]]]:
    """Number of records, and per column the number of distinct values and of missing ones."""
    aggregates: dict[str, Any] = {"n": source.table.count()}
    for name in names:
        column = source.table[source.at(name)]
        if source.kinds[name] != "other":
            aggregates[f"d{source.at(name)}"] = column.nunique()
        aggregates[f"m{source.at(name)}"] = column.isnull().sum()
    row = _collect(source.table.aggregate(**aggregates), source).to_pylist()[0]
    return row["n"], {
        name: (int(row.get(f"d{source.at(name)}") or 0), int(row[f"m{source.at(name)}"] or 0))
        for name in names
    }


def counts(source: Source, by: Sequence[str]) -> pa.Table:
    """Distinct combinations of the attributes ``by`` (columns 0, 1, …) and their count ``n``."""
    columns = {f"k{i}": source.table[source.at(name)] for i, name in enumerate(by)}
    table = source.table.select(**columns)
    return _collect(table.group_by(list(columns)).agg(n=table.count()), source)


def class_signatures(
    source: Source, by: Sequence[str], distinct: Sequence[str], skip_missing: bool
) -> pa.Table:
    """How many classes (``classes``) share a size (``size``) and, per attribute of ``distinct``,
    a number of distinct values (``d0``, ``d1``, …); a missing value counts as one of them
    unless it is skipped.

    Only these small counts leave the engine, however many classes there are.
    """
    keys = {f"k{i}": source.table[source.at(name)] for i, name in enumerate(by)}
    values = {f"v{i}": source.table[source.at(name)] for i, name in enumerate(distinct)}
    table = source.table.select(**keys, **values)
    if (
        len(distinct) == 1 and not skip_missing
    ):  # counting pairs first is twice as fast as a distinct count per class
        pairs = table.group_by([*keys, *values]).agg(n=table.count())
        classes = pairs.group_by(list(keys)).agg(size=pairs["n"].sum(), d0=pairs.count())
    else:
        numbers = {
            f"d{i}": table[v].nunique() + (0 if skip_missing else _any_missing(table[v]))
            for i, v in enumerate(values)
        }
        classes = table.group_by(list(keys)).agg(size=table.count(), **numbers)
    shape = ["size", *(f"d{i}" for i in range(len(distinct)))]
    return _collect(classes.group_by(shape).agg(classes=classes.count()), source)


def _any_missing(column: Any) -> Any:
    return column.isnull().any().cast("int64")


def class_sizes(source: Source, by: Sequence[str], n: int) -> NDArray[np.int64]:
    """The size of each record's class, in the order of the records."""
    if source.row is None:
        fail(
            "N02",
            f"the records of {source.origin} have no order in the engine.",
            "Give record_id= when reading it, or use the class sizes as a column.",
        )
    table = with_class_size(source, by, "size")
    sizes = np.empty(n, dtype=np.int64)
    for batch in _batches(table.select("row", "size"), source):
        sizes[batch.column(0).to_numpy()] = batch.column(1).to_numpy()
    return sizes


def with_class_size(source: Source, by: Sequence[str], name: str) -> ir.Table:
    """The table with the size of each record's class as a further column, still lazy."""
    keys = [source.at(b) for b in by]
    table = source.table
    classes = table.group_by(keys).agg(**{name: table.count()})
    classes = classes.rename({f"{k}_class": k for k in keys})
    joined = table.join(classes, [table[k].identical_to(classes[f"{k}_class"]) for k in keys])
    return joined.select(*table.columns, name)


def ordinals_outside(source: Source, name: str, scale: Sequence[Any]) -> int:
    """How many records hold a value that is not on the given scale."""
    column = source.table[source.at(name)].cast("string")
    outside = column.notnull() & ~column.isin([str(v) for v in scale])
    return int(_collect(source.table.aggregate(n=outside.sum()), source)["n"][0].as_py() or 0)


def not_positive(source: Source, name: str) -> int:
    """How many records hold a missing, zero, negative or infinite number."""
    column = source.table[source.at(name)]
    good = (column > 0).fill_null(False)
    if source.table.schema()[source.at(name)].is_floating():
        good = good & ~column.isinf().fill_null(False)
    return int(_collect(source.table.aggregate(n=(~good).sum()), source)["n"][0].as_py() or 0)


# -- giving out --------------------------------------------------------------------------------


def collect(source: Source, names: Sequence[str]) -> pa.Table:
    """The named columns as an Arrow table, in the order of the records where they have one."""
    table = source.table if source.row is None else source.table.order_by(source.row)
    chosen = table.select(*[source.at(name) for name in names])
    return _collect(chosen, source).rename_columns(list(names))


def write(source: Source, names: Sequence[str], path: Path) -> None:
    """Write the named columns to a CSV or Parquet file that appears whole or not at all."""
    table = source.table if source.row is None else source.table.order_by(source.row)
    chosen = table.select(**{name: table[source.at(name)] for name in names})
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        if path.suffix == ".parquet":
            _translated(lambda: chosen.to_parquet(beside), source.origin)
        else:
            _translated(lambda: chosen.to_csv(beside, header=True), source.origin)
        Path(beside).replace(path)
    finally:
        Path(beside).unlink(missing_ok=True)


def _collect(expression: Any, source: Source) -> pa.Table:
    return _translated(expression.to_pyarrow, source.origin)


def _batches(expression: Any, source: Source) -> Iterator[pa.RecordBatch]:
    backend = expression.get_backend()
    if backend.name != "duckdb":
        yield from expression.to_pyarrow_batches(chunk_size=_BATCH)
        return
    # Ibis 12 asks DuckDB 2 for a reader by a name it no longer has
    relation = _translated(lambda: backend.con.sql(backend.compile(expression)), source.origin)
    yield from _translated(lambda: relation.to_arrow_reader(_BATCH), source.origin)


def _translated(step: Callable[[], T], origin: str) -> T:
    """Run a step; what the engine says of a failure may quote a cell, so it is not passed on."""
    import duckdb
    import ibis.common.exceptions
    import pyarrow as pa

    try:
        return step()
    except (duckdb.Error, ibis.common.exceptions.IbisError, pa.ArrowException, OSError) as error:
        problem = _problem(str(error), type(error).__name__, origin)
    raise_all([problem])
    raise AssertionError


def _problem(message: str, name: str, origin: str) -> Problem:
    import re

    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"line {line[1]} of {origin}" if line else origin
    if "unicode" in message or "not utf-8" in message:
        return csvfile.not_in_encoding(where, "utf-8")
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if widths:
        return Problem(
            "S06",
            f"{where} has {widths[2]} cells, the header has {widths[1]}.",
            "Mend the line, or check the separator.",
        )
    if line:
        return Problem("S07", f"{where} cannot be read as CSV.", "Check its quotes and separators.")
    if "arquet" in message or "magic bytes" in message:
        return Problem(
            "S07", f"{origin} cannot be read as Parquet.", "Check that the file is whole."
        )
    return Problem(
        "E01",
        f"the engine failed on {origin} ({name}).",
        "Its message may quote a value and is withheld; run the step in the engine to see it.",
    )
