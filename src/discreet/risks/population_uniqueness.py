"""Population uniqueness: how many people are alone with their keys, beyond the file.

The threat is an intruder who has the names and keys of the whole population. Who is alone there
with a combination of keys is recognised for certain. The file is a sample: a record that is alone
in it may have others like it outside. Superpopulation models tell from the class sizes how many do
not (``kernels/superpopulation.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from annotated_doc import Doc
from annotated_types import Ge, Interval

from discreet.data.masked import require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import argument, fail
from discreet.frames import FrameKind
from discreet.kernels.superpopulation import (
    SizeCounts,
    pitman,
    pitman_asymptotic,
    pitman_exact,
    shlosser,
    snb,
    zayatz,
)
from discreet.measures import FigureKind, measure, need_fit
from discreet.parameters import Label, Public, Share, as_written
from discreet.results import Provenance, Result
from discreet.risks.by_class import ClassSizes
from discreet.surface import advice, function
from discreet.words import counted

Model = Literal["pitman", "zayatz", "snb"]
_LOW = 0.1  # the sampling fraction up to which Dankar's rule chooses Pitman's model
_TITLES = {"pitman": "Pitman", "zayatz": "Zayatz", "snb": "SNB"}


@dataclass(frozen=True)
class Population:
    """The size of a population.

    Attributes
    ----------
    size : float
        Number of people.
    n : int
        Number of records of the sample.
    basis : str
        What says so: "population", "fraction" or "weights".
    """

    size: float
    n: int
    basis: str

    @property
    def fraction(self) -> float:
        """The share of the population that is in the sample."""
        return self.n / self.size

    @property
    def words(self) -> str:
        """Its size and what says so, for a sentence."""
        said = {
            "population": "as it was given",
            "fraction": f"the records are {self.fraction:.3g} of them"
            if self.fraction < 1
            else "the records are all of them",
            "weights": "the sum of the weights",
        }
        return f"{round(self.size):,} people ({said[self.basis]})"

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"size": self.size, "fraction": self.fraction, "basis": self.basis}


def population_of(
    data: Microdata, n: int, population: float | None, fraction: float | None
) -> Population:
    """The population that n records were drawn from: as it is given, or else by the weights."""
    need_fit(population_uniqueness, population=population, fraction=fraction)
    given = {"population": population, "fraction": fraction}
    said = {name: value for name, value in given.items() if value is not None}
    if len(said) > 1:
        fail(
            "P45",
            "the size of the population is given twice.",
            f"Give {argument('population')} or {argument('fraction')}.",
        )
    if not said and data.weight is None:
        fail(
            "P45",
            "the size of the population is not known.",
            f"Give {argument('population')} or {argument('fraction')}, or read the data with "
            f"{argument('weight')}.",
        )
    if not said:
        return Population(data.total_weight(), n, "weights")
    (name, value), *_ = said.items()
    size = float(value if name == "population" else n / as_written(value))
    if size < n:
        what = f"the population is smaller than the sample: {size:,.0f} people, {n:,} records."
        fail("P45", what, "Give the number of people that the records were drawn from.", name)
    return Population(size, n, name)


@dataclass(frozen=True, repr=False)
class PopulationUniqueness(Result):
    """How many people of the population are alone with their keys, by several models.

    Attributes
    ----------
    n, classes, uniques : int
        Records, classes, and records alone in their class, of the file.
    population : Population
        Its ``.size``, the sampling ``.fraction``, and the ``.basis`` of both.
    pitman, zayatz, snb : float or None
        Share of the population that is unique, by model; None where it has no solution.
    pitman_asymptotic : float or None
        As ``pitman``, in the limit for large populations that others print.
    theta, alpha : float or None
        The parameters of Pitman's sampling formula.
    population_classes : float or None
        Number of classes in the population, by the modified Shlosser estimator; SNB rests on it.
    not_applicable : mapping of name to str
        Why a model has no solution.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(2000, seed=1), keys=["age", "sex", "zip"])
    >>> found = ds.population_uniqueness(survey, population=100_000)
    >>> found.model, found.interval[0] <= found.value <= found.interval[1]
    ('pitman', True)

    References
    ----------
    - Hoshino (2001), *Applying Pitman's sampling formula to microdata disclosure risk assessment*.
      Journal of Official Statistics 17.
    - Dankar, El Emam, Neisa, Roffey (2012), *Estimating the re-identification risk of clinical
      data sets*. BMC Medical Informatics and Decision Making 12.
    """

    n: int
    classes: int
    uniques: int
    population: Population
    pitman: float | None
    pitman_asymptotic: float | None
    zayatz: float | None
    snb: float | None
    theta: float | None
    alpha: float | None
    population_classes: float | None
    not_applicable: Mapping[str, str]
    provenance: Provenance
    kind: FrameKind
    shown = (
        "n", "classes", "uniques", "population", "value", "model", "interval",
        "population_uniques", "share_of_uniques", "pitman", "pitman_asymptotic", "zayatz", "snb",
        "theta", "alpha", "population_classes", "not_applicable",
    )  # fmt: skip

    @property
    def model(self) -> Model:
        """The model that Dankar's rule chooses: up to a sampling fraction of 0.1 Pitman, or Zayatz
        where that has no solution; above the lower one of Zayatz and SNB.
        """
        if self.population.fraction <= _LOW:
            return "zayatz" if self.pitman is None else "pitman"
        assert self.zayatz is not None
        return "zayatz" if self.snb is None or self.zayatz <= self.snb else "snb"

    @property
    def value(self) -> float:
        """Share of the population that is unique, by that model."""
        found = getattr(self, self.model)
        assert found is not None
        return float(found)

    @property
    def estimates(self) -> dict[str, float]:
        """The models that have a solution, and their share of uniques."""
        every = {name: getattr(self, name) for name in ("pitman", "zayatz", "snb")}
        every["pitman_asymptotic"] = self.pitman_asymptotic
        return {name: value for name, value in every.items() if value is not None}

    @property
    def interval(self) -> tuple[float, float]:
        """The lowest and the highest share that a model gives: how far they disagree. It is no
        interval of confidence, and all of them may be wrong.
        """
        found = self.estimates.values()
        return min(found), min(max(found), 1.0)  # an asymptotic share may be more than all

    @property
    def population_uniques(self) -> float:
        """Number of people who are alone with their keys in the population."""
        return self.value * self.population.size

    @property
    def share_of_uniques(self) -> float | None:
        """Share of the records alone in the file that are alone in the population, too; None
        where no record is alone.
        """
        if not self.uniques:
            return None
        return min(self.value * self.n / self.uniques, 1.0)

    def explain(self) -> str:
        """The numbers in a few sentences, and what they rest on."""
        keys = ", ".join(self.provenance.keys)
        cautions = self.provenance.cautions(weighted=self.population.basis == "weights")
        if self.population.size == self.n:
            whole = (
                f"The file is the whole population: {self.uniques:,} of {self.n:,} people "
                f"({_percent(self.value)}) are alone with their {keys}. Nothing is estimated."
            )
            return "\n".join([whole, *cautions])
        lines = [
            f"If the records are a simple random sample of {self.population.words}, about "
            f"{round(self.population_uniques):,} of these ({_percent(self.value)}) are alone with "
            f"their {keys}: whoever has a list of all people recognises them.",
            self._spread_words(),
        ]
        if self.share_of_uniques is not None:
            lines.append(
                f"{counted(self.uniques, 'record')} of {self.n:,} "
                f"{'is' if self.uniques == 1 else 'are'} alone in the file; of these about "
                f"{self.share_of_uniques:.0%} are alone in the population, too."
            )
        lines += [
            f"{_TITLES[name]} does not apply: {why}"
            for name, why in self.not_applicable.items()
            if name in _TITLES
        ]
        lines += cautions
        likely = "says which records of the file they are likely to be"
        lines += advice(f"Next: {function('model_risk', '…')} {likely}.")
        return "\n".join(lines)

    def _spread_words(self) -> str:
        told = {_TITLES[name]: one for name, one in self.estimates.items() if name in _TITLES}
        if len(told) == 1:
            return f"Only one model applies, {next(iter(told))}; nothing else confirms it."
        low, high = (round(end * self.population.size) for end in self.interval)
        each = "; ".join(f"{title} {_percent(value)}" for title, value in told.items())
        return (
            f"The models say {low:,} to {high:,} people ({each}); Dankar's rule chooses "
            f"{_TITLES[self.model]}. That is how far they disagree, not a margin of error."
        )

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per model: share of the population and number of people."""
        columns = {
            "model": list(self.estimates),
            "share": list(self.estimates.values()),
            "people": [value * self.population.size for value in self.estimates.values()],
        }
        return self._frame(columns, kind)

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"PopulationUniqueness: {_percent(self.value)} of {round(self.population.size):,} "
            f"people by {_TITLES[self.model]}; {_percent(low)} to {_percent(high)} over the models"
        )


def _percent(value: float) -> str:
    return f"{100 * value:.3g}%"


PopulationSize = Annotated[
    float | None,
    Ge(1),
    Label("People in the population"),
    Doc("How many people the records were drawn from; by default the sum of the weights."),
    Public,
]
SampledShare = Annotated[
    float | None,
    Interval(gt=0, le=1),
    Label("Share of the population in the file"),
    Doc("Instead of the number of people: the share of them that is in the file."),
    Share,
    Public,
]


@measure(
    title="Population uniqueness",
    about="How many people are alone with their keys in the population, by superpopulation models.",
    side="risk",
    of="file",
    figures={
        "value": FigureKind("share of the population that is unique", of_smallest_class=True),
        "population_uniques": FigureKind("unique people in the population", of_smallest_class=True),
        "share_of_uniques": FigureKind(
            "share of the file's uniques that are unique in the population", of_smallest_class=True
        ),
        "pitman": FigureKind("share that is unique, by Pitman", of_smallest_class=True),
        "zayatz": FigureKind("share that is unique, by Zayatz", of_smallest_class=True),
        "snb": FigureKind("share that is unique, by SNB", of_smallest_class=True),
    },
    by_equality=True,
    public=("value", "population_uniques", "share_of_uniques", "pitman", "zayatz", "snb"),
)
def population_uniqueness(
    data: Microdata, population: PopulationSize = None, *, fraction: SampledShare = None
) -> PopulationUniqueness:
    """Estimate how many people of the population are alone with their keys.

    Parameters
    ----------
    data : Microdata
        A simple random sample of the population, with its keys named.
    population : number, optional
        How many people there are; by default the sum of the sampling weights.
    fraction : float, optional
        In place of it, the share of the population that is in the file.

    Returns
    -------
    PopulationUniqueness

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(2000, seed=1), keys=["age", "sex"])
    >>> found = ds.population_uniqueness(survey, fraction=0.01)
    >>> round(found.population.size), found.uniques > 0
    (200000, True)

    References
    ----------
    - Hoshino (2001), *Applying Pitman's sampling formula to microdata disclosure risk assessment*.
      Journal of Official Statistics 17.
    - Zayatz (1991), *Estimation of the percent of unique population elements on a microdata file
      using the sample*. U.S. Bureau of the Census.
    - Chen, Keller-McNulty (1998), *Estimation of identification disclosure risk in microdata*.
      Journal of Official Statistics 14.
    - Haas, Naughton, Seshadri, Stokes (1995), *Sampling-based estimation of the number of distinct
      values of an attribute*. VLDB.
    - Dankar, El Emam, Neisa, Roffey (2012), *Estimating the re-identification risk of clinical
      data sets*. BMC Medical Informatics and Decision Making 12.
    """
    require_microdata(data)
    require_records(data)
    classes = data.classes()
    if not classes.partition:
        fail(
            "N01",
            f"the estimate needs classes, and with {argument('missing', 'wildcard')} "
            "there are none.",
            f"Read the data with {argument('missing', 'category')}.",
        )
    sizes = ClassSizes.of(classes)
    found = SizeCounts(np.array(sizes.sizes), np.array(sizes.F))
    people = population_of(data, found.n, population, fraction)
    return PopulationUniqueness(
        n=found.n,
        classes=found.u,
        uniques=found.of_size(1),
        population=people,
        **_estimates(found, people.size),
        provenance=Provenance.of(data),
        kind=data.source.kind,
    )


def _estimates(found: SizeCounts, size: float) -> dict[str, Any]:
    """What the models say, and why some of them do not."""
    reasons: dict[str, str] = {}
    fitted = None if size == found.n else pitman(found)
    theta, alpha = fitted or (None, None)
    if fitted is None:
        reasons |= dict.fromkeys(("pitman", "pitman_asymptotic"), _no_pitman(found, size))
    classes = None if size == found.n else shlosser(found, size)
    by_snb = None
    if classes is not None and classes <= size:
        by_snb = snb(found, size, classes)
    if by_snb is None:
        reasons["snb"] = _no_snb(found, size, classes)
    return {
        "pitman": pitman_exact(*fitted, size) if fitted else None,
        "pitman_asymptotic": pitman_asymptotic(*fitted, size) if fitted else None,
        "zayatz": zayatz(found, size),
        "snb": by_snb,
        "theta": theta,
        "alpha": alpha,
        "population_classes": classes,
        "not_applicable": reasons,
    }


_WHOLE = "the file is the whole population: its uniques are counted, not estimated."


def _no_pitman(found: SizeCounts, size: float) -> str:
    if size == found.n:
        return _WHOLE
    if found.u == 1:
        return "all records are in one class."
    if found.u == found.n:
        return "all records are alone: nothing tells how many more classes there are."
    return "its likelihood has no maximum for these class sizes."


def _no_snb(found: SizeCounts, size: float, classes: float | None) -> str:
    if size == found.n:
        return _WHOLE
    for i, what in ((1, "no class has one record"), (2, "no class has two records")):
        if not found.of_size(i):
            return f"{what}, which it is fitted to."
    if classes is None or classes > size:
        return "the number of classes in the population cannot be estimated."
    return "its equations have no solution for these class sizes."
