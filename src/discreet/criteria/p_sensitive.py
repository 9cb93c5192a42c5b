"""p-sensitive k-anonymity: k-anonymity, and in every class each confidential attribute takes at
least p distinct values.

Against attribute disclosure: who finds the class of a person still has p values to choose
from. Definition 2 of Truta & Vinay (2006). The number of distinct values is also known as
distinct l-diversity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from annotated_doc import Doc
from annotated_types import Ge

from discreet.criteria.criterion import (
    CLASS_SIZE,
    Attributes,
    Criterion,
    LeastSize,
    chosen_attributes,
    only,
)
from discreet.criteria.kind import criterion
from discreet.errors import Problem
from discreet.parameters import AtLeast, Label, Public, Vary

if TYPE_CHECKING:
    from discreet.frequency.classes import Classes
    from discreet.kernels.arrays import Bools


@criterion(
    title="p-sensitive k-anonymity",
    about="In addition, each confidential attribute takes at least p values in every class.",
    key="p",
    inline=True,
)
@dataclass(frozen=True)
class PSensitiveKAnonymity(Criterion):
    """Every class has ``k`` records or more, with ``p`` values of each confidential attribute.

    Parameters
    ----------
    p, k : int
        ``p`` may not exceed ``k``: a class of k records has at most k distinct values.
    confidential : tuple of str, optional
        The attributes it applies to; all confidential attributes when not given.

    Examples
    --------
    >>> PSensitiveKAnonymity(p=2, k=5).describe()
    '2-sensitive 5-anonymity'
    >>> PSensitiveKAnonymity(p=2, k=5, confidential="illness").describe()
    "2-sensitive 5-anonymity (p counts 'illness' only)"

    References
    ----------
    - Truta, Vinay (2006), *Privacy protection: p-sensitive k-anonymity property*. ICDE Workshops:
      Definition 2.
    """

    p: Annotated[
        int,
        Ge(1),
        Label("p: different values of each confidential attribute among them, at least"),
        Doc("Least number of confidential values in a class."),
        Public,
        Vary(2),
        AtLeast,
    ]
    k: LeastSize
    confidential: Attributes = None

    def problems(self) -> list[Problem]:
        """What is wrong with its parameters."""
        problems = super().problems()
        if not problems and self.p > self.k:
            problems.append(
                Problem(
                    "P08",
                    f"p = {self.p} is larger than k = {self.k}.",
                    "A class of k records has at most k distinct values: lower p or raise k.",
                )
            )
        return problems

    # A union of classes has at least the values of each of them; a record whose class satisfies p
    # and k stays in one that does.
    monotone = monotone_with_suppression = counts_decide = True

    @property
    def least_size(self) -> int:
        """K."""
        return self.k

    def least_distinct(self, confidential: Sequence[str]) -> dict[str, int]:
        """p, of each attribute that it applies to."""
        chosen = chosen_attributes(self.confidential, confidential, "p-sensitivity")
        return dict.fromkeys(chosen, self.p)

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The classes with fewer than k records, or fewer than p values of an attribute."""
        chosen = self.needs(tuple(classes.distinct))
        return {
            CLASS_SIZE: classes.size < self.k,
            **{name: classes.distinct[name] < self.p for name in chosen},
        }

    def short(self) -> str:
        """As maps show it."""
        return f"k={self.k} p={self.p}"

    def describe(self) -> str:
        """The criterion in words, with the attributes where it names some."""
        some = only(self.confidential)
        return f"{self.p}-sensitive {self.k}-anonymity{f' (p counts {some})' if some else ''}"
