"""A plan as a Python script: the calls that do the same."""

from __future__ import annotations

import pprint
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.hierarchies.written import script as hierarchy_script
from discreet.masking.method import arguments_of
from discreet.plan import criteria
from discreet.plan.measures import files_in
from discreet.plan.steps import hierarchies_in, loaded, method_of
from discreet.registry import measures

if TYPE_CHECKING:
    from discreet.masking.method import Method
    from discreet.plan.plan import Plan

_WIDTH = 96


def script(plan: Plan) -> str:
    """The script; files are named as in the plan, relative to its folder."""
    source, outputs = plan.section("source"), plan.section("outputs")
    file = repr(source["file"]) if "file" in source else "frame  # the records came from a frame"
    said = {n: v for n, v in source.items() if n != "file"} | dict(plan.section("roles"))
    said |= {"types": plan.section("types")} if plan.section("types") else {}
    blocks = [
        f'"""Made from a plan by discreet {ds.__version__}."""\n\nimport discreet as ds\n',
        f"data = {call('ds.read', [file], _options(said))}",
        *_shared(plan),
        *(_step(plan, step, i) for i, step in enumerate(plan.with_seeds().section("steps"))),
        *(["print(ds.check(masked, criterion).explain())"] if plan.section("criterion") else []),
    ]
    names = ("identifiers", "escape_formulas", "seed")
    options = {name: outputs[name] for name in names if name in outputs}
    target = repr(outputs.get("masked", "masked.csv"))
    last = call("masked.write", [target], _options(options))
    return "\n".join([*blocks, last, *_measures(plan), ""])


def _shared(plan: Plan) -> list[str]:
    blocks = []
    if plan.section("hierarchies"):
        blocks.append(f"hierarchies = {_hierarchies(plan.section('hierarchies'))}")
    if plan.section("criterion"):
        blocks.append(f"criterion = {criteria.script(plan.section('criterion'))}")
    return blocks


def _step(plan: Plan, step: Mapping[str, Any], i: int) -> str:
    """The calls of a step: what is measured first, the method, and what is done at the end."""
    data, method = "masked" if i else "data", method_of(step)
    said = loaded(method, step, plan.folder)
    lines = []
    for name, measure in method.measured_first(said).items():
        told = _options(arguments_of(measure, said))
        lines.append(f"{name} = {call(f'ds.{measure.__name__}', [data], told)}")
    own = arguments_of(method.function, said)
    first = [data, *method.measures, *_from_sections(plan, step, method)]
    made = call(f"ds.{method.name}", first, {**_options(own), **_inner(method, step)})
    if method.finish is None:
        return "\n".join([*lines, f"masked = {made}"])
    verb = f"found.{method.finish.__name__}"
    end = call(verb, [], _options(arguments_of(method.finish, said)))
    return "\n".join([*lines, f"found = {made}", f"masked = {end}"])


def _inner(method: Method, step: Mapping[str, Any]) -> dict[str, str]:
    """Parameters that hold hierarchies, as calls that build them."""
    names = dict.fromkeys(at[0] for at, _ in hierarchies_in(step))
    forms = {str(name): method.parameters[str(name)].written for name in names}
    return {name: form.script(step[name]) for name, form in forms.items() if form is not None}


def _measures(plan: Plan) -> list[str]:
    """What is measured of the release: of one file before and after, of two once."""
    lines = []
    for name, given in plan.measures.items():
        alone = measures[name].of == "file"
        own = files_in({name: plan.section("measures")[name]})
        said = {key: table[key] for table, key in own}  # as the plan names them
        for files in [["data"], ["masked"]] if alone else [["data", "masked"]]:
            made = call(f"ds.{name}", files, _options({**given, **said}))
            lines.append(f"print({made}.explain())")
    return lines


def _from_sections(plan: Plan, step: Mapping[str, Any], method: Method) -> list[str]:
    """The arguments that stand in sections of the plan, or in the step itself."""
    makers = {"hierarchies": _hierarchies, "criterion": criteria.script}
    found = []
    for parameter in method.parameters.values():
        if parameter.shared:
            own = step.get(parameter.name)
            empty = "{}" if parameter.shared == "hierarchies" else "[]"
            section = parameter.shared if plan.section(parameter.shared) else empty
            found.append(section if own is None else makers[parameter.shared](own))
    return found


def _hierarchies(given: Mapping[str, Any]) -> str:
    lines = [f"    {name!r}: {hierarchy_script(one)},\n" for name, one in given.items()]
    return "{\n" + "".join(lines) + "}"


def _options(given: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: pprint.pformat(value, width=_WIDTH, sort_dicts=False) for name, value in given.items()
    }


def call(verb: str, first: list[str], options: Mapping[str, str]) -> str:
    """A call, on one line where it fits."""
    parts = [*first, *(f"{name}={value}" for name, value in options.items())]
    line = f"{verb}({', '.join(parts)})"
    if len(line) + 12 <= _WIDTH and "\n" not in line and "#" not in line:
        return line
    inside = [_behind(part).replace("\n", "\n    ") for part in parts]
    return f"{verb}(\n" + "".join(f"    {part}\n" for part in inside) + ")"


def _behind(part: str) -> str:
    """A comma after the part, before its comment."""
    code, sign, comment = part.partition("  # the records")
    return f"{code},{sign}{comment}"
