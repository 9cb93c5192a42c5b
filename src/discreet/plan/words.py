"""Words of a plan: how release.toml has the arguments that texts name."""

from __future__ import annotations

import json
import re

from discreet.data.options import ROLES
from discreet.plan.document import OUTPUTS, SOURCE
from discreet.registry import criteria, maskings, measures
from discreet.surface import Reference

_SECTIONS = {"source": SOURCE, "roles": ROLES, "outputs": OUTPUTS}
_NO_TEXT = re.compile(r"-?[0-9.]+|[\[{].*")  # numbers, lists and tables stand as they are


def in_plan(one: Reference) -> str | None:
    """What a plan calls an argument; None for what it does not have.

    Examples
    --------
    >>> in_plan(Reference("argument", "missing", "wildcard", 'missing="wildcard"'))
    'missing = "wildcard" in [source]'
    >>> in_plan(Reference("argument", "max_suppressed", "", "max_suppressed="))
    'max_suppressed'
    >>> in_plan(Reference("argument", "types", "'pain'='low<high'", "types={'pain': […]}"))
    "'pain' = ['low', 'high'] in [types]"
    """
    if one.sort != "argument":
        return None
    if one.name == "types":
        column, _, kind = one.value.partition("=")
        scale = kind.strip("'").split("<")
        pair = _pair(column, str(scale) if scale[1:] else kind)
        return f"{pair} in [types]" if column else "[types]"
    section = next((name for name, fields in _SECTIONS.items() if one.name in fields), "")
    if section:
        return f"{_pair(one.name, one.value)} in [{section}]"
    return _pair(one.name, one.value) if _is_parameter(one.name) else None


def _is_parameter(name: str) -> bool:
    """Whether a masking, a criterion or a measure has it, or every step."""
    described = (*maskings.all(), *criteria.all(), *measures.all())
    return name in ("criterion", "unmapped") or any(name in one.parameters for one in described)


def _pair(key: str, value: str) -> str:
    """A key and its value; a key alone where there is none."""
    if value in ("True", "False"):
        value = value.lower()
    elif value and not _NO_TEXT.fullmatch(value):
        value = json.dumps(value.strip("'"), ensure_ascii=False)
    return f"{key} = {value}" if value else key
