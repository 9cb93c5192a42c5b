"""Commands that measure: risk, check, compare."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import discreet as ds
from discreet.cli.lazy import lazily, reading
from discreet.cli.options import Json, reads_data
from discreet.cli.program import app, show


@app.command()
@reads_data
def risk(data: Any, *, as_json: Json = False) -> None:
    """Show how likely people are recognised: class sizes, k, p, uniques.

    Example: discreet risk patients.csv --keys age,zip,sex --confidential illness
    """
    found = ds.risk(data)
    show(found, as_json, lambda: f"{found.explain()}\n\n{found.bars()}")


def _check() -> Callable[..., None]:
    from discreet.cli.described import criteria_in, criterion_options, option

    def run(data: Any, *, as_json: bool, **given: Any) -> None:
        found = ds.check(data, criteria_in(given))
        show(found, as_json, found.explain)
        if not found.satisfied:
            raise typer.Exit(1)

    options = [*criterion_options(), option("as_json", Json, default=False)]
    about = "Check what must hold: k-anonymity, or another criterion; exit 1 when it does not hold."
    example = "Example: discreet check masked.csv --keys age,zip,sex --k 5"
    return reading(run, options, about, example)


lazily("check", "Check k-anonymity, or another criterion; exit 1 when it does not hold.", _check)


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
