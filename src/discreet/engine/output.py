"""Giving out: columns as Arrow tables, and files that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.engine import coded_records, spark
from discreet.engine.choice import hashed
from discreet.engine.failures import translated
from discreet.engine.source import (
    HEAD,
    LINK,
    Source,
    collected,
    home_of,
    is_distributed,
    watched,
    with_twin,
)

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa


FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a cell that begins so is run by a spreadsheet


@dataclass(frozen=True)
class Form:
    """How records are written.

    Attributes
    ----------
    seed : int or None
        Of the order; None for the order of the records.
    escape_formulas : bool
        Whether texts that a spreadsheet would run get an apostrophe.
    like : Path or None
        The file whose permissions are not exceeded.
    """

    seed: int | None = None
    escape_formulas: bool = False
    like: Path | None = None


@with_twin(coded_records.collect)
def collect(source: Source, names: Sequence[str], seed: int | None = None) -> pa.Table:
    """The named columns as an Arrow table, in the order of the records where they have one, or
    shuffled by a seed.
    """
    table = _ordered(source, names, seed)
    chosen = table.select(*[source.at(name) for name in names])
    return collected(chosen, source).rename_columns(list(names))


def collect_by(source: Source, name: str, order: str) -> pa.Table:
    """A column as an Arrow table, in the order of another one whose values tell records apart.

    Whole numbers are sorted where they are. Texts are sorted here, by their characters: engines
    have orders of their own for them.
    """
    table = source.table
    if table[source.at(order)].type().is_integer():
        ordered = table.order_by(source.at(order)).select(source.at(name))
        return collected(ordered, source).rename_columns([name])
    chosen = table.select(by=table[source.at(order)], value=table[source.at(name)])
    return collected(chosen, source).sort_by("by").select(["value"]).rename_columns([name])


@with_twin(coded_records.head)
def head(source: Source, names: Sequence[str], most: int) -> pa.Table:
    """The named columns of the first records."""
    seen = source.told_head
    if seen is not None and most <= HEAD and all(source.kinds[name] == "text" for name in names):
        return seen.select(names).slice(0, most)
    chosen = source.table.select(*[source.at(name) for name in names]).limit(most)
    return collected(chosen, source).rename_columns(list(names))


def write(source: Source, names: Sequence[str], path: Path, form: Form) -> None:
    """Write the named columns as CSV or Parquet; the output appears whole or not at all."""
    table = _ordered(source, names, form.seed)
    columns = {name: table[source.at(name)] for name in names}
    if form.escape_formulas:
        texts = [name for name in names if source.kinds[name] == "text"]
        columns |= {name: _escaped(columns[name]) for name in texts}
    chosen = table.select(**columns)
    watch = watched(chosen, "writing records")
    translated(lambda: home_of(chosen).write(chosen, path, form.like), source.origin, watch)


def _ordered(source: Source, names: Sequence[str], seed: int | None) -> ir.Table:
    if seed is not None:
        return source.table.order_by(_shuffle(source, names, seed))
    return source.table if source.row is None else source.table.order_by(source.row)


def _shuffle(source: Source, names: Sequence[str], seed: int) -> Any:
    """A hash of the values that are given out and the seed: records that tie are equal in all
    that can be seen, so that the order tells nothing of where a record stood.
    """
    import ibis

    text = ibis.literal(f"{seed}:")
    for name in names:  # the length before each value keeps "1", "23" apart from "12", "3"
        value = source.table[source.at(name)].cast("string")
        text = text + (value.length().cast("string") + ibis.literal(":") + value).fill_null("-")
    return hashed(text)


def _escaped(texts: Any) -> Any:
    """With an apostrophe before what would be run; one that is there already gets another, so
    that values which differ still do.
    """
    import ibis

    run = texts.re_search(f"^'*[{''.join(FORMULA).replace('-', '')}-]")
    return run.ifelse(ibis.literal("'") + texts, texts)


@with_twin(coded_records.records)
def records(source: Source, link: str, names: Sequence[str], order: str) -> pa.Table:
    """The named columns of all records, with the link first, in the order of a column."""
    columns = {f"v{i}": source.table[source.at(name)] for i, name in enumerate(names)}
    chosen = source.table.select(link=source.table[link], order=source.table[order], **columns)
    found = collected(chosen, source).sort_by([("order", "ascending"), ("link", "ascending")])
    return found.drop_columns(["order"]).rename_columns([LINK, *names])


def native(source: Source, names: Sequence[str], seed: int | None = None) -> Any:
    """The named columns as a table that stays in the engine: a Spark frame, or one of Ibis."""
    ordered = _ordered(source, names, seed)
    table = ordered.select(**{name: ordered[source.at(name)] for name in names})
    if not is_distributed(source):
        return table
    return translated(lambda: spark.given_out(table), source.origin)
