"""Labels: how the pages call what messages name as arguments of Python."""

from __future__ import annotations

from discreet.app.forms.fields import called
from discreet.errors import Problem
from discreet.registry import criteria, maskings

LOSS = "ebil_share"  # measure of all runs: from 0 to 1, for every masking that changes keys only
NODE_LOSS = "loss"  # measure of a node of the lattice, and of a run that is one

_FIELDS = {
    "missing_values": "Codes that mean missing",
    "encoding": "Encoding",
    "separator": "Separator",
    "header": "The first line",
    "header=True": "The first line: column names",
    "names": "Names, if the first line is a record",
    "missing": "A missing value is",
    "keys": "key (a role)",
    "confidential": "confidential (a role)",
    "identifiers": "identifier (a role)",
    "record_id": "record id (a role)",
    "weight": "weight (a role)",
    "alpha": "Consequence α",
    "epsilon": "Leave out sets less likely than ε",
    "default": "Weight of values not listed",
    "steps": "the steps",
}
_WORDS = {
    "Hierarchy.dates()": "“parts of dates”",
    "Hierarchy.suppress()": "“all or nothing”",
    "Hierarchy.intervals()": "“intervals of numbers”",
    "Hierarchy.prefixes()": "“prefixes of codes”",
    "a file or a dictionary": "a file",
    "Write {'leaf': ['*'], …}, or use": "Use",
}


def in_words(told: Problem | str) -> str:
    """A problem for someone who fills in forms."""
    text = told if isinstance(told, str) else told.said(_label)
    for python, word in _WORDS.items():
        text = text.replace(python, word)
    return text


def _label(name: str, value: str) -> str | None:
    """The label of a field, and beside it what is to be chosen there."""
    for known in (_FIELDS.get(f"{name}={value}"), _FIELDS.get(name)):
        if known:
            return (
                f"“{known}”" if f"{name}={value}" in _FIELDS or not value else f"“{known}”: {value}"
            )
    described = (*maskings.all(), *criteria.all())
    found = next((one.parameters[name] for one in described if name in one.parameters), None)
    return None if found is None else called(found, value)
