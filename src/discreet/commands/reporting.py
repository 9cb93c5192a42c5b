"""The command that writes the report of a release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import discreet as ds
from discreet.commands.app import app, show
from discreet.commands.options import (
    AtMost,
    Force,
    Json,
    P,
    UniqueColumns,
    criteria_of,
    reads_data,
    reasons_in,
)


@app.command()
@reads_data
def report(
    data: Any,
    masked: Annotated[Path, typer.Argument(help="The masked file.", show_default=False)],
    *,
    read_alike: Callable[[Path], Any],
    on: Annotated[str, typer.Option("--on", help="Column that links the records of both files.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The .html file to write.", show_default=False)
    ],
    public: Annotated[
        bool, typer.Option("--public", help="Without anything that helps an intruder.")
    ] = False,
    k: Annotated[
        int | None, typer.Option("--k", help="Check k-anonymity; exit 1 when it does not hold.")
    ] = None,
    p: P = None,
    at_most: AtMost = None,
    unique_columns: UniqueColumns = [],  # noqa: B006
    title: Annotated[str | None, typer.Option(help="Heading of the report.")] = None,
    note: Annotated[str | None, typer.Option(help="A remark below the heading.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a report of a masked file: what, at which risk, at what cost; one HTML file.

    Example: discreet report initial.csv masked.csv --on rec --keys age,sex -o release.html
    """
    found = ds.report(
        data,
        read_alike(masked),
        output,
        audience="public" if public else "internal",
        criterion=_criteria(k, p, at_most),
        on=on,
        title=title,
        note=note,
        unique_columns=reasons_in(unique_columns),
        overwrite=force,
    )
    show(found, as_json, found.explain)
    if found.satisfied is False:
        raise typer.Exit(1)


def _criteria(k: int | None, p: int | None, at_most: float | None) -> list[Any] | None:
    """What must hold; nothing is checked when nothing is asked for."""
    if k is None and p is None:
        return None if at_most is None else [ds.DisclosureRiskAtMost(at_most)]
    least = k if k is not None else p
    assert least is not None
    return criteria_of(least, p, None, None, at_most)
