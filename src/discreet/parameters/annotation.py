"""Reading annotations: the parameters that a signature describes."""

from __future__ import annotations

import functools
import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import annotated_types as at
from annotated_doc import Doc

from discreet.parameters.kinds import Kind
from discreet.parameters.marks import (
    Amount,
    Columns,
    File,
    InPython,
    Label,
    Mark,
    Notation,
    OneOf,
    Shared,
    Vary,
)
from discreet.parameters.parameter import Parameter


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


def unread_parameters(described: Callable[..., Any], data: int, *others: str) -> list[str]:
    """The parameters of which no surface knows what they may be, behind those that are the data
    and but for some others."""
    known = {p.name: p for p in parameters_of(described)}
    given = list(inspect.signature(described).parameters)[data:]
    return [n for n in given if n not in others and not (n in known and known[n].readable)]


def parameter_of(name: str, annotation: Any, default: Any) -> Parameter:
    """The parameter that an annotation describes."""
    bare, *marks = typing.get_args(annotation)
    allowed = _alternatives(bare)
    optional = type(None) in allowed
    allowed = tuple(one for one in allowed if one is not type(None))
    columns, written = _of(marks, Columns), _of(marks, Notation)
    label = _of(marks, Label) or Label(name.replace("_", " "))
    shared = _of(marks, Shared) or Shared("")
    vary = _of(marks, Vary) or Vary()
    low, high, above, below = _bounds([*marks, *_inner_marks(allowed)])
    return Parameter(
        name,
        _kind(allowed, marks, columns, special=bool(written or shared.section)),
        default,
        optional,
        (_of(marks, Doc) or Doc("")).documentation,
        label.text,
        _choices(allowed),
        dict(label.choices),
        low,
        high,
        above,
        below,
        columns,
        written,
        shared.section,
        (_of(marks, File) or File("")).about,
        (_of(marks, OneOf) or OneOf("")).group,
        vary.values,
        vary.shown or f"{name}={{}}",
        frozenset(mark.name for mark in marks if isinstance(mark, Mark)),
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
