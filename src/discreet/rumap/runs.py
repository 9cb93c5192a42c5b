"""Running maskings side by side: each is made, measured, and let go when others beat it."""

from __future__ import annotations

import contextvars
import functools
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import Any

from discreet.data.microdata import Microdata
from discreet.errors import DiscreetError, Problem, fail
from discreet.loss.score import score
from discreet.progress import Progress, on_progress, stage
from discreet.rumap.axes import NOT_APPLICABLE, MapAxis, guarded
from discreet.rumap.point import Point, frontier

MOST_WORKERS = 2  # the engine serves one at a time: more would wait for it


@dataclass(frozen=True, eq=False)
class Masking:
    """What is to be put on the map: how to make it, and what it is called."""

    label: str
    method: str
    parameters: dict[str, Any]
    make: Callable[[Microdata], Any]
    given: bool = False  # made already
    ours: bool = True  # else a function of the user


@dataclass(frozen=True, eq=False)
class Axes:
    """What is masked, and what is measured: against ``initial``, the first file."""

    data: Microdata
    initial: Microdata
    risk: MapAxis
    loss: MapAxis
    with_score: bool
    on: str | None


def run(maskings: Sequence[Masking], axes: Axes, workers: int | None) -> list[Point]:
    """The points of the maskings, in their order, whichever was ready first."""
    at_once = min(workers or min(MOST_WORKERS, os.cpu_count() or 1), len(maskings))
    found: dict[int, Point] = {}
    ended = threading.Event()
    outside = contextvars.copy_context()  # taken before the stage: what runs inside can be ended

    with ThreadPoolExecutor(at_once) as pool, stage("masking and measuring", len(maskings)) as tell:
        jobs: dict[Future[Point], int] = {
            pool.submit(outside.copy().run, _watched_point, masking, axes, ended): i
            for i, masking in enumerate(maskings)
        }
        try:
            for job in as_completed(jobs):
                found[jobs[job]] = job.result()
                _let_go(found, maskings, axes.data)
                tell(len(found))
        except BaseException:
            ended.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[i] for i in range(len(maskings))]


def _watched_point(masking: Masking, axes: Axes, ended: threading.Event) -> Point:
    """A point, given up at its next sign of progress once the map was ended."""

    def go_on(_: Progress) -> None:
        if ended.is_set():
            raise KeyboardInterrupt

    with on_progress(go_on):
        return point_of(masking, axes)


def point_of(masking: Masking, axes: Axes) -> Point:
    """Make a masking and measure it; what goes wrong becomes the problem of its point."""
    lower = axes.risk.lower_is_better, axes.loss.lower_is_better
    known = (masking.label, masking.method, masking.parameters)
    point = functools.partial(Point, *known, lower_is_better=lower)
    started, seconds = time.perf_counter(), 0.0
    try:
        masked = _made(masking, axes.data)
        seconds = 0.0 if masking.given else time.perf_counter() - started
        risk, no_risk = _figure(axes.risk, axes, masked)
        loss, no_loss = _figure(axes.loss, axes, masked)
        parts = _parts(axes, masked) if axes.with_score else {}
    except DiscreetError as error:
        return point(seconds=seconds, problem=error.problems[0])
    problem = no_risk or no_loss
    return point(risk, loss, masked.n, seconds, parts, problem, make=lambda: masked)


def _figure(
    measure: MapAxis, axes: Axes, masked: Microdata
) -> tuple[float, None] | tuple[None, Problem]:
    """The figure of a masked file, or why the measure does not apply to it."""
    try:
        return measure(axes.initial, masked, axes.on), None
    except DiscreetError as error:
        if error.code not in NOT_APPLICABLE:
            raise
        return None, error.problems[0]


def require_axes(points: Sequence[Point], axes: Axes) -> None:
    """Refuse an axis that applies to no masking that was made: there would be nothing to see."""
    made = [point for point in points if point.make is not None]
    for name, measure in (("risk", axes.risk), ("loss", axes.loss)):
        absent = [point for point in made if getattr(point, name) is None]
        if made and len(absent) == len(made):
            problem = absent[0].problem
            assert problem is not None
            what = f"{measure.name} applies to none of the maskings. The first: {problem.what}"
            fail("N50", what, problem.remedy)


def _made(masking: Masking, data: Microdata) -> Microdata:
    if masking.ours:
        made = masking.make(data)
    else:
        made = guarded(lambda: masking.make(data), f"the function for {masking.label!r}")
    if not isinstance(made, Microdata):
        what = f"the function for {masking.label!r} gives no masked microdata."
        fail("P53", what, "Let it return what ds.microaggregate, ds.sample, … return.")
    return made


def _let_go(found: dict[int, Point], maskings: Sequence[Masking], data: Microdata) -> None:
    """Keep the files on the frontier only; another one can be made anew when it is asked for."""
    best = set(map(id, frontier(list(found.values()))))
    for i, point in found.items():
        if not (point.make is None or maskings[i].given or id(point) in best):
            found[i] = replace(point, make=functools.partial(_made, maskings[i], data))


def _parts(axes: Axes, masked: Microdata) -> dict[str, float]:
    """The parts of the score; none where it does not apply."""
    try:
        found = score(axes.initial, masked, on=axes.on)
    except DiscreetError as error:
        if error.code == "N07":
            return {}
        raise
    names = ("information_loss", "disclosure_risk", "record_linkage", "interval_disclosure")
    return {"score": found.value, **{name: getattr(found, name) for name in names}}
