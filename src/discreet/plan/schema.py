"""The JSON Schema of a plan, made from the descriptions: editors complete and check with it.

Draft 2020-12. It knows what a plan may say and what that means; what needs the data, or another
part of the plan, is said when the plan is read.
"""

from __future__ import annotations

from typing import Any

from discreet._version import __version__
from discreet.data.options import ROLES
from discreet.masking.method import MEASURE, Method
from discreet.plan import criteria, hierarchies, measures
from discreet.plan.document import OUTPUTS, SOURCE, TYPE
from discreet.plan.fields import Fields, table_schema
from discreet.plan.steps import fields_of
from discreet.registry import maskings

_ABOUT = {
    "source": ("Source", "The file that is masked, and how it is read."),
    "roles": ("Roles", "What the columns are to an intruder."),
    "types": ("Types", "How attributes are measured; what is not given is inferred."),
    "hierarchies": ("Hierarchies", "How the values of a key become coarser."),
    "criterion": ("Criterion", "What must hold in the end."),
    "steps": ("Steps", "What is done, in order."),
    "measures": ("Measures", "What is measured of the release, before and after."),
    "outputs": ("Outputs", "The files that are written."),
}


def schema() -> dict[str, Any]:
    """The schema of ``release.toml``.

    Examples
    --------
    >>> found = schema()
    >>> sorted(found["properties"])
    ['criterion', 'hierarchies', 'measures', 'outputs', 'roles', 'source', 'steps', 'types']
    """
    sections = {
        "source": _table(SOURCE),
        "roles": _table(ROLES),
        "types": {"type": "object", "additionalProperties": TYPE.schema()},
        "hierarchies": {
            "type": "object",
            "additionalProperties": {"$ref": "#/$defs/hierarchy"},
        },
        "criterion": criteria.schema(),
        "steps": {"type": "array", "items": {"anyOf": [_step(m) for m in maskings.all()]}},
        "measures": measures.schema(),
        "outputs": _table(OUTPUTS),
    }
    about = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A plan of discreet {__version__}",
        "description": "What a release is made from, and how: release.toml.",
    }
    described = {name: _described(name, section) for name, section in sections.items()}
    return {**table_schema(described, **about), "$defs": {"hierarchy": hierarchies.schema()}}


def _described(name: str, section: dict[str, Any]) -> dict[str, Any]:
    title, about = _ABOUT[name]
    return {"title": title, "description": about, **section}


def _table(fields: Fields) -> dict[str, Any]:
    return table_schema(
        {
            name: {"description": f"{one.words[:1].upper()}{one.words[1:]}.", **one.schema()}
            for name, one in fields.items()
        }
    )


def _step(method: Method) -> dict[str, Any]:
    """A step: the method, and its parameters by the same names."""
    origin = f" (from {method.entry.origin})" if method.entry.origin else ""
    found = table_schema(
        {
            "do": {"const": method.name, "description": method.about},
            **{name: one.schema() for name, one in fields_of(method).items()},
        },
        ["do", *_always_needed(method)],
        title=method.title,
        description=f"{method.about}{origin}",
    )
    if conditions := _by_measure(method):
        found["allOf"] = conditions
    either = [{"required": [name]} for names in method.groups.values() for name in names]
    return {**found, "oneOf": either} if either else found


def _always_needed(method: Method) -> list[str]:
    """What must be said whichever measure is taken first."""
    by_measure = [method.needed({MEASURE: name}) for name in method.choices]
    return [name for name in method.needed({}) if all(name in one for one in by_measure)]


def _by_measure(method: Method) -> list[dict[str, Any]]:
    """What must be said besides, for each measure that may be taken first."""
    found = []
    always, usual = _always_needed(method), next(iter(method.choices), "")
    for name in method.choices:
        more = [one for one in method.needed({MEASURE: name}) if one not in always]
        chosen: dict[str, Any] = {"properties": {MEASURE: {"const": name}}}
        if name != usual:
            chosen["required"] = [MEASURE]
        if more:
            found.append({"if": chosen, "then": {"required": more}})
    return found
