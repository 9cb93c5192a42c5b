"""The form of a chain of maskings: its fields, and the steps of the plan that they stand for.

A step that draws at random has its seed in the plan, so that it can be repeated. Columns are
addressed by number.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from discreet.app.averaging import CATEGORY, METHODS, Average
from discreet.app.fields import Reader
from discreet.app.pages import text_in
from discreet.errors import Problem

Fields = dict[str, Any]
KINDS = {
    "sample": "Sampling",
    "generalize": "Generalization",
    "microaggregate": "Microaggregation",
    "protect_records": "Targeted suppression",
}
ABOUT = {
    "sample": "Only some records are released. Nobody can be sure that a person is among them.",
    "generalize": "Keys become coarser, and records that still stand out are left out.",
    "microaggregate": "Similar records form groups, and all get the average of their group.",
    "protect_records": "Only records above a limit of risk lose a value here and there.",
}
MOST_STEPS = 10
MOST_SEED = 2**63 - 1
_PLAIN = ("limit", "choice", "k", "method", "missing", "round", "fraction", "seed", "at_most")


@dataclass(frozen=True)
class Known:
    """What the form needs to know of the workspace.

    Attributes
    ----------
    columns : sequence of str
        All columns, in their order.
    keys : sequence of str
    record_risk : mapping
        The settings of the record risk; empty where it was never measured.
    levels_fit : bool
        Whether levels of the chain were chosen for the plan as it stands.
    averages : mapping
        What microaggregation can make of a column, by its name, where that is known.
    recoded : collection of str
        Columns that a generalization may turn into labels: nothing is known of them after it.
    limit : float, optional
        A limit of the record risk to begin with; none where it is not measured.
    """

    columns: Sequence[str]
    keys: Sequence[str]
    record_risk: Mapping[str, Any]
    levels_fit: bool = True
    averages: Mapping[str, Average] = field(default_factory=dict)
    recoded: Collection[str] = ()
    limit: float | None = None

    def after(self, kinds: Iterable[str]) -> Known:
        """What is known of the columns after steps of these kinds."""
        if "generalize" not in kinds:
            return self
        found = {
            name: one.recoded() if name in self.recoded else one
            for name, one in self.averages.items()
        }
        return replace(self, averages=found)

    def average(self, name: str) -> Average:
        """What microaggregation can make of a column; anything where nothing is known."""
        return self.averages.get(name, Average())


def first(kind: str, known: Known, k: int) -> dict[str, Any]:
    """A step as it is when it is added."""
    made: dict[str, Callable[[], dict[str, Any]]] = {
        "sample": lambda: {"fraction": 0.5, "seed": new_seed()},
        "generalize": lambda: {"max_suppressed": 0.02},
        "microaggregate": lambda: {**_averaged(known), "k": k, "method": "mdav"},
        "protect_records": lambda: {"at_most": known.limit, **_said(known)},
    }
    return {"do": kind, **made[kind]()}


def new_seed() -> int:
    """A seed that nobody can try out: all that an integer of TOML holds."""
    return secrets.randbelow(MOST_SEED + 1)


def _averaged(known: Known) -> dict[str, Any]:
    """The keys that have an average."""
    fit = [name for name in known.keys if not known.average(name).unfit]
    lacking = any(known.average(name).missing for name in fit)
    return {"columns": fit} | ({"missing": "category"} if lacking else {})


def _said(known: Known) -> dict[str, Any]:
    """The settings of the record risk as a step has them."""
    given = {"known": {}, "sensitivity": {}, **known.record_risk}
    return {name: part for name, part in given.items() if part or name in ("known", "sensitivity")}


# -- from the plan to the form -------------------------------------------------------------------


def fields_of(step: Mapping[str, Any], known: Known) -> Fields:
    """The fields of a step."""
    number = {name: i for i, name in enumerate(known.columns)}
    levels = step.get("levels", {})
    columns = step.get("columns", known.keys)
    return {
        "do": step["do"],
        "limit": _amount(step.get("max_suppressed", 0.02)),
        "choice": "levels" if levels and known.levels_fit else "best",
        "levels": {number[name]: str(level) for name, level in levels.items() if name in number},
        "columns": {
            number[name] for name in columns if name in number and not known.average(name).unfit
        },
        "k": str(step.get("k", 3)),
        "method": step.get("method", "mdav"),
        "missing": "yes" if step.get("missing") == "category" else "",
        "round": "yes" if step.get("round") else "",
        "fraction": f"{100 * step.get('fraction', 0.5):.12g}",
        "seed": str(step.get("seed", "")),
        "at_most": f"{step['at_most']:g}" if "at_most" in step else "",
    }


def _amount(given: float) -> str:
    """A share as a percentage, or a number of records."""
    return f"{100 * given:.12g} %" if isinstance(given, float) else str(given)


def fields_in(form: Any, most: int) -> list[Fields]:
    """The fields of all steps as they were sent; ``most`` is the number of columns."""
    found = []
    for i in range(MOST_STEPS):
        if (kind := text_in(form, f"do-{i}")) in KINDS:
            fields: Fields = {name: text_in(form, f"{name}-{i}") for name in _PLAIN}
            levels = {c: text_in(form, f"level-{i}-{c}") for c in range(most)}
            chosen = form.getlist(f"columns-{i}")
            fields |= {
                "do": kind,
                "levels": {c: level for c, level in levels.items() if level},
                "columns": {c for c in range(most) if str(c) in chosen},
            }
            found.append(fields)
    return found


# -- from the form to the plan -------------------------------------------------------------------


def steps_in(all_fields: Sequence[Fields], known: Known) -> tuple[list[Any], list[Problem]]:
    """The steps that the fields stand for, and all that is wrong with them."""
    steps: list[Any] = []
    problems: list[Problem] = []
    for i, fields in enumerate(all_fields, 1):
        reader = Reader(f"Step {i}", problems)
        here = known.after(one["do"] for one in all_fields[: i - 1])
        step = _MAKERS[fields["do"]](fields, here, reader)
        steps.append({"do": fields["do"], **step})
    return steps, problems


def _generalize(fields: Fields, known: Known, reader: Reader) -> dict[str, Any]:
    step: dict[str, Any] = {"max_suppressed": reader.amount(fields["limit"])}
    if fields["choice"] == "levels":
        given = {known.columns[c]: level for c, level in fields["levels"].items()}
        if not set(given) & set(known.keys):
            reader.say("no level is given", "Write one for each key, or let them be found.")
        step["levels"] = {
            key: reader.whole(given.get(key, ""), "a level", 0) or 0 for key in known.keys
        }
    return step


def _microaggregate(fields: Fields, known: Known, reader: Reader) -> dict[str, Any]:
    columns = [known.columns[c] for c in sorted(fields["columns"])]
    k = reader.whole(fields["k"], "k", 1)
    if not columns:
        reader.say("no column is chosen", "Choose one at least.")
    if k is None and not fields["k"]:
        reader.say("k is missing", "Write for example 3.")
    if fields["method"] not in METHODS:
        reader.say("the method is not known", "Choose one of the list.")
    for name in columns:
        _say_unfit(known.average(name), name, fields, reader)
    step = {"columns": columns, "k": k or 1, "method": fields["method"]}
    step |= {"missing": "category"} if fields["missing"] else {}
    return step | ({"round": True} if fields["round"] else {})


def _say_unfit(average: Average, name: str, fields: Fields, reader: Reader) -> None:
    if average.unfit:
        reader.say(f"{name!r} cannot be averaged: {average.unfit}", "Leave it out.")
    elif average.is_category and fields["method"] != "mdav":
        what = f"{name!r} has no mean, and this method takes numbers alone"
        reader.say(what, "Choose MDAV, or leave it out.")
    elif average.missing and not fields["missing"]:
        what = f"{name!r} has {average.missing:,} missing values"
        reader.say(what, f"Tick “{CATEGORY}”, or leave it out.")


def _sample(fields: Fields, _: Known, reader: Reader) -> dict[str, Any]:
    percent = reader.number(fields["fraction"].rstrip("% "), "the share", 0, 100)
    seed = reader.whole(fields["seed"], "the seed", 0)
    if seed is not None and seed > MOST_SEED:
        reader.say("the seed is too large", f"Write one of at most {MOST_SEED}.")
    if percent == 0 and not reader.problems:
        reader.say("no record would be drawn", "Write a share above 0.")
    return {
        "fraction": percent / 100 or 1.0,
        "seed": new_seed() if seed is None else seed,
    }


def _protect_records(fields: Fields, known: Known, reader: Reader) -> dict[str, Any]:
    if not known.record_risk.get("known") or not known.record_risk.get("sensitivity"):
        remedy = "On the page Roles & risk, measure every record first."
        reader.say("it is not said what is known and what hurts", remedy)
    return {"at_most": reader.number(fields["at_most"], "the limit", 0, 1e9), **_said(known)}


_MAKERS: Mapping[str, Any] = {
    "generalize": _generalize,
    "microaggregate": _microaggregate,
    "sample": _sample,
    "protect_records": _protect_records,
}
