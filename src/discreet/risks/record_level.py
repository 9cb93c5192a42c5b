"""What every risk of single records can show: its values, the highest of them, and a column."""

from __future__ import annotations

import abc
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from discreet.data.microdata import Microdata
from discreet.errors import fail
from discreet.files import need_free, write_arrow
from discreet.frames import FrameKind
from discreet.results import Provenance, Result
from discreet.risks.cells import CellRisk
from discreet.risks.risk_values import Histogram, RecordsAbove, RecordValues

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.kernels.arrays import Floats, Ints


_Self = TypeVar("_Self", bound="ProtectableRisk")


class RecordLevel(Result):
    """A result with one number for every record; ``_found`` is where they are."""

    n: int
    _found: RecordValues
    column_name: ClassVar[str] = "risk"
    limits: ClassVar[tuple[float, ...]] = (0.001, 0.01, 0.1, 0.5)
    not_protectable: ClassVar[str] = "It is not a function of the cells of a record."

    @property
    def values(self) -> Floats:
        """The risk of every record, in the order of the input; where an engine holds records
        without an order, in that of their record ids."""
        return self._found.values()

    @functools.cached_property
    def _summary(self) -> tuple[float, float]:
        return self._found.summary()

    @property
    def mean(self) -> float:
        """The mean risk."""
        return self._summary[0] / self.n

    @property
    def highest(self) -> float:
        """The highest risk."""
        return self._summary[1]

    def above(self, threshold: float) -> RecordsAbove:
        """The records with a risk above a threshold: how many, and which."""
        if not isinstance(threshold, int | float | np.number) or not threshold >= 0:
            fail("P10", "the threshold is not a number of at least 0.", "Give for example 0.01.")
        return self._found.above(float(threshold))

    def histogram(self) -> Histogram:
        """Records by risk on a log axis."""
        return self._found.histogram()

    def _by_risk(self) -> dict[str, Any]:
        """How many records are above some limits, and how many in each range, as plain values."""
        above = {f"{limit:g}": self.above(limit).count for limit in self.limits}
        return {"above": above, "histogram": self.histogram().to_dict()}

    def top(self, n: int = 10, kind: FrameKind | None = None) -> Any:
        """The records of highest risk: position in the file from 0, and risk; no cell."""
        return self._found.top(max(int(n), 0), kind or self.kind)

    def column(self, name: str | None = None) -> Microdata:
        """The records with their risk as a further column, in the engine that holds them."""
        return self._found.column(self.column_name if name is None else name)

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write position and risk of every record as CSV or Parquet; no cell of the data."""
        import pyarrow as pa

        target = Path(path)
        need_free(target, overwrite=overwrite, suffixes=(".csv", ".parquet"))
        record = pa.array(np.arange(self.n))
        write_arrow(target, pa.table({"record": record, "risk": pa.array(self.values)}))


class ProtectableRisk(RecordLevel):
    """A risk of records that ``ds.protect_records`` can lower; its measure says ``per_record``.

    ``measure`` is the name of the function that gives it. It is made of the keys, and measured
    with no arguments, unless a risk says otherwise.
    """

    measure: ClassVar[str]
    provenance: Provenance

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes whose values make the risk: those that may be changed."""
        return self.provenance.keys

    @property
    def known(self) -> tuple[str, ...]:
        """Those of them by which records are found."""
        return self.provenance.keys

    @property
    def arguments(self) -> dict[str, Any]:
        """What it was measured with, by the names that the measure has for it."""
        return {}

    @property
    def said(self) -> dict[str, Any]:
        """The same as plain values, for the record of a step."""
        return dict(self.arguments)

    @property
    def of_class(self) -> Callable[[Ints, Floats], Floats] | None:
        """The risk of a record from the records of its class and the sum of their weights; None
        where more than that decides."""
        return None

    @abc.abstractmethod
    def again(self: _Self, data: Microdata) -> _Self:
        """The same risk of other data."""

    @abc.abstractmethod
    def of_cells(self, data: Microdata) -> CellRisk:
        """The same risk of these data, as a function of their cells: of ``attributes``."""
