"""Errors: one base class, stable codes, one shape — what is wrong · where · what to do.

A call collects all its problems and raises them together. A message holds names
(columns, files, parameters) and counts, never the value of a cell; this is why the
exceptions of the libraries below are translated here and not chained.

Every code is explained in ``docs/errors.md``.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from discreet.surface import Surface, argument, in_python, python, said

__all__ = [
    "DiscreetError",
    "EngineFailure",
    "InternalError",
    "InvalidData",
    "InvalidParameter",
    "InvalidRole",
    "MissingDependency",
    "NotSupported",
    "OutputError",
    "Problem",
    "ReadHint",
    "UnreadableSource",
    "argument",
    "did_you_mean",
    "fail",
    "failure",
    "listed",
    "nearest",
    "noted",
    "raise_all",
    "show_if_debug",
]


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: its code, what and where, and what to do about it.

    ``parameter`` names the argument it is about, where it is about one: a form shows it there.
    """

    code: str
    what: str
    remedy: str
    parameter: str = ""

    @property
    def text(self) -> str:
        """What is wrong and what to do, within another text that is worded when it is shown."""
        return f"{self.what} {self.remedy}".strip()

    def said(self, surface: Surface | None = None) -> str:
        """In the words of a surface, the one of this moment if none is named."""
        return said(self.text, surface)

    def __str__(self) -> str:
        return self.said(python)


class DiscreetError(Exception):
    """Base of all errors of this package; ``problems`` lists everything found wrong.

    Examples
    --------
    >>> import discreet as ds
    >>> try:
    ...     ds.read({"age": [23]}, keys=["agee", "sex"])
    ... except ds.DiscreetError as error:
    ...     type(error).__name__, [problem.code for problem in error.problems]
    ('InvalidRole', ['R01', 'R01'])
    """

    def __init__(self, *problems: Problem) -> None:
        self.problems: tuple[Problem, ...] = problems
        super().__init__(str(self))

    @property
    def code(self) -> str:
        """The code of the first problem."""
        return self.problems[0].code if self.problems else ""

    def __str__(self) -> str:
        return self.said(python)

    def said(self, surface: Surface | None = None) -> str:
        """All problems in the words of a surface, the one of this moment if none is named."""
        name = type(self).__name__
        if len(self.problems) == 1:
            return f"{name}[{self.code}]: {self.problems[0].said(surface)}"
        lines = [f"  {i}. [{p.code}] {p.said(surface)}" for i, p in enumerate(self.problems, 1)]
        return "\n".join([f"{name}: {len(self.problems)} problems", *lines])

    def __reduce__(self) -> tuple[type[DiscreetError], tuple[Problem, ...]]:
        return type(self), self.problems


class InfiniteValues(ArithmeticError):
    """Within the package: a number that is compared is infinite, and has no mean or distance."""


class InvalidRole(DiscreetError):
    """R: a role names an unknown column, or contradicts another role."""


class InvalidParameter(DiscreetError):
    """P: an argument is outside what it may be."""


class UnreadableSource(DiscreetError):
    """S: a file, frame or table cannot be read as a table of records."""


class InvalidData(DiscreetError):
    """D: the data do not fit what was said of them."""


class NotSupported(DiscreetError):
    """N: the combination is refused by name, with the reason."""


class MissingDependency(DiscreetError):
    """M: an optional package is needed and not installed."""


class EngineFailure(DiscreetError):
    """E: the engine could not carry out a step."""


class OutputError(DiscreetError):
    """O: a result cannot be written; nothing was written."""


class ReadHint(UserWarning):
    """A column was read as text, although most of its values look like numbers or dates."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(str(problem))


class InternalError(DiscreetError):
    """I: what was made fails what was asked for; nothing was handed out."""


_FAMILY: dict[str, type[DiscreetError]] = {
    "R": InvalidRole,
    "P": InvalidParameter,
    "S": UnreadableSource,
    "D": InvalidData,
    "N": NotSupported,
    "M": MissingDependency,
    "E": EngineFailure,
    "O": OutputError,
    "I": InternalError,
}


def raise_all(problems: Sequence[Problem]) -> None:
    """Raise all problems at once, as the family of the first; do nothing when there are none."""
    if problems:
        raise _FAMILY[problems[0].code[0]](*problems)


@contextlib.contextmanager
def noted(problems: list[Problem]) -> Iterator[None]:
    """Note what is wrong within, to raise it with what else is: :func:`raise_all`.

    Examples
    --------
    >>> problems: list[Problem] = []
    >>> with noted(problems):
    ...     fail("P04", "no attribute is named.", "Name at least one.")
    >>> [problem.code for problem in problems]
    ['P04']
    """
    try:
        yield
    except DiscreetError as error:
        problems += error.problems


def fail(code: str, what: str, remedy: str, parameter: str = "") -> NoReturn:
    """Raise a single problem."""
    raise _FAMILY[code[0]](Problem(code, what, remedy, parameter))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the known names nearest to a misspelt one, as a sentence or ''."""
    close = nearest(name, known)
    return f"Did you mean {' or '.join(map(repr, close))}?" if close else ""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names nearest to a misspelt one, two at most. The dashes of an option do not make
    it like another one.

    Examples
    --------
    >>> nearest("--kyes", ["--keys", "--missing"])
    ['--keys']
    """
    by_folded = {k.casefold().lstrip("-"): k for k in known}
    close = difflib.get_close_matches(name.casefold().lstrip("-"), by_folded, n=2, cutoff=0.6)
    return [by_folded[one] for one in close]


def listed(names: Iterable[str], most: int = 8) -> str:
    """Name up to ``most`` names, then how many more there are."""
    names = list(names)
    shown = ", ".join(repr(n) for n in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def told_columns(columns: Sequence[str], sure: bool) -> str:
    """The columns by name; none where the names may be the first record of a file."""
    if sure:
        return f"Its columns are {listed(columns)}."
    return (
        f"Check {argument('separator')} or {argument('sheet')}, and if its first line is a record, "
        f"name the columns with {argument('names')}."
    )


def meant(name: str, columns: Sequence[str], sure: bool) -> str:
    """The columns that may have been meant by a name, else all of them."""
    near = did_you_mean(name, columns) if sure or len(columns) > 1 else ""
    return near or told_columns(columns, sure)


# what was asked for is right and cannot be met, or no way was found: of commands exit code 1
def library(name: str, install: str, called: str = "") -> Any:
    """A library that need not be there, or an error with what installs it."""
    with contextlib.suppress(ModuleNotFoundError):
        if importlib.util.find_spec(name) is not None:
            return importlib.import_module(name)
    fail("M01", f"{called or name} is not installed.", f"Run: pip install {install}")


UNMET = ("D30", "D31", "D32", "D33", "D34", "D35", "D42", "D43", "D45", "D46", "D50", "D51")


# -- failures of others ----------------------------------------------------------------------------

DEBUG = "DISCREET_DEBUG"
FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


def failure(error: BaseException, code: str, what: str, *, ours: bool = True) -> Problem:
    """The problem of an error that is not ours. One of the machine is told plainly. Any other
    message may quote a value and is withheld, unless the debug switch is on. Where the code is not
    ``ours``, libraries and files are its own, and only the memory is that of the machine.
    """
    show_if_debug(error)
    told = environment_problem(error) if ours or isinstance(error, MemoryError) else None
    if told is not None:
        return told
    remedy = (
        "Its message may quote a value and is withheld. To see it, run the step again with "
        f"{in_python(f'{DEBUG}=1 in the environment')}. What you see may hold values: do not send "
        "it to anybody."
    )
    return Problem(code, f"{what} ({type(error).__name__}).", remedy)


def show_if_debug(error: BaseException) -> None:
    """Show where an error came from, and what it says, where the debug switch is on."""
    if is_debug():
        shown = "".join(traceback.format_exception(error))
        sys.stderr.write(f"Debug: what follows may show values of the data.\n{shown}")


def is_debug() -> bool:
    """Whether tracebacks are shown, which may hold values: on request only."""
    return os.environ.get(DEBUG, "") not in ("", "0")


def unreadable_name() -> Problem:
    """A name has bytes that are no text in the encoding of the system."""
    what = f"a name cannot be read as {sys.getfilesystemencoding()}, the encoding of this system."
    return Problem("E05", what, "Rename it, or set PYTHONUTF8=1 in the environment.")


def environment_problem(error: BaseException) -> Problem | None:
    """What is wrong with the machine, in words; None where the error is not of that kind."""
    if isinstance(error, MemoryError):
        remedy = "Close other programs, or work on a sample or on fewer columns."
        return Problem("E03", "there is not enough memory for this step.", remedy)
    if isinstance(error, ImportError):
        library = error.name or "of this step"
        what = f"the library {library} is missing or does not fit this machine."
        return Problem("M04", what, "Install it again: pip install --upgrade discreet")
    if isinstance(error, UnicodeEncodeError):
        what = f"a character cannot be written in the encoding {error.encoding}."
        return Problem("E05", what, "Set PYTHONUTF8=1 in the environment.")
    if isinstance(error, OSError) and error.errno in FULL:
        return Problem("O08", "the disk is full.", "Free some space, and try again.")
    if isinstance(error, OSError) and "temporary directory" in str(error.strerror):
        what = "no folder for temporary files can be written to."
        return Problem("E06", what, "Name one in the environment: TMPDIR=…")
    if isinstance(error, OSError) and error.errno is not None:
        where = f": {os.path.basename(str(error.filename))}" if error.filename else ""  # noqa: PTH119
        what = (
            "the system reports an error for a file or folder "
            f"({errno.errorcode.get(error.errno)}){where}."
        )
        return Problem("E06", what, "Check that it exists, and its permissions.")
    return None
