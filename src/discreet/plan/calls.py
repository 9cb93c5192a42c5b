"""From calls to a plan: what was said of microdata and done with them, as sections of a plan.

Only what was given to the calls is recorded. What they found in the data — the values of a
column, the groups of a hierarchy once fitted, the suppressed combinations — is not.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.data.options import ROLES, is_scalar
from discreet.errors import fail
from discreet.hierarchies.written import written as dumped
from discreet.plan import criteria, measures
from discreet.plan.document import FILES
from discreet.plan.steps import hierarchies_in
from discreet.registry import maskings

if TYPE_CHECKING:
    from discreet.plan.plan import Plan

Call = tuple[str, Mapping[str, Any]]  # a verb and its arguments


def plan_of(
    data: Any,
    output: str,
    more: Sequence[Call] = (),
    measured: Mapping[str, Mapping[str, Any]] | None = None,
    criterion: Any = None,
) -> Plan:
    """The plan that repeats what was done to microdata, then some more calls, and measures it."""
    steps = getattr(data, "steps", ())
    calls = [*((step.method, step.asked or step.parameters) for step in steps), *more]
    initial = getattr(data, "initial", data)
    asked: dict[str, Any] = {"measures": measures.written(measured)} if measured else {}
    if criterion is not None:
        asked["criterion"] = criteria.written(criterion)
    document = {**reading_of(initial), **_done(calls), **asked, "outputs": {"masked": output}}
    here = Path.cwd()
    return ds.Plan.of(moved(document, here, here), here)


def reading_of(data: Any) -> dict[str, Any]:
    """Source, roles and types, the usual left out."""
    file, policy = data.origin.file, data.missing
    source = {
        **({} if file is None else {"file": str(file)}),
        **plain(data.origin.options),
        **({} if policy == "category" else {"missing": policy}),
    }
    roles = {role: getattr(data, role) for role in ROLES}
    sections = {
        "source": source,
        "roles": {role: plain(given) for role, given in roles.items() if given},
        "types": dict(data.origin.types),
    }
    return {name: section for name, section in sections.items() if section}


def _done(calls: Sequence[Call]) -> dict[str, Any]:
    """The steps, and as sections of their own the hierarchies of the last generalization and,
    where nothing was done after a step, its criterion: the plan's criterion must hold in the end.
    """
    steps = [_step(verb, asked) for verb, asked in calls]
    used = [step["hierarchies"] for step in steps if "hierarchies" in step]
    for step in steps:
        if used and step.get("hierarchies") == used[-1]:
            del step["hierarchies"]
    shared: dict[str, Any] = {"hierarchies": used[-1] if used else {}}
    if steps and _holds(steps[-1]):
        shared["criterion"] = steps[-1].pop("criterion", {})
    shared["steps"] = steps
    return {name: section for name, section in shared.items() if section}


def _holds(step: Mapping[str, Any]) -> bool:
    """Whether the criterion of a step holds in the end, as a check counts it."""
    holds = maskings[step["do"]].holds
    return holds is None or bool(holds(step))


def _step(verb: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    if verb not in maskings:
        fail("N20", f"a plan has no step for {verb!r}.", f"It has {', '.join(maskings)}.")
    step: dict[str, Any] = {"do": verb}
    for name, parameter in maskings[verb].parameters.items():
        value = asked.get(name)
        if value is None or value in ([], {}, ()):
            continue
        if parameter.shared:
            step[name] = _SHARED[parameter.shared](value)
        else:
            step[name] = plain(parameter.written.dump(value) if parameter.written else value)
    return step


_SHARED: dict[str, Callable[[Any], Any]] = {
    "hierarchies": lambda value: {k: dumped(one) for k, one in value.items()},
    "criterion": criteria.written,
}


def plain(value: Any) -> Any:
    """As TOML and JSON have it: numbers of numpy as numbers of Python, tuples as lists, and what
    they have no word for as its text.
    """
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist()) if getattr(value, "ndim", 0) else value.tolist()
    value = value.item() if hasattr(value, "item") else value
    return value if value is None or is_scalar(value) else str(value)


def moved(document: Mapping[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """A document whose files are named relative to a new folder, or absolutely when not below."""
    return with_files(document, lambda name: _relative(old / Path(name).expanduser(), new))


def with_files(document: Mapping[str, Any], called: Callable[[str], str]) -> dict[str, Any]:
    """A document whose files have other names."""
    changed = copy.deepcopy(dict(document))
    for table, name in files_of(changed):
        table[name] = called(table[name])
    return changed


def files_of(document: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Every place of a document that names a file: the table and the key."""
    if "file" in document.get("source", {}):
        yield document["source"], "file"
    yield from (
        (document["outputs"], name) for name in FILES if name in document.get("outputs", {})
    )
    for part in (document, *document.get("steps", [])):
        named = [
            *part.get("hierarchies", {}).values(),
            *criteria.inner_tables(part.get("criterion")),
            *(one for _, one in hierarchies_in(part)),
        ]
        yield from ((one, "file") for one in named if isinstance(one, dict) and "file" in one)
        yield from criteria.files_in(part.get("criterion"))
    yield from measures.files_in(document.get("measures", {}))


def read_files(document: Mapping[str, Any]) -> Iterator[str]:
    """The files that a document names to be read."""
    outputs = document.get("outputs")
    yield from (table[name] for table, name in files_of(document) if table is not outputs)


def _relative(file: Path, folder: Path) -> str:
    try:
        way = os.path.relpath(file, folder)
    except ValueError:  # another drive
        return str(file)
    return str(file) if way.startswith(os.pardir + os.sep + os.pardir) else Path(way).as_posix()
