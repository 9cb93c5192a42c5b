"""Local recoding: every record gets a cell that covers it, every cell has enough records, and the
change costs little."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import inlined, njit
from discreet.kernels.local_recoding.assignment import Assignment, assignment, move, rise
from discreet.kernels.local_recoding.instance import Instance, instance
from discreet.kernels.local_recoding.mondrian import mondrian
from discreet.kernels.local_recoding.moves import improve, join, omit, settle
from discreet.kernels.local_recoding.peel import Passes, peeled
from discreet.kernels.local_recoding.task import CellTask, Recoded, recoding

_LEAST = 1e-9  # a gain below this share of the price is rounding
_SWEEPS = 10  # of the local search after a repair
_ALL = np.array([-1])  # no neighbourhood but all classes


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
    passes: Passes | None = None,
    max_suppressed: int = 0,
    suppressed_cost: float = 1.0,
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
    passes : callable, optional
        A criterion that counts do not decide: which classes pass, by item, count and label of each
        row, and the number of classes. Two classes that pass must pass together.
    max_suppressed : int
        Most records that may be left out, where that costs less.
    suppressed_cost : float
        What it costs to leave out a record of weight 1.
    seconds : float, optional
        Search neighbourhoods so long. The answer then depends on the machine.
    """
    ends = None if seconds is None else time.monotonic() + seconds
    at, how = instance(task), EFFORTS[effort]
    if len(at.codes) == 0:
        none = np.zeros(0, np.int64)
        return _cells(task, at, assignment(at, none, none, none))
    if too_large(task):
        return mondrian(task, relaxed=True, passes=passes)
    rows = peeled(at, how.cuts, _least_to_fill(at, how), passes)
    now = assignment(at, *rows, spare=_SPARE)
    settled(at, now, passes)
    done, still = 0, False
    if passes is None:
        improved(at, now, how.sweeps)
        done, still = _rounds(at, now, how, ends)
    if max_suppressed:
        lost = int(at.counts.sum() - now.size.sum())
        omit(at, now, max(max_suppressed - lost, 0), suppressed_cost)
    return replace(_cells(task, at, now), rounds=done, settled=still)


def too_large(task: CellTask) -> bool:
    """Whether a task has too many items to search."""
    return len(task.counts) > LARGE


def _least_to_fill(at: Instance, how: _Effort) -> int:
    """From how many records on a cell may borrow while peeling.

    Where neighbourhoods are searched afterwards it is better not to borrow: they do that best.
    """
    return at.k if len(at.codes) ** 2 <= 4 * how.visits else (at.k + 1) // 2


def _rounds(at: Instance, now: Assignment, how: _Effort, ends: float | None) -> tuple[int, bool]:
    """Search the neighbourhoods of all classes; how often, and whether nothing is left to gain."""
    kept, done, since = twin(now), 0, 0
    visits = how.visits
    while since < len(_NEAR):
        centres = np.flatnonzero((now.size > 0) & (now.cost > 0))
        visits -= len(centres) * int((now.size > 0).sum())
        if ends is None and visits < 0:
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


def twin(now: Assignment) -> Assignment:
    """A copy, to go back to."""
    return Assignment(*(array.copy() for array in now))  # type: ignore[arg-type]


def settled(at: Instance, now: Assignment, passes: Passes | None = None) -> None:
    """Join classes until none lacks anything; records that cannot be served are dropped."""
    _by_counts(at, now, passes is None)
    while passes is not None:
        lacking = _lacking(at, now, passes)
        if not lacking.any():
            return
        join(at, now, lacking)
        _by_counts(at, now, False)


def _by_counts(at: Instance, now: Assignment, filling: bool) -> None:
    _search(at, now, now, _ALL, *_room(1), 0, filling, 0)


def _lacking(at: Instance, now: Assignment, passes: Passes) -> Bools:
    """The classes that fail a criterion."""
    rows = now.owner >= 0
    label, items = now.owner[rows], at.item[now.item[rows]]
    used, number = np.unique(label, return_inverse=True)
    lacking = np.zeros(len(now.classes), np.bool_)
    lacking[used] = ~passes(items, now.records[rows], number.astype(np.int64), len(used))
    return lacking


def improved(at: Instance, now: Assignment, most: int) -> bool:
    """Sweep over the classes until nothing gains, or so often; whether the last sweep gained."""
    return _search(at, now, now, _ALL, *_room(1), -1, False, most) > 0


def shaken(
    at: Instance, now: Assignment, kept: Assignment, centres: Ints, near: int, salt: int
) -> int:
    """Break up some classes, each with those nearest to it; how often the price fell.

    `kept` is a copy of `now`. `near` classes are broken up together; in which order they are put
    together depends on the salt.
    """
    return int(_search(at, now, kept, centres, *_room(near), salt, True, _SWEEPS))


def _room(near: int) -> tuple[Ints, Floats]:
    return np.zeros(near, np.int64), np.zeros(near)


@njit(cache=True, nogil=True)
def _search(
    at: Instance,
    now: Assignment,
    kept: Assignment,
    centres: Ints,
    near: Ints,
    more: Floats,
    salt: int,
    filling: bool,
    sweeps: int,
) -> int:
    """All that changes an assignment, in one kernel: what it calls is compiled once.

    Per centre: break up its neighbourhood (not with centre -1), settle (not with salt -1), sweep.
    Return how often that lowered the price.
    """
    gains = 0
    for c in centres:
        if c >= 0:
            if now.classes[c].records == 0 or now.classes[c].cost == 0:
                continue
            _copy(now, kept)
            _find_neighbours(at, now, c, near, more)
            _break_up(at, now, near)
        if salt >= 0:
            settle(at, now, filling, (max(c, 0) * 31 + salt) % len(now.classes))
        gained = False
        for _ in range(sweeps):
            gained = improve(at, now)
            if not gained:
                break
        if c >= 0:
            gained = _price(now) < _price(kept) * (1 - _LEAST) and _served(now) == _served(kept)
            if not gained:
                _copy(kept, now)
        gains += gained
    return gains


@inlined
def _price(now: Assignment) -> float:
    """The price of all classes, with what the items cost as they are."""
    total = 0.0
    for c in range(len(now.classes)):
        total += now.classes[c].weight * now.classes[c].cost
    return total


@inlined
def _served(now: Assignment) -> int:
    """How many records are in a class."""
    total = 0
    for c in range(len(now.classes)):
        total += now.classes[c].records
    return total


@inlined
def _find_neighbours(at: Instance, now: Assignment, c: int, near: Ints, more: Floats) -> None:
    """A class and those that cost something and would cost least more together with it, as many as
    there is room for; -1 where there are fewer."""
    last = len(near) - 1
    for place in range(len(near)):
        near[place], more[place] = -1, np.inf
    near[0], more[0] = c, -1.0
    for other in range(len(now.classes)):
        own = now.classes[other]
        if own.records > 0 and own.cost > 0 and other != c:
            weight = now.classes[c].weight
            new = rise(at, now, other, now.node, now.fixed, c, weight, more[last])
            place = last
            while new < more[place]:  # never before the class itself
                if place < last:
                    near[place + 1], more[place + 1] = near[place], more[place]
                near[place], more[place] = other, new
                place -= 1


@inlined
def _break_up(at: Instance, now: Assignment, classes: Ints) -> None:
    """Every piece of some classes becomes a class of its own, as far as there is room."""
    empty = 0
    for c in classes:
        while c >= 0 and now.classes[c].first >= 0:
            piece = now.classes[c].first
            if now.pieces[piece].after < 0:
                break
            while empty < len(now.classes) and now.classes[empty].first >= 0:
                empty += 1
            if empty == len(now.classes):
                return
            move(at, now, piece, now.pieces[piece].records, empty)


@inlined
def _copy(source: Assignment, target: Assignment) -> None:
    for piece in range(len(source.pieces)):
        target.pieces[piece] = source.pieces[piece]
        target.free[piece] = source.free[piece]
    target.free[-1] = source.free[-1]
    for c in range(len(source.classes)):
        target.classes[c] = source.classes[c]
        for a in range(source.node.shape[1]):
            target.node[c, a] = source.node[c, a]
            target.fixed[c, a] = source.fixed[c, a]
    for node in range(len(source.shelves)):
        target.shelves[node] = source.shelves[node]
