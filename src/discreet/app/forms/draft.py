"""Drafting: what a steward says on a page, as changes of a plan's sections.

Each function takes the sections of a plan and gives new ones. Columns keep the order of the
table, for the order of the keys decides ties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.data.options import OPTIONS
from discreet.plan.criteria import NAMED, kinds_in, tables_of
from discreet.registry import maskings, measures
from discreet.reports.names import few

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
    "household": ("household",),
    "subject": ("subject",),
}
_ALONE = ("weight", "record_id", "household", "subject")  # one column plays them


def role_of(document: Document, column: str) -> str:
    """The role of a column, in the words of the page.

    Examples
    --------
    >>> role_of({"roles": {"identifiers": ["rec"], "record_id": "rec"}}, "rec")
    'record id'
    """
    roles = document.get("roles", {})
    played = tuple(
        part
        for part in ("identifiers", "keys", "confidential", *_ALONE)
        if (roles.get(part) == column if part in _ALONE else column in roles.get(part, []))
    )
    if "record_id" in played:  # an identifier, whether the plan says so or not
        played = ("record_id",)
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


def with_suggested(document: Document, suggested: Mapping[str, str], *, every: bool) -> Document:
    """The plan with suggested roles by column; ``every`` replaces those that were given, too."""
    order = list(suggested)
    for name, role in suggested.items():
        taken = any(part in document.get("roles", {}) for part in ROLES[role] if part in _ALONE)
        if every or (role_of(document, name) == "other" and not taken):
            document = with_role(document, name, role, order)
    return document


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
    """The plan with other options of reading; what the form does not ask for stays."""
    source = document.get("source", {})
    kept = {name: source[name] for name in ("file", "missing", "engine") if name in source}
    return {**document, "source": {**kept, **options}}


def with_missing(document: Document, policy: str) -> Document:
    """The plan with another missing-value policy; the usual one is left out."""
    source = {n: v for n, v in document.get("source", {}).items() if n != "missing"}
    return {**document, "source": source | ({} if policy == "category" else {"missing": policy})}


def with_steps(document: Document, steps: Sequence[Any], criterion: Any) -> Document:
    """The plan with another chain of steps and criterion; empty ones are left out."""
    others = {name: part for name, part in document.items() if name not in ("steps", "criterion")}
    drafted = {"criterion": criterion, "steps": list(steps)}
    return {**others, **{name: part for name, part in drafted.items() if part}}


def with_measures(document: Document, asked: Mapping[str, Any]) -> Document:
    """The plan with other measures; without any, without their section."""
    others = {name: part for name, part in document.items() if name != "measures"}
    return {**others, "measures": dict(asked)} if asked else others


def with_node(
    document: Document,
    must: Mapping[str, Any],
    max_suppressed: float,
    levels: Mapping[str, int],
    *,
    lowering: bool = False,
) -> Document:
    """The plan with a node of the lattice, and the k and p that must hold, in its generalization.

    Without one in the plan, it becomes the first step. Other criteria stay, and so do the
    attributes that the plan asks for. Unless told so, it never asks for less than before.
    """
    steps = list(document.get("steps", []))
    places = [i for i, step in enumerate(steps) if step["do"] == "generalize"]
    made = {"do": "generalize", "max_suppressed": max_suppressed, "levels": dict(levels)}
    steps[slice(places[0], places[0] + 1) if places else slice(0, 0)] = [made]
    head, *others = tables_of(document.get("criterion")) or [{}]
    kept = {name: given for name, given in head.items() if name not in ("k", "p")}
    held = at_least({} if lowering else head, must)
    criterion = [with_attributes({**held, **kept}), *others]
    return with_steps(document, steps, criterion if others else criterion[0])


def at_least(head: Document, must: Mapping[str, int]) -> dict[str, int]:
    """The k and p that must hold when others are asked for beside those of the plan.

    Examples
    --------
    >>> at_least({"k": 10, "closeness": 0.2}, {"k": 6, "p": 2}), at_least({}, {"k": 5, "p": 1})
    ({'k': 10, 'p': 2}, {'k': 5})
    """
    most = {name: max(head.get(name, 1), must.get(name, 1)) for name in ("k", "p")}
    return {"k": max(most.values())} | ({"p": most["p"]} if most["p"] > 1 else {})


def with_attributes(table: Document) -> Document:
    """What must hold, naming attributes only where something is asked of them."""
    asked = any(NAMED in kind.parameters for kind, _ in kinds_in(table))
    return table if asked else {n: v for n, v in table.items() if n != NAMED}


def generalization(document: Document) -> tuple[Document, Document]:
    """The first table of what must hold, and the step that generalizes; or empty ones."""
    steps = [step for step in document.get("steps", []) if step["do"] == "generalize"]
    return next(iter(tables_of(document.get("criterion"))), {}), next(iter(steps), {})


def levels_of(document: Document) -> list[Any]:
    """The levels that steps of the chain have, a table each."""
    return [step["levels"] for step in document.get("steps", []) if step.get("levels")]


def without_levels(document: Document) -> dict[str, Any]:
    """The plan with its levels to be found."""
    steps = document.get("steps", [])
    free = [{name: given for name, given in step.items() if name != "levels"} for step in steps]
    return {**document, "steps": free}


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
    sound = {
        **document,
        **entries,
        "roles": {part: given for part, given in roles.items() if given},
    }
    steps = [step for step in document.get("steps", []) if _columns_of(step) <= there]
    asked = document.get("measures", {})
    kept = {n: table for n, table in asked.items() if measures[n].columns_in(table) <= there}
    return with_measures(with_steps(sound, steps, document.get("criterion")), kept)


def _columns_of(step: Mapping[str, Any]) -> set[str]:
    """The columns that a step names."""
    known = maskings[step["do"]].parameters
    named = [known[part].columns_in(value) for part, value in step.items() if part in known]
    return set().union(*named)


_SAID = {  # what a page calls a section of the plan
    "roles": "role of",
    "types": "type of",
    "hierarchies": "hierarchy of",
    "source": "how the file is read",
    "criterion": "what must hold",
    "steps": "the steps",
    "measures": "further measures",
}
_MOST_NAMED = 3  # columns


def changed(before: Document, after: Document) -> str:
    """What differs between two plans, in few words.

    Examples
    --------
    >>> changed({"roles": {"keys": ["age"]}}, {"roles": {"keys": ["age", "zip"]}})
    'role of zip'
    >>> changed({}, {"source": {"file": "t.csv"}, "steps": []})
    'how the file is read'
    >>> changed({"source": {"file": "t.csv"}}, {"source": {"file": "t.csv", "decimal": ","}})
    'how the file is read (Decimal sign)'
    """
    parts = []
    for section, words in _SAID.items():
        old, new = before.get(section) or {}, after.get(section) or {}
        if old == new:
            continue
        names = _columns_changed(section, old, new) if words.endswith(" of") else []
        options = _options_changed(old, new) if section == "source" and old else []
        named = f" ({', '.join(options)})" if options else f" {few(names, _MOST_NAMED)}"
        parts.append(f"{words}{named}".rstrip())
    return "; ".join(parts)


def _options_changed(old: Document, new: Document) -> list[str]:
    """The labels of the options of reading that differ."""
    return [one.label for name, one in OPTIONS.items() if old.get(name) != new.get(name)]


def _columns_changed(section: str, old: Document, new: Document) -> list[str]:
    if section != "roles":
        return [name for name in {**old, **new} if old.get(name) != new.get(name)]
    named = [
        name
        for one in (old, new)
        for part, given in one.items()
        for name in ([given] if part in _ALONE else given)
    ]
    both = {"roles": old}, {"roles": new}
    return [n for n in dict.fromkeys(named) if role_of(both[0], n) != role_of(both[1], n)]
