"""δ-presence: nobody can tell well who is in the file, and who is not.

Against a file whose membership is the secret: the patients of a clinic, out of a town. Of the
people with the keys of a class a share δ is in the file; someone who knows a person of them knows
by as much that the person is. Nergiz, Atzori & Clifton (2007): every share lies between two limits,
that of people of whom no record is there, 0, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from annotated_doc import Doc
from annotated_types import Interval

from discreet.criteria.criterion import TOLERANCE, Criterion
from discreet.criteria.kind import criterion
from discreet.criteria.population import PEOPLE, Population, population_problems
from discreet.errors import Problem, fail
from discreet.frequency.value_counts import PeopleLimits
from discreet.parameters import AtLeast, AtMost, Label, Public, Share, Vary
from discreet.risks.register import known_as, name_of
from discreet.surface import function
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.frequency.classes import Classes
    from discreet.kernels.arrays import Bools, Ints


@criterion(
    title="δ-presence",
    about="Of the people with the keys of a class, a share between two limits is in the file.",
    key="presence",
)
@dataclass(frozen=True)
class DeltaPresence(Criterion):
    """Of the people with the same keys, between ``low`` and ``high`` of them are in the file.

    With ``low`` above 0, people of whose keys no record is there stand against it, and no
    suppression helps. Those whose records were suppressed do not count among them.

    Parameters
    ----------
    low, high : float
        Between 0 and 1.
    population : Microdata, path, frame, Ibis table or FrequencySet
        All people that the file was drawn from, with its keys as they were before they were
        generalized.

    Examples
    --------
    >>> import discreet as ds
    >>> town = {"age": [50, 50, 50, 50, 30, 30, 70]}
    >>> survey = ds.read({"age": [50, 30, 30]}, keys=["age"])
    >>> ds.check(survey, DeltaPresence(0, 0.5, population=town)).violating_records
    2
    >>> ds.check(survey, DeltaPresence(0, 1, population=town)).satisfied
    True
    >>> ds.check(survey, DeltaPresence(0.1, 1, population=town)).satisfied
    False

    References
    ----------
    - Nergiz, Atzori, Clifton (2007), *Hiding the presence of individuals from shared databases*.
      SIGMOD.
    """

    needs_original = True

    low: Annotated[
        float,
        Interval(ge=0, le=1),
        Share,
        Label("δ: share of the people that is in the file, at least"),
        Doc("Least share of the people with the same keys that is in the file."),
        Public,
        Vary(0.0),
        AtLeast,
    ]
    high: Annotated[
        float,
        Interval(ge=0, le=1),
        Share,
        Label("and at most"),
        Doc("Largest share of the people with the same keys that is in the file."),
        Public,
        Vary(0.2),
        AtMost,
    ]
    population: Population = field(compare=False, repr=False)

    def problems(self) -> list[Problem]:
        """What is wrong with its parameters."""
        problems = super().problems()
        if not problems and self.low > self.high:
            what = (
                f"the limits of presence are in the wrong order: {self.low:g} is above "
                f"{self.high:g}."
            )
            problems.append(Problem("P18", what, "Give the lower one first.", "low"))
        return [*problems, *population_problems(self.population)]

    # The share of a union lies between those of its parts, those of 0 too. Not with suppression: a
    # failing class may spoil a good one it is merged with.
    monotone = True

    @property
    def registers(self) -> tuple[Any, ...]:
        """The population."""
        return (self.population,)

    def failing(self, classes: Classes) -> Mapping[str, Bools]:
        """The classes of whose people too small or too large a share is in the file."""
        (limits,) = self.count_limits({})
        shared = classes.people[limits.register].shared
        if shared:
            fail(
                "N85",
                f"{self.describe()} cannot be checked: released cells of different classes cover "
                f"the same {counted(shared, 'combination')} of keys of the population.",
                "Recode with this criterion, which keeps cells apart, or use "
                f"{function('generalize', '…')}.",
            )
        return {PEOPLE: limits.broken(classes.size, classes.people[limits.register].size)}

    def count_limits(self, whole: Mapping[str, Ints]) -> tuple[PeopleLimits]:  # noqa: ARG002
        """Between two shares of the people; without a lower one, people without a record do not
        matter."""
        low = max(self.low - TOLERANCE, 0.0)
        return (PeopleLimits(known_as(self.population), low=low, high=self.high + TOLERANCE),)

    def vacancies(self, classes: Classes) -> int:
        """Combinations of people without a record, where there may be none."""
        if self.low <= TOLERANCE:
            return 0
        return classes.people[known_as(self.population)].vacant

    def why(self, reason: str) -> str:
        """Of the people behind a class."""
        return "too small or too large a share of the people" if reason == PEOPLE else ""

    def describe(self) -> str:
        """The criterion in words."""
        return f"({self.low:g}, {self.high:g})-presence in {name_of(self.population)}"

    def short(self) -> str:
        """As maps show it."""
        return f"δ={self.low:g}…{self.high:g}"

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters."""
        return {**super().to_dict(), "population": name_of(self.population)}
