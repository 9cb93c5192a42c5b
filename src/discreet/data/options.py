"""Options of reading: what is said of a table, described once for all surfaces; and what of it was
given, to read a table again.

The signature of ``read``, the sections ``[source]``, ``[roles]`` and ``[types]`` of a plan, the
options of commands that read a file and the form of the app are made from :class:`ReadOptions`.
"""

from __future__ import annotations

import codecs
import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from discreet.parameters import Columns, Doc, Label, Notation, Parameter, Values, is_whole
from discreet.parameters import parameters_of as _parameters_of

if TYPE_CHECKING:
    from discreet.data.attributes import AttributeType
    from discreet.formats import Codebook

TypeSpec = Literal["continuous", "nominal", "ordinal"] | Sequence[Any]
MissingPolicy = Literal["category", "wildcard", "refuse"]
EngineName = Literal["spark"]

_TEXTS = {"type": "array", "items": {"type": "string"}}


def is_texts(value: Any) -> bool:
    """Whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def is_scalar(value: Any) -> bool:
    """Whether a value is a text, a number, a truth value, a date or a time."""
    return isinstance(value, str | int | float | dt.date | dt.time)


def is_codes(value: Any) -> bool:
    """Whether a value is a list of texts, numbers and the like."""
    return isinstance(value, list) and all(map(is_scalar, value))


def _columns_of(value: Any) -> Sequence[str]:
    """The columns of what is said of all, or of each in a table."""
    return list(value) if isinstance(value, Mapping) else ()


def _by_column(fits: Any) -> Any:
    """Whether a value fits, or is a table of values that do."""
    return lambda v: fits(v) or (isinstance(v, Mapping) and all(map(fits, v.values())))


def _shape_by_column(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [dict(one), {"type": "object", "additionalProperties": dict(one)}]}


def _is_encoding(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(codecs.lookup(value).name)
    except (LookupError, ValueError):
        return False


# -- roles and types -------------------------------------------------------------------------------

Identifiers = Annotated[
    Sequence[str] | str,
    Columns(),
    Label("Identifiers"),
    Doc("Columns that name a person; never written."),
]
Keys = Annotated[
    Sequence[str] | str,
    Columns(),
    Label("Keys"),
    Doc("What an intruder may know: age,zip,sex."),
]
Confidential = Annotated[
    Sequence[str] | str,
    Columns(),
    Label("Confidential"),
    Doc("What an intruder wants to learn."),
]
Weight = Annotated[str | None, Columns(), Label("Weight"), Doc("Column of sampling weights.")]
RecordId = Annotated[
    str | None,
    Columns(),
    Label("Record id"),
    Doc("Column that names the records; never written."),
]
Household = Annotated[
    str | None,
    Columns(),
    Label("Household"),
    Doc("Column that says who lives in the same household; not written."),
]
Subject = Annotated[
    str | None,
    Columns(),
    Label("Subject"),
    Doc("Column that says which person a record is of; not written."),
]
DeclaredTypes = Annotated[
    Mapping[str, TypeSpec] | None,
    Values,
    Label("Types"),
    Doc("Type of a column: age=continuous, edu=low<middle<high."),
]

# -- what is missing -------------------------------------------------------------------------------

Missing = Annotated[
    MissingPolicy,
    Label(
        "A missing value is",
        {
            "category": "a category of its own",
            "wildcard": "matches every value",
            "refuse": "not allowed",
        },
    ),
    Doc("What a missing value is."),
]
MissingValues = Annotated[
    Sequence[Any] | Mapping[str, Sequence[Any]],
    Values,
    Columns(named=_columns_of),
    Label("Codes that mean missing"),
    Doc("Codes that mean missing: '?,-9'."),
    Notation(
        "a list of codes, or a table of columns and lists",
        _by_column(is_codes),
        schema=_shape_by_column({"type": "array"}),
    ),
]

# -- files -----------------------------------------------------------------------------------------

Separator = Annotated[
    str | None,
    Label("Separator", {"": "find out", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar |"}),
    Doc("Separator of the CSV file; detected when not given."),
    Notation(
        "one character",
        lambda v: isinstance(v, str) and len(v) == 1,
        schema={"type": "string", "minLength": 1, "maxLength": 1},
        read=lambda text: "\t" if text in ("tab", "\\t") else text,
    ),
]
Encoding = Annotated[
    str,
    Label(
        "Encoding",
        {
            "utf-8": "UTF-8",
            "cp1252": "Windows-1252 (Western Europe)",
            "cp1250": "Windows-1250 (Central Europe)",
            "latin-1": "Latin-1",
            "iso8859-15": "Latin-9 (with €)",
            "mac-roman": "Mac Roman",
            "utf-16": "UTF-16",
        },
    ),
    Doc("Encoding of the CSV file: utf-8, cp1252, latin-1, utf-16, …."),
    Notation(
        "an encoding that Python knows, such as utf-8 or cp1252",
        _is_encoding,
        schema={"type": "string"},
        read=str,
    ),
]
ColumnNames = Annotated[
    Sequence[str] | None,
    Label("Names, if the first line is a record"),
    Doc("Names of the columns, for a CSV file or a sheet without a header."),
    Notation("a list of texts", is_texts, schema=_TEXTS),
]
Header = Annotated[
    bool,
    Label("The first line"),
    Doc("The first line is a header, even if it has numbers."),
]
Decimal = Annotated[
    Literal[".", ","],
    Label("Decimal sign", {".": "point", ",": "comma"}),
    Doc("Decimal sign of the CSV file: a point or a comma."),
]
Thousands = Annotated[
    str | None,
    Label(
        "Mark between thousands",
        {
            "": "none",
            ".": "point",
            ",": "comma",
            " ": "blank",
            "'": "apostrophe",
            "\u2019": "curved apostrophe",
            "\u00a0": "non-breaking blank",
            "\u202f": "narrow non-breaking blank",
        },
    ),
    Doc("Mark between thousands in the CSV file: '.'."),
]
DateFormat = Annotated[
    str | Mapping[str, str] | None,
    Columns(named=_columns_of),
    Label("Dates are written as"),
    Doc("Dates in the CSV file: dd/mm/yyyy, or born=dd/mm/yyyy."),
    Notation(
        "a text such as 'dd/mm/yyyy', or a table of columns and such texts",
        _by_column(lambda v: isinstance(v, str)),
        schema=_shape_by_column({"type": "string"}),
    ),
]
Sheet = Annotated[
    str | int | None,
    Label("Sheet of a spreadsheet"),
    Doc("Sheet of a spreadsheet: its name, or its number from 1."),
    Notation(
        "the name of a sheet, or its number",
        lambda v: isinstance(v, str) or is_whole(v),
        schema={"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 1}]},
        read=lambda text: int(text) if text.isdecimal() else text,
    ),
]
Labels = Annotated[
    bool,
    Label("Codes of SPSS, Stata and SAS that have labels"),
    Doc("Read the words or the codes of SPSS, Stata and SAS files."),
]
Engine = Annotated[
    EngineName | None,
    Label("Engine"),
    Doc("Where the work is done, if not in the embedded engine."),
]


@dataclass(frozen=True, eq=False, repr=False)
class ReadOptions:
    """What is said of a table: the arguments of :func:`discreet.read`, which explains them."""

    identifiers: Identifiers = ()
    keys: Keys = ()
    confidential: Confidential = ()
    types: DeclaredTypes = None
    weight: Weight = None
    record_id: RecordId = None
    household: Household = None
    subject: Subject = None
    missing: Missing = "category"
    missing_values: MissingValues = ()
    separator: Separator = None
    encoding: Encoding = "utf-8"
    names: ColumnNames = None
    header: Header = False
    decimal: Decimal = "."
    thousands: Thousands = None
    date_format: DateFormat = None
    sheet: Sheet = None
    labels: Labels = True
    engine: Engine = None

    def __repr__(self) -> str:
        return "ReadOptions(…)"  # codes and scales are values


OPTIONS: dict[str, Parameter] = {p.name: p for p in _parameters_of(ReadOptions)}
ROLES = {name: p for name, p in OPTIONS.items() if p.kind in ("column", "columns")}
ALONE = tuple(name for name, p in ROLES.items() if p.kind == "column")  # one column plays them
OF_SOURCE = {name: p for name, p in OPTIONS.items() if name not in (*ROLES, "types")}
FORMAT = tuple(  # what it takes to know the columns
    name for name, p in OF_SOURCE.items() if p.columns is None and name not in ("missing", "engine")
)


# -- Origin: where microdata were read from, and how — what it takes to read them again ------------
#
# It holds only what was given to :func:`discreet.read`; nothing of it is taken from the data.


@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """What was given to ``read``.

    Attributes
    ----------
    file : Path or None
        The file; None for a frame or a table of a database.
    options : mapping
        Options of the source other than the defaults; the policy of missing values is that of the
        microdata.
    types : mapping of column to "continuous", "nominal" or a list
        The types that were declared.
    book : Codebook or None
        What a file of another program says of its variables.
    """

    file: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    types: Mapping[str, Any] = field(default_factory=dict)
    book: Codebook | None = None

    @classmethod
    def of(cls, source: Any, how: ReadOptions, types: Mapping[str, AttributeType]) -> Origin:
        """What was given, the defaults left out."""
        file = Path(source).expanduser().absolute() if isinstance(source, str | PathLike) else None
        file = (
            file if file is not None and file.exists() else None
        )  # an address may hold a password
        said = {name: getattr(how, name) for name in OF_SOURCE if name != "missing"}
        said = {n: list(v) if isinstance(v, tuple) else v for n, v in said.items()}
        empty: tuple[Any, ...] = (None, "", [], {})
        return cls(
            file,
            {n: v for n, v in said.items() if v not in empty and v != OF_SOURCE[n].default},
            {name: list(kind.scale or ()) or kind.measure for name, kind in types.items()},
        )

    def __repr__(self) -> str:
        return "Origin(a file)" if self.file else "Origin(a frame or table)"  # codes are values
