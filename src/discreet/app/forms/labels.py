"""Labels: how the pages call the functions and arguments that texts name, and the terms that they
explain where they stand.
"""

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

SCREENS = {  # the steps on the way from a table to its release, by their paths
    "data": "Data",
    "roles": "Roles & risk",
    "explore": "Explore",
    "protect": "Protect",
    "compare": "Compare",
    "release": "Release",
}
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


# Terms that pages explain: rows of the glossary, and what these say.
TERMS = {  # the row of the glossary begins with the same words, which a test holds it to
    "identifier": (
        "identifier",
        "An attribute that names a person. Not written, unless you ask for it by name.",
    ),
    "key": (
        "key attribute, key",
        "What an intruder may know from elsewhere. Also called a quasi-identifier.",
    ),
    "confidential": (
        "confidential attribute",
        "What the intruder wants to learn: an illness, an income.",
    ),
    "hierarchy": (
        "generalization hierarchy",
        "For each value, coarser and coarser values: 43102 → 431 → *.",
    ),
    "class": (
        "class, equivalence class",
        "The records that are equal on all keys. Also called a cluster.",
    ),
    "k": (
        "k, k-anonymity",
        "k is the size of the smallest class. A file is k-anonymous when every class has at least "
        "k records.",
    ),
    "p": (
        "p, p-sensitive",
        "p is the least number of distinct values of a confidential attribute in a class.",
    ),
    "node": ("lattice node", "One choice of a generalization level for each key."),
    "minimal": ("minimal node", "A feasible node with no feasible node below it"),
    "suppression": (
        "suppression",
        "Leaving a record (or a value) out of the release. In generalization: all records of "
        "every class that fails.",
    ),
    "criterion": (
        "criterion",
        "A condition on every class, such as 5-anonymity, or on the whole file.",
    ),
    "DR_max": (
        "DR_max, maximal disclosure risk",
        "All weights equal: every record counts with 1/max(i, j), its probability of being linked.",
    ),
    "EBIL, share": (
        "EBIL share",
        "EBIL of the keys as a share of the bits that they hold; a record that is not released "
        "loses all its bits.",
    ),
    "Iyengar's loss": (
        "loss",
        "What a generalization costs. By default Iyengar's: the mean share of the leaves that a "
        "value covers, a suppressed record counting 1.",
    ),
}
