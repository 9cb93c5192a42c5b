"""Cells: records that are alike get other values in some columns, not all of them the same.

Which of them get which is decided by a hash of seed and record id, as a sample is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from discreet.engine.choice import draw
from discreet.engine.source import Source, kept, same, uploaded

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa


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

    def renamed(self, shared: bool) -> pa.Table:
        """Those portions that share their records with others, or those that do not, under plain
        names: s0, s1, …, low, high, b0, …, t0, … and the number of the portion."""
        import pyarrow as pa

        some = self.table.filter(pc.equal(self.table["shared"], shared)).drop_columns(["shared"])
        plain = [
            *(f"s{i}" for i in range(len(self.names))),
            *("low", "high"),
            *(f"b{i}" for i in range(len(self.blanked))),
            *(f"t{i}" for i in range(len(self.labelled))),
        ]
        numbered = pa.array(range(some.num_rows), pa.int64())
        return some.rename_columns(plain).append_column("portion", numbered)


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
    table, there = source.table, uploaded(source, given)
    alike: list[Any] = []
    for i, name in enumerate(portions.names):
        alike += same(table[source.at(name)], there[f"s{i}"])
    return table.join(there, alike)


def _chosen(source: Source, joined: ir.Table, portions: Portions) -> ir.Table:
    """The columns of the table, with their new cells."""
    import ibis

    made = {c: joined[c] for c in source.table.columns}
    for i, name in enumerate(portions.blanked):
        at = source.at(name)
        made[at] = ibis.ifelse(joined[f"b{i}"], ibis.null(joined[at].type()), joined[at])
    made |= {source.at(name): joined[f"t{i}"] for i, name in enumerate(portions.labelled)}
    return joined.select(**made)
