"""Frames in, the same kind of frame out: pandas, polars, pyarrow and any other eager
frame that narwhals knows become Arrow columns, without a copy where Arrow allows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from discreet.errors import Problem, fail, raise_all

if TYPE_CHECKING:
    import pyarrow as pa

FrameKind = Literal["pandas", "polars", "arrow"]
KINDS: tuple[FrameKind, ...] = ("pandas", "polars", "arrow")


def to_arrow(frame: Any) -> tuple[pa.Table, FrameKind]:
    """Turn a frame into an Arrow table (a pandas index is ignored) and name its kind."""
    import narwhals as nw

    if isinstance(frame, Mapping):
        return _columns_to_arrow({str(k): v for k, v in frame.items()}), "arrow"
    _refuse_duplicates([str(c) for c in _native_columns(frame)])
    narwhal = nw.from_native(frame)
    if isinstance(narwhal, nw.LazyFrame):
        narwhal = narwhal.collect()
    kind: FrameKind = "arrow"
    if narwhal.implementation.is_pandas_like():
        kind = "pandas"
    elif narwhal.implementation.is_polars():
        kind = "polars"
    elif narwhal.implementation.is_pyarrow():
        return cast("pa.Table", frame), kind
    columns = {str(name): narwhal[name] for name in narwhal.columns}
    return _columns_to_arrow(columns), kind


def is_frame(source: Any) -> bool:
    """Whether narwhals (or a plain mapping of columns) can be read as a frame."""
    import narwhals as nw

    if isinstance(source, Mapping):
        return True
    native = nw.from_native(source, pass_through=True)
    return isinstance(native, nw.DataFrame | nw.LazyFrame)


def from_arrow(table: pa.Table, kind: FrameKind) -> Any:
    """Give an Arrow table as the kind of frame asked for."""
    if kind == "arrow":
        return table
    if kind == "pandas":
        _need("pandas")
        return table.to_pandas()
    if kind == "polars":
        import importlib

        _need("polars")
        return importlib.import_module("polars").from_arrow(table)
    fail("P01", f"{kind!r} is not a kind of frame.", f"Use one of {', '.join(KINDS)}.")


def _need(module: str) -> None:
    import importlib.util

    if importlib.util.find_spec(module) is None:
        fail("M01", f"{module} is not installed.", f"Run: pip install {module}")


def _native_columns(frame: Any) -> list[Any]:
    if hasattr(frame, "column_names"):
        return list(frame.column_names)
    if hasattr(frame, "collect_schema"):
        return list(frame.collect_schema().names())
    return list(frame.columns)


def _refuse_duplicates(names: list[str]) -> None:
    twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) < len(names) else []
    raise_all(
        [
            Problem("S04", f"the frame has more than one column named {name!r}.", "Rename them.")
            for name in twice
        ]
    )


def _columns_to_arrow(columns: Mapping[str, Any]) -> pa.Table:
    """Convert column by column, so that a column that fails can be named (its values are not)."""
    import pyarrow as pa

    arrays: dict[str, pa.ChunkedArray] = {}
    problems: list[Problem] = []
    for name, column in columns.items():
        array = _column_to_arrow(column)
        if array is None:
            problems.append(
                Problem(
                    "S08",
                    f"column {name!r} mixes values of different kinds.",
                    "Convert it to one type, for example to text, before reading it.",
                )
            )
        else:
            arrays[name] = array
    raise_all(problems)
    if len({len(a) for a in arrays.values()}) > 1:
        fail("S06", "the columns have different lengths.", "Give columns of equal length.")
    return pa.table(arrays)


def _column_to_arrow(column: Any) -> pa.ChunkedArray | None:
    import pyarrow as pa

    try:
        if isinstance(column, pa.Array | pa.ChunkedArray):
            return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
        array = column.to_arrow() if hasattr(column, "to_arrow") else pa.array(column)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None  # the message of Arrow quotes the value: the caller reports the column only
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def ordered_scale(column: pa.ChunkedArray) -> tuple[str, ...] | None:
    """The scale of an ordered categorical column, lowest first, or None."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type) or not column.type.ordered or not column.num_chunks:
        return None
    return tuple(str(v) for v in column.chunk(0).dictionary.to_pylist() if v is not None)
