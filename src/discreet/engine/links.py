"""Linking: records followed from the initial to the masked file; and whether they differ from those
before in blanked cells only."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow.compute as pc

from discreet.engine import coded_records
from discreet.engine.failures import translated
from discreet.engine.source import (
    Source,
    collected,
    is_distributed,
    is_near,
    kept,
    need_records_here,
    same,
    uploaded,
    watched,
    with_twin,
)
from discreet.frames import numbers_of

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa


_BITS_PER_RECORD = 64  # no more memory than the ids themselves take
_MOST_BITS = 10**9  # a limit of DuckDB


class IdCounts(NamedTuple):
    """What can be wrong with a column of record ids, and how many records there are."""

    missing: int
    duplicated: int
    records: int


class Pair(NamedTuple):
    """An initial and a masked file, the keys of both, and the columns that link their records.

    ``on`` is None when the masked file holds the key values of the initial one unchanged, so
    that the keys themselves lead to the initial class.
    """

    initial: Source
    masked: Source
    keys: tuple[str, ...]
    on: tuple[str, str] | None


def id_counts(source: Source, column: str) -> IdCounts:
    """How many record ids are missing, and how many records share an id with another one."""
    ids = source.table[column]
    whole = source.engine == "duckdb" and ids.type().is_integer()
    extent = {"low": ids.min(), "high": ids.max()} if whole else {"d": ids.nunique()}
    asked = source.table.aggregate(all=source.table.count(), n=ids.count(), **extent)
    row = collected(asked, source).to_pylist()[0]  # whole numbers: a Parquet file knows by itself
    distinct = _distinct(source, column, row) if whole else row["d"]
    return IdCounts(row["all"] - row["n"], row["n"] - distinct, row["all"])


def _distinct(source: Source, column: str, row: dict[str, Any]) -> int:
    """How many different whole numbers a column holds, of which the lowest and highest are known.

    Where they lie close, a bit for each possible one takes a fifth of the time of hashing them.
    """
    n, low, high = row["n"], row["low"], row["high"]
    ids = source.table.select(id=source.table[column])
    if n == 0 or high - low >= min(_BITS_PER_RECORD * n, _MOST_BITS) or high >= 2**63:
        return int(collected(ids.aggregate(d=ids["id"].nunique()), source)["d"][0].as_py())
    backend = source.table.get_backend()
    ones = f"bit_count(bitstring_agg(id::BIGINT, ({low})::BIGINT, ({high})::BIGINT))"
    query = f"SELECT {ones} FROM ({backend.compile(ids)})"  # noqa: S608 - two numbers and Ibis
    watch = watched(ids, "counting records")
    found = translated(lambda: backend.con.sql(query).fetchall(), source.origin, watch)
    return int(found[0][0])


def same_engine(one: Source, other: Source) -> bool:
    """Whether two tables can be joined where they are."""
    if is_near(one) and is_near(other):
        return True
    return one.table.get_backend() is other.table.get_backend()


def unlinked(pair: Pair) -> int:
    """How many masked records have no initial record."""
    assert pair.on is not None
    masked = pair.masked.table.select(masked_id=pair.masked.table[pair.on[1]])
    initial = pair.initial.table.select(initial_id=pair.initial.table[pair.on[0]])
    # half the time of an anti-join
    linked = masked.semi_join(initial, masked["masked_id"] == initial["initial_id"])
    all_, found = (
        collected(table.aggregate(n=table.count()), pair.masked)["n"][0].as_py()
        for table in (masked, linked)
    )
    return int(all_ - found)


def classification(pair: Pair) -> tuple[pa.Table, pa.Table]:
    """The classification matrix as rows (i, j, c), and the initial classes as rows (j, F)."""
    initial = _classes(pair.initial, pair.keys, "k", "j")
    if pair.on is None:
        masked = _classes(pair.masked, pair.keys, "m", "i")
        joined = initial.left_join(masked, _same(initial, masked, "k", "m", len(pair.keys)))
        cells = joined.group_by(["i", "j"]).agg(c=joined["i"].sum(), F=joined.count())
        found = collected(cells, pair.initial)
        return _without_unreleased(found), found.group_by("j").aggregate([("F", "sum")])
    classes = kept(pair.initial, initial)
    sized = _sized_records(pair, classes.table)
    cells = sized.group_by(["i", "j"]).agg(c=sized.count())
    sizes = classes.table.group_by("j").agg(F=classes.table.count())
    return collected(cells, pair.initial), collected(sizes, pair.initial)


def record_sizes(pair: Pair, link: tuple[str, str]) -> pa.Table:
    """For each released record its id, its masked and its initial class size (id, i, j)."""
    linked = pair._replace(on=link)
    sized = _sized_records(linked, _classes(pair.initial, pair.keys, "k", "j"))
    return collected(sized.select("id", "i", "j").order_by("id"), pair.initial)


def compatible(pair: Pair, complete: Source, link: tuple[str, str]) -> pa.Table:
    """How many released records (``t``) are compatible with how many initial ones (``size``).

    An initial record is compatible with a masked one when some record with its key values was
    masked to the same values; ``complete`` is the masked file before records were dropped.
    """
    number = len(pair.keys)
    classes = _classes(pair.initial, pair.keys, "k", "j")
    both = linked(pair._replace(masked=complete), link, pair.keys)
    origins = both.select(*_columns("y", number), *_columns("x", number)).distinct()
    sized = origins.join(classes, _same(origins, classes, "x", "k", number))
    merged = sized.group_by(_columns("y", number)).agg(size=sized["j"].sum())
    released = _classes(pair.masked, pair.keys, "r", "i")
    joined = released.join(merged, _same(released, merged, "r", "y", number))
    return collected(joined.group_by("size").agg(t=joined["i"].sum()), pair.initial)


def _sized_records(pair: Pair, classes: ir.Table) -> ir.Table:
    """Released records with their id, masked class size i and initial class size j."""
    assert pair.on is not None
    number, both = len(pair.keys), linked(pair, pair.on, pair.keys)
    masked = _classes(pair.masked, pair.keys, "c", "i")
    sized = both.join(masked, _same(both, masked, "y", "c", number))
    sized = sized.select("id", *_columns("x", number), "i")
    joined = sized.join(classes, _same(sized, classes, "x", "k", number))
    return joined.select("id", "i", "j")


def _classes(source: Source, keys: Sequence[str], prefix: str, size: str) -> ir.Table:
    table = source.table.select(**_keys(source, keys, prefix))
    return table.group_by(_columns(prefix, len(keys))).agg(**{size: table.count()})


def _keys(source: Source, keys: Sequence[str], prefix: str) -> dict[str, Any]:
    return {f"{prefix}{i}": source.table[source.at(name)] for i, name in enumerate(keys)}


def _columns(prefix: str, number: int) -> list[str]:
    return [f"{prefix}{i}" for i in range(number)]


def _same(left: ir.Table, right: ir.Table, of_left: str, of_right: str, number: int) -> list[Any]:
    return [
        condition
        for i in range(number)
        for condition in same(left[f"{of_left}{i}"], right[f"{of_right}{i}"])
    ]


def _without_unreleased(cells: pa.Table) -> pa.Table:
    return cells.filter(pc.is_valid(cells["i"])).select(["i", "j", "c"])


@with_twin(coded_records.linked_values)
def linked_values(pair: Pair, link: tuple[str, str], names: Sequence[str]) -> pa.Table:
    """The named columns of all released records, initial (x0, …) beside masked (y0, …) values."""
    need_records_here(pair.masked)
    found = collected(linked(pair, link, names), pair.masked)
    return found.sort_by("id").drop_columns(["id"])


def linked_counts(pair: Pair, link: tuple[str, str]) -> pa.Table:
    """Which initial keys (x0, …) became which masked ones (y0, …) in how many released records."""
    if pair.on is not None:
        both = linked(pair, link, pair.keys)
    else:  # the masked file holds the keys of the initial one
        both = pair.masked.table.select(
            **_keys(pair.masked, pair.keys, "x"), **_keys(pair.masked, pair.keys, "y")
        )
    by = [name for side in "xy" for name in _columns(side, len(pair.keys))]
    return collected(both.group_by(by).agg(n=both.count()), pair.masked)


def joint_counts(releases: Sequence[tuple[Source, Sequence[str], str]]) -> pa.Table:
    """How many records (n) have which keys in which release (r0_0, … in the first, r1_0, … in the
    second): those that are in all releases, each of which has a column that links them."""
    sources = [source for source, _, _ in releases]
    sides = [
        source.table.select(**{f"id{i}": source.table[on]}, **_keys(source, keys, f"r{i}_"))
        for i, (source, keys, on) in enumerate(releases)
    ]
    joined = sides[0]
    for i, side in enumerate(sides[1:], 1):
        joined = joined.join(side, joined["id0"] == side[f"id{i}"])
    by = [name for name in joined.columns if name.startswith("r")]
    return collected(joined.group_by(by).agg(n=joined.count()), sources[-1])


def by_initial(pair: Pair, link: tuple[str, str], numbers: pa.Table, name: str) -> Source:
    """The masked table with one more column, still lazy: ``numbers`` holds combinations of initial
    keys and, last, the number that every released record of such an initial one gets.
    """
    here = _columns("s", len(pair.keys))
    given = uploaded(pair.masked, numbers.rename_columns([*here, "value"]))
    initial = pair.initial.table.select(
        initial_id=pair.initial.table[link[0]], **_keys(pair.initial, pair.keys, "x")
    )
    joined = initial.join(given, _same(initial, given, "x", "s", len(pair.keys)))
    found = joined.select("initial_id", "value")
    masked = pair.masked.table
    both = masked.join(found, masked[link[1]] == found["initial_id"])
    return pair.masked.with_column(name, both)


def linked(pair: Pair, link: tuple[str, str], names: Sequence[str]) -> ir.Table:
    """Released records with their id, initial (x0, …) and masked (y0, …) values."""
    initial = pair.initial.table.select(
        initial_id=pair.initial.table[link[0]], **_keys(pair.initial, names, "x")
    )
    masked = pair.masked.table.select(
        id=pair.masked.table[link[1]], **_keys(pair.masked, names, "y")
    )
    return masked.join(initial, masked["id"] == initial["initial_id"]).drop("initial_id")


@with_twin(coded_records.cell_pairs)
def cell_pairs(pair: Pair, link: tuple[str, str], names: Sequence[str]) -> list[pa.Table]:
    """Per column the initial (x) and masked (y) values that occur together in released records, and
    how often (n); by one query."""
    import ibis

    both = linked(pair, link, names)
    both = both.select([c for c in both.columns if c != "id"])  # what is selected is made once
    if is_distributed(pair.masked):
        both = kept(pair.masked, both).table
    counted = []
    for i in range(len(names)):
        own = [f"x{i}", f"y{i}"]
        found = both.group_by(own).agg(n=both.count())
        cells = {c: found[c] if c in own else ibis.null(both[c].type()) for c in both.columns}
        counted.append(found.select(at=ibis.literal(i, type="int32"), **cells, n=found["n"]))
    table = collected(functools.reduce(lambda one, other: one.union(other), counted), pair.masked)
    places = numbers_of(table["at"])
    return [
        table.filter(places == i).select([f"x{i}", f"y{i}", "n"]).rename_columns(["x", "y", "n"])
        for i in range(len(names))
    ]


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
        asked[f"a{i}"] = (table[f"y{at[key]}"].notnull() & ~_unchanged(table, at[key])).sum()
        stays = [_is_set(table[f"x{at[flag]}"]) for flag in flags.get(key, ())]
        if stays:
            asked[f"f{i}"] = (blank[key] & functools.reduce(operator.or_, stays)).sum()
    for i, (name, some) in enumerate(followed.items()):
        lost = functools.reduce(operator.or_, [blank[key] for key in some])
        kept = ~lost & ~_unchanged(table, at[name])
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


def _unchanged(table: ir.Table, i: int) -> Any:
    return table[f"x{i}"].identical_to(table[f"y{i}"])


def _blank(table: ir.Table, i: int) -> Any:
    return table[f"x{i}"].notnull() & table[f"y{i}"].isnull()


def _is_set(flag: Any) -> Any:
    kind = flag.type()
    said = flag.lower().isin(["true", "1"]) if kind.is_string() else flag == 1
    return (flag if kind.is_boolean() else said).fill_null(False)
