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


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Pairs of class and value with their counts, ordered by class, then value.

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
    """

    cls: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]
    classes: int
    whole: NDArray[np.int64]

    @property
    def size(self) -> NDArray[np.int64]:
        """Number of records per class."""
        return self.per_class(self.count).astype(np.int64)

    @property
    def distinct(self) -> NDArray[np.int64]:
        """Number of distinct values per class."""
        return np.bincount(self.cls, minlength=self.classes).astype(np.int64)

    def per_class(self, amounts: NDArray[np.generic]) -> NDArray[np.generic]:
        """Sum an amount per pair over each class."""
        total = np.zeros(self.classes, dtype=amounts.dtype)
        np.add.at(total, self.cls, amounts)
        return total

    def matrix(self) -> NDArray[np.float64]:
        """Shares of the values in each class: one row per class."""
        dense = np.zeros((self.classes, len(self.whole)))
        dense[self.cls, self.value] = self.count
        return dense / dense.sum(axis=1, keepdims=True)

    def descending(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Counts within each class from the most frequent value on, and their rank from 0."""
        order = np.lexsort([-self.count, self.cls])
        starts = np.concatenate([[0], np.cumsum(self.distinct)[:-1]])
        rank = np.arange(len(order)) - starts[self.cls[order]]
        return self.count[order], rank
