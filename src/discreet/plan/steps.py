"""The steps of a plan: each names a masking method and gives its parameters, by the same names."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.errors import Problem, did_you_mean, listed
from discreet.masking.method import Done, Method, unfit_columns
from discreet.parameters import Parameter, is_whole
from discreet.plan.fields import OR_INSTALL, Field, Where, choice, table_problems
from discreet.plan.hierarchies import hierarchy_problems
from discreet.plan.lines import At
from discreet.registry import maskings

Step = Mapping[str, Any]
SHARED = {
    "hierarchies": Field(
        "a table of hierarchies",
        lambda v: isinstance(v, Mapping),
        {"$ref": "#/properties/hierarchies"},
    ),
    "criterion": Field(
        "a table or a list of them",
        lambda v: isinstance(v, Mapping | list),
        {"$ref": "#/properties/criterion"},
    ),
}


_BY_OTHER_MEANS = "Leave it out; the page of the method says what plans have in its place."


@dataclass(frozen=True)
class SharedByPlan:
    """What steps share: the hierarchies of the keys and the criterion of the plan."""

    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    criterion: Sequence[Any] = ()


def fields_of(method: Method) -> dict[str, Field | Parameter]:
    """The keys that a step takes beside ``do``."""
    said = {name: p for name, p in method.parameters.items() if not p.python_only}
    return {name: SHARED[p.shared] if p.shared else p for name, p in said.items()}


def method_of(step: Step) -> Method:
    """The method that a step names."""
    found: Method = maskings[step["do"]]
    return found


def step_problems(step: Any, at: At, where: Where) -> list[Problem]:
    """What is wrong with the keys of a step."""
    if not isinstance(step, Mapping) or "do" not in step:
        remedy = f"Write do = …: one of {listed(maskings)}."
        return [where.problem(at, "P32", "does not say what to do.", remedy)]
    if step["do"] not in maskings:
        others = f"Use one of {listed(maskings)}.{OR_INSTALL}"
        near = did_you_mean(str(step["do"]), maskings) or others
        return [where.problem((*at, "do"), "P31", "is not a kind of step.", near)]
    method = method_of(step)
    fields = {"do": choice(*maskings), **fields_of(method)}
    only = [name for name, p in method.parameters.items() if p.python_only and name in step]
    known = {name: value for name, value in step.items() if name not in only}
    problems = table_problems(known, fields, at, where, method.needed(step))
    for name in only:
        what = f"{name!r} can be given in Python only."
        problems.append(where.problem((*at, name), "P30", what, _BY_OTHER_MEANS))
    for name in method.unasked(step):
        what = "is not a parameter of the measure that the step names."
        problems.append(where.problem((*at, name), "P30", what, "Leave it out."))
    for names in method.groups.values():
        if sum(name in step for name in names) != 1:
            what = f"needs {' or '.join(names)}, one of the two."
            problems.append(where.problem(at, "P32", what, "Give one."))
    return problems


def steps_on_source(steps: Sequence[Step]) -> list[Step]:
    """The steps up to the first one that may make labels of a column, or leave records out."""
    methods = [method_of(one) for one in steps]
    after = (n for n, one in enumerate(methods, 1) if one.takes("hierarchies") or one.seed)
    return list(steps[: next(after, len(steps))])


def unfit_problems(step: Step, data: Any) -> list[Problem]:
    """The columns of a step that its method cannot work with, as they are in a file."""
    method = method_of(step)
    given = {**{p.name: p.default for p in method.parameters.values()}, **step}
    problems: list[Problem] = []
    for name, parameter in method.parameters.items():
        fit = parameter.columns.fit if parameter.columns else None
        if fit is not None and name in step:
            named = parameter.columns_in(step[name])
            chosen = [one for one in data.columns if one in named]
            problems += method.entry.call(unfit_columns, data, chosen, given, fit)
    return problems


def hierarchies_in(step: Any) -> Iterator[tuple[At, dict[str, Any]]]:
    """Hierarchies in parameters of a step other than the section that steps share: where each
    stands, and its table."""
    known = maskings[step["do"]].parameters if step.get("do") in maskings else {}
    for name, parameter in known.items():
        given = step.get(name)
        if parameter.written is None or parameter.written.section != "hierarchies":
            continue
        if isinstance(given, Mapping):
            yield from (((name, key), one) for key, one in given.items() if isinstance(one, dict))


def hierarchy_problems_in(step: Any, at: At, where: Where, folder: Path) -> list[Problem]:
    """What is wrong with the hierarchies in parameters of a step."""
    found = []
    for inner, one in hierarchies_in(step):
        table = {key: part for key, part in one.items() if key != "level"}
        found += hierarchy_problems(table, (*at, *inner), where, folder)
    return found


def with_seed(step: Step, seed: int | None = None) -> dict[str, Any]:
    """A step that can be repeated: one that draws at random and has no seed gets one, the usual
    one where the method has it."""
    drawn = method_of(step).seed
    if drawn is None or drawn.name in step:
        return dict(step)
    if seed is None:
        seed = drawn.default if is_whole(drawn.default) else secrets.randbits(63)
    return {**step, drawn.name: seed}


def seed_in(step: Step) -> Any:
    """The seed of a step; None where it has none, or its method is not here."""
    drawn = method_of(step).seed if step["do"] in maskings else None
    return None if drawn is None else step.get(drawn.name)


def done(data: Any, step: Step, given: SharedByPlan, folder: Path) -> Done:
    """Carry out a step; files are relative to the folder."""
    method = method_of(step)
    return method.run(data, {**loaded(method, step, folder), **shared(method, given)})


def loaded(method: Method, step: Step, folder: Path) -> dict[str, Any]:
    """The arguments that a step gives, as Python has them."""
    found = {}
    for name, value in step.items():
        parameter = method.parameters.get(name)
        if parameter is not None and not parameter.shared:
            found[name] = parameter.written.load(value, folder) if parameter.written else value
    return found


def shared(method: Method, given: SharedByPlan) -> dict[str, Any]:
    """The arguments that a method takes from sections of the plan."""
    sections = {"hierarchies": given.hierarchies, "criterion": list(given.criterion)}
    return {p.name: sections[p.shared] for p in method.parameters.values() if p.shared}
