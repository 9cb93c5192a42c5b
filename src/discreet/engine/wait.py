"""Waiting for an engine: it works in another thread while this one reports its progress, and can
be stopped at any moment by Ctrl-C or by the callback of the progress.

Only the main thread waits like this, which hears of Ctrl-C, or one with a callback. While it waits
it asks the engine nothing by itself: Ctrl-C halfway through a question would upset the connection.
A short step says nothing.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import TypeVar

from discreet.engine.turns import in_turn, is_our_turn
from discreet.progress import is_heard, over, stage

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
    """Run a step in turn; where it can be watched and stopped, in another thread."""
    heard = threading.current_thread() is threading.main_thread() or is_heard()
    if watch is None or not heard or is_our_turn():  # within a step, another thread would wait
        return in_turn(step)
    outcome: Future[T] = Future()
    work = watch.wrap(lambda: _run(step, outcome))
    try:
        _start(work)
        if not over(outcome, _PATIENCE):
            _report(outcome, watch)
    except BaseException:
        _end(outcome, watch)
        raise
    return outcome.result()


def _start(work: Work) -> None:
    """Have another thread work, with the context of this one; it ends with the process."""
    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), daemon=True).start()


def _run(step: Callable[[], T], outcome: Future[T]) -> None:
    def begun() -> T:
        if not outcome.set_running_or_notify_cancel():
            raise CancelledError
        return step()

    try:
        outcome.set_result(in_turn(begun))
    except BaseException as error:  # noqa: BLE001 - raised again by result()
        if not outcome.cancelled():
            outcome.set_exception(error)


def _report(outcome: Future[T], watch: Watch) -> None:
    seen = [-1.0]
    _start(lambda: _look(outcome, watch, seen))
    with stage(watch.name, 100) as advance:
        done = 0
        while not over(outcome, _POLL):
            # an estimate of the engine, which may go back; unknown between two of its queries
            done = max(done, min(int(seen[0]), 99))
            advance(done)


def _look(outcome: Future[T], watch: Watch, seen: list[float]) -> None:
    while not over(outcome, _POLL):
        with contextlib.suppress(Exception):  # to know less is no reason to stop
            seen[0] = watch.percent()


def _end(outcome: Future[T], watch: Watch) -> None:
    """Stop what the engine does and wait until the step gives up; another Ctrl-C ends the waiting,
    not the stopping.
    """
    if outcome.cancel():  # it has not begun, and will not: what runs is of another thread
        return
    _start(lambda: _stop(outcome, watch))
    over(outcome, None)


def _stop(outcome: Future[T], watch: Watch) -> None:
    while not over(outcome, _POLL / 2):  # again and again: it may just be between two queries
        with contextlib.suppress(Exception):
            watch.stop()
