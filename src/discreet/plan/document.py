"""The sections of a plan, and all that is wrong with them, at once and with their lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.data.options import OF_SOURCE, ROLES, is_codes
from discreet.errors import Problem, argument, meant
from discreet.formats import WRITTEN
from discreet.parameters import Columns
from discreet.plan import criteria, hierarchies, measures, steps
from discreet.plan.fields import (
    COLUMNS,
    FLAG,
    SEED,
    TEXT,
    TEXTS,
    Field,
    Fields,
    Where,
    table_problems,
)
from discreet.plan.lines import At
from discreet.registry import maskings
from discreet.words import either

SOURCE: Fields = {"file": TEXT, **OF_SOURCE}
OUTPUTS = {
    "masked": TEXT,
    "ledger": TEXT,
    "public": TEXT,
    "report": TEXT,
    "public_report": TEXT,
    "note": TEXT,
    "identifiers": COLUMNS,
    "unique_columns": Field(
        "a table of columns and the reason why each may be made public",
        lambda v: (
            isinstance(v, Mapping)
            and all(isinstance(one, str) and one.strip() for one in v.values())
        ),
        columns=Columns(),
    ),
    "escape_formulas": FLAG,
    "metadata": TEXTS,
    "seed": SEED,
}
PUBLIC = ("public", "public_report")  # outputs that make a release a public one
FILES = {  # the outputs that are files, in the order in which they appear; the ledger is last
    "masked": (".csv", ".parquet", *WRITTEN),
    "report": (".html",),
    "public_report": (".html",),
    "public": (".json",),
    "ledger": (".json",),
}
AUDIENCES = {"report": "internal", "public_report": "public"}
TYPE = Field(
    "continuous, nominal, or the list of its values in order",
    lambda v: v in ("continuous", "nominal") or _is_scale(v),
    {"anyOf": [{"enum": ["continuous", "nominal"]}, {"type": "array", "minItems": 1}]},
)
_TABLE = Field("a table", lambda v: isinstance(v, Mapping))
SECTIONS = {
    "source": _TABLE,
    "roles": _TABLE,
    "types": _TABLE,
    "hierarchies": _TABLE,
    "criterion": Field("a table or a list of tables", lambda v: isinstance(v, Mapping | list)),
    "steps": Field(
        "a list of tables: [[steps]]",
        lambda v: isinstance(v, list) and all(isinstance(one, Mapping) for one in v),
    ),
    "measures": _TABLE,
    "outputs": _TABLE,
}


def _is_scale(value: Any) -> bool:
    return is_codes(value) and 0 < len(value) == len({str(one) for one in value})


def writing_options(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """What the outputs of a plan say of how the masked file is written."""
    names = ("identifiers", "escape_formulas", "metadata", "seed")
    return {name: outputs[name] for name in names if name in outputs}


def report_options(outputs: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What the outputs of a plan say of a report; the remarks are not for the public."""
    names = ("unique_columns", "identifiers", *(("note",) if name == "report" else ()))
    given = {one: outputs[one] for one in names if one in outputs}
    return {"audience": AUDIENCES[name], **given}


def document_problems(document: Mapping[str, Any], where: Where, folder: Path) -> list[Problem]:
    """Everything wrong with a plan that can be seen without its source."""
    problems = table_problems(document, SECTIONS, (), where)
    sound = {
        name: value
        for name, value in document.items()
        if name in SECTIONS and SECTIONS[name].fits(value)
    }
    for name, fields in (("source", SOURCE), ("roles", ROLES), ("outputs", OUTPUTS)):
        if name in sound:
            problems += table_problems(sound[name], fields, (name,), where)
    types = sound.get("types", {})
    problems += table_problems(types, dict.fromkeys(types, TYPE), ("types",), where)
    problems += _hierarchy_problems(sound.get("hierarchies", {}), ("hierarchies",), where, folder)
    problems += _keyless(sound, where)
    problems += _repeated(sound.get("roles", {}), where)
    if "criterion" in sound:
        problems += criteria.criterion_problems(sound["criterion"], ("criterion",), where, folder)
    problems += _step_problems(sound, where, folder)
    problems += measures.section_problems(sound.get("measures", {}), ("measures",), where)
    return [*problems, *_output_problems(sound, where)]


def _hierarchy_problems(given: Any, at: At, where: Where, folder: Path) -> list[Problem]:
    return [
        problem
        for name, one in given.items()
        for problem in hierarchies.hierarchy_problems(one, (*at, name), where, folder)
    ]


def _keyless(document: Mapping[str, Any], where: Where) -> list[Problem]:
    """Hierarchies of columns that are not keys."""
    keys = document.get("roles", {}).get("keys", [])
    remedy = "Name it in roles.keys, or leave the hierarchy out."  # a key may be misspelled itself
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        return []  # which is said
    return [
        where.problem(("hierarchies", name), "R10", "is not a key.", remedy)
        for name in document.get("hierarchies", {})
        if name not in keys
    ]


def _repeated(roles: Mapping[str, Any], where: Where) -> list[Problem]:
    """Columns that a role names twice."""
    return [
        where.problem(
            ("roles", role, i), "R02", f"{name!r} is named more than once.", "Name it once."
        )
        for role, given in roles.items()
        if isinstance(given, list)
        for i, name in enumerate(given)
        if isinstance(name, str) and name in given[:i]
    ]


def _step_problems(document: Mapping[str, Any], where: Where, folder: Path) -> list[Problem]:
    problems = []
    for i, step in enumerate(document.get("steps", [])):
        at: At = ("steps", i)
        problems += steps.step_problems(step, at, where)
        own, criterion = step.get("hierarchies"), step.get("criterion")
        if isinstance(own, Mapping):
            problems += _hierarchy_problems(own, (*at, "hierarchies"), where, folder)
        if isinstance(step, Mapping):
            problems += steps.hierarchy_problems_in(step, at, where, folder)
        if isinstance(criterion, Mapping | list):
            here = (*at, "criterion")
            problems += criteria.criterion_problems(criterion, here, where, folder)
        wants = _needs_criterion(step)
        if wants and not (criterion or document.get("criterion")):
            what = "it needs a criterion, and none is given."
            remedy = (
                f"Under {argument('criterion', written='[criterion]')}, write for example k = 5."
            )
            problems.append(where.problem(at, "P32", what, remedy, wants))
    return problems


def _needs_criterion(step: Mapping[str, Any]) -> str:
    """What a step that works towards a criterion does; empty for the others."""
    named = step.get("do")
    if not isinstance(named, str) or named not in maskings:
        return ""
    wants = any(p.shared == "criterion" and p.required for p in maskings[named].parameters.values())
    return named if wants else ""


def _output_problems(document: Mapping[str, Any], where: Where) -> list[Problem]:
    outputs = document.get("outputs", {})
    problems = []
    named = {name: outputs[name] for name in FILES if isinstance(outputs.get(name), str)}
    for name, file in named.items():
        if Path(file).suffix not in FILES[name]:
            what = f"does not end in {either(FILES[name])}."
            problems.append(where.problem(("outputs", name), "O01", what, "Change the ending."))
    for name, file in named.items():
        twin = next(n for n, f in named.items() if Path(f) == Path(file))
        if twin != name:
            what = f"names the same file as {twin!r}."
            problems.append(where.problem(("outputs", name), "P34", what, "Name another."))
    return problems


def named_columns(document: Mapping[str, Any]) -> Iterator[tuple[At, str]]:
    """Every column that a plan names, and where; whatever does not fit is passed over."""
    for section, fields in (("source", SOURCE), ("roles", ROLES), ("outputs", OUTPUTS)):
        yield from _columns_in(document.get(section), fields, (section,))
    for section in ("types", "hierarchies"):
        yield from (((section, name), name) for name in _mapping(document.get(section)))
    yield from _criterion_columns(document.get("criterion"), ("criterion",))
    for i, step in enumerate(_list(document.get("steps"))):
        named = str(_mapping(step).get("do"))
        if named in maskings:
            at: At = ("steps", i)
            yield from _columns_in(step, steps.fields_of(maskings[named]), at)
            own = _mapping(step.get("hierarchies"))
            yield from (((*at, "hierarchies", name), name) for name in own)
            yield from _criterion_columns(step.get("criterion"), (*at, "criterion"))
    for here, known, table in measures.tables_in(document.get("measures"), ("measures",)):
        yield from _columns_in(table, known, here)


def _columns_in(table: Any, fields: Fields, at: At) -> Iterator[tuple[At, str]]:
    for name, value in _mapping(table).items():
        columns = fields[name].columns if name in fields else None
        if columns is None or not fields[name].fits(value):
            continue
        here = (*at, name)
        if columns.named is None:
            yield from _names(here, value)
        else:
            within = value if isinstance(value, Mapping) else ()
            for one in columns.named(value):
                yield (*here, one) if one in within else here, one


def _names(at: At, value: Any) -> Iterator[tuple[At, str]]:
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, Mapping):
        yield from (((*at, name), name) for name in value)
    else:
        yield from (((*at, i), name) for i, name in enumerate(value))


def _criterion_columns(given: Any, at: At) -> Iterator[tuple[At, str]]:
    for here, fields, table in criteria.columns_in(given, at):
        yield from _columns_in(table, fields, here)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def column_problems(
    document: Mapping[str, Any],
    columns: Sequence[str],
    source: str,
    where: Where,
    sure: bool = True,
) -> list[Problem]:
    """The columns that a plan names and the source does not have."""
    problems = []
    for at, name in named_columns(document):
        if name not in columns:
            what = f"{name!r} is not a column of {source}."
            remedy = meant(name, columns, sure)
            problems.append(where.problem(at, "R01", what, remedy))
    return problems
