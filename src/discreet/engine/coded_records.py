"""Records that are held here, given out, chosen and changed: the twins of
:mod:`discreet.engine.output`, :mod:`discreet.engine.choice` and :mod:`discreet.engine.recoding`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.engine.coded_counts import columns_of
from discreet.engine.held import HeldColumn, held_of
from discreet.engine.source import LINK
from discreet.frames import array_of, numbers_of
from discreet.kernels.packing import merged, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.engine.links import Pair
    from discreet.engine.source import Source


def collect(source: Source, names: Sequence[str], seed: int | None = None) -> pa.Table | Any:
    if seed is not None:  # the engine knows how it writes numbers
        return NotImplemented
    cells = [column.cells for column in columns_of(source, names)]
    return pa.Table.from_arrays(cells, names=list(names))


def head(source: Source, names: Sequence[str], most: int) -> pa.Table:
    return collect(source, names).slice(0, most)


def records(source: Source, link: str, names: Sequence[str], order: str) -> pa.Table:
    held, arrays = held_of(source), [column.cells for column in columns_of(source, names)]
    found = pa.Table.from_arrays([held[link].cells, *arrays], names=[LINK, *names])
    if order == link == source.row:  # they stand in this order
        return found
    by = pa.table({"order": held[order].cells, "link": held[link].cells})
    return found.take(_sorted(by, ["order", "link"]))


def _sorted(table: pa.Table, names: Sequence[str]) -> pa.Array:
    return pc.sort_indices(table, sort_keys=[(name, "ascending") for name in names])


def replaced(source: Source, link: str, values: pa.Table) -> Source | Any:
    held, given = held_of(source), values.column(0).combine_chunks()
    places = found_at(held[link].cells, given)
    if places is NotImplemented:
        return NotImplemented
    here = np.flatnonzero(places >= 0)
    kept, at = held.chosen(here) if len(here) < len(held) else held, places[here]
    names = values.column_names[1:]
    changed = {
        source.at(name): HeldColumn(values.column(i).combine_chunks()).chosen(at)
        for i, name in enumerate(names, 1)
    }
    return replace(source, records=kept.but(changed))


def recoded(source: Source, tables: Mapping[str, pa.Table]) -> Source | Any:
    held = held_of(source)
    changed: dict[str, HeldColumn] = {}
    here = np.ones(len(held), dtype=np.bool_)
    for name, table in tables.items():
        values, codes = held[source.at(name)].coded
        at = found_at(values, table.column(0).combine_chunks(), missing=True)
        if at is NotImplemented:
            return NotImplemented
        here &= (at >= 0)[codes]
        labels = table.column(1).combine_chunks().take(_places(at))
        changed[source.at(name)] = HeldColumn.of_codes(labels, codes)
    return replace(source, records=held.but(changed).chosen(here))


def without(source: Source, names: Sequence[str], combinations: pa.Table) -> Source | Any:
    held = held_of(source)
    if combinations.num_rows == 0:
        return source
    gone = np.ones(combinations.num_rows, dtype=np.bool_)
    coded, theirs = [], []
    for i, column in enumerate(columns_of(source, names)):
        values, codes = column.coded
        at = found_at(combinations.column(i).combine_chunks(), values, missing=True)
        if at is NotImplemented:
            return NotImplemented
        gone &= at >= 0
        coded.append((codes, len(values)))
        theirs.append(at)
    both = [np.concatenate([codes, at[gone]]) for (codes, _), at in zip(coded, theirs, strict=True)]
    packed, _ = pack(both, [number for _, number in coded])
    left = ~np.isin(packed[: len(held)], packed[len(held) :])
    return replace(source, records=held.chosen(left))


def found_at(cells: pa.Array, among: pa.Array, *, missing: bool = False) -> NDArray[np.int64] | Any:
    """The place of each cell among different values, −1 where it is none of them; a missing cell
    is equal to a missing one, or to none."""
    if cells.type != among.type:
        return NotImplemented
    if cells.equals(among) and (missing or not cells.null_count):
        return np.arange(len(cells))
    places = pc.index_in(cells, value_set=among, skip_nulls=not missing)
    return numbers_of(places, -1).astype(np.int64)


def _places(at: NDArray[np.int64]) -> pa.Array:
    """To take values by, where −1 is a missing one."""
    return array_of(at, at >= 0)


def sample(source: Source, column: str, size: int, n: int, seed: int) -> Source | Any:
    if size == n:
        return source
    draws = _draws(held_of(source)[column], seed)
    if draws is NotImplemented:
        return NotImplemented
    order = np.lexsort((draws[:, 1], draws[:, 0]))
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[order[:size]] = True
    last = draws[order[size - 1]]
    chosen |= (draws == last).all(axis=1)
    return replace(source, records=held_of(source).chosen(chosen))


def hashed_records(
    source: Source,
    link: str,
    names: Sequence[str],
    ids: str,
    seed: int,
    n: int,  # noqa: ARG001
) -> tuple[pa.Table, NDArray[np.uint64]] | Any:
    held, arrays = held_of(source), [column.cells for column in columns_of(source, names)]
    draws = _draws(held[ids], seed)
    if draws is NotImplemented:
        return NotImplemented
    found = pa.Table.from_arrays([held[link].cells, *arrays], names=[LINK, *names])
    order = _sorted(pa.table({"h": draws[:, 0], "id": held[ids].cells}), ["h", "id"])
    return found.take(order), draws[:, 0][order.to_numpy()]


def _draws(ids: HeldColumn, seed: int) -> NDArray[np.uint64] | Any:
    """The hashes of seed and id, as two numbers each."""
    if ids.kind not in ("integer", "text") or ids.cells.null_count:
        return NotImplemented
    start = f"{seed}:"
    digests = [hashlib.md5(f"{start}{one}".encode(), usedforsecurity=False).digest()
               for one in ids.cells.to_pylist()]  # fmt: skip
    return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64).reshape(-1, 2)


def multiplied(source: Source, name: str, factor: float) -> Source | Any:
    (column,) = columns_of(source, [name])
    if not column.is_exact:
        return NotImplemented
    times = pc.multiply(column.cells.cast(pa.float64(), safe=False), factor)
    return replace(source, records=held_of(source).but({source.at(name): HeldColumn(times)}))


def cell_pairs(pair: Pair, link: tuple[str, str], names: Sequence[str]) -> list[pa.Table] | Any:
    places = found_at(held_of(pair.masked)[link[1]].cells, held_of(pair.initial)[link[0]].cells)
    if places is NotImplemented:
        return NotImplemented
    here = places >= 0
    found = []
    for before, after in zip(
        columns_of(pair.initial, names), columns_of(pair.masked, names), strict=True
    ):
        values = before.coded[0], after.coded[0]
        codes = before.coded[1][places[here]], after.coded[1][here]
        first, owner = merged(codes, [len(one) for one in values])
        x, y = (one.take(pa.array(code[first])) for one, code in zip(values, codes, strict=True))
        found.append(pa.table({"x": x, "y": y, "n": np.bincount(owner, minlength=len(first))}))
    return found


def linked_values(pair: Pair, link: tuple[str, str], names: Sequence[str]) -> pa.Table | Any:
    ids = held_of(pair.masked)[link[1]].cells
    places = found_at(ids, held_of(pair.initial)[link[0]].cells)
    if places is NotImplemented:
        return NotImplemented
    here = np.flatnonzero(places >= 0)
    if link[1] != pair.masked.row:  # else they stand in the order of their ids
        here = here[pc.sort_indices(ids.take(pa.array(here))).to_numpy()]
    x, y = columns_of(pair.initial, names), columns_of(pair.masked, names)
    columns = [
        *(column.cells.take(pa.array(here)) for column in y),
        *(column.cells.take(pa.array(places[here])) for column in x),
    ]
    return pa.Table.from_arrays(
        columns, names=[f"{side}{i}" for side in "yx" for i in range(len(names))]
    )
