"""A plan as a Python script: the calls that do the same."""

from __future__ import annotations

import pprint
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import discreet as ds
from discreet.planning.hierarchies import BUILDERS, leaves_of, tree_of
from discreet.planning.steps import ranges_of

if TYPE_CHECKING:
    from discreet.planning.plan import Plan

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
    return "\n".join([*blocks, call("masked.write", [target], _options(options)), ""])


def _shared(plan: Plan) -> list[str]:
    blocks = []
    if plan.section("hierarchies"):
        blocks.append(f"hierarchies = {_hierarchies(plan.section('hierarchies'))}")
    if plan.section("criterion"):
        blocks.append(f"criterion = {_criteria(plan.section('criterion'))}")
    return blocks


def _step(plan: Plan, step: Mapping[str, Any], i: int) -> str:
    data = "masked" if i else "data"
    options = {
        n: v for n, v in step.items() if n not in ("do", "levels", "hierarchies", "criterion")
    }
    if step["do"] == "protect_records":
        return _protect_records(data, options)
    if step["do"] != "generalize":
        return f"masked = {call('ds.' + step['do'], [data], _options(options))}"
    own, criterion = step.get("hierarchies"), step.get("criterion")
    shared = "hierarchies" if plan.section("hierarchies") else "{}"
    given = [
        data,
        shared if own is None else _hierarchies(own),
        "criterion" if criterion is None else _criteria(criterion),
    ]
    node = f"lattice.node({step['levels']!r})" if "levels" in step else "best"
    found = f"found = {call('ds.generalize', given, _options(options))}"
    return f"{found}\nmasked = found.{node}.mask()"


def _protect_records(data: str, options: dict[str, Any]) -> str:
    tables = options.pop("value_sensitivity", {})
    settings = ("known", "sensitivity", "alpha", "epsilon", "default")
    said = {name: options.pop(name) for name in settings if name in options}
    said |= {"value_sensitivity": {n: ranges_of(t) for n, t in tables.items()}} if tables else {}
    risk = f"risk = {call('ds.record_risk', [data], _options(said))}"
    return f"{risk}\nmasked = {call('ds.protect_records', [data, 'risk'], _options(options))}"


def _hierarchies(given: Mapping[str, Any]) -> str:
    lines = [f"    {name!r}: {_hierarchy(one)},\n" for name, one in given.items()]
    return "{\n" + "".join(lines) + "}"


def _hierarchy(given: Mapping[str, Any]) -> str:
    name = next(name for name in given if name in BUILDERS)
    value = given[name]
    options = {n: v for n, v in given.items() if n != name}
    if options.get("top") is False:
        options["top"] = None
    makers = {"file": "from_csv", "leaves": "from_dict", "tree": "from_dict"}
    verb = f"ds.Hierarchy.{makers.get(name, name)}"
    given_first = {"leaves": leaves_of, "tree": tree_of}.get(name, lambda v: v)(value)
    first = [] if value is True else [repr(given_first)]
    late = name in ("intervals", "prefixes", "dates", "suppress", "by_frequency")
    unmapped = options.pop("unmapped", None) if late else None
    made = call(verb, first, _options(options), inner=True)
    return made if unmapped is None else f"{made}.with_unmapped({unmapped!r})"


def _criteria(given: Any) -> str:
    tables = [given] if isinstance(given, Mapping) else given
    parts = [part for table in tables for part in _criterion(table)]
    return parts[0] if len(parts) == 1 else "[\n" + "".join(f"    {p},\n" for p in parts) + "]"


def _criterion(table: Mapping[str, Any]) -> list[str]:
    named = {n: v for n, v in table.items() if n == "confidential"}
    parts = []
    if "p" in table:
        numbers = [f"p={table['p']}", f"k={table['k']}"]
        parts.append(call("ds.PSensitiveKAnonymity", numbers, _options(named), inner=True))
    elif "k" in table:
        parts.append(f"ds.KAnonymity({table['k']})")
    for name, verb, first in (("diversity", "LDiversity", "l"), ("closeness", "TCloseness", "t")):
        if name in table:
            inner = {first: table[name]} if not isinstance(table[name], Mapping) else table[name]
            options = _options({**named, **inner})
            if "hierarchy" in inner:
                options["hierarchy"] = _hierarchy(inner["hierarchy"])
            number = options.pop(first)
            parts.append(call(f"ds.{verb}", [number], options, inner=True))
    if "disclosure_risk" in table:
        parts.append(_risk(table["disclosure_risk"]))
    return parts


def _risk(given: Any) -> str:
    if not isinstance(given, Mapping):
        return f"ds.DisclosureRiskAtMost({given!r})"
    weights = given.get("weights", "maximal")
    if isinstance(weights, str):
        made = f"ds.Weights.{weights}()"
    else:
        kind, value = next(iter(weights.items()))
        verb = {"file": "from_csv", "matrix": "from_matrix"}.get(kind, kind)
        made = f"ds.Weights.{verb}({value!r})"
    return f"ds.DisclosureRiskAtMost({given['limit']!r}, weights={made})"


def _options(given: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: pprint.pformat(value, width=_WIDTH, sort_dicts=False) for name, value in given.items()
    }


def call(verb: str, first: list[str], options: Mapping[str, str], *, inner: bool = False) -> str:
    """A call, on one line where it fits."""
    parts = [*first, *(f"{name}={value}" for name, value in options.items())]
    line = f"{verb}({', '.join(parts)})"
    if inner or (len(line) + 12 <= _WIDTH and "\n" not in line and "#" not in line):
        return line
    inside = [_behind(part).replace("\n", "\n    ") for part in parts]
    return f"{verb}(\n" + "".join(f"    {part}\n" for part in inside) + ")"


def _behind(part: str) -> str:
    """A comma after the part, before its comment."""
    code, sign, comment = part.partition("  # the records")
    return f"{code},{sign}{comment}"
