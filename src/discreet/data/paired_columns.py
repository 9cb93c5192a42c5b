"""Columns of an initial and a masked file side by side: as numbers, and as codes of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pyarrow as pa

from discreet import engine
from discreet.data.link import Linked
from discreet.errors import InfiniteValues, fail, raise_all

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST = engine.LARGEST
NUMERIC = ("integer", "number")
TIMES = ("date", "timestamp", "time")


def stored_alike(linked: Linked, name: str) -> bool:
    """Whether the values of both files can be held against each other: numbers, or one kind."""
    kinds = linked.initial.source.kinds[name], linked.masked.source.kinds[name]
    return kinds[0] == kinds[1] or all(kind in NUMERIC for kind in kinds)


def need_finite(linked: Linked, names: Sequence[str]) -> None:
    """Refuse numbers that are infinite, or whose powers are: they have no variance."""
    files = (linked.initial, linked.masked)
    problems = [one for data in files for one in data.unbounded_problems(names)]
    raise_all(list(dict.fromkeys(problems)))


def fail_incomplete() -> NoReturn:
    """Refuse to compare numbers where every released record misses one."""
    remedy = "Fill the missing values, or suppress fewer single values."
    fail("D06", "no released record is complete.", remedy)


def complete_numbers(
    x: pa.Table, y: pa.Table, names: Sequence[str]
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Continuous attributes as matrices, without the records that miss a value (their number);
    a value that is infinite, or whose powers are, is an error."""
    if not names:
        return 0, np.empty((0, 0)), np.empty((0, 0))
    xs = np.column_stack([as_numbers(x[n]) for n in names])
    ys = np.column_stack([as_numbers(y[n]) for n in names])
    if any((np.abs(numbers) > LARGEST).any() for numbers in (xs, ys)):
        raise InfiniteValues
    whole = ~(np.isnan(xs).any(axis=1) | np.isnan(ys).any(axis=1))
    return int((~whole).sum()), xs[whole], ys[whole]


def as_numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """A column as floating-point numbers, times in microseconds; NaN where a value is missing."""
    if pa.types.is_temporal(column.type):
        plain = pa.types.is_time(column.type)
        column = (column if plain else column.cast(pa.timestamp("us"), safe=False)).cast(pa.int64())
    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def shared_codes(
    x: pa.ChunkedArray, y: pa.ChunkedArray, scale: Sequence[str] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Original and masked values coded alike, by rank or by the scale; missing is one value."""
    sides = [distinct_texts(column) for column in (x, y)]
    order = list(scale) if scale else sorted({text for texts, _ in sides for text in texts})
    rank, end = {text: i for i, text in enumerate(order)}, len(order)
    first, second = (
        np.array([*(rank.get(text, end) for text in texts), end], dtype=np.int64)[at]
        for texts, at in sides
    )
    return first, second, end + 1


def distinct_texts(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int64]]:
    """The distinct values of a column as text, and the place of every record: the last, missing."""
    if pa.types.is_dictionary(column.type):  # its dictionary may hold a missing value, or one twice
        column = column.cast(column.type.value_type)
    coded = column.combine_chunks().dictionary_encode()
    texts = [str(value) for value in coded.dictionary.to_pylist()]
    at = coded.indices.cast(pa.int64()).fill_null(len(texts))
    return texts, at.to_numpy(zero_copy_only=False)
