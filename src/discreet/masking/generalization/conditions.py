"""The two necessary conditions of p-sensitive k-anonymity, computed once on the initial file.

Condition 1: p is at most the number of distinct values of each confidential attribute.
Condition 2: the number of classes is at most min over i = 1 … p−1 of ⌊(n − cf_(p−i)) / i⌋, with
cf_i the largest number of records that i values of an attribute can cover. By Theorems 1 and 2
both carry over to every generalization with suppression. Truta & Vinay (2006), section 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Conditions:
    """What p-sensitivity allows on a file.

    Attributes
    ----------
    max_p : int
        Least number of distinct values of a confidential attribute.
    narrowest : str
        The attribute that has it.
    frequencies : mapping of attribute to counts per value, descending
    """

    max_p: int
    narrowest: str
    frequencies: Mapping[str, tuple[int, ...]]

    @classmethod
    def of(cls, counts: Mapping[str, NDArray[np.int64]]) -> Conditions:
        """From the counts per value of each confidential attribute."""
        ordered = {name: tuple(sorted(c.tolist(), reverse=True)) for name, c in counts.items()}
        narrowest = min(ordered, key=lambda name: len(ordered[name]))
        return cls(len(ordered[narrowest]), narrowest, ordered)

    def max_classes(self, p: int) -> int:
        """The largest number of classes with p values each (Condition 2); 0 when p > max_p.

        Examples
        --------
        >>> import numpy as np
        >>> Conditions.of({"S": np.array([900, 90, 5, 3, 2])}).max_classes(3)
        10
        """
        n = sum(next(iter(self.frequencies.values())))
        if p > self.max_p:
            return 0
        if p == 1:
            return n
        covered = [
            max(sum(frequencies[:i]) for frequencies in self.frequencies.values())
            for i in range(1, p)
        ]
        return min((n - covered[p - i - 1]) // i for i in range(1, p))

    def explain(self, p: int) -> str:
        """Whether p can be reached, in the paper's terms."""
        if p > self.max_p:
            return f"{self.narrowest!r} has {self.max_p} distinct values, so p ≤ {self.max_p}"
        return f"at most {self.max_classes(p):,} classes are possible for p = {p}"
