"""Turns: a connection serves one call at a time and refuses another one, so threads wait here.

What is to be dropped is dropped between two calls, never within one: garbage is collected at any
moment, also halfway through a call, and then nobody may wait.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

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
