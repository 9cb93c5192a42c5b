"""Hierarchies in a plan: a file, a builder with its parameters, or the leaves written out.

[hierarchies]
zip = { prefixes = [5, 3, 0] }
age = { intervals = [5, 10, 20], top_code = 90 }
job = { file = "job.csv" }
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.data.options import is_texts
from discreet.errors import Problem, did_you_mean, listed
from discreet.hierarchies.written import built
from discreet.parameters import is_finite, is_whole
from discreet.plan.fields import (
    FLAG,
    TEXT,
    TEXTS,
    Field,
    Where,
    choice,
    table_problems,
)
from discreet.plan.lines import At

_NUMBER = Field("a number", is_finite, {"type": "number"})
_NUMBERS = Field(
    "a list of numbers",
    lambda v: isinstance(v, list) and all(is_finite(one) for one in v),
    {"type": "array", "items": {"type": "number"}},
)
_CUTS = Field(
    "a list of cut points, or one such list per level",
    lambda v: isinstance(v, list) and (all(map(is_finite, v)) or all(map(_NUMBERS.fits, v))),
    {"anyOf": [_NUMBERS.shape, {"type": "array", "items": _NUMBERS.shape}]},
)
_TOP = Field(
    "a label, or false for no such level",
    lambda v: v is False or bool(TEXT.fits(v)),
    {"anyOf": [TEXT.shape, {"const": False}]},
)
_STEPS = Field(
    "how many categories each level keeps, a number of levels, or true",
    lambda v: v is True or is_whole(v) or (isinstance(v, list) and all(map(is_whole, v))),
    {
        "anyOf": [
            {"const": True},
            {"type": "integer"},
            {"type": "array", "items": {"type": "integer"}},
        ]
    },
)
_LEAVES = Field(
    "a table of leaves, each with the list of its labels",
    lambda v: isinstance(v, Mapping) and all(is_texts(one) for one in v.values()),
    {"type": "object", "additionalProperties": TEXTS.shape},
)
_TREE = Field(
    "a table of tables from the top down, whose last level are lists",
    lambda v: _is_tree(v) and all(isinstance(one, Mapping) for one in v.values()),
    {"type": "object", "additionalProperties": {"type": "object"}},
)

_INTERVALS = {"labels": choice("half-open", "closed"), "top": _TOP}

# each builder: what its own key holds, and the keys that may stand beside it
BUILDERS: dict[str, tuple[Field, dict[str, Field]]] = {
    "file": (TEXT, {"separator": TEXT}),
    "intervals": (
        _NUMBERS,
        {"origin": _NUMBER, "bottom_code": _NUMBER, "top_code": _NUMBER, **_INTERVALS},
    ),
    "cuts": (_CUTS, _INTERVALS),
    "prefixes": (_NUMBERS, {"top": _TOP}),
    "dates": (TEXTS, {"top": _TOP}),
    "suppress": (FLAG, {"top": TEXT}),
    "by_frequency": (_STEPS, {"other": TEXT, "top": TEXT}),
    "leaves": (_LEAVES, {}),
    "tree": (_TREE, {}),
}
_ALWAYS = {"unmapped": choice("error", "suppress")}


def _is_tree(value: Any, depth: int = 0) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(_is_tree(one, depth + 1) for one in value.values())
    return depth > 0 and is_texts(value)


def hierarchy_problems(given: Any, at: At, where: Where, folder: Path) -> list[Problem]:
    """What is wrong with a hierarchy of a plan, its file included."""
    if not isinstance(given, Mapping):
        what = "must be a table that names a builder."
        return [where.problem(at, "P31", what, "Write for example { suppress = true }.")]
    builders = [name for name in given if name in BUILDERS]
    if len(builders) != 1:
        what = "names more than one builder." if builders else "names no builder."
        near = [did_you_mean(name, BUILDERS) for name in given]
        remedy = next(filter(None, near), "") or f"Give one of {listed(BUILDERS)}."
        return [where.problem(at, "P33", what, "Keep one." if builders else remedy)]
    own, beside = BUILDERS[builders[0]]
    fields = {builders[0]: own, **beside, **_ALWAYS}
    problems = table_problems(given, fields, at, where)
    if not problems:
        with where.noted(at, problems):
            built(given, folder)
    return problems


def schema() -> dict[str, Any]:
    """JSON Schema of a hierarchy: one of the builders with what may stand beside it."""
    return {
        "type": "object",
        "anyOf": [
            {
                "properties": {
                    name: one.schema() for name, one in {builder: own, **beside, **_ALWAYS}.items()
                },
                "required": [builder],
                "additionalProperties": False,
            }
            for builder, (own, beside) in BUILDERS.items()
        ],
    }
