"""The command line: the verbs of the API, each with ``--json`` and an exit code to gate a pipeline.

Exit codes: 0 — done, and the criterion holds; 1 — the criterion does not hold, or cannot be
reached; 2 — the command or its input is wrong; 130 — stopped by Ctrl-C; 143 — ended by the system.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator

from discreet.errors import DiscreetError, EngineFailure, Problem
from discreet.files.rooms import vacate

_NOT_FEASIBLE = ("D30", "D31", "D33")  # no generalization satisfies the criterion, or none found


def command() -> None:
    """The command of a terminal: run it, and leave the process with its exit code."""
    gc.disable()  # a command is short: collecting what its imports left behind takes longer
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
    try:
        with _stoppable():
            from discreet.cli.commands import app

            app()
    except _Stopped as stopped:
        print("Stopped; nothing was written.", file=sys.stderr)
        return stopped.code
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except DiscreetError as error:
        print(error.said(_called), file=sys.stderr)
        return 1 if error.code in _NOT_FEASIBLE else 2
    except Exception as error:  # noqa: BLE001 - exit code 1 would say that a criterion fails
        what = f"the command failed ({type(error).__name__})."
        remedy = "Its message may quote a value and is withheld; run the step in Python to see it."
        print(EngineFailure(Problem("E02", what, remedy)), file=sys.stderr)
        return 2
    return 0


def _called(name: str, value: str) -> str | None:
    """An argument as the option of the command that was given, where it has one of that name."""
    try:
        from discreet.cli.lazy import options_of
    except DiscreetError:  # what is told just now
        return None
    flags = options_of(sys.argv[1:])
    flag = flags.get({"overwrite": "force"}.get(name, name))
    if flag is None:
        return None
    return flag if value in ("", "True", "False") else f"{flag} {value}"


def _leave(code: int) -> None:
    """Leave without taking the engine apart, which takes longer than some commands."""
    vacate()
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
