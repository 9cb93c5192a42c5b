"""The command about single records: their risk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from annotated_types import Ge

import discreet as ds
from discreet.cli.lazy import reading_on_use
from discreet.cli.options import Force, Json

Settings = Annotated[
    Path,
    typer.Option(
        "--settings",
        help="TOML file that says what is known and what is sensitive.",
        show_default=False,
    ),
]


def _asked(data: Any, given: dict[str, Any]) -> None:
    """Look at the settings."""
    if given["settings"] is not None:
        settings = ds.RiskSettings.from_toml(given["settings"])
        if data is not None:
            settings.require_fit(data)


@reading_on_use(_asked)
def record_risk(
    data: Any,
    *,
    settings: Settings,
    above: Annotated[
        float, Ge(0), typer.Option(help="Count the records with a higher risk.")
    ] = 0.01,
    at_most: Annotated[
        float | None,
        Ge(0),
        typer.Option(help="Exit with 1 when a record's risk is above this limit."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write position and risk: .csv or .parquet."),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Measure the risk of each record over all sets of attributes that an intruder may know.

    Example: discreet record-risk data.csv --settings risk.toml --above 0.01 -o risk.parquet
    """
    found = ds.record_risk(data, settings=settings)
    high = found.above(above)
    if output is not None:
        found.write(output, overwrite=force)
    if as_json:
        asked = {"threshold": above, "records_above": high.count}
        print(json.dumps({**found.to_dict(), **asked}, indent=2))
    else:
        print(f"{found.explain()}\n\n{high!r}\n\n{found.histogram().bars()}")
    if at_most is not None and found.highest > at_most:
        raise typer.Exit(1)
