"""Marks: what an annotation says of a parameter beside its type and its bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.errors import argument


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
    >>> from discreet.errors import Problem
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


class Mark:
    """A mark that says one thing."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


Public = Mark("Public")  # may be shown to everybody
Values = Mark("Values")  # may hold values of the data: shown nowhere
Seed = Mark("Seed")  # drawn where it is not given, kept in the ledger, never public
Share = Mark("Share")  # a share: forms show it in percent
Amount = Mark("Amount")  # a share of the records (a float) or a number of them (an int)
Variant = Mark("Variant")  # each choice is a method of its own on a map
Needed = Mark("Needed")  # must be said where no object of Python can say it
AtLeast = Mark("AtLeast")  # of a criterion: who asks for more asks for this, too
AtMost = Mark("AtMost")  # of a criterion: who allows less allows no more than this
InPython = Mark("InPython")  # an object of Python: other surfaces say the same by other means
