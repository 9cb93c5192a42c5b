"""The command ``discreet``: what all of its commands share."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from annotated_types import Ge

import discreet as ds
from discreet.cli.usage import Program, noting, wrong_words
from discreet.errors import DEBUG, Problem, raise_all

app = typer.Typer(
    name="discreet",
    cls=Program,
    help="Measure and limit disclosure risk in tables of individual records.",
    epilog="Exit codes: 0 the criterion holds, 1 it does not, 2 the command or its input is wrong.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a traceback with local values would show cells
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _debugging(asked: bool) -> bool:
    if asked:
        os.environ[DEBUG] = "1"
    return asked


@app.callback(invoke_without_command=True)
def _shared(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    memory_limit: Annotated[
        str | None, typer.Option(help="Memory of the embedded engine: 2GB.", show_default=False)
    ] = None,
    threads: Annotated[
        int | None,
        Ge(1),
        typer.Option(help="Threads of the embedded engine.", show_default=False),
    ] = None,
    temp_directory: Annotated[
        Path | None,
        typer.Option(help="Folder for what does not fit into memory.", show_default=False),
    ] = None,
    debug: Annotated[  # noqa: ARG001 - see _debugging
        bool,
        typer.Option(
            "--debug",
            is_eager=True,
            callback=_debugging,  # a command may fail while it is built, before it runs
            help="Show why a step failed. This may show values of the data.",
        ),
    ] = False,
) -> None:
    if version:
        raise_all(wrong_words())
        print(ds.__version__)
        raise typer.Exit
    if (memory_limit, threads, temp_directory) != (None, None, None):
        with noting():
            ds.settings(memory_limit=memory_limit, threads=threads, temp_directory=temp_directory)
    if context.invoked_subcommand is None:
        what = Problem("P32", "no command is named.", "discreet --help lists the commands.")
        raise_all([*wrong_words(), what])


def show(found: Any, as_json: bool, text: Callable[[], str], **more: Any) -> None:
    """Print a result, as JSON or as text; ``more`` stands in the JSON beside its figures."""
    print(json_text({**found.to_dict(), **more}) if as_json else text())


def json_text(found: Any) -> str:
    """Plain values as JSON, which has neither an undefined nor an infinite number."""
    return json.dumps(_finite(found), indent=2)


def _finite(found: Any) -> Any:
    if isinstance(found, Mapping):
        return {name: _finite(one) for name, one in found.items()}
    if isinstance(found, list | tuple):
        return [_finite(one) for one in found]
    plain = found.item() if hasattr(found, "item") else found
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain
