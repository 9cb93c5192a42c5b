"""Parameters: what a user may give to a method, a criterion or a measure.

The description is the signature. Types say what is allowed (``Literal``, ``int``, ``float``,
columns), ``Annotated`` says the rest: bounds by ``annotated_types``, the sentence of the help by
``annotated_doc.Doc``, and the marks below. Every surface (Python, command line, plan, form,
report, map, docs) is made from what :func:`parameters_of` reads.

Nothing is public, and nothing may hold a value of the data, unless it is marked so: forgetting a
mark is safe.
"""

from __future__ import annotations

import functools
import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral, Rational, Real
from pathlib import Path
from typing import Any, Literal

import annotated_types as at
from annotated_doc import Doc

from discreet.errors import Problem, argument, fail

Kind = Literal[
    "whole", "number", "amount", "flag", "choice", "text", "column", "columns", "table", "special"
]
REQUIRED: Any = inspect.Parameter.empty


# -- marks ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of a column before a method looks into it.

    Attributes
    ----------
    kind : str
        How it is stored: "integer", "text", "date", ….
    measure : str
        Continuous, ordinal or nominal.
    type : str
        The same with what is to be said of it: "nominal (codes)".
    missing : int
        Number of missing values.
    """

    kind: str
    measure: str
    type: str
    missing: int


@dataclass(frozen=True)
class Unfit:
    """Why a method cannot work with a column.

    Attributes
    ----------
    code, what, remedy : str
        Of the problem; ``what`` follows the name of the column.
    unless : mapping
        Arguments and the values with which it can all the same; empty where it never can.
    """

    code: str
    what: str
    remedy: str
    unless: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)

    def holds(self, given: Mapping[str, Any]) -> bool:
        """Whether it holds with these arguments."""
        return not any(given.get(name) in values for name, values in self.unless.items())


def as_type(kind: str, python: str = "") -> str:
    """The argument that gives a column another type, for the remedy of an :class:`Unfit`.

    Examples
    --------
    >>> str(Problem("D12", "", as_type("nominal").format(column="edu")))
    "types={'edu': 'nominal'}"
    """
    return argument(
        "types", f"{{column!r}}={kind}", f"{{{{{{column!r}}: {python or repr(kind)}}}}}"
    )


@dataclass(frozen=True)
class Columns:
    """Names columns of the data. ``fit`` says why a method cannot work with one: all surfaces ask
    it. ``named`` gives the names within a value that holds more than names, such as a formula.
    """

    fit: Callable[[ColumnFacts], Sequence[Unfit]] | None = None
    named: Callable[[Any], Sequence[str]] | None = None


@dataclass(frozen=True)
class Vary:
    """Values that a map of maskings tries when none are given, and how a map shows one."""

    values: tuple[Any, ...]
    shown: str

    def __init__(self, *values: Any, shown: str = "") -> None:
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "shown", shown)


@dataclass(frozen=True)
class Label:
    """How a form calls the parameter; ``choices`` are the words for each of its values."""

    text: str
    choices: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class OneOf:
    """Exactly one parameter of the group must be given."""

    group: str


@dataclass(frozen=True)
class Notation:
    """How a parameter stands in a plan, where it is more than a word, a number or columns.

    Attributes
    ----------
    words : str
        What it holds, in words: "a table of keys and levels".
    fits : function
        Whether a plain value does.
    load, dump : function
        From the plan to Python, with the folder that files are relative to; and back.
    script : function
        The plain value as an expression of Python.
    schema : mapping
        JSON Schema of the plain value.
    section : str
        The section of a plan that holds such values, where there is one: "hierarchies".
    read : function, optional
        The plain value that a text stands for, where a command can say it; ValueError for none.
    """

    words: str
    fits: Callable[[Any], bool]
    load: Callable[[Any, Path], Any] = lambda value, _folder: value
    dump: Callable[[Any], Any] = lambda value: value
    script: Callable[[Any], str] = repr
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"}, hash=False)
    section: str = ""
    read: Callable[[str], Any] | None = None


@dataclass(frozen=True)
class File:
    """A file can say it on the command line; what it must hold, in words."""

    about: str


@dataclass(frozen=True)
class Shared:
    """Comes from a section of the plan that steps share: ``hierarchies`` or ``criterion``."""

    section: str


class _Mark:
    """A mark that says one thing."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


Public = _Mark("Public")  # may be shown to everybody
Values = _Mark("Values")  # may hold values of the data: shown nowhere
Seed = _Mark("Seed")  # drawn where it is not given, kept in the ledger, never public
Share = _Mark("Share")  # a share of the records: forms show it in percent
Amount = _Mark("Amount")  # a share of the records (a float) or a number of them (an int)
Variant = _Mark("Variant")  # each choice is a method of its own on a map
Needed = _Mark("Needed")  # must be said where no object of Python can say it
AtLeast = _Mark("AtLeast")  # of a criterion: who asks for more asks for this, too
AtMost = _Mark("AtMost")  # of a criterion: who allows less allows no more than this
InPython = _Mark("InPython")  # an object of Python: other surfaces say the same by other means


# -- a parameter ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Parameter:
    """One parameter, as its signature describes it.

    Attributes
    ----------
    name : str
    kind : str
        What it holds: a whole number, a number, an amount of records, true or false, a choice,
        a text, a column, columns, a table of columns and numbers, or something special.
    default : object
        ``REQUIRED`` where it must be given.
    optional : bool
        Whether None is allowed: "not said".
    doc, label : str
        A sentence for the help, and the words of a form.
    choices : tuple of str
    low, high : float
        Bounds, for numbers (and the numbers of a table); ``above`` and ``below`` exclude them.
    """

    name: str
    kind: Kind
    default: Any
    optional: bool
    doc: str
    label: str
    choices: tuple[str, ...] = ()
    choice_labels: Mapping[str, str] = field(default_factory=dict)
    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    below: bool = False
    columns: Columns | None = None
    written: Notation | None = None
    shared: str = ""
    file: str = ""
    group: str = ""
    vary: tuple[Any, ...] = ()
    on_map: str = ""
    marks: frozenset[str] = frozenset()
    whole_numbers: bool = False  # of a table

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is REQUIRED

    @property
    def needed(self) -> bool:
        """Whether a plan, a command or a form must say it."""
        return (self.required or "Needed" in self.marks) and not self.shared

    @property
    def public(self) -> bool:
        """Whether it may be shown to everybody."""
        return "Public" in self.marks

    @property
    def holds_values(self) -> bool:
        """Whether it may hold values of the data."""
        return "Values" in self.marks

    @property
    def is_seed(self) -> bool:
        """Whether it makes a random step repeatable."""
        return "Seed" in self.marks

    @property
    def is_variant(self) -> bool:
        """Whether each of its choices is a method of its own on a map."""
        return "Variant" in self.marks

    @property
    def python_only(self) -> bool:
        """Whether other surfaces say the same by other means."""
        return "InPython" in self.marks

    @property
    def words(self) -> str:
        """What it may hold: "a whole number of at least 1"."""
        if self.written is not None:
            return self.written.words
        return _WORDS[self.kind](self)

    def fits(self, value: Any) -> bool:
        """Whether a plain value of a plan does."""
        if self.written is not None:
            return bool(self.written.fits(value))
        return _FITS[self.kind](self, value)

    def problems(self, value: Any) -> list[Problem]:
        """What is wrong with an argument of Python; numbers of numpy are numbers too."""
        if (value is None and self.optional) or self.kind == "special":
            return []
        if self.kind in ("column", "columns", "text", "table") or _FITS[self.kind](
            self, _plain(value)
        ):
            return []  # names are looked at beside the data
        return [read_problem(self)]

    @property
    def example(self) -> str:
        """A value as it may be written."""
        usual = self.vary[0] if self.vary else self.default
        if usual in (None, REQUIRED) or isinstance(usual, bool):
            usual = self.low if math.isfinite(self.low) and not self.above else self.high
        return f"{usual:g}" if is_number(usual) and math.isfinite(usual) else "…"

    def seed_problems(self, value: Any) -> list[Problem]:
        """What is wrong with a seed: without one a random step could not be repeated."""
        if is_whole(value):
            return []
        what = f"{argument(self.name)} is not a whole number."
        return [Problem("P15", what, "Give one, so that the step can be repeated.", self.name)]

    def within(self, number: float) -> bool:
        """Whether a number lies within the bounds."""
        over = number > self.low if self.above else number >= self.low
        under = number < self.high if self.below else number <= self.high
        return over and under

    def covers(self, own: Any, other: Any) -> bool:
        """Whether a criterion with the one value asks for all that it asks for with the other."""
        if self.kind == "columns" and own is not None and other is not None:
            return set(other) <= set(own)
        if "AtLeast" in self.marks and is_number(own) and is_number(other):
            return bool(own >= other)
        if "AtMost" in self.marks and is_number(own) and is_number(other):
            return bool(own <= other)
        return bool(own == other)

    def read(self, text: str) -> Any:
        """The value that a text stands for; ValueError where it stands for none.

        A share may be written as a percentage. Columns are separated by commas.
        """
        own = self.written.read if self.written else None
        value = own(text.strip()) if own else _READ[self.kind](self, text.strip())
        if not self.fits(value):
            raise ValueError(self.words)
        return value

    def text(self, value: Any) -> str:
        """A value as :meth:`read` takes it."""
        if value is None or value is REQUIRED:
            return ""
        if self.kind == "flag":
            return "yes" if value else "no"
        if self.kind == "amount" and isinstance(value, float):
            return f"{100 * value:.12g} %"
        if self.kind == "columns":
            return ", ".join(map(str, value))
        return f"{value:.12g}" if isinstance(value, float) else str(value)

    def schema(self) -> dict[str, Any]:
        """JSON Schema of its plain value, with title and help."""
        found = dict(self.written.schema) if self.written else _SCHEMAS[self.kind](self)
        described = {"title": self.label, "description": self.doc, **found}
        if isinstance(self.default, bool | int | float | str):
            described["default"] = self.default
        return described


@functools.cache
def parameters_of(described: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a function or of a dataclass, in order; what is not annotated is left out:
    the data themselves.
    """
    hints = typing.get_type_hints(described, include_extras=True)
    given = inspect.signature(described).parameters
    return tuple(
        parameter_of(name, hints[name], one.default)
        for name, one in given.items()
        if typing.get_origin(hints.get(name)) is typing.Annotated
    )


def read_problem(parameter: Parameter) -> Problem:
    """What is wrong with a text that does not stand for a value."""
    if parameter.kind == "choice":
        remedy = f"Use one of {', '.join(parameter.choices)}."
        return Problem("P16", f"{argument(parameter.name)} is not known.", remedy, parameter.name)
    code, example = _REMEDIES.get(parameter.kind, ("P16", _example))
    what = f"{argument(parameter.name)} must be {parameter.words}."
    return Problem(code, what, example(parameter), parameter.name)


def problems_of(parameters: Sequence[Parameter], given: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with arguments, as far as their descriptions tell."""
    return [
        problem
        for parameter in parameters
        if parameter.name in given
        for problem in parameter.problems(given[parameter.name])
    ]


# -- reading the annotation ----------------------------------------------------------------------


def parameter_of(name: str, annotation: Any, default: Any) -> Parameter:
    """The parameter that an annotation describes."""
    bare, *marks = typing.get_args(annotation)
    allowed = _alternatives(bare)
    optional = type(None) in allowed
    allowed = tuple(one for one in allowed if one is not type(None))
    label = _of(marks, Label)
    columns = _of(marks, Columns)
    written, shared = _of(marks, Notation), _of(marks, Shared)
    low, high, above, below = _bounds([*marks, *_inner_marks(allowed)])
    return Parameter(
        name,
        _kind(allowed, marks, columns, special=bool(written or shared)),
        default,
        optional,
        _of(marks, Doc).documentation if _of(marks, Doc) else "",
        label.text if label else name.replace("_", " "),
        _choices(allowed),
        dict(label.choices) if label else {},
        low,
        high,
        above,
        below,
        columns,
        written,
        shared.section if shared else "",
        _of(marks, File).about if _of(marks, File) else "",
        _of(marks, OneOf).group if _of(marks, OneOf) else "",
        _of(marks, Vary).values if _of(marks, Vary) else (),
        (_of(marks, Vary).shown if _of(marks, Vary) else "") or f"{name}={{}}",
        frozenset(mark.name for mark in marks if isinstance(mark, _Mark)),
        any(_bare(_value_type(one)) is int for one in allowed),
    )


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return tuple(a for one in typing.get_args(annotation) for a in _alternatives(one))
    return (annotation,)


def _of(marks: Sequence[Any], kind: type) -> Any:
    return next((mark for mark in marks if isinstance(mark, kind)), None)


def _value_type(mapping: Any) -> Any:
    found = typing.get_args(mapping)
    return found[1] if len(found) == 2 else Any


def _bare(annotation: Any) -> Any:
    return typing.get_args(annotation)[0] if _is_annotated(annotation) else annotation


def _is_annotated(annotation: Any) -> bool:
    return typing.get_origin(annotation) is typing.Annotated


def _inner_marks(allowed: Sequence[Any]) -> list[Any]:
    """Marks on the numbers of a table."""
    inner = [_value_type(one) for one in allowed if typing.get_origin(one) is Mapping]
    return [mark for one in inner if _is_annotated(one) for mark in typing.get_args(one)[1:]]


def _bounds(marks: Sequence[Any]) -> tuple[float, float, bool, bool]:
    low, high, above, below = -math.inf, math.inf, False, False
    flat = [one for mark in marks for one in (mark if isinstance(mark, at.Interval) else [mark])]
    for mark in flat:
        if isinstance(mark, at.Ge | at.Gt):
            above = isinstance(mark, at.Gt)
            low = mark.gt if isinstance(mark, at.Gt) else mark.ge  # type: ignore[assignment]
        if isinstance(mark, at.Le | at.Lt):
            below = isinstance(mark, at.Lt)
            high = mark.lt if isinstance(mark, at.Lt) else mark.le  # type: ignore[assignment]
    return low, high, above, below


def _choices(allowed: Sequence[Any]) -> tuple[str, ...]:
    return tuple(
        str(word)
        for one in allowed
        if typing.get_origin(one) is Literal
        for word in typing.get_args(one)
    )


def _kind(allowed: Sequence[Any], marks: Sequence[Any], columns: Any, *, special: bool) -> Kind:
    origins = {typing.get_origin(one) for one in allowed}
    if special or InPython in marks:
        return "special"
    if Amount in marks:
        return "amount"
    if Literal in origins:
        return "choice"
    if columns is not None:
        if Mapping in origins:
            return "table"
        return "column" if all(one is str for one in allowed) else "columns"
    simple: dict[Any, Kind] = {bool: "flag", int: "whole", float: "number", str: "text"}
    found = [simple[one] for one in allowed if one in simple]
    return found[0] if found else "special"


# -- what each kind allows -----------------------------------------------------------------------


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, of numpy's kinds too; a truth value is none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a real number, of numpy's kinds too; a truth value is none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def as_written(value: Any) -> Fraction:
    """A real number exactly as it is written: 0.29 is 29/100, not the binary number next to it.

    Examples
    --------
    >>> as_written(0.29)
    Fraction(29, 100)
    """
    return Fraction(value) if isinstance(value, Rational) else Fraction(str(value))


def nearest(fraction: float, n: int) -> int:
    """The number of records nearest to a share of n, halves up."""
    return math.floor(as_written(fraction) * n + Fraction(1, 2))


def whole_number(name: str, value: object, least: int) -> list[Problem]:
    """The problem of an argument that is not a whole number of at least ``least``."""
    if is_whole(value) and value >= least:  # type: ignore[operator]
        return []
    what = f"{argument(name)} must be a whole number of at least {least}."
    return [Problem("P07", what, f"Give {argument(name, least)} or more.", name)]


def need_confidence(value: Any) -> None:
    """Refuse a confidence of an interval that is none."""
    if not (is_number(value) and 0 < value < 1):
        fail("P10", "the confidence is not a number between 0 and 1.", "Give for example 0.9.")


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") and not isinstance(value, type) else value


def _is_finite(value: Any) -> bool:
    return is_number(value) and math.isfinite(value)


def _is_table(parameter: Parameter, value: Any) -> bool:
    fits = is_whole if parameter.whole_numbers else _is_finite
    return isinstance(value, Mapping) and all(
        fits(one) and parameter.within(one) for one in value.values()
    )


_FITS: dict[str, Callable[[Parameter, Any], bool]] = {
    "whole": lambda p, v: is_whole(v) and p.within(v),
    "number": lambda p, v: _is_finite(v) and p.within(v),
    "amount": lambda _, v: (is_whole(v) and v >= 0) or (isinstance(v, float) and 0 <= v <= 1),
    "flag": lambda _, v: isinstance(v, bool),
    "choice": lambda p, v: v in p.choices,
    "text": lambda _, v: isinstance(v, str) and bool(v),
    "column": lambda _, v: isinstance(v, str),
    "columns": lambda _, v: isinstance(v, list) and all(isinstance(one, str) for one in v),
    "table": _is_table,
    "special": lambda _, __: True,
}


def _bounds_in_words(p: Parameter) -> str:
    if p.low > -math.inf and p.high < math.inf:
        if p.above or p.below:
            start = f"above {p.low:g}" if p.above else f"from {p.low:g}"
            return f" {start} and {'below' if p.below else 'up to'} {p.high:g}"
        return f" from {p.low:g} to {p.high:g}"
    if p.low > -math.inf:
        return f" above {p.low:g}" if p.above else f" of at least {p.low:g}"
    return "" if p.high == math.inf else f" {'below' if p.below else 'of at most'} {p.high:g}"


_WORDS: dict[str, Callable[[Parameter], str]] = {
    "whole": lambda p: f"a whole number{_bounds_in_words(p)}",
    "number": lambda p: f"a number{_bounds_in_words(p)}",
    "amount": lambda _: "a share from 0.0 to 1.0 or a whole number of records",
    "flag": lambda _: "true or false",
    "choice": lambda p: f"one of {', '.join(p.choices)}",
    "text": lambda _: "a text",
    "column": lambda _: "the name of a column",
    "columns": lambda _: "a list of column names",
    "table": lambda p: (
        f"a table of columns and {'whole ' if p.whole_numbers else ''}numbers{_bounds_in_words(p)}"
    ),
    "special": lambda _: "as its documentation says",
}


def _example(p: Parameter) -> str:
    return f"Give for example {argument(p.name, p.example)}."


_REMEDIES: dict[str, tuple[str, Callable[[Parameter], str]]] = {
    "whole": ("P07", _example),
    "number": ("P10", _example),
    "amount": ("P14", lambda p: f"Give for example {argument(p.name, '0.02')}, or a number."),
    "flag": ("P16", lambda _: "Say True or False."),
}


def _read_number(p: Parameter, text: str) -> float | int:
    if text.endswith("%") and p.high <= 1:
        return float(text.rstrip("% ")) / 100
    return _number(text)


def _read_amount(_: Parameter, text: str) -> float | int:
    if text.endswith("%"):
        return float(text.rstrip("% ")) / 100
    return float(text) if "." in text else int(text)


def _number(text: str) -> float | int:
    _short(text)
    try:
        return int(text)
    except ValueError:
        return float(text)


def _whole(_: Parameter, text: str) -> int:
    _short(text)
    return int(text)


def _short(text: str) -> None:
    if len(text) > 30:
        raise ValueError("too long")


def _read_flag(_: Parameter, text: str) -> bool:
    found = {"yes": True, "true": True, "on": True, "no": False, "false": False}.get(text.lower())
    if found is None:
        raise ValueError("neither yes nor no")
    return found


def _read_columns(_: Parameter, text: str) -> list[str]:
    import csv

    try:
        return [one.strip() for row in csv.reader([text], skipinitialspace=True) for one in row]
    except csv.Error:
        raise ValueError("not a list of names") from None


def _read_table(p: Parameter, text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in _read_columns(p, text):
        name, equals, number = part.rpartition("=")
        if not equals:
            raise ValueError("a part without '='")
        found[name.strip()] = int(number) if p.whole_numbers else _number(number.strip())
    return found


def _unread(_: Parameter, __: str) -> Any:
    raise ValueError("not a text")


_READ: dict[str, Callable[[Parameter, str], Any]] = {
    "whole": _whole,
    "number": _read_number,
    "amount": _read_amount,
    "flag": _read_flag,
    "choice": lambda _, text: text,
    "text": lambda _, text: text,
    "column": lambda _, text: text,
    "columns": _read_columns,
    "table": _read_table,
    "special": _unread,
}


def _number_schema(p: Parameter, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = {"type": kind}
    if p.low > -math.inf:
        found["exclusiveMinimum" if p.above else "minimum"] = p.low
    if p.high < math.inf:
        found["exclusiveMaximum" if p.below else "maximum"] = p.high
    return found


_SCHEMAS: dict[str, Callable[[Parameter], dict[str, Any]]] = {
    "whole": lambda p: _number_schema(p, "integer"),
    "number": lambda p: _number_schema(p, "number"),
    "amount": lambda _: {"type": "number", "minimum": 0},
    "flag": lambda _: {"type": "boolean"},
    "choice": lambda p: {"enum": list(p.choices)},
    "text": lambda _: {"type": "string", "minLength": 1},
    "column": lambda _: {"type": "string"},
    "columns": lambda _: {"type": "array", "items": {"type": "string"}},
    "table": lambda p: {
        "type": "object",
        "additionalProperties": _number_schema(p, "integer" if p.whole_numbers else "number"),
    },
    "special": lambda _: {},
}
