"""Numbers of households: what a number of each member comes to, found where the records are.

Only the different outcomes and how many records have each come here, and go back to be joined to
the records. They are whole numbers: the same on every engine, for every order of the records.

For their compositions, a combination has a number, its place in the frequency set. A household is
the sorted list of the numbers of its members, each with how many have it; households with the same
list are alike. The lists are compared as they are, not by a hash: two that differ are never taken
for one.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.engine.recoding import looked_up
from discreet.engine.source import Source, collected, uploaded
from discreet.engine.summation import ExactSum

if TYPE_CHECKING:
    import ibis.expr.types as ir
    from numpy.typing import NDArray
_MEMBERS = 2**32  # a list holds number · 2³² + members, in one integer of 64 bits


@dataclass(frozen=True, eq=False)
class HouseholdNumbers:
    """The sum, or the highest, of a number over the members of each household.

    Attributes
    ----------
    source : Source
    household : str
        The column whose value the members share.
    by : names of columns
    numbers : Table
        Combinations of the values of these columns, and last the number that every record with
        them has: any finite number for a sum, a whole one for the highest.
    how : {"sum", "highest"}
    n : int
        Number of records.
    """

    source: Source
    household: str
    by: Sequence[str]
    numbers: pa.Table
    how: Literal["sum", "highest"]
    n: int

    def outcomes(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The different outcomes, and how many records live in households with each."""
        number = self._sums.values(self._found["a"], self._found["b"])
        if self.how == "highest":
            number = np.asarray(self._found["a"])
        return number, np.asarray(self._found["records"])

    def column(self, values: NDArray[np.float64], name: str) -> Source:
        """The table with one more column, still lazy: for every record the value that belongs to
        the outcome of its household, given in the order of ``outcomes``."""
        keys = self._found.select(["a", "b"]).append_column("value", pa.array(values))
        given = uploaded(self.source, keys.rename_columns(["ga", "gb", "value"]))
        homes, table = self._homes, self.source.table
        alike = [homes["a"] == given["ga"], homes["b"] == given["gb"]]
        valued = homes.join(given, alike).select("h", "value")
        joined = table.join(valued, table[self.source.at(self.household)] == valued["h"])
        return self.source.with_column(name, joined)

    @functools.cached_property
    def _found(self) -> pa.Table:
        homes = self._homes
        counted = homes.group_by(["a", "b"]).agg(records=homes["records"].sum().cast("int64"))
        return collected(counted, self.source).sort_by([("a", "ascending"), ("b", "ascending")])

    @functools.cached_property
    def _sums(self) -> ExactSum:
        most = float(np.abs(np.asarray(self.numbers.column(-1))).max(initial=0.0))
        return ExactSum(None, most, self.n)

    @property
    def _homes(self) -> ir.Table:
        """Per household its outcome in two whole numbers, and how many records it has."""
        made = looked_up(self.source, self.by, self.numbers, "").table
        table = made.select(
            h=made[self.source.at(self.household)], number=made[f"c{len(self.source.names)}"]
        )
        if self.how == "sum":
            a, b = replace(self._sums, term=table["number"]).asked()
        else:
            a, b = table["number"].max(), table.count() * 0
        outcome = {name: part.cast("int64") for name, part in (("a", a), ("b", b))}
        return table.group_by("h").agg(**outcome, records=table.count().cast("int64"))


def compositions(
    source: Source, household: str, by: Sequence[str], combinations: pa.Table
) -> pa.Table:
    """One row per composition: its list of ``combination`` and ``members``, how many
    ``households`` have it, and how many ``records`` each of them has.

    ``combinations`` holds the distinct combinations of the attributes ``by``, numbered from 0 in
    their order. No record leaves the engine.
    """
    numbered = combinations.append_column(
        "number", pa.array(range(combinations.num_rows), pa.int64())
    )
    made = looked_up(source, by, numbered, "").table
    table = made.select(h=made[source.at(household)], number=made[f"c{len(source.names)}"])
    members = table.group_by(["h", "number"]).agg(m=table.count().cast("int64"))
    parts = members.mutate(part=members["number"] * _MEMBERS + members["m"])
    lists = parts.group_by("h").agg(parts=parts["part"].collect(), records=parts["m"].sum())
    ordered = lists.select(parts=lists["parts"].sort(), records=lists["records"].cast("int64"))
    counted = ordered.group_by(["parts", "records"]).agg(households=ordered.count())
    found = collected(counted, source)
    held = found["parts"].combine_chunks()
    flat = pc.list_flatten(held).cast(pa.int64())
    number = pc.shift_right(flat, 32)
    return pa.table(
        {
            "combination": _like(held, number),
            "members": _like(held, pc.bit_wise_and(flat, _MEMBERS - 1)),
            "households": found["households"].cast(pa.int64()),
            "records": found["records"].cast(pa.int64()),
        }
    )


def _like(lists: pa.Array, values: pa.Array) -> pa.Array:
    """Lists as long as others, with other values."""
    ends = pc.cumulative_sum(pc.list_value_length(lists).cast(pa.int32()))
    return pa.ListArray.from_arrays(pa.concat_arrays([pa.array([0], pa.int32()), ends]), values)
