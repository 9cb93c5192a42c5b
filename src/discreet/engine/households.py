"""Numbers of households: what a number of each member comes to, found where the records are.

Only the different outcomes and how many records have each come here, and go back to be joined to
the records. They are whole numbers: the same on every engine, for every order of the records.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.engine.recoding import looked_up
from discreet.engine.source import Source, collected, uploaded
from discreet.engine.summation import ExactSum

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray


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
        import pyarrow as pa

        keys = self._found.select(["a", "b"]).append_column("value", pa.array(values))
        given = uploaded(self.source, keys.rename_columns(["ga", "gb", "value"]))
        homes, table = self._homes, self.source.table
        alike = [homes["a"] == given["ga"], homes["b"] == given["gb"]]
        valued = homes.join(given, alike).select("h", "value")
        joined = table.join(valued, table[self.source.at(self.household)] == valued["h"])
        columns = {c: joined[c] for c in table.columns}
        made = joined.select(**columns, **{f"c{len(self.source.names)}": joined["value"]})
        return replace(self.source, names=(*self.source.names, name), records=made)

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
