"""The command that compares maskings by risk and loss, and chooses one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, cast

import typer

import discreet as ds
from discreet.commands.app import app
from discreet.commands.options import (
    Force,
    Hierarchies,
    Json,
    P,
    amount,
    announce_compilation,
    hierarchies_in,
    names_in,
    reads_data,
)
from discreet.errors import DiscreetError, fail


@app.command("ru-map")
@reads_data
def ru_map(
    data: Any,
    *,
    methods: Annotated[
        list[str],
        typer.Option(
            "--methods",
            help="mdav, v-mdav, fixed, optimal-univariate, generalization, sampling.",
        ),
    ] = ["mdav"],  # noqa: B006
    k: Annotated[
        list[str], typer.Option("--k", help="Least sizes of a group or class: 3,5,10.")
    ] = ["3,5,10,20"],  # noqa: B006
    hierarchies: Hierarchies = None,
    p: P = None,
    max_suppressed: Annotated[
        list[str], typer.Option("--max-suppressed", help="Records that may go: 0.02, 2%,5% or 20.")
    ] = ["0.02"],  # noqa: B006
    fractions: Annotated[
        list[str], typer.Option("--fractions", help="Shares to sample: 0.1,0.5.")
    ] = ["0.1,0.25,0.5"],  # noqa: B006
    seed: Annotated[int | None, typer.Option(help="Of the samples.")] = None,
    risk: Annotated[
        str,
        typer.Option(help="maximal, minimal, compatible, highest, linkage or interval."),
    ] = "maximal",
    loss: Annotated[str, typer.Option(help="A measure of information loss.")] = "ebil_share",
    with_score: Annotated[
        bool, typer.Option("--score", help="Put the parts of the score beside.")
    ] = False,
    risk_at_most: Annotated[
        float | None,
        typer.Option(help="Name the masking of least loss; exit 1 when none is under the limit."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the map to this .svg file.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Compare maskings by the risk they leave and the information they cost.

    Example: discreet ru-map data.csv --keys age,zip --k 3,5,10 --methods mdav -o map.svg
    """
    announce_compilation()
    chosen = names_in(methods)
    recipes = ds.grid(
        methods=chosen,
        k=[_number(size, "--k") for size in names_in(k)],
        hierarchies=hierarchies_in(data, hierarchies) if "generalization" in chosen else None,
        p=p,
        max_suppressed=[amount(given) for given in names_in(max_suppressed)],
        fractions=[_share(given) for given in names_in(fractions)],
        seed=seed,
    )
    found = ds.ru_map(data, recipes, risk=cast("Any", risk), loss=loss, with_score=with_score)
    best, missed = _best(found, risk_at_most)
    if output is not None:
        found.write_svg(output, overwrite=force)
    if as_json:
        chosen_point = None if best is None else best.to_dict()
        print(json.dumps({**found.to_dict(), "best": chosen_point}, indent=2))
    else:
        print("\n".join([found.explain(), "", *_rows(found), *_said(best, risk_at_most)]))
    if missed is not None:
        print(missed, file=sys.stderr)
        raise typer.Exit(1)


def _best(found: Any, limit: float | None) -> tuple[Any, DiscreetError | None]:
    """The best point under the limit, or the error that says how near one came."""
    if limit is None:
        return None, None
    try:
        return found.best(risk_at_most=limit), None
    except DiscreetError as error:
        if error.code != "D50":
            raise
        return None, error


def _rows(found: Any) -> list[str]:
    wide = max(len(point.label) for point in found.points)
    beaten = {point.label for point in found.points} - {point.label for point in found.frontier}
    return [
        f"  {point.label:<{wide}}  "
        + (
            f"failed [{point.problem.code}]"
            if point.problem
            else f"risk {point.risk:.4f}  loss {point.loss:.4f}  {point.records:>9,} records"
            + ("" if point.label in beaten else "  frontier")
        )
        for point in found.points
    ]


def _said(best: Any, limit: float | None) -> list[str]:
    if best is None:
        return []
    return [
        "",
        f"Least loss with a risk of at most {limit:g}: {best.label} "
        f"(risk {best.risk:.4f}, loss {best.loss:.4f}).",
    ]


def _number(given: str, option: str) -> int:
    try:
        return int(given)
    except ValueError:
        pass
    fail("P07", f"{option} is not a list of whole numbers.", "Write 3,5,10.")


def _share(given: str) -> float:
    try:
        return float(given[:-1]) / 100 if given.endswith("%") else float(given)
    except ValueError:
        pass
    fail("P14", "--fractions is not a list of numbers.", "Write 0.1,0.5.")
