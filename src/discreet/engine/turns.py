"""Turns: a connection serves one call at a time and refuses another one, so threads wait here, and
the main thread watches meanwhile.

What is to be dropped is dropped between two calls, never within one: garbage is collected at any
moment, also halfway through a call, and then nobody may wait.
"""

from __future__ import annotations

import contextlib
import contextvars
import itertools
import os
import secrets
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from discreet.progress import is_heard, over, stage

if TYPE_CHECKING:
    import ibis.expr.types as ir

T = TypeVar("T")

_turn = threading.RLock()
_running = 0  # calls of the thread whose turn it is, one within the other
_dropped: deque[Callable[[], object]] = deque()
_counter = itertools.count()
_token = secrets.token_hex(4)  # two machines may have a process of one number


def in_turn(step: Callable[[], T]) -> T:
    """Run a step when it is this thread's turn."""
    global _running  # noqa: PLW0603 - guarded by the lock
    with _turn:
        _running += 1
        try:
            return step()
        finally:
            _running -= 1
            _drop()


def is_our_turn() -> bool:
    """Whether this thread is within a call: then no other thread gets a turn before it ends."""
    if not _turn.acquire(blocking=False):
        return False
    try:
        return _running > 0
    finally:
        _turn.release()


def between_turns(release: Callable[[], object]) -> None:
    """Run a release now if no call is running, else after it; never wait.

    One that gives False could not be done yet, and is tried again after the next call.
    """
    _dropped.append(release)
    if _turn.acquire(blocking=False):
        try:
            _drop()
        finally:
            _turn.release()


def _drop() -> None:
    waiting = []
    while not _running and _dropped:
        release = _dropped.popleft()
        # the engine may have been stopped or disconnected: then it holds nothing any more
        with contextlib.suppress(Exception):
            if release() is False:
                waiting.append(release)
    _dropped.extend(waiting)


# -- Lifetimes -------------------------------------------------------------------------------------
#
# Tables that the engine holds for us have names of ours, and go when nothing refers to them any
# more.


def fresh_name() -> str:
    """A name for a table that no other table has."""
    return f"discreet_{os.getpid()}_{_token}_{next(_counter)}"


def when_unused(
    table: ir.Table, release: Callable[[], object], *, outlives_us: bool = False
) -> None:
    """Release what the engine holds once no expression refers to it any more; when this process
    ends only what would outlive it.
    """
    weakref.finalize(table.op(), _released, release).atexit = outlives_us


def _released(release: Callable[[], object]) -> None:
    if not sys.is_finalizing():
        between_turns(release)


# -- Waiting for an engine -------------------------------------------------------------------------
#
# It works in another thread while this one reports its progress, and can be stopped at any moment
# by Ctrl-C or by the callback of the progress.
#
# Only the main thread waits like this, which hears of Ctrl-C, or one with a callback. While it
# waits it asks the engine nothing by itself: Ctrl-C halfway through a question would upset the
# connection. A short step says nothing.


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
