"""Blanks: whether a masked file differs from the one before in blanked cells only, counted where
the records are."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet.engine.links import Pair, linked
from discreet.engine.source import collected

if TYPE_CHECKING:
    import ibis.expr.types as ir


class BlankedCells(NamedTuple):
    """Records that are in both files; per column the cells that were blanked, those that became
    something else, and those that were blanked though a flag says that they stay; and per column
    that is to lose the same cells as some keys, those in which it did not."""

    records: int
    blanked: dict[str, int]
    altered: dict[str, int]
    flagged: dict[str, int]
    unlike: dict[str, int]


def blanks(
    pair: Pair,
    link: tuple[str, str],
    flags: Mapping[str, Sequence[str]],
    followed: Mapping[str, Sequence[str]],
) -> BlankedCells:
    """Compare two files cell by cell.

    Parameters
    ----------
    pair : Pair
        The files, and the columns in which cells may be blanked as its keys.
    link : tuple of str
    flags : mapping of column to columns
        Those of the first file that say which of its cells stay.
    followed : mapping of column to columns
        Columns, and the keys of which they lose the same cells.
    """
    keys = list(pair.keys)
    more = [*followed, *(flag for some in flags.values() for flag in some)]
    names = list(dict.fromkeys([*keys, *more]))
    table = linked(pair, link, names)
    at = {name: i for i, name in enumerate(names)}
    blank = {key: _blank(table, at[key]) for key in keys}
    asked: dict[str, Any] = {"n": table.count()}
    for i, key in enumerate(keys):
        asked[f"b{i}"] = blank[key].sum()
        asked[f"a{i}"] = (table[f"y{at[key]}"].notnull() & ~_same(table, at[key])).sum()
        stays = [_is_set(table[f"x{at[flag]}"]) for flag in flags.get(key, ())]
        if stays:
            asked[f"f{i}"] = (blank[key] & functools.reduce(operator.or_, stays)).sum()
    for i, (name, some) in enumerate(followed.items()):
        lost = functools.reduce(operator.or_, [blank[key] for key in some])
        kept = ~lost & ~_same(table, at[name])
        asked[f"u{i}"] = (kept | (lost & table[f"y{at[name]}"].notnull())).sum()
    row = {name: int(n or 0) for name, n in _row(table, asked, pair).items()}
    return BlankedCells(
        row["n"],
        {key: row[f"b{i}"] for i, key in enumerate(keys)},
        {key: row[f"a{i}"] for i, key in enumerate(keys)},
        {key: row[f"f{i}"] for i, key in enumerate(keys) if f"f{i}" in row},
        {name: row[f"u{i}"] for i, name in enumerate(followed)},
    )


def _row(table: ir.Table, asked: dict[str, Any], pair: Pair) -> dict[str, Any]:
    found: dict[str, Any] = collected(table.aggregate(**asked), pair.masked).to_pylist()[0]
    return found


def _same(table: ir.Table, i: int) -> Any:
    return table[f"x{i}"].identical_to(table[f"y{i}"])


def _blank(table: ir.Table, i: int) -> Any:
    return table[f"x{i}"].notnull() & table[f"y{i}"].isnull()


def _is_set(flag: Any) -> Any:
    kind = flag.type()
    said = flag.lower().isin(["true", "1"]) if kind.is_string() else flag == 1
    return (flag if kind.is_boolean() else said).fill_null(False)
