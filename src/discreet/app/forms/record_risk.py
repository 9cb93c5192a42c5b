"""The form of the record risk: what is known and what is sensitive, and a limit to begin with.

Weights of values are written a line each: ``flu = 0.2``, ``40000 to 70000 = 0.7``. An open end of a
range is left out: ``to 40000 = 1``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.app.forms.fields import text_in, written_so
from discreet.app.server.workspaces import Workspace
from discreet.errors import Problem, raise_all
from discreet.words import counted, share

_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"(?P<above>{_NUMBER})?\s*to\s*(?P<up_to>{_NUMBER})?")
SHARE = 0.01  # of the records that a first limit leaves above it, at most


def asked_of(workspace: Workspace) -> Mapping[str, str]:
    """The form of the record risk as it was last sent."""
    given = workspace.settings.get("record_risk", {})
    found = {
        "alpha": f"{given.get('alpha', 100):g}",
        "epsilon": f"{given.get('epsilon', 0.01):g}",
        "default": f"{given['default']:g}" if "default" in given else "",
    }
    for number, column in enumerate(workspace.columns):
        for part in ("known", "sensitivity"):
            weight = given.get(part, {}).get(column.name)
            found[f"{part}-{number}"] = "" if weight is None else f"{weight:g}"
        found[f"values-{number}"] = weights_text(
            given.get("value_sensitivity", {}).get(column.name)
        )
    return found


def settings_in(form: Any, workspace: Workspace) -> dict[str, Any]:
    """The keys of ``ds.record_risk``, from the form; all that is wrong at once."""
    problems: list[Problem] = []

    def number(name: str, said: str) -> float | None:
        text = text_in(form, name)
        if text and _number(text) is None:
            remedy = written_so(text, "0.3")
            problems.append(Problem("P60", f"{said} is not a number.", remedy))
        return _number(text)

    found: dict[str, Any] = {"known": {}, "sensitivity": {}, "value_sensitivity": {}}
    for i, column in enumerate(workspace.columns):
        label = workspace.labels[column.name]
        for part, said in (("known", "the probability"), ("sensitivity", "the sensitivity")):
            weight = number(f"{part}-{i}", f"{said} of {label!r}")
            found[part] |= {} if weight is None else {column.name: weight}
        table, more = weights_in(text_in(form, f"values-{i}"), label)
        found["value_sensitivity"] |= {column.name: table} if table else {}
        problems += more
    for name in ("alpha", "epsilon", "default"):
        value = number(name, name)
        found |= {} if value is None else {name: value}
    raise_all(problems)
    return found


def weights_in(text: str, label: str) -> tuple[Any, list[Problem]]:
    """A table of values and weights, or a list of ranges; and what is wrong with it.

    Examples
    --------
    >>> weights_in("flu = 0.2", "illness")
    ({'flu': 0.2}, [])
    >>> weights_in("to 40000 = 1", "income")
    ([{'up_to': 40000.0, 'weight': 1.0}], [])
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    pairs = [line.rpartition("=") for line in lines]
    weights = [_number(weight) for _, _, weight in pairs]
    if any(weight is None for weight in weights) or not all(value.strip() for value, *_ in pairs):
        what = f"the weights of the values of {label!r} cannot be read."
        remedy = written_so(text, "value = 0.5, a line for each value")
        return None, [Problem("P60", what, remedy)]
    values = [value.strip() for value, *_ in pairs]
    if len(set(values)) < len(values):
        what = f"a value of {label!r} has two weights."
        return None, [Problem("P60", what, "Write one line for each value.")]
    ranges = [_RANGE.fullmatch(value) for value in values]
    if values and all(ranges):
        return [
            {**{k: float(v) for k, v in found.groupdict().items() if v}, "weight": weight}
            for found, weight in zip(ranges, weights, strict=True)
            if found is not None
        ], []
    return dict(zip(values, weights, strict=True)), []


def weights_text(table: Any) -> str:
    """The lines of a table."""
    if isinstance(table, dict):
        return "\n".join(f"{value} = {weight:g}" for value, weight in table.items())
    return "\n".join(
        f"{_bound(row, 'above')} to {_bound(row, 'up_to')} = {row['weight']:g}".replace("  ", " ")
        for row in table or []
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _bound(row: dict[str, float], name: str) -> str:
    return repr(row[name]).removesuffix(".0") if name in row else ""


# -- A limit of the record risk to begin with, and the scale it stands on, in words ----------------
#
# The risk of a record has no natural unit: it grows with alpha and with the weights. So a limit is
# proposed from what was measured. Only edges of the histogram are proposed, for they tell of no
# single record.


@dataclass(frozen=True)
class Limit:
    """A limit, and how many records were above it when they were measured."""

    at_most: float
    above: int


def measured(workspace: Workspace) -> Mapping[str, Any] | None:
    """The figures of the record risk; None where there are none that are up to date."""
    if not workspace.is_current("record_risk"):
        return None
    figures: Mapping[str, Any] = workspace.results["record_risk"].value.figures
    return figures


def limit_for(figures: Mapping[str, Any]) -> Limit:
    """The lowest edge that at most one record in a hundred is above; the highest edge otherwise.

    Examples
    --------
    >>> bins = {"edges": [10.0, 100.0, 177.828], "counts": [995, 5], "zeros": 0}
    >>> limit_for({"n": 1000, "histogram": bins})
    Limit(at_most=100.0, above=5)
    """
    edges, counts = figures["histogram"]["edges"], figures["histogram"]["counts"]
    found = [Limit(_short(edge), sum(counts[i:])) for i, edge in enumerate(edges[:-1])]
    few = [one for one in found if one.above <= SHARE * figures["n"]]
    return (few or found[-1:] or [Limit(0.0, 0)])[0]


def _short(edge: float) -> float:
    """Three digits, rounded up: then no more records are above it."""
    unit = 10.0 ** (math.floor(math.log10(edge)) - 2)
    return float(f"{math.ceil(edge / unit - 1e-9) * unit:.3g}")


def explain(figures: Mapping[str, Any]) -> tuple[str, ...]:
    """What a limit is measured in, and where it would cut."""
    first, n = limit_for(figures), figures["n"]
    return (
        f"The scale: alpha ({figures['settings']['alpha']:g}) × the chance of being recognised × "
        "the weight of what is then learned, added up over all that may be known.",
        f"Measured on the original table: highest {figures['highest']:.4g}, mean "
        f"{figures['mean']:.4g}; at most {counted(first.above, 'record')} of {n:,} "
        f"({share(first.above, n)}) above {first.at_most:g}.",
        "Steps before this one change the risks.",
    )
