"""The command that compares maskings by risk and loss, and chooses one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import discreet as ds
from discreet.cli.lazy import lazily, reading
from discreet.cli.options import (
    Force,
    Hierarchies,
    Json,
    Measures,
    hierarchies_in,
    measures_in,
    names_in,
    option,
)
from discreet.cli.program import show
from discreet.cli.usage import checks
from discreet.errors import DiscreetError

Seed = Annotated[int | None, typer.Option(help="Seed of maskings that draw at random.")]
RiskBy = Annotated[
    str,
    typer.Option(
        help="maximal, minimal, compatible, highest, linkage, interval, or record_risk.mean, …"
    ),
]
LossBy = Annotated[
    str, typer.Option(help="A measure of information loss, or regression_loss.largest_change, …")
]
WithScore = Annotated[bool, typer.Option("--score", help="Also show the parts of the score.")]
RiskAtMost = Annotated[
    float | None,
    typer.Option(help="Name the masking of least loss; exit with 1 when none is under the limit."),
]
Draw = Annotated[
    Path | None, typer.Option("--output", "-o", help="Draw the map to this .svg file.")
]
PlanFile = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the plan of the proposal: p.toml.")
]
ABOUT = "Compare maskings by the risk they leave and the information they cost."


def _ru_map() -> Callable[..., None]:
    from discreet.cli.described import grid_arguments, grid_options
    from discreet.rumap.grid import method_words

    def run(
        data: Any,
        *,
        hierarchies: Hierarchies = None,
        seed: Seed = None,
        risk: RiskBy = "maximal",
        loss: LossBy = "ebil_share",
        measures: Measures = None,
        with_score: WithScore = False,
        risk_at_most: RiskAtMost = None,
        output: Draw = None,
        force: Force = False,
        as_json: Json = False,
        **given: Any,
    ) -> None:
        folder = hierarchies_in(data, hierarchies)
        chosen, varied = names_in(given["methods"]), grid_arguments(given)
        recipes = ds.grid(methods=chosen, hierarchies=folder, seed=seed, **varied)
        asked = measures_in(measures)
        found = ds.ru_map(
            data, recipes, risk=risk, loss=loss, measures=asked, with_score=with_score
        )
        best, missed = _best(found, risk_at_most)
        if output is not None:
            found.write_svg(output, overwrite=force)
        if as_json:
            chosen_point = None if best is None else best.to_dict()
            print(json.dumps({**found.to_dict(), "best": chosen_point}, indent=2))
        else:
            print("\n".join([found.explain(), "", *_rows(found), *_said(best, risk_at_most)]))
        if missed is not None:
            print(missed.said(), file=sys.stderr)
            raise typer.Exit(1)

    about = typer.Option("--methods", help=f"Maskings to compare: {', '.join(method_words())}.")
    methods = option("methods", Annotated[list[str], about], ["mdav"])
    options: list[Any] = [methods, "hierarchies", "seed", *grid_options()]
    example = "Example: discreet ru-map data.csv --keys age,zip --methods mdav --k 3,5,10 -o m.svg"
    return reading(run, options, ABOUT, example, _asked)


def _asked(data: Any, given: dict[str, Any]) -> None:
    """Look at what is given."""
    from discreet.cli.described import grid_arguments

    checks(
        lambda: hierarchies_in(data, given["hierarchies"]),
        lambda: grid_arguments(given),
        lambda: measures_in(given["measures"]),
    )


lazily("ru-map", ABOUT, _ru_map)


def _recommend() -> Callable[..., None]:
    from discreet.cli.described import Verb, method_arguments, method_options

    verb = Verb(ds.recommend)

    def run(
        data: Any,
        *,
        output: PlanFile = None,
        force: Force = False,
        as_json: Json = False,
        **given: Any,
    ) -> None:
        found = ds.recommend(data, **method_arguments(verb, data, given))
        if output is not None:
            found.plan().write(output, overwrite=force)
        show(found, as_json, found.explain)

    example = (
        "Example: discreet recommend data.csv --keys age,zip --hierarchies dir/ --k 5 -o p.toml"
    )
    asked = partial(method_arguments, verb)
    return reading(run, method_options(verb), RECOMMEND, example, asked)


RECOMMEND = (
    "Try every method that can reach a criterion, and propose one; exit with 1 when none does."
)
lazily("recommend", RECOMMEND, _recommend)


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
