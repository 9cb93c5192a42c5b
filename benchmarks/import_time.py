"""What it costs to start: ``import discreet`` and ``discreet --help``, in CPU seconds of the whole
process, the interpreter's own start included."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from figure import Figure
from processes import cpu_of

TIMES = 7


def run() -> Iterator[Figure]:
    bare = min(cpu_of([sys.executable, "-c", ""]) for _ in range(TIMES))
    yield Figure("python alone", bare, "s CPU")
    command = [sys.executable, "-c", "import discreet"]
    imported = min(cpu_of(command) for _ in range(TIMES))
    yield Figure("import discreet", imported, "s CPU", at_most=0.25)
    shown = min(
        cpu_of([Path(sys.executable).with_name("discreet"), "--help"]) for _ in range(TIMES)
    )
    yield Figure("discreet --help", shown, "s CPU", at_most=0.5)
