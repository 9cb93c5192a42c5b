"""The axes of an R-U map: measures of risk and of loss, by name or as a function.

Risks: ``"maximal"`` is DR_max, ``"minimal"`` DR_min, ``"compatible"`` DR_max with the initial
records that really are compatible; ``ds.Weights`` give DR_W. ``"highest"`` is 1/k, the prosecutor
risk in the smallest class of the masked file. ``"linkage"`` and ``"interval"`` are the two parts of
the risk in the score of Domingo-Ferrer & Torra: record linkage and interval disclosure. Losses:
every measure of :func:`information_loss`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from discreet.data.microdata import Microdata
from discreet.errors import DiscreetError, Problem, argument, did_you_mean, fail
from discreet.loss.information import MEASURES, information_loss
from discreet.loss.score import linkage_attack
from discreet.risks.by_class import risk as class_risk
from discreet.risks.disclosure import disclosure_risk
from discreet.risks.weights import Weights

RiskName = Literal["maximal", "minimal", "compatible", "highest", "linkage", "interval"]
Given = Callable[[Microdata, Microdata], float]
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
class Measure:
    """One axis: its name, what it means, and how it is found; ``ours`` unless the user's."""

    name: str
    meaning: str
    find: Found
    ours: bool = True

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


def risk_measure(given: Any) -> Measure | Problem:
    """The measure of risk that is meant."""
    if isinstance(given, Weights):
        return Measure(
            "DR_W",
            "DR_W with the weights given",
            lambda x, y, on: disclosure_risk(x, y, on=on).weighted(given),
        )
    if isinstance(given, str) and given in RISKS:
        return Measure(given, *RISKS[given])
    return _own(given, "risk", RISKS)


def loss_measure(given: Any) -> Measure | Problem:
    """The measure of loss that is meant."""
    if isinstance(given, str) and given in MEASURES:
        return Measure(given, MEASURES[given][0], functools.partial(_loss, given))
    return _own(given, "loss", MEASURES)


def _loss(name: str, initial: Microdata, masked: Microdata, on: str | None) -> float | None:
    found = information_loss(initial, masked, on=on)
    if name in found.not_applicable:
        apply = [other for other, value in found.measures.items() if value is not None]
        remedy = f"Those that apply are {', '.join(apply)}." if apply else _OTHER
        fail("N50", f"{name} does not apply: {found.not_applicable[name]}", remedy)
    return found.measures[name]


def _own(given: Any, axis: str, known: Any) -> Measure | Problem:
    if callable(given):
        name = getattr(given, "__name__", axis)
        name = axis if name == "<lambda>" else name
        return Measure(name, f"the {axis} given", lambda x, y, _: given(x, y), ours=False)
    hint = did_you_mean(given, known) if isinstance(given, str) else ""
    remedy = hint or f"Use one of {', '.join(known)}, or a function of initial and masked file."
    return Problem("P16", f"{argument(axis)} is not a known measure.", remedy)
