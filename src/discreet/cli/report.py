"""The command that writes the report of a release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import discreet as ds
from discreet.cli.lazy import lazily, reading
from discreet.cli.options import (
    Force,
    Json,
    Measures,
    UniqueColumns,
    look_at_both,
    measures_in,
    reasons_in,
)
from discreet.cli.program import show
from discreet.cli.usage import checks

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


def _report() -> Callable[..., None]:
    from discreet.cli.described import criteria_in, criterion_options, option

    def run(
        data: Any,
        *,
        masked: Path,
        read_alike: Callable[[Path], Any],
        on: str,
        output: Path,
        public: bool,
        unique_columns: list[str],
        measures: Path | None,
        title: str | None,
        note: str | None,
        force: bool,
        as_json: bool,
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

    options = [
        option("masked", MaskedFile),
        option("on", On),
        option("output", Page),
        option("read_alike", Any),
        option("public", Public, default=False),
        *criterion_options(usual_k=None),
        option("unique_columns", UniqueColumns, []),
        option("measures", Measures, None),
        option("title", Title, None),
        option("note", Note, None),
        option("force", Force, default=False),
        option("as_json", Json, default=False),
    ]
    example = "Example: discreet report initial.csv masked.csv --on rec --keys age,sex -o r.html"

    def asked(data: Any, given: dict[str, Any]) -> None:
        checks(
            lambda: criteria_in(_with_least_size(given)),
            lambda: measures_in(given["measures"]),
            lambda: reasons_in(given["unique_columns"]),
            lambda: look_at_both(data, given),
        )

    return reading(run, options, ABOUT, example, asked)


def _with_least_size(given: dict[str, Any]) -> dict[str, Any]:
    """P alone asks for classes of p records."""
    return given | ({"k": given["p"]} if given.get("k") is None and given.get("p") else {})


lazily("report", ABOUT, _report)
