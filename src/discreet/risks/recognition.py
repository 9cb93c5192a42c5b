"""What a sample says of its population, in one sentence: how many people could be recognised.

The number of records that someone who has the names and keys of the whole population would match
rightly has no one true estimate. The individual risk, which knows only the records of a class and
their weights, is low on real populations; a log-linear model that takes the keys to be independent
is high. Their range is given, and beside it the number of people alone with their keys in the
population, which is another quantity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.data.microdata import Microdata
from discreet.errors import DiscreetError, raise_all
from discreet.frames import FrameKind
from discreet.kernels.inverse_sizes import inverse_mean
from discreet.kernels.summation import weighted_total
from discreet.measures import FigureKind, measure
from discreet.results import Provenance, Result
from discreet.risks.individual import individual_risk, interval_of
from discreet.risks.model_risk import model_risk
from discreet.risks.population_uniqueness import (
    Population,
    PopulationSize,
    PopulationUniqueness,
    SampledShare,
    population_of,
    population_uniqueness,
)
from discreet.surface import python, said

_NUMBERS = ("no", "one", "two", "three")
_DRAWN = {
    "weights": "a random sample of the population, drawn with the chances that the weights say",
    "population": "a simple random sample of the population",
    "fraction": "a simple random sample of the population",
}


@dataclass(frozen=True, repr=False)
class PopulationRange(Result):
    """Between how many and how many people of a file could be recognised, over several models.

    Attributes
    ----------
    n : int
        Number of records.
    population : Population
    models : mapping of title to float
        Expected number of right matches over all records, by model.
    intervals : mapping of title to pair of floats, or None
        Between what that number lies, with 90 %, by each model; None where it has no interval.
    uniqueness : PopulationUniqueness or None
        How many people are alone with their keys in the population.
    not_applicable : mapping of title to str
        Which model does not apply, and why.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(500, seed=1), keys=["age", "sex"])
    >>> found = ds.population_range(survey, fraction=0.01)
    >>> found.low < found.high, found.population.size
    (True, 50000.0)
    """

    n: int
    population: Population
    models: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float] | None]
    uniqueness: PopulationUniqueness | None
    _reasons: Mapping[str, str] = field(repr=False)
    provenance: Provenance
    kind: FrameKind

    @property
    def not_applicable(self) -> dict[str, str]:
        """Which figures there are not, and why."""
        return {title: said(why, python) for title, why in self._reasons.items()}

    @property
    def low(self) -> float | None:
        """The least number of people that a model gives; None where none applies."""
        return min(self.models.values(), default=None)

    @property
    def high(self) -> float | None:
        """The largest number of people that a model gives; None where none applies."""
        return max(self.models.values(), default=None)

    def sentences(self) -> list[str]:
        """The range, the people alone in the population, what does not apply, the assumption."""
        lines = [self._range()] if self.models else []
        if self.uniqueness is not None:
            few, many = (math.floor(end * self.population.size) for end in self.uniqueness.interval)
            lines.append(
                f"Another quantity: {few:,} to {many:,} of these {round(self.population.size):,} "
                "people are alone with their keys, in the file or not; whoever has their names "
                "recognises them for certain."
            )
        lines += [f"No {title}: {said(why)}" for title, why in self._reasons.items()]
        return [*lines, self.assumption]

    def _range(self) -> str:
        numbers = list(self.models.values())
        low, high = math.floor(min(numbers)), math.ceil(max(numbers))
        by = f"by {_NUMBERS[len(numbers)]} models ({' and '.join(self.models)})"
        who = f"someone who has the names of the whole population of {self.population.words}"
        if len(numbers) > 1 and min(numbers) == max(numbers):
            said = f"{min(numbers):,.4g} of {self.n:,} people, {by} alike"
            return f"{said}, could be recognised by {who}."
        if len(numbers) > 1:
            said = f"Between {low:,} and {high:,} of {self.n:,} people, {by}"
            return f"{said}, could be recognised by {who}."
        title = next(iter(self.models))  # the individual risk: a floor on real populations
        return (
            f"At least {low:,} of {self.n:,} people, by one model ({title}), could be recognised "
            f"by {who}; no other model says how many more it may be."
        )

    @property
    def assumption(self) -> str:
        """What all of it rests on."""
        drawn = _DRAWN[self.population.basis]
        return f"This takes the records to be {drawn}, and the keys to be known without error."

    def explain(self) -> str:
        """The sentences, one in each line, and what they take no account of."""
        weighted = self.population.basis == "weights"
        return "\n".join([*self.sentences(), *self.provenance.cautions(weighted=weighted)])

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per model: records expected to be matched rightly, and its own 90 % interval."""
        ends = [self.intervals[title] or (None, None) for title in self.models]
        columns = {
            "model": list(self.models),
            "expected": list(self.models.values()),
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
        }
        return self._frame(columns, kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            **self._plain("n", "population", "low", "high", "models", "intervals"),
            "confidence": 0.9,
            "population_uniques": None
            if self.uniqueness is None
            else [end * self.population.size for end in self.uniqueness.interval],
            **self._plain("not_applicable", "assumption"),
            "computed_from": self.provenance.to_dict(),
        }


@measure(
    title="Range over the models",
    about="How many people could be recognised in the population: the range over two models.",
    side="risk",
    of="file",
    figures={
        "low": FigureKind("smallest number of recognised people over the models"),
        "high": FigureKind("largest number of recognised people over the models"),
    },
    by_equality=True,
    public=("low", "high"),
    example="--weight w",
)
def population_range(
    data: Microdata, *, population: PopulationSize = None, fraction: SampledShare = None
) -> PopulationRange:
    """The range over the models of how many people of a file could be recognised.

    Parameters
    ----------
    data : Microdata
        A sample with weights, or one whose population is given.
    population, fraction : number, optional
        How many people there are, or the share of them that is in the file, where there are no
        weights.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(500, seed=1), keys=["age", "sex"])
    >>> found = ds.population_range(survey, population=50_000)
    >>> sorted(found.models), found.low < found.high
    (['individual risk', 'log-linear'], True)
    """
    people = population_of(data, data.n, population, fraction)
    models, intervals, reasons = {}, {}, {}
    for title, estimate in (
        ("individual risk", lambda: _individual(data, people)),
        ("log-linear", lambda: _modelled(data, population, fraction)),
    ):
        found, reasons[title] = _tried(estimate)
        if found is not None:
            models[title], intervals[title] = found
    unique, reasons["population uniqueness"] = _tried(
        lambda: population_uniqueness(data, population, fraction=fraction)
    )
    return PopulationRange(
        n=data.n,
        population=people,
        models=models,
        intervals=intervals,
        uniqueness=unique,
        _reasons={title: why for title, why in reasons.items() if why},
        provenance=Provenance.of(data),
        kind=data.source.kind,
    )


def _individual(data: Microdata, people: Population) -> tuple[float, tuple[float, float] | None]:
    """The sum of the individual risks, and its interval where it has one."""
    if people.basis == "weights":
        found = individual_risk(data)
        return found.expected, found.interval() if found.partition else None
    data.need_partition("the individual risk without weights")
    counts = data.frequency_set().counts
    weights = counts / people.fraction
    expected = weighted_total(inverse_mean(counts, weights), counts)
    return expected, interval_of(expected, counts, weights, 0.9)


def _modelled(
    data: Microdata, population: float | None, fraction: float | None
) -> tuple[float, tuple[float, float] | None]:
    """The number of right matches by a model of independent keys, and its interval."""
    found = model_risk(data, population=population, fraction=fraction)
    return found.expected, found.interval(of="expected")


def _tried(number: Callable[[], Any]) -> tuple[Any, str]:
    """What a model finds, or why it does not apply to these data."""
    try:
        return number(), ""
    except DiscreetError as error:
        if error.code[0] not in "ND":
            raise_all(list(error.problems))
        return None, error.problems[0].text
