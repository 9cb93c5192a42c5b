"""Drafting: what a steward says on a page, as changes of a plan's sections.

Each function takes the sections of a plan and gives new ones. Columns keep the order of the
table, for the order of the keys decides ties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Document = Mapping[str, Any]

# what a page calls a role, and the keys of the section [roles] that it stands for
ROLES: Mapping[str, tuple[str, ...]] = {
    "other": (),
    "identifier": ("identifiers",),
    "key": ("keys",),
    "confidential": ("confidential",),
    "key + confidential": ("keys", "confidential"),
    "weight": ("weight",),
    "record id": ("record_id",),
}
_ALONE = ("weight", "record_id")  # one column plays them


def role_of(document: Document, column: str) -> str:
    """The role of a column, in the words of the page."""
    roles = document.get("roles", {})
    played = tuple(
        part
        for part in ("identifiers", "keys", "confidential", *_ALONE)
        if (roles.get(part) == column if part in _ALONE else column in roles.get(part, []))
    )
    return next(word for word, parts in ROLES.items() if parts == played)


def with_role(document: Document, column: str, role: str, order: Sequence[str]) -> Document:
    """The plan with another role of a column; a role that one column plays leaves its old one."""
    roles: dict[str, Any] = {}
    for part, given in document.get("roles", {}).items():
        if part in _ALONE:
            roles |= {} if given == column else {part: given}
        else:
            roles[part] = [name for name in given if name != column]
    for part in ROLES[role]:
        roles[part] = column if part in _ALONE else [*roles.get(part, []), column]
    return {**document, "roles": _ordered(roles, order)}


def _ordered(roles: Mapping[str, Any], order: Sequence[str]) -> dict[str, Any]:
    place = {name: i for i, name in enumerate(order)}
    tidy = {
        part: given if part in _ALONE else sorted(given, key=lambda name: place[name])
        for part, given in roles.items()
    }
    return {part: given for part, given in tidy.items() if given}


def with_entry(document: Document, section: str, column: str, given: Any) -> Document:
    """The plan with another entry of ``types`` or ``hierarchies``; None takes it out."""
    entries = {name: one for name, one in document.get(section, {}).items() if name != column}
    return {**document, section: entries if given is None else {**entries, column: given}}


def with_source(document: Document, options: Mapping[str, Any]) -> Document:
    """The plan with other options of reading; the file and the missing policy stay."""
    source = document.get("source", {})
    kept = {name: source[name] for name in ("file", "missing") if name in source}
    return {**document, "source": {**kept, **options}}


def with_missing(document: Document, policy: str) -> Document:
    """The plan with another missing-value policy; the usual one is left out."""
    source = {n: v for n, v in document.get("source", {}).items() if n != "missing"}
    return {**document, "source": source | ({} if policy == "category" else {"missing": policy})}


def within(document: Document, columns: Sequence[str]) -> Document:
    """The plan without what it says of columns that are not there."""
    there = set(columns)
    roles = {
        part: (given if given in there else None)
        if part in _ALONE
        else [name for name in given if name in there]
        for part, given in document.get("roles", {}).items()
    }
    entries = {
        section: {name: one for name, one in document.get(section, {}).items() if name in there}
        for section in ("types", "hierarchies")
    }
    return {**document, **entries, "roles": {part: given for part, given in roles.items() if given}}
