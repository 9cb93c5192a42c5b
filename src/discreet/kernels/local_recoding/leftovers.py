"""Leftovers: a class that lacks something joins the class whose price rises least, or takes in
records of classes that have more than they need, whichever is cheaper."""

from __future__ import annotations

import numpy as np

from discreet.kernels.arrays import Bools
from discreet.kernels.compilation import njit
from discreet.kernels.local_recoding.assignment import (
    Assignment,
    drop,
    enough,
    merge,
    move,
    move_back,
    nearest,
    rise,
    shrink,
    varied,
)
from discreet.kernels.local_recoding.instance import Instance
from discreet.kernels.local_recoding.peel import Passes


def settled(at: Instance, now: Assignment, passes: Passes | None = None) -> None:
    """Join classes until none lacks anything; records that cannot be served are dropped."""
    settle(at, now, passes is None, 0)
    while passes is not None:
        lacking = _lacking(at, now, passes)
        if not lacking.any():
            return
        _join(at, now, lacking)
        settle(at, now, False, 0)


def _lacking(at: Instance, now: Assignment, passes: Passes) -> Bools:
    """The classes that fail a criterion."""
    rows = now.owner >= 0
    label, items = now.owner[rows], at.item[now.item[rows]]
    used, number = np.unique(label, return_inverse=True)
    lacking = np.zeros(len(now.size), np.bool_)
    lacking[used] = ~passes(items, now.records[rows], number.astype(np.int64), len(used))
    return lacking


@njit(cache=True, nogil=True)
def _join(at: Instance, now: Assignment, lacking: Bools) -> None:
    """Each of some classes joins the nearest, and is dropped where there is none."""
    for c in range(len(now.size)):
        if lacking[c] and now.size[c] > 0:
            other, _ = nearest(at, now, now.node[c], now.fixed[c], now.weight[c], c, np.inf, 0.0)
            if other < 0:
                drop_all(at, now, c)
            else:
                merge(at, now, c, other)
                lacking[other] = False  # it is looked at again


@njit(cache=True, nogil=True)
def drop_all(at: Instance, now: Assignment, c: int) -> None:
    """A class is given up."""
    while now.first[c] >= 0:
        drop(at, now, now.first[c])


@njit(cache=True, nogil=True)
def settle(at: Instance, now: Assignment, filling: bool, salt: int) -> None:
    """The same by counts alone, class by class, in an order that depends on the salt."""
    classes = len(now.size)
    for turn in range(classes):
        c = (turn + salt) % classes
        while now.size[c] > 0 and not enough(at, now, c):
            other, price = nearest(
                at, now, now.node[c], now.fixed[c], now.weight[c], c, np.inf, 0.0
            )
            if filling and now.size[c] < at.k and fill(at, now, c, price):
                continue
            if other < 0:
                drop_all(at, now, c)
            else:
                merge(at, now, c, other)
                c = other


@njit(cache=True, nogil=True)
def fill(at: Instance, now: Assignment, c: int, below: float) -> bool:
    """Bring a class to k with records that others can spare, if that costs less than a limit.

    Record by record what is cheapest. If it does not work out everything is put back.
    """
    moved = np.empty(at.k, np.int64)
    source = np.empty(at.k, np.int64)
    part = np.empty(at.k, np.int64)
    touched = np.empty(at.k, np.bool_)
    moves, spent = 0, 0.0
    while now.size[c] < at.k and spent < below and now.free[0] > 0:
        piece, price = cheapest_to_spare(at, now, c, below - spent)
        if piece < 0:
            break
        moved[moves], source[moves] = piece, now.owner[piece]
        touched[moves] = now.touched[source[moves]]
        count = min(now.records[piece], now.size[source[moves]] - at.k, at.k - now.size[c])
        part[moves] = move(at, now, piece, count, c)
        spent += price
        moves += 1
    if now.size[c] >= at.k and spent < below and varied(at, now, c, -1):
        return True
    for m in range(moves - 1, -1, -1):
        move_back(at, now, moved[m], part[m], source[m])
        now.touched[source[m]] = touched[m]
    shrink(at, now, c)
    return False


@njit(cache=True, nogil=True)
def cheapest_to_spare(at: Instance, now: Assignment, c: int, below: float) -> tuple[int, float]:
    """The piece of another class that has more than k whose move costs least per record."""
    best, least, price = -1, np.inf, 0.0
    for other in range(len(now.size)):
        spare = min(now.size[other] - at.k, at.k - now.size[c])
        if spare <= 0 or other == c:
            continue
        piece = now.first[other]
        while piece >= 0:
            i, count = now.item[piece], min(now.records[piece], spare)
            weight = count * at.weight[i]
            saved = weight * now.cost[other]
            limit = min(below, least * count) + saved
            found = rise(at, now, c, at.codes[i], at.fixed[i], weight, limit) - saved
            if found < least * count and (
                count < now.records[piece] or varied(at, now, other, piece)
            ):
                best, least, price = piece, found / count, found
            piece = now.after[piece]
    return best, price
