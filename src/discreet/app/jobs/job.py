"""Jobs: work in a process of its own, which can be watched and really be ended.

A thread per job starts the process, listens to it and is the only one to reap it. The process
gets its task on standard input, which stays open: where it ends, the app is gone, and so goes the
process. It answers with lines of progress, and leaves its result in a file.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from discreet.app.jobs.task import WORKING
from discreet.errors import Problem, fail, failure

State = Literal["waiting", "running", "done", "cancelled", "failed"]
AT_ONCE = 2
_SCRATCH = "job"  # temporary files of the process, in its working folder
_PATIENCE = 1.0  # seconds between asking a process to end and ending it


@dataclass(frozen=True)
class JobProgress:
    """How far the work is; no total where that is not known."""

    stage: str = ""
    done: int = 0
    total: int | None = None

    @property
    def percent(self) -> int | None:
        """Done, of a hundred."""
        return None if not self.total else min(100 * self.done // self.total, 100)


@dataclass(eq=False)
class Job:
    """Work under way, or over."""

    name: str
    title: str
    state: State = "waiting"
    progress: JobProgress = field(default_factory=JobProgress)
    problems: tuple[Problem, ...] = ()
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    pid: int | None = None
    wish_to_end: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def is_over(self) -> bool:
        """Whether its process is gone."""
        return self.over.is_set()

    @property
    def seconds(self) -> float:
        """How long it took, or has taken so far."""
        return (self.ended or time.monotonic()) - self.began


class Jobs:
    """All jobs of the app: a few run at once, the others wait."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._slots = threading.Semaphore(at_once)
        self._jobs: set[Job] = set()
        self._closed = False

    def start(
        self, job: Job, task: Mapping[str, Any], folder: Path, then: Callable[[Any], None]
    ) -> None:
        """Start a job; ``then`` gets what it found, in another thread."""
        if self._closed:
            fail("N62", "the app is being closed.", "Start it again.")
        self._jobs.add(job)
        supervise = threading.Thread(
            target=self._supervise, args=(job, task, folder, then), daemon=True
        )
        supervise.start()

    def cancel(self, job: Job) -> None:
        """End a job; returns when its process is gone."""
        job.wish_to_end.set()
        job.over.wait()

    def close(self) -> None:
        """End all jobs, and start no more."""
        self._closed = True
        for job in list(self._jobs):
            job.wish_to_end.set()
        for job in list(self._jobs):
            job.over.wait()

    def _supervise(
        self, job: Job, task: Mapping[str, Any], folder: Path, then: Callable[[Any], None]
    ) -> None:
        try:
            while not self._slots.acquire(timeout=0.05):
                if job.wish_to_end.is_set():
                    job.state = "cancelled"
                    return
            try:
                _run(job, task, folder, then)
            finally:
                self._slots.release()
        except Exception as error:  # noqa: BLE001 - the page says so; a message may quote a value
            job.state, job.problems = "failed", (unknown_failure(error),)
        finally:
            job.ended = time.monotonic()
            self._jobs.discard(job)
            job.over.set()


def unknown_failure(error: BaseException) -> Problem:
    """What may be said of an error that is not ours: its type, or what the machine lacks."""
    return failure(error, "E02", "the work failed")


def _run(job: Job, task: Mapping[str, Any], folder: Path, then: Callable[[Any], None]) -> None:
    if job.wish_to_end.is_set():
        job.state = "cancelled"
        return
    working = folder / WORKING
    working.mkdir(mode=0o700, exist_ok=True)
    result = working / "result.pickle"
    result.unlink(missing_ok=True)
    job.state = "running"
    try:
        with _started({**task, "result": str(result)}, working) as process:
            job.pid = process.pid
            listening = threading.Thread(target=_listen, args=(job, process), daemon=True)
            listening.start()
            _await_end(job, process)
            listening.join()
    finally:
        shutil.rmtree(working / _SCRATCH, ignore_errors=True)  # what was not kept is not left
    if job.wish_to_end.is_set():
        result.unlink(missing_ok=True)
        job.state = "cancelled"
    elif job.problems:
        job.state = "failed"
    elif process.returncode != 0 or not result.exists():
        what = "the process that did the work was ended from outside, or had too little memory."
        job.state, job.problems = "failed", (Problem("E60", what, "Try it again."),)
    else:
        then(pickle.loads(result.read_bytes()))  # noqa: S301 - written by our own process
        result.unlink()
        job.state = "done"


@contextlib.contextmanager
def _started(task: Mapping[str, Any], folder: Path) -> Any:
    scratch = folder / _SCRATCH
    scratch.mkdir(mode=0o700, exist_ok=True)
    process = subprocess.Popen(
        [
            sys.executable,
            "-P",
            "-m",
            "discreet.app.jobs.worker",
        ],  # -P: nothing from the folder it is in
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a traceback may quote a value
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(task).encode() + b"\n")
            process.stdin.flush()
        yield process
    finally:
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.stdout.close()


def _await_end(job: Job, process: subprocess.Popen[bytes]) -> None:
    """Wait for the process; where that is wished, ask it to end, and then end it."""
    asked: float | None = None
    while process.poll() is None:
        if job.wish_to_end.wait(0.05):
            now = time.monotonic()
            asked = asked or now
            (process.kill if now - asked > _PATIENCE else process.terminate)()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.05)


def _listen(job: Job, process: subprocess.Popen[bytes]) -> None:
    """Take in what the process says until it says no more."""
    assert process.stdout is not None
    for line in process.stdout:
        said = json.loads(line)
        if "failed" in said:
            job.problems = tuple(Problem(*parts) for parts in said["failed"])
        else:
            job.progress = JobProgress(said["stage"], said["done"], said["total"])
