"""Value counts: how often each value of a confidential attribute occurs in each class.

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
