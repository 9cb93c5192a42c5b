"""How to repeat it: the plan and its lines of Python, the version, the engine.

A plan holds what its author wrote. That may be values: the steps of an ordinal scale, codes for
missing values, the leaves of a hierarchy. A report names no rare value, so these are left out of
it, and it says which.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import discreet as ds
from discreet.registry import maskings, origins
from discreet.reports.blocks import Block, Code, Section, Words
from discreet.reports.facts import Facts
from discreet.words import counted

_WRITTEN_OUT = ("leaves", "tree")  # hierarchies that do


def section(facts: Facts) -> Section:
    """The last section of the report."""
    blocks = _public(facts) if facts.public else _internal(facts)
    return Section("repeat", "How to repeat it", tuple(blocks))


def _versions(facts: Facts) -> str:
    """What the file was made and measured with, packages from outside too."""
    steps = [step.method for step in facts.steps]
    asked = [type(check.criterion).__name__ for check in facts.checks]
    used = {"discreet": ds.__version__} | origins([*steps, *asked, *facts.given.measures])
    return ", ".join(f"{name} {version}" for name, version in used.items())


def _public(facts: Facts) -> list[Block]:
    return [
        Words(
            (
                f"The file was measured with {_versions(facts)}.",
                "Anyone who has the initial file can reproduce each number of this "
                "report; the seeds and "
                "the plan are in the internal version.",
            )
        )
    ]


def _internal(facts: Facts) -> list[Block]:
    said = Words(
        (
            f"{_versions(facts)}; engine: {facts.before.provenance.engine}; "
            f"source: {facts.initial.name}, {counted(facts.initial.n, 'record')}.",
            f"Missing values: {facts.initial.missing}. Categories and bins of this report hold at "
            f"least {counted(facts.threshold, 'record')}.",
        )
    )
    return [said, *(_plan(facts) if facts.steps else [Code("In Python", _elsewhere(facts))])]


def _plan(facts: Facts) -> list[Block]:
    """The plan without values, as it is run by the command and as Python."""
    try:
        whole = facts.masked.plan()
    except ds.DiscreetError as error:
        return [Words((f"These steps cannot be written as a plan: {error.problems[0].said()}",))]
    document, left_out = without_values(whole.to_dict())
    plan = replace(whole, document=document)
    blocks: list[Block] = []
    if left_out:
        line = f"Left out below, because values are listed there: {', '.join(left_out)}."
        blocks.append(
            Words((line, "The file of the plan has them; in Python, masked.plan().to_toml()."))
        )
    python = Code("In Python", plan.to_python())
    return [*blocks, Code("As a plan, for: discreet run release.toml", plan.to_toml()), python]


def without_values(document: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A plan without what lists values, files by their names only; and what was left out.

    Examples
    --------
    >>> plan = {"types": {"edu": ["low", "high"]}, "source": {"file": "/data/survey.csv"}}
    >>> without_values(plan)
    ({'source': {'file': 'survey.csv'}}, ['types.edu'])
    """
    kept = copy.deepcopy(document)
    gone = list(_removed(kept, ()))
    return {name: part for name, part in kept.items() if part or not document[name]}, gone


def _removed(table: dict[str, Any], at: tuple[str, ...]) -> Iterator[str]:
    """Take out what lists values, at any depth, and name it."""
    held = _held(table, at)
    for name, value in list(table.items()):
        if name in held or _lists_values(at, value):
            del table[name]
            yield ".".join((*at, name))
        elif name == "file":
            table[name] = PurePath(value).name
        elif isinstance(value, dict):
            yield from _removed(value, (*at, name))
        elif isinstance(value, list):
            for number, one in enumerate(value, 1):
                if isinstance(one, dict):
                    yield from _removed(one, (*at, f"{name} {number}"))


def _held(table: dict[str, Any], at: tuple[str, ...]) -> set[str]:
    """The keys of a table that may hold values: codes for missing ones, and what a method says."""
    if at == ("source",):
        return {"missing_values"}
    if len(at) == 1 and at[0].startswith("steps "):
        known = maskings[table["do"]].parameters.values()
        return {parameter.name for parameter in known if parameter.holds_values}
    return set()


def _lists_values(at: tuple[str, ...], value: Any) -> bool:
    scale = at == ("types",) and isinstance(value, list)
    written_out = isinstance(value, dict) and any(builder in value for builder in _WRITTEN_OUT)
    return scale or written_out


def _elsewhere(facts: Facts) -> str:
    """The lines that measure a file masked elsewhere."""
    initial = facts.initial
    roles = {"keys": initial.keys, "confidential": initial.confidential,
             "identifiers": initial.identifiers}  # fmt: skip
    given = [f"{role}={list(names)!r}" for role, names in roles.items() if names]
    given += [
        f"{role}={getattr(initial, role)!r}"
        for role in ("household", "subject")
        if getattr(initial, role)
    ]
    read = ",\n    ".join([repr(initial.name), *given])
    return "\n".join(
        [
            f"import discreet as ds\n\ninitial = ds.read(\n    {read},\n)",
            f"masked = ds.read({facts.masked.name!r})",
            f'ds.report(initial, masked, "release.html", on={facts.on!r})',
        ]
    )
