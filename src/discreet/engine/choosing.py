"""Choosing records: by a hash of seed and record id that is the same on every engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discreet.engine.source import Source, kept, uploaded

if TYPE_CHECKING:
    import pyarrow as pa


def sample(source: Source, column: str, size: int, seed: int) -> Source:
    """The records with the ``size`` smallest draws; a draw is a hash of the seed and the id."""
    drawn = source.table.mutate(draw=_draw(source.table[column], seed))
    chosen = drawn.order_by(["draw", column]).limit(size).select(*source.table.columns)
    return kept(source, chosen)


def stratified_sample(
    source: Source, column: str, by: Sequence[str], sizes: pa.Table, seed: int
) -> Source:
    """The smallest draws within each stratum; ``sizes`` holds the strata and how many to take."""
    import ibis

    strata = [source.at(name) for name in by]
    given = uploaded(source, sizes.rename_columns([*(f"s{i}" for i in range(len(by))), "take"]))
    drawn = source.table.mutate(draw=_draw(source.table[column], seed))
    window = ibis.window(group_by=strata, order_by=["draw", column])
    ranked = drawn.mutate(rank=ibis.row_number().over(window))
    joined = ranked.join(
        given, [ranked[at].identical_to(given[f"s{i}"]) for i, at in enumerate(strata)]
    )
    return kept(
        source, joined.filter(joined["rank"] < joined["take"]).select(*source.table.columns)
    )


def _draw(ids: Any, seed: int) -> Any:
    """A hash that is the same on every engine: MD5 of the text "seed:id"."""
    import ibis

    return (ibis.literal(f"{seed}:") + ids.cast("string")).hexdigest("md5")
