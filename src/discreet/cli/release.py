"""Commands that release: init, run, verify."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import discreet as ds
from discreet.cli.lazy import lazily, reading, reading_on_use
from discreet.cli.options import Force, Json, Measures, UniqueColumns, measures_in, reasons_in
from discreet.cli.program import app, show
from discreet.cli.usage import Command, checks, look_at_both, telling

PlanFile = Annotated[Path, typer.Argument(help="The plan, release.toml.", show_default=False)]
MaskedFile = Annotated[Path, typer.Argument(help="The masked file.", show_default=False)]
On = Annotated[str, typer.Option("--on", help="Column that links the records of both files.")]
Page = Annotated[
    Path, typer.Option("--output", "-o", help="The .html file to write.", show_default=False)
]
Public = Annotated[
    bool, typer.Option("--public", help="Leave out everything that would help an intruder.")
]
Title = Annotated[str | None, typer.Option(help="Heading of the report.")]
Note = Annotated[str | None, typer.Option(help="A remark below the heading.")]
ABOUT = "Write a report of a masked file to one HTML file: its risk, and what it cost."


@reading_on_use()
def init(
    data: Any,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The plan to write, a .toml file.")
    ] = Path("release.toml"),
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a first plan, with types, suggested roles (and why) and usual hierarchies.

    Example: discreet init patients.csv -o release.toml
    """
    plan = ds.Plan.first(data)
    plan.write(output, overwrite=force)
    found = ds.suggest_roles(data)
    said = f"{output.name} written. Correct it, then: discreet run {shlex.quote(str(output))}"
    report = {"written": output.name, **found.to_dict(), "plan": plan.to_dict()}
    print(json.dumps(report, indent=2) if as_json else f"{found.explain()}\n{said}")


def _asked_of_run(
    plan: Path | None, ledger: Path | None, unique_columns: list[str], **_others: Any
) -> None:
    checks(
        lambda: None if plan is None else ds.Plan.read(plan),
        lambda: None if ledger is None else ds.Ledger.read(ledger),
        lambda: reasons_in(unique_columns),
    )


@app.command(cls=Command)
@telling(_asked_of_run)
def run(
    plan: PlanFile,
    *,
    ledger: Annotated[
        Path | None,
        typer.Option(help="Repeat the run of this ledger with its seeds, and compare the files."),
    ] = None,
    unique_columns: UniqueColumns = [],  # noqa: B006
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the plan and its source; write nothing.")
    ] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Carry out a plan: mask, check, measure, write. Exit with 1 when the criterion does not hold.

    Example: discreet run release.toml
    """
    read = ds.Plan.read(plan).with_reasons(reasons_in(unique_columns))
    earlier = None if ledger is None else ds.Ledger.read(ledger)
    if dry_run:
        read.rehearse(overwrite=force)
        print(json.dumps(read.to_dict(), indent=2, default=str) if as_json else read.explain())
        return
    release = read.run(overwrite=force, ledger=earlier)
    again = None if earlier is None or not release.files else earlier.compare(release.ledger)
    result = release.to_dict() | ({} if again is None else {"repeated": again.to_dict()})
    lines = [release.explain(), *([] if again is None else [again.explain()])]
    print(json.dumps(result, indent=2) if as_json else "\n".join(lines))
    if not release.satisfied or (again is not None and not again.satisfied):
        raise typer.Exit(1)


def _asked_of_verify(
    masked: Path | None, ledger: Path | None, plan: Path | None, **_others: Any
) -> None:
    place = ledger or (None if masked is None else _beside(masked))
    checks(
        lambda: None if masked is None else ds.read(masked),
        lambda: None if place is None else ds.Ledger.read(place),
        lambda: None if plan is None else ds.Plan.read(plan),
    )


def _beside(masked: Path) -> Path:
    """The ledger that a run wrote beside a masked file."""
    return masked.with_suffix(".ledger.json")


@app.command(cls=Command)
@telling(_asked_of_verify)
def verify(
    masked: Annotated[Path, typer.Argument(help="The masked file.", show_default=False)],
    *,
    ledger: Annotated[
        Path | None, typer.Option(help="Ledger of the masked file; by default the one beside it.")
    ] = None,
    initial: Annotated[
        Path | None, typer.Option(help="The original file: the plan is run on it again.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="The plan; by default the one the ledger names.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Recompute digests, figures and the criterion of a masked file; exit with 1 on a difference.

    Example: discreet verify masked.csv --ledger masked.ledger.json --initial patients.csv
    """
    found = ds.Ledger.read(ledger or _beside(masked)).verify(masked, initial=initial, plan=plan)
    show(found, as_json, found.explain)
    if not found.satisfied:
        raise typer.Exit(1)


@app.command(cls=Command)
def schema() -> None:
    """Print the JSON Schema of release.toml, for editors that complete and check a plan.

    Example: discreet schema > release.schema.json
    """
    print(json.dumps(ds.Plan.schema(), indent=2, ensure_ascii=False))


# -- The command that writes the report of a release -----------------------------------------------


def _report() -> Callable[..., None]:
    from discreet.cli.described import criteria_in, criterion_options

    def run(
        data: Any,
        *,
        masked: MaskedFile,
        on: On,
        output: Page,
        read_alike: Callable[[Path], Any],
        public: Public = False,
        unique_columns: UniqueColumns = [],  # noqa: B006
        measures: Measures = None,
        title: Title = None,
        note: Note = None,
        force: Force = False,
        as_json: Json = False,
        **given: Any,
    ) -> None:
        found = ds.report(
            data,
            read_alike(masked),
            output,
            audience="public" if public else "internal",
            criterion=criteria_in(_with_least_size(given)) or None,
            measures=measures_in(measures),
            on=on,
            title=title,
            note=note,
            unique_columns=reasons_in(unique_columns),
            overwrite=force,
        )
        show(found, as_json, found.explain)
        if found.satisfied is False:
            raise typer.Exit(1)

    example = "Example: discreet report initial.csv masked.csv --on rec --keys age,sex -o r.html"

    def asked(data: Any, given: dict[str, Any]) -> None:
        checks(
            lambda: criteria_in(_with_least_size(given)),
            lambda: measures_in(given["measures"]),
            lambda: reasons_in(given["unique_columns"]),
            lambda: look_at_both(data, given),
        )

    return reading(run, ["public", *criterion_options(usual_k=None)], ABOUT, example, asked)


def _with_least_size(given: dict[str, Any]) -> dict[str, Any]:
    """P alone asks for classes of p records."""
    return given | ({"k": given["p"]} if given.get("k") is None and given.get("p") else {})


lazily("report", ABOUT, _report)
