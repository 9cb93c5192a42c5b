"""The R-U map of a file: every masking measured by its risk and its loss.

Section 3.2 of Domingo-Ferrer & Torra (2005); Duncan, Keller-McNulty & Stokes (2001). A single score
hides the trade-off that the data owner has to make; the map shows it.
"""

from __future__ import annotations

import contextvars
import functools
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from discreet.data import attributes
from discreet.data.masked import Masked, masked_from
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import DiscreetError, Problem, argument, did_you_mean, fail, listed, raise_all
from discreet.loss.information import MEASURES, information_loss
from discreet.loss.score import linkage_attack, score
from discreet.measures import Measure, asked_problems
from discreet.parameters import whole_number
from discreet.progress import Progress, on_progress, stage
from discreet.registry import maskings, measures
from discreet.results import Provenance
from discreet.risks.by_class import risk as class_risk
from discreet.risks.disclosure import disclosure_risk
from discreet.risks.weights import Weights
from discreet.rumap.grid import Recipe
from discreet.rumap.point import Point, frontier
from discreet.rumap.result import RUMap
from discreet.surface import function

if TYPE_CHECKING:
    Item = Masked | Recipe | Callable[[Microdata], Microdata]


MOST_WORKERS = 2  # the engine serves one at a time: more would wait for it
Given = Callable[[Microdata, Microdata], float]
Asked = Mapping[str, Mapping[str, Any]]  # measures and their arguments
Found = Callable[[Microdata, Microdata, str | None], float | None]
RISKS: dict[str, tuple[str, Found]] = {
    "maximal": ("DR_max", lambda x, y, on: disclosure_risk(x, y, on=on).maximal),
    "minimal": ("DR_min", lambda x, y, on: disclosure_risk(x, y, on=on).minimal),
    "compatible": (
        "DR_max by compatible records",
        lambda x, y, on: disclosure_risk(x, y, on=on).maximal_compatible,
    ),
    "highest": (
        "highest prosecutor risk 1/k",
        lambda x, y, _: class_risk(y.with_roles(keys=x.keys)).highest_risk,
    ),
    "linkage": (
        "share of records linked to their own",
        lambda x, y, on: linkage_attack(x, y, on=on).linked,
    ),
    "interval": (
        "share of values disclosed within an interval",
        lambda x, y, on: linkage_attack(x, y, on=on).within,
    ),
}


def ru_map(
    data: Microdata,
    maskings: Sequence[Item | tuple[str, Item]] | Mapping[str, Item],
    *,
    risk: str | Weights | Given = "maximal",
    loss: str | Given = "ebil_share",
    measures: Mapping[str, Mapping[str, Any]] | None = None,
    with_score: bool = False,
    on: str | None = None,
    workers: int | None = None,
) -> RUMap:
    """Measure risk and loss of many maskings of one file, to choose among them.

    Parameters
    ----------
    data : Microdata
        The initial file, with its keys named.
    maskings : list, or mapping of label to masking
        Masked microdata, recipes (:func:`grid`), functions that mask, or pairs of a label and one
        of these. Files masked elsewhere need ``on=``.
    risk : str, Weights or function
        ``"maximal"`` (DR_max), ``"minimal"``, ``"compatible"``, ``"highest"`` (1/k), ``"linkage"``,
        ``"interval"``; a figure of any measure, ``"record_risk.mean"``; weights for DR_W; or a
        function of the initial and the masked file.
    loss : str or function
        Any measure of :func:`information_loss`, a figure of any other one,
        ``"regression_loss.largest_change"``, or a function. By default ``"ebil_share"``, the share
        of the information in the keys that is lost, from 0 to 1: it is there for every masking that
        changes keys only. A measure that applies to none of the maskings is refused.
    measures : mapping of measure to arguments, optional
        Of the measures whose figures are axes: ``{"regression_loss": {"formula": "y ~ x"}}``.
    with_score : bool
        Put the parts of :func:`score` beside, where there are continuous keys.
    on : str, optional
        Column that links the records of a file masked elsewhere.
    workers : int, optional
        Maskings at the same time; two at most by default. The map does not depend on it.

    Returns
    -------
    RUMap
        ``.points``, ``.frontier``, ``.best(risk_at_most=0.05).masked``, ``.table()``, ``.chart()``.
        A masking that fails, or that a measure does not apply to, is a point that says why.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(300, seed=1), keys=["age", "income"])
    >>> found = ds.ru_map(survey, ds.grid(methods=["mdav"], k=[3, 10]))
    >>> found.best(risk_at_most=0.2).label
    'mdav k=10'

    References
    ----------
    - Duncan, Keller-McNulty, Stokes (2001), *Disclosure risk vs. data utility: the R-U
      confidentiality map*.
    - Domingo-Ferrer, Torra (2005), *Ordinal, continuous and heterogeneous k-anonymity through
      microaggregation*. Data Mining and Knowledge Discovery 11 (2): section 3.2.
    """
    require_microdata(data)
    data.need_keys()
    items = _items(maskings)
    asked = measures or {}
    sides = [risk_axis(risk, asked), loss_axis(loss, asked)]
    on = attributes.name(on, "on")
    problems = [found for found in items if isinstance(found, Problem)]
    problems += [one for found in sides if isinstance(found, list) for one in found]
    problems += asked_problems(asked)
    problems += whole_number("workers", workers, 1) if workers is not None else []
    raise_all(list(dict.fromkeys(problems)))
    chosen = _numbered([item for item in items if isinstance(item, Masking)])
    by_risk, by_loss = (found for found in sides if isinstance(found, MapAxis))
    initial = data.initial if isinstance(data, Masked) else data
    axes = Axes(data, initial, by_risk, by_loss, with_score, on)
    points = run(chosen, axes, workers)
    require_axes(points, axes)
    start = Masking("unmasked", "unmasked", {}, _as_it_is)
    unmasked = point_of(start, replace(axes, on=None))
    return RUMap(
        tuple(points),
        unmasked,
        (by_risk.name, by_risk.meaning),
        (by_loss.name, by_loss.meaning),
        Provenance.of(data),
    )


def _as_it_is(data: Microdata) -> Masked:
    """The same records, linked to themselves: where every map begins."""
    return masked_from(data, data.source, method="none", parameters={}, promise=None)


def _items(given: Any) -> list[Masking | Problem]:
    pairs: Iterable[Any] = given.items() if isinstance(given, Mapping) else given
    if isinstance(given, str | Microdata) or not isinstance(pairs, Iterable):
        what = "the maskings are not a list."
        return [
            Problem(
                "P53", what, f"Give maskings, or recipes from {function('grid', '…')}, in a list."
            )
        ]
    found = [_item(item, number) for number, item in enumerate(pairs, 1)]
    if not found:
        return [
            Problem(
                "P53",
                "no masking is given.",
                f"Give some, or recipes from {function('grid', '…')}.",
            )
        ]
    return found


def _item(item: Any, number: int) -> Masking | Problem:
    label: str | None = None
    masking = item
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
        label, masking = item
    if isinstance(masking, Microdata):
        return _given(label, masking, number)
    if isinstance(masking, Recipe):
        parameters = masking.to_dict()
        method = parameters.pop("method", masking.method)
        return Masking(label or masking.label, method, parameters, masking.run)
    if callable(masking):
        own = str(getattr(masking, "__name__", "<"))
        name = label or (f"function {number}" if own.startswith("<") else own)
        return Masking(name, "function", {}, masking, ours=False)
    what = f"number {number} of the maskings is neither masked microdata, a recipe nor a function."
    example = function("microaggregate", "data, k=5")
    return Problem("P53", what, f"Give for example {example}, or {function('grid', '…')}.")


def _given(label: str | None, masked: Microdata, number: int) -> Masking:
    """A file that is masked already: its steps say how, where it was made here."""
    steps = masked.steps if isinstance(masked, Masked) else ()
    method = ", then ".join(_method(step.method, step.parameters) for step in steps) or "elsewhere"
    parameters = {"steps": [step.to_dict() for step in steps]} if steps else {}
    size = steps[-1].parameters.get("k") if steps else None
    usual = f"{method} k={size}" if size else method if steps else f"masked file {number}"
    return Masking(label or usual, method, parameters, lambda _: masked, given=True)


def _method(name: str, parameters: Mapping[str, Any]) -> str:
    """A step in the words of the recipes."""
    return str(maskings[name].word(parameters)) if name in maskings else name


def _numbered(maskings: list[Masking]) -> list[Masking]:
    """Labels that tell the maskings apart: a second one of the same name is (2)."""
    seen: Counter[str] = Counter()
    found = []
    for masking in maskings:
        seen[masking.label] += 1
        again = seen[masking.label]
        found.append(
            masking if again == 1 else replace(masking, label=f"{masking.label} ({again})")
        )
    return found


@dataclass(frozen=True, eq=False)
class Masking:
    """What is to be put on the map: how to make it, and what it is called."""

    label: str
    method: str
    parameters: dict[str, Any]
    make: Callable[[Microdata], Any]
    given: bool = False  # made already
    ours: bool = True  # else a function of the user


@dataclass(frozen=True, eq=False)
class Axes:
    """What is masked, and what is measured: against ``initial``, the first file."""

    data: Microdata
    initial: Microdata
    risk: MapAxis
    loss: MapAxis
    with_score: bool
    on: str | None


def run(maskings: Sequence[Masking], axes: Axes, workers: int | None) -> list[Point]:
    """The points of the maskings, in their order, whichever was ready first."""
    at_once = min(workers or min(MOST_WORKERS, os.cpu_count() or 1), len(maskings))
    found: dict[int, Point] = {}
    ended = threading.Event()
    outside = contextvars.copy_context()  # taken before the stage: what runs inside can be ended

    with ThreadPoolExecutor(at_once) as pool, stage("masking and measuring", len(maskings)) as tell:
        jobs: dict[Future[Point], int] = {
            pool.submit(outside.copy().run, _watched_point, masking, axes, ended): i
            for i, masking in enumerate(maskings)
        }
        try:
            for job in as_completed(jobs):
                found[jobs[job]] = job.result()
                _let_go(found, maskings, axes.data)
                tell(len(found))
        except BaseException:
            ended.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[i] for i in range(len(maskings))]


def _watched_point(masking: Masking, axes: Axes, ended: threading.Event) -> Point:
    """A point, given up at its next sign of progress once the map was ended."""

    def go_on(_: Progress) -> None:
        if ended.is_set():
            raise KeyboardInterrupt

    with on_progress(go_on):
        return point_of(masking, axes)


def point_of(masking: Masking, axes: Axes) -> Point:
    """Make a masking and measure it; what goes wrong becomes the problem of its point."""
    lower = axes.risk.lower_is_better, axes.loss.lower_is_better
    known = (masking.label, masking.method, masking.parameters)
    point = functools.partial(Point, *known, lower_is_better=lower)
    started, seconds = time.perf_counter(), 0.0
    try:
        masked = _made(masking, axes.data)
        seconds = 0.0 if masking.given else time.perf_counter() - started
        risk, no_risk = _figure(axes.risk, axes, masked)
        loss, no_loss = _figure(axes.loss, axes, masked)
        parts = _parts(axes, masked) if axes.with_score else {}
    except DiscreetError as error:
        return point(seconds=seconds, problem=error.problems[0])
    problem = no_risk or no_loss
    made = point(risk, loss, masked.n, seconds, parts, problem, make=lambda: masked)
    return replace(made, perturbed=Provenance.of(axes.initial, masked).perturbed)


def _figure(
    measure: MapAxis, axes: Axes, masked: Microdata
) -> tuple[float, None] | tuple[None, Problem]:
    """The figure of a masked file, or why the measure does not apply to it."""
    try:
        return measure(axes.initial, masked, axes.on), None
    except DiscreetError as error:
        if error.code not in NOT_APPLICABLE:
            raise
        return None, error.problems[0]


def require_axes(points: Sequence[Point], axes: Axes) -> None:
    """Refuse an axis that applies to no masking that was made: there would be nothing to see."""
    made = [point for point in points if point.make is not None]
    for name, measure in (("risk", axes.risk), ("loss", axes.loss)):
        absent = [point for point in made if getattr(point, name) is None]
        if made and len(absent) == len(made):
            problem = absent[0].problem
            assert problem is not None
            what = f"{measure.name} applies to none of the maskings. The first: {problem.what}"
            fail("N50", what, problem.remedy)


def _made(masking: Masking, data: Microdata) -> Microdata:
    if masking.ours:
        made = masking.make(data)
    else:
        made = guarded(lambda: masking.make(data), f"the function for {masking.label!r}")
    if not isinstance(made, Microdata):
        what = f"the function for {masking.label!r} gives no masked microdata."
        fail(
            "P53",
            what,
            f"Let it return what {function('microaggregate')}, {function('sample')}, … return.",
        )
    return made


def _let_go(found: dict[int, Point], maskings: Sequence[Masking], data: Microdata) -> None:
    """Keep the files on the frontier only; another one can be made anew when it is asked for."""
    best = set(map(id, frontier(list(found.values()))))
    for i, point in found.items():
        if not (point.make is None or maskings[i].given or id(point) in best):
            found[i] = replace(point, make=functools.partial(_made, maskings[i], data))


def _parts(axes: Axes, masked: Microdata) -> dict[str, float]:
    """The parts of the score; none where it does not apply."""
    try:
        found = score(axes.initial, masked, on=axes.on)
    except DiscreetError as error:
        if error.code == "N07":
            return {}
        raise
    names = ("information_loss", "disclosure_risk", "record_linkage", "interval_disclosure")
    return {"score": found.value, **{name: getattr(found, name) for name in names}}


# -- The axes of an R-U map: measures of risk and of loss, by name or as a function ----------------
#
# Risks: ``"maximal"`` is DR_max, ``"minimal"`` DR_min, ``"compatible"`` DR_max with the initial
# records that really are compatible; ``ds.Weights`` give DR_W. ``"highest"`` is 1/k, the prosecutor
# risk in the smallest class of the masked file. ``"linkage"`` and ``"interval"`` are the two parts
# of the risk in the score of Domingo-Ferrer & Torra: record linkage and interval disclosure.
# Losses: every measure of :func:`information_loss`. Either axis can be a figure of any measure
# there is, ``"record_risk.mean"``; which way is better, its description says.


@dataclass(frozen=True, eq=False)
class MapAxis:
    """One axis: its name, what it means, and how it is found; ``ours`` unless the user's."""

    name: str
    meaning: str
    find: Found
    ours: bool = True
    lower_is_better: bool = True

    def __call__(self, initial: Microdata, masked: Microdata, on: str | None) -> float:
        """The figure of a masked file, or an error where there is none."""
        value = self._found(initial, masked, on)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            fail("N50", f"{self.name} has no value for this masking.", _OTHER)
        return float(value)

    def _found(self, initial: Microdata, masked: Microdata, on: str | None) -> Any:
        if self.ours:
            return self.find(initial, masked, on)
        return guarded(lambda: self.find(initial, masked, on), f"the function for the {self.name}")


_OTHER = "Choose a measure that applies to all of them."
NOT_APPLICABLE = ("N07", "N50")  # codes of what a measure says that does not apply


def guarded(step: Callable[[], Any], what: str) -> Any:
    """Run a function of the user; what its errors say may quote a value and is not passed on."""
    try:
        return step()
    except DiscreetError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the other maskings go on
        name = type(error).__name__
    fail("E50", f"{what} failed ({name}).", "Its message may quote a value: run it to see it.")


def risk_axis(given: Any, asked: Asked) -> MapAxis | list[Problem]:
    """The axis of the risk that is meant, or all that is wrong with it."""
    if isinstance(given, Weights):
        return MapAxis(
            "DR_W",
            "DR_W with the weights given",
            lambda x, y, on: disclosure_risk(x, y, on=on).weighted(given),
        )
    if isinstance(given, str) and given in RISKS:
        return MapAxis(given, *RISKS[given])
    return _free(given, "risk", RISKS, asked)


def loss_axis(given: Any, asked: Asked) -> MapAxis | list[Problem]:
    """The axis of the loss that is meant, or all that is wrong with it."""
    if isinstance(given, str) and given in MEASURES:
        return MapAxis(given, MEASURES[given][0], functools.partial(_loss, given))
    return _free(given, "loss", MEASURES, asked)


def _loss(name: str, initial: Microdata, masked: Microdata, on: str | None) -> float | None:
    found = information_loss(initial, masked, on=on)
    if name in found.not_applicable:
        apply = [other for other, value in found.measures.items() if value is not None]
        remedy = f"Those that apply are {', '.join(apply)}." if apply else _OTHER
        fail("N50", f"{name} does not apply: {found.not_applicable[name]}", remedy)
    return found.measures[name]


def _free(given: Any, axis: str, known: Mapping[str, Any], asked: Asked) -> MapAxis | list[Problem]:
    """A function of the user, or a figure of a measure by its name: ``record_risk.mean``."""
    if callable(given):
        name = getattr(given, "__name__", axis)
        name = axis if name == "<lambda>" else name
        return MapAxis(name, f"the {axis} given", lambda x, y, _: given(x, y), ours=False)
    figures = figures_of_measures()
    if isinstance(given, str) and given in figures:
        return _axis_figure(given, figures[given], asked)
    return [
        Problem("P16", f"{argument(axis)} is not a known measure.", _near(given, known, figures))
    ]


def figures_of_measures() -> dict[str, tuple[Measure, str]]:
    """The figures of all measures that can be an axis."""
    return {
        f"{measure.name}.{name}": (measure, name)
        for measure in measures.all()
        for name, kind in measure.figures.items()
        if kind.axis
    }


def _axis_figure(given: str, of: tuple[Measure, str], asked: Asked) -> MapAxis | list[Problem]:
    measure, name = of
    said = measure.name in asked  # what is wrong with it is said of all that was asked for
    if not said and (problems := measure.problems({})):
        return problems
    arguments = asked[measure.name] if said else {}
    kind = measure.figures[name]
    better = "" if kind.lower_is_better else " (more is better)"
    find = functools.partial(_taken, measure, name, arguments)
    return MapAxis(given, f"{kind.title}{better}", find, lower_is_better=kind.lower_is_better)


def _taken(
    measure: Measure,
    name: str,
    given: Mapping[str, Any],
    initial: Microdata,
    masked: Microdata,
    on: str | None,
) -> float | None:
    with_keys = masked if masked.keys else masked.with_roles(keys=initial.keys)
    found = measure.taken(initial, with_keys, given, on)
    if name in found.reasons:
        what = f"{measure.name}.{name} does not apply: {found.reasons[name]}"
        fail("N50", what, "" if found.result is None else _OTHER)
    return found.figures[name]


def _near(given: Any, known: Mapping[str, Any], figures: Mapping[str, Any]) -> str:
    """What may have been meant: names of this axis, and figures of measures."""
    if isinstance(given, str):
        own = [name for name in figures if name.partition(".")[0] == given.partition(".")[0]]
        close = did_you_mean(given, [*known, *figures])
        if close or own:
            return close or f"Its figures are {listed(own, 25)}."
    return (
        f"Use one of {', '.join(known)}; a figure of a measure, such as record_risk.mean; or a "
        "function of initial and masked file."
    )
