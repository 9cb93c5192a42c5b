"""Criteria in a plan: one table, or several that must all hold.

[criterion]
k = 5
p = 2
closeness = 0.2
disclosure_risk = { limit = 0.05, weights = { threshold = 3 } }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import discreet as ds
from discreet.errors import DiscreetError, Problem, fail
from discreet.planning import hierarchies
from discreet.planning.fields import (
    COLUMNS,
    TEXT,
    Field,
    choice,
    is_number,
    is_whole,
    number,
    table_problems,
    whole,
)
from discreet.planning.lines import At
from discreet.planning.where import Where

_SHARE = number(0, 1)


def _or_table(alone: str, fits: Any) -> Field:
    return Field(f"{alone}, or a table", lambda v: fits(v) or isinstance(v, Mapping))


FIELDS = {
    "k": whole(1),
    "p": whole(1),
    "confidential": COLUMNS,
    "diversity": _or_table("a whole number of at least 1", lambda v: is_whole(v) and v >= 1),
    "closeness": _or_table("a number from 0 to 1", lambda v: is_number(v) and 0 <= v <= 1),
    "disclosure_risk": _or_table("a number from 0 to 1", lambda v: is_number(v) and 0 <= v <= 1),
}
_DIVERSITY = {
    "l": whole(1),
    "kind": choice("distinct", "entropy", "recursive"),
    "c": Field("a number above 0", lambda v: is_number(v) and v > 0),
    "confidential": COLUMNS,
}
_CLOSENESS = {
    "t": _SHARE,
    "distance": choice("equal", "ordered", "hierarchical"),
    "hierarchy": Field("a hierarchy", lambda v: isinstance(v, Mapping)),
    "confidential": COLUMNS,
}
_RISK = {
    "limit": _SHARE,
    "weights": Field(
        "minimal, maximal, or a table of one kind",
        lambda v: v in ("minimal", "maximal") or (isinstance(v, Mapping) and len(v) == 1),
    ),
}
_WEIGHTS = {
    "threshold": whole(1),
    "decay": _SHARE,
    "file": TEXT,
    "matrix": Field("a list of rows of numbers", lambda v: isinstance(v, list)),
}
_INNER = {
    "diversity": (_DIVERSITY, ("l",)),
    "closeness": (_CLOSENESS, ("t",)),
    "disclosure_risk": (_RISK, ("limit",)),
}


def criterion_problems(given: Any, at: At, where: Where, folder: Path) -> list[Problem]:
    """What is wrong with the criteria of a plan."""
    if not isinstance(given, list):
        return _table_problems(given, at, where, folder)
    return [
        problem
        for i, one in enumerate(given)
        for problem in _table_problems(one, (*at, i), where, folder)
    ]


def _table_problems(given: Any, at: At, where: Where, folder: Path) -> list[Problem]:
    problems = table_problems(given, FIELDS, at, where)
    if not isinstance(given, Mapping):
        return problems
    for name, (fields, need) in _INNER.items():
        inner = given.get(name)
        if isinstance(inner, Mapping):
            problems += table_problems(inner, fields, (*at, name), where, need)
            problems += _deeper(inner, (*at, name), where, folder)
    if "p" in given and "k" not in given:
        what = "'k' is missing beside 'p'."
        problems.append(where.problem(at, "P32", what, "Write k = …, at least p."))
    if problems:
        return problems
    try:
        criteria_in(given, folder)
    except DiscreetError as error:
        return where.all(at, error.problems)
    return []


def _deeper(inner: Mapping[str, Any], at: At, where: Where, folder: Path) -> list[Problem]:
    problems = []
    if isinstance(inner.get("weights"), Mapping):
        problems += table_problems(inner["weights"], _WEIGHTS, (*at, "weights"), where)
    if isinstance(inner.get("hierarchy"), Mapping):
        problems += hierarchies.hierarchy_problems(
            inner["hierarchy"], (*at, "hierarchy"), where, folder
        )
    return problems


def built(given: Mapping[str, Any] | Sequence[Mapping[str, Any]], folder: Path) -> list[Any]:
    """The criteria, all of which must hold."""
    tables = [given] if isinstance(given, Mapping) else given
    return [criterion for table in tables for criterion in criteria_in(table, folder)]


def criteria_in(given: Mapping[str, Any], folder: Path) -> list[Any]:
    """The criteria of one table."""
    named = given.get("confidential")
    found: list[Any] = []
    if "p" in given:
        found.append(ds.PSensitiveKAnonymity(given["p"], given["k"], _names(named)))
    elif "k" in given:
        found.append(ds.KAnonymity(given["k"]))
    if "diversity" in given:
        options = _table(given["diversity"], "l")
        found.append(ds.LDiversity(**{**options, "confidential": _names(options, named)}))
    if "closeness" in given:
        options = _table(given["closeness"], "t")
        if "hierarchy" in options:
            options["hierarchy"] = hierarchies.built(options["hierarchy"], folder)
        found.append(ds.TCloseness(**{**options, "confidential": _names(options, named)}))
    if "disclosure_risk" in given:
        options = _table(given["disclosure_risk"], "limit")
        weights = weights_of(options.get("weights", "maximal"), folder)
        found.append(ds.DisclosureRiskAtMost(options["limit"], weights))
    return found


def _table(given: Any, name: str) -> dict[str, Any]:
    return dict(given) if isinstance(given, Mapping) else {name: given}


def _names(given: Any, otherwise: Any = None) -> tuple[str, ...] | None:
    chosen = given.get("confidential", otherwise) if isinstance(given, Mapping) else given
    return None if chosen is None else tuple(chosen)


def weights_of(given: Any, folder: Path) -> Any:
    """The weights of a disclosure risk."""
    if given == "minimal":
        return ds.Weights.minimal()
    if given == "maximal":
        return ds.Weights.maximal()
    kind, value = next(iter(given.items()))
    if kind == "file":
        return ds.Weights.from_csv(folder / value)
    makers: dict[str, Any] = {
        "threshold": ds.Weights.threshold,
        "decay": ds.Weights.decay,
        "matrix": ds.Weights.from_matrix,
    }
    return makers[kind](value)


def written(criterion: Any) -> dict[str, Any] | list[dict[str, Any]]:
    """Criteria as a plan writes them: in one table where no key stands twice."""
    several = criterion if isinstance(criterion, list | tuple) else [criterion]
    flat = [c for one in several for c in (one.criteria if isinstance(one, ds.AllOf) else [one])]
    tables = [_written(one) for one in flat]
    keys = [key for table in tables for key in table]
    if len(keys) == len(set(keys)) and not ("confidential" in keys and len(tables) > 1):
        return {key: value for table in tables for key, value in table.items()}
    return tables


def _written(criterion: Any) -> dict[str, Any]:
    named = getattr(criterion, "confidential", None)
    only = {} if named is None else {"confidential": list(named)}
    if isinstance(criterion, ds.KAnonymity):
        return {"k": criterion.k}
    if isinstance(criterion, ds.PSensitiveKAnonymity):
        return {"p": criterion.p, "k": criterion.k, **only}
    if isinstance(criterion, ds.LDiversity):
        parts = {"l": criterion.l, "kind": criterion.kind, "c": criterion.c, **only}
        return {"diversity": {key: value for key, value in parts.items() if value is not None}}
    if isinstance(criterion, ds.TCloseness):
        inner: dict[str, Any] = {"t": criterion.t, "distance": criterion.distance, **only}
        if criterion.hierarchy is not None:
            inner["hierarchy"] = hierarchies.written(criterion.hierarchy)
        return {"closeness": inner}
    if isinstance(criterion, ds.DisclosureRiskAtMost):
        weights = criterion.weights.to_dict()
        return {"disclosure_risk": {"limit": criterion.limit, "weights": weights}}
    what = f"a criterion of type {type(criterion).__name__} cannot stand in a plan."
    fail("N20", what, "Use one of those of discreet.")
