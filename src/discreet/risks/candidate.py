"""A candidate for a key: a set of attributes and how well it tells the records apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Candidate:
    """A set of attributes and how well it tells the records apart.

    Attributes
    ----------
    attributes : tuple of str
    n, classes : int
        Number of records and of classes.
    uniques : int
        Records alone in their class.
    pairs : int
        Pairs of records in the same class, not separated.
    """

    attributes: tuple[str, ...]
    n: int
    classes: int
    uniques: int
    pairs: int

    @property
    def distinct(self) -> float:
        """The distinct ratio: classes per record."""
        return self.classes / self.n

    @property
    def separation(self) -> float:
        """The separation ratio: share of the pairs of records that differ; 1 for one record."""
        return 1 - 2 * self.pairs / (self.n * (self.n - 1)) if self.n > 1 else 1.0

    @property
    def unique(self) -> float:
        """Share of the records that are alone in their class."""
        return self.uniques / self.n

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "attributes": list(self.attributes),
            "classes": self.classes,
            "distinct": self.distinct,
            "separation": self.separation,
            "uniques": self.uniques,
            "unique": self.unique,
        }
