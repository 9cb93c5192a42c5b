"""Failures of an engine: what it says may quote a cell, so that it is put into words of ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from discreet import csvfile
from discreet.engine.embedded import let_go_if_lost
from discreet.engine.turns import Watch, awaited
from discreet.errors import DiscreetError, Problem, argument, failure, raise_all, show_if_debug
from discreet.frames import no_calendar
from discreet.surface import function
from discreet.words import counted

T = TypeVar("T")


# failures of the embedded engine, by name, after which it may be of no use any more
_ENDING = ("FatalException", "InternalException", "ConnectionException")


def translated(step: Callable[[], T], origin: str, watch: Watch | None = None) -> T:
    """Run a step; what the engine says of a failure may quote a cell, so it is not passed on.

    With a watch, its progress is shown where it takes long, and it can be stopped.
    """
    return awaited(lambda: attempted(step, origin), watch)


def attempted(step: Callable[[], T], origin: str) -> T:
    """Run a step at once, in this thread."""
    try:
        return step()
    except DiscreetError:
        raise
    except Exception as error:  # noqa: BLE001 - every backend has errors of its own
        if type(error).__name__ in _ENDING:
            let_go_if_lost()
        problem = _problem(error, origin)
    raise_all([problem])
    raise AssertionError


def _problem(error: Exception, origin: str) -> Problem:
    message = str(error)
    short = _too_little(message, type(error).__name__, origin)
    if short is not None:
        return short
    if re.search(_LOST, message):
        show_if_debug(error)
        return Problem(
            "E07",
            f"the engine no longer has {origin}: it was closed, or had to be opened anew after "
            "another step failed.",
            "Read the data again; open a connection of your own anew before that.",
        )
    unread = _unread_csv(message, origin)
    if unread is not None:
        return unread
    if re.search(_NO_CALENDAR, message):
        return no_calendar(origin)
    if "No module named 'discreet'" in message:
        return Problem(
            "M03",
            "the executors do not find the package discreet.",
            "Install it there, in the Python that PYSPARK_PYTHON names.",
        )
    if "arquet" in message or "magic bytes" in message:
        return Problem(
            "S07", f"{origin} cannot be read as Parquet.", "Check that the file is whole."
        )
    return failure(error, "E01", f"the engine failed on {origin}")


_NO_CALENDAR = (
    r"after year 10K|before year 1\b|hour must be in 0\.\.23"
    r"|date value out of range|year -?\d+ is out of range"
)
_LOST = (
    r"database has been invalidated|(?i:connection (has )?already (been )?closed)"
    r"|Table with name discreet_\w+ does not exist"  # another engine than the one that held it
)


def _unread_csv(message: str, origin: str) -> Problem | None:
    """What the embedded engine says of a CSV file that it cannot read."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"line {line[1]} of {origin}" if line else origin
    if "latin-1" in message:
        return csvfile.not_in_encoding(where, "latin-1")
    if "unicode" in message or "not utf-8" in message:
        return csvfile.not_in_encoding(where, "utf-8")
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if widths:
        return Problem(
            "S06",
            f"{where} has {counted(int(widths[2]), 'cell')}, the header has {widths[1]}.",
            "Correct the line, or check the separator.",
        )
    if "Maximum line size" in message:
        return Problem("S07", f"{where} is too long.", "Check whether a quote is not closed.")
    if line:
        return Problem("S07", f"{where} cannot be read as CSV.", "Check its quotes and separators.")
    if "CSV Parser" in message:
        return Problem(
            "S07",
            f"{where} mixes line ends or has a quote out of place.",
            "Save it with one kind of line end and balanced quotes.",
        )
    return None


_FULL = ("No space left", "File too large", "Disk quota exceeded")


def _too_little(message: str, name: str, origin: str) -> Problem | None:
    """Memory or disk did not suffice: what to do about it is known."""
    spilling = "max_temp_directory_size" in message or "duckdb_temp" in message
    if spilling and (name == "OutOfMemoryException" or any(full in message for full in _FULL)):
        return Problem(
            "E04",
            f"the step on {origin} needs more room for temporary files than the disk has.",
            "Name a folder on a larger disk: "
            f"{argument('temp_directory', written='ds.settings(temp_directory=…)')}.",
        )
    if name == "OutOfMemoryException":
        return Problem(
            "E03",
            f"the step on {origin} needs more memory than it is allowed to use.",
            f"Raise {argument('memory_limit')}, or lower {argument('threads')}, in "
            f"{function('settings', '…')}.",
        )
    if any(full in message for full in _FULL):
        return Problem(
            "O08",
            "the disk of the output is full.",
            "Nothing was written. Free some space, and try again.",
        )
    return None
