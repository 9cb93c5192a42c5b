"""k-map: behind every class are at least k people of the population.

Against who looks for a person of the population in the file and does not know who is in it: of the
F people with the keys of a class the right one is found with probability 1/F. A class may be
smaller than k; what counts is how many people it may be about. Sweeney (2001); El Emam & Dankar
(2008).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from annotated_doc import Doc
from annotated_types import Ge

from discreet.criteria.criterion import Criterion
from discreet.criteria.kind import criterion
from discreet.criteria.population import PEOPLE, Population, population_problems
from discreet.errors import Problem
from discreet.frequency.value_counts import PeopleLimits
from discreet.parameters import AtLeast, Label, Public, Vary
from discreet.risks.register import known_as, name_of

if TYPE_CHECKING:
    from discreet.frequency.classes import Classes
    from discreet.kernels.arrays import Bools, Ints


@criterion(
    title="k-map",
    about="At least k people of the population stand behind every class.",
    key="k_map",
)
@dataclass(frozen=True)
class KMap(Criterion):
    """At least ``k`` people of the population have the keys of every class.

    Parameters
    ----------
    k : int
    population : Microdata, path, frame, Ibis table or FrequencySet
        All people that the file was drawn from, with its keys as they were before they were
        generalized. A table may lie in another engine than the file.

    Examples
    --------
    >>> import discreet as ds
    >>> town = {"age": [50, 50, 50, 30, 30], "sex": list("MMMFF")}
    >>> survey = ds.read({"age": [50, 30], "sex": list("MF")}, keys=["age", "sex"])
    >>> [ds.check(survey, KMap(k, population=town)).violating_records for k in (2, 3)]
    [0, 1]

    References
    ----------
    - Sweeney (2001), *Computational disclosure control: a primer on data privacy protection*.
      Thesis, MIT.
    - El Emam, Dankar (2008), *Protecting privacy using k-anonymity*. Journal of the American
      Medical Informatics Association 15 (5).
    """

    needs_original = True

    k: Annotated[
        int,
        Ge(1),
        Label("k: people of the population behind every class, at least"),
        Doc("Least number of people of the population with the keys of a class."),
        Public,
        Vary(5),
        AtLeast,
    ]
    population: Population = field(compare=False, repr=False)

    def problems(self) -> list[Problem]:
        """What is wrong with its parameters."""
        return [*super().problems(), *population_problems(self.population)]

    # Behind a union of classes are the people of each of them; a record whose class has k people
    # behind it stays in one that has.
    monotone = monotone_with_suppression = True

    @property
    def registers(self) -> tuple[Any, ...]:
        """The population."""
        return (self.population,)

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The classes with fewer than k people behind them."""
        (limits,) = self.count_limits({})
        return {PEOPLE: limits.broken(classes.size, classes.people[limits.register].size)}

    def count_limits(self, whole: Mapping[str, Ints]) -> tuple[PeopleLimits]:  # noqa: ARG002
        """At least k people."""
        return (PeopleLimits(known_as(self.population), least=self.k),)

    def why(self, reason: str) -> str:
        """Of the people behind a class."""
        return "too few people of the population have its keys" if reason == PEOPLE else ""

    def describe(self) -> str:
        """The criterion in words."""
        return f"{self.k}-map in {name_of(self.population)}"

    def short(self) -> str:
        """As maps show it."""
        return f"k-map={self.k}"

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters."""
        return {**super().to_dict(), "population": name_of(self.population)}
