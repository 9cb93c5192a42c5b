"""A parameter as a field of a form: how a page shows it, and the value that is said in it.

The form of a step and the form of what must hold are made of these. Columns are addressed by
number. A share is in percent: it is shown so, and whatever is written stands for that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from discreet.errors import DiscreetError, Problem
from discreet.parameters import REQUIRED, Parameter, read_problem
from discreet.plan.criteria import written_in, written_text
from discreet.surface import Reference, marked

_DIGITS = 9
_POINT = "Write a point for decimals, not a comma: 0.5."


# -- what a page shows -----------------------------------------------------------------------------


@dataclass(frozen=True)
class FormField:
    """A field as the page draws it.

    Attributes
    ----------
    name, label, hint : str
    sort : str
        "text", "tick", "choose", "columns" or "lines".
    choices : sequence of (value, words)
    value : object
        What was said.
    """

    name: str
    label: str
    hint: str
    sort: str
    choices: tuple[tuple[str, str], ...]
    value: Any
    parameter: Parameter

    @property
    def usual(self) -> bool:
        """Whether it stands as it does when nothing is said."""
        usual = shown(self.parameter, self.parameter.default)
        if self.sort == "columns":
            return not self.value
        return self.value == usual or (self.value == "" and self.parameter.kind != "flag")

    @property
    def unit(self) -> str:
        """What stands beside the field."""
        return "%" if _is_share(self.parameter) else ""

    @property
    def example(self) -> str:
        """What may be written in it."""
        return _example(self.parameter).rstrip("% ") if self.unit else _example(self.parameter)

    @property
    def inputmode(self) -> str:
        """The keyboard that a telephone shows."""
        return {"whole": "numeric", "number": "decimal"}.get(self.parameter.kind, "text")


def field_of(p: Parameter, name: str, value: Any, files: Sequence[str] = ()) -> FormField:
    """The field of a parameter with what was said in it; a file is one of those that were added."""
    if p.file:
        known = dict.fromkeys([*files, *([value] if value else [])])
        none = (
            "none"
            if known
            else "none yet: add one under Registers of the population (Roles & risk)"
        )
        offered = (("", none), *((one, one) for one in known))
        return FormField(name, p.label, p.doc, "choose", offered, value, p)
    sort, choices = _SORTS.get(p.kind, "text"), tuple((c, _word(p, c)) for c in p.choices)
    if p.kind == "flag" and p.optional:
        sort, choices = "choose", (("", "as usual"), ("yes", "yes"), ("no", "no"))
    hint = f"{p.doc} As a plan writes it: {p.words}." if p.written else p.doc
    return FormField(name, p.label, hint, sort, choices, value, p)


_SORTS = {"columns": "columns", "table": "lines", "choice": "choose", "flag": "tick"}


def _is_share(p: Parameter) -> bool:
    return "Share" in p.marks


def _example(p: Parameter) -> str:
    """What may be written in its field."""
    if p.kind == "table":
        return f"income = {p.example}"
    return _percent(float(p.example)) + " %" if _is_share(p) or p.kind == "amount" else p.example


def _percent(share: float) -> str:
    return f"{100 * share:.12g}"


def _word(p: Parameter, value: str) -> str:
    return p.choice_labels.get(value, value)


def called(p: Parameter, value: str = "") -> str:
    """How a message names a field, and what is to be said there."""
    return f"“{p.label}”" + (f": {_word(p, value)}" if value else "")


def shown(p: Parameter, value: Any) -> str:
    """A value as the field has it."""
    if value is None or value is REQUIRED:
        return ""
    if p.kind == "table":
        return "\n".join(f"{name} = {number:g}" for name, number in value.items())
    if p.written:
        return written_text(value)
    return _percent(value) if _is_share(p) else p.text(value)


def with_unit(p: Parameter, value: Any) -> str:
    """A value with its unit, where no field is around it."""
    return f"{shown(p, value)} %" if _is_share(p) else shown(p, value)


def numbers_of(names: Iterable[str], columns: Sequence[str]) -> set[int]:
    """The numbers of columns, as far as they are there."""
    number = {name: i for i, name in enumerate(columns)}
    return {number[name] for name in names if name in number}


# -- what is sent ----------------------------------------------------------------------------------


def text_in(form: Any, name: str) -> str:
    """A field as text without blanks around it; empty where it is not there."""
    given = form.get(name, "")
    return given.strip() if isinstance(given, str) else ""


def whole_in(text: str, below: float = math.inf) -> int | None:
    """The whole number that a text of up to nine digits stands for, below another one; None where
    it stands for none.

    Examples
    --------
    >>> whole_in("12"), whole_in("12", below=12), whole_in("-1"), whole_in("")
    (12, None, None, None)
    """
    if not text.isdecimal() or len(text) > _DIGITS:
        return None
    return int(text) if int(text) < below else None


def sent_in(form: Any, p: Parameter, name: str, most: int) -> Any:
    """What was sent in a field: a text, or numbers of columns, of which there are ``most``."""
    if p.kind != "columns":
        return text_in(form, name)
    ticked = form.getlist(name)
    return {c for c in range(most) if str(c) in ticked}


def labelled(problem: Problem, where: str, parameters: Iterable[Parameter]) -> Problem:
    """A problem that names these fields by their labels; what else it names is worded later."""
    known = {p.name: p for p in parameters}

    def label(one: Reference) -> str:
        is_field = one.sort == "argument" and one.name in known
        return called(known[one.name], one.value) if is_field else marked(one)

    return replace(problem, what=f"{where}: {problem.said(label)}", remedy="")


@dataclass
class Reading:
    """Reads fields, and notes all that is wrong without quoting it."""

    where: str
    columns: Sequence[str]
    problems: list[Problem]

    def say(self, what: str, remedy: str, parameter: str = "") -> None:
        """Note what is wrong, and with which parameter, where it is one."""
        self.problems.append(Problem("P60", f"{self.where}: {what}.", remedy, parameter))

    def value(self, p: Parameter, sent: Any) -> Any:
        """The value of a field that is not empty; None where it cannot be read."""
        if p.kind == "columns":
            return [self.columns[c] for c in sorted(sent)] or None
        if p.kind == "flag" and not p.optional:
            return sent in ("yes", "on")
        try:
            return written_in(p, sent) if p.written else p.read(_readable(p, sent))
        except ValueError:
            self.unreadable(p, sent)
        except DiscreetError as error:
            told = (replace(one, code="P60") for one in error.problems)
            self.problems += [
                replace(labelled(one, self.where, [p]), parameter=p.name) for one in told
            ]
        return None

    def unreadable(self, p: Parameter, sent: str) -> None:
        """Note what must stand in a field in place of what was sent."""
        if p.written:
            self.say(f"{called(p)} cannot be read", f"Write {p.words}.", p.name)
        elif p.kind == "choice":
            wrong = replace(read_problem(p), code="P60")
            self.problems.append(replace(labelled(wrong, self.where, [p]), parameter=p.name))
        else:
            remedy = written_so("" if p.kind == "whole" else sent, _example(p))
            self.say(f"{called(p)} must be {_wanted(p)}", remedy, p.name)

    def missing(self, p: Parameter) -> None:
        """Note that a field is empty."""
        if p.kind == "columns":
            self.say(f"{called(p)}: no column is chosen", "Choose at least one.", p.name)
        elif p.written and not p.file:
            self.say(f"{called(p)} is missing", f"Write {p.words}.", p.name)
        else:
            remedy = "Choose one of the list." if p.file else f"Write for example {_example(p)}."
            self.say(f"{called(p)} is missing", remedy, p.name)


def written_so(sent: str, example: str) -> str:
    """What to write in place of what is no number.

    Examples
    --------
    >>> written_so("few", "5"), written_so("0,2", "0.1")
    ('Write for example 5.', 'Write a point for decimals, not a comma: 0.5.')
    """
    return _POINT if re.search(r"\d,\d", sent) else f"Write for example {example}."


def _wanted(p: Parameter) -> str:
    """What must stand in a field."""
    if p.kind == "table":
        number = "whole number" if p.whole_numbers else "number"
        return f"a line for each column, with its name and a {number}: column = number"
    if p.kind == "amount":
        return "a share from 0 to 100 %, written with its sign, or a whole number of records"
    if not _is_share(p):
        return p.words
    return f"above 0 and {'below' if p.below else 'up to'} 100 %" if p.above else "from 0 to 100 %"


def _readable(p: Parameter, sent: str) -> str:
    """What was sent as a parameter reads it: lines as a list, a share with its sign."""
    if p.kind == "table":
        return ", ".join(sent.splitlines())
    if p.kind == "amount" and not (sent.endswith("%") or sent.isdecimal()):
        raise ValueError("neither a percentage nor a number of records")
    return f"{sent.rstrip('% ')} %" if _is_share(p) else sent
