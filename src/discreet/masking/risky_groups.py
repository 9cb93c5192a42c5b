"""Microaggregation of risky records only: they get the averages of groups among themselves.

Groups of k share their values on the attributes that are averaged, so that every set of them is
shared by k records at least. k grows until the risk of every record is low enough; records that
lose company because others were changed join the risky ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import engine
from discreet.masking.masked import masked_from
from discreet.masking.microaggregate import microaggregate
from discreet.progressing import stage
from discreet.reading import read
from discreet.risks.record import RecordRisk, record_risk

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.microdata import Microdata

    Rows = NDArray[np.intp]

_SIZES = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_TRIES = 4  # at one k: records may come to be at risk because others were changed


def aggregated(
    data: Microdata, risk: RecordRisk, at_most: float, chosen: tuple[str, ...], link: str
) -> tuple[engine.Source, dict[str, int], int]:
    """The source with the risky records averaged, the number of changed cells by attribute, and
    how many records are still above the limit."""
    found = engine.records(data.source, link, list(chosen), link)
    rows = np.flatnonzero(risk.values > at_most)
    source, left = data.source, len(rows)
    if not left:
        return source, {}, 0
    sizes = [k for k in _SIZES if k <= data.n]
    with stage("averaging risky records", len(sizes)) as advance:
        for done, k in enumerate(sizes):
            advance(done)
            for _ in range(_TRIES):
                group = _at_least(rows, risk, k)
                table = _averaged(data, found, chosen, group, k)
                source = engine.replaced(data.source, link, table)
                above = _above(data, source, risk, at_most)
                left = len(above)
                if not left:
                    return source, _changes(found, table), 0
                grown = np.union1d(group, above)
                if len(grown) == len(group):
                    break
                rows = grown
    return source, _changes(found, table), left


def _at_least(rows: Rows, risk: RecordRisk, k: int) -> Rows:
    """The risky records; where they are fewer than k, the next in risk as well."""
    if len(rows) >= k:
        return rows
    others = np.setdiff1d(np.argsort(-risk.values, kind="stable"), rows, assume_unique=True)
    order = others[np.argsort(-risk.values[others], kind="stable")]
    return np.sort(np.concatenate([rows, order[: k - len(rows)]]))


def _averaged(
    data: Microdata, found: pa.Table, chosen: tuple[str, ...], rows: Rows, k: int
) -> pa.Table:
    """All records, those of the given rows with the averages of their groups."""
    import pyarrow as pa

    some = found.select(list(chosen)).take(pa.array(rows))
    types: dict[str, Any] = {name: data.types[name] for name in chosen}
    risky = read(some, keys=chosen, types=types)
    masked = microaggregate(risky, chosen, k, round=True, missing="category").to("arrow")
    table = found.select(["link"])
    for name in chosen:
        table = table.append_column(name, _put(found.column(name), masked.column(name), rows))
    return table


def _put(column: pa.ChunkedArray, values: pa.ChunkedArray, rows: Rows) -> pa.ChunkedArray:
    """A column with other values in some rows."""
    import pyarrow as pa

    column = column.cast(values.type)  # the average of whole numbers may be none
    both = pa.chunked_array([*column.chunks, *values.chunks], column.type).combine_chunks()
    at = np.arange(len(column))
    at[rows] = len(column) + np.arange(len(rows))
    return both.take(pa.array(at))


def _above(data: Microdata, source: engine.Source, risk: RecordRisk, at_most: float) -> Rows:
    masked = masked_from(data, source, method="protect_records", parameters={}, promise=None)
    found = record_risk(masked, settings=risk.settings, most_sets=len(risk.sets))
    return np.flatnonzero(found.values > at_most)


def _changes(before: pa.Table, after: pa.Table) -> dict[str, int]:
    """How many cells of each column differ."""
    import pyarrow.compute as pc

    changes = {}
    for name in after.column_names[1:]:
        old, new = before.column(name).cast(after.column(name).type), after.column(name)
        same = pc.fill_null(pc.equal(old, new), False)
        both_missing = pc.and_(old.is_null(), new.is_null())
        number = len(new) - int(pc.sum(pc.or_(same, both_missing)).as_py())
        if number:
            changes[name] = number
    return changes
