"""Reading on the command line: the options of commands that read a file, and the microdata."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import discreet as ds
from discreet.cli.options import (
    Output,
    hierarchy_files,
    names_in,
    option,
    parameter_option,
)
from discreet.cli.usage import all_told, tells, wrong_words
from discreet.data.options import FORMAT, OF_SOURCE, OPTIONS
from discreet.errors import Problem, fail, noted, raise_all
from discreet.files import place_problems
from discreet.formats import WRITTEN
from discreet.parameters import Parameter

if TYPE_CHECKING:
    from discreet.criteria.kind import CriterionKind

_MISSING_IN = "missing_in"  # a list for one column: a table of Python has no text
READING = ("file", *OPTIONS, _MISSING_IN)  # other options may not have these names
# nor those of the other options that commands have by themselves, and of their flags
_OWN = (
    "data",
    "masked",
    "read_alike",
    "on",
    "output",
    "report",
    "page",
    "force",
    "json",
    "as_json",
)
TAKEN = (*READING, *_OWN, "type", "codes", "fail_above", "help", "unmapped")
_FLAGS = {"types": "--type", "labels": "--labels/--codes"}
_SEVERAL = ("types", "missing_values", "names", "date_format")


def reads_data(
    command: Callable[..., None], asked: Callable[[Any, dict[str, Any]], Any] | None = None
) -> Callable[..., None]:
    """Give a command the options of reading, and the microdata as its first argument.

    A second argument, where there is one by the name of ``read_alike``, reads another file the
    same way, without roles. ``asked`` reads the options of the command itself, also without data:
    what is wrong with them is told together with what is wrong with the file and the output.
    """

    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in options}
        file = chosen.pop("file")
        if wants_alike:
            how = {name: chosen[name] for name in (*OF_SOURCE, _MISSING_IN)}
            given["read_alike"] = lambda other: _read(other, how)
        endings = _endings(given, suffixes)
        problems = wrong_words()
        inputs = [one for one in (file, *_files_in(given)) if one is not None]
        problems += _output_problems(given, endings, inputs)
        data = None
        if file is not None:
            with noted(problems):
                data = _read(file, chosen)

        def work() -> None:
            raise_all(_problems_in_the_data(data, given, endings, has_records=bool(suffixes)))
            command(data, **given)

        all_told(problems, work, lambda: None if asked is None else asked(data, given))

    options = _options()
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    wants_alike = any(p.name == "read_alike" for p in own)
    suffixes = (".csv", ".parquet", *WRITTEN) if any(p.annotation == Output for p in own) else None
    own = [p for p in own if p.name != "read_alike"]
    everything = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*options.values(), *own)]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(everything)  # type: ignore[attr-defined]
    return tells(run)


def _endings(given: dict[str, Any], suffixes: tuple[str, ...] | None) -> tuple[str, ...]:
    """The endings that the output may have; any, where it is not a file of records."""
    place = given.get("output")
    return suffixes or (() if place is None else (place.suffix,))


def _problems_in_the_data(
    data: Any, given: dict[str, Any], endings: tuple[str, ...], *, has_records: bool
) -> list[Problem]:
    """What is in the way of the output and shows in the data, before the work."""
    place = given.get("output")
    if place is None:
        return []
    named = hierarchy_files(data.keys, given.get("hierarchies"))
    beside = place_problems(place, overwrite=True, suffixes=endings, inputs=named.values())
    return [*beside, *(data.write_problems(place, given["force"]) if has_records else [])]


def _output_problems(
    given: dict[str, Any], endings: tuple[str, ...], inputs: list[Path]
) -> list[Problem]:
    """What is in the way of the files that a command would write."""
    force, output, page = given.get("force", False), given.get("output"), given.get("page")
    found = []
    if output is not None:
        found += place_problems(output, overwrite=force, suffixes=endings, inputs=inputs)
    if page is not None:
        inputs = [*inputs, output] if output is not None else inputs
        found += place_problems(page, overwrite=force, suffixes=(".html",), inputs=inputs)
    return found


def _files_in(given: dict[str, Any]) -> list[Path]:
    """The files that a command is given to read: every path but those of what it writes.

    Of a folder it reads some files only: see :func:`hierarchy_files`.
    """
    read = [one for name, one in given.items() if name not in ("output", "page")]
    paths = [one for one in read if isinstance(one, Path)]
    return [*(path for path in paths if not path.is_dir()), *_registers_in(given)]


def _registers_in(given: dict[str, Any]) -> list[Path]:
    """The files that options of criteria name: ``5:population=all.csv``."""
    said = {name: one for name, one in given.items() if isinstance(one, str) and ":" in one}
    if not said:
        return []
    from discreet.registry import criteria

    named = [kind for kind in criteria.all() if kind.files and place_of(kind) in said]
    return [file for kind in named for file in kind.files_in(said[place_of(kind)])]


def place(name: str, of: str) -> str:
    """The name of a parameter within a command: one that the command has by itself carries the name
    of what it is of.
    """
    return f"{of}_{name}" if name in TAKEN else name


def place_of(kind: CriterionKind) -> str:
    """The name of a criterion within a command."""
    return place(kind.key, kind.name.lower())


def _options() -> dict[str, inspect.Parameter]:
    """What a command says of reading."""
    about = typer.Argument(
        help="A file: CSV, Parquet, SPSS, Stata, SAS or a spreadsheet.", show_default=False
    )
    codes = typer.Option(
        "--missing-in",
        help="Codes that mean missing in one column: 'income=-9,-8'.",
        metavar="TEXT",
        show_default=False,
    )
    found = [option("file", Annotated[Path, about])]
    found += [
        parameter_option(
            parameter,
            name,
            _FLAGS.get(name, ""),
            "TEXT" if parameter.kind == "special" else "",
            several=name in _SEVERAL,
        )
        for name, parameter in OPTIONS.items()
    ]
    found.insert(
        1 + list(OPTIONS).index("missing_values") + 1,
        option(_MISSING_IN, Annotated[list[str], codes], []),
    )
    return {one.name: one for one in found}


def _read(file: Path, given: Mapping[str, Any]) -> Any:
    """The microdata of a file; what the options do not say is as in Python."""
    problems: list[Problem] = []
    said = {name: one for name, one in given.items() if one not in (None, [])}
    by_column = dict(_each(_of_column, said.pop(_MISSING_IN, []), problems))
    kinds = dict(_each(_type, said.pop("types", []), problems))
    data = None
    with noted(problems):
        how = {name: _value(OPTIONS[name], one) for name, one in said.items()}
        if by_column:
            how["missing_values"] = _codes(file, how, by_column)
        data = ds.read(file, **how, types=kinds)
    raise_all(problems)
    return data


def _value(parameter: Parameter, given: Any) -> Any:
    """What an option stands for; reading says what is wrong with it."""
    if parameter.name == "date_format":
        return _dates_in(given)
    if isinstance(given, list):
        return names_in(given)
    read = parameter.written.read if parameter.written else None
    return read(given) if read else given


def _codes(
    file: Path, how: Mapping[str, Any], by_column: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    """The codes of each column: those of all, and its own."""
    codes = how.get("missing_values", [])
    format_ = {name: how[name] for name in FORMAT if name in how}
    everywhere = dict.fromkeys(ds.read(file, **format_).columns, codes) if codes else {}
    return everywhere | {name: [*codes, *own] for name, own in by_column.items()}


def _each(
    read: Callable[[str], tuple[str, Any]], given: list[str], problems: list[Problem]
) -> list[tuple[str, Any]]:
    """What the texts stand for, of those that can be read."""
    found = []
    for one in given:
        with noted(problems):
            found.append(read(one))
    return found


def _of_column(given: str) -> tuple[str, list[str]]:
    name, equals, codes = given.partition("=")
    if not equals or not name.strip():
        fail("P04", "--missing-in names no column.", "Write --missing-in 'income=-9,-8'.")
    return name.strip(), names_in([codes])


def _dates_in(given: list[str]) -> Any:
    """One format for all columns, or one for each that is named."""
    if not any("=" in one for one in given):
        return given[-1] if given else None
    return {name.strip(): one for name, _, one in (each.partition("=") for each in given)}


def _type(given: str) -> tuple[str, Any]:
    name, equals, kind = given.rpartition("=")
    if not equals:
        fail("P05", f"--type {given!r} has no '='.", "Write for example --type age=continuous.")
    return name, kind.split("<") if "<" in kind else kind
