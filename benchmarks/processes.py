"""Each measurement runs in a process of its own, so that its peak memory is its own too.

A job is a script that prints one JSON object. Jobs that are compared take turns, and the least
of several runs counts: other work on the machine only ever adds.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENVIRONMENT = HERE / ".env"  # data, and the packages that are measured against
Outcome = dict[str, Any]


def job(
    name: str,
    *arguments: str,
    python: str | Path = sys.executable,
    env: Mapping[str, str] | None = None,
) -> Outcome:
    """Run a job script of this folder and read what it prints."""
    command = [str(python), str(HERE / name), *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env)
    return json.loads(done.stdout)


def alternately(jobs: Mapping[str, Callable[[], Outcome]], times: int) -> dict[str, Outcome]:
    """Run the jobs in turns; of each, the least of every number (the peak: the most)."""
    runs: dict[str, list[Outcome]] = {name: [] for name in jobs}
    for _ in range(times):
        for name, start in jobs.items():
            runs[name].append(start())
    return {name: _least(outcomes) for name, outcomes in runs.items()}


def _least(outcomes: Sequence[Outcome]) -> Outcome:
    best = dict(outcomes[0])
    for name in {"seconds", "cpu"} & best.keys():
        best[name] = min(outcome[name] for outcome in outcomes)
    if "megabytes" in best:
        best["megabytes"] = max(outcome["megabytes"] for outcome in outcomes)
    if any(outcome.get("answer") != best.get("answer") for outcome in outcomes):
        raise RuntimeError("two runs of one job differ in their answer")
    return best


def times_of(command: Sequence[str | os.PathLike[str]]) -> Outcome:
    """Wall and CPU seconds of a whole process, from the start of its interpreter on."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": wall, "cpu": cpu}


def cpu_of(command: Sequence[str | os.PathLike[str]]) -> float:
    """CPU seconds of a whole process, from the start of its interpreter on."""
    return times_of(command)["cpu"]


class Grown:
    """By how much the memory of this process has grown at its peak, from its making on (Linux)."""

    def __init__(self) -> None:
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # forgets the peak so far
        self._before = _status("VmRSS")

    def megabytes(self) -> float:
        """At its peak, in 10⁶ bytes."""
        return (_status("VmHWM") - self._before) / 1e6


def _status(field: str) -> int:
    """A memory field of this process, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field))


class Clock:
    """Wall and CPU seconds from its making on, and the peak memory of this process."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def outcome(self) -> Outcome:
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # in KiB on Linux
        return {"seconds": wall, "cpu": cpu, "megabytes": peak}
