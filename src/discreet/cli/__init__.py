"""The command line: the verbs of the API, each with ``--json`` and an exit code to gate a pipeline.

Exit codes: 0 — done, and the criterion holds; 1 — the criterion does not hold, or cannot be
reached; 2 — the command or its input is wrong; 130 — stopped by Ctrl-C; 143 — ended by the system.
A reader that closes the pipe early (``| head -1``) changes none of them: what it does not read is
dropped, and the command goes on.
"""

from __future__ import annotations

import codecs
import contextlib
import gc
import io
import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any, TextIO, cast

from discreet.errors import (
    DEBUG,
    UNMET,
    DiscreetError,
    EngineFailure,
    ReadHint,
    failure,
    unreadable_name,
)
from discreet.files.rooms import vacate
from discreet.surface import Reference, shown_on


def command() -> None:
    """The command of a terminal: run it, and leave the process with its exit code."""
    gc.disable()  # a command is short: collecting what its imports left behind takes longer
    sys.stdout, sys.stderr = _outliving(sys.stdout), _outliving(sys.stderr)
    _leave(_exit_code())


def main() -> None:
    """Run the command within a process that goes on; its exit code is that of SystemExit."""
    raise SystemExit(_exit_code())


class _Stopped(BaseException):
    """Ctrl-C. The command-line library turns KeyboardInterrupt into 1: a criterion that fails."""

    def __init__(self, number: int) -> None:
        self.code = 128 + number
        super().__init__()


def _stop(number: int, *_frame: object) -> None:
    raise _Stopped(number)


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Have Ctrl-C and the system's request to end raise _Stopped meanwhile."""
    if threading.current_thread() is not threading.main_thread():  # others get no signals
        yield
        return
    before = {number: signal.signal(number, _stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _exit_code() -> int:
    _fall_back()
    as_json = "--json" in sys.argv[1:]
    if not all(map(_is_text, sys.argv)):
        return _told(EngineFailure(unreadable_name()), as_json)
    try:
        with _stoppable(), warnings.catch_warnings(), shown_on(in_terminal):
            warnings.showwarning = cast("Any", _noted)
            from discreet.cli.commands import app
            from discreet.cli.lazy import legible

            code = legible(app)(standalone_mode=not as_json)
    except _Stopped as stopped:
        print("Stopped; nothing was written.", file=sys.stderr)
        return stopped.code
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except DiscreetError as error:
        return _told(error, as_json)
    except Exception as error:  # noqa: BLE001 - exit code 1 would say that a criterion fails
        problem = failure(error, "E02", "the command failed")
        family = DiscreetError if problem.code[0] != "E" else EngineFailure
        return _told(family(problem), as_json)
    return code if isinstance(code, int) else 0


class _Pipe(io.FileIO):
    """Where a command prints. What is printed after the reader has closed the pipe is dropped."""

    def write(self, printed: Any, /) -> int:
        try:
            return super().write(printed)
        except BrokenPipeError:
            return memoryview(printed).nbytes


def _outliving(stream: TextIO | None) -> TextIO:
    """A standard stream that outlives its reader, or stands for one that was closed from the
    start. What is not a file or pipe, such as a console of Windows, stays as it is.
    """
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123
    binary = getattr(stream, "buffer", None)
    raw = getattr(binary, "raw", binary)
    if not isinstance(stream, io.TextIOWrapper) or not isinstance(raw, io.FileIO):
        return stream
    output = _Pipe(raw.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        output if raw is binary else io.BufferedWriter(output),
        stream.encoding,
        stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _is_text(word: str) -> bool:
    """Whether a word of the command is text in the encoding of the system."""
    return not any("\ud800" <= one <= "\udfff" for one in word)


def _noted(message: Warning | str, *_where: object) -> None:
    """A warning as a line of its own, in the words of a terminal."""
    said = message.problem.said(in_terminal) if isinstance(message, ReadHint) else str(message)
    print(f"Note: {said}", file=sys.stderr)


def _told(error: DiscreetError, as_json: bool) -> int:
    """Say what is wrong: as JSON where the result would have been JSON."""
    code = 1 if all(p.code in UNMET for p in error.problems) else 2
    problems = [{"code": p.code, "message": p.said(in_terminal)} for p in error.problems]
    found = {"error": type(error).__name__, "exit_code": code, "problems": problems}
    try:
        if as_json:
            print(json.dumps(found, indent=2))
            return code
    except OSError:  # nobody can read it there
        code = 2
    print(error.said(in_terminal), file=sys.stderr)
    return code


# What a terminal of another age has instead of the characters that we draw with.
_PLAIN = dict(zip("█▉▊▋▌▍▎▏─│├└·–—−×’“”", '####=--|-|++.---x\'""', strict=True))
_PLAIN |= {"…": "...", "≤": "<=", "≥": ">=", "→": "->", "Σ": "sum"}


def _fall_back() -> None:
    """Have a terminal or file that cannot show a character get one that it can show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="discreet")


def _plainer(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text, at = error.object, range(error.start, error.end)
    return "".join(_CUT if _cuts(text, i) else _PLAIN.get(text[i], "?") for i in at), error.end


_CUT = "~"  # as wide as what it replaces: the word was cut to fit into a column


def _cuts(text: str, at: int) -> bool:
    """Whether a word ends here that was cut: before a blank, a line's end or a change of colour."""
    before, after = text[:at][-1:].strip(), text[at + 1 : at + 2].strip()
    return text[at] == "…" and bool(before) and after in ("", "\x1b")


codecs.register_error("discreet", _plainer)


def shown(text: str) -> str:
    """Text as the terminal will show it: known before lines are broken, so that they fit.

    Examples
    --------
    >>> shown("at most 5 records")
    'at most 5 records'
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if text.isascii():
        return text
    # one by one, so that no ellipsis looks like a cut word
    return "".join(one.encode(encoding, "discreet").decode(encoding) for one in text)


def in_terminal(one: Reference) -> str | None:
    """What a terminal calls a function, an argument, or what else makes sense in Python."""
    if one.sort == "words":
        return _WORDS.get(one.name)
    try:
        from discreet.cli.names import command_of, option_of

        return command_of(one) if one.sort == "function" else option_of(one)
    except DiscreetError:  # what is told just now
        return None


_WORDS = {
    f"{DEBUG}=1 in the environment": "discreet --debug",
    "ds.check(initial, masked, criterion)": "discreet compare initial masked --on rec --at-most",
    "Hierarchy.dates()": "dates = […]",  # as a plan has it: other hierarchies are files
    "Hierarchy.suppress()": "suppress = true",
    "a file or a dictionary": "a file",
    "Write {'leaf': ['*'], …}, or use": "Use",
}


def _leave(code: int) -> None:
    """Leave without taking the engine apart, which takes longer than some commands."""
    vacate()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:  # what was found could not be told
        code = max(code, 2)
        with contextlib.suppress(OSError):
            _told(DiscreetError(failure(error, "E02", "the command failed")), as_json=False)
    os._exit(code)
