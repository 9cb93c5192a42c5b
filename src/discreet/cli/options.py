"""Options of the command line that commands share, and how one is made from a description."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

import discreet as ds
from discreet.errors import fail, listed
from discreet.parameters import Parameter

Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="File to write: .csv, .parquet, .sav, .dta or .xlsx.",
        show_default=False,
    ),
]
Hierarchies = Annotated[
    Path | None, typer.Option("--hierarchies", help="Folder of hierarchy files: age.csv, zip.csv.")
]
Unmapped = Annotated[
    str,
    typer.Option(
        "--unmapped",
        help="For values that a hierarchy file lacks: error, or suppress (they get the top label).",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
UniqueColumns = Annotated[
    list[str],
    typer.Option(
        "--unique-column",
        help="Why a column that makes many records unique may be made public: 'fnlwgt=reason'.",
    ),
]
Measures = Annotated[
    Path | None,
    typer.Option(
        help="TOML file with a table measures.NAME for each measure; a plan works, too.",
        show_default=False,
    ),
]
_METAVARS = {
    "whole": "NUMBER",
    "number": "NUMBER",
    "amount": "0.02|2%|20",
    "text": "TEXT",
    "column": "COLUMN",
    "columns": "COLUMNS",
    "table": "COLUMN=NUMBER,…",
    "special": "TOML",
}


# -- options made from descriptions ----------------------------------------------------------------


def option(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    """An option of a command, as a parameter of its function."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def flag(name: str) -> str:
    """The option of a name."""
    return f"--{name.replace('_', '-')}"


def metavar(parameter: Parameter, otherwise: str = "TEXT") -> str:
    """What stands for the value of a parameter in the help of a command."""
    if parameter.kind == "choice":
        return f"[{'|'.join(parameter.choices)}]"
    return _METAVARS.get(parameter.kind, otherwise)


def parameter_option(
    parameter: Parameter, here: str, flags: str = "", shown: str = "", *, several: bool = False
) -> inspect.Parameter:
    """The option of a parameter, by its name within the command; one that may be given several
    times is a list of texts.
    """
    names = flags or flag(here)
    if parameter.kind == "flag":
        both = f"{names}/--no-{names[2:]}" if parameter.optional else names
        about = typer.Option(both, help=parameter.doc, show_default=False)
        kind: Any = bool | None if parameter.optional else bool
        return option(here, Annotated[kind, about], parameter.default)
    several = several or parameter.kind in ("columns", "table")
    usual = "" if parameter.default in (None, ()) else parameter.text(parameter.default)
    about = typer.Option(
        names,
        help=parameter.doc,
        metavar=shown or metavar(parameter),
        show_default=usual or False,
    )
    kind = list[str] if several else str | None
    return option(here, Annotated[kind, about], [] if several else None)


# -- what options stand for ------------------------------------------------------------------------


def hierarchies_in(data: Any, folder: Path | None, unmapped: str = "error") -> dict[str, Any]:
    """The files of a folder that are named for a key: age.csv, or adult_hierarchy_age.csv."""
    if folder is None:
        return {}
    if not folder.is_dir():
        fail("S01", f"{folder.name} is not a folder.", "Give a folder of hierarchy files.")
    if data is None:  # the file could not be read, which is told as well
        return {}
    files = hierarchy_files(data.need_keys(), folder)
    if not files:
        names = listed(f"{key}.csv" for key in data.keys)
        remedy = f"Name them {names}; discreet init proposes hierarchies in a plan."
        fail("S15", f"no file of {folder.name} is named after a key.", remedy)
    lacking = cast("Any", unmapped)
    return {key: ds.Hierarchy.from_csv(file, unmapped=lacking) for key, file in files.items()}


def hierarchy_files(keys: Sequence[str], folder: Path | None) -> dict[str, Path]:
    """The files of a folder that are named for a key, by the key."""
    found: dict[str, Path] = {}
    there = [] if folder is None else sorted(folder.glob("*.csv"))
    for key in keys:
        named = [file for file in there if _is_for(file.stem, key)]
        files = [file for file in named if file.stem == key] or named
        if folder is not None and len(files) > 1:
            fail(
                "S15", f"{len(files)} files of {folder.name} are named after {key!r}.", "Keep one."
            )
        if files:
            found[key] = files[0]
    return found


def _is_for(stem: str, key: str) -> bool:
    return stem == key or stem.endswith(f"_{key}")


def reasons_in(given: list[str]) -> dict[str, str]:
    """The reason for each column: ``fnlwgt=the design needs it``."""
    pairs = [one.partition("=") for one in given]
    if not all(equals and name.strip() and reason.strip() for name, equals, reason in pairs):
        what = "--unique-column is not a column and a reason."
        fail("P36", what, "Write --unique-column 'fnlwgt=why it may be released'.")
    return {name.strip(): reason.strip() for name, _, reason in pairs}


def measures_in(file: Path | None) -> dict[str, dict[str, Any]]:
    """The measures of a plan, or of a file that has no other section, with their arguments."""
    return {} if file is None else ds.Plan.read(file).measures


def names_in(given: list[str]) -> list[str]:
    """Names separated by commas; a name with a comma stands in double quotes."""
    try:
        return [name.strip() for row in csv.reader(given, skipinitialspace=True) for name in row]
    except csv.Error:
        pass
    fail("P04", "a list of names cannot be read.", "Write age,zip,sex on one line.")
