"""Microaggregation of risky records only: they get the averages of groups among themselves.

Groups of k share their values on the attributes that are averaged, so that every set of them is
shared by k records at least. k grows until the risk of every record is low enough. Only where no
size of the groups suffices are others drawn in: the next in risk where the risky ones are fewer
than k, and those that come above the limit because others were changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet import engine
from discreet.data.masked import Masked, masked_from, require_link
from discreet.data.reader import read
from discreet.masking.method import replaced_columns
from discreet.masking.microaggregate import microaggregate
from discreet.progress import stage
from discreet.risks.record_level import ProtectableRisk
from discreet.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.microdata import Microdata
    from discreet.kernels.arrays import Bools

    Rows = NDArray[np.intp]

_SIZES = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_ROUNDING = 1e-12
_TRIES = 4  # at one k: records may come to be at risk because others were changed


class Averaged(NamedTuple):
    """The source with the risky records averaged, the number of changed cells by attribute, how
    many records are still above the limit, and which were changed though they were not above it."""

    source: engine.Source
    changes: dict[str, int]
    left: int
    drawn_in: Rows


def aggregated(
    data: Microdata, risk: ProtectableRisk, at_most: float, chosen: tuple[str, ...], risky: Bools
) -> Averaged:
    """Average the risky records, given by flags, until no record is above the limit."""
    rows, link = np.flatnonzero(risky), require_link(data)
    made = Averaged(data.source, {}, len(rows), rows[:0])
    if not len(rows):
        return made
    found = engine.records(data.source, link, list(chosen), link)

    def attempt(group: Rows, k: int) -> tuple[Averaged, Rows]:
        values = _averaged(data, found, chosen, group, k)
        source = replaced_columns(data, found, values)
        masked = masked_from(data, source, method="protect_records", parameters={}, promise=None)
        still, changed = above(masked, risk, at_most, risky), _changed(found, values)
        cells = {name: int(flags.sum()) for name, flags in changed.items() if flags.any()}
        others = np.any(list(changed.values()), axis=0) & ~risky
        return Averaged(source, cells, len(still), np.flatnonzero(others)), still

    alone, sizes = ([k for k in _SIZES if k <= n] for n in (len(rows), data.n))
    with stage("averaging risky records", len(alone) + len(sizes)) as advance:
        for done, k in enumerate(alone):
            advance(done)
            made, _ = attempt(rows, k)
            if not made.left:
                return made
        for done, k in enumerate(sizes):
            advance(len(alone) + done)
            for _ in range(_TRIES):
                group = _at_least(rows, risk, k)
                made, still = attempt(group, k)
                if not made.left:
                    return made
                grown = np.union1d(group, still)
                if len(grown) == len(group):
                    break
                rows = grown
    return made


def _at_least(rows: Rows, risk: ProtectableRisk, k: int) -> Rows:
    """The risky records; where they are fewer than k, the next in risk as well."""
    if len(rows) >= k:
        return rows
    others = np.setdiff1d(np.argsort(-risk.values, kind="stable"), rows, assume_unique=True)
    order = others[np.argsort(-risk.values[others], kind="stable")]
    return np.sort(np.concatenate([rows, order[: k - len(rows)]]))


def _averaged(
    data: Microdata, found: pa.Table, chosen: tuple[str, ...], rows: Rows, k: int
) -> dict[str, pa.ChunkedArray]:
    """The columns, the given rows with the averages of their groups."""
    some = found.select(list(chosen)).take(pa.array(rows))
    types: dict[str, Any] = {name: data.types[name] for name in chosen}
    risky = read(some, keys=chosen, types=types)
    masked = microaggregate(risky, chosen, k, round=True, missing="category").to("arrow")
    return {name: _put(found[name], masked[name], rows) for name in chosen}


def _put(column: pa.ChunkedArray, values: pa.ChunkedArray, rows: Rows) -> pa.ChunkedArray:
    """A column with other values in some rows."""
    column = column.cast(values.type)  # the average of whole numbers may be none
    both = pa.chunked_array([*column.chunks, *values.chunks], column.type).combine_chunks()
    at = np.arange(len(column))
    at[rows] = len(column) + np.arange(len(rows))
    return both.take(pa.array(at))


def above(masked: Masked, risk: ProtectableRisk, at_most: float, risky: Bools) -> Rows:
    """The records above a limit when the masked file is measured afresh. The risk of a record that
    nothing was done to may come out a little higher, because it is added up in another order: one
    that was not risky then still is not."""
    found = risk.again(masked)
    as_before = found.values <= risk.values * (1 + _ROUNDING)
    return np.flatnonzero((found.values > at_most) & ~(as_before & ~risky))


def _changed(before: pa.Table, after: Mapping[str, pa.ChunkedArray]) -> dict[str, Bools]:
    """Which cells of each column differ."""
    changed = {}
    for name, new in after.items():
        old = before[name].cast(new.type)
        same = pc.fill_null(pc.equal(old, new), False)
        both_missing = pc.and_(old.is_null(), new.is_null())
        changed[name] = ~np.array(pc.or_(same, both_missing))
    return changed


@dataclass(frozen=True)
class AtMost:
    """No record has a risk above the limit."""

    risk: ProtectableRisk
    at_most: float

    def broken(self, masked: Masked) -> list[str]:
        """Measured anew, as it was before."""
        left = len(above(masked, self.risk, self.at_most, self.risk.values > self.at_most))
        return [f"{counted(left, 'record')} above a risk of {self.at_most:g}"] if left else []
