"""Commands that mask: one for each masking method, made from its description; and the lattice that
a generalization searches.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import discreet as ds
from discreet.cli.lazy import about_of, each_lazily, lazily, reading
from discreet.cli.options import Force, Json, Output
from discreet.cli.program import show
from discreet.registry import maskings

if TYPE_CHECKING:
    from discreet.masking.method import Done, Method

Page = Annotated[
    Path | None,
    typer.Option("--report", help="Also write a report to this .html file, for internal use."),
]
Draw = Annotated[
    Path | None, typer.Option("--output", "-o", help="Draw the lattice to this .svg file.")
]


def _masking(name: str) -> Callable[..., None]:
    """The command of a masking method, with all of its parameters as options."""
    from discreet.cli.described import criteria_in, method_arguments, method_options

    method = maskings[name]
    has_criterion = any(one.shared == "criterion" for one in method.parameters.values())

    def run(
        data: Any,
        *,
        output: Output,
        page: Page = None,
        force: Force = False,
        as_json: Json = False,
        **given: Any,
    ) -> None:
        done = method.run(data, method_arguments(method, data, given))
        told = _told(method, data, done)
        written = done.masked.write(output, overwrite=force)
        always = written.to_dict()  # what every command says, whatever figures a method has
        report = {**always, **_figures(done, told), **always}
        if page is not None:
            _report(data, done, page, criteria_in(given) if has_criterion else [], force)
            report["report"] = page.name
        said = f"{done.masked.n:,} of {data.n:,} records written to {output.name}."
        lines = [_said(done, told, said), written.unchanged.explain()]
        lines += (
            [] if page is None else [f"The report is {page.name}. It is for internal use only."]
        )
        print(json.dumps(report, indent=2) if as_json else "\n".join(lines))

    example = f"Example: discreet {method.command} data.csv {method.example} -o masked.csv"
    asked = partial(method_arguments, method)
    return reading(run, method_options(method), about_of(method), example, asked)


def _report(data: Any, done: Done, page: Path, criterion: list[Any], force: bool) -> None:
    """Write the report of what was just written: the link to the initial records is known here."""
    held = criterion if data.keys else []
    found = {} if done.found is None else {"found": done.found}
    ds.report(data, done.masked, page, criterion=held or None, overwrite=force, **found)


def _told(method: Method, data: Any, done: Done) -> dict[str, Any]:
    """The measures that the command shows; None where the data do not allow one."""
    return {
        name: getattr(ds, name)(data, done.masked) if data.keys else None for name in method.tells
    }


def _figures(done: Done, told: dict[str, Any]) -> dict[str, Any]:
    found = {} if done.found is None else done.found.to_dict()
    changes = {"changes": dict(done.masked.changes)} if done.masked.changes else {}
    outcome = {} if done.masked.outcome is None else done.masked.outcome.to_dict()
    whole = {"outcome": outcome} if outcome else {}
    measured = {name: None if one is None else one.to_dict() for name, one in told.items()}
    return {**found, **done.figures, **changes, **outcome, **whole, **measured}


def _said(done: Done, told: dict[str, Any], written: str) -> str:
    changes = ", ".join(f"{name} {cells:,}" for name, cells in done.masked.changes.items())
    cells = [f"Changed cells: {changes}."] if changes else []
    outcome = done.masked.outcome
    lines = [
        *([done.found.explain()] if done.found is not None else []),
        *([done.said] if done.said else []),
        *(cells if outcome is None else [outcome.explain()]),
        written,
        *(one.explain() for one in told.values() if one is not None),
    ]
    return "\n".join(lines)


def _lattice() -> Callable[..., None]:
    """The command that lists and draws the nodes which a generalization could take."""
    from discreet.cli.described import method_arguments, method_options

    method = maskings["generalize"]

    def run(
        data: Any,
        *,
        output: Draw = None,
        force: Force = False,
        as_json: Json = False,
        **given: Any,
    ) -> None:
        asked = {"search": "all-minimal", **method_arguments(method, data, given)}
        found = ds.generalize(data, **asked)
        if output is not None:
            found.lattice.write_svg(output, overwrite=force)
        rows = [f"{i:>4}  {node!r}" for i, node in enumerate(found.minimal, 1)]
        text = "\n".join([found.explain(), "", *rows])
        print(json.dumps(found.to_dict(), indent=2) if as_json else text)

    options = [one for one in method_options(method) if one.name != "levels"]
    about = "List the nodes of the generalization lattice that meet the criterion, and draw them."
    example = "Example: discreet lattice data.csv --keys age,zip --hierarchies dir/ -o lattice.svg"
    return reading(run, options, about, example, partial(method_arguments, method))


each_lazily(maskings, _masking)
lazily("lattice", "List the nodes of the generalization lattice, and draw them.", _lattice)


def _advise() -> Callable[..., None]:
    from discreet.cli.described import method_arguments, method_options

    method = maskings["generalize"]
    taken = {"hierarchies", "criterion", "max_suppressed"}

    def run(data: Any, *, as_json: Json = False, **given: Any) -> None:
        asked = method_arguments(method, data, given)
        advice = ds.advise(data, **{name: asked[name] for name in taken if name in asked})
        show(advice, as_json, advice.explain)
        if not advice.met:
            raise typer.Exit(1)

    others = [name for name in method.parameters if name not in taken]
    options = [one for one in method_options(method) if one.name not in others]
    about = "Say what to relax when no generalization meets a criterion; exit with 1 in that case."
    example = "Example: discreet advise data.csv --keys age,zip --hierarchies dir/ --k 5"
    return reading(run, options, about, example, partial(method_arguments, method))


lazily("advise", "Say what to relax when no generalization meets a criterion.", _advise)
