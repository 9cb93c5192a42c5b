"""Where the risks of the records are: in this process, or beside the records in their engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet import frames
from discreet.data.microdata import Microdata
from discreet.data.numbers import with_numbers
from discreet.frames import FrameKind
from discreet.risks.histogram import Histogram
from discreet.risks.records_above import RecordsAbove

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats


class RecordValues(Protocol):
    """One number for every record."""

    def values(self) -> Floats:
        """The numbers, in the order of the records."""

    def summary(self) -> tuple[float, float]:
        """The sum of the numbers, and the highest."""

    def above(self, threshold: float) -> RecordsAbove:
        """The records with a higher number."""

    def histogram(self) -> Histogram:
        """Records by their number."""

    def top(self, n: int, kind: FrameKind) -> Any:
        """The records with the highest numbers."""

    def column(self, name: str) -> Microdata:
        """The records with their number as a further column."""


class RiskValues(RecordValues, Protocol):
    """The risks of all records, and T(r), the sensitivity of all values of each."""

    def sensitivity(self) -> Floats:
        """T(r), in the order of the records."""

    def sensitivity_summary(self) -> tuple[float, float]:
        """The sum of T(r), and the highest."""

    def shares(self) -> tuple[Floats, Floats]:
        """The part of the total over α, per known set and per attribute as sensitive."""


@dataclass(frozen=True, eq=False)
class NumbersHere:
    """One number per record, in the order of the records."""

    data: Microdata
    risks: Floats

    def values(self) -> Floats:
        """The numbers, in the order of the records."""
        return self.risks

    def summary(self) -> tuple[float, float]:
        """The sum of the numbers, and the highest."""
        return math.fsum(self.risks), float(self.risks.max())

    def above(self, threshold: float) -> RecordsAbove:
        """The records with a higher number."""
        at = np.flatnonzero(self.risks > threshold)
        return RecordsAbove(threshold, len(at), at, len(self.risks))

    def histogram(self) -> Histogram:
        """Records by their number."""
        return Histogram.of(self.risks)

    def top(self, n: int, kind: FrameKind) -> Any:
        """The records with the highest numbers."""
        return top(self.risks, n, kind)

    def column(self, name: str) -> Microdata:
        """The records with their number as a further column."""
        return with_numbers(self.data, name, self.risks)


@dataclass(frozen=True, eq=False)
class ValuesHere(NumbersHere):
    """Risk and T(r) of every record, in the order of the records."""

    totals: Floats
    shares: Callable[[], tuple[Floats, Floats]]

    def sensitivity(self) -> Floats:
        """T(r), in the order of the records."""
        return self.totals

    def sensitivity_summary(self) -> tuple[float, float]:
        """The sum of T(r), and the highest."""
        return math.fsum(self.totals), float(self.totals.max())


def top(values: Floats, n: int, kind: FrameKind) -> Any:
    """Place and number of the records with the highest numbers; of equal ones the first."""
    import pyarrow as pa

    order = np.argsort(-values, kind="stable")[:n]
    table = pa.table({"record": pa.array(order), "risk": pa.array(values[order])})
    return frames.from_arrow(table, kind)
