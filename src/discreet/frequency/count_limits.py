"""Limits of counts: what a criterion asks of a class, where it compares counts with each other.

A class holds if counts lie between shares of another count: the records with a value between two
shares of the records of the class, or its records between two shares of the people behind it. A
count is compared with a product, here and in the sweep of a lattice, so that both say the same to
the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.frequency.value_counts import ValueCounts


@dataclass(frozen=True, eq=False)
class ValueLimits:
    """The records with each value of an attribute lie between two shares of those of the class.

    Attributes
    ----------
    name : str
        The attribute.
    low, high : array
        Per value, low · size ≤ records with it ≤ high · size.
    optional : bool
        Whether a value may be absent all the same.

    Examples
    --------
    >>> from discreet.frequency.value_counts import ValueCounts
    >>> pairs = np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([4, 1, 1])
    >>> values = ValueCounts(*pairs, 2, np.array([5, 1]))
    >>> ValueLimits("S", np.array([0.1, 0.1]), np.array([1.0, 1.0]), False).broken(values).tolist()
    [True, False]
    """

    name: str
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    optional: bool

    def broken(self, values: ValueCounts) -> NDArray[np.bool_]:
        """Which classes do not hold."""
        size = values.size[values.cls].astype(np.float64)
        low, high = self.low[values.value] * size, self.high[values.value] * size
        found = values.any((values.count < low) | (values.count > high))
        if not self.optional:
            found |= values.distinct_of(self.low > 0) < np.count_nonzero(self.low > 0)
        return found


@dataclass(frozen=True)
class PeopleLimits:
    """Enough people are behind each class, and a share of them between two has records.

    Attributes
    ----------
    register : str or int
        The population, as it is known in `Classes.people`.
    least : int
        People behind a class, at least.
    low, high : float
        low · people ≤ records ≤ high · people.

    Examples
    --------
    >>> limits = PeopleLimits("town.csv", least=3, high=0.5)
    >>> limits.broken(np.array([1, 1, 2]), np.array([2, 4, 3])).tolist()
    [True, False, True]
    """

    register: str | int
    least: int = 0
    low: float = 0.0
    high: float = np.inf

    def broken(self, size: NDArray[np.int64], people: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which classes do not hold."""
        few = (people < self.least) | (size < self.low * people)
        return np.asarray(few | (size > self.high * people))


CountLimits = ValueLimits | PeopleLimits
