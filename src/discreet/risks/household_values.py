"""The risk of households from that of their members, one number for every record.

A household gives everybody in it away when one of them is recognised. Where the members are matched
independently of each other, that happens with probability 1 − Π(1 − r); where whoever matches one
matches all the riskiest does, with that of the riskiest one, max r. Between these two it lies
whenever a match of one makes a match of the others more likely and not less.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.data.microdata import Microdata
from discreet.data.numbers import household_numbers, in_order, with_made
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.summation import weighted_total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats

_CERTAIN = -64.0  # in place of ln 0: 1 − e^x is 1 to the last bit from −38 on


@dataclass(frozen=True, eq=False)
class HouseholdValues:
    """A risk of every household, and the records that live in it.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"age": [30, 40, 30], "home": [1, 1, 2]}
    >>> survey = ds.read(table, keys=["age"], household="home")
    >>> risks = 1 / survey.frequency_set().counts
    >>> HouseholdValues.somebody(survey, survey.frequency_set(), risks).values().tolist()
    [1.0, 1.0, 0.5]
    """

    data: Microdata
    numbers: Any
    risk: Callable[[NDArray[Any]], Floats]

    @classmethod
    def somebody(cls, data: Microdata, keys: FrequencySet, risks: Floats) -> HouseholdValues:
        """1 − Π(1 − r) over the members, by the sum of logarithms."""
        logs = np.log1p(-risks, where=risks < 1, out=np.full(len(risks), _CERTAIN))
        return cls._of(data, keys, logs, "sum", lambda sums: -np.expm1(sums))

    @classmethod
    def riskiest(cls, data: Microdata, keys: FrequencySet, risks: Floats) -> HouseholdValues:
        """The highest risk among the members."""
        observed, rank = np.unique(risks, return_inverse=True)
        ranks = rank.ravel().astype(np.int64)
        return cls._of(data, keys, ranks, "highest", lambda highest: observed[highest])

    @classmethod
    def _of(
        cls,
        data: Microdata,
        keys: FrequencySet,
        numbers: NDArray[Any],
        how: Literal["sum", "highest"],
        risk: Callable[[NDArray[Any]], Floats],
    ) -> HouseholdValues:
        return cls(data, household_numbers(data, keys, numbers, how), risk)

    def values(self) -> Floats:
        """The risk of each record's household, in the order of the records."""
        return in_order(self.data, self._made)

    @functools.cached_property
    def total(self) -> float:
        """The sum over the records."""
        outcomes, records = self.numbers.outcomes()
        return weighted_total(self.risk(outcomes), records)

    def column(self, name: str) -> Microdata:
        """The records with the risk of their household as a further column, in their engine."""
        return with_made(self.data, name, self._made)

    def _made(self, name: str) -> Any:
        return self.numbers.column(self.risk(self.numbers.outcomes()[0]), name)
