"""The command that writes the report of a release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import discreet as ds
from discreet.cli.lazy import lazily, reading
from discreet.cli.options import Force, Json, Measures, UniqueColumns, measures_in, reasons_in
from discreet.cli.program import show
from discreet.cli.usage import checks, look_at_both

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
