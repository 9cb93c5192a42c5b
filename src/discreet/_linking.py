"""Verbs that choose records and that follow them from the initial to the masked file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet.engine import (
    Source,
    _collect,
    _drop,
    _embedded,
    _fresh_name,
    _translated,
    _when_unused,
)

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa


class IdCounts(NamedTuple):
    """What can be wrong with a column of record ids."""

    missing: int
    duplicated: int


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
    row = _collect(
        source.table.aggregate(n=ids.count(), d=ids.nunique(), m=ids.isnull().sum()), source
    ).to_pylist()[0]
    return IdCounts(int(row["m"] or 0), int(row["n"] - row["d"]))


def same_engine(one: Source, other: Source) -> bool:
    """Whether two tables can be joined where they are."""
    return one.table.get_backend() is other.table.get_backend()


def unlinked(pair: Pair) -> int:
    """How many masked records have no initial record."""
    assert pair.on is not None
    masked = pair.masked.table.select(masked_id=pair.masked.table[pair.on[1]])
    initial = pair.initial.table.select(initial_id=pair.initial.table[pair.on[0]])
    alone = masked.anti_join(initial, masked["masked_id"] == initial["initial_id"])
    return int(_collect(alone.aggregate(n=alone.count()), pair.masked)["n"][0].as_py())


# -- choosing ----------------------------------------------------------------------------------


def sample(source: Source, column: str, size: int, seed: int) -> Source:
    """The records with the ``size`` smallest draws; a draw is a hash of the seed and the id."""
    drawn = source.table.mutate(draw=_draw(source.table[column], seed))
    chosen = drawn.order_by(["draw", column]).limit(size).select(*source.table.columns)
    return kept(source, chosen)


def stratified_sample(
    source: Source, column: str, by: Sequence[str], sizes: pa.Table, seed: int
) -> Source:
    """The smallest draws within each stratum; ``sizes`` holds the strata and how many to take."""
    import ibis

    strata = [source.at(name) for name in by]
    given = uploaded(source, sizes.rename_columns([*(f"s{i}" for i in range(len(by))), "take"]))
    drawn = source.table.mutate(draw=_draw(source.table[column], seed))
    window = ibis.window(group_by=strata, order_by=["draw", column])
    ranked = drawn.mutate(rank=ibis.row_number().over(window))
    joined = ranked.join(
        given, [ranked[at].identical_to(given[f"s{i}"]) for i, at in enumerate(strata)]
    )
    return kept(
        source, joined.filter(joined["rank"] < joined["take"]).select(*source.table.columns)
    )


def _draw(ids: Any, seed: int) -> Any:
    """A hash that is the same on every engine: MD5 of the text "seed:id"."""
    import ibis

    return (ibis.literal(f"{seed}:") + ids.cast("string")).hexdigest("md5")


def records(source: Source, link: str, names: Sequence[str]) -> pa.Table:
    """The named columns of all records, with the link first, in the order of the link."""
    columns = {name: source.table[source.at(name)] for name in names}
    chosen = source.table.select(
        link=source.table[link], **{f"v{i}": c for i, c in enumerate(columns.values())}
    )
    found = _collect(chosen, source).sort_by("link")
    return found.rename_columns(["link", *names])


def replaced(source: Source, link: str, values: pa.Table) -> Source:
    """The table with other values in some columns; ``values`` holds the link and the columns."""
    names = values.column_names[1:]
    renamed = ["link", *(f"new_{source.at(name)}" for name in names)]
    given = uploaded(source, values.rename_columns(renamed))
    joined = source.table.join(given, source.table[link] == given["link"])
    changed = {source.at(name): joined[f"new_{source.at(name)}"] for name in names}
    columns = {c: changed.get(c, joined[c]) for c in source.table.columns}
    return kept(source, joined.select(**columns))


def kept(source: Source, table: ir.Table) -> Source:
    """Have the engine carry out a step once and keep the outcome, so that it is not repeated."""
    if source.engine != "duckdb" or table.get_backend() is not _embedded():
        return replace(source, table=_translated(table.cache, source.origin))
    name = _fresh_name()
    made = _translated(lambda: _embedded().create_table(name, table, temp=True), source.origin)
    _when_unused(made, _drop, name)
    return replace(source, table=made)


def uploaded(source: Source, table: pa.Table) -> ir.Table:
    """A small table, or one column per record, handed to the engine that holds the source."""
    import ibis

    backend = source.table.get_backend()
    if backend is not _embedded():
        return ibis.memtable(table)
    from discreet.engine import _forget

    name = _fresh_name()
    backend.con.register(name, table)
    made = backend.table(name)
    _when_unused(made, _forget, name)
    return made


# -- following ---------------------------------------------------------------------------------


def classification(pair: Pair) -> tuple[pa.Table, pa.Table]:
    """The classification matrix as rows (i, j, c), and the initial classes as rows (j, F)."""
    initial = _classes(pair.initial, pair.keys, "k", "j")
    if pair.on is None:
        masked = _classes(pair.masked, pair.keys, "m", "i")
        joined = initial.left_join(masked, _same(initial, masked, "k", "m", len(pair.keys)))
        cells = joined.group_by(["i", "j"]).agg(c=joined["i"].sum(), F=joined.count())
        found = _collect(cells, pair.initial)
        return _without_unreleased(found), found.group_by("j").aggregate([("F", "sum")])
    classes = kept(pair.initial, initial)
    sized = _sized_records(pair, classes.table)
    cells = sized.group_by(["i", "j"]).agg(c=sized.count())
    sizes = classes.table.group_by("j").agg(F=classes.table.count())
    return _collect(cells, pair.initial), _collect(sizes, pair.initial)


def record_sizes(pair: Pair, link: tuple[str, str]) -> pa.Table:
    """For each released record its id, its masked and its initial class size (id, i, j)."""
    linked = pair._replace(on=link)
    sized = _sized_records(linked, _classes(pair.initial, pair.keys, "k", "j"))
    return _collect(sized.select("id", "i", "j").order_by("id"), pair.initial)


def compatible(pair: Pair, complete: Source, link: tuple[str, str]) -> pa.Table:
    """How many released records (``t``) are compatible with how many initial ones (``size``).

    An initial record is compatible with a masked one when some record with its key values was
    masked to the same values; ``complete`` is the masked file before records were dropped.
    """
    number = len(pair.keys)
    classes = _classes(pair.initial, pair.keys, "k", "j")
    both = _linked(pair._replace(masked=complete, on=link))
    origins = both.select(*_columns("m", number), *_columns("k", number)).distinct()
    sized = origins.rename({f"o{i}": f"k{i}" for i in range(number)})
    sized = sized.join(classes, _same(sized, classes, "o", "k", number))
    merged = sized.group_by(_columns("m", number)).agg(size=sized["j"].sum())
    released = _classes(pair.masked, pair.keys, "r", "i")
    joined = released.join(merged, _same(released, merged, "r", "m", number))
    return _collect(joined.group_by("size").agg(t=joined["i"].sum()), pair.initial)


def _sized_records(pair: Pair, classes: ir.Table) -> ir.Table:
    """Released records with their id, masked class size i and initial class size j."""
    number = len(pair.keys)
    both = _linked(pair)
    masked = _classes(pair.masked, pair.keys, "c", "i")
    first = both.rename({f"o{i}": f"k{i}" for i in range(number)})
    sized = first.join(masked, _same(first, masked, "m", "c", number))
    sized = sized.select("id", *_columns("o", number), "i")
    joined = sized.join(classes, _same(sized, classes, "o", "k", number))
    return joined.select("id", "i", "j")


def _linked(pair: Pair) -> ir.Table:
    """Released records with their id, masked keys (m0, m1, …) and initial keys (k0, k1, …)."""
    assert pair.on is not None
    initial = pair.initial.table.select(
        initial_id=pair.initial.table[pair.on[0]], **_keys(pair.initial, pair.keys, "k")
    )
    masked = pair.masked.table.select(
        id=pair.masked.table[pair.on[1]], **_keys(pair.masked, pair.keys, "m")
    )
    return masked.join(initial, masked["id"] == initial["initial_id"]).drop("initial_id")


def _classes(source: Source, keys: Sequence[str], prefix: str, size: str) -> ir.Table:
    table = source.table.select(**_keys(source, keys, prefix))
    return table.group_by(_columns(prefix, len(keys))).agg(**{size: table.count()})


def _keys(source: Source, keys: Sequence[str], prefix: str) -> dict[str, Any]:
    return {f"{prefix}{i}": source.table[source.at(name)] for i, name in enumerate(keys)}


def _columns(prefix: str, number: int) -> list[str]:
    return [f"{prefix}{i}" for i in range(number)]


def _same(left: ir.Table, right: ir.Table, of_left: str, of_right: str, number: int) -> list[Any]:
    return [left[f"{of_left}{i}"].identical_to(right[f"{of_right}{i}"]) for i in range(number)]


def _without_unreleased(cells: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    return cells.filter(pc.is_valid(cells["i"])).select(["i", "j", "c"])


# -- recoding ----------------------------------------------------------------------------------


def recoded(source: Source, tables: dict[str, pa.Table]) -> Source:
    """The table with columns recoded, by one join each with its table of values and labels."""
    table = source.table
    for name, values in tables.items():
        at = source.at(name)
        given = uploaded(source, values.rename_columns(["value", "label"]))
        joined = table.join(given, table[at].identical_to(given["value"]))
        table = joined.select(**{c: joined["label" if c == at else c] for c in table.columns})
    return replace(source, table=table)


def without(source: Source, names: Sequence[str], combinations: pa.Table) -> Source:
    """The table without the records that have one of the given combinations of values."""
    if combinations.num_rows == 0:
        return source
    physical = [f"s{i}" for i in range(len(names))]
    gone = uploaded(source, combinations.rename_columns(physical))
    pairs = zip(names, physical, strict=True)
    same = [source.table[source.at(name)].identical_to(gone[s]) for name, s in pairs]
    return replace(source, table=source.table.anti_join(gone, same))
