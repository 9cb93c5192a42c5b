"""A first plan: what the names of the columns and their numbers of values suggest.

It is a draft for someone who knows the data. No cell value is in it, and no bound of one:
widths of intervals are usual ones, not taken from the data.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.data.options import ALONE
from discreet.errors import listed
from discreet.formats import WRITTEN
from discreet.plan.calls import moved, reading_of
from discreet.plan.lines import At
from discreet.plan.suggested_hierarchies import is_named_for, suggested_hierarchy
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.plan.plan import Plan

Notes = dict[At, str]
_FEW = 10  # numbers with so few values may be codes
_NUMBERED = ("record_id", "household", "subject")  # what plays these roles is a number


def first_plan(data: Any, output: str | None) -> Plan:
    """A plan with suggestions and their reasons as comments."""
    found = ds.suggest_roles(data)
    notes: Notes = {(): "", **_heading()}
    source = reading_of(data).get("source", {})
    roles = _roles(data, found, notes)
    document: dict[str, Any] = {
        "source": source,
        "roles": roles,
        "types": _types(data, roles, notes),
    }
    if roles.get("keys"):
        document["hierarchies"] = _hierarchies(data, roles["keys"], found, notes)
        document["criterion"] = {"k": 5}
        document["steps"] = [{"do": "generalize", "max_suppressed": 0.02}]
    file = data.origin.file
    stem = file.name.partition(".")[0] if file else "data"
    suffix = ".parquet" if file and file.suffix in (".parquet", ".pq") else ".csv"
    suffix = file.suffix if file and file.suffix in WRITTEN else suffix
    document["outputs"] = {"masked": output or f"{stem}.masked{suffix}"}
    notes["outputs",] = _outputs(data, roles)
    here = Path.cwd()
    made = {name: section for name, section in document.items() if section}
    return ds.Plan(
        moved(made, here, here), here, notes={at: said for at, said in notes.items() if said}
    )


def _heading() -> Notes:
    return {
        ("source",): "A first plan, to be corrected by someone who knows the data.\n"
        "Then give its name to: discreet run",
        ("roles",): "identifiers are never written; keys may be known to an intruder;\n"
        "confidential is what must not be learned about a person.",
        ("types",): "as inferred; a list of values in order makes an attribute ordinal.",
        ("hierarchies",): "how the values of a key become coarser: intervals, prefixes, dates,\n"
        'by_frequency, suppress, or a file: { file = "job.csv" }.',
        ("criterion",): "p = 2 would ask for two values of each confidential attribute as well.",
    }


def _outputs(data: Any, roles: dict[str, Any]) -> str:
    """What else can be written, and what a public release needs."""
    said = 'report = "release.html" adds a report for internal use.'
    named = (*roles.get("identifiers", []), *roles.get("keys", []))
    out = {*named, *(roles.get(role) for role in _NUMBERED)}
    unique = [one.column for one in ds.unchanged(data).flagged if one.column not in out]
    if not unique:
        return said
    return (
        f"{said}\nMany records are unique on {listed(unique)}. A public release "
        '(public_report = "public.html") needs\na reason in writing for each that is '
        'released unchanged: unique_columns = { column = "reason" }.'
    )


def _roles(data: Any, found: Any, notes: Notes) -> dict[str, Any]:
    """Roles that the data have, and suggestions for columns without one."""
    given = reading_of(data).get("roles", {})
    known = {
        name for value in given.values() for name in ([value] if isinstance(value, str) else value)
    }
    roles: dict[str, Any] = {}
    for role in ("identifiers", "keys", "confidential"):
        more = [name for name in found.roles.get(role, []) if name not in known]
        roles[role] = [*given.get(role, []), *more]
        for i, name in enumerate(roles[role]):
            notes["roles", role, i] = found.reason(name) if name in more else ""
    for role in ALONE:
        name = given.get(role) or found.roles.get(role)
        if name and (role in given or name not in known):
            roles[role] = name
            notes["roles", role] = "" if role in given else found.reason(name)
    return {role: value for role, value in roles.items() if value}


def _types(data: Any, roles: dict[str, Any], notes: Notes) -> dict[str, Any]:
    named = {*roles.get("identifiers", []), *(roles.get(role) for role in _NUMBERED)}
    types: dict[str, Any] = {}
    for name in data.columns:
        if name in named or data.source.kinds[name] == "other":
            continue
        kind = data.types[name]
        types[name] = list(kind.scale) if name in data.origin.types and kind.scale else kind.measure
        distinct, missing = data.profile[name]
        notes["types", name] = counted(distinct, "value") + (
            f", {missing:,} missing" if missing else ""
        )
        if kind.why and name == roles.get("weight"):
            types[name] = "continuous"  # a weight is an amount, however few values it has
        elif kind.why:
            notes["types", name] += ": codes; if these are amounts, write continuous"
            notes["types",] = f"{_heading()['types',]}\n{kind.why}."
        elif kind.measure == "continuous" and distinct <= _FEW:
            notes["types", name] += ": if these are codes, write nominal"
        if kind.measure == "ordinal" and name not in data.origin.types:
            types[name] = "nominal"
            notes["types", name] += ": ordinal, write its values in order"
    return types


def _hierarchies(data: Any, keys: list[str], found: Any, notes: Notes) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name in keys:
        beside = _file_beside(data, name)
        if beside is not None:
            made[name] = {"file": str(beside)}
            notes["hierarchies", name] = "found beside the data"
        else:
            given = suggested_hierarchy(data, name, found.reason(name))
            made[name], notes["hierarchies", name] = given
    return made


def _file_beside(data: Any, name: str) -> Path | None:
    """A hierarchy file next to the data, as ARX names it (``adult_hierarchy_age.csv``), or in a
    folder ``hierarchies`` beside them; only one that has a place for every value.
    """
    file = data.origin.file
    if file is None:
        return None
    named = [
        *(f for f in file.parent.glob("*.csv") if "_hierarchy_" in f.name),
        *(file.parent / "hierarchies").glob("*.csv"),
    ]
    for one in sorted(named):
        if is_named_for(one.stem, name) and _fits(one, data, name):
            return one
    return None


def _fits(file: Path, data: Any, name: str) -> bool:
    try:
        ds.Hierarchy.from_csv(file).fit(name, data.frequency_set([name]).values[0])
    except ds.DiscreetError:
        return False
    return True
