"""The command that shows the way of the data on simulated patients."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Annotated, Any, cast

import typer

import discreet as ds
from discreet.commands.app import app
from discreet.commands.options import (
    Json,
    announce_compilation,
)


@app.command()
def demo(
    n: Annotated[int, typer.Option(help="Number of simulated patients.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Of the simulation.")] = 1,
    engine: Annotated[
        str | None, typer.Option(help="spark: do the work there (needs the spark extra).")
    ] = None,
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
            engine=cast("Any", engine),
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
