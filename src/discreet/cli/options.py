"""Options of the command line: how a file is read, what must hold, where hierarchies lie."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

import discreet as ds
from discreet.cli.usage import all_told, tells, wrong_words
from discreet.errors import Problem, fail, listed, noted, raise_all
from discreet.files import place_problems
from discreet.formats import WRITTEN

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
        help="TOML file with [measures.NAME]: measures and their parameters; a plan works, too.",
        show_default=False,
    ),
]
_HOW = (
    *("missing", "missing_values", "missing_in", "separator", "encoding", "names", "header"),
    *("decimal", "thousands", "date_format", "sheet", "labels"),
)


def reads_data(
    command: Callable[..., None], asked: Callable[[Any, dict[str, Any]], Any] | None = None
) -> Callable[..., None]:
    """Give a command the options of :func:`_read`, and the microdata as its first argument.

    A second argument, where there is one by the name of ``read_alike``, reads another file the
    same way, without roles. ``asked`` reads the options of the command itself, also without data:
    what is wrong with them is told together with what is wrong with the file and the output.
    """

    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in options}
        how = {name: chosen[name] for name in _HOW}
        if wants_alike:
            given["read_alike"] = lambda file: _read(file=file, **how)
        endings = _endings(given, suffixes)
        problems = wrong_words()
        inputs = [file for file in (chosen["file"], *_files_in(given)) if file is not None]
        problems += _output_problems(given, endings, inputs)
        data = None
        if chosen["file"] is not None:
            with noted(problems):
                data = _read(**chosen)

        def work() -> None:
            raise_all(_problems_in_the_data(data, given, endings, has_records=bool(suffixes)))
            command(data, **given)

        all_told(problems, work, lambda: None if asked is None else asked(data, given))

    options = inspect.signature(_read, eval_str=True).parameters
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    wants_alike = any(p.name == "read_alike" for p in own)
    suffixes = (".csv", ".parquet", *WRITTEN) if any(p.annotation == Output for p in own) else None
    own = [p for p in own if p.name != "read_alike"]
    everything = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*options.values(), *own)]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(everything)  # type: ignore[attr-defined]
    return tells(run)


def look_at_both(data: Any, given: dict[str, Any]) -> None:
    """Read the other file of a command, and look for the columns that both files need."""
    from discreet.masking.method import unknown_columns

    problems: list[Problem] = []
    file, on, other = given.get("masked") or given.get("second"), given["on"], None
    if file is not None:
        with noted(problems):
            other = given["read_alike"](file)
    for one in (data, other):
        if one is not None and on is not None:
            problems += unknown_columns(one, [on], "record id")
    if data is not None and other is not None:
        problems += unknown_columns(other, data.keys, "key attribute")
    raise_all(problems)


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


def reading_options() -> tuple[str, ...]:
    """What a command says of reading; other options may not have these names."""
    return tuple(inspect.signature(_read).parameters)


def _files_in(given: dict[str, Any]) -> list[Path]:
    """The files that a command is given to read: every path but that of its output.

    Of a folder it reads some files only: see :func:`hierarchy_files`.
    """
    paths = [one for name, one in given.items() if name != "output" and isinstance(one, Path)]
    return [*(path for path in paths if not path.is_dir()), *_registers_in(given)]


def _registers_in(given: dict[str, Any]) -> list[Path]:
    """The files that options of criteria name: ``5:population=all.csv``."""
    said = {name: one for name, one in given.items() if isinstance(one, str) and ":" in one}
    if not said:
        return []
    from discreet.registry import criteria

    named = [kind for kind in criteria.all() if kind.files and kind.key in said]
    return [file for kind in named for file in kind.files_in(said[kind.key])]


def _read(
    *,
    file: Annotated[
        Path,
        typer.Argument(
            help="A file: CSV, Parquet, SPSS, Stata, SAS or a spreadsheet.", show_default=False
        ),
    ],
    keys: Annotated[
        list[str], typer.Option("--keys", help="What an intruder may know: age,zip,sex.")
    ] = [],  # noqa: B006
    confidential: Annotated[
        list[str], typer.Option("--confidential", help="What an intruder wants to learn.")
    ] = [],  # noqa: B006
    identifiers: Annotated[
        list[str], typer.Option("--identifiers", help="Columns that name a person; never written.")
    ] = [],  # noqa: B006
    types: Annotated[
        list[str],
        typer.Option("--type", help="Type of a column: age=continuous, edu=low<middle<high."),
    ] = [],  # noqa: B006
    weight: Annotated[str | None, typer.Option(help="Column of sampling weights.")] = None,
    record_id: Annotated[
        str | None, typer.Option(help="Column that names the records; never written.")
    ] = None,
    household: Annotated[
        str | None,
        typer.Option(help="Column that says who lives in the same household; not written."),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option(help="Column that says which person a record is of; not written."),
    ] = None,
    missing: Annotated[
        str, typer.Option(help="What a missing value is: category, wildcard, or refuse.")
    ] = "category",
    missing_values: Annotated[
        list[str], typer.Option("--missing-values", help="Codes that mean missing: '?,-9'.")
    ] = [],  # noqa: B006
    missing_in: Annotated[
        list[str],
        typer.Option("--missing-in", help="Codes that mean missing in one column: 'income=-9,-8'."),
    ] = [],  # noqa: B006
    separator: Annotated[
        str | None, typer.Option(help="Separator of the CSV file; detected when not given.")
    ] = None,
    encoding: Annotated[
        str, typer.Option(help="Encoding of the CSV file: utf-8, cp1252, latin-1, utf-16, ….")
    ] = "utf-8",
    decimal: Annotated[
        str, typer.Option(help="Decimal sign of the CSV file: a point or a comma.")
    ] = ".",
    thousands: Annotated[
        str | None, typer.Option(help="Mark between thousands in the CSV file: '.'.")
    ] = None,
    date_format: Annotated[
        list[str],
        typer.Option(
            "--date-format", help="Dates in the CSV file: dd/mm/yyyy, or born=dd/mm/yyyy."
        ),
    ] = [],  # noqa: B006
    sheet: Annotated[
        str | None, typer.Option(help="Sheet of a spreadsheet: its name, or its number from 1.")
    ] = None,
    labels: Annotated[
        bool,
        typer.Option(
            "--labels/--codes", help="Read the words or the codes of SPSS, Stata and SAS files."
        ),
    ] = True,
    names: Annotated[
        list[str],
        typer.Option("--names", help="Names of the columns, for a CSV file without a header."),
    ] = [],  # noqa: B006
    header: Annotated[
        bool, typer.Option("--header", help="The first line is a header, even if it has numbers.")
    ] = False,
) -> Any:
    how: dict[str, Any] = {
        "separator": "\t" if separator in ("tab", "\\t") else separator,
        "encoding": encoding,
        "names": names_in(names) or None,
        "header": header,
        "decimal": decimal,
        "thousands": thousands,
        "sheet": int(sheet) if sheet is not None and sheet.isdecimal() else sheet,
        "labels": labels,
    }
    problems: list[Problem] = []
    by_column = dict(_each(_of_column, missing_in, problems))
    kinds = dict(_each(_type, types, problems))
    data = None
    with noted(problems):
        codes: Any = names_in(missing_values)
        if by_column:
            everywhere = dict.fromkeys(ds.read(file, **how).columns, codes) if codes else {}
            codes = everywhere | {n: [*codes, *given] for n, given in by_column.items()}
        data = ds.read(
            file,
            keys=names_in(keys),
            confidential=names_in(confidential),
            identifiers=names_in(identifiers),
            types=kinds,
            weight=weight,
            record_id=record_id,
            household=household,
            subject=subject,
            missing=cast("Any", missing),
            missing_values=codes,
            date_format=_dates_in(date_format),
            **how,
        )
    raise_all(problems)
    return data


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


def _type(given: str) -> tuple[str, Any]:
    name, equals, kind = given.rpartition("=")
    if not equals:
        fail("P05", f"--type {given!r} has no '='.", "Write for example --type age=continuous.")
    return name, kind.split("<") if "<" in kind else kind
