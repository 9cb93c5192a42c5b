"""Giving out: columns as Arrow tables, and files that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.engine.source import Source, collected, translated
from discreet.files import beside

if TYPE_CHECKING:
    import pyarrow as pa


def collect(source: Source, names: Sequence[str]) -> pa.Table:
    """The named columns as an Arrow table, in the order of the records where they have one."""
    table = source.table if source.row is None else source.table.order_by(source.row)
    chosen = table.select(*[source.at(name) for name in names])
    return collected(chosen, source).rename_columns(list(names))


def write(source: Source, names: Sequence[str], path: Path) -> None:
    """Write the named columns to a CSV or Parquet file that appears whole or not at all."""
    table = source.table if source.row is None else source.table.order_by(source.row)
    chosen = table.select(**{name: table[source.at(name)] for name in names})
    with beside(path) as place:
        if path.suffix == ".parquet":
            translated(lambda: chosen.to_parquet(place), source.origin)
        else:
            translated(lambda: chosen.to_csv(place, header=True), source.origin)


def records(source: Source, link: str, names: Sequence[str], order: str) -> pa.Table:
    """The named columns of all records, with the link first, in the order of a column."""
    columns = {f"v{i}": source.table[source.at(name)] for i, name in enumerate(names)}
    chosen = source.table.select(link=source.table[link], order=source.table[order], **columns)
    found = collected(chosen, source).sort_by([("order", "ascending"), ("link", "ascending")])
    return found.drop_columns(["order"]).rename_columns(["link", *names])
