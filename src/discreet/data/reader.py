"""Reading: a path, a frame or an Ibis table becomes microdata; nothing is loaded yet."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from discreet import csvfile, engine, frames
from discreet.data import attributes
from discreet.data.attributes import AttributeType, Roles, Types, TypeSpec, unknown_column
from discreet.data.microdata import POLICIES, Microdata, MissingPolicy, checked
from discreet.data.origin import Origin
from discreet.errors import Problem, argument, did_you_mean, fail, raise_all

EngineName = Literal["spark"]
_PARQUET = (".parquet", ".pq")


def read(
    source: Any,
    *,
    identifiers: Sequence[str] | str = (),
    keys: Sequence[str] | str = (),
    confidential: Sequence[str] | str = (),
    types: Mapping[str, TypeSpec] | None = None,
    weight: str | None = None,
    record_id: str | None = None,
    household: str | None = None,
    missing: MissingPolicy = "category",
    missing_values: Sequence[Any] | Mapping[str, Sequence[Any]] = (),
    separator: str | None = None,
    encoding: str = "utf-8",
    names: Sequence[str] | None = None,
    header: bool = False,
    engine: EngineName | None = None,
) -> Microdata:
    """Open a table and say what its attributes are.

    Parameters
    ----------
    source : path, frame or Ibis table
        A CSV or Parquet file, a folder of the Parquet parts of one table, a pandas, polars,
        pyarrow or Spark frame (or a dict of columns), or a table of any Ibis backend. It is
        never changed.
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
    missing : {"category", "wildcard", "refuse"}
        A missing value is a category of its own, matches every value, or is an error.
    missing_values : list, or mapping of column to list
        Codes that mean "missing", such as ``["?", -9]``. NaN, None, NULL and NaT always do, and
        so does an empty cell of a CSV file (a quoted empty cell is the empty text; an empty
        line is a record only where there is one column).
    separator, encoding : str
        For CSV files: one character (default: sniffed among comma, semicolon and tab);
        ``"utf-8"``, ``"latin-1"`` or ``"utf-16"``.
    names, header : list of str, bool
        For CSV files: the columns of a file without header; or that the first line is a header
        although it holds numbers, which is refused otherwise.

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
    named = None if names is None else attributes.names(names)
    csv = csvfile.CsvOptions(separator, encoding, named, header)
    as_text = {
        str(name) for name, spec in _items(types) if isinstance(spec, str) and spec == "nominal"
    }
    opened, ordered = _open(source, missing_values, csv, as_text, engine)
    roles = Roles(
        attributes.names(identifiers),
        attributes.names(keys),
        attributes.names(confidential),
        attributes.name(weight, "weight"),
        attributes.name(record_id, "record_id"),
        attributes.name(household, "household"),
    )
    problems = roles.problems(opened.names, opened.origin)
    types_given, more = attributes.declared(types, opened.kinds, opened.origin)
    problems += more + _unknown_codes(missing_values, opened.names, opened.origin)
    if missing not in POLICIES:
        problems.append(
            Problem(
                "P06",
                f"{argument('missing')} is not a known policy.",
                f"Use one of {', '.join(POLICIES)}.",
            )
        )
    raise_all(problems)
    codes = _codes_given(missing_values)
    origin = Origin.of(source, csv, codes, types_given, engine)
    types_known = Types({**roles.measured(opened.kinds), **ordered, **types_given}, opened)
    return checked(Microdata(opened, roles, types_known, missing, origin=origin))


def _items(types: Any) -> list[tuple[Any, Any]]:
    return list(types.items()) if isinstance(types, Mapping) else []


def _open(
    source: Any, codes: Any, csv: csvfile.CsvOptions, as_text: set[str], where: str | None
) -> tuple[engine.Source, dict[str, AttributeType]]:
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
        fail("S09", "the source is microdata already.", "Change its roles with .with_roles(…).")
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
    codes = _codes(codes, arrow.column_names)
    if arrow.num_columns == 0 or arrow.num_rows == 0:
        fail("S02", f"the {kind} frame has no records.", "Give a frame with at least one record.")
    opened = engine.from_arrow(arrow, kind, codes)
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
    name = path.name or str(path)
    if not _exists(path):
        near = [p.name for p in path.parent.glob("*")]  # none where the folder may not be read
        fail("S01", f"{name} does not exist.", did_you_mean(name, near) or "Check the path.")
    if not path.is_file() and not path.is_dir():
        fail("S01", f"{name} is not a file.", "Save the records to a file first.")
    if not os.access(path, os.R_OK):
        fail("S03", f"{name} may not be read.", "Check its permissions.")


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


def _unknown_codes(codes: Any, columns: Sequence[str], origin: str) -> list[Problem]:
    given = [str(name) for name in codes] if isinstance(codes, Mapping) else []
    return [
        unknown_column("missing_values names", name, columns, origin)
        for name in given
        if name not in columns
    ]
