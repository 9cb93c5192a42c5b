"""k and p (distinct l) of a million records × 6 keys, from a pandas frame, against pycanon: speed where
both are right, and the answers when the index of the frame is permuted."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import data
from figure import Figure
from processes import ENVIRONMENT, Outcome, alternately, job

RECORDS = 1_000_000
PYCANON = "pycanon==1.3.6"
TIMES = 3


def run() -> Iterator[Figure]:
    theirs = _environment()
    for name, path in (("fine", data.fine(RECORDS)), ("coarse", data.coarse(RECORDS))):
        found = _both(str(path), "as_read", theirs)
        ours, peer = found["discreet"], found["pycanon"]
        what = f"{name}, {ours['classes']:,} classes"
        yield Figure(f"{what}: pycanon", peer["seconds"], "s")
        yield Figure(f"{what}: discreet", ours["seconds"], "s")
        yield Figure(f"{what}: answers equal", ours["answer"] == peer["answer"], at_least=1)
        yield Figure(f"{what}: k", ours["answer"]["k"])
        yield Figure(f"{what}: p", ours["answer"]["p"])
        speed = peer["seconds"] / ours["seconds"]
        yield Figure(f"{what}: times as fast", speed, "×", at_least=10)
        in_cpu = peer["cpu"] / ours["cpu"]
        yield Figure(f"{what}: times as fast, by CPU time", in_cpu, "×", at_least=10)
        yield from _of_objects(what, str(path), peer)
    yield from _permuted(str(data.coarse(RECORDS)), ours["answer"], theirs)


def _of_objects(what: str, path: str, peer: Outcome) -> Iterator[Figure]:
    """Text as Python objects, as pandas 2 holds it: turning it into Arrow takes as long again."""
    ours = alternately({"": functools.partial(job, "k_and_p_job.py", path, "objects")}, TIMES)[""]
    yield Figure(f"{what}: times as fast, text as objects", peer["seconds"] / ours["seconds"], "×")


def _permuted(path: str, right: Outcome, theirs: Path) -> Iterator[Figure]:
    found = _both(path, "permuted", theirs, times=1)
    ours, peer = found["discreet"]["answer"], found["pycanon"]["answer"]
    yield Figure("permuted index: discreet is right", ours == right, at_least=1)
    yield Figure("permuted index: p by discreet", ours["p"])
    yield Figure("permuted index: p by pycanon", peer["p"])


def _both(path: str, how: str, theirs: Path, times: int = TIMES) -> dict[str, Outcome]:
    return alternately(
        {
            "discreet": functools.partial(job, "k_and_p_job.py", path, how),
            "pycanon": functools.partial(job, "pycanon_job.py", path, how, python=theirs),
        },
        times,
    )


def _environment() -> Path:
    """pycanon with the packages it asks for, apart from our own."""
    home = ENVIRONMENT / "pycanon"
    python, done = home / "bin" / "python", home / PYCANON
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, PYCANON, "pyarrow"], check=True, stderr=subprocess.DEVNULL)
        done.touch()
    return python
