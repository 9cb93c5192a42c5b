"""k-anonymity: every combination of key values occurs at least k times.

Against identity disclosure: who knows the keys of a person finds at least k records that fit.
Samarati (2001); Sweeney (2002); Definition 1 of Truta & Vinay (2006).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.criteria.criterion import CLASS_SIZE, Criterion, LeastSize
from discreet.criteria.kind import criterion

if TYPE_CHECKING:
    from discreet.frequency.classes import Classes
    from discreet.kernels.arrays import Bools


@criterion(
    title="k-anonymity",
    about="Every combination of key values occurs at least k times.",
    key="k",
    inline=True,
)
@dataclass(frozen=True)
class KAnonymity(Criterion):
    """Every class has at least ``k`` records; with a subject, records of k people.

    Parameters
    ----------
    k : int
        Least size of a class, at least 1.

    Examples
    --------
    >>> KAnonymity(5)
    KAnonymity(k=5)

    References
    ----------
    - Samarati (2001), *Protecting respondents' identities in microdata release*. IEEE Transactions
      on Knowledge and Data Engineering 13 (6).
    """

    k: LeastSize

    # A union of classes is at least as large as each of them; a record in a large one stays in one.
    monotone = monotone_with_suppression = counts_decide = True

    @property
    def least_size(self) -> int:
        """K."""
        return self.k

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The classes with fewer than k records."""
        return {CLASS_SIZE: classes.size < self.k}

    def short(self) -> str:
        """As maps show it."""
        return f"k={self.k}"

    def describe(self) -> str:
        """The criterion in words."""
        return f"{self.k}-anonymity"
