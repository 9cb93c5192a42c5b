"""Surfaces: a text names functions and arguments by reference, and where it is shown says how.

A function is ``ds.advise(…)`` in Python, ``discreet advise`` in a terminal, and the title of a
method in the app. What a result says is worded by :func:`said` and :func:`advice` when it is asked
for, on the surface of that moment, see :func:`shown_on`. A problem keeps its references until it is
shown, for it may travel from one process to another.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Literal, NamedTuple


class Reference(NamedTuple):
    """What a text names: an argument and perhaps its value, a public function and perhaps what it
    is called with, a place in a plan, or words that make sense in Python; how Python writes it, and
    the method that says so, where one was at work.
    """

    sort: Literal["argument", "function", "place", "words"]
    name: str
    value: str
    python: str
    of: str = ""


Surface = Callable[[Reference], str | None]  # its words for a reference; None where it has none
_REFERENCE = re.compile("\x02([a-z]+)" + "\x1f([^\x1f\x03]*)" * 4 + "\x03")
_SPEAKING: ContextVar[str] = ContextVar("method", default="")


@contextlib.contextmanager
def speaking(method: str) -> Iterator[None]:
    """Arguments that texts name within are those of a method: others may have one of that name."""
    token = _SPEAKING.set(method)
    try:
        yield
    finally:
        _SPEAKING.reset(token)


def argument(name: str, value: object = None, python: str = "", *, written: str = "") -> str:
    """An argument within a text: ``name=`` in Python, an option in a terminal, the label of a field
    in a form. ``python`` is the value as Python has it, where that is not how others write it;
    ``written`` is all that Python has instead, where it is no argument there.

    Examples
    --------
    >>> said(f"{argument('fraction')} is missing.")
    'fraction= is missing.'
    >>> said(f"Read it with {argument('missing', 'refuse')}.")
    'Read it with missing="refuse".'
    >>> said(f"Look at {argument('output', written='.above(0.1)')}.")
    'Look at .above(0.1).'
    """
    plain = "" if value is None else str(value)
    is_word = isinstance(value, str) and re.fullmatch(r"[a-z][\w/.-]*|[,.]|NA", value)
    python = python or (f'"{value}"' if is_word else plain)
    return marked(
        Reference("argument", name, plain, written or f"{name}={python}", _SPEAKING.get())
    )


def function(name: str, given: str | None = None) -> str:
    """A public function or class within a text, and what it is called with.

    Examples
    --------
    >>> said(f"{function('advise', '…')} says how far.")
    'ds.advise(…) says how far.'
    >>> said(f"Make the keys coarser ({function('generalize')}).")
    'Make the keys coarser (ds.generalize).'
    """
    call = "" if given is None else f"({given})"
    return marked(Reference("function", name, given or "", f"ds.{name}{call}"))


def place(at: Sequence[str | int], written: str, of: str = "") -> str:
    """A place in a plan within a text: the keys that lead to it, how a plan has them, and the
    method of the step that it is in. A form says it as the fields of a page.

    Examples
    --------
    >>> said(f"{place(('steps', 0, 'fraction'), 'steps[0].fraction', 'sample')}: is missing.")
    'steps[0].fraction: is missing.'
    """
    return marked(Reference("place", json.dumps(at), "", written, of))


def places_in(text: str) -> list[list[str | int]]:
    """The places in a plan that a text names.

    Examples
    --------
    >>> places_in(f"{place(('steps', 0), 'steps[0]')}: is missing.")
    [['steps', 0]]
    """
    named = (_reference(match) for match in _REFERENCE.finditer(text))
    return [json.loads(one.name) for one in named if one.sort == "place"]


def in_python(words: str) -> str:
    """Words within a text that make sense in Python; another surface may have its own for them.

    Examples
    --------
    >>> said(f"Use {in_python('Hierarchy.dates()')}.")
    'Use Hierarchy.dates().'
    """
    return marked(Reference("words", words, "", words))


def marked(reference: Reference) -> str:
    """A reference as it stands within a text until it is worded."""
    return "\x02" + "\x1f".join(reference) + "\x03"


# -- the words of a surface ------------------------------------------------------------------------


def python(reference: Reference) -> str:
    """The words of Python, which has some for every reference."""
    return reference.python


_CURRENT: ContextVar[Surface] = ContextVar("surface", default=python)


@contextlib.contextmanager
def shown_on(surface: Surface) -> Iterator[None]:
    """Word what is said within for a surface.

    Examples
    --------
    >>> with shown_on(lambda one: f"--{one.name}"):
    ...     said(f"Name {argument('keys')}.")
    'Name --keys.'
    """
    token = _CURRENT.set(surface)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def said(text: str, surface: Surface | None = None) -> str:
    """A text in the words of a surface, the one of this moment if none is named. What it has no
    words for is said as Python has it.
    """
    chosen = surface or _CURRENT.get()

    def worded(match: re.Match[str]) -> str:
        reference = _reference(match)
        found = chosen(reference)
        return reference.python if found is None else found

    return _REFERENCE.sub(worded, text)


def advice(text: str) -> list[str]:
    """A line of advice, as a list: empty where the surface has no words for something it names.

    Examples
    --------
    >>> line = f"Next: look at {in_python('.entries()')}."
    >>> advice(line)
    ['Next: look at .entries().']
    >>> with shown_on(lambda _: None):
    ...     advice(line)
    []
    """
    chosen = _CURRENT.get()
    known = all(chosen(_reference(match)) is not None for match in _REFERENCE.finditer(text))
    return [said(text)] if known else []


def _reference(match: re.Match[str]) -> Reference:
    return Reference(*match.groups())  # type: ignore[arg-type]
