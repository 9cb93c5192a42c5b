"""People, not records: where a person may have several records, a class must have enough people.

A class of five records of one patient hides nobody. So wherever a criterion asks for the size of a
class and the file says which person a record is of (``subject=`` of :func:`discreet.read`), as many
different people are asked for. That is the number of distinct values of the subject, which grows
with a class as p-sensitivity does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.criteria.all_of import combined
from discreet.criteria.criterion import Criterion
from discreet.criteria.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from discreet.data.microdata import Microdata
    from discreet.frequency.classes import Classes
    from discreet.kernels.arrays import Bools

PEOPLE = "people in a class"


def resolved(criterion: Criterion, data: Microdata) -> Any:
    """A criterion for a file: with its attributes named, and counting people where it can."""
    bound = criterion.resolved(data.confidential)
    if data.subject is None or bound.least_size == 1:
        return bound
    return combined([bound, PeopleInClass(bound.least_size, data.subject)])


@dataclass(frozen=True)
class PeopleInClass(KAnonymity):
    """Every class has records of at least ``k`` people: k-anonymity, by people.

    It is monotone as that is: a union of classes has at least the people of each of them.

    Examples
    --------
    >>> PeopleInClass(3, "patient").describe()
    'at least 3 different people in every class'
    """

    subject: str

    def least_distinct(self, confidential: Sequence[str]) -> dict[str, int]:  # noqa: ARG002
        """K, of the subject."""
        return {self.subject: self.k}

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The classes with records of fewer than k people."""
        return {PEOPLE: classes.distinct[self.subject] < self.k}

    def describe(self) -> str:
        """The criterion in words."""
        return f"at least {self.k} different people in every class"
