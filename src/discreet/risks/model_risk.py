"""Risk by a log-linear model: which records alone in the sample are alone in the population.

The count of a combination of keys is Poisson, in the sample with mean μ and in the population with
λ = μ/π, where π is the share of people that was sampled. A log-linear model of the keys gives μ
for every combination, so that one record among many alike is told from one whose keys are rare
together. Over the records alone in the sample

    τ1 = Σ e^(−λ(1−π))                  expected number that is alone in the population
    τ2 = Σ (1 − e^(−λ(1−π)))/(λ(1−π))    expected number that is matched correctly, Σ E(1/F)

Skinner & Holmes (1998), Elamir & Skinner (2006), Skinner & Shlomo (2008).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from annotated_doc import Doc

from discreet.data.attributes import unknown_column
from discreet.data.masked import require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.kernels.fitted_model import (
    UNDERFIT,
    AddedMargin,
    FittedModel,
    ModelFigure,
    chosen_margins,
    is_fitted,
)
from discreet.kernels.loglinear import MOST_CELLS, Axes, Grid, ModelFit
from discreet.kernels.summation import total
from discreet.measures import FigureKind, measure
from discreet.parameters import (
    Columns,
    Label,
    Notation,
    Public,
    need_confidence,
    parameters_of,
    problems_of,
)
from discreet.progress import stage
from discreet.results import Provenance
from discreet.risks.population_uniqueness import (
    Population,
    PopulationSize,
    SampledShare,
    population_of,
)
from discreet.risks.record_level import CombinationValues, RecordLevel
from discreet.surface import advice, function
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.kernels.arrays import Floats

_LOOSE = 1e-9  # a fit whose margins are farther off, as a share of n, did not come to an end
Estimate = Literal["tau1", "tau2", "expected"]
Fit = Literal["counts", "weights"]
ASSUMPTION = (
    "It rests on the model: the records are a random sample, and the keys go together as the "
    "margins say and not otherwise."
)
_WEIGHTED = "they are of a fit to plain counts, and this one is to weighted counts."
_TOO_MANY = f"the keys have more than {MOST_CELLS:,} combinations, and not all are looked at."


@dataclass(frozen=True, eq=False, repr=False)
class ModelRisk(RecordLevel):
    """The risk of records that are alone in the sample, by a log-linear model of the keys.

    Attributes
    ----------
    n, uniques : int
        Records, and records alone with their keys.
    population : Population
    margins : tuple of tuples of str
        The sets of keys that the model fits beside each key by itself.
    fit : {"counts", "weights"}
        What the model is fitted to.
    figures : mapping of "tau1", "tau2" and "expected" to ModelFigure
        The estimates, with their standard deviations.
    expected_counts : mapping or None
        Combinations with one and with two records, as the model expects and as they are: how well
        it fits. None on grids too large to look at every cell.
    scores : tuple of float or None
        By how much τ1 and τ2 seem overstated, in standard deviations (Skinner and Shlomo's B̂):
        above 1.6 the model lacks margins.
    steps : tuple
        With ``margins="search"``, the margins in the order they were added and the scores then.
    margin_error : float
        How far the fitted margins are from those counted, as a share of n.
    not_applicable : mapping of name to str
        Why something is None.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(2000, seed=1), keys=["age", "sex", "zip"])
    >>> found = ds.model_risk(survey, fraction=0.05)
    >>> found.tau1 < found.tau2 < found.uniques
    True

    References
    ----------
    - Skinner, Shlomo (2008), *Assessing identification risk in survey microdata using log-linear
      models*. Journal of the American Statistical Association 103.
    """

    n: int
    uniques: int
    population: Population
    margins: tuple[tuple[str, ...], ...]
    fit: Fit
    figures: Mapping[Estimate, ModelFigure]
    expected_counts: Mapping[str, Mapping[str, float]] | None
    scores: tuple[float, float] | None
    steps: tuple[Mapping[str, Any], ...]
    margin_error: float
    not_applicable: Mapping[str, str]
    provenance: Provenance
    kind: FrameKind
    _found: CombinationValues = field(compare=False)
    column_name: ClassVar[str] = "model_risk"
    not_protectable: ClassVar[str] = (
        "To a log-linear model a blank is one more value of the key, and a rare one: blanking a "
        "cell raises the risk that it should lower."
    )

    @property
    def tau1(self) -> float:
        """Records alone in the sample that are expected to be alone in the population."""
        return self.figures["tau1"].value

    @property
    def tau2(self) -> float:
        """Records alone in the sample that are expected to be matched rightly."""
        return self.figures["tau2"].value

    @property
    def expected(self) -> float:
        """Expected number of right matches over all records: the sum of ``values``."""
        return self._summary[0]

    @property
    def underfits(self) -> bool | None:
        """Whether margins seem to be missing, so that the risk is overstated; None if unknown."""
        return None if self.scores is None else max(self.scores) > UNDERFIT

    def interval(self, confidence: float = 0.9, of: Estimate = "tau2") -> tuple[float, float]:
        """Between what the true figure of this file lies, by the model.

        It holds two kinds of chance, who else is in the population and the error of the fitted
        margins (delta method), and reaches as far as a model of many margins understates the risk,
        because these hold the records themselves. That the model lacks margins is not in it: see
        ``scores``.

        Parameters
        ----------
        confidence : float
            Above 0 and below 1.
        of : {"tau1", "tau2", "expected"}
        """
        need_confidence(confidence)
        if of not in get_args(Estimate):
            fail("P16", f"{argument('of')} is not known.", f"Use {listed(get_args(Estimate))}.")
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        return self.figures[of].interval(z, float(self.n if of == "expected" else self.uniques))

    def explain(self) -> str:
        """The numbers in a few sentences, what they rest on, and what to do next."""
        alone = f"{'is' if self.uniques == 1 else 'are'} alone with {self._keys}"
        lines = [f"{counted(self.uniques, 'record')} of {self.n:,} {alone} in the file."]
        if self.uniques:
            low1, high1 = self.interval(of="tau1")
            low2, high2 = self.interval(of="tau2")
            lines.append(
                f"Of these about {self.tau1:,.4g} are alone in the population of "
                f"{self.population.words}, too (τ1; by the model between {low1:,.4g} and "
                f"{high1:,.4g}, 90% interval)."
            )
            lines.append(
                "Someone who has the names of the whole population would match about "
                f"{self.tau2:,.4g} of them correctly (τ2; {low2:,.4g} to {high2:,.4g})."
            )
        low, high = self.interval(of="expected")
        lines.append(
            f"Of all records, about {self.expected:,.4g} would be matched correctly ({low:,.4g} to "
            f"{high:,.4g})."
        )
        lines += [self._model_words(), *self._fit_words(), ASSUMPTION]
        weighted = "weights" in (self.population.basis, self.fit)
        lines += self.provenance.cautions(weighted=weighted)
        lines += advice(f"Next: {self._advice()}")
        return "\n".join(lines)

    @property
    def _keys(self) -> str:
        return ", ".join(self.provenance.keys)

    def _model_words(self) -> str:
        to = "" if self.fit == "counts" else " It is fitted to weighted counts."
        if not self.margins:
            return f"The model takes the keys to be independent of each other.{to}"
        sets = listed([" × ".join(m) for m in self.margins], 10)
        return f"Beside each key by itself the model fits how these go together: {sets}.{to}"

    def _fit_words(self) -> list[str]:
        if self.expected_counts is None:
            return [f"How well it fits is not known: {self.not_applicable['expected_counts']}"]
        one, two = (self.expected_counts[name] for name in ("uniques", "pairs"))
        lines = [
            f"It expects {one['expected']:,.0f} combinations with one record, and there are "
            f"{one['observed']:,.0f}; {two['expected']:,.0f} with two, and there are "
            f"{two['observed']:,.0f}.",
            self._score_words(),
        ]
        if self.margin_error > _LOOSE:
            lines.append(f"The fit did not converge: margins are {self.margin_error:.1g} of n off.")
        return lines

    def _score_words(self) -> str:
        if self.scores is None:
            return f"It has no score for missing margins: {self.not_applicable['scores']}"
        worst = max(self.scores)
        if self.underfits:
            limit = f"{UNDERFIT:.1f}"
            return (
                "Margins are missing, so that it overstates the risk (score "
                f"{worst:.1f}, above {limit})."
            )
        return f"There is no sign that margins are missing (score {worst:.1f})."

    def _advice(self) -> str:
        if self.underfits and not self.steps:
            return f"let it find the margins that matter with {argument('margins', 'search')}."
        above = argument("output", written=".above(0.1)")
        coarser = f"make their keys coarser ({function('generalize')})"
        return f"look at the records with {above}, and {coarser}."

    def table(self, kind: FrameKind | None = None) -> Any:
        """τ1, τ2 and the right matches of all records, with their 90 % intervals."""
        rows = []
        for name in get_args(Estimate):
            low, high = self.interval(of=name)
            rows.append({"figure": name, "value": getattr(self, name), "low": low, "high": high})
        return self._frame(rows, kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON: no value of a single record but the highest."""
        return {
            **self._plain("n", "uniques", "population", "margins", "fit"),
            "tau1": self.tau1,
            "tau1_interval": list(self.interval(of="tau1")),
            "tau2": self.tau2,
            "tau2_interval": list(self.interval(of="tau2")),
            "confidence": 0.9,
            "expected": self.expected,
            "expected_interval": list(self.interval(of="expected")),
            **self._plain("mean", "highest"),
            **self._by_risk(),
            **self._plain("expected_counts", "scores", "steps", "margin_error"),
            "assumption": ASSUMPTION,
            "not_applicable": dict(self.not_applicable),
            "computed_from": self.provenance.to_dict(),
        }

    def __repr__(self) -> str:
        return (
            f"ModelRisk: of {counted(self.uniques, 'record')} alone in the file {self.tau1:,.4g} "
            f"are alone in the population (τ1), {self.tau2:,.4g} matched correctly (τ2)"
        )


def _is_list(value: Any) -> bool:
    return value == "search" or (
        isinstance(value, list)
        and all(isinstance(m, list) and all(isinstance(one, str) for one in m) for m in value)
    )


def _names_in(margins: Any) -> list[str]:
    """The keys that margins name."""
    if isinstance(margins, str) or not isinstance(margins, Sequence):
        return []
    return [one for m in margins if isinstance(m, Sequence) and not isinstance(m, str) for one in m]


def _read(text: str) -> list[list[str]] | str:
    """Margins as a command has them: "age+grade, grade+sex", or "search"."""
    if text == "search":
        return text
    return [[one.strip() for one in part.split("+")] for part in text.split(",")]


_MARGINS = Notation(
    'a list of lists of keys, or "search"',
    _is_list,
    read=_read,
    schema={
        "anyOf": [
            {"const": "search"},
            {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
        ]
    },
)


@measure(
    title="Risk by a log-linear model",
    about="How many sample uniques are unique in the population, by a model of the keys.",
    side="risk",
    of="file",
    figures={
        "tau1": FigureKind(
            "records alone in the file and in the population, τ1", of_smallest_class=True
        ),
        "tau2": FigureKind(
            "records alone in the file and matched correctly, τ2", of_smallest_class=True
        ),
        "expected": "records matched correctly with the population",
        "mean": "mean risk by the log-linear model",
    },
    by_equality=True,
    public=("tau1", "tau2", "expected", "mean"),
)
def model_risk(
    data: Microdata,
    margins: Annotated[
        Sequence[Sequence[str]] | Literal["search"] | None,
        Columns(named=_names_in),
        _MARGINS,
        Label("Keys that go together"),
        Doc("Keys whose joint counts are fitted: age+sex, age+zip; or search. By default none."),
        Public,
    ] = None,
    *,
    fit: Annotated[
        Fit,
        Label("Fitted to", {"counts": "counts of records", "weights": "weighted counts"}),
        Doc("Plain counts of records, or weighted ones (pseudo-likelihood)."),
        Public,
    ] = "counts",
    population: PopulationSize = None,
    fraction: SampledShare = None,
) -> ModelRisk:
    """Estimate how many records alone in a sample are alone in the population.

    Parameters
    ----------
    data : Microdata
        A sample, with its keys named. Its weights say which share of people alike was sampled:
        for a record alone with its keys 1/weight, for others the number of records over the sum
        of their weights.
    margins : list of tuples of keys, or "search", optional
        Sets of two or more keys that go together. Without, the keys are taken to be independent,
        which overstates the risk where they are not; "search" adds pairs while it does.
    fit : {"counts", "weights"}
        Fit the model to counts of records, or to sums of weights scaled to n (pseudo-likelihood):
        where people were drawn with unequal chances, the first are of the sample and the second of
        the population. A search looks at plain counts.
    population, fraction : number, optional
        Where there are no weights, or in place of them: how many people there are, or the share
        of them that is in the file, the same for all.

    Returns
    -------
    ModelRisk
        ``.tau1``, ``.tau2`` with ``.interval()``, ``.values`` one per record, ``.expected_counts``.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(2000, seed=1), keys=["age", "sex", "zip"])
    >>> found = ds.model_risk(survey, margins=[("age", "zip")], fraction=0.05)
    >>> found.margins, found.values.shape
    ((('age', 'zip'),), (2000,))

    References
    ----------
    - Skinner, Holmes (1998), *Estimating the re-identification risk per record in microdata*.
      Journal of Official Statistics 14.
    - Elamir, Skinner (2006), *Record level measures of disclosure risk for survey microdata*.
      Journal of Official Statistics 22.
    - Skinner, Shlomo (2008), *Assessing identification risk in survey microdata using log-linear
      models*. Journal of the American Statistical Association 103.
    """
    require_microdata(data)
    require_records(data)
    data.need_keys()
    problems = problems_of(parameters_of(model_risk), {"fit": fit})
    raise_all([*problems, *_margin_problems(data, margins)])
    data.need_partition("a model of the combinations of keys")
    people = population_of(data, data.n, population, fraction)
    if fit == "weights":
        data.need_weight(at_least=1)
    combinations = data.frequency_set(weighted=fit == "weights")
    grid = Grid(combinations.codes, combinations.counts, combinations.cardinalities)
    _need_cells(grid, margins, data)
    if fit == "weights":
        grid = replace(grid, weighted=_scaled(combinations))
    return _modelled(data, combinations, grid, people, margins)


def _scaled(combinations: FrequencySet) -> Floats:
    """The sums of weights, scaled so that they add up to n."""
    assert combinations.weights is not None
    return combinations.weights * (combinations.n / total(combinations.weights))


def _shares(data: Microdata, grid: Grid, people: Population) -> Floats:
    """π of each combination: the mean of 1/weight over its records."""
    if people.basis != "weights":
        return np.full(len(grid.counts), people.fraction)
    drawn = data.frequency_set(inverse=True).weights
    assert drawn is not None
    return np.minimum(drawn / grid.counts, 1.0)


def _modelled(
    data: Microdata,
    combinations: FrequencySet,
    grid: Grid,
    people: Population,
    margins: Any,
) -> ModelRisk:
    shares = _shares(data, grid, people)
    path = _searched(grid, shares, people) if margins == "search" else []
    chosen = [step.added for step in path[1:]] if path else _axes(data, margins)
    model = FittedModel.of(grid, chosen, shares, people.fraction, MOST_CELLS)
    fit = model.quality()
    return ModelRisk(
        n=grid.n,
        uniques=int(model.alone.sum()),
        population=people,
        margins=tuple(tuple(data.keys[a] for a in m) for m in chosen),
        fit="counts" if grid.weighted is None else "weights",
        figures={"tau1": model.tau1(), "tau2": model.tau2(), "expected": model.expected()},
        expected_counts=None if fit is None else _counts(grid, fit),
        scores=None if fit is None or grid.weighted is not None else fit.scores,
        steps=tuple(
            {"added": [data.keys[a] for a in step.added], "scores": list(step.fit.scores)}
            for step in path
        ),
        margin_error=model.error,
        not_applicable=_unknown(grid),
        provenance=Provenance.of(data),
        kind=data.source.kind,
        _found=CombinationValues(data, combinations, model.values),
    )


def _unknown(grid: Grid) -> dict[str, str]:
    if grid.cells > MOST_CELLS:
        return dict.fromkeys(("expected_counts", "scores"), _TOO_MANY)
    return {} if grid.weighted is None else {"scores": _WEIGHTED}


def _counts(grid: Grid, fit: ModelFit) -> dict[str, dict[str, float]]:
    ones, twos = (int((grid.counts == size).sum()) for size in (1, 2))
    return {
        "uniques": {"expected": fit.uniques, "observed": ones},
        "pairs": {"expected": fit.pairs, "observed": twos},
    }


def _searched(grid: Grid, shares: Floats, people: Population) -> list[AddedMargin]:
    pairs = math.comb(len(grid.shape), 2)
    with stage("choosing margins", pairs * (pairs + 1) // 2) as advance:
        return chosen_margins(replace(grid, weighted=None), shares, people.fraction, advance)


def _axes(data: Microdata, margins: Sequence[Sequence[str]] | None) -> list[Axes]:
    found = [tuple(sorted(data.keys.index(name) for name in m)) for m in margins or ()]
    return list(dict.fromkeys(m for m in found if len(m) > 1))


def _margin_problems(data: Microdata, margins: Any) -> list[Problem]:
    """What is wrong with the margins that are given."""
    if margins is None or (isinstance(margins, str) and margins == "search"):
        return []
    plain = isinstance(margins, Sequence) and not isinstance(margins, str)
    if not plain or any(isinstance(m, str) or not isinstance(m, Sequence) for m in margins):
        what = f"{argument('margins')} is not a list of sets of keys."
        return [Problem("P46", what, "Give for example [('age', 'sex')], or 'search'.", "margins")]
    problems = [
        unknown_column("key", name, data.keys, data.name)
        for name in dict.fromkeys(_names_in(margins))
        if name not in data.keys
    ]
    twice = {name for m in margins for name in m if list(m).count(name) > 1}
    problems += [
        Problem("P46", f"a margin names {name!r} twice.", "Name it once.", "margins")
        for name in sorted(twice, key=str)
    ]
    if any(not len(m) for m in margins):
        problems.append(Problem("P46", "a margin names no key.", "Leave it out.", "margins"))
    return problems


def _need_cells(grid: Grid, margins: Any, data: Microdata) -> None:
    """Refuse a grid that is too large to be fitted, where the model needs one."""
    if grid.cells <= MOST_CELLS or (
        margins != "search" and is_fitted(grid, _axes(data, margins), MOST_CELLS)
    ):
        return
    most = sorted(zip(grid.shape, data.keys, strict=True), reverse=True)
    what = "a search" if margins == "search" else "a model whose margins form a cycle"
    wide = listed([f"{name!r} ({size:,} values)" for size, name in most], 3)
    fail(
        "N13",
        f"the keys have {grid.cells:,} combinations, more than the {MOST_CELLS:,} that "
        f"{what} can take. The keys with most values: {wide}.",
        "Name fewer keys, generalize these first, or name margins without a cycle, such as "
        "(age, sex) and (sex, zip), which need only the combinations that occur.",
    )
