"""Leftovers: a class that lacks something joins the class whose price rises least, or takes in
records of classes that have more than they need, whichever is cheaper."""

from __future__ import annotations

import numpy as np

from discreet.kernels.arrays import Bools
from discreet.kernels.compilation import inlined, inner, njit
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
)
from discreet.kernels.local_recoding.instance import Instance, varied


@inlined
def settle(at: Instance, now: Assignment, filling: bool, salt: int) -> None:
    """Join classes until none lacks records or values, class by class, in an order that depends on
    the salt; records that cannot be served are dropped."""
    classes = len(now.classes)
    for turn in range(classes):
        c = (turn + salt) % classes
        while now.classes[c].records > 0 and not enough(at, now, c):
            c = _served(at, now, c, filling)


@njit(cache=True, nogil=True)
def join(at: Instance, now: Assignment, lacking: Bools) -> None:
    """Each of some classes joins the nearest, and is dropped where there is none."""
    for c in range(len(now.classes)):
        if lacking[c] and now.classes[c].records > 0:
            lacking[_served(at, now, c, False)] = False  # it is looked at again


@inlined
def _served(at: Instance, now: Assignment, c: int, filling: bool) -> int:
    """A class takes others in, joins another or is given up, whatever is cheapest; where its
    records are then."""
    own = now.classes[c]
    other, price = nearest(at, now, now.node, now.fixed, c, own.weight, c, np.inf, 0.0)
    if filling and own.records < at.k and fill(at, now, c, price):
        return c
    if other < 0:
        drop_all(at, now, c)
        return c
    merge(at, now, c, other)
    return other


@inner
def drop_all(at: Instance, now: Assignment, c: int) -> None:
    """A class is given up."""
    while now.classes[c].first >= 0:
        drop(at, now, now.classes[c].first)


@inner
def fill(at: Instance, now: Assignment, c: int, below: float) -> bool:
    """Bring a class to k with records that others can spare, if that costs less than a limit.

    Record by record what is cheapest. If it does not work out everything is put back.
    """
    undo = np.empty((at.k, 4), np.int64)  # piece, where it was, what stayed there, touched
    own, moves, spent = now.classes[c], 0, 0.0
    while own.records < at.k and spent < below and now.free[0] > 0:
        piece, price = cheapest_to_spare(at, now, c, below - spent)
        if piece < 0:
            break
        old = now.pieces[piece].owner
        count = min(now.pieces[piece].records, now.classes[old].records - at.k)
        undo[moves, 0], undo[moves, 1], undo[moves, 3] = piece, old, now.classes[old].touched
        undo[moves, 2] = move(at, now, piece, min(count, at.k - own.records), c)
        spent += price
        moves += 1
    if spent < below and enough(at, now, c):
        return True
    for m in range(moves - 1, -1, -1):
        move_back(at, now, undo[m, 0], undo[m, 2], undo[m, 1])
        now.classes[undo[m, 1]].touched = undo[m, 3] > 0
    shrink(at, now, c)
    return False


@inner
def cheapest_to_spare(at: Instance, now: Assignment, c: int, below: float) -> tuple[int, float]:
    """The piece of another class that has more than k whose move costs least per record."""
    best, least, price = -1, np.inf, 0.0
    for other in range(len(now.classes)):
        own = now.classes[other]
        spare = min(own.records - at.k, at.k - now.classes[c].records)
        if spare <= 0 or other == c:
            continue
        piece = own.first
        while piece >= 0:
            one = now.pieces[piece]
            count = min(one.records, spare)
            weight = count * at.items[one.of].weight
            saved = weight * own.cost
            limit = min(below, least * count) + saved
            found = rise(at, now, c, at.codes, at.fixed, one.of, weight, limit) - saved
            if found < least * count and (
                count < one.records or varied(at, now.pieces, own.first, piece)
            ):
                best, least, price = piece, found / count, found
            piece = one.after
    return best, price
