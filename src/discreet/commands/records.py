"""Commands about single records: their risk, and protection aimed at the risky ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, cast

import typer

import discreet as ds
from discreet.commands.app import app
from discreet.commands.options import (
    Force,
    Json,
    Output,
    announce_compilation,
    names_in,
    reads_data,
)

Settings = Annotated[
    Path,
    typer.Option("--settings", help="TOML file: what is known and sensitive.", show_default=False),
]


@app.command("record-risk")
@reads_data
def record_risk(
    data: Any,
    *,
    settings: Settings,
    above: Annotated[float, typer.Option(help="Count the records with a higher risk.")] = 0.01,
    at_most: Annotated[
        float | None, typer.Option(help="Exit 1 when a record's risk is above this limit.")
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
    announce_compilation()
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


@app.command("protect-records")
@reads_data
def protect_records(
    data: Any,
    *,
    settings: Settings,
    at_most: Annotated[float, typer.Option(help="The highest risk that may remain.")],
    output: Output,
    method: Annotated[str, typer.Option(help="suppress or microaggregate.")] = "suppress",
    columns: Annotated[
        list[str], typer.Option("--columns", help="Attributes that may be changed.")
    ] = [],  # noqa: B006
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Change the risky records only, until no record's risk is above a limit, and write the file.

    Example: discreet protect-records data.csv --settings risk.toml --at-most 0.01 -o masked.csv
    """
    announce_compilation()
    risk = ds.record_risk(data, settings=settings)
    masked = ds.protect_records(
        data, risk, at_most=at_most, method=cast("Any", method), columns=names_in(columns) or None
    )
    written = masked.write(output, overwrite=force)
    above = risk.above(at_most).count
    if as_json:
        report = {**written.to_dict(), "records_above": above}
        print(json.dumps({**report, "changes": dict(masked.changes)}, indent=2))
        return
    changed = ", ".join(f"{name} {cells:,}" for name, cells in masked.changes.items()) or "none"
    print(
        f"{above:,} of {data.n:,} records had a risk above {at_most:g}; none has now.\n"
        f"Changed cells: {changed}.\n{masked.n:,} records written to {output.name}.\n"
        f"{written.unchanged.explain()}"
    )
