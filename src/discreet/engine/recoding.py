"""Recoding: other values in some columns, and records left out.

Records that are alike may get other values, not all of them the same. Which of them get which is
decided by a hash of seed and record id, as a sample is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.engine import coded_records
from discreet.engine.choice import draw
from discreet.engine.source import Source, alike, kept, same, uploaded, with_twin

if TYPE_CHECKING:
    import ibis.expr.types as ir
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

    place = pa.table({"place": pa.array(np.arange(len(values))), "value": pa.array(values)})
    given = uploaded(source, place)
    ordered = source.table.mutate(place=ibis.row_number().over(order_by=source.row))
    joined = ordered.join(given, ordered["place"] == given["place"])
    return kept(source.with_column(name, joined))


def looked_up(source: Source, names: Sequence[str], numbers: pa.Table, name: str) -> Source:
    """The table with one more column, still lazy: ``numbers`` holds combinations of the values of
    some columns and, last, the number that every record with them gets.
    """
    physical = [f"s{i}" for i in range(len(names))]
    given = uploaded(source, numbers.rename_columns([*physical, "value"]))
    joined = source.table.join(given, alike(source, source.table, names, given))
    return source.with_column(name, joined)


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
    conditions = alike(source, source.table, names, gone)
    return replace(source, records=source.table.anti_join(gone, conditions))


@dataclass(frozen=True, eq=False)
class Portions:
    """Portions of the records that are alike, and what their cells become.

    Attributes
    ----------
    names : tuple of str
        The columns in which records are alike.
    blanked, labelled : tuple of str
        The columns whose cells become missing or stay, and those that get a text.
    table : pyarrow.Table
        A row per portion: the values of ``names``; from which place on (``low``) and up to which
        (``high``, not included) its records stand in the order of their draws, where there are
        several portions of these records (``shared``); a flag per ``blanked``, a text per
        ``labelled``. A record that is in no portion is left out.
    """

    names: tuple[str, ...]
    blanked: tuple[str, ...]
    labelled: tuple[str, ...]
    table: pa.Table

    def only(self, rows: pa.Array, changed: Collection[str]) -> Portions:
        """Some of the portions, and of the texts those of columns that change in them."""
        texts = {f"t{i}": name for i, name in enumerate(self.labelled)}
        same = [column for column, name in texts.items() if name not in changed]
        labelled = tuple(name for name in self.labelled if name in changed)
        table = self.table.filter(rows).drop_columns(same)
        return Portions(self.names, self.blanked, labelled, table)

    def renamed(self, shared: bool) -> pa.Table:
        """Those portions that share their records with others, or those that do not, under plain
        names: s0, s1, …, low, high, b0, …, t0, … and the number of the portion."""
        some = self.table
        if pc.any(pc.not_equal(some["shared"], shared)).as_py():
            some = some.filter(pc.equal(some["shared"], shared))
        plain = [
            *(f"s{i}" for i in range(len(self.names))),
            *("low", "high"),
            *(f"b{i}" for i in range(len(self.blanked))),
            *(f"t{i}" for i in range(len(self.labelled))),
        ]
        numbered = pa.array(np.arange(some.num_rows))
        named = some.drop_columns(["shared"]).rename_columns(plain)
        return named.append_column("portion", numbered)


def with_cells(source: Source, column: str, portions: Portions, seed: int) -> Source:
    """The table with the cells that its records get; ``column`` names the records."""
    import ibis

    alone, shared = (portions.renamed(several) for several in (False, True))
    made = []
    if alone.num_rows or not shared.num_rows:
        made.append(_chosen(source, _joined(source, portions, alone), portions))
    if shared.num_rows:
        joined = _joined(source, portions, shared)
        drawn = joined.mutate(draw=draw(joined[column], seed))
        window = ibis.window(group_by="portion", order_by=["draw", column])
        ranked = drawn.mutate(rank=ibis.row_number().over(window))
        within = (ranked["rank"] >= ranked["low"]) & (ranked["rank"] < ranked["high"])
        made.append(_chosen(source, ranked.filter(within), portions))
    return kept(source, made[0] if len(made) == 1 else ibis.union(*made))


def _joined(source: Source, portions: Portions, given: pa.Table) -> ir.Table:
    """The records, each with every portion of those that are like it."""
    there = uploaded(source, given)
    return source.table.join(there, alike(source, source.table, portions.names, there))


def _chosen(source: Source, joined: ir.Table, portions: Portions) -> ir.Table:
    """The columns of the table, with their new cells."""
    import ibis

    made = {c: joined[c] for c in source.table.columns}
    for i, name in enumerate(portions.blanked):
        at = source.at(name)
        made[at] = ibis.ifelse(joined[f"b{i}"], ibis.null(joined[at].type()), joined[at])
    made |= {source.at(name): joined[f"t{i}"] for i, name in enumerate(portions.labelled)}
    return joined.select(**made)
