"""Labels: how the pages call what messages name as arguments of Python."""

from __future__ import annotations

from discreet.phrasing import for_pages

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
    "missing=category": "a missing value is a category",
    "keys": "key (a role)",
    "confidential": "confidential (a role)",
    "identifiers": "identifier (a role)",
    "record_id": "record id (a role)",
    "weight": "weight (a role)",
    "max_suppressed": "Records that may be left out",
    "fraction": "Share of the records, in percent",
    "seed": "Seed",
    "at_most": "Highest risk of a record that may remain",
    "alpha": "Consequence α",
    "epsilon": "Leave out sets less likely than ε",
    "default": "Weight of values not listed",
    "round": "whole numbers stay whole",
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


def in_words(text: str) -> str:
    """A message for someone who fills in forms."""
    return for_pages(text, _FIELDS, _WORDS)
