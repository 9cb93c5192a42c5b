"""Where the risks of the records are: in this process, or beside the records in their engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet import frames
from discreet.frames import FrameKind
from discreet.risks.histogram import Histogram
from discreet.risks.records_above import RecordsAbove

if TYPE_CHECKING:
    from discreet.data.microdata import Microdata
    from discreet.kernels.arrays import Floats


class RiskValues(Protocol):
    """The risks of all records, and T(r), the sensitivity of all values of each."""

    def values(self) -> Floats:
        """The risks, in the order of the records."""

    def sensitivity(self) -> Floats:
        """T(r), in the order of the records."""

    def summary(self) -> tuple[float, float]:
        """The sum of the risks, and the highest."""

    def sensitivity_summary(self) -> tuple[float, float]:
        """The sum of T(r), and the highest."""

    def above(self, threshold: float) -> RecordsAbove:
        """The records with a higher risk."""

    def histogram(self) -> Histogram:
        """Records by risk."""

    def top(self, n: int, kind: FrameKind) -> Any:
        """The records of highest risk."""

    def column(self, name: str) -> Microdata:
        """The records with their risk as a further column."""

    def shares(self) -> tuple[Floats, Floats]:
        """The part of the total over α, per known set and per attribute as sensitive."""


@dataclass(frozen=True, eq=False)
class ValuesHere:
    """One number per record, in the order of the records."""

    data: Microdata
    risks: Floats
    totals: Floats
    shares: Callable[[], tuple[Floats, Floats]]

    def values(self) -> Floats:
        """The risks, in the order of the records."""
        return self.risks

    def sensitivity(self) -> Floats:
        """T(r), in the order of the records."""
        return self.totals

    def summary(self) -> tuple[float, float]:
        """The sum of the risks, and the highest."""
        return math.fsum(self.risks), float(self.risks.max())

    def sensitivity_summary(self) -> tuple[float, float]:
        """The sum of T(r), and the highest."""
        return math.fsum(self.totals), float(self.totals.max())

    def above(self, threshold: float) -> RecordsAbove:
        """The records with a higher risk."""
        at = np.flatnonzero(self.risks > threshold)
        return RecordsAbove(threshold, len(at), at, len(self.risks))

    def histogram(self) -> Histogram:
        """Records by risk."""
        return Histogram.of(self.risks)

    def top(self, n: int, kind: FrameKind) -> Any:
        """The records of highest risk; of equal ones the first."""
        import pyarrow as pa

        order = np.argsort(-self.risks, kind="stable")[:n]
        table = pa.table({"record": pa.array(order), "risk": pa.array(self.risks[order])})
        return frames.from_arrow(table, kind)

    def column(self, name: str) -> Microdata:
        """The records with their risk as a further column."""
        from discreet.risks.distributed import column_here

        return column_here(self.data, name, self.risks)
