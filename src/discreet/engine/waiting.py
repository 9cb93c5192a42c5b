"""Waiting for an engine: it works in another thread while this one reports its progress, and can
be stopped at any moment by Ctrl-C or by the callback of the progress.

Only the main thread waits like this: no other one hears of Ctrl-C. A short step says nothing.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from discreet.engine.turns import in_turn
from discreet.progressing import over, stage

T = TypeVar("T")
Work = Callable[[], None]

_PATIENCE = 1.0  # seconds that a step takes before it is spoken of
_POLL = 0.1  # seconds between two looks at it


@dataclass(frozen=True)
class Watch:
    """How a step of an engine is watched and stopped.

    Attributes
    ----------
    percent : callable
        How much is done; negative when that is not known.
    stop : callable
        Ends what the engine is doing.
    wrap : callable
        Gives the thread that works what the engine keeps for this one; called in this one.
    name : str
        Of the stage.
    """

    percent: Callable[[], float]
    stop: Callable[[], object]
    wrap: Callable[[Work], Work] = lambda work: work
    name: str = "counting records"


def awaited(step: Callable[[], T], watch: Watch | None) -> T:
    """Run a step in turn; where it can be watched, from the main thread, in another one."""
    if watch is None or threading.current_thread() is not threading.main_thread():
        return in_turn(step)
    outcome: Future[T] = Future()
    context = contextvars.copy_context()
    work = watch.wrap(lambda: _run(step, outcome))
    worker = threading.Thread(target=context.run, args=(work,), daemon=True)
    try:
        worker.start()
        if not over(outcome, _PATIENCE):
            _report(outcome, watch)
    except BaseException:
        _end(outcome, watch)
        raise
    return outcome.result()


def _run(step: Callable[[], T], outcome: Future[T]) -> None:
    if not outcome.set_running_or_notify_cancel():
        return
    try:
        outcome.set_result(in_turn(step))
    except BaseException as error:  # noqa: BLE001 - raised again by result()
        outcome.set_exception(error)


def _report(outcome: Future[T], watch: Watch) -> None:
    with stage(watch.name, 100) as advance:
        done = 0
        while not over(outcome, _POLL):
            # an estimate of the engine, which may go back; unknown between two of its queries
            done = max(done, min(int(_percent(watch)), 99))
            advance(done)


def _percent(watch: Watch) -> float:
    try:
        return watch.percent()
    except Exception:  # noqa: BLE001 - to know less is no reason to stop
        return -1.0


def _end(outcome: Future[T], watch: Watch) -> None:
    """Stop what the engine does until the step gives up: it may just be between two queries."""
    if outcome.cancel():  # it has not begun, and will not
        return
    while not over(outcome, _POLL / 2):
        with contextlib.suppress(Exception):
            watch.stop()
