"""The axes of an R-U map: measures of risk and of loss, by name or as a function.

Risks: ``"maximal"`` is DR_max, ``"minimal"`` DR_min, ``"compatible"`` DR_max with the initial
records that really are compatible; ``ds.Weights`` give DR_W. ``"highest"`` is 1/k, the prosecutor
risk in the smallest class of the masked file. ``"linkage"`` and ``"interval"`` are the two parts of
the risk in the score of Domingo-Ferrer & Torra: record linkage and interval disclosure. Losses:
every measure of :func:`information_loss`. Either axis can be a figure of any measure there is,
``"record_risk.mean"``; which way is better, its description says.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from discreet.data.microdata import Microdata
from discreet.errors import DiscreetError, Problem, argument, did_you_mean, fail, listed
from discreet.loss.information import MEASURES, information_loss
from discreet.loss.score import linkage_attack
from discreet.measures import Measure
from discreet.registry import measures
from discreet.risks.by_class import risk as class_risk
from discreet.risks.disclosure import disclosure_risk
from discreet.risks.weights import Weights

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
        return _figure(given, figures[given], asked)
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


def _figure(given: str, of: tuple[Measure, str], asked: Asked) -> MapAxis | list[Problem]:
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
