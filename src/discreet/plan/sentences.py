"""A plan in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from discreet.errors import listed
from discreet.plan.steps import method_of

if TYPE_CHECKING:
    from discreet.plan.plan import Plan


def explained(plan: Plan) -> str:
    """Source, roles, steps, criterion, measures and outputs, a line each; no labels, no codes."""
    roles = plan.section("roles")
    named = [
        f"{word} {listed([roles[role]] if isinstance(roles[role], str) else roles[role])}"
        for role, word in (
            ("identifiers", "identifiers"),
            ("keys", "keys"),
            ("confidential", "confidential"),
            ("weight", "weight"),
            ("record_id", "record id"),
            ("household", "household"),
        )
        if roles.get(role)
    ]
    source = plan.source.name if plan.source else "a frame"
    lines = [f"Read {source}{': ' if named else ''}{'; '.join(named)}."]
    lines += [f"{i}. {said(step)}." for i, step in enumerate(plan.section("steps"), 1)]
    if plan.criterion:
        lines.append(f"Must hold: {' and '.join(c.describe() for c in plan.criterion)}.")
    if plan.section("measures"):
        lines.append(f"Measure {listed(plan.section('measures'), 20)}.")
    lines.append(f"Write {', '.join(place.name for place in plan.outputs.values())}.")
    return "\n".join(lines)


def said(step: Mapping[str, Any]) -> str:
    """A step with its parameters; a seed is named, not shown."""
    known = method_of(step).parameters.values()
    inner = {"do", *(p.name for p in known if p.shared or p.holds_values)}
    parts = [_part(name, value) for name, value in step.items() if name not in inner]
    return f"{step['do']}{': ' if parts else ''}{', '.join(parts)}"


def _part(name: str, value: Any) -> str:
    if name == "seed":
        return "with a seed"
    if isinstance(value, list):
        return f"{name} {listed(map(str, value))}"
    if isinstance(value, Mapping):
        return f"{name} {', '.join(f'{key} {level}' for key, level in value.items())}"
    return f"{name} {value}"
