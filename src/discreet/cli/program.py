"""The command ``discreet``: what all of its commands share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import discreet as ds

app = typer.Typer(
    name="discreet",
    help="Measure and limit disclosure risk in tables of individual records.",
    epilog="Exit codes: 0 the criterion holds, 1 it does not, 2 the command or its input is wrong.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a traceback with local values would show cells
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _shared(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    memory_limit: Annotated[
        str | None, typer.Option(help="Memory of the embedded engine: 2GB.", show_default=False)
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads of the embedded engine.", show_default=False)
    ] = None,
    temp_directory: Annotated[
        Path | None,
        typer.Option(help="Folder for what does not fit into memory.", show_default=False),
    ] = None,
) -> None:
    if version:
        print(ds.__version__)
        raise typer.Exit
    if (memory_limit, threads, temp_directory) != (None, None, None):
        ds.settings(memory_limit=memory_limit, threads=threads, temp_directory=temp_directory)


def show(found: Any, as_json: bool, text: Callable[[], str]) -> None:
    """Print a result, as JSON or as text."""
    print(json.dumps(found.to_dict(), indent=2) if as_json else text())
