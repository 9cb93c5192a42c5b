"""What microaggregation can make of a column, as far as the table that was opened tells it.

A form can then offer the columns that have an average, and say of the others why they have none,
before a run fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.app.work.reading import Column

METHODS = {
    "mdav": "MDAV: groups of k to 2k − 1, all columns together",
    "v-mdav": "V-MDAV: groups that grow with their surroundings",
    "fixed": "fixed size, each column by itself",
    "optimal-univariate": "optimal, each column by itself",
}
CATEGORY = "a missing value is a category"  # the field that allows missing values
_NUMBERS = ("integer", "number")
_TIMES = {"date": "a date", "timestamp": "a date", "time": "a time of day"}


@dataclass(frozen=True)
class Average:
    """What can be averaged of a column.

    Attributes
    ----------
    unfit : str
        Why it has no average, in words; empty where it has one.
    is_category : bool
        Whether it has no mean, and MDAV alone takes it.
    missing : int
        Missing values; where it has an average, they are a category of their own.
    """

    unfit: str = ""
    is_category: bool = False
    missing: int = 0

    @property
    def note(self) -> str:
        """What its field says beside it."""
        if self.unfit:
            return self.unfit
        return f"{self.missing:,} missing values: as a category alone" if self.missing else ""

    def recoded(self) -> Average:
        """What is known when it has become labels: only that missing values stay missing."""
        return Average(missing=self.missing)


def average_of(column: Column, declared: Any) -> Average:
    """What is known of a column whose type may be declared in the plan.

    Examples
    --------
    >>> average_of(Column("born", "continuous", 900, 0, "", "", "date"), None).unfit
    'a date has no mean. Declare it nominal, or make it coarser by a hierarchy'
    >>> average_of(Column("job", "nominal", 9, 3, "", "", "text"), None).note
    '3 missing values: as a category alone'
    >>> average_of(Column("sex", "nominal (codes)", 2, 0, "", "", "integer"), None).is_category
    True
    """
    measure = "ordinal" if isinstance(declared, list) else declared or column.type.split(" ")[0]
    missing = column.missing
    if column.kind == "other":
        return Average("it is neither a number nor a text", missing=missing)
    if measure == "continuous" and column.kind in _TIMES:
        remedy = "Declare it nominal, or make it coarser by a hierarchy"
        return Average(f"{_TIMES[column.kind]} has no mean. {remedy}", missing=missing)
    if measure != "nominal" and missing:
        what = f"{missing:,} missing values leave it without an average"
        remedy = "Fill them in the file, or make it coarser by a hierarchy"
        return Average(f"{what}. {remedy}", missing=missing)
    has_mean = column.kind in _NUMBERS and measure == "continuous" and not missing
    return Average(is_category=not has_mean, missing=missing)


def averages_of(columns: tuple[Column, ...], types: Mapping[str, Any]) -> dict[str, Average]:
    """What is known of each column, by its name."""
    return {column.name: average_of(column, types.get(column.name)) for column in columns}
