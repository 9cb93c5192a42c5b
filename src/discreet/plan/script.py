"""A plan as a Python script: the calls that do the same."""

from __future__ import annotations

import pprint
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.hierarchies.written import script as hierarchy_script
from discreet.masking.method import arguments_of
from discreet.plan import criteria
from discreet.plan.document import AUDIENCES, report_options, writing_options
from discreet.plan.measures import files_in
from discreet.plan.steps import hierarchies_in, loaded, method_of
from discreet.registry import measures

if TYPE_CHECKING:
    from discreet.masking.method import Method
    from discreet.plan.plan import Plan

_WIDTH = 96
_CHECK = """\
checked = ds.check(masked, criterion)
if not checked.satisfied:
    sys.exit(checked.explain())  # nothing is written
print(checked.explain())"""


def script(plan: Plan) -> str:
    """The script; files are named as in the plan, relative to its folder."""
    source, outputs = plan.section("source"), plan.section("outputs")
    file = repr(source["file"]) if "file" in source else "frame  # the records came from a frame"
    said = {n: v for n, v in source.items() if n != "file"} | dict(plan.section("roles"))
    said |= {"types": plan.section("types")} if plan.section("types") else {}
    needed = "import sys\n\n" if plan.section("criterion") else ""
    blocks = [
        f'"""Made from a plan by discreet {ds.__version__}."""\n\n{needed}import discreet as ds\n',
        f"data = {call('ds.read', [file], _options(said))}",
        *_shared(plan),
        *(_step(plan, step, i) for i, step in enumerate(plan.with_seeds().section("steps"))),
        *([_CHECK] if plan.section("criterion") else []),
        *_reports(plan),
    ]
    beside = [plan.outputs[name].name for name in ("public", "ledger") if name in plan.outputs]
    target = repr(outputs.get("masked", "masked.csv"))
    last = call("masked.write", [target], _options(writing_options(outputs)))
    run = f"discreet run {shlex.quote(plan.where.file or 'release.toml')}"
    only = f"# Only a run of the plan writes {' and '.join(beside)}: {run}"
    return "\n".join([*blocks, last, only, *_measures(plan), ""])


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
    inner = _inner(method, step)  # as the plan names their files, which are not opened
    said = loaded(method, {n: v for n, v in step.items() if n not in inner}, plan.folder)
    lines = []
    for name, measure in method.measured_first(said).items():
        told = _options(arguments_of(measure, said))
        lines.append(f"{name} = {call(f'ds.{measure.__name__}', [data], told)}")
    own = arguments_of(method.function, said)
    first = [data, *method.measures, *_from_sections(plan, step, method)]
    made = call(f"ds.{method.name}", first, {**_options(own), **inner})
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
    for name, given in _asked(plan).items():
        alone = measures[name].of == "file"
        for files in [["data"], ["masked"]] if alone else [["data", "masked"]]:
            made = call(f"ds.{name}", files, _options(given))
            lines.append(f"print({made}.explain())")
    return lines


def _asked(plan: Plan) -> dict[str, dict[str, Any]]:
    """The measures with their arguments, files as the plan names them."""
    asked = {}
    for name, given in plan.measures.items():
        own = files_in({name: plan.section("measures")[name]})
        asked[name] = {**given, **{key: table[key] for table, key in own}}
    return asked


def _reports(plan: Plan) -> list[str]:
    """The reports, before the masked file: one that is refused stops the script."""
    outputs, lines = plan.section("outputs"), []
    searched = any(method_of(step).finish is not None for step in plan.section("steps"))
    names = {"criterion": bool(plan.section("criterion")), "found": searched}
    shared = {name: name for name, is_there in names.items() if is_there}
    if plan.measures:
        shared |= _options({"measures": _asked(plan)})
    for name in (name for name in AUDIENCES if name in outputs):
        options = {**_options(report_options(outputs, name)), **shared}
        lines.append(call("ds.report", ["data", "masked", repr(outputs[name])], options))
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
