"""A pytest plugin that writes down which functions of the package each passing test enters, and
how much processor time it takes: one line of JSON per test, in the file DISCREET_SURVEY. A test
that takes more than ``LONGEST`` seconds is ended, since it could not be run for many mutants, and
so is what else its function would be called with.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

LONGEST = 6
_ROOT = f"{Path.cwd()}/"
_FOLDER = f"{_ROOT}src/discreet/"
_entered: set[tuple[str, int]] = set()
_passed: dict[str, bool] = {}
_ended: set[str] = set()  # functions of tests


def _enter(frame, event, argument):
    """Only calls are seen: no line is traced."""
    code = frame.f_code
    if code.co_filename.startswith(_FOLDER):
        _entered.add((code.co_filename, code.co_firstlineno))


def _end(function):
    """A skip goes through Hypothesis; a failure would be made smaller for minutes."""
    _ended.add(function)
    pytest.skip(f"longer than {LONGEST} seconds")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    function = item.nodeid.partition("[")[0]
    if function in _ended:
        item.add_marker(pytest.mark.skip("another of its kind took long"))
    _entered.clear()
    started = time.process_time()
    signal.signal(signal.SIGPROF, lambda *_: _end(function))
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    threading.settrace(_enter)
    sys.settrace(_enter)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        signal.setitimer(signal.ITIMER_PROF, 0)
        if _passed.get(item.nodeid):
            _write(item.nodeid, time.process_time() - started)


def _write(name: str, seconds: float) -> None:
    functions = sorted(f"{path.removeprefix(_ROOT)}:{line}" for path, line in _entered)
    found = {"test": name, "seconds": seconds, "functions": functions}
    with Path(os.environ["DISCREET_SURVEY"]).open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(found)}\n")


def pytest_runtest_logreport(report):
    if report.when == "call":
        _passed[report.nodeid] = report.passed
