"""What a verb takes in a new environment with the package alone, where no kernel was compiled yet,
and in the next process: wall time from the import on, Python's own files compiled; and the start of
commands."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import adult
from figure import Figure
from first_use_job import VERBS
from processes import ENVIRONMENT, HERE, job, times_of
from small_calls_job import table

TIMES = 7
MOST = {"generalize": 4, "microaggregate": 6, "recode": 8}  # seconds, whatever the table


def run() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        file, discreet = _written(Path(folder)), python().with_name("discreet")
        risk = [discreet, "risk", file, "--keys", "k0,k1,k2,k3", "--confidential", "illness"]
        for name, command, most in (("--help", [discreet, "--help"], 0.25), ("risk", risk, 0.6)):
            least = min(times_of(command)["seconds"] for _ in range(TIMES))
            yield Figure(f"discreet {name}", least, "s", at_most=most)
        for verb in VERBS:
            if "Adult" in verb and adult.missing():
                print(f"  skipped: {verb}")
                continue
            most = MOST.get(verb.split()[0].rstrip(","))
            first, second = _twice(verb, file)
            yield Figure(f"first {verb}", first, "s", at_most=most)
            yield Figure("… in the next process", second, "s")


def python() -> Path:
    """The interpreter of an environment with the package and what it needs, made on demand: numba,
    for one, loads scipy where it is installed, and the environment of the tests has it."""
    found = ENVIRONMENT / "plain" / "bin" / "python"
    if not found.exists():
        subprocess.run([sys.executable, "-m", "venv", found.parent.parent], check=True)
        pip = [found, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "-e", HERE.parent], check=True)
    return found


def _written(folder: Path) -> Path:
    """The table of ``small_calls`` as a file."""
    columns, file = table(), folder / "small.csv"
    with file.open("w", newline="") as to:
        rows = csv.writer(to)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    return file


def _twice(verb: str, file: Path) -> tuple[float, float]:
    """Wall seconds without and with kernels from an earlier process, the least of a few."""
    firsts, seconds = [], []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as kept:
            firsts.append(_seconds(verb, file, kept))
            seconds += [_seconds(verb, file, kept) for _ in range(2)]
    return min(firsts), min(seconds)


def _seconds(verb: str, file: Path, kept: str) -> float:
    """Wall seconds, with kernels kept in a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": kept}
    return job("first_use_job.py", verb, str(file), python=python(), env=environment)["seconds"]
