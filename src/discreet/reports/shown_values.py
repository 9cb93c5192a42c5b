"""Shown values: what a steward may see of a column, only of groups of enough records.

Categories are named where five records or more have them, and numbers and dates stand in bins of
as many; what is rarer is said by number. More than five can be asked for, fewer cannot: nothing
rarer is kept here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import fail
from discreet.reports import bins
from discreet.reports.distributions import MISSING, ValueTally, family, few_small_numbers
from discreet.reports.names import shortened

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

LEAST = 5  # records of a group that is shown: the usual limit of official statistics
_MOST = 50  # categories that are named


@dataclass(frozen=True)
class ShownValues:
    """The groups of a column that may be shown, and the number of what may not.

    Attributes
    ----------
    groups : tuple of (str, int)
        Label and number of records, each ``least`` or more (or none, between two bins).
    others : int
        Number of values that are not named; 0 where the groups are bins.
    records : int
        Number of records that have one of them.
    least : int
    in_order : bool
        Whether neighbours belong together: bins, steps of a scale, numbers.
    """

    groups: tuple[tuple[str, int], ...]
    others: int
    records: int
    least: int
    in_order: bool

    @property
    def largest(self) -> int:
        """Records of the largest group; 0 where none is shown."""
        return max((n for _, n in self.groups), default=0)


@dataclass(frozen=True)
class ColumnValues:
    """What of a column can ever be shown; made by :func:`column_values`."""

    groups: tuple[tuple[str, int], ...] = ()
    others: int = 0
    records: int = 0
    missing: int = 0
    in_order: bool = False
    edges: tuple[float, ...] | None = None  # of bins
    counts: tuple[int, ...] = ()
    months: bool = False

    def shown(self, least: int = LEAST) -> ShownValues:
        """The groups of as many records; fewer than five is refused.

        Examples
        --------
        >>> import pyarrow as pa
        >>> jobs = column_values(pa.array(["cook", "spy"]), np.array([9, 2]), "nominal")
        >>> jobs.shown().groups, jobs.shown().others
        ((('cook', 9),), 1)
        """
        if least < LEAST:
            fail("P60", f"groups of fewer than {LEAST} are never shown.", f"Ask for {LEAST}.")
        if self.edges is not None:
            gap = ((MISSING, self.missing),) if self.missing >= least else ()
            return ShownValues((*self._bins(least), *gap), 0, 0, least, True)
        rare = [n for _, n in self.groups if n < least]
        named = tuple((label, n) for label, n in self.groups if n >= least)
        others, records = self.others + len(rare), self.records + sum(rare)
        return ShownValues(named, others, records, least, self.in_order)

    def _bins(self, least: int) -> tuple[tuple[str, int], ...]:
        counts, at = np.array(self.counts, dtype=np.int64), np.array(self.edges)
        runs = bins.open_ended([counts], least)
        labels = bins.labels(at, runs, bins.month_text if self.months else bins.number_text)
        sums = [int(counts[low:high].sum()) for low, high in runs]
        return tuple(zip(labels, sums, strict=True))


def column_values(
    values: pa.Array, counts: NDArray[np.int64], measure: str, scale: tuple[str, ...] | None = None
) -> ColumnValues:
    """What of a column can be shown.

    Parameters
    ----------
    values : pyarrow.Array
        Its distinct values.
    counts : array
        The number of records of each.
    measure : str
        "continuous", "ordinal" or "nominal".
    scale : tuple of str, optional
        The order of an ordinal one.
    """
    found = ValueTally.of(values, counts)
    kind = family(found.values)
    if measure == "continuous" and kind != "text" and not few_small_numbers(found):
        return _binned(found, kind == "date")
    return _named(found, measure, scale, is_number=kind == "number")


def _binned(found: ValueTally, months: bool) -> ColumnValues:
    numbers = found.numbers()
    at = bins.edges(numbers, found.counts, whole=found.whole, months=months)
    counts = tuple(bins.counted(numbers, found.counts, at).tolist())
    return ColumnValues(
        missing=found.missing, edges=tuple(at.tolist()), counts=counts, months=months
    )


def _named(
    found: ValueTally, measure: str, scale: tuple[str, ...] | None, *, is_number: bool
) -> ColumnValues:
    """The most frequent categories of five records or more; only these become texts."""
    often = np.flatnonzero(found.counts >= LEAST)
    often = often[np.argsort(-found.counts[often], kind="stable")][:_MOST]
    in_order = measure == "ordinal" or is_number
    if is_number:  # the values come in their order
        often = np.sort(often)
    pairs = [(str(found.values[int(i)].as_py()), int(found.counts[i])) for i in often]
    if scale:
        place = {step: at for at, step in enumerate(scale)}
        pairs.sort(key=lambda pair: place.get(pair[0], len(place)))
    rest = len(found.counts) - len(often)
    records = int(found.counts.sum()) - sum(n for _, n in pairs)
    if found.missing >= LEAST:
        pairs.append((MISSING, found.missing))
    elif found.missing:
        rest, records = rest + 1, records + found.missing
    groups = tuple((shortened(label, 40), n) for label, n in pairs)
    return ColumnValues(groups, rest, records, found.missing, in_order)
