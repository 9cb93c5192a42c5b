"""Columns in groups of their own: what k means where each column is masked by itself.

Univariate microaggregation puts every value of a column into a group of k. Two columns have
different groups, so that a pair of masked values may be that of one record alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet import engine
from discreet.frames import FrameKind
from discreet.masking.aggregation import UNIVARIATE
from discreet.results import Result
from discreet.words import counted, share


@dataclass(frozen=True, repr=False)
class ColumnGroups(Result):
    """That k holds for each column, and for how many records it does not hold for all together.

    Attributes
    ----------
    k : int
        Least size of a group, of each column by itself.
    columns : tuple of str
        What was masked.
    below : int
        Records that share the masked values of all these columns with fewer than k − 1 others.
    smallest : int
        Fewest records that share them.
    n : int
        Number of records.

    Examples
    --------
    >>> import discreet as ds
    >>> people = ds.read({"age": [1, 2, 8, 9], "pay": [5, 9, 6, 8]}, keys=["age", "pay"])
    >>> masked = ds.microaggregate(people, k=2, method="individual")
    >>> print(masked.outcome.explain())
    Every value is shared by at least 2 records, in each of the 2 columns by itself.
    The columns together are not 2-anonymous: 4 records (100.0%) share all values with fewer than 1 other.
    If an intruder may know these columns together, microaggregate them together, by MDAV.
    """  # noqa: E501

    k: int
    columns: tuple[str, ...]
    below: int
    smallest: int
    n: int
    kind: FrameKind

    def explain(self) -> str:
        """What holds and what does not, and what to do where it must."""
        number = counted(len(self.columns), "column")
        first = (
            f"Every value is shared by at least {counted(self.k, 'record')}, in each of the "
            f"{number} by itself."
        )
        if not self.below:
            return f"{first}\nHere that holds for the columns together, too."
        others = "1 other" if self.k == 2 else f"{self.k - 1:,} others"
        return "\n".join([
            first,
            f"The columns together are not {self.k}-anonymous: {counted(self.below, 'record')} "
            f"({share(self.below, self.n)}) share all values with fewer than {others}.",
            "If an intruder may know these columns together, microaggregate them "
    "together, by MDAV.",
        ])  # fmt: skip

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row: k, the smallest class of all columns together, and the records below k."""
        row = {"k": self.k, "smallest": self.smallest, "below": self.below, "records": self.n}
        return self._frame([row], kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "k": self.k,
            "columns": list(self.columns),
            "below_k_together": self.below,
            "smallest_together": self.smallest,
        }


def column_groups(
    source: engine.Source, columns: Sequence[str], k: int, kind: FrameKind
) -> ColumnGroups:
    """Counted where the records are: classes of all masked columns together."""
    found = engine.class_signatures(source, columns, (), skip_missing=False)
    size, classes = (found.column(name).to_numpy() for name in ("size", "classes"))
    records = size * classes
    below = int(records[size < k].sum())
    return ColumnGroups(k, tuple(columns), below, int(size.min()), int(records.sum()), kind)


def cautions(recorded: Mapping[str, Any]) -> list[str]:
    """What a reader of a report must know of a step: that k is no k of the columns together."""
    several = len(recorded["columns"]) > 1
    if recorded["method"] not in UNIVARIATE or not several:
        return []
    return [
        f"Each column was microaggregated by itself: k = {recorded['k']} holds for each of them, "
        "but the columns together need not be k-anonymous."
    ]
