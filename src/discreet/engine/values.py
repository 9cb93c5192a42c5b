"""Values of a confidential attribute in each class, brought from the engine in a row per class.

Where they are too many for that, it is refused: what a class holds is then added up in the engine
(:func:`~discreet.engine.counts.summed_classes`), which a search cannot do with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from discreet.engine.counts import class_figures, pairs_of
from discreet.engine.source import Source, collected, is_near, same
from discreet.errors import Problem, raise_all

if TYPE_CHECKING:
    import ibis.expr.types as ir

_MOST_PAIRS = 1_000_000  # of a class and a value, that are brought from another engine,
_MOST_VALUES = 64  # or so many per class


def need_few_pairs(source: Source, by: Sequence[str], names: Sequence[str]) -> None:
    """Refuse to bring the values of every class from another engine where they are many."""
    if not names or is_near(source):
        return
    figures = class_figures(source, [list(by), *([*by, name] for name in names)])
    classes, *pairs = (number for number, _, _ in figures)
    most = max(_MOST_PAIRS, _MOST_VALUES * classes)
    raise_all(
        [
            Problem(
                "N12",
                f"{name!r} has {number:,} pairs of class and value, more than the {most:,} that "
                "can be brought from the engine.",
                "Group its values, ask for distinct l-diversity or p-sensitivity, or search in a "
                "sample.",
            )
            for name, number in zip(names, pairs, strict=True)
            if number > most
        ]
    )


def counts_and_values(
    source: Source, by: Sequence[str], most: Mapping[str, int | None]
) -> tuple[pa.Table, dict[str, pa.Table]]:
    """The combinations of the attributes ``by`` as :func:`counts` gives them, and per further
    attribute its values in each of them: combinations (columns 0, 1, …), the value, and a count.
    All values, with the numbers of their records; or up to so many of them, and a missing one where
    there is one, with 1 in place of the number. A row per class leaves the engine.
    """
    keys = {f"k{i}": source.table[source.at(name)] for i, name in enumerate(by)}
    table = source.table.select(**keys)
    classes = table.group_by(list(keys)).agg(n=table.count())
    for number, (name, limit) in enumerate(most.items()):
        pairs = pairs_of(source, by, name)
        held = _listed(pairs if limit is None else _fewer(pairs, limit), len(by), number)
        alike = [c for i in range(len(by)) for c in same(classes[f"k{i}"], held[f"o{i}"])]
        own = (f"{word}{number}" for word in ("values", "numbers", "missing"))
        classes = classes.join(held, alike).select(*classes.columns, *own)
    found = collected(classes, source)
    values = {name: _unnested(found, list(keys), number) for number, name in enumerate(most)}
    return found.select([*keys, "n"]), values


def _fewer(pairs: ir.Table, most: int) -> ir.Table:
    """Some values of each class, the lowest."""
    import ibis

    others = [c for c in pairs.columns if c.startswith("o")]
    window = ibis.window(group_by=others, order_by=ibis.asc("v", nulls_first=False))
    ranked = pairs.mutate(rank=ibis.row_number().over(window))
    few = ranked.filter((ranked["rank"] < most) | ranked["v"].isnull())
    return few.mutate(n=ibis.literal(1, type="int64"))


def _listed(pairs: ir.Table, width: int, number: int) -> ir.Table:
    """The classes with their values and the numbers of these in lists."""
    present = pairs["v"].notnull()
    lists = {
        f"values{number}": pairs["v"].collect(where=present),
        f"numbers{number}": pairs["n"].collect(where=present),
        f"missing{number}": pairs["n"].sum(where=~present).fill_null(0),
    }
    return pairs.group_by([f"o{i}" for i in range(width)]).agg(**lists)


def _unnested(classes: pa.Table, keys: list[str], number: int) -> pa.Table:
    """One row per class and value."""
    values, numbers = (
        classes[f"{word}{number}"].combine_chunks() for word in ("values", "numbers")
    )
    present = classes.select(keys).take(pc.list_parent_indices(values))
    present = present.append_column("v", pc.list_flatten(values))
    present = present.append_column("n", pc.list_flatten(numbers).cast("int64"))
    missing = classes[f"missing{number}"].cast("int64")
    some = pc.greater(missing, 0)
    gone = classes.select(keys).filter(some)
    gone = gone.append_column("v", pa.nulls(gone.num_rows, present.schema.field("v").type))
    return pa.concat_tables([present, gone.append_column("n", missing.filter(some))])
