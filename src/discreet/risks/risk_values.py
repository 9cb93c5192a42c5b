"""Where the risks of the records are: in this process, or beside the records in their engine.

Where every record of a combination of the keys has the same number, sums, counts and histograms
come from the combinations and their counts, the same to the last bit wherever the records are; only
columns and values in the order of the records need the records. The histogram on a log axis is
Figure 2 of Orooji & Knapp (2018).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet import frames
from discreet.data.microdata import Microdata
from discreet.data.numbers import has_order, numbers_of_records, with_numbers, with_numbers_of
from discreet.errors import argument, fail
from discreet.frames import FrameKind
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.packing import added
from discreet.kernels.summation import weighted_total
from discreet.surface import in_python
from discreet.words import counted, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats
PER_DECADE = 4  # bins per power of ten


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
class CombinationValues:
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

    def above(self, threshold: float) -> RecordsAbove:
        """The records with a higher number; where they stand is looked up when it is asked for."""
        count = int(self.combinations.counts[self.numbers > threshold].sum())
        found = (lambda: self._places(threshold)) if has_order(self.data) else None
        return RecordsAbove(threshold, count, found, self.combinations.n)

    def histogram(self) -> Histogram:
        """Records by their number."""
        return Histogram.of(self.numbers, self.combinations.counts)

    def top(self, n: int, kind: FrameKind) -> Any:
        """The records with the highest numbers; refused where they have no order."""
        return top(self.values(), n, kind)

    def column(self, name: str) -> Microdata:
        """The records with their number as a further column, in the engine that holds them."""
        return with_numbers_of(self.data, name, self.combinations, self.numbers)

    def _places(self, threshold: float) -> Any:
        return np.flatnonzero(self.values() > threshold)
