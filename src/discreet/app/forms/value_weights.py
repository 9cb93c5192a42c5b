"""Weights of values as a steward writes them, a line each: ``flu = 0.2``, ``40000 to 70000 = 0.7``.

An open end of a range is left out: ``to 40000 = 1``.
"""

from __future__ import annotations

import re
from typing import Any

from discreet.app.forms.fields import written_so
from discreet.errors import Problem

_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"(?P<above>{_NUMBER})?\s*to\s*(?P<up_to>{_NUMBER})?")


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


def _bound(row: dict[str, float], name: str) -> str:
    return repr(row[name]).removesuffix(".0") if name in row else ""


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
