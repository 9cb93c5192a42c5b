"""The command that shows the way of the data on simulated patients."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from annotated_types import Ge

import discreet as ds
from discreet.cli.options import Force, Json
from discreet.cli.program import app
from discreet.cli.usage import Command, telling
from discreet.errors import fail
from discreet.files import write_arrow

_FILES = ("patients.csv", "masked.csv", "release.html")
_BLOCK = 5_000  # records: Spark groups similar records in blocks, and the figures are to be equal


@dataclass(frozen=True)
class _Shown:
    """The results of the demonstration, in the order in which they are told."""

    survey: Any
    risk: Any
    population: Any
    check: Any
    found: Any
    masked: Any
    averaged: Any
    map: Any


def _asked(output: Path | None, force: bool, **_others: Any) -> None:
    if output is not None:
        _need_free(output, force=force)


@app.command(cls=Command)
@telling(_asked)
def demo(
    n: Annotated[int, Ge(1), typer.Option(help="Number of simulated patients.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.")] = 1,
    engine: Annotated[
        str | None, typer.Option(help="Where to do the work: spark (needs the spark extra).")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder to write the masked file and a report to.",
        ),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Show all steps on simulated patients: read, measure, protect, compare, release.

    Example: discreet demo -o demo
    """  # fmt: skip
    if output is not None:
        _need_free(output, force=force)
    with tempfile.TemporaryDirectory(prefix="discreet-demo-") as folder:
        path = (output or Path(folder)) / "patients.csv"
        write_arrow(path, ds.datasets.patients(n, seed, weighted=True))
        shown = _shown(path, engine)
        print(json.dumps(_as_dict(shown), indent=2) if as_json else _told(shown))
        if output is not None:
            _release(shown, output, as_json=as_json)


def _shown(path: Path, engine: str | None) -> _Shown:
    survey = ds.read(
        path,
        identifiers=["name", "ssn"],
        keys=["age", "zip", "sex"],
        confidential=["illness", "income"],
        weight="weight",
        engine=cast("Any", engine),
    )
    criterion = ds.PSensitiveKAnonymity(p=2, k=5)
    hierarchies = {
        "age": ds.Hierarchy.intervals([5, 10, 20, 40]),
        "zip": ds.Hierarchy.prefixes([5, 3, 2, 1, 0]),
        "sex": ds.Hierarchy.suppress(),
    }
    found = ds.generalize(survey, hierarchies, criterion, max_suppressed=0.02)
    masked = found.best.mask()
    averaged = ds.microaggregate(survey, k=5, blocks=_BLOCK)
    pairs = [("generalization", masked), ("microaggregation", averaged)]
    compared = ds.ru_map(survey, pairs)
    check = ds.check(survey, criterion)
    risk, population = ds.risk(survey), ds.population_range(survey)
    return _Shown(survey, risk, population, check, found, masked, averaged, compared)


def _told(shown: _Shown) -> str:
    criterion = ds.PSensitiveKAnonymity(p=2, k=5)
    survey, masked = shown.survey, shown.masked
    parts = [
        ("Read a table and say what its attributes are", repr(survey)),
        ("See the risk", f"{shown.risk.explain()}\n\n{shown.risk.bars()}"),
        ("See what it means in the population", shown.population.explain()),
        ("Check it against what your rules ask for", shown.check.explain()),
        ("Generalize the keys and suppress what still stands out", shown.found.explain()),
        ("Check the masked file again", ds.check(masked, criterion).explain()),
        ("What risk is left", ds.disclosure_risk(survey, masked).explain()),
        ("What it cost", ds.information_loss(survey, masked).explain()),
        (
            "Or replace the keys by averages of five similar patients",
            ds.check(shown.averaged, ds.KAnonymity(5)).explain(),
        ),
        ("Compare the two", shown.map.explain()),
    ]
    return "\n".join(_section(f"{i}. {title}", body) for i, (title, body) in enumerate(parts, 1))


def _section(title: str, body: str) -> str:
    return f"\n{title}\n{'─' * len(title)}\n{body}"


def _as_dict(shown: _Shown) -> dict[str, Any]:
    parts = {
        "risk": shown.risk,
        "population": shown.population,
        "check": shown.check,
        "found": shown.found,
        "disclosure_risk": ds.disclosure_risk(shown.survey, shown.masked),
        "information_loss": ds.information_loss(shown.survey, shown.masked),
        "microaggregation": ds.information_loss(shown.survey, shown.averaged),
    }
    return {name: part.to_dict() for name, part in parts.items()}


def _need_free(folder: Path, *, force: bool) -> None:
    taken = [name for name in _FILES if os.path.lexists(folder / name)]
    if taken and not force:
        what = f"{', '.join(taken)} exist in {folder.name} already."
        fail("O03", what, "Choose another folder, or overwrite them with --force.")
    folder.mkdir(exist_ok=True)


def _release(shown: _Shown, folder: Path, *, as_json: bool) -> None:
    shown.masked.write(folder / "masked.csv", overwrite=True)
    report = folder / "release.html"
    ds.report(
        shown.survey,
        shown.masked,
        report,
        criterion=ds.PSensitiveKAnonymity(p=2, k=5),
        found=shown.found,
        ru_map=shown.map,
        overwrite=True,
    )
    if not as_json:
        said = f"The masked file is {folder / 'masked.csv'}.\nOpen {report.absolute().as_uri()}"
        print(_section("11. The release", said))
