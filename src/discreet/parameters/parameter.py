"""A parameter: what its signature says of it, how that is read, and what follows for a value."""

from __future__ import annotations

import functools
import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import annotated_types as at
from annotated_doc import Doc

from discreet.errors import Problem, argument
from discreet.parameters.kinds import KINDS, Kind, is_finite, is_number, seed_problems
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

REQUIRED: Any = inspect.Parameter.empty


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
    def readable(self) -> bool:
        """Whether its type, or a mark, says what it may be."""
        return self.kind != "special" or bool(
            self.written or self.shared or self.file or self.python_only
        )

    @property
    def words(self) -> str:
        """What it may hold: "a whole number of at least 1"."""
        return self.written.words if self.written else KINDS[self.kind].words(self)

    def fits(self, value: Any) -> bool:
        """Whether a plain value of a plan does."""
        return self.written.fits(value) if self.written else KINDS[self.kind].fits(self, value)

    def problems(self, value: Any) -> list[Problem]:
        """What is wrong with an argument of Python; numbers of numpy are numbers too."""
        kind = KINDS[self.kind]
        if value is None and self.is_seed:
            return seed_problems(value, self.name)
        if (value is None and self.optional) or kind.beside_data:
            return []
        return [] if kind.fits(self, _plain(value)) else [read_problem(self)]

    @property
    def example(self) -> str:
        """A value as it may be written."""
        usual = self.vary[0] if self.vary else self.default
        near: tuple[Any, ...] = (
            usual,
            self.low,
            self.high,
            1,
            self.low + 1,
            (self.low + self.high) / 2,
        )
        if self.kind not in ("whole", "number", "amount", "table"):
            near = (usual,)
        fit = (n for n in near if is_finite(n) and self.within(n))
        return next((f"{number:g}" for number in fit), "…")

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
        value = own(text.strip()) if own else KINDS[self.kind].read(self, text.strip())
        if not self.fits(value):
            raise ValueError(self.words)
        return value

    def text(self, value: Any) -> str:
        """A value as :meth:`read` takes it."""
        return "" if value is None or value is REQUIRED else KINDS[self.kind].text(value)

    def columns_in(self, value: Any) -> set[str]:
        """The columns that a plain value names."""
        if self.columns is None:
            return set()
        named = self.columns.named(value) if self.columns.named else value
        return {named} if isinstance(named, str) else set(named)

    def schema(self) -> dict[str, Any]:
        """JSON Schema of its plain value, with title and help."""
        found = dict(self.written.schema) if self.written else KINDS[self.kind].schema(self)
        described = {"title": self.label, "description": self.doc, **found}
        if isinstance(self.default, bool | int | float | str):
            described["default"] = self.default
        return described


def read_problem(parameter: Parameter) -> Problem:
    """What is wrong with a text that does not stand for a value."""
    kind = KINDS[parameter.kind]
    what = f"{argument(parameter.name)} {kind.wrong or f'must be {parameter.words}'}."
    return Problem(kind.code, what, kind.remedy(parameter), parameter.name)


def problems_of(parameters: Sequence[Parameter], given: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with arguments, as far as their descriptions tell."""
    return [
        problem
        for parameter in parameters
        if parameter.name in given
        for problem in parameter.problems(given[parameter.name])
    ]


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") and not isinstance(value, type) else value


# -- the parameters that a signature describes ----------------------------------------------------


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
