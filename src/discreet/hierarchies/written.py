"""Hierarchies as plain values: how a plan writes them, and as an expression of Python.

zip = { prefixes = [5, 3, 0] }
age = { intervals = [5, 10, 20], top_code = 90 }
job = { file = "job.csv" }
"""

from __future__ import annotations

import pprint
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from discreet.hierarchies.hierarchy import Hierarchy
from discreet.parameters import Notation

_LISTED = ("file", "leaves", "tree")  # do not meet the data: what is unmapped is said at once
_WIDTH = 96


def built(given: Mapping[str, Any], folder: Path) -> Hierarchy:
    """The hierarchy; its file is relative to the folder."""
    name = builder_of(given)
    options = _options(given, name)
    made = _MAKERS[name](given[name], folder, options)
    return made.with_unmapped(given.get("unmapped", "error"))


def builder_of(given: Mapping[str, Any]) -> str:
    """The builder that a table names."""
    return next(name for name in given if name in _MAKERS)


def _options(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    options = {key: value for key, value in given.items() if key not in (name, "unmapped")}
    if options.get("top") is False:
        options["top"] = None
    return options


_MAKERS: dict[str, Callable[[Any, Path, dict[str, Any]], Hierarchy]] = {
    "file": lambda value, folder, o: Hierarchy.from_csv(folder / value, **o),
    "intervals": lambda value, _, o: Hierarchy.intervals(value, **o),
    "cuts": lambda value, _, o: Hierarchy.intervals(cuts=value, **o),
    "prefixes": lambda value, _, o: Hierarchy.prefixes(value, **o),
    "dates": lambda value, _, o: Hierarchy.dates(value, **o),
    "suppress": lambda _value, _, o: Hierarchy.suppress(**o),
    "by_frequency": lambda value, _, o: Hierarchy.by_frequency(
        None if value is True else value, **o
    ),
    "leaves": lambda value, _, _o: Hierarchy.from_dict(leaves_of(value)),
    "tree": lambda value, _, _o: Hierarchy.from_dict(tree_of(value)),
}


def leaves_of(given: Mapping[str, Any]) -> dict[str | None, Any]:
    """Leaves with None for the missing value, which TOML writes as the empty text."""
    return {leaf or None: labels for leaf, labels in given.items()}


def tree_of(given: Any) -> Any:
    """The same for a tree."""
    if isinstance(given, Mapping):
        return {label: tree_of(below) for label, below in given.items()}
    return [leaf or None for leaf in given]


def written(hierarchy: Hierarchy) -> dict[str, Any]:
    """A hierarchy as a plan writes it, what is usual left out."""
    found: dict[str, Any] = hierarchy.to_dict()
    if found.get("top") == "*":
        del found["top"]
    if found.get("other") == "other":
        del found["other"]
    return {name: False if value is None else value for name, value in found.items()}


def script(given: Mapping[str, Any]) -> str:
    """The call that builds it."""
    name = builder_of(given)
    value, options = given[name], _options(given, name)
    verbs = {"file": "from_csv", "leaves": "from_dict", "tree": "from_dict", "cuts": "intervals"}
    verb = verbs.get(name, name)
    shown = {"leaves": leaves_of, "tree": tree_of}.get(name, lambda v: v)(value)
    parts = [] if value is True else [f"cuts={shown!r}" if name == "cuts" else repr(shown)]
    parts += [
        f"{key}={pprint.pformat(v, width=_WIDTH, sort_dicts=False)}" for key, v in options.items()
    ]
    made = f"ds.Hierarchy.{verb}({', '.join(parts)})"
    if "unmapped" not in given:
        return made
    if name in _LISTED:
        return f"{made[:-1]}, unmapped={given['unmapped']!r})"
    return f"{made}.with_unmapped({given['unmapped']!r})"


HIERARCHY = Notation(
    "a hierarchy",
    lambda value: isinstance(value, Mapping),
    built,
    written,
    script,
    {"$ref": "#/$defs/hierarchy"},
    section="hierarchies",
)
