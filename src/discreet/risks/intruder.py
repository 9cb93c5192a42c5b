"""Intruders: how likely each record is recognised, by what the intruder knows of the file.

A *prosecutor* knows that a person is in the file: the right record is one of the f that share its
keys. A *journalist* does not, and must look for the person in the whole population, among F. A
*marketer* is content with recognising as many as possible: the expected share is the mean of 1/F.

El Emam & Dankar (2008), Protecting privacy using k-anonymity; El Emam (2013), Guide to the
De-Identification of Personal Health Information, chapter 16.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from discreet.errors import fail


@dataclass(frozen=True)
class IntruderRisk:
    """The risk of the records under one intruder: 1/i where i people may be meant.

    Attributes
    ----------
    mean : float
        The average risk.

    Examples
    --------
    >>> found = IntruderRisk((1, 4), (2, 8), 0.4)
    >>> found.highest, found.share_above(0.5)
    (1.0, 0.2)
    """

    _sizes: tuple[int, ...] = field(repr=False)
    _records: tuple[int, ...] = field(repr=False)
    mean: float

    @property
    def highest(self) -> float:
        """The largest risk of a record."""
        return 1 / min(self._sizes)

    def share_above(self, threshold: float) -> float:
        """Share of the records whose risk is above a threshold."""
        if not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
            fail("P10", "a risk threshold must lie between 0 and 1.", "Give for example 0.2.")
        rows = zip(self._sizes, self._records, strict=True)
        return sum(n for i, n in rows if 1 / i > threshold) / sum(self._records)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "highest": self.highest,
            "mean": self.mean,
            "share_above_0.2": self.share_above(0.2),
        }
