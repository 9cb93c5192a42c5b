"""Failures of an engine: what it says may quote a cell, so that it is put into words of ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from discreet import csvfile
from discreet.engine.turns import in_turn
from discreet.errors import DiscreetError, Problem, raise_all

T = TypeVar("T")


def translated(step: Callable[[], T], origin: str) -> T:
    """Run a step; what the engine says of a failure may quote a cell, so it is not passed on."""
    try:
        return in_turn(step)
    except DiscreetError:
        raise
    except Exception as error:  # noqa: BLE001 - every backend has errors of its own
        problem = _problem(str(error), type(error).__name__, origin)
    raise_all([problem])
    raise AssertionError


def _problem(message: str, name: str, origin: str) -> Problem:
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"line {line[1]} of {origin}" if line else origin
    if "unicode" in message or "not utf-8" in message:
        return csvfile.not_in_encoding(where, "utf-8")
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if widths:
        return Problem(
            "S06",
            f"{where} has {widths[2]} cells, the header has {widths[1]}.",
            "Mend the line, or check the separator.",
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
    return Problem(
        "E01",
        f"the engine failed on {origin} ({name}).",
        "Its message may quote a value and is withheld; run the step in the engine to see it.",
    )
