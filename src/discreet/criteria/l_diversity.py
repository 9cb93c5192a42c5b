"""l-diversity: the values of a confidential attribute are well represented in every class.

Against attribute disclosure by a skewed class. Machanavajjhala, Gehrke, Kifer &
Venkitasubramaniam (2006): *distinct* — at least l values; *entropy* — the entropy of the values
is at least log l; *recursive* (c, l) — the most frequent value occurs less than c times as often
as the l-th, (l+1)-th, … together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_doc import Doc
from annotated_types import Ge, Gt

from discreet.criteria.criterion import TOLERANCE, Attributes, Criterion, chosen_attributes, only
from discreet.criteria.kind import criterion
from discreet.errors import Problem, argument
from discreet.frequency.value_counts import Sum
from discreet.parameters import AtLeast, Label, Public, Vary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.frequency.classes import Classes
    from discreet.frequency.value_counts import ValueCounts
    from discreet.kernels.arrays import Bools

Diversity = Literal["distinct", "entropy", "recursive"]


@criterion(
    title="l-diversity",
    about="Every class holds well-spread values of a confidential attribute.",
    key="diversity",
)
@dataclass(frozen=True)
class LDiversity(Criterion):
    """Every class has l-diverse values of each confidential attribute (or the named ones).

    Parameters
    ----------
    l : int
    kind : {"distinct", "entropy", "recursive"}
    c : float
        For the recursive kind.
    confidential : tuple of str, optional

    Examples
    --------
    >>> LDiversity(3, kind="entropy").describe()
    'entropy 3-diversity'

    References
    ----------
    - Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam (2006), *l-diversity: privacy beyond
      k-anonymity*. ICDE.
    """

    l: Annotated[  # noqa: E741
        int,
        Ge(1),
        Label("l: as mixed as this many values, at least"),
        Doc("How many well-spread values a class must hold at least."),
        Public,
        Vary(3),
        AtLeast,
    ]
    kind: Annotated[
        Diversity,
        Label(
            "l counts",
            {
                "distinct": "different values",
                "entropy": "values, as evenly spread as l equally frequent ones",
                "recursive": "values, none much more frequent than the rest",
            },
        ),
        Doc("Distinct values; their entropy; or recursive (c, l)-diversity."),
        Public,
    ] = "distinct"
    c: Annotated[
        float | None,
        Gt(0),
        Label("c of recursive (c, l)-diversity"),
        Doc("For the recursive kind: the most frequent value stays below c times the rest."),
        Public,
        Vary(3),
    ] = None
    confidential: Attributes = None

    def problems(self) -> list[Problem]:
        """What is wrong with its parameters."""
        problems = super().problems()
        if self.kind == "recursive" and self.c is None:
            what = f"recursive (c, l)-diversity needs a positive {argument('c')}."
            problems.append(Problem("P18", what, f"Give for example {argument('c', 3)}.", "c"))
        if self.kind in ("distinct", "entropy") and self.c is not None:
            what = f"{argument('c')} is a parameter of recursive (c, l)-diversity only."
            remedy = f"Leave it out, or say {argument('kind', 'recursive')}."
            problems.append(Problem("P18", what, remedy, "c"))
        return problems

    # Merging two diverse classes gives a diverse one, for all three kinds.
    monotone = True

    @property
    def monotone_with_suppression(self) -> bool:
        """Only distinct diversity: a failing class may spoil a good one it is merged with."""
        return self.kind == "distinct"

    def least_distinct(self, confidential: Sequence[str]) -> dict[str, int]:
        """l, for distinct diversity, of each attribute that it applies to."""
        return dict.fromkeys(self.attributes(confidential), self.l) if self.counts_decide else {}

    @property
    def counts_decide(self) -> bool:
        """Only distinct diversity is about counts."""
        return self.kind == "distinct"

    def needs_values(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The attributes whose values it must count."""
        return () if self.kind == "distinct" else self.attributes(confidential)

    def sums(self, confidential: Sequence[str]) -> tuple[Sum, ...] | None:
        """What decides of a class but its size, as sums over its values: Σ c·log c, or r_1 and
        r_l + … + r_m.
        """
        kinds = ("entropy",) if self.kind == "entropy" else ("most", f"tail {self.l}")
        return tuple((name, kind) for name in self.needs_values(confidential) for kind in kinds)

    def attributes(self, confidential: Sequence[str]) -> tuple[str, ...]:
        """The attributes it applies to."""
        return chosen_attributes(self.confidential, confidential, "l-diversity")

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The classes that are not diverse, by attribute."""
        if self.kind == "distinct":
            names = self.attributes(tuple(classes.distinct))
            return {name: classes.distinct[name] < self.l for name in names}
        if classes.sums:
            names = self.attributes(classes.summed)
            return {name: self._fails_by_sums(classes, name) for name in names}
        names = self.attributes(tuple(classes.values))
        return {name: self._fails_by_values(classes.values[name]) for name in names}

    def _fails_by_values(self, values: ValueCounts) -> Bools:
        if self.kind == "entropy":
            return _entropy_fails(values, self.l)
        return _recursive_fails(*_most_and_tail(values, self.l), self.c)

    def _fails_by_sums(self, classes: Classes, name: str) -> Bools:
        if self.kind == "entropy":
            return _entropy_below(classes.size, classes.sums[name, "entropy"], self.l)
        most, tail = classes.sums[name, "most"], classes.sums[name, f"tail {self.l}"]
        return _recursive_fails(most, tail, self.c)

    def describe(self) -> str:
        """The criterion in words, with the attributes where it names some."""
        number = f"({self.c:g}, {self.l})" if self.kind == "recursive" else f"{self.l}"
        some = only(self.confidential)
        return f"{self.kind} {number}-diversity{f' (of {some})' if some else ''}"


def _entropy_fails(values: ValueCounts, l: int) -> Bools:  # noqa: E741
    spread = values.per_class(values.count * np.log(values.count))
    return _entropy_below(values.size, spread, l)


def _entropy_below(size: NDArray[Any], spread: NDArray[Any], l: int) -> Bools:  # noqa: E741
    """H = log n − (Σ c·log c)/n, compared with log l."""
    size = size.astype(float)
    return np.asarray(np.log(size) - spread / size < np.log(l) - TOLERANCE)


def _most_and_tail(values: ValueCounts, l: int) -> tuple[NDArray[Any], NDArray[Any]]:  # noqa: E741
    """r_1 and r_l + … + r_m of each class, with r_1 ≥ r_2 ≥ … the counts of the values."""
    cls, counts, rank = values.descending()
    most = np.bincount(cls, np.where(rank == 0, counts, 0), values.classes)
    tail = np.bincount(cls, np.where(rank >= l - 1, counts, 0), values.classes)
    return most, tail


def _recursive_fails(most: NDArray[Any], tail: NDArray[Any], c: float | None) -> Bools:
    """r_1 < c·(r_l + … + r_m) must hold."""
    assert c is not None  # recursive diversity is not made without it
    return np.asarray(most >= c * tail)
