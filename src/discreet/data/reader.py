"""Reading: a path, a frame or an Ibis table becomes microdata; nothing is loaded yet.

Hints tell of columns that were read as text, although most of their values are numbers or dates:
such a column is not averaged but replaced by its most frequent value, and it is not cut into
intervals. Nothing is changed by itself: the hint says which argument of ``read`` would do it.
No value is shown; the codes that are named are the usual ones of other programs.
"""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet import csvfile, engine, formats, frames
from discreet.data import attributes, options
from discreet.data.attributes import AttributeType, Roles, Types, unknown_column
from discreet.data.checks import checked
from discreet.data.foreign import Foreign, ForeignOptions, open_foreign
from discreet.data.microdata import POLICIES, Microdata
from discreet.data.options import Origin, ReadOptions
from discreet.errors import Problem, ReadHint, argument, did_you_mean, fail, raise_all
from discreet.files import encoding_problems
from discreet.surface import in_python

if TYPE_CHECKING:
    from discreet.csvfile import CsvOptions


_PARQUET = (".parquet", ".pq")
_ROWS = 1000  # are looked at
_MOST = 0.5  # of the values
_CODES = ("NA", "N/A", "n/a", "NULL", "null", "None", "NaN", "#N/A", "#NULL!", ".", "-", "?")
_BLANKS = " \t\n\r\v\f"  # the engine takes them away around numbers and dates, and no others
_POINT = re.compile(r"\s*[+-]?[0-9]{1,18}(\.[0-9]+)?\s*")  # longer ones are texts on purpose
_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")
_GROUPED = re.compile(
    r"\s*[+-]?[0-9]{1,3}([.,'\u00a0\u202f\u2019 ])[0-9]{3}(\1[0-9]{3})*([.,][0-9]*)?\s*"
)
_LEADING = re.compile(r"\s*0[0-9]")  # a code, not an amount
_DATE = re.compile(r"\s*([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})\s*")
_YEAR_FIRST = re.compile(r"\s*[0-9]{4}([./])[0-9]{1,2}\1[0-9]{1,2}\s*")


def read(
    source: Any,
    *,
    identifiers: options.Identifiers = (),
    keys: options.Keys = (),
    confidential: options.Confidential = (),
    types: options.DeclaredTypes = None,
    weight: options.Weight = None,
    record_id: options.RecordId = None,
    household: options.Household = None,
    subject: options.Subject = None,
    missing: options.Missing = "category",
    missing_values: options.MissingValues = (),
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    names: options.ColumnNames = None,
    header: options.Header = False,
    decimal: options.Decimal = ".",
    thousands: options.Thousands = None,
    date_format: options.DateFormat = None,
    sheet: options.Sheet = None,
    labels: options.Labels = True,
    engine: options.Engine = None,
) -> Microdata:
    """Open a table and say what its attributes are.

    Parameters
    ----------
    source : path, frame or Ibis table
        A CSV or Parquet file, a folder of the Parquet parts of one table, a pandas, polars,
        pyarrow or Spark frame (or a dict of columns), or a table of any Ibis backend. It is
        never changed. With the extra ``formats`` also SPSS (``.sav``, ``.zsav``, ``.por``), Stata
        (``.dta``) and SAS files (``.sas7bdat``, ``.xpt``), and sheets (``.xlsx``, ``.xls``,
        ``.ods``); CSV files may be packed (``.csv.gz``).
    identifiers, keys, confidential : list of column names
        The roles. A column may be key and confidential at once; an identifier is nothing else.
    types : mapping of column to "continuous", "nominal" or a list
        A list is an ordinal scale, lowest value first. What is not given is inferred: numbers
        and times are continuous, all else is nominal. Whole numbers with at most 20 values,
        each in 10 records or more on average, are taken for codes (sex 1 and 2) and are nominal
        as well; ``"continuous"`` makes them amounts again. A column of a CSV file that is given
        as nominal is kept as text, as it is written.
    weight : column, optional
        Sampling weights: positive numbers, none missing. :func:`sample` divides them by the share
        that it draws. Nothing else uses them: risk and loss count every record once.
    record_id : column, optional
        Names the records and is never written. Files and frames default to the row number.
    household : column, optional
        Says who lives together: the records of a household share its value, and none is missing.
        It is not written unless it is asked for, for who has it can put the households together.
    subject : column, optional
        Says which person a record is of, where a person may have several: a patient with many
        visits. None is missing, and it is not written unless it is asked for. The k of a criterion
        then counts people, not records, and ``ds.risk(…, by="subject")`` takes all records of a
        person for what is known of them.
    missing : {"category", "wildcard", "refuse"}
        A missing value is a category of its own, matches every value, or is an error.
    missing_values : list, or mapping of column to list
        Codes that mean "missing", such as ``["?", -9]``. NaN, None, NULL and NaT always do, and
        so does an empty cell of a CSV file (a quoted empty cell is the empty text; an empty
        line is a record only where there is one column).
    separator, encoding : str
        For CSV files: one character (default: found among comma, semicolon, tab and ``|``, or said
        by a first line such as ``sep=;``); ``"utf-8"``, ``"cp1252"`` for files of older Windows
        programs, or any other encoding that Python knows.
    names, header : list of str, bool
        For CSV files and spreadsheets: the columns of a file without header; or that the first
        line is a header although it holds numbers, which is refused otherwise. Years are names.
    decimal, thousands : str
        For CSV files: ``decimal=","`` reads 2,50 as a number, ``thousands="."`` takes the points
        out of 1.000.000. Without them such columns are text, and a warning says so.
    date_format : str, or mapping of column to str
        For CSV files: how dates are written, ``"dd/mm/yyyy"`` or ``"%d/%m/%Y"``. Dates such as
        2024-12-31 are always understood.
    sheet : str or int, optional
        For spreadsheets: the name of the sheet, or its number from 1; the first one that can be
        seen when not given.
    labels : bool
        For SPSS, Stata and SAS files: whether words take the place of codes (1 becomes "male")
        where a variable has value labels.
    engine : {"spark"}, optional
        Where the work is done; by default where the table is: files and frames in the embedded
        engine, a Spark frame in its session, a table of Ibis in its database. ``"spark"`` has
        Spark read a Parquet file, and hands it any other file or frame, in the session that is
        open or in one on this machine.

    Returns
    -------
    Microdata

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"age": [50, 30, 30, 20, 20, 50], "sex": ["M", "F", "F", "M", "M", "M"]}
    >>> ds.read(table, keys=["age", "sex"]).n
    6
    """
    given = {name: value for name, value in locals().items() if name != "source"}
    return _read(source, ReadOptions(**given))


def _read(source: Any, how: ReadOptions) -> Microdata:
    named = None if how.names is None else attributes.names(how.names)
    given = _roles(how)
    csv = csvfile.CsvOptions(
        how.separator,
        how.encoding,
        named,
        how.header,
        how.decimal,
        how.thousands,
        how.date_format,
        given.all_named,
    )
    as_text = {
        str(name) for name, spec in _items(how.types) if isinstance(spec, str) and spec == "nominal"
    }
    foreign = None
    if _is_foreign(source) and how.engine is None:
        foreign = _foreign(source, how, csv)
        opened, ordered = foreign.source, dict(foreign.types)
    else:
        opened, ordered = _open(source, how, csv, as_text)
    roles = given if foreign is None else _with_weight(given, foreign.book.weight)
    sure = opened.sure or not roles.all_named.isdisjoint(opened.names)
    problems = roles.problems(opened.names, opened.origin, sure)
    types_given, more = attributes.declared(how.types, opened.kinds, opened.origin, sure)
    problems += more + _unknown("missing_values", how.missing_values, opened, sure)
    problems += _unknown("date_format", how.date_format, opened, sure)
    if how.missing not in POLICIES:
        problems.append(
            Problem(
                "P06",
                f"{argument('missing')} is not a known policy.",
                f"Use one of {', '.join(POLICIES)}. Codes that mean missing are named in "
                f"{argument('missing_values')}.",
            )
        )
    raise_all(problems)
    said = replace(how, names=named, missing_values=_codes_given(how.missing_values))
    origin = Origin.of(source, said, types_given)
    origin = origin if foreign is None else replace(origin, book=foreign.book)
    types_known = Types({**roles.measured(opened.kinds), **ordered, **types_given}, opened)
    data = checked(Microdata(opened, roles, types_known, how.missing, origin=origin))
    for hint in hints_of(data, csv, as_text) if _is_csv(source) else ():
        warnings.warn(ReadHint(hint), stacklevel=3)
    return data


def _roles(how: ReadOptions) -> Roles:
    return Roles(
        attributes.names(how.identifiers),
        attributes.names(how.keys),
        attributes.names(how.confidential),
        **{role: attributes.name(getattr(how, role), role) for role in options.ALONE},
    )


def _with_weight(roles: Roles, weight: str | None) -> Roles:
    """The roles with the weight that the file names, where none was given."""
    free = roles.weight is None and weight is not None and roles.of(weight) == "other"
    return replace(roles, weight=weight) if free else roles


def _is_csv(source: Any) -> bool:
    is_file = isinstance(source, str | os.PathLike) and Path(source).expanduser().is_file()
    return is_file and Path(source).suffix.lower() not in (*_PARQUET, *formats.STATISTICAL)


def _is_foreign(source: Any) -> bool:
    is_path = isinstance(source, str | os.PathLike)
    return is_path and Path(source).suffix.lower() in formats.READ and not Path(source).is_dir()


def _foreign(source: Any, how: ReadOptions, csv: csvfile.CsvOptions) -> Foreign:
    path = Path(source).expanduser()
    _need_readable(path)
    encoding = None if csv.encoding == "utf-8" else csvfile.known_encoding(csv.encoding)
    said = ForeignOptions(encoding, how.sheet, csv.names, how.labels, csv.header, csv.columns)
    return open_foreign(path, said, lambda names: _codes(how.missing_values, names))


def _items(types: Any) -> list[tuple[Any, Any]]:
    return list(types.items()) if isinstance(types, Mapping) else []


def _open(
    source: Any, how: ReadOptions, csv: csvfile.CsvOptions, as_text: set[str]
) -> tuple[engine.Source, dict[str, AttributeType]]:
    codes, where = how.missing_values, how.engine
    if where not in (None, "spark"):
        fail("P16", f"{argument('engine')} is not known.", "Use 'spark', or leave it out.")
    if isinstance(source, str | os.PathLike):
        path = Path(source).expanduser()
        if where and path.suffix.lower() in _PARQUET:
            _need_readable(path)
            bare = engine.read_parquet_in_spark(path, {})
            return engine.read_parquet_in_spark(path, _codes(codes, bare.names)), {}
        opened = _open_file(path, codes, csv, as_text)
        return engine.in_spark(opened) if where else opened, {}
    if isinstance(source, Microdata):
        fail(
            "S09",
            "the source is microdata already.",
            f"Change its roles with {in_python('.with_roles(…)')}.",
        )
    if engine.is_table(source):
        names = [str(c) for c in source.columns]
        return engine.from_table(source, _codes(codes, names)), {}
    if not frames.is_frame(source):
        fail(
            "S09",
            f"an object of type {type(source).__name__} is not a table.",
            "Give a path, a pandas, polars or pyarrow frame, or an Ibis table.",
        )
    arrow, kind = frames.to_arrow(source)
    ordered = {
        str(field.name): AttributeType("ordinal", scale)
        for field, column in zip(arrow.schema, arrow.columns, strict=True)
        if (scale := frames.ordered_scale(column)) is not None
    }
    if arrow.num_columns == 0 or arrow.num_rows == 0:
        fail("S02", f"the {kind} frame has no records.", "Give a frame with at least one record.")
    opened = engine.from_arrow(arrow, kind, _codes(codes, arrow.column_names))
    return engine.in_spark(opened) if where else opened, ordered


def _open_file(path: Path, codes: Any, csv: csvfile.CsvOptions, as_text: set[str]) -> engine.Source:
    _need_readable(path)
    if path.suffix.lower() in _PARQUET or path.is_dir():
        if path.is_file() and path.stat().st_size == 0:
            fail("S02", f"{path.name} is empty.", "Give a file with records.")
        bare = engine.read_parquet(path, {})
        return engine.read_parquet(path, _codes(codes, bare.names)) if codes else bare
    dialect = csvfile.inspect(path, csv)
    return engine.read_csv(path, dialect, _codes(codes, dialect.names), as_text)


def _need_readable(path: Path) -> None:
    raise_all(encoding_problems(path))
    name = path.name or str(path)
    if not _exists(path):
        near = [p.name for p in path.parent.glob("*")]  # none where the folder may not be read
        fail("S01", f"{name} does not exist.", did_you_mean(name, near) or "Check the path.")
    if not path.is_file() and not path.is_dir():
        fail("S01", f"{name} is not a file.", "Save the records to a file first.")
    if not os.access(path, os.R_OK):
        fail("S03", f"{name} cannot be read: permission is denied.", "Check its permissions.")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False  # a name that no file can have, or a folder that may not be read


def _codes(codes: Any, columns: Sequence[str]) -> dict[str, list[Any]]:
    """The codes that mean "missing", by column."""
    if isinstance(codes, Mapping):
        return {str(n): _listed(given) for n, given in codes.items() if str(n) in columns}
    values = _listed(codes)
    return dict.fromkeys(columns, values) if values else {}


def _codes_given(codes: Any) -> dict[str, list[Any]] | list[Any]:
    """The codes for some columns, or for all."""
    if isinstance(codes, Mapping):
        return {str(name): _listed(given) for name, given in codes.items()}
    return _listed(codes)


def _listed(codes: Any) -> list[Any]:
    """One code or several as a list; None and NaN are missing anyway and have no text form."""
    several = isinstance(codes, Iterable) and not isinstance(codes, str | bytes)
    return [c for c in (codes if several else [codes]) if not _is_missing(c)]


def _is_missing(code: Any) -> bool:
    if isinstance(code, float):
        return math.isnan(code)
    return code is None or type(code).__name__ in ("NAType", "NaTType")


def _unknown(argument: str, given: Any, opened: engine.Source, sure: bool) -> list[Problem]:
    """The columns that an argument names and the source does not have."""
    named = [str(name) for name in given] if isinstance(given, Mapping) else []
    return [
        unknown_column(f"{argument} names", name, opened.names, opened.origin, sure)
        for name in named
        if name not in opened.names
    ]


def hints_of(data: Microdata, csv: CsvOptions, as_text: Collection[str]) -> list[Problem]:
    """What would make numbers or dates of columns of a CSV file; nothing for other sources."""
    held_back = data.roles.held_back
    texts = [
        name
        for name, kind in data.source.kinds.items()
        if kind == "text" and name not in held_back and name not in as_text
        and data.types.scale(name) is None
    ]  # fmt: skip
    if not texts:
        return []
    head = engine.head(data.source, texts, _ROWS)
    found = [(name, hint(head.column(name).unique().to_pylist(), csv)) for name in texts]
    return [
        Problem("D13", f"{name!r} is read as text: {said[0]}", said[1])
        for name, said in found
        if said
    ]


def hint(cells: Sequence[str | None], csv: CsvOptions) -> tuple[str, str] | None:
    """What most of the cells look like, and what to say for it; None where they are plain texts.

    Examples
    --------
    >>> from discreet.csvfile import CsvOptions
    >>> hint(["1", "2", "NA"], CsvOptions())[0]
    "its values are numbers, and the code 'NA'."
    """
    values = [cell for cell in cells if cell is not None]
    usual = [code for code in _CODES if code in values]
    others = [cell for cell in values if cell not in usual]
    if not others:
        return None
    if any(_POINT.fullmatch(c) and c.strip() != c.strip(_BLANKS) for c in others):
        what = "some of its values are numbers with no-break or other unusual blanks around them."
        return what, "Take those blanks away before it is read."
    numbers = sum(bool(_POINT.fullmatch(c)) and not _LEADING.match(c) for c in others)
    commas = sum(bool(_COMMA.fullmatch(c)) for c in others)
    if usual and numbers == len(others):
        return _besides_codes(usual)
    grouped = [found for c in others if (found := _GROUPED.fullmatch(c))]
    marked = csv.thousands is None and grouped and numbers + len(grouped) >= _MOST * len(others)
    if marked and (
        not commas or csv.decimal == "," or any(found[2] or found[3] for found in grouped)
    ):
        what = "most of its values are numbers with marks between thousands."
        return what, _marks(grouped, csv)
    if csv.decimal == "." and commas and numbers + commas >= _MOST * len(others):
        what = "most of its values have a decimal comma."
        return what, f"Read it with {argument('decimal', ',')}."
    if csv.date_format is None and (written := _written(others)):
        said = f"Read it with {argument('date_format', written)}."
        return "most of its values are dates.", said
    if csv.decimal == "," and any("." in c for c in others) and numbers >= _MOST * len(others):
        what = f"most of its values have a decimal point, and {argument('decimal', ',')} was given."
        return what, "Write the numbers of all columns in the same way."
    codes = any(_LEADING.match(c) for c in others)  # such as postcodes, which are no numbers
    if numbers >= 0.9 * len(others) and not codes:
        return _besides_texts(len(others) - numbers, len(others))
    if len({cell.strip() for cell in values}) < len(values):
        what = (
            "some of its values differ in nothing but blanks around them, and count as different."
        )
        return what, "Take the blanks away before it is read."
    return None


def _besides_codes(codes: Sequence[str]) -> tuple[str, str]:
    """What to say of numbers among which are codes that often mean missing."""
    names = ", ".join(repr(code) for code in codes)
    listed = json.dumps(codes[0] if len(codes) == 1 else codes)
    code, means = ("code", "means") if len(codes) == 1 else ("codes", "mean")
    said = argument("missing_values", ",".join(codes), listed)
    remedy = f"If {names} {means} missing, read it with {said}."
    return f"its values are numbers, and the {code} {names}.", remedy


def _besides_texts(texts: int, seen: int) -> tuple[str, str]:
    """What to say of numbers among which are a few texts."""
    what = f"{texts:,} of {seen:,} values seen are not numbers."
    if not texts:
        what = f"some values after the first {_ROWS:,} records are not numbers."
    return what, f"If they mean missing, name them in {argument('missing_values')}."


def _marks(grouped: Sequence[re.Match[str]], csv: CsvOptions) -> str:
    """Which mark stands between thousands, and which before decimals, where that can be seen."""
    mark, decimals = grouped[0][1], {found[3][0] for found in grouped if found[3]}
    if mark not in ".," or any(found[1] != mark for found in grouped):
        return f"Name the mark with {argument('thousands')}."
    said = argument("thousands", mark)
    if decimals == {","} and csv.decimal != ",":
        said += f" and {argument('decimal', ',')}"
    return f"Read it with {said}."


def _written(cells: Sequence[str]) -> str | None:
    """How dates are written where most cells are such; the day comes first where nothing tells."""
    dates = [found for cell in cells if (found := _DATE.fullmatch(cell))]
    if len(dates) >= _MOST * len(cells):
        month_first = any(int(date[3]) > 12 for date in dates)
        first, second = ("mm", "dd") if month_first else ("dd", "mm")
        mark, year = dates[0][2], "y" * len(dates[0][4])
        return mark.join([first, second, year])
    year_first = [found for cell in cells if (found := _YEAR_FIRST.fullmatch(cell))]
    if len(year_first) >= _MOST * len(cells):
        return year_first[0][1].join(["yyyy", "mm", "dd"])
    return None
