"""What the measures of loss see of two files: sums and counts, here or where the records are.

Values that are in this process are compared record by record; those of another engine, or of very
many records, are added up by the engine, and nothing but sums and counts leaves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.linking import Linked
from discreet.loss.bits import ebil_share, share_of_bits
from discreet.loss.categorical import (
    attribute_dist,
    attribute_ebil,
    table_variation,
    tables_of,
)
from discreet.loss.continuous import QUANTILES, Summary, around

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Comparison:
    """Initial and masked values of some attributes, compared.

    Attributes
    ----------
    n : int
        Released records that are linked to an initial one.
    left_out : int
        Those that miss a continuous value.
    touched : tuple of str
        The attributes that differ in some record.
    continuous : Summary or None
    dist, ebil : tuples
        Per categorical attribute.
    tables : tuple
        Per contingency table the variation, its cells and the records in new cells.
    ebil_share : float
        Share of the bits in the keys that the masked values leave open.
    """

    n: int
    left_out: int
    touched: tuple[str, ...]
    continuous: Summary | None
    dist: tuple[float, ...]
    ebil: tuple[float, ...]
    tables: tuple[tuple[float, int, int], ...]
    ebil_share: float


def compare(
    linked: Linked,
    continuous: Sequence[str],
    categorical: Sequence[str],
    dimension: int,
    keys: Sequence[str] = (),
) -> Comparison:
    """Compare the values of the released records."""
    at = _here if linked.near else _there
    return at(linked, tuple(continuous), tuple(categorical), dimension, tuple(keys))


def summary_of(linked: Linked, names: Sequence[str]) -> Summary | None:
    """The sums of continuous attributes; None when no record has all of them."""
    return compare(linked, names, (), 0).continuous


def _here(
    linked: Linked,
    continuous: tuple[str, ...],
    categorical: tuple[str, ...],
    dimension: int,
    keys: tuple[str, ...],
) -> Comparison:
    x, y = linked.values([*continuous, *categorical])
    left_out, xs, ys = complete_numbers(x, y, continuous)
    types = linked.initial.types
    codes = [_codes(x[n], y[n], types[n].scale) for n in categorical]
    cardinalities = [c[2] for c in codes]
    return Comparison(
        x.num_rows,
        left_out,
        tuple(n for n in (*continuous, *categorical) if not _equal(x[n], y[n])),
        Summary.of(xs, ys) if continuous and len(xs) else None,
        tuple(
            attribute_dist(c[0], c[1], types[n].measure == "ordinal")
            for n, c in zip(categorical, codes, strict=True)
        ),
        tuple(attribute_ebil(*c) for c in codes),
        tuple(
            table_variation([c[0] for c in codes], [c[1] for c in codes], cardinalities, chosen)
            for chosen in tables_of(len(codes), dimension)
        ),
        ebil_share(linked, keys, x, y),
    )


def _equal(x: pa.ChunkedArray, y: pa.ChunkedArray) -> bool:
    """Whether two columns hold the same values, however they are stored."""
    import pyarrow as pa

    if x.type != y.type and pa.types.is_floating(y.type):
        x = x.cast(y.type, safe=False)
    return bool(x.equals(y))


def complete_numbers(
    x: pa.Table, y: pa.Table, names: Sequence[str]
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Continuous attributes as matrices, without the records that miss a value (their number)."""
    if not names:
        return 0, np.empty((0, 0)), np.empty((0, 0))
    xs = np.column_stack([_numbers(x[n]) for n in names])
    ys = np.column_stack([_numbers(y[n]) for n in names])
    whole = ~(np.isnan(xs).any(axis=1) | np.isnan(ys).any(axis=1))
    return int((~whole).sum()), xs[whole], ys[whole]


def _numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    import pyarrow as pa

    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def _codes(
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
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):  # its dictionary may hold a missing value, or one twice
        column = column.cast(column.type.value_type)
    coded = column.combine_chunks().dictionary_encode()
    texts = [str(value) for value in coded.dictionary.to_pylist()]
    at = coded.indices.cast(pa.int64()).fill_null(len(texts))
    return texts, at.to_numpy(zero_copy_only=False)


def _there(
    linked: Linked,
    continuous: tuple[str, ...],
    categorical: tuple[str, ...],
    dimension: int,
    keys: tuple[str, ...],
) -> Comparison:
    """In three queries: sums, sums around the means, and a row for each further figure."""
    names, first = (*continuous, *categorical), len(continuous)
    every = tuple(dict.fromkeys((*names, *keys)))
    found = linked.compared(every)
    totals = found.totals(len(names), first)
    summary = None
    if continuous and totals.m:
        sums = found.moments(totals, QUANTILES, *around(totals.m))
        summary = Summary(**sums._asdict())
    at, types = range(first, len(names)), linked.initial.types
    scales = {i: scale for i in at if (scale := types[names[i]].scale)}
    tables = [tuple(first + a for a in t) for t in tables_of(len(categorical), dimension)]
    places = {key: every.index(key) for key in keys}
    asked: dict[Any, Any] = {("apart", i): found.apart(i, scale) for i, scale in scales.items()}
    asked |= {("entropy", i): found.entropy(i) for i in (*at, *places.values())}
    asked |= {("table", chosen): found.variation(chosen) for chosen in tables}
    initial = linked.initial.source
    asked |= {("bits", i): found.information(i, initial, key) for key, i in places.items()}
    told = found.answers(asked)
    return Comparison(
        totals.n,
        totals.n - totals.m,
        tuple(name for name, d in zip(names, totals.differing, strict=True) if d),
        summary,
        tuple(told["apart", i][0] if i in scales else float(totals.differing[i]) for i in at),
        tuple(told["entropy", i][0] for i in at),
        tuple(
            (lost, int(cells), int(new)) for lost, cells, new in (told["table", t] for t in tables)
        ),
        share_of_bits([(*told["bits", i][:2], told["entropy", i][0]) for i in places.values()]),
    )
