"""One number per combination of the keys, looked up for every record that has it.

Sums, counts and histograms come from the combinations and their counts, the same to the last bit
wherever the records are; only columns and values in the order of the records need the records.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.microdata import Microdata
from discreet.data.numbers import has_order, numbers_of_records, with_numbers_of
from discreet.frames import FrameKind
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.summation import weighted_total
from discreet.risks.histogram import Histogram
from discreet.risks.records_above import RecordsAbove
from discreet.risks.risk_values import top

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats


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
