"""Recoding: other values in some columns, and records left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.engine import coded_records
from discreet.engine.border import with_twin
from discreet.engine.source import Source, kept, same, uploaded

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


@with_twin(coded_records.replaced)
def replaced(source: Source, link: str, values: pa.Table) -> Source:
    """The table with other values in some columns; ``values`` holds the link and the columns."""
    names = values.column_names[1:]
    renamed = ["link", *(f"new_{source.at(name)}" for name in names)]
    given = uploaded(source, values.rename_columns(renamed))
    joined = source.table.join(given, source.table[link] == given["link"])
    changed = {source.at(name): joined[f"new_{source.at(name)}"] for name in names}
    columns = {c: changed.get(c, joined[c]) for c in source.table.columns}
    return kept(source, joined.select(**columns))


def extended(source: Source, name: str, values: NDArray[np.float64]) -> Source:
    """The table with one more column, a number for each record in their order."""
    import ibis
    import pyarrow as pa

    place = pa.table({"place": pa.array(np.arange(len(values))), "value": pa.array(values)})
    given = uploaded(source, place)
    ordered = source.table.mutate(place=ibis.row_number().over(order_by=source.row))
    joined = ordered.join(given, ordered["place"] == given["place"])
    columns = {c: joined[c] for c in source.table.columns}
    made = joined.select(**columns, **{f"c{len(source.names)}": joined["value"]})
    return kept(replace(source, names=(*source.names, name)), made)


def looked_up(source: Source, names: Sequence[str], numbers: pa.Table, name: str) -> Source:
    """The table with one more column, still lazy: ``numbers`` holds combinations of the values of
    some columns and, last, the number that every record with them gets.
    """
    physical = [f"s{i}" for i in range(len(names))]
    given = uploaded(source, numbers.rename_columns([*physical, "value"]))
    pairs = zip(names, physical, strict=True)
    table = source.table
    alike = [c for n, s in pairs for c in same(table[source.at(n)], given[s])]
    joined = table.join(given, alike)
    columns = {c: joined[c] for c in table.columns}
    made = joined.select(**columns, **{f"c{len(source.names)}": joined["value"]})
    return replace(source, names=(*source.names, name), records=made)


@with_twin(coded_records.recoded)
def recoded(source: Source, tables: dict[str, pa.Table]) -> Source:
    """The table with columns recoded, by one join each with its table of values and labels."""
    table = joined = source.table
    labels = {}
    for name, values in tables.items():
        at = source.at(name)
        given = uploaded(source, values.rename_columns([f"value_{at}", f"label_{at}"]))
        joined = joined.join(given, same(table[at], given[f"value_{at}"]))
        labels[at] = f"label_{at}"
    if labels:
        table = joined.select(**{c: joined[labels.get(c, c)] for c in table.columns})
    return replace(source, records=table)


@with_twin(coded_records.without)
def without(source: Source, names: Sequence[str], combinations: pa.Table) -> Source:
    """The table without the records that have one of the given combinations of values."""
    if combinations.num_rows == 0:
        return source
    physical = [f"s{i}" for i in range(len(names))]
    gone = uploaded(source, combinations.rename_columns(physical))
    pairs = zip(names, physical, strict=True)
    alike = [c for name, s in pairs for c in same(source.table[source.at(name)], gone[s])]
    return replace(source, records=source.table.anti_join(gone, alike))
