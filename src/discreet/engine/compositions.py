"""Compositions of households: which combinations of values live together, counted where they are.

A combination has a number, its place in the frequency set. A household is the sorted list of the
numbers of its members, each with how many have it; households with the same list are alike. The
lists are compared as they are, not by a hash: two that differ are never taken for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.engine.recoding import looked_up
from discreet.engine.source import Source, collected

if TYPE_CHECKING:
    import pyarrow as pa

_MEMBERS = 2**32  # a list holds number · 2³² + members, in one integer of 64 bits


def compositions(
    source: Source, household: str, by: Sequence[str], combinations: pa.Table
) -> pa.Table:
    """One row per composition: its list of ``combination`` and ``members``, how many
    ``households`` have it, and how many ``records`` each of them has.

    ``combinations`` holds the distinct combinations of the attributes ``by``, numbered from 0 in
    their order. No record leaves the engine.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    numbered = combinations.append_column(
        "number", pa.array(range(combinations.num_rows), pa.int64())
    )
    made = looked_up(source, by, numbered, "").table
    table = made.select(h=made[source.at(household)], number=made[f"c{len(source.names)}"])
    members = table.group_by(["h", "number"]).agg(m=table.count().cast("int64"))
    parts = members.mutate(part=members["number"] * _MEMBERS + members["m"])
    lists = parts.group_by("h").agg(parts=parts["part"].collect(), records=parts["m"].sum())
    ordered = lists.select(parts=lists["parts"].sort(), records=lists["records"].cast("int64"))
    counted = ordered.group_by(["parts", "records"]).agg(households=ordered.count())
    found = collected(counted, source)
    held = found["parts"].combine_chunks()
    flat = pc.list_flatten(held).cast(pa.int64())
    number = pc.shift_right(flat, 32)
    return pa.table(
        {
            "combination": _like(held, number),
            "members": _like(held, pc.bit_wise_and(flat, _MEMBERS - 1)),
            "households": found["households"].cast(pa.int64()),
            "records": found["records"].cast(pa.int64()),
        }
    )


def _like(lists: pa.Array, values: pa.Array) -> pa.Array:
    """Lists as long as others, with other values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pc.cumulative_sum(pc.list_value_length(lists).cast(pa.int32()))
    return pa.ListArray.from_arrays(pa.concat_arrays([pa.array([0], pa.int32()), ends]), values)
