"""Kinds of parameters: what each may hold, in words, as a text, in a plan and in its schema."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import TYPE_CHECKING, Any, Literal

from discreet.errors import Problem, argument, fail

if TYPE_CHECKING:
    from discreet.parameters.parameter import Parameter


Kind = Literal[
    "whole", "number", "amount", "flag", "choice", "text", "column", "columns", "table", "special"
]
_MOST = 30  # signs of a number


def _as_it_is(_: Parameter, text: str) -> Any:
    return text


def _shown(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _example(p: Parameter) -> str:
    return f"Give for example {argument(p.name, p.example)}."


def _example_of_table(p: Parameter) -> str:
    python = f'{{"income": {p.example}}}'
    return f"Give for example {argument(p.name, f'income={p.example}', python)}."


@dataclass(frozen=True)
class KindOfParameter:
    """What a parameter of one kind may hold.

    Attributes
    ----------
    words : function
        In words: "a whole number of at least 1".
    fits : function
        Whether a plain value of a plan does.
    schema : function
        The same as JSON Schema.
    read, text : function
        The value that a text stands for, ValueError for none; and a value as a text.
    code, wrong, remedy : str, function
        Of the problem with a value that does not fit; by default it says what must be given.
    beside_data : bool
        Whether an argument of Python is looked at later, beside the data.
    """

    words: Callable[[Parameter], str]
    fits: Callable[[Parameter, Any], bool]
    schema: Callable[[Parameter], dict[str, Any]]
    read: Callable[[Parameter, str], Any] = _as_it_is
    text: Callable[[Any], str] = _shown
    code: str = "P16"
    wrong: str = ""
    remedy: Callable[[Parameter], str] = _example
    beside_data: bool = False


# -- numbers ---------------------------------------------------------------------------------------


def _bounds_in_words(p: Parameter) -> str:
    if p.low > -math.inf and p.high < math.inf:
        if p.above or p.below:
            start = f"above {p.low:g}" if p.above else f"from {p.low:g}"
            return f" {start} and {'below' if p.below else 'up to'} {p.high:g}"
        return f" from {p.low:g} to {p.high:g}"
    if p.low > -math.inf:
        return f" above {p.low:g}" if p.above else f" of at least {p.low:g}"
    return "" if p.high == math.inf else f" {'below' if p.below else 'of at most'} {p.high:g}"


def _number_schema(p: Parameter, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = {"type": kind}
    if p.low > -math.inf:
        found["exclusiveMinimum" if p.above else "minimum"] = p.low
    if p.high < math.inf:
        found["exclusiveMaximum" if p.below else "maximum"] = p.high
    return found


def _whole(text: str) -> int:
    if len(text) > _MOST:
        raise ValueError("too long")
    return int(text)


def _number(text: str) -> float | int:
    if len(text) > _MOST:
        raise ValueError("too long")
    try:
        return int(text)
    except ValueError:
        return float(text)


def _read_number(p: Parameter, text: str) -> float | int:
    return _percent(text) if text.endswith("%") and p.high <= 1 else _number(text)


def _read_amount(_: Parameter, text: str) -> float | int:
    if text.endswith("%"):
        return _percent(text)
    return float(text) if "." in text else int(text)


def _percent(text: str) -> float:
    return float(as_written(float(text.rstrip("% "))) / 100)


_WHOLE = KindOfParameter(
    words=lambda p: f"a whole number{_bounds_in_words(p)}",
    fits=lambda p, value: is_whole(value) and p.within(value),
    schema=lambda p: _number_schema(p, "integer"),
    read=lambda _, text: _whole(text),
    code="P07",
)
_NUMBER = KindOfParameter(
    words=lambda p: f"a number{_bounds_in_words(p)}",
    fits=lambda p, value: is_finite(value) and p.within(value),
    schema=lambda p: _number_schema(p, "number"),
    read=_read_number,
    code="P10",
)
_AMOUNT = KindOfParameter(
    words=lambda _: "a share from 0.0 to 1.0 or a whole number of records",
    fits=lambda _, v: (is_whole(v) and v >= 0) or (isinstance(v, float) and 0 <= v <= 1),
    schema=lambda _: {"type": "number", "minimum": 0},
    read=_read_amount,
    text=lambda value: f"{100 * value:.12g} %" if isinstance(value, float) else str(value),
    code="P14",
    remedy=lambda p: f"Give for example {argument(p.name, '0.02')}, or a number.",
)


# -- words -----------------------------------------------------------------------------------------


def _read_flag(_: Parameter, text: str) -> bool:
    found = {"yes": True, "true": True, "on": True, "no": False, "false": False}.get(text.lower())
    if found is None:
        raise ValueError("neither yes nor no")
    return found


_FLAG = KindOfParameter(
    words=lambda _: "true or false",
    fits=lambda _, value: isinstance(value, bool),
    schema=lambda _: {"type": "boolean"},
    read=_read_flag,
    text=lambda value: "yes" if value else "no",
    remedy=lambda _: "Say True or False.",
)
_CHOICE = KindOfParameter(
    words=lambda p: f"one of {', '.join(p.choices)}",
    fits=lambda p, value: value in p.choices,
    schema=lambda p: {"enum": list(p.choices)},
    wrong="is not known",
    remedy=lambda p: f"Use one of {', '.join(p.choices)}.",
)
_TEXT = KindOfParameter(
    words=lambda _: "a text",
    fits=lambda _, value: isinstance(value, str) and bool(value),
    schema=lambda _: {"type": "string", "minLength": 1},
    beside_data=True,
)


# -- columns ---------------------------------------------------------------------------------------


def _read_columns(text: str) -> list[str]:
    try:
        return [one.strip() for row in csv.reader([text], skipinitialspace=True) for one in row]
    except csv.Error:
        raise ValueError("not a list of names") from None


def _is_table(p: Parameter, value: Any) -> bool:
    fits = is_whole if p.whole_numbers else is_finite
    return isinstance(value, Mapping) and all(fits(v) and p.within(v) for v in value.values())


def _read_table(p: Parameter, text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in _read_columns(text):
        name, equals, number = part.rpartition("=")
        if not equals:
            raise ValueError("a part without '='")
        column = name.strip()
        if column in found:
            fail(
                "P16",
                f"{argument(p.name)} names {column!r} twice.",
                "Name each column once.",
                p.name,
            )
        found[column] = int(number) if p.whole_numbers else _number(number.strip())
    return found


_COLUMN = KindOfParameter(
    words=lambda _: "the name of a column",
    fits=lambda _, value: isinstance(value, str),
    schema=lambda _: {"type": "string"},
    beside_data=True,
)
_COLUMNS = KindOfParameter(
    words=lambda _: "a list of column names",
    fits=lambda _, value: isinstance(value, list) and all(isinstance(v, str) for v in value),
    schema=lambda _: {"type": "array", "items": {"type": "string"}},
    read=lambda _, text: _read_columns(text),
    text=lambda value: ", ".join(map(str, value)),
    beside_data=True,
)
_TABLE = KindOfParameter(
    words=lambda p: (
        f"a table of columns and {'whole ' if p.whole_numbers else ''}numbers{_bounds_in_words(p)}"
    ),
    fits=_is_table,
    schema=lambda p: {
        "type": "object",
        "additionalProperties": _number_schema(p, "integer" if p.whole_numbers else "number"),
    },
    read=_read_table,
    remedy=_example_of_table,
    beside_data=True,
)


# -- what only its own notation knows --------------------------------------------------------------


def _unread(_: Parameter, __: str) -> Any:
    raise ValueError("not a text")


_SPECIAL = KindOfParameter(
    words=lambda _: "as its documentation says",
    fits=lambda _, __: True,
    schema=lambda _: {},
    read=_unread,
    beside_data=True,
)

KINDS: dict[Kind, KindOfParameter] = {
    "whole": _WHOLE,
    "number": _NUMBER,
    "amount": _AMOUNT,
    "flag": _FLAG,
    "choice": _CHOICE,
    "text": _TEXT,
    "column": _COLUMN,
    "columns": _COLUMNS,
    "table": _TABLE,
    "special": _SPECIAL,
}


# -- Numbers as arguments: what counts as one, and what is said of another -------------------------


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, of numpy's kinds too; a truth value is none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a real number, of numpy's kinds too; a truth value is none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Whether a value is a real number that is neither infinite nor undefined."""
    return is_number(value) and math.isfinite(value)


def as_written(value: Any) -> Fraction:
    """A real number exactly as it is written: 0.29 is 29/100, not the binary number next to it.

    Examples
    --------
    >>> as_written(0.29)
    Fraction(29, 100)
    """
    return Fraction(value) if isinstance(value, Rational) else Fraction(str(value))


def recorded(value: Any) -> float:
    """A real number as a step keeps it: read again, it is written as it was.

    Examples
    --------
    >>> recorded(0.29), recorded(2**53 + 1), recorded(3)
    (0.29, 9007199254740993, 3.0)
    """
    exact = as_written(value)
    return int(exact) if exact.denominator == 1 and float(exact) != exact else float(exact)


def nearest(fraction: float, n: int) -> int:
    """The number of records nearest to a share of n, halves up."""
    return math.floor(as_written(fraction) * n + Fraction(1, 2))


def whole_number(name: str, value: object, least: int) -> list[Problem]:
    """The problem of an argument that is not a whole number of at least ``least``."""
    if is_whole(value) and value >= least:  # type: ignore[operator]
        return []
    what = f"{argument(name)} must be a whole number of at least {least}."
    return [Problem("P07", what, f"Give {argument(name, least)} or more.", name)]


def seed_problems(seed: object, name: str = "seed") -> list[Problem]:
    """The problem of a seed that is missing or none: without one a step could not be repeated."""
    if is_whole(seed):
        return []
    what = f"{argument(name)} is {'missing' if seed is None else 'not a whole number'}."
    remedy = "Give any whole number: with it the step can be repeated."
    return [Problem("P15", what, remedy, name)]


def need_confidence(value: Any) -> None:
    """Refuse a confidence of an interval that is none."""
    if not (is_number(value) and 0 < value < 1):
        fail("P10", "the confidence is not a number between 0 and 1.", "Give for example 0.9.")
