"""What every risk of single records can show: its values, the highest of them, and a column.

The risks are in this process, or beside the records in their engine. Where every record of a
combination of the keys has the same number, sums, counts and histograms come from the combinations
and their counts, the same to the last bit wherever the records are; only columns and values in the
order of the records need the records. The histogram on a log axis is Figure 2 of Orooji & Knapp
(2018).
"""

from __future__ import annotations

import abc
import functools
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np

from discreet import frames
from discreet.data.microdata import Microdata
from discreet.data.numbers import has_order, numbers_of_records, with_numbers, with_numbers_of
from discreet.errors import argument, fail
from discreet.files import need_free, write_arrow
from discreet.frames import FrameKind
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.packing import added
from discreet.kernels.summation import weighted_total
from discreet.results import Computed, Provenance
from discreet.risks.exposure import CellRisk
from discreet.surface import in_python
from discreet.words import counted, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats, Ints

PER_DECADE = 4  # bins per power of ten
_Self = TypeVar("_Self", bound="ProtectableRisk")


class RecordLevel(Computed):
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


# -- where the numbers are -------------------------------------------------------------------------


class RecordValues(Protocol):
    """One number for every record."""

    data: Microdata

    def values(self) -> Floats:
        """The numbers, in the order of the records; refused where they have none."""

    def summary(self) -> tuple[float, float]:
        """The sum of the numbers, and the highest."""

    def count_above(self, threshold: float) -> int:
        """How many records have a higher number."""

    def histogram(self) -> Histogram:
        """Records by their number."""

    def column(self, name: str) -> Microdata:
        """The records with their number as a further column, in the engine that holds them."""

    def above(self, threshold: float) -> RecordsAbove:
        """The records with a higher number; where they stand is looked up when it is asked for."""

        def places() -> NDArray[np.intp]:
            return np.flatnonzero(self.values() > threshold)

        found = places if has_order(self.data) else None
        return RecordsAbove(threshold, self.count_above(threshold), found, self.data.n)

    def top(self, n: int, kind: FrameKind) -> Any:
        """Place and number of the records with the highest numbers; of equal ones the first."""
        import pyarrow as pa

        values = self.values()
        order = np.argsort(-values, kind="stable")[:n]
        return frames.from_arrow(pa.table({"record": order, "risk": values[order]}), kind)


class RiskValues(RecordValues, Protocol):
    """The risks of all records, and T(r), the sensitivity of all values of each."""

    def sensitivity(self) -> Floats:
        """T(r), in the order of the records."""

    def sensitivity_summary(self) -> tuple[float, float]:
        """The sum of T(r), and the highest."""

    def shares(self) -> tuple[Floats, Floats]:
        """The part of the total over α, per known set and per attribute as sensitive."""


@dataclass(frozen=True, eq=False)
class ValuesHere(RiskValues):
    """Risk and T(r) of every record, in the order of the records."""

    data: Microdata
    risks: Floats
    totals: Floats
    count_shares: Callable[[], tuple[Floats, Floats]]

    def values(self) -> Floats:
        """The risks, in the order of the records."""
        return self.risks

    def summary(self) -> tuple[float, float]:
        """The sum of the risks, and the highest."""
        return math.fsum(self.risks), float(self.risks.max())

    def count_above(self, threshold: float) -> int:
        """How many records have a higher risk."""
        return int((self.risks > threshold).sum())

    def histogram(self) -> Histogram:
        """Records by their risk."""
        return Histogram.of(self.risks)

    def column(self, name: str) -> Microdata:
        """The records with their risk as a further column."""
        return with_numbers(self.data, name, self.risks)

    def sensitivity(self) -> Floats:
        """T(r), in the order of the records."""
        return self.totals

    def sensitivity_summary(self) -> tuple[float, float]:
        """The sum of T(r), and the highest."""
        return math.fsum(self.totals), float(self.totals.max())

    def shares(self) -> tuple[Floats, Floats]:
        """The part of the total over α, per known set and per attribute as sensitive."""
        return self.count_shares()


@dataclass(frozen=True)
class Histogram:
    """Records by ranges of a risk: ``counts[i]`` have edges[i] < risk ≤ edges[i + 1].

    The edges are powers of ten and steps between them, so that they tell of no single record.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    zeros: int

    @classmethod
    def of(cls, values: NDArray[np.float64], counts: NDArray[np.int64] | None = None) -> Histogram:
        """Count values, each once or so many times; those that are 0 have no place on the axis
        and are counted apart."""
        times = np.ones(len(values), dtype=np.int64) if counts is None else counts
        positive = values > 0
        steps = np.ceil(np.log10(values[positive]) * PER_DECADE - 1e-9).astype(np.int64)
        found, owner = np.unique(steps, return_inverse=True)
        records = added(owner, times[positive], len(found))
        zeros = int(times[~positive].sum())
        return cls.of_steps(dict(zip(found.tolist(), records.tolist(), strict=True)), zeros)

    @classmethod
    def of_steps(cls, counts: Mapping[int, int], zeros: int) -> Histogram:
        """From the records per step: step s is 10^((s − 1)/4) < risk ≤ 10^(s/4)."""
        if not counts:
            return cls((), (), zeros)
        low, high = min(counts), max(counts)
        edges = [10 ** (step / PER_DECADE) for step in range(low - 1, high + 1)]
        return cls(tuple(edges), tuple(counts.get(s, 0) for s in range(low, high + 1)), zeros)

    def table(self, kind: FrameKind = "arrow") -> Any:
        """One row per bin: above, up to, records."""
        import pyarrow as pa

        table = pa.table(
            {
                "above": pa.array(self.edges[:-1], pa.float64()),
                "up_to": pa.array(self.edges[1:], pa.float64()),
                "records": pa.array(self.counts, pa.int64()),
            }
        )
        return frames.from_arrow(table, kind)

    def bars(self, width: int = 40) -> str:
        """As text: one line per bin."""
        most = max([*self.counts, self.zeros, 1])
        rows = [("0", self.zeros)] if self.zeros else []
        rows += [
            (f"≤ {float(f'{edge:.2g}'):,g}", c)
            for edge, c in zip(self.edges[1:], self.counts, strict=True)
        ]
        return "\n".join(
            f"{label:>10} {'█' * math.ceil(width * c / most):<{width}} {c:,}" for label, c in rows
        )

    def chart(self) -> Any:
        """As an Altair chart (needs the ``charts`` extra)."""
        from discreet.charts import risk_histogram_chart

        rows = list(zip(self.edges[:-1], self.edges[1:], self.counts, strict=True))
        return risk_histogram_chart(rows)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"edges": list(self.edges), "counts": list(self.counts), "zeros": self.zeros}


@dataclass(frozen=True, eq=False, repr=False)
class RecordsAbove:
    """The records whose risk is above a threshold.

    It is their number wherever a number is asked for (``int``, ``==``), and their positions in the
    file, from 0, wherever a sequence is (``len``, iteration, ``numpy.asarray``).
    """

    threshold: float
    count: int
    found: NDArray[np.intp] | Callable[[], NDArray[np.intp]] | None
    n: int

    @functools.cached_property
    def positions(self) -> NDArray[np.intp]:
        """Where they stand in the file, from 0."""
        if self.found is None:
            fail(
                "N02",
                "the records have no order in their engine, and no position.",
                f"Use {in_python('.column()')} to have the risk as a column there, or name the "
                f"column that tells the records apart with {argument('record_id')}.",
            )
        return self.found() if callable(self.found) else self.found

    def __len__(self) -> int:
        return self.count

    def __index__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[int]:
        return iter(self.positions.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.positions, dtype=dtype, copy=copy is not False)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RecordsAbove):
            return self.count == other.count and np.array_equal(self.positions, other.positions)
        return self.count == other if isinstance(other, int) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.count)

    def __repr__(self) -> str:
        return (
            f"{counted(self.count, 'record')} of {self.n:,} ({share(self.count, self.n)}) "
            f"above {self.threshold:g}"
        )


@dataclass(frozen=True, eq=False)
class CombinationValues(RecordValues):
    """Numbers of combinations, and the records that have them.

    Attributes
    ----------
    data : Microdata
    combinations : FrequencySet
        Of attributes of these data.
    numbers : array
        One per combination.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [20, 10, 20]}, keys=["age"])
    >>> ages = survey.frequency_set()
    >>> found = CombinationValues(survey, ages, 1 / ages.counts)
    >>> found.values().tolist(), found.summary(), found.above(0.5).positions.tolist()
    ([0.5, 1.0, 0.5], (2.0, 1.0), [1])
    """

    data: Microdata
    combinations: FrequencySet
    numbers: Floats

    def values(self) -> Floats:
        """The numbers, in the order of the records; refused where they have none."""
        return self._values

    @functools.cached_property
    def _values(self) -> Floats:
        return numbers_of_records(self.data, self.combinations, self.numbers)

    def summary(self) -> tuple[float, float]:
        """The sum over the records, and the highest number."""
        return weighted_total(self.numbers, self.combinations.counts), float(self.numbers.max())

    def count_above(self, threshold: float) -> int:
        """How many records have a higher number."""
        return int(self.combinations.counts[self.numbers > threshold].sum())

    def histogram(self) -> Histogram:
        """Records by their number."""
        return Histogram.of(self.numbers, self.combinations.counts)

    def column(self, name: str) -> Microdata:
        """The records with their number as a further column, in the engine that holds them."""
        return with_numbers_of(self.data, name, self.combinations, self.numbers)
