"""Local recoding: every record gets a cell that covers it, every cell has enough records, and the
change costs little."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from discreet.kernels.local_recoding.assignment import Assignment, assignment
from discreet.kernels.local_recoding.instance import Instance, instance
from discreet.kernels.local_recoding.mondrian import mondrian
from discreet.kernels.local_recoding.moves import omit
from discreet.kernels.local_recoding.peel import Passes, peeled
from discreet.kernels.local_recoding.recoding import Recoded, full_price, recoding
from discreet.kernels.local_recoding.shake import improved, settled, shaken, twin
from discreet.kernels.local_recoding.task import Cells, CellTask


@dataclass(frozen=True)
class _Effort:
    """How long to search."""

    cuts: int  # that the peel tries
    sweeps: int  # of the local search
    visits: int  # of classes while neighbourhoods are broken up; only whole rounds are made


EFFORTS = {"quick": _Effort(5_000, 0, 70_000), "default": _Effort(20_000, 100, 1_000_000)}
LARGE = 200_000  # items
_SPARE = 256  # classes for what is broken up
_NEAR = (2, 3, 4, 5, 6, 7, 8, 9)  # classes that are broken up together, round by round
_AT_ONCE = 8  # neighbourhoods between two looks at the clock


def recoded(
    task: CellTask,
    effort: str = "default",
    *,
    start: Cells | None = None,
    passes: Passes | None = None,
    max_suppressed: int = 0,
    suppressed_cost: float = 1.0,
    rounds: int | None = None,
    seconds: float | None = None,
) -> Recoded:
    """Give every record of a task to a cell.

    A task of more than `LARGE` items is left to relaxed Mondrian: the search takes time with the
    square of the items.

    Parameters
    ----------
    task : CellTask
    effort : {"quick", "default"}
        How long to search.
    start : Cells, optional
        An answer that is known. What is returned never costs more.
    passes : callable, optional
        A criterion that counts do not decide: which classes pass, by item, count and label of each
        row, and the number of classes. Two classes that pass must pass together.
    max_suppressed : int
        Most records that may be left out, where that costs less.
    suppressed_cost : float
        What it costs to leave out a record of weight 1.
    rounds : int, optional
        How often every neighbourhood is searched, instead of what the effort says.
    seconds : float, optional
        Search neighbourhoods so long. The answer then depends on the machine.
    """
    ends = None if seconds is None else time.monotonic() + seconds
    at, how = instance(task), EFFORTS[effort]
    if len(at.codes) == 0:
        none = np.zeros(0, np.int64)
        return _cells(task, at, assignment(at, none, none, none))
    if too_large(task):
        found = mondrian(task, relaxed=True, passes=passes)
        return found if start is None else _better(task, found, start, suppressed_cost)
    rows = peeled(at, how.cuts, _least_to_fill(at, how), passes)
    now = assignment(at, *rows, spare=_SPARE)
    settled(at, now, passes)
    done, still = 0, False
    if passes is None:
        improved(at, now, how.sweeps)
        done, still = _rounds(at, now, how, rounds, ends)
    if max_suppressed:
        lost = int(at.counts.sum() - now.size.sum())
        omit(at, now, max(max_suppressed - lost, 0), suppressed_cost)
    found = replace(_cells(task, at, now), rounds=done, settled=still)
    return found if start is None else _better(task, found, start, suppressed_cost)


def too_large(task: CellTask) -> bool:
    """Whether a task has too many items to search."""
    return len(task.counts) > LARGE


def _least_to_fill(at: Instance, how: _Effort) -> int:
    """From how many records on a cell may borrow while peeling.

    Where neighbourhoods are searched afterwards it is better not to borrow: they do that best.
    """
    return at.k if len(at.codes) ** 2 <= 4 * how.visits else (at.k + 1) // 2


def _rounds(
    at: Instance, now: Assignment, how: _Effort, rounds: int | None, ends: float | None
) -> tuple[int, bool]:
    """Search the neighbourhoods of all classes; how often, and whether nothing is left to gain."""
    kept, done, since = twin(now), 0, 0
    visits = how.visits
    while since < len(_NEAR):
        centres = np.flatnonzero((now.size > 0) & (now.cost > 0))
        visits -= len(centres) * int((now.size > 0).sum())
        if rounds is None and ends is None and visits < 0:
            return done, False
        if rounds is not None and done >= rounds:
            return done, False
        gains = 0
        for part in range(0, len(centres), _AT_ONCE):
            if ends is not None and time.monotonic() > ends:
                return done, False
            some = centres[part : part + _AT_ONCE]
            gains += shaken(at, now, kept, some, _NEAR[done % len(_NEAR)], done * 7919)
        done, since = done + 1, 0 if gains else since + 1
    return done, True


def _cells(task: CellTask, at: Instance, now: Assignment) -> Recoded:
    """The cells of an assignment."""
    rows, some = now.owner >= 0, now.size > 0
    label = (np.cumsum(some) - 1)[now.owner[rows]]
    return recoding(task, at, now.item[rows], now.records[rows], label, now.node[some])


def _better(task: CellTask, found: Recoded, start: Cells, suppressed_cost: float) -> Recoded:
    """The cheaper answer."""
    served = np.bincount(start.item, start.count, len(task.counts)).astype(np.int64)
    other = Recoded(start.item, start.node, start.count, task.counts - served)
    prices = [full_price(task, cells, cells.left, suppressed_cost) for cells in (found, other)]
    return other if prices[1] < prices[0] else found
