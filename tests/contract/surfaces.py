"""Which parameters of reading, of a masking method, a criterion or a measure each surface has, from
their descriptions; and the gaps, each with its reason. ``docs/surfaces.md`` is made from it.
"""

from __future__ import annotations

from pathlib import Path

import discreet as ds
from discreet.app.forms import criterion as criterion_form
from discreet.app.forms import measures as measure_form
from discreet.app.forms import source as source_form
from discreet.app.forms.steps import LEVELS, own_parameters
from discreet.cli.described import criterion_options, method_options
from discreet.cli.lazy import options_of
from discreet.cli.source import place
from discreet.data.options import OPTIONS, ROLES
from discreet.parameters import parameters_of
from discreet.plan import measures as plan_measures
from discreet.plan.steps import fields_of
from discreet.registry import criteria, maskings, measures
from discreet.rumap.ru_map import figures_of_measures

PAGE = "docs/surfaces.md"

# (method, surface, parameter) → why it is not there. "never": it makes no sense; "notyet".
GAPS = {
    ("*", "map", "columns"): "never: a map varies numbers; columns are given once, to all",
    ("*", "map", "by"): "never: a map varies numbers; strata are given once, to all",
    ("pram", "command", "diagonals"): "never: it names values of the data; a plan says it",
    ("generalize", "map", "levels"): "never: a node chosen by hand is not a recipe",
    **{
        ("suppress_cells", surface, name): "never: the method protect_records says it there"
        for surface in ("plan", "schema", "command", "form")
        for name in ("risk", "at_most")
    },
}


def masking_surfaces(name):
    """Per surface the names of the parameters that a method has there."""
    method = maskings[name]
    every = set(method.parameters)
    measured = {p.name for call in method.choices.values() for p in parameters_of(call)}
    options = {option.name for option in method_options(method)}
    steps = {s["properties"]["do"]["const"]: s for s in schema_steps()}
    form = {p.name for p in own_parameters(method)}
    form |= {p.name for p in method.parameters.values() if p.shared}
    form |= ({LEVELS} & every) | (measured & every)  # the page Roles, and a field for each key
    return {
        "Python": every,
        "plan": set(fields_of(method)) | {p.name for p in method.parameters.values() if p.shared},
        "schema": {*steps[name]["properties"]} - {"do"}
        | {p.name for p in method.parameters.values() if p.shared},
        "command": {n for n in every if _has_option(method, n, options)},
        "form": form & every,
    }


def _has_option(method, name, options):
    parameter = method.parameters[name]
    if parameter.shared or place(name, method.name) in options:
        return True
    files = {one for one in method.files if one in options}
    return bool(files) and name in {
        p.name for call in method.choices.values() for p in parameters_of(call)
    }  # a file says it


def form_parameters(kind):
    """The parameters of a criterion that the form of what must hold has fields for."""
    fields = criterion_form.fields()
    return {p for p in kind.parameters
            if (p if kind.inline else f"{kind.key}-{p}") in fields or p == criterion_form.NAMED}  # fmt: skip


def schema_steps():
    found = ds.Plan.schema()["properties"]["steps"]["items"]
    return found.get("oneOf") or found["anyOf"]


def criterion_surfaces(name):
    """On which surfaces a criterion can be asked for."""
    kind = criteria[name]
    asked = ds.Plan.schema()["properties"]["criterion"]
    tables = [asked, *asked.get("oneOf", ()), *asked.get("anyOf", ())]
    keys = {key for table in tables for key in table.get("properties", {})}
    options = {one.name for one in criterion_options()}
    own = {kind.first.name} if kind.inline else {kind.key}
    return {
        "Python": hasattr(ds, name),
        "plan": own <= keys,
        "command": bool({kind.key, kind.first.name} & options),
        "form": set(kind.parameters) <= form_parameters(kind),
    }


CRITERION_GAPS: dict[tuple[str, str], str] = {}


COMMANDS = {"disclosure_risk": "compare"}  # what bears another name on the command line


def measure_surfaces(name):
    """On which surfaces a measure is there, with all of its parameters where it takes them."""
    measure = measures[name]
    every = set(measure.own)
    section = ds.Plan.schema()["properties"]["measures"]["properties"]
    script = ds.Plan({"measures": {name: {}}}, Path()).to_python()
    [(_, known, _)] = plan_measures.tables_in({name: {}}, ())
    return {
        "Python": hasattr(ds, name),
        "plan": set(known) == every,
        "schema": name in section and set(section[name]["properties"]) == every,
        "script": f"ds.{name}(" in script,
        "report": bool(measure.figures),
        "ledger": bool(measure.figures),
        "map": any(axis.startswith(f"{name}.") for axis in figures_of_measures()),
        "command": COMMANDS.get(name, name.replace("_", "-")) in commands(),
        "app": name in measure_form.SHOWN or form_of_measure(measure) == every,
    }


def commands():
    """The names of the commands."""
    from discreet.cli.commands import app

    return {one.name or one.callback.__name__.replace("_", "-") for one in app.registered_commands}


def form_of_measure(measure):
    """The parameters of a measure that the form of further measures has fields for."""
    offered = measure.name in [one.name for one in measure_form.offered()]
    return {p.name for p in measure_form.own_parameters(measure)} if offered else None


MEASURE_GAPS: dict[tuple[str, str], str] = {}
# What looks at a file and is no measure of a release.
NO_MEASURES = {
    "sampling_risk": "foretells the risk of samples not yet drawn: lines, and no figure of a release",
    "key_candidates": "helps to name the keys: a table of sets of attributes, and no figure of a release",
    "compare_releases": "holds releases against each other, none of which is the initial file",
    "unchanged": "lists columns; every run takes it",
    "check": "says whether a criterion holds; every run with a criterion takes it",
}


READING_GAPS = {
    (
        "engine",
        "form",
    ): "never: the app works in the embedded engine; a plan that names one keeps it",
}


def reading_surfaces(name):
    """On which surfaces an option of reading is there."""
    sections = ds.Plan.schema()["properties"]
    section = "roles" if name in ROLES else "source"
    return {
        "Python": name in {p.name for p in parameters_of(ds.read)},
        "plan": name in sections or name in sections[section]["properties"],
        "command": "risk" in commands() and name in options_of(["risk"]),
        "form": name in source_form.FIELDS or name in (*ROLES, "types", "missing"),
    }


def page():
    """The page of the docs."""
    lines = [
        "# Surfaces", "",
        "A masking method is described once, in the file that does the work, and so is what reading a table takes. The "
        "plan, its [schema](plan.md), the command, the form of the app and the docs are made from that description; "
        "tests hold them against it.", "",
        *_reading(), "",
        "## Masking methods", "",
        "| Method | Parameter | Python | plan | command | form | public |", "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name in sorted(maskings):
        method, has = maskings[name], masking_surfaces(name)
        for p in method.parameters.values():
            marks = " | ".join("yes" if p.name in has[s] else "–" for s in ("Python", "plan", "command", "form"))  # fmt: skip
            lines.append(
                f"| {name} | `{p.name}` {p.doc} | {marks} | {'yes' if p.public else '–'} |"
            )
    lines += ["", "## Criteria", "", "| Criterion | Python | plan | command | form |", "|---|---|---|---|---|"]  # fmt: skip
    for name in sorted(criteria):
        has = criterion_surfaces(name)
        lines.append(
            f"| {name} | " + " | ".join("yes" if one else "–" for one in has.values()) + " |"
        )
    lines += ["", "## Measures", "", *_measures()]
    lines += ["", "## Gaps", ""]
    lines += [f"- Reading, {surface}, `{p}`: {why}." for (p, surface), why in READING_GAPS.items()]
    lines += [f"- {name}, {surface}: {why}." for (name, surface), why in CRITERION_GAPS.items()]
    lines += [f"- {name}, {surface}, `{p}`: {why}." for (name, surface, p), why in GAPS.items()]
    lines += [f"- {name}, {surface}: {why}." for (name, surface), why in MEASURE_GAPS.items()]
    return "\n".join(lines) + "\n"


def _reading():
    lines = [
        "## Reading",
        "",
        "| Option | Python | plan | command | form |",
        "|---|---|---|---|---|",
    ]
    for name, option in OPTIONS.items():
        marks = " | ".join("yes" if one else "–" for one in reading_surfaces(name).values())
        lines.append(f"| `{name}` {option.doc} | {marks} |")
    return lines


def _measures():
    """The measures and where they are, their figures, and what is none."""
    heads = list(measure_surfaces(next(iter(measures))))
    lines = [
        "A measure looks at one file, and is taken before and after, or compares two. Its figures are numbers: in "
        "[plans](plan.md#measures), ledgers and reports, and as `measure.figure` axes of a [map](ru-map.md). Everybody "
        "gets those that are public.", "",
        f"| Measure | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}",
    ]  # fmt: skip
    for name in sorted(measures):
        has = measure_surfaces(name)
        lines.append(f"| {name} | {' | '.join('yes' if one else '–' for one in has.values())} |")
    lines += ["", "| Figure | What it is | of | better | public |", "|---|---|---|---|---|"]
    for name in sorted(measures):
        measure = measures[name]
        of = "one file" if measure.of == "file" else "both files"
        for figure, kind in measure.figures.items():
            better = "less" if kind.lower_is_better else "more"
            public = "yes" if figure in measure.public else "–"
            lines.append(f"| `{name}.{figure}` | {kind.title} | {of} | {better} | {public} |")
    lines += ["", "No measures of a release are:", ""]
    return lines + [f"- `{name}`: it {why}." for name, why in NO_MEASURES.items()]
