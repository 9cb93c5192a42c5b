"""The command ``discreet``: what all of its commands share."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
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
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show why a step failed. This may show values of the data."),
    ] = False,
) -> None:
    if debug:
        os.environ[DEBUG] = "1"
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


def show(found: Any, as_json: bool, text: Callable[[], str]) -> None:
    """Print a result, as JSON or as text."""
    print(json.dumps(found.to_dict(), indent=2) if as_json else in_terminal(text()))


_VERB = re.compile(r"ds\.([A-Za-z_]+)(\([^()]*\))?")


def in_terminal(text: str) -> str:
    r"""What a result says, in the words of a terminal: commands in place of functions, options in
    place of criteria. Advice that only makes sense in Python is left out.

    Examples
    --------
    >>> in_terminal("It is high.\nNext: mask it (ds.microaggregate).")
    'It is high.\nNext: mask it (discreet microaggregate).'
    >>> in_terminal("It is high.\nNext: .best(risk_at_most=…) gives one.")
    'It is high.\nNext: --risk-at-most gives one.'
    >>> in_terminal("It is high.\nNext: look at .entries().")
    'It is high.'
    """
    lines = [_VERB.sub(_command, line) for line in _worded(text).split("\n")]
    return "\n".join(line for line in lines if not (line.startswith("Next:") and _is_python(line)))


_WORDS = {  # advice that has an option in place of a method
    ".best(risk_at_most=…)": "--risk-at-most",
    "with ds.DisclosureRiskAtMost": "with --at-most",
    "with .weighted(W)": "with --weights",
    "with .above(0.1)": "with --output",
    ", or look at .by_attribute()": "",
    "; .not_applicable says why": "; --json says why",
}


def _worded(text: str) -> str:
    for python, terminal in _WORDS.items():
        text = text.replace(python, terminal)
    return text


def _is_python(line: str) -> bool:
    return bool(re.search(r"\bds\.|(?<!\w)\.\w+\(|\w=\W", line))


def _command(found: re.Match[str]) -> str:
    from discreet.registry import criteria, everything, maskings

    name = found[1]
    if name in maskings.entries():
        return f"discreet {maskings.entries()[name].command}"
    if name in criteria.entries():
        kind = criteria[name]
        return ", ".join(
            f"--{one.replace('_', '-')}" for one in ([kind.key] if not kind.inline else ["k"])
        )
    if name in everything() or name in _COMMANDS:
        return f"discreet {name.replace('_', '-')}"
    return found[0]


_COMMANDS = (
    "advise",
    "check",
    "compare_releases",
    "recommend",
    "report",
    "ru_map",
    "risk",
    "record_risk",
    "key_candidates",
)
