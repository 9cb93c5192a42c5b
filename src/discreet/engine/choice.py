"""Choosing records: by a hash of seed and record id that is the same on every engine."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.engine import coded_records
from discreet.engine.source import (
    LINK,
    Source,
    alike,
    collected,
    is_distributed,
    is_near,
    kept,
    uploaded,
    with_twin,
)
from discreet.errors import fail

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray

_MOST = 10_000_000  # records of which some columns cross from other machines to this one
_FEW = 100_000  # records: their draws are sorted; of more, only those near the last one chosen


@with_twin(coded_records.sample)
def sample(source: Source, column: str, size: int, n: int, seed: int) -> Source:
    """The records with the ``size`` smallest draws of ``n``; a draw is a hash of seed and id.

    The records are not sorted: the largest draw among those chosen is found first.
    """
    if size == n:
        return kept(source)
    drawn = source.table.mutate(draw=draw(source.table[column], seed))
    if is_near(source) and n > _FEW:
        # the hash is what takes long: those that may be chosen are kept with theirs
        drawn = kept(source, drawn.filter(drawn["draw"] < _hex(_near(size, n)[1]))).table
    last = _smallest(source, drawn.select("draw"), size, n)
    chosen = drawn.filter(drawn["draw"] <= last).select(*source.table.columns)
    return kept(source, chosen)


def _near(rank: int, n: int) -> tuple[float, float]:
    """Shares of the range between which the draw of a rank lies: eight standard errors around."""
    share, spread = rank / n, math.sqrt(rank * (n - rank) / n) / n
    return share - 8 * spread, share + 8 * spread


def _smallest(source: Source, drawn: ir.Table, rank: int, n: int) -> str:
    """The draw of a rank. Draws are uniform, so that it lies near its share of the range: within
    eight standard errors, and if it does not, all draws are sorted.
    """
    low, high = _near(rank, n)
    if n > _FEW and low > 0:
        below = drawn.filter(drawn["draw"] < _hex(low))
        before = int(collected(below.aggregate(n=below.count()), source)["n"][0].as_py())
        near = drawn.filter((drawn["draw"] >= _hex(low)) & (drawn["draw"] < _hex(high)))
        found = _at(source, near, rank - before)
        if found is not None:
            return found
    found = _at(source, drawn, rank)
    assert found is not None
    return found


def _at(source: Source, drawn: ir.Table, rank: int) -> str | None:
    if rank < 1:
        return None
    lowest = drawn.order_by("draw").limit(rank)
    found = collected(lowest.aggregate(last=lowest["draw"].max(), n=lowest.count()), source)
    return found["last"][0].as_py() if found["n"][0].as_py() == rank else None


def _hex(share: float) -> str:
    """The first digits of the draws that lie at a share of their range."""
    return format(int(share * 2**64), "016x") if share < 1 else "g"


@with_twin(coded_records.multiplied)
def multiplied(source: Source, name: str, factor: float) -> Source:
    """The table with a column of numbers multiplied, as floating-point numbers."""
    at = source.at(name)
    return replace(source, records=source.table.mutate(**{at: _times(source.table[at], factor)}))


def _times(column: Any, factor: Any) -> Any:
    return column.cast("float64") * factor


def stratified_sample(
    source: Source,
    column: str,
    by: Sequence[str],
    sizes: pa.Table,
    seed: int,
    weight: str | None = None,
) -> Source:
    """The smallest draws within each stratum; ``sizes`` holds the strata, how many to take, and a
    factor by which the numbers in the column ``weight`` are multiplied."""
    import ibis

    strata = [source.at(name) for name in by]
    given = uploaded(
        source, sizes.rename_columns([*(f"s{i}" for i in range(len(by))), "take", "factor"])
    )
    drawn = source.table.mutate(draw=draw(source.table[column], seed))
    window = ibis.window(group_by=strata, order_by=["draw", column])
    ranked = drawn.mutate(rank=ibis.row_number().over(window))
    joined = ranked.join(given, alike(source, ranked, by, given))
    drawn = joined.filter(joined["rank"] < joined["take"])
    columns = {c: drawn[c] for c in source.table.columns}
    if weight is not None:
        at = source.at(weight)
        columns[at] = _times(drawn[at], drawn["factor"])
    return kept(source, drawn.select(**columns))


@with_twin(coded_records.hashed_records)
def hashed_records(
    source: Source, link: str, names: Sequence[str], ids: str, seed: int, n: int
) -> tuple[pa.Table, NDArray[np.uint64]]:
    """The named columns of all records with the link first, and the first 64 bits of the hash of
    each record: in the order of the hash, then of the record id. Nothing else crosses.
    """
    if is_distributed(source) and n > _MOST:
        fail(
            "N10",
            f"one machine would have to hold the columns of {n:,} records, and it takes up to "
            f"{_MOST:,}.",
            "Mask parts of the file separately, or draw a sample.",
        )
    columns = {f"v{i}": source.table[source.at(name)] for i, name in enumerate(names)}
    bits = draw(source.table[ids], seed).substr(0, 16)
    chosen = source.table.select(link=source.table[link], id=source.table[ids], h=bits, **columns)
    found = collected(chosen, source).combine_chunks()
    ordered = found.sort_by([("h", "ascending"), ("id", "ascending")])
    values = ordered.drop_columns(["id", "h"]).rename_columns([LINK, *names])
    return values, _words(ordered["h"])


def _words(digits: pa.ChunkedArray) -> NDArray[np.uint64]:
    """Sixteen hexadecimal digits of each record as a number."""
    found = b"".join(bytes.fromhex("".join(part.to_pylist())) for part in digits.chunks)
    return np.frombuffer(found, ">u8").astype(np.uint64)


def draw(ids: Any, seed: int) -> Any:
    """A hash that is the same on every engine: MD5 of the text "seed:id"."""
    import ibis

    return hashed(ibis.literal(f"{seed}:") + ids.cast("string"))


def hashed(text: Any) -> Any:
    """MD5 of a text as hexadecimal digits, the same on every engine."""
    return _md5()(text)


@functools.cache
def _md5() -> Any:
    """MD5 as hexadecimal digits: a function of this name on every engine."""
    import ibis

    @ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
    def md5(text: str) -> str:  # type: ignore[empty-body]
        """MD5 of a text."""

    return md5
