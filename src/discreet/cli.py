"""The command line: the verbs of the API, each with ``--json`` and an exit code to gate a pipeline.

Exit codes: 0 — done, and the criterion holds; 1 — the criterion does not hold, or cannot be
reached; 2 — the command or its input is wrong.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, cast

import typer

import discreet as ds
from discreet.cli_options import (
    AtMost,
    Closeness,
    Diversity,
    Force,
    Hierarchies,
    Json,
    K,
    Loss,
    MaxSuppressed,
    Output,
    P,
    SearchBy,
    SuppressBy,
    amount,
    announce_compilation,
    criteria_of,
    generalized,
    names_in,
    reads_data,
)
from discreet.errors import DiscreetError, EngineFailure, Problem, fail

app = typer.Typer(
    name="discreet",
    help="Measure and limit disclosure risk in tables of individual records.",
    epilog="Exit codes: 0 the criterion holds, 1 it does not, 2 the command or its input is wrong.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a traceback with local values would show cells
    context_settings={"help_option_names": ["-h", "--help"]},
)


def command() -> None:
    """The command of a terminal: run it, and leave the process with its exit code."""
    gc.disable()  # a command is short: collecting what its imports left behind takes longer
    _leave(_exit_code())


def main() -> None:
    """Run the command within a process that goes on; its exit code is that of SystemExit."""
    raise SystemExit(_exit_code())


def _exit_code() -> int:
    try:
        app()
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except DiscreetError as error:
        print(error, file=sys.stderr)
        return 1 if error.code in _NOT_FEASIBLE else 2
    except Exception as error:  # noqa: BLE001 - exit code 1 would say that a criterion fails
        what = f"the command failed ({type(error).__name__})."
        remedy = "Its message may quote a value and is withheld; run the step in Python to see it."
        print(EngineFailure(Problem("E02", what, remedy)), file=sys.stderr)
        return 2
    return 0


def _leave(code: int) -> None:
    """Leave without taking the engine apart, which takes longer than some commands."""
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(ds.__version__)
        raise typer.Exit


_NOT_FEASIBLE = ("D30", "D31")  # no generalization satisfies the criterion


@app.command()
@reads_data
def risk(data: Any, *, as_json: Json = False) -> None:
    """Show how likely people are recognised: class sizes, k, p, uniques.

    Example: discreet risk patients.csv --keys age,zip,sex --confidential illness
    """
    found = ds.risk(data)
    _show(found, as_json, lambda: f"{found.explain()}\n\n{found.bars()}")


@app.command()
@reads_data
def check(
    data: Any,
    *,
    k: K = 5,
    p: P = None,
    as_json: Json = False,
) -> None:
    """Check k-anonymity, or p-sensitive k-anonymity with --p; exit 1 when it does not hold.

    Example: discreet check masked.csv --keys age,zip,sex --k 5
    """
    criterion = ds.KAnonymity(k) if p is None else ds.PSensitiveKAnonymity(p, k)
    found = ds.check(data, criterion)
    _show(found, as_json, found.explain)
    if not found.satisfied:
        raise typer.Exit(1)


@app.command()
@reads_data
def sample(
    data: Any,
    *,
    output: Output,
    seed: Annotated[int, typer.Option(help="The same seed draws the same records.")],
    fraction: Annotated[float | None, typer.Option(help="Share of the records.")] = None,
    n: Annotated[int | None, typer.Option("--n", help="Number of records.")] = None,
    by: Annotated[list[str], typer.Option("--by", help="Strata: columns.")] = [],  # noqa: B006
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draw a simple random sample, write it, and show its disclosure risk.

    Example: discreet sample survey.csv --keys age,sex --fraction 0.1 --seed 1 -o sample.csv
    """
    released = ds.sample(data, fraction=fraction, n=n, seed=seed, by=names_in(by))
    found = ds.disclosure_risk(data, released) if data.keys else None
    released.write(output, overwrite=force)
    report = {
        "written": output.name,
        "records": released.n,
        "disclosure_risk": found.to_dict() if found else None,
    }
    said = f"{released.n:,} of {data.n:,} records written to {output.name}."
    print(
        json.dumps(report, indent=2)
        if as_json
        else "\n".join([said, *([found.explain()] if found else [])])
    )


@app.command()
@reads_data
def compare(
    data: Any,
    masked: Annotated[Path, typer.Argument(help="The masked file.", show_default=False)],
    *,
    read_alike: Callable[[Path], Any],
    on: Annotated[str, typer.Option("--on", help="Column that links the records of both files.")],
    weights: Annotated[
        Path | None, typer.Option(help="CSV file of a weight matrix W: adds DR_W.")
    ] = None,
    at_most: Annotated[
        float | None, typer.Option(help="Exit 1 when the disclosure risk is above this limit.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure the disclosure risk of a masked file against its initial file.

    Example: discreet compare initial.csv masked.csv --on rec --keys age,sex
    """
    chosen = ds.Weights.from_csv(weights) if weights else ds.Weights.maximal()
    limit = ds.DisclosureRiskAtMost(1.0 if at_most is None else at_most, weights=chosen)
    found = ds.check(data, read_alike(masked), limit, on=on)
    value = {"weighted": found.value} if weights else {}
    result = {
        **found.risk.to_dict(),
        **value,
        "satisfied": found.satisfied if at_most is not None else None,
    }
    lines = [
        found.risk.explain(),
        *([f"DR_W = {found.value:.4f}. {chosen.explain()}"] if weights else []),
    ]
    lines += [found.explain()] if at_most is not None else []
    print(json.dumps(result, indent=2) if as_json else "\n".join(lines))
    if at_most is not None and not found.satisfied:
        raise typer.Exit(1)


@app.command()
@reads_data
def protect(
    data: Any,
    *,
    output: Output,
    hierarchies: Hierarchies = None,
    k: K = 5,
    p: P = None,
    diversity: Diversity = None,
    closeness: Closeness = None,
    at_most: AtMost = None,
    max_suppressed: MaxSuppressed = "0.02",
    suppression: SuppressBy = "failing",
    search: SearchBy = "optimal",
    loss: Loss = "iyengar",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Generalize the keys and suppress classes until k-anonymity holds, and write the masked file.

    Example: discreet protect data.csv --keys age,zip --hierarchies dir/ --k 5 -o masked.csv
    """
    found = generalized(
        data,
        hierarchies,
        criteria_of(k, p, diversity, closeness, at_most),
        max_suppressed=amount(max_suppressed),
        search=cast("Any", search),
        loss=cast("Any", loss),
        suppression=cast("Any", suppression),
    )
    masked = found.best.mask()
    if masked.n == 0:
        fail("D32", "all records would be suppressed.", "Lower --max-suppressed or the criterion.")
    masked.write(output, overwrite=force)
    report = {"written": output.name, "records": masked.n, **found.to_dict()}
    said = f"{masked.n:,} of {data.n:,} records written to {output.name}."
    print(json.dumps(report, indent=2) if as_json else f"{found.explain()}\n{said}")


@app.command()
@reads_data
def lattice(
    data: Any,
    *,
    hierarchies: Hierarchies = None,
    k: K = 5,
    p: P = None,
    diversity: Diversity = None,
    closeness: Closeness = None,
    at_most: AtMost = None,
    max_suppressed: MaxSuppressed = "0.02",
    suppression: SuppressBy = "failing",
    search: SearchBy = "all-minimal",
    loss: Loss = "iyengar",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the lattice to this .svg file.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """List the nodes of the generalization lattice that meet the criterion, and draw them.

    Example: discreet lattice data.csv --keys age,zip --hierarchies dir/ --k 5 -o lattice.svg
    """
    found = generalized(
        data,
        hierarchies,
        criteria_of(k, p, diversity, closeness, at_most),
        max_suppressed=amount(max_suppressed),
        search=cast("Any", search),
        loss=cast("Any", loss),
        suppression=cast("Any", suppression),
    )
    if output is not None:
        found.lattice.write_svg(output, overwrite=force)
    lines = [found.explain(), "", *(f"{i:>4}  {node!r}" for i, node in enumerate(found.minimal, 1))]
    print(json.dumps(found.to_dict(), indent=2) if as_json else "\n".join(lines))


@app.command()
@reads_data
def microaggregate(
    data: Any,
    *,
    output: Output,
    columns: Annotated[
        list[str], typer.Option("--columns", help="Attributes to mask; the keys by default.")
    ] = [],  # noqa: B006
    k: Annotated[int, typer.Option("--k", help="Least size of a group.")] = 3,
    method: Annotated[
        str, typer.Option(help="mdav, v-mdav, fixed or optimal-univariate.")
    ] = "mdav",
    by: Annotated[list[str], typer.Option("--by", help="Strata: columns.")] = [],  # noqa: B006
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Replace values by averages of groups of k similar records, and write the masked file.

    Example: discreet microaggregate data.csv --keys age,income --k 5 -o masked.csv
    """
    announce_compilation()
    masked = ds.microaggregate(
        data, names_in(columns) or None, k, method=cast("Any", method), by=names_in(by)
    )
    lost = ds.information_loss(data, masked)
    masked.write(output, overwrite=force)
    report = {"written": output.name, "records": masked.n, "information_loss": lost.to_dict()}
    said = f"{masked.n:,} records written to {output.name}."
    print(json.dumps(report, indent=2) if as_json else f"{said}\n{lost.explain()}")


@app.command()
def demo(
    n: Annotated[int, typer.Option(help="Number of simulated patients.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Of the simulation.")] = 1,
    as_json: Json = False,
) -> None:
    """Show the way of the data on simulated patients: read, measure, protect, compare."""
    import pyarrow.csv

    with tempfile.TemporaryDirectory(prefix="discreet-demo-") as folder:
        path = Path(folder) / "patients.csv"
        pyarrow.csv.write_csv(ds.datasets.patients(n, seed), path)
        survey = ds.read(
            path,
            identifiers=["name", "ssn"],
            keys=["age", "zip", "sex"],
            confidential=["illness", "income"],
        )
        found = ds.risk(survey)
        criterion = ds.PSensitiveKAnonymity(p=2, k=5)
        checked = ds.check(survey, criterion)
        announce_compilation()
        hierarchies = {
            "age": ds.Hierarchy.intervals([5, 10, 20, 40]),
            "zip": ds.Hierarchy.prefixes([5, 3, 2, 1, 0]),
            "sex": ds.Hierarchy.suppress(),
        }
        search = ds.generalize(survey, hierarchies, criterion, max_suppressed=0.02)
        masked = search.best.mask()
        risk_left = ds.disclosure_risk(survey, masked)
        lost = ds.information_loss(survey, masked)
        if as_json:
            parts: dict[str, Any] = {"risk": found, "check": checked, "found": search}
            parts |= {"disclosure_risk": risk_left, "information_loss": lost}
            print(json.dumps({name: part.to_dict() for name, part in parts.items()}, indent=2))
            return
        _section("1. Read a table and say what its attributes are", repr(survey))
        _section("2. See the risk", f"{found.explain()}\n\n{found.bars()}")
        _section("3. Check it against what your rules ask for", checked.explain())
        _section("4. Generalize the keys and suppress what still stands out", search.explain())
        _section("5. Check the masked file afresh", ds.check(masked, criterion).explain())
        _section("6. What risk is left", risk_left.explain())
        _section("7. What it cost", lost.explain())


def _section(title: str, body: str) -> None:
    print(f"\n{title}\n{'─' * len(title)}\n{body}")


def _show(found: Any, as_json: bool, text: Callable[[], str]) -> None:
    print(json.dumps(found.to_dict(), indent=2) if as_json else text())
