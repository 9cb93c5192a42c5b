"""Value counts: how often each value of a confidential attribute occurs in each class, and limits
of such counts.

Distinct counts do not add up when classes merge; pairs of class and value do. A criterion on
the distribution of values in a class works on these pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


_CELLS = 1 << 22
Sum = tuple[str, str]  # an attribute, and what is added up of its values: entropy, distance, …


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Pairs of class and value with their counts, each pair once, in any order.

    Attributes
    ----------
    cls : array
        Class of the pair, 0 … ``classes`` − 1.
    value : array
        Code of the value, 0 … ``len(whole)`` − 1, in the order of the attribute.
    count : array
        Number of records, at least 1.
    classes : int
        Number of classes.
    whole : array
        Number of records per value in the whole initial file: the distribution that
        t-closeness compares with.
    places : array, optional
        Place of each value among all that the attribute may take, those that do not occur
        included; 0, 1, … when not given.
    last : int, optional
        The last place there is.
    """

    cls: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]
    classes: int
    whole: NDArray[np.int64]
    places: NDArray[np.int64] | None = None
    last: int | None = None

    @property
    def size(self) -> NDArray[np.int64]:
        """Number of records per class."""
        return self.per_class(self.count).astype(np.int64)

    @property
    def distinct(self) -> NDArray[np.int64]:
        """Number of distinct values per class."""
        return np.bincount(self.cls, minlength=self.classes).astype(np.int64)

    def distinct_of(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Number of distinct values per class, of those that are chosen."""
        own = self.cls[chosen[self.value]]
        return np.bincount(own, minlength=self.classes).astype(np.int64)

    @property
    def gaps(self) -> NDArray[np.float64]:
        """The way from each value to the next and from the last one to the end of the scale, all
        of it being 1."""
        places = np.arange(len(self.whole)) if self.places is None else self.places
        last = int(places[-1]) if self.last is None else self.last
        return np.diff([*places, last]) / max(last, 1)

    def per_class(self, amounts: NDArray[np.generic]) -> NDArray[np.generic]:
        """Sum an amount per pair over each class."""
        total = np.bincount(self.cls, amounts.astype(np.float64), self.classes)
        return total.astype(amounts.dtype)

    def any(self, pairs: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which classes have one of the pairs."""
        found = np.zeros(self.classes, np.bool_)
        found[self.cls[pairs]] = True
        return found

    def shares(self, first: int, last: int) -> NDArray[np.float64]:
        """Shares of the values in the classes from ``first`` up to ``last``: one row per class."""
        chosen = (self.cls >= first) & (self.cls < last)
        dense = np.zeros((last - first, len(self.whole)))
        dense[self.cls[chosen] - first, self.value[chosen]] = self.count[chosen]
        return dense / dense.sum(axis=1, keepdims=True)

    def portions(self) -> list[tuple[int, int]]:
        """The classes in portions whose shares fit into the memory."""
        step = max(_CELLS // len(self.whole), 1)
        return [(at, min(at + step, self.classes)) for at in range(0, self.classes, step)]

    def descending(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Per pair its class, its count, and the rank of that count in the class, from 0."""
        order = np.lexsort([-self.count, self.cls])
        starts = np.concatenate([[0], np.cumsum(self.distinct)[:-1]])
        rank = np.arange(len(order)) - starts[self.cls[order]]
        return self.cls[order], self.count[order], rank


# -- Limits of counts ------------------------------------------------------------------------------
#
# Limits of counts: what a criterion asks of a class, where it compares counts with each other.
#
# A class holds if counts lie between shares of another count: the records with a value between two
# shares of the records of the class, or its records between two shares of the people behind it. A
# count is compared with a product, here and in the sweep of a lattice, so that both say the same to
# the last bit.


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
