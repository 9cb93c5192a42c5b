"""Progress of long work: a bar in a terminal or notebook after two seconds, or a callback; and a
clean stop.

    with ds.on_progress(lambda p: print(p.stage, p.done, p.total)):
        ds.microaggregate(survey, k=5)

Work reports the name of its stage and how much of it is done, never a value. Stages within a stage
are silent. An exception that the callback raises ends the work, as Ctrl-C does.
"""

from __future__ import annotations

import contextlib
import contextvars
import html
import importlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.errors import fail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Watch = NDArray[np.int64]

_T = TypeVar("_T")
_PATIENCE = 2.0  # seconds before a bar appears
_POLL = 0.1  # seconds between two looks at a running kernel
_UNNOTICED = 1.0  # seconds of compiling that nobody has to be told of
COMPILING = "compiling kernels"


@dataclass(frozen=True)
class Progress:
    """How far a stage of the work is.

    Attributes
    ----------
    stage : str
        What is done: "grouping similar records".
    done : int
        How much of it is done.
    total : int or None
        How much there is; None where that is not known.
    seconds : float
        How long it has taken so far.

    Examples
    --------
    >>> import discreet as ds
    >>> seen = []
    >>> with ds.on_progress(seen.append):
    ...     _ = ds.microaggregate(ds.read({"age": [8, 10, 19, 23]}, keys=["age"]), k=2)
    >>> (seen[-1].stage, seen[-1].done, seen[-1].total), seen[-1].seconds >= 0
    (('grouping similar records', 4, 4), True)
    """

    stage: str
    done: int
    total: int | None
    seconds: float


Listener = Callable[[Progress], None]
_listener: contextvars.ContextVar[Listener | None] = contextvars.ContextVar(
    "listener", default=None
)
_within: contextvars.ContextVar[bool] = contextvars.ContextVar("within", default=False)


@contextlib.contextmanager
def on_progress(callback: Listener) -> Iterator[None]:
    """Call a function with the progress of whatever runs inside, instead of drawing a bar.

    Parameters
    ----------
    callback
        Called with a :class:`Progress`. An exception that it raises ends the work.

    Examples
    --------
    >>> import discreet as ds
    >>> seen = []
    >>> with ds.on_progress(seen.append):
    ...     _ = ds.microaggregate(ds.read({"age": [8, 10, 19, 23]}, keys=["age"]), k=2)
    >>> seen[-1].stage, seen[-1].done, seen[-1].total
    ('grouping similar records', 4, 4)
    """
    if not callable(callback):
        fail("P09", "the callback of on_progress is not a function.", "Give one of one argument.")
    token = _listener.set(callback)
    try:
        yield
    finally:
        _listener.reset(token)


def is_heard() -> bool:
    """Whether a callback hears of progress, and may end the work."""
    return _listener.get() is not None


@contextlib.contextmanager
def stage(name: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A stage of the work; call what it yields with how much is done."""
    if _within.get():
        yield _silent
        return
    token, start = _within.set(True), time.monotonic()
    heard = _listener.get()
    bar = _Bar() if heard is None else None
    tell = heard or bar
    assert tell is not None
    try:
        yield lambda done: tell(Progress(name, done, total, time.monotonic() - start))
        if total is not None:
            tell(Progress(name, total, total, time.monotonic() - start))
    finally:
        _within.reset(token)
        if bar is not None:
            bar.close()


def _silent(_done: int) -> None:
    """A stage within a stage says nothing."""


def watched(name: str, total: int, work: Callable[[Watch], _T]) -> _T:
    """Run a compiled loop that counts what it has done in ``watch[0]`` and ends early when
    ``watch[1]`` is set, so that it can be watched, and stopped by Ctrl-C, from here.
    """
    import numpy as np

    watch = np.zeros(2, np.int64)
    outcome: Future[_T] = Future()

    def run() -> None:
        if not outcome.set_running_or_notify_cancel():
            return
        try:
            outcome.set_result(work(watch))
        except BaseException as error:  # noqa: BLE001 - raised again by result(), below
            outcome.set_exception(error)

    with stage(name, total) as advance:
        context = contextvars.copy_context()
        worker = threading.Thread(target=context.run, args=(run,), daemon=True)
        try:
            worker.start()
            while not over(outcome, _POLL):
                advance(int(watch[0]))
            advance(int(watch[0]))
        finally:
            watch[1] = 1
            if not outcome.cancel():
                over(outcome, None)
        return outcome.result()


def over(outcome: Future[_T], seconds: float | None) -> bool:
    """Wait for the outcome of another thread, and say whether it is there.

    Not by joining the thread: a thread whose joining was interrupted counts as ended, although
    it goes on.
    """
    return bool(wait([outcome], seconds).done)


@dataclass
class _Compiling:
    """Since when kernels are compiled in this process, and whether that was said."""

    since: float | None = None
    said: bool = False


_compiling = _Compiling()


def compiled(done: int, *, kept: bool) -> None:
    """Say that kernels are being compiled, which takes some seconds when they are first used:
    ``done`` are compiled, and are ``kept`` for the next time or not.
    """
    now = time.monotonic()
    _compiling.since = now if _compiling.since is None else _compiling.since
    seconds = now - _compiling.since
    heard = _listener.get()
    if heard is not None:
        heard(Progress(COMPILING, done, None, seconds))
    elif seconds >= _UNNOTICED and not _compiling.said:
        _compiling.said = True
        sys.stderr.write(f"{compilation_note(kept)}\n")
        sys.stderr.flush()


def compilation_note(kept: bool) -> str:
    """What is said while kernels are compiled."""
    if kept:
        return "Compiling kernels. This takes some seconds, on first use only."
    return (
        "Compiling kernels. This takes some seconds on every run, because there is no folder to "
        "keep them in. Name one in the environment variable NUMBA_CACHE_DIR."
    )


def _is_notebook() -> bool:
    """Whether this process serves a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")


class _Bar:
    """A bar in a terminal or notebook, drawn once the work has taken a while."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, progress: Progress) -> None:
        if progress.seconds < _PATIENCE:
            return
        if _is_notebook():
            self._show(progress)
        elif sys.stderr.isatty():
            self._draw(progress)

    def _draw(self, progress: Progress) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(progress.stage, total=progress.total)
        self._bar.update(self._task, completed=progress.done)

    def _show(self, progress: Progress) -> None:
        """Draw in a notebook: one line of HTML that is replaced by the next."""
        display = importlib.import_module("IPython.display")
        far = f' value="{progress.done}" max="{progress.total}"' if progress.total else ""
        line = f"{html.escape(progress.stage)} <progress{far}></progress> {progress.seconds:.0f} s"
        if self._bar is None:
            self._bar = display.display(display.HTML(line), display_id=True)
        else:
            self._bar.update(display.HTML(line))

    def close(self) -> None:
        if self._bar is None:
            return
        if self._task is None:  # in a notebook
            self._bar.update(importlib.import_module("IPython.display").HTML(""))
        else:
            self._bar.stop()
