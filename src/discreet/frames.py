"""Frames in, the same kind of frame out: pandas, polars, pyarrow and any other eager
frame that narwhals knows become Arrow columns, without a copy where Arrow allows it.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Literal, cast

from discreet.errors import Problem, fail, library, raise_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

FrameKind = Literal["pandas", "polars", "arrow"]
KINDS: tuple[FrameKind, ...] = ("pandas", "polars", "arrow")


def to_arrow(frame: Any) -> tuple[pa.Table, FrameKind]:
    """Turn a frame into an Arrow table (a pandas index is ignored) and name its kind."""
    import narwhals as nw
    import pyarrow as pa

    if isinstance(frame, Mapping):
        return _named_columns(list(frame), list(frame.values())), "arrow"
    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    if nw.dependencies.is_into_dataframe(frame):
        _refuse_duplicates([str(c) for c in _native_columns(frame)])
    narwhal = _collected(frame)
    kind: FrameKind = "arrow"
    if narwhal.implementation.is_pandas_like():
        kind = "pandas"
    elif narwhal.implementation.is_polars():
        kind = "polars"
    elif narwhal.implementation.is_pyarrow():
        return cast("pa.Table", narwhal.to_native()), kind
    return _named_columns(narwhal.columns, list(narwhal.iter_columns())), kind


def is_frame(source: Any) -> bool:
    """Whether narwhals (or a plain mapping of columns) can be read as a frame."""
    import narwhals as nw
    import pyarrow as pa

    if isinstance(source, Mapping | pa.RecordBatch) or nw.dependencies.is_into_dataframe(source):
        return True
    native = nw.from_native(source, pass_through=True)
    return isinstance(native, nw.DataFrame | nw.LazyFrame)


def _collected(frame: Any) -> Any:
    """The frame in memory; what a lazy frame says of a failure may quote a cell: it is withheld."""
    import narwhals as nw

    try:
        narwhal = nw.from_native(frame)
        return narwhal.collect() if isinstance(narwhal, nw.LazyFrame) else narwhal
    except Exception as error:  # noqa: BLE001 - each library raises errors of its own
        name = type(error).__name__
    fail("E01", f"the lazy frame cannot be computed ({name}).", "Collect it first to see why.")


def told_apart(names: Sequence[str]) -> list[str]:
    """Names for the columns of a frame: one that stands there already gets an underscore.

    Examples
    --------
    >>> told_apart(["count", "count", "error"])
    ['count', 'count_', 'error']
    """
    found: list[str] = []
    for name in names:
        while name in found:
            name += "_"
        found.append(name)
    return found


def from_arrow(table: pa.Table, kind: FrameKind) -> Any:
    """Give an Arrow table as the kind of frame asked for."""
    if kind == "arrow":
        return table
    if kind == "pandas":
        return _to_pandas(table)
    if kind == "polars":
        return library("polars", "polars").from_arrow(table)
    fail("P01", f"{kind!r} is not a kind of frame.", f"Use one of {', '.join(KINDS)}.")


def _to_pandas(table: pa.Table) -> Any:
    """A pandas frame in which integers stay integers where some are missing."""
    import pyarrow as pa

    pandas = library("pandas", "pandas")
    raise_all([no_calendar(f"column {name!r}") for name in _not_for_python(table)])
    frame = table.to_pandas()
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count and pa.types.is_integer(column.type):
            nullable = str(column.type).replace("uint", "UInt").replace("int", "Int")
            frame[name] = column.to_pandas(
                types_mapper=lambda _, dtype=nullable: pandas.api.types.pandas_dtype(dtype)
            )
    return frame


def _not_for_python(table: pa.Table) -> list[str]:
    """The columns with dates or times of day that Python does not have; those of frames and files
    were looked at when they were read, those of other engines were not."""
    import pyarrow as pa

    plain = (pa.types.is_date, pa.types.is_time)
    some = [n for n in table.column_names if any(test(table[n].type) for test in plain)]
    return [name for name in some if not _has_python_values(table[name])]


def _has_python_values(column: pa.ChunkedArray) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.min_max(column)
    try:
        pa.array([found["min"], found["max"]], column.type).to_pandas()
    except (ValueError, OverflowError):
        return False
    return True


def _native_columns(frame: Any) -> list[Any]:
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def _refuse_duplicates(names: list[str]) -> None:
    raise_all(
        [
            Problem("S04", f"the frame has more than one column named {name!r}.", "Rename them.")
            for name, number in Counter(names).items()
            if number > 1
        ]
    )


def _named_columns(given: list[Any], columns: list[Any]) -> pa.Table:
    """Convert column by column, so that a column that fails can be named (its values are not)."""
    import pyarrow as pa

    names = [str(name) for name in given]
    _refuse_duplicates(names)
    tried = {n: _column_to_arrow(column) for n, column in zip(names, columns, strict=True)}
    arrays = {name: array for name, array in tried.items() if array is not None}
    raise_all([unreadable(name) for name in tried if name not in arrays])
    if len({len(a) for a in arrays.values()}) > 1:
        fail("S06", "the columns have different lengths.", "Give columns of equal length.")
    return pa.table(arrays)


def unreadable(name: str) -> Problem:
    """The problem of a column whose values have no common type the engine knows."""
    return Problem(
        "S08",
        f"column {name!r} holds values of mixed or unsupported kinds.",
        "Convert it to one plain type, for example to text, before reading it.",
    )


def no_calendar(what: str) -> Problem:
    """The problem of dates and times that no file of another program could hold either."""
    return Problem(
        "S08",
        f"{what} has a date or time that no file holds: before year 1, after year 9999, infinite, "
        "or outside of the day, such as 24:00.",
        "Mend it before reading, or leave the column out.",
    )


def no_text(what: str) -> Problem:
    """The problem of texts whose bytes cannot be read."""
    return Problem(
        "S05",
        f"{what} has text that is not encoded in UTF-8.",
        "Decode it in the encoding it was written in before reading it.",
    )


def _column_to_arrow(column: Any) -> pa.ChunkedArray | None:
    import pyarrow as pa

    try:
        array = _array(column.to_native() if hasattr(column, "to_native") else column)
    except Exception:  # noqa: BLE001 - the message may quote a value: only the column is reported
        return None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _array(column: Any) -> Any:
    import pyarrow as pa

    if isinstance(column, str | bytes | Mapping | Set):
        raise TypeError
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column
    column = _plain_column(column)
    if hasattr(column, "to_arrow"):
        found = column.to_arrow()
        if not _dtype(column).startswith("enum"):
            return found
        # polars before 2 does not say that the categories of an enumeration have an order
        return pa.DictionaryArray.from_arrays(found.indices, found.dictionary, ordered=True)
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        if _dtype(column) not in ("", "object"):
            raise
        return pa.array(column, pa.decimal128(38, 0), from_pandas=True)  # integers beyond 64 bits


def _plain_column(column: Any) -> Any:
    """Columns of a kind that Arrow does not have, as one that it has: the text of periods and
    intervals (also as categories, which is what ``pandas.cut`` gives), dense, decimal.
    """
    if type(column).__module__.partition(".")[0] == "pandas":
        column = importlib.import_module("pandas").Series(column)  # an array or index may be given
    dtype = _dtype(column)
    if dtype == "sparse":
        return column.sparse.to_dense()
    if dtype in ("int128", "uint128"):
        return column.cast(importlib.import_module("polars").Decimal(38, 0))
    if dtype in ("period", "interval"):
        return column.astype("category").cat.rename_categories(str)
    if dtype == "category" and _dtype(column.cat.categories) in ("period", "interval"):
        return column.cat.rename_categories(str)
    return column


def _dtype(column: Any) -> str:
    """The type of a column by name, without its parameters."""
    return str(getattr(column, "dtype", "")).partition("[")[0].lower()


def ordered_scale(column: pa.ChunkedArray) -> tuple[str, ...] | None:
    """The scale of an ordered categorical column, lowest first, or None."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type) or not column.type.ordered or not column.num_chunks:
        return None
    if pa.types.is_temporal(column.type.value_type):
        return None  # times have an order of their own
    steps = column.unify_dictionaries().chunk(0).dictionary
    return tuple(str(v) for v in steps.to_pylist() if v is not None)


def array_of(numbers: NDArray[Any], known: NDArray[np.bool_] | None = None) -> pa.Array:
    """An Arrow array of numbers or marks, those not known missing; Arrow itself would load pandas
    first."""
    import numpy as np
    import pyarrow as pa

    valid = None if known is None else _bits(known)
    if numbers.dtype == np.bool_:
        return pa.Array.from_buffers(pa.bool_(), len(numbers), [valid, _bits(numbers)])
    whole = np.ascontiguousarray(numbers)
    kind = pa.from_numpy_dtype(whole.dtype)
    return pa.Array.from_buffers(kind, len(whole), [valid, pa.py_buffer(whole)])


def texts_of(texts: Sequence[str | None]) -> pa.Array:
    """An Arrow array of texts; Arrow itself would load pandas first."""
    import numpy as np
    import pyarrow as pa

    written = [(text or "").encode() for text in texts]
    ends = np.cumsum([0, *map(len, written)], dtype=np.int64)
    valid = _bits(np.array([text is not None for text in texts], dtype=np.bool_))
    buffers = [valid, pa.py_buffer(ends), pa.py_buffer(b"".join(written))]
    return pa.Array.from_buffers(pa.large_string(), len(written), buffers).cast(pa.string())


def numbers_of(column: pa.Array | pa.ChunkedArray, missing: int | None = None) -> NDArray[Any]:
    """The numbers or marks of an Arrow column, in place where they are binary and none is missing,
    or with a number for the missing ones; Arrow itself would load pandas first."""
    import numpy as np
    import pyarrow as pa

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if missing is not None and whole.null_count:
        known = numbers_of(whole.is_valid())
        plain = pa.Array.from_buffers(
            whole.type, len(whole), [None, whole.buffers()[1]], offset=whole.offset
        )
        return np.where(known, numbers_of(plain), missing)
    if whole.null_count:
        return np.asarray(whole)
    if pa.types.is_boolean(whole.type):
        bits = np.frombuffer(whole.buffers()[1], np.uint8)
        found = np.unpackbits(bits, count=whole.offset + len(whole), bitorder="little")
        return found[whole.offset :].view(np.bool_)
    kinds = {pa.float32(): "float32", pa.float64(): "float64"}
    name = str(whole.type) if pa.types.is_integer(whole.type) else kinds.get(whole.type)
    if name is None:
        return np.asarray(whole)
    numbers = np.frombuffer(whole.buffers()[1], np.dtype(name))
    return numbers[whole.offset : whole.offset + len(whole)]


def _bits(marks: NDArray[np.bool_]) -> pa.Buffer:
    import numpy as np
    import pyarrow as pa

    return pa.py_buffer(np.packbits(marks, bitorder="little"))
