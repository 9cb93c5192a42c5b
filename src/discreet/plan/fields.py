"""What the keys of a plan may hold, and what is said when they hold something else.

A value is never quoted in a problem: it may have been copied from the data.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from discreet.data.options import is_texts
from discreet.errors import Problem, did_you_mean, listed, noted
from discreet.parameters import Columns, Parameter, is_whole
from discreet.plan.lines import At
from discreet.plan.toml import key_text
from discreet.surface import place

_TEXTS = {"type": "array", "items": {"type": "string"}}


@dataclass(frozen=True)
class Field:
    """What one key may hold; parameters of methods, criteria and measures say it in the same way.

    Attributes
    ----------
    words : str
        In words: "a whole number of at least 1".
    fits : function
        Whether a value does.
    shape : mapping
        The same as JSON Schema.
    columns : Columns, optional
        Where it names columns of the source.
    """

    words: str
    fits: Callable[[Any], bool]
    shape: Mapping[str, Any] = field(default_factory=dict)
    columns: Columns | None = None

    def schema(self) -> dict[str, Any]:
        """JSON Schema of its value."""
        return dict(self.shape)


Fields = Mapping[str, Field | Parameter]


def choice(*known: str) -> Field:
    """One of some words."""
    return Field(f"one of {', '.join(known)}", lambda v: v in known, {"enum": [*known]})


TEXT = Field("a text", lambda v: isinstance(v, str) and bool(v), {"type": "string", "minLength": 1})
TEXTS = Field("a list of texts", is_texts, _TEXTS)
FLAG = Field("true or false", lambda v: isinstance(v, bool), {"type": "boolean"})
SEED = Field("a whole number", is_whole, {"type": "integer"})
COLUMNS = Field("a list of column names", is_texts, _TEXTS, Columns())


def table_schema(
    properties: Mapping[str, Any], required: Sequence[str] | None = None, **about: Any
) -> dict[str, Any]:
    """JSON Schema of a table that has these keys and no others."""
    needed = {} if required is None else {"required": list(required)}
    found = {"type": "object", "properties": properties, **needed}
    return {**about, **found, "additionalProperties": False}


OR_INSTALL = " Or install the package that adds it."  # to a method that is not known


def table_problems(
    table: Any, fields: Fields, at: At, where: Where, need: tuple[str, ...] = (), also: str = ""
) -> list[Problem]:
    """What is wrong with a table: keys that are not known, values that do not fit, keys missing.
    ``also`` is another remedy for a key that is not known, and like none that is.
    """
    if not isinstance(table, Mapping):
        return [where.problem(at, "P31", "must be a table.", f"Write {need_text(at, need)}.")]
    problems = []
    for name, value in table.items():
        if name not in fields:
            remedy = did_you_mean(name, fields) or f"Use one of {listed(fields, 20)}.{also}"
            what = f"{name!r} is not known in this part of a plan."
            problems.append(where.problem((*at, name), "P30", what, remedy))
        elif not fields[name].fits(value):
            what = f"must be {fields[name].words}."
            problems.append(where.problem((*at, name), "P31", what, "Correct the value."))
    for name in need:
        if name not in table:
            remedy = f"Write {name} = …: {fields[name].words}."
            problems.append(where.problem(at, "P32", f"{name!r} is missing.", remedy))
    return problems


def need_text(at: At, need: tuple[str, ...]) -> str:
    """An example of a table."""
    inner = ", ".join(f"{name} = …" for name in need) or "…"
    return f"{at[-1] if at else 'it'} = {{ {inner} }}"


@dataclass(frozen=True)
class Where:
    """The plan's file and the lines of its keys; both empty for a plan made in Python."""

    file: str = ""
    lines: Mapping[At, int] = field(default_factory=dict)

    def problem(self, at: At, code: str, what: str, remedy: str, of: str = "") -> Problem:
        """A problem that says where it is: in a step of a method, if one is named."""
        return Problem(code, f"{place(at, self.said(at), of)}: {what}", remedy)

    def all(self, at: At, problems: Iterable[Problem], of: str = "") -> list[Problem]:
        """The problems that were found at a place."""
        return [self.problem(at, p.code, p.what, p.remedy, of) for p in problems]

    @contextlib.contextmanager
    def noted(self, at: At, problems: list[Problem]) -> Iterator[None]:
        """Note what is wrong within as what is wrong at a place."""
        found: list[Problem] = []
        with noted(found):
            yield
        problems += self.all(at, found)

    def in_order(self, problems: Iterable[Problem]) -> list[Problem]:
        """Problems in the order of their lines; those without one come last."""
        lines = ((re.match(rf"{re.escape(self.file)}:(\d+) ", str(p)), p) for p in problems)
        numbered = [(int(line[1]) if line else 10**9, p) for line, p in lines]
        return [p for _, p in sorted(numbered, key=lambda pair: pair[0])]

    def said(self, at: At) -> str:
        """``release.toml:7 (roles.keys)``, or ``roles.keys`` where there is no file."""
        way = spelled(at) or "the plan"
        if not self.file:
            return way
        known = next((at[:n] for n in range(len(at), 0, -1) if at[:n] in self.lines), ())
        line = f":{self.lines[known]}" if known else ""
        return f"{self.file}{line} ({way})" if at else self.file


def spelled(at: At) -> str:
    """``steps[0].method``."""
    text = ""
    for part in at:
        text += f"[{part}]" if isinstance(part, int) else f".{key_text(part)}"
    return text.removeprefix(".")
