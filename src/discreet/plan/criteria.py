"""Criteria in a plan: one table, or several that must all hold.

[criterion]
k = 5
p = 2
closeness = 0.2
disclosure_risk = { limit = 0.05, weights = { threshold = 3 } }
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.criteria.kind import CriterionKind
from discreet.errors import Problem, fail, raise_all
from discreet.parameters import Parameter
from discreet.plan import hierarchies
from discreet.plan.fields import OR_INSTALL, Field, Fields, Where, table_problems, table_schema
from discreet.plan.lines import At
from discreet.plan.steps import hierarchy_problems_in
from discreet.plan.toml import inline
from discreet.registry import criteria

_MOST = 2000  # signs of a text that is read as a plan is
NAMED = "confidential"  # beside the criteria of a table: the attributes that all of them apply to


def inline_kinds() -> list[CriterionKind]:
    """The kinds whose parameters are keys of the table; those that ask for more come first."""
    kinds = [kind for kind in criteria.all() if kind.inline]
    return sorted(kinds, key=lambda kind: (-len(kind.needed), kind.name))


def nested_kinds() -> dict[str, CriterionKind]:
    """The kinds that have a key of their own."""
    return {kind.key: kind for kind in criteria.all() if not kind.inline}


def fields() -> dict[str, Field | Parameter]:
    """The keys of a table of criteria."""
    inline = {p.name: p for kind in inline_kinds() for p in kind.parameters.values()}
    nested = {key: _short_or_table(kind) for key, kind in nested_kinds().items()}
    named = inline.pop(NAMED)
    return {**inline, NAMED: named, **nested}


def tables_of(given: Any) -> list[Any]:
    """The tables of criteria: one, several, or none."""
    return [given] if isinstance(given, Mapping) else list(given or [])


def _placed(given: Any, at: At) -> list[tuple[At, Any]]:
    """The tables of criteria, and where each stands."""
    return (
        [((*at, i), one) for i, one in enumerate(given)]
        if isinstance(given, list)
        else [(at, given)]
    )


def _nested_in(table: Any) -> Iterator[tuple[str, CriterionKind, Any]]:
    """The kinds that have a table of their own within a table, by their keys."""
    for key, kind in nested_kinds().items():
        if isinstance(table, Mapping) and isinstance(table.get(key), Mapping):
            yield key, kind, table[key]


def _short_or_table(kind: CriterionKind) -> Field:
    first = kind.first
    if len(kind.needed) > 1:
        return Field("a table", lambda v: isinstance(v, Mapping))
    return Field(f"{first.words}, or a table", lambda v: first.fits(v) or isinstance(v, Mapping))


def criterion_problems(given: Any, at: At, where: Where, folder: Path) -> list[Problem]:
    """What is wrong with the criteria of a plan."""
    return [
        problem
        for here, table in _placed(given, at)
        for problem in _table_problems(table, here, where, folder)
    ]


def _table_problems(given: Any, at: At, where: Where, folder: Path) -> list[Problem]:
    problems = table_problems(given, fields(), at, where, also=OR_INSTALL)
    if not isinstance(given, Mapping):
        return problems
    for key, kind, inner in _nested_in(given):
        problems += _inner_problems(inner, kind, (*at, key), where, folder)
    problems += _companions(given, at, where)
    if not problems:
        with where.noted(at, problems):
            criteria_in(given, folder)
    return problems


def _inner_problems(
    inner: Mapping[str, Any], kind: CriterionKind, at: At, where: Where, folder: Path
) -> list[Problem]:
    problems = table_problems(inner, kind.parameters, at, where, kind.needed)
    for name, parameter in kind.parameters.items():
        deeper = parameter.written is not None and parameter.written.section == "hierarchies"
        if deeper and isinstance(inner.get(name), Mapping):
            here = (*at, name)
            problems += hierarchies.hierarchy_problems(inner[name], here, where, folder)
    return problems


def _companions(given: Mapping[str, Any], at: At, where: Where) -> list[Problem]:
    """What a parameter needs beside it: p needs k."""
    for kind in inline_kinds():
        lacking = [name for name in kind.needed if name not in given]
        if kind.first.name in given and lacking:
            what = f"{lacking[0]!r} is missing beside {kind.first.name!r}."
            remedy = f"Write {lacking[0]} = …, at least {kind.first.name}."
            return [where.problem(at, "P32", what, remedy)]
    return []


def built(given: Mapping[str, Any] | Sequence[Mapping[str, Any]], folder: Path) -> list[Any]:
    """The criteria, all of which must hold."""
    return [criterion for table in tables_of(given) for criterion in criteria_in(table, folder)]


def criteria_in(given: Mapping[str, Any], folder: Path) -> list[Any]:
    """The criteria of one table."""
    return [kind.of(table, folder) for kind, table in kinds_in(given)]


def kinds_in(given: Mapping[str, Any]) -> Iterator[tuple[CriterionKind, dict[str, Any]]]:
    """The kinds that a table names, each with the parameters it gives: sizes first, then the
    others as they are written."""
    left = dict(given)
    for kind in inline_kinds():
        if all(name in left for name in kind.needed):
            own = {n: left[n] for n in kind.parameters if n in left}
            for name in own:
                if name != NAMED:
                    del left[name]
            yield kind, own
    nested = nested_kinds()
    for key in (name for name in left if name in nested):  # in the order of the plan
        kind = nested[key]
        inner = left[key] if isinstance(left[key], Mapping) else {kind.first.name: left[key]}
        shared = {NAMED: left[NAMED]} if NAMED in left and NAMED in kind.parameters else {}
        yield kind, {**shared, **inner}


def kind_of(criterion: Any) -> CriterionKind:
    """The kind that a criterion is of."""
    for kind in criteria.all():
        if type(criterion) is kind.made:
            found: CriterionKind = kind
            return found
    what = f"a criterion of type {type(criterion).__name__} cannot stand in a plan."
    fail("N20", what, "Use one of those of discreet, or of a package that adds some.")


def written(criterion: Any) -> dict[str, Any] | list[dict[str, Any]]:
    """Criteria as a plan writes them: in one table where no key stands twice."""
    several = criterion if isinstance(criterion, list | tuple) else [criterion]
    tables = [_written(part) for one in several for part in one.parts]
    keys = [key for table in tables for key in table]
    if len(keys) == len(set(keys)) and not (NAMED in keys and len(tables) > 1):
        return {key: value for table in tables for key, value in table.items()}
    return tables


def _written(criterion: Any) -> dict[str, Any]:
    kind = kind_of(criterion)
    table = kind.written(criterion)
    return table if kind.inline else {kind.key: table}


def script(given: Any) -> str:
    """The criteria as an expression of Python."""
    parts = [_script(kind, own) for table in tables_of(given) for kind, own in kinds_in(table)]
    return parts[0] if len(parts) == 1 else "[\n" + "".join(f"    {p},\n" for p in parts) + "]"


def _script(kind: CriterionKind, table: Mapping[str, Any]) -> str:
    said = []
    for name, value in table.items():
        form = kind.parameters[name].written
        shown = form.script(value) if form is not None else repr(value)
        alone = name == kind.first.name and len(kind.needed) == 1
        said.append(shown if alone else f"{name}={shown}")
    first = kind.first.name
    said.sort(key=lambda part: "=" in part and not part.startswith(f"{first}="))
    return f"ds.{kind.name}({', '.join(said)})"


def written_text(value: Any) -> str:
    """What a plan writes of a parameter that is no number, word or columns, as the text of a field;
    empty where it is an object of Python.
    """
    if isinstance(value, str):
        return value
    return inline(value) if isinstance(value, Mapping | list) else ""


def written_in(parameter: Parameter, text: str) -> Any:
    """The value that such a text stands for; ValueError where it stands for none. A text names no
    file: those of a plan lie beside it.

    Examples
    --------
    >>> weights = criteria["DisclosureRiskAtMost"].parameters["weights"]
    >>> written_in(weights, "minimal"), written_in(weights, "{ threshold = 3 }")
    ('minimal', {'threshold': 3})
    """
    read = plain_in(parameter, text)
    if not isinstance(read, str) and "file" in read:
        raise ValueError(parameter.words)
    return read


def plain_in(parameter: Parameter, text: str) -> Any:
    """The plain value that a text stands for: itself, or what it is in TOML."""
    if parameter.fits(text):
        return text
    if len(text) > _MOST or "\n" in text:
        raise ValueError("too long")
    try:
        read = tomllib.loads(f"given = {text}")
    except RecursionError:
        raise ValueError("too deep") from None
    if set(read) != {"given"} or not parameter.fits(read["given"]):
        raise ValueError(parameter.words)
    return read["given"]


def need_hierarchies(step: Mapping[str, Any]) -> None:
    """Refuse hierarchies in parameters of a step, given elsewhere than in a plan, that are none."""
    raise_all(hierarchy_problems_in(step, (), Where(), Path()))


def columns_in(given: Any, at: At) -> Iterator[tuple[At, Fields, Mapping[str, Any]]]:
    """Every table of a criterion with its fields, and where it stands."""
    for here, table in _placed(given, at):
        if isinstance(table, Mapping):
            yield here, fields(), table
        yield from (((*here, key), kind.parameters, one) for key, kind, one in _nested_in(table))


def inner_tables(given: Any, section: str = "") -> Iterator[dict[str, Any]]:
    """Tables within criteria that are written like a section of the plan, or that name a file."""
    for table in tables_of(given):
        for _, kind, inner in _nested_in(table):
            for name, parameter in kind.parameters.items():
                one, form = inner.get(name), parameter.written
                if form is not None and isinstance(one, dict) and section in ("", form.section):
                    yield one


def files_in(given: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Every place of criteria that names a file by itself: the table and the key."""
    for table in tables_of(given):
        for _, kind, inner in _nested_in(table):
            yield from ((inner, name) for name in kind.files if name in inner)


def schema() -> dict[str, Any]:
    """JSON Schema of the criteria of a plan."""
    inline = {p.name: p.schema() for kind in inline_kinds() for p in kind.parameters.values()}
    nested = {key: _nested_schema(kind) for key, kind in nested_kinds().items()}
    table = table_schema({**inline, **nested})
    return {"anyOf": [table, {"type": "array", "items": table}]}


def _nested_schema(kind: CriterionKind) -> dict[str, Any]:
    properties = {name: p.schema() for name, p in kind.parameters.items()}
    table = table_schema(properties, kind.needed)
    return {
        "title": kind.title,
        "description": kind.about,
        "anyOf": [*([kind.first.schema()] if len(kind.needed) == 1 else []), table],
    }
