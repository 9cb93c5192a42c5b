"""Labels: how the pages call the functions and arguments that texts name."""

from __future__ import annotations

import json
from collections.abc import Sequence

from discreet.app.forms import hierarchy
from discreet.app.forms import source as reading
from discreet.app.forms.fields import called
from discreet.errors import Problem
from discreet.registry import criteria, everything, maskings, measures
from discreet.surface import Reference

LOSS = "ebil_share"  # measure of all runs: from 0 to 1, for every masking that changes keys only
NODE_LOSS = "loss"  # measure of a node of the lattice, and of a run that is one

_FIELDS = {
    **hierarchy.LABELS,
    **{name: one.label for name, one in reading.FIELDS.items()},
    "missing": "A missing value is",
    "keys": "key (a role)",
    "confidential": "confidential (a role)",
    "identifiers": "identifier (a role)",
    "record_id": "record id (a role)",
    "household": "household (a role)",
    "subject": "subject (a role)",
    "weight": "weight (a role)",
    "alpha": "Consequence α",
    "epsilon": "Leave out sets less likely than ε",
    "default": "Weight of values not listed",
    "criterion": "What must hold",
    "unmapped=suppress": "A value that is not in the hierarchy: is suppressed",
}
_WORDS = {  # for what messages say in words of Python
    "Hierarchy.dates()": "“parts of dates”",
    "Hierarchy.suppress()": "“all or nothing”",
    "a file or a dictionary": "a file",
    " or '%d/%m/%Y'": "",
    "Write {'leaf': ['*'], …}, or use": "Use",
}


_ENVIRONMENT = {  # where a job finds the settings of its process
    "memory_limit": "DISCREET_MEMORY_LIMIT",
    "threads": "DISCREET_THREADS",
    "temp_directory": "DISCREET_TEMP_DIRECTORY in the environment of the app",
}
_PLACES = {  # of functions that are no methods
    "advise": "the page Explore",
    "check": "the checklist on the page Release",
    "ru_map": "the page Compare",
    "settings": "the environment of the app",
}


_SECTIONS = {  # of a plan: where pages have them
    "source": "The page Data",
    "roles": "The page Roles & risk",
    "types": "Type of",
    "hierarchies": "Hierarchy of",
    "criterion": "What must hold",
    "steps": "The page Protect",
    "measures": "Further measures",
    "outputs": "The page Release",
}


def in_words(told: Problem) -> str:
    """A problem for someone who fills in forms."""
    return told.said(on_pages)


def on_pages(one: Reference) -> str | None:
    """What the pages call a function, an argument, or what else makes sense in Python."""
    if one.sort == "function":
        return _PLACES.get(one.name) or _title(one.name)
    if one.sort == "words":
        return _WORDS.get(one.name)
    if one.sort == "place":
        return _place(json.loads(one.name), one.of)
    return _ENVIRONMENT.get(one.name) or _label(one)


def _title(name: str) -> str | None:
    """The title of a masking, a criterion or a measure."""
    entry = everything().get(name)
    return None if entry is None else f"“{entry.title or entry.name}”"


def _place(at: Sequence[str | int], of: str) -> str:
    """A place in a plan, as pages have it: the step or the section, and what is asked for there.

    Examples
    --------
    >>> _place(["steps", 0, "fraction"], "sample"), _place(["hierarchies", "age"], "")
    ('Step 1 (Sampling), “Share of the records”', "Hierarchy of 'age'")
    """
    section, *inner = at or ["plan"]
    where = _SECTIONS.get(str(section), "The plan")
    if section == "steps" and inner:
        title = f" ({maskings[of].title})" if of in maskings else ""
        where = f"Step {int(inner.pop(0)) + 1}{title}"
    elif where.endswith(" of") and inner:
        where = f"{where} {inner.pop(0)!r}"
    keys = [key for key in inner if isinstance(key, str)]  # numbers are places in lists
    labels = [_label(Reference("argument", key, "", "", of)) or repr(key) for key in keys]
    return ", ".join([where, *labels])


def _label(one: Reference) -> str | None:
    """The label of a field, and beside it what is to be chosen there."""
    whole = _FIELDS.get(f"{one.name}={one.value}")
    known = whole or _FIELDS.get(one.name)
    if known:
        return f"“{known}”" if whole or not one.value else f"“{known}”: {_value(one)}"
    # parameters of what is measured before a step come after those of the steps themselves
    steps = sorted(maskings.all(), key=lambda method: bool(method.measures))
    every = (*steps, *criteria.all(), *measures.all())
    described = sorted(every, key=lambda method: method.name != one.of)
    found = next(
        (each.parameters[one.name] for each in described if one.name in each.parameters), None
    )
    return None if found is None else called(found, one.value)


def _value(one: Reference) -> str:
    """What is to be chosen, in the words of the field."""
    is_reading = one.name == "missing" or one.name in reading.FIELDS
    return reading.word_of(one.name, one.value) if is_reading else one.value.strip("[]")
