"""k and p (distinct l) of a million records × 6 keys, from a pandas frame, against pycanon: speed
where both are right, and the answers when the index of the frame is permuted."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import data
from figure import Figure
from processes import ENVIRONMENT, alternately, job

RECORDS = 1_000_000
PYCANON = "pycanon==1.3.6"
TIMES = 5


def run() -> Iterator[Figure]:
    theirs = _environment()
    yield from _speed("fine", str(data.fine(RECORDS)), theirs)
    yield from _speed("coarse", str(data.coarse(RECORDS)), theirs)
    yield from _permuted(str(data.coarse(RECORDS)), theirs)


def _speed(name: str, path: str, theirs: Path) -> Iterator[Figure]:
    jobs = {
        "pycanon": functools.partial(job, "pycanon_job.py", path, "as_read", python=theirs),
        "discreet": functools.partial(job, "k_and_p_job.py", path, "as_read"),
        "objects": functools.partial(job, "k_and_p_job.py", path, "objects"),
    }
    found = alternately(jobs, TIMES)
    ours, peer = found["discreet"], found["pycanon"]
    what = f"{name}, {ours['classes']:,} classes"
    yield Figure(f"{what}: k", ours["answer"]["k"])
    yield Figure(f"{what}: p", ours["answer"]["p"])
    yield Figure(f"{what}: answers equal (1 = yes)", ours["answer"] == peer["answer"], at_least=1)
    for unit, key in (("s", "seconds"), ("s CPU", "cpu")):
        yield Figure(f"{what}: pycanon", peer[key], unit)
        yield Figure(f"{what}: discreet", ours[key], unit)
        yield Figure(f"{what}: times as fast", peer[key] / ours[key], "×", at_least=10)
        # as pandas 2 holds text; turning Python objects into Arrow takes as long again
        as_objects = peer[key] / found["objects"][key]
        yield Figure(f"{what}: times as fast, text as Python objects", as_objects, "×")


def _permuted(path: str, theirs: Path) -> Iterator[Figure]:
    """An index that is not 0, 1, …: pycanon takes its labels for positions (``iloc``)."""
    right = job("k_and_p_job.py", path, "as_read")["answer"]
    ours = job("k_and_p_job.py", path, "permuted")["answer"]
    peer = job("pycanon_job.py", path, "permuted", python=theirs)["answer"]
    yield Figure("permuted index: discreet is right (1 = yes)", ours == right, at_least=1)
    yield Figure("permuted index: pycanon is right (1 = yes)", peer == right)
    yield Figure("permuted index: p by discreet", ours["p"])
    yield Figure("permuted index: p by pycanon", peer["p"])


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
