"""The engine boundary: few verbs over Ibis, evaluated lazily, and nothing else knows Ibis.

DuckDB is embedded and the default; a table of any other Ibis backend stays where it is.
Inside, columns have positional names (``c0``, ``c1``, …): whatever stands in a header —
quotes, SQL, two names that differ in case only — never reaches the engine.
"""

from __future__ import annotations

import contextlib
import decimal
import functools
import itertools
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
from discreet.errors import DiscreetError, Problem, fail, raise_all
from discreet.frames import FrameKind, unreadable

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
_NUMBER = (  # an exponent beyond 289 may leave the range of a 64-bit number
    r"^\s*[+-]?((0|[1-9][0-9]{0,14})(\.[0-9]*)?|\.[0-9]+)"
    r"([eE][+-]?([0-9]{1,2}|1[0-9]{2}|2[0-8][0-9]))?\s*$|^\s*[nN][aA][nN]\s*$"
)
_ISO = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9:.]+)?$"  # 'infinity' is a date to some engines
_counter = itertools.count()


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        return f"Source: {len(self.names):,} columns of {self.origin}"  # a table may show its cells

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
    home = type(source).__module__.partition(".")[0]
    return home == "ibis" and hasattr(source, "get_backend") and hasattr(source, "columns")


def from_table(table: Any, missing: MissingCodes) -> Source:
    """Open a table of any Ibis backend; rows have no numbers of their own there."""
    _translated(table.get_backend, "the Ibis table")
    names = tuple(str(c) for c in table.columns)
    renamed = table.select(**{f"c{i}": table[name] for i, name in enumerate(table.columns)})
    return _normalised(Source(renamed, names, "the table", None, "arrow"), missing)


def from_arrow(table: pa.Table, kind: FrameKind, missing: MissingCodes) -> Source:
    """Open an Arrow table in the embedded engine, which reads its buffers in place."""
    import pyarrow as pa

    names = tuple(str(n) for n in table.column_names)
    plain = {n: _plain(column) for n, column in zip(names, table.columns, strict=True)}
    raise_all([unreadable(name) for name, column in plain.items() if column is None])
    row = pa.array(np.arange(table.num_rows, dtype=np.int64))
    physical = [*(f"c{i}" for i in range(len(names))), "row"]
    arrow = pa.Table.from_arrays([*plain.values(), row], names=physical)
    name = _fresh_name()
    embedded = _embedded()
    embedded.con.register(name, arrow)
    opened = _translated(lambda: embedded.table(name), f"the {kind} frame")
    source = Source(opened, names, f"the {kind} frame", "row", kind)
    _when_unused(source.table, _forget, name)
    return _normalised(source, missing)


def read_parquet(path: Path, missing: MissingCodes) -> Source:
    """Open a Parquet file in place. The engine renames columns that differ in case only, so
    the names are taken from the file and the columns by position.
    """
    import ibis
    import pyarrow.parquet as pq

    names = tuple(_translated(lambda: pq.read_schema(path), path.name).names)
    csvfile.refuse_duplicates(names, path)
    numbered = "file_row_number" not in (name.lower() for name in names)
    options = {"file_row_number": True} if numbered else {}
    table = _translated(
        lambda: _embedded().read_parquet(
            _literal(path), table_name=_fresh_name(), hive_partitioning=False, **options
        ),
        path.name,
    )
    columns = {f"c{i}": table[i] for i in range(len(names))}
    row = table["file_row_number"] if numbered else ibis.row_number()
    source = Source(table.select(**columns, row=row), names, path.name, "row", "arrow")
    return _normalised(_in_known_types(source), missing)


def read_csv(path: Path, dialect: csvfile.Dialect, missing: MissingCodes) -> Source:
    """Open a CSV file: all columns as text first, then the type that fits every cell.

    A type is chosen only where it loses nothing: a code with leading zeros, or with more
    digits than a 64-bit number holds, stays text.
    """
    import ibis

    physical = {f"c{i}": "VARCHAR" for i in range(len(dialect.names))}
    text = _translated(
        lambda: _embedded().read_csv(
            _literal(path),
            table_name=_fresh_name(),
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
    return _normalised(Source(typed, dialect.names, path.name, "row", "arrow"), missing)


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


def _literal(path: Path) -> str:
    """A path that the engine does not take for a pattern."""
    return "".join(f"[{c}]" if c in "[*?" else c for c in str(path))


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Decode dictionaries, unwrap extension types and convert types the engine does not have to
    one that loses nothing; every other column is left in place. None when there is no such type.
    """
    import pyarrow as pa

    if isinstance(column.type, pa.BaseExtensionType) and column.type != pa.uuid():
        column = column.cast(column.type.storage_type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    near = _near_type(column.type)
    try:
        return None if near is None else column if near == column.type else column.cast(near)
    except pa.ArrowException:
        return None


def _near_type(dtype: pa.DataType) -> pa.DataType | None:
    import pyarrow as pa

    if pa.types.is_duration(dtype) or pa.types.is_interval(dtype) or pa.types.is_union(dtype):
        return None
    if pa.types.is_null(dtype):
        return pa.string()
    if pa.types.is_float16(dtype):
        return pa.float32()
    if pa.types.is_decimal256(dtype):
        return pa.decimal128(38, dtype.scale)
    if dtype == pa.time64("ns"):
        return pa.time64("us")
    if pa.types.is_timestamp(dtype) and dtype.tz is not None and dtype.unit == "ns":
        return pa.timestamp("us", dtype.tz)
    return dtype


_NEAR = {"TIMESTAMPTZ_NS": "timestamp('UTC')", "TIME_NS": "time", '"NULL"': "string"}


def _in_known_types(source: Source) -> Source:
    """Columns of types that Ibis does not know, converted to one that loses nothing."""
    schema = source.table.schema()
    near = {
        source.at(name): target
        for name in source.names
        if schema[source.at(name)].is_unknown()
        for raw, target in _NEAR.items()
        if raw in str(schema[source.at(name)])
    }
    if not near:
        return source
    texts = {c: (source.table[c].cast("string"), source.table[c].cast(t)) for c, t in near.items()}
    lost = {c: (text != value.cast("string")).any() for c, (text, value) in texts.items()}
    found = _collect(source.table.aggregate(**lost), source).to_pylist()[0]
    raise_all([unreadable(n) for n in source.names if found.get(source.at(n))])
    converted = source.table.mutate(**{c: value for c, (_, value) in texts.items()})
    return replace(source, table=converted)


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
    row = {}
    for some in _portions(tried, 500):
        checks = {f"{kind}{i}": _fits(table[f"c{i}"], kind).all() for i, kind in some}
        found = _translated(table.aggregate(**checks).to_pyarrow, origin)
        row.update(found.to_pylist()[0])
    # no record at all (None): nothing contradicts the kind, and text is the plain reading
    return {(i, kind): bool(row[f"{kind}{i}"]) for i, kind in tried}


def _fits(column: Any, kind: Kind) -> Any:
    if kind == "number":
        return column.isnull() | column.re_search(_NUMBER)
    text = column.strip().replace("T", " ") if kind == "timestamp" else column.strip()
    same = text.try_cast(_DTYPE[kind]).cast("string") == text
    if kind != "integer":
        same = same & text.re_search(_ISO)
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
        if schema[at].is_uuid():
            changed[at] = source.table[at].cast("string")
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
        found = _is_code(column, source.kinds[name], codes)
        if found is not None:
            changed[source.at(name)] = found.ifelse(None, column)
    return source.table.mutate(**changed) if changed else source.table


def _is_code(column: Any, kind: Kind, codes: Sequence[Any]) -> Any | None:
    """Whether a cell is one of the codes: numbers by value, everything else by its text form."""
    if kind in ("integer", "number"):
        numbers = [v for v in (_number(code, column.type()) for code in codes) if v is not None]
        return column.isin(numbers) if numbers else None
    texts = [str(c).lower() if kind == "boolean" else str(c) for c in codes]
    if not texts or kind == "other":
        return None
    return (column if kind == "text" else column.cast("string")).isin(texts)


def _number(code: Any, dtype: Any) -> Any | None:
    """A code as a number of the column's type, or None when the column cannot hold it."""
    import ibis

    text = "" if isinstance(code, bool) or "_" in str(code) else str(code).strip()
    with contextlib.suppress(ArithmeticError, TypeError, ValueError):
        number = decimal.Decimal(text)
        if dtype.is_floating():
            return ibis.literal(float(number), type=dtype)
        if dtype.is_decimal():
            return ibis.literal(number, type=dtype)
        return ibis.literal(int(number), type=dtype) if number == int(number) else None
    return None


# -- measuring ---------------------------------------------------------------------------------


def size(source: Source) -> int:
    """Number of records."""
    return int(_collect(source.table.aggregate(n=source.table.count()), source)["n"][0].as_py())


def is_empty(source: Source) -> bool:
    """Whether there is no record at all, without counting them."""
    one = source.table.limit(1)
    return int(_collect(one.aggregate(n=one.count()), source)["n"][0].as_py()) == 0


def profile(source: Source, names: Sequence[str]) -> tuple[int, dict[str, tuple[int, int]]]:
    """Number of records, and per column the number of distinct values and of missing ones."""
    row: dict[str, Any] = {}
    for some in _portions(names, 50) or [()]:  # twice fifty distinct counts beat a hundred at once
        aggregates: dict[str, Any] = {"n": source.table.count()}
        for name in some:
            column = source.table[source.at(name)]
            if source.kinds[name] != "other":
                aggregates[f"d{source.at(name)}"] = column.nunique()
            aggregates[f"m{source.at(name)}"] = column.isnull().sum()
        row.update(_collect(source.table.aggregate(**aggregates), source).to_pylist()[0])
    return row["n"], {
        name: (int(row.get(f"d{source.at(name)}") or 0), int(row[f"m{source.at(name)}"] or 0))
        for name in names
    }


def _portions(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Parts small enough for one query."""
    return [items[i : i + size] for i in range(0, len(items), size)]


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
    # a projection of its own: shared with the join, the whole table would be held in memory
    keyed = table.select(**{f"{k}_class": table[k] for k in keys})
    classes = keyed.group_by(list(keyed.columns)).agg(**{name: keyed.count()})
    joined = table.join(classes, [table[k].identical_to(classes[f"{k}_class"]) for k in keys])
    return joined.select(*table.columns, name)


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
    batches = iter(_translated(lambda: _reader(expression), source.origin))
    while (batch := _translated(lambda: next(batches, None), source.origin)) is not None:
        yield batch


def _reader(expression: Any) -> Iterator[pa.RecordBatch]:
    backend = expression.get_backend()
    if backend.name != "duckdb":
        return expression.to_pyarrow_batches(chunk_size=_BATCH)
    # Ibis 12 asks DuckDB 2 for a reader by a name it no longer has
    return backend.con.sql(backend.compile(expression)).to_arrow_reader(_BATCH)


def _translated(step: Callable[[], T], origin: str) -> T:
    """Run a step; what the engine says of a failure may quote a cell, so it is not passed on."""
    try:
        return step()
    except DiscreetError:
        raise
    except Exception as error:  # noqa: BLE001 - every backend has errors of its own
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
    if "Maximum line size" in message:
        return Problem("S07", f"{where} is too long.", "Check whether a quote is not closed.")
    if line:
        return Problem("S07", f"{where} cannot be read as CSV.", "Check its quotes and separators.")
    if "CSV Parser" in message:
        return Problem(
            "S07",
            f"{where} mixes line ends or has a quote out of place.",
            "Save it with one kind of line end and balanced quotes.",
        )
    if "arquet" in message or "magic bytes" in message:
        return Problem(
            "S07", f"{origin} cannot be read as Parquet.", "Check that the file is whole."
        )
    return Problem(
        "E01",
        f"the engine failed on {origin} ({name}).",
        "Its message may quote a value and is withheld; run the step in the engine to see it.",
    )
