"""Local search: pieces go from class to class as long as the price falls.

- *move*: records go to a class that takes them more cheaply, as long as enough stay;
- *borrow*: a piece that makes its class dear leaves, and records that others can spare fill in;
- *dissolve*: all pieces of a class go to others.

Every step is tried, and taken back unless the price has fallen. At the end some records may be left
out, where that lowers the price most.
"""

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
from discreet.kernels.local_recoding.instance import Instance, common, varied

_LEAST = 1e-9  # a gain below this share of the price of a class is rounding


@inlined
def improve(at: Instance, now: Assignment) -> bool:
    """Try every class that changed since it was last tried; whether the price fell."""
    gained, least = False, np.inf
    for i in range(len(at.items)):
        least = min(least, at.items[i].weight)
    for c in range(len(now.classes)):
        now.classes[c].due = now.classes[c].touched
        now.classes[c].touched = False
    for c in range(len(now.classes)):
        own = now.classes[c]
        if own.due and own.cost > 0 and own.records > 0:
            moved = _move(at, now, c, at.k * least)
            moved |= _borrow(at, now, c, at.k * least)
            moved |= _dissolve(at, now, c, at.k * least)
            own.touched = moved
            gained |= moved
    return gained


@inlined
def _move(at: Instance, now: Assignment, c: int, lightest: float) -> bool:
    """Move pieces, or what can be spared of them, to other classes."""
    moved, own = False, now.classes[c]
    piece = own.first
    while piece >= 0 and own.records > at.k and now.free[0] > 0:
        one = now.pieces[piece]
        following, count = one.after, min(one.records, own.records - at.k)
        weight = count * at.items[one.of].weight
        limit = weight * own.cost * (1 - _LEAST)
        if count == one.records:
            whole = _saved(at, now, c, piece) * (1 - _LEAST)
            limit = whole if varied(at, now.pieces, own.first, piece) else 0.0
        other, _ = _place(at, now, piece, count, limit, lightest)
        if other >= 0:
            move(at, now, piece, count, other)
            moved = True
        piece = following
    return moved


@inner
def _place(
    at: Instance, now: Assignment, piece: int, count: int, limit: float, lightest: float
) -> tuple[int, float]:
    """The class that takes so many records of a piece most cheaply, if for less than a limit."""
    one = now.pieces[piece]
    weight = count * at.items[one.of].weight
    return nearest(at, now, at.codes, at.fixed, one.of, weight, one.owner, limit, lightest)


@inner
def _saved(at: Instance, now: Assignment, c: int, piece: int) -> float:
    """By how much the price of a class falls when a piece leaves it."""
    own, one = now.classes[c], now.pieces[piece]
    rest = own.weight - one.records * at.items[one.of].weight
    return own.weight * own.cost - rest * _cost_without(at, now, c, piece)


@inner
def _cost_without(at: Instance, now: Assignment, c: int, without: int) -> float:
    """What a class costs when one of its pieces has left."""
    total = 0.0
    for a in range(at.codes.shape[1]):
        node = -1
        piece = now.classes[c].first
        while piece >= 0:
            if piece != without:
                code = at.codes[now.pieces[piece].of, a]
                node = code if node < 0 else common(node, code, at.tree)
                if node == now.node[c, a]:
                    break
            piece = now.pieces[piece].after
        if node >= 0:
            total += at.tree[node].cost
    return total


@inlined
def _borrow(at: Instance, now: Assignment, c: int, lightest: float) -> bool:
    """Send a piece away and fill in with records that other classes can spare."""
    moved, own = False, now.classes[c]
    piece = own.first
    while piece >= 0 and now.free[0] > at.k:
        following, count = now.pieces[piece].after, now.pieces[piece].records
        if count < own.records < at.k + count and _cost_without(at, now, c, piece) < own.cost:
            limit = _saved(at, now, c, piece) * (1 - _LEAST)
            other, price = _place(at, now, piece, count, limit, lightest)
            if other >= 0:
                touched = now.classes[other].touched
                move(at, now, piece, count, other)
                if fill(at, now, c, limit - price):
                    moved = True
                else:
                    move(at, now, piece, count, c)
                    now.classes[other].touched = touched
        piece = following
    return moved


@inlined
def _dissolve(at: Instance, now: Assignment, c: int, lightest: float) -> bool:
    """Send every piece to another class."""
    own = now.classes[c]
    limit = own.weight * own.cost * (1 - _LEAST)
    moved = np.empty((own.records, 2), np.int64)  # piece, whether its new class was touched
    moves, spent = 0, 0.0
    while own.first >= 0:
        piece = own.first
        records = now.pieces[piece].records
        other, price = _place(at, now, piece, records, limit - spent, lightest)
        if other < 0:
            break
        moved[moves, 0], moved[moves, 1] = piece, now.classes[other].touched
        move(at, now, piece, records, other)
        moves += 1
        spent += price
    if own.first < 0:
        return True
    for m in range(moves - 1, -1, -1):
        piece = moved[m, 0]
        other = now.pieces[piece].owner
        move(at, now, piece, now.pieces[piece].records, c)
        now.classes[other].touched = moved[m, 1] > 0
    return False


@njit(cache=True, nogil=True)
def omit(at: Instance, now: Assignment, most: int, cost: float) -> None:
    """Leave out at most so many records, each at a cost times its weight.

    Step by step the piece, of a class that has enough without it, or the whole class that saves
    most per record, as long as it saves anything.
    """
    while most > 0:
        best, of_class, most_saved = -1, -1, 1e-12
        for c in range(len(now.classes)):
            own = now.classes[c]
            whole, piece = own.weight * own.cost, own.first
            while piece >= 0:
                one = now.pieces[piece]
                paid = one.records * at.items[one.of].weight * (cost + _own_cost(at, one.of))
                whole -= paid
                enough = one.records <= most and own.records - one.records >= at.k
                if enough and varied(at, now.pieces, own.first, piece):
                    each = (_saved(at, now, c, piece) - paid) / one.records
                    if each > most_saved:
                        best, of_class, most_saved = piece, c, each
                piece = one.after
            if 0 < own.records <= most and whole / own.records > most_saved:
                best, of_class, most_saved = -1, c, whole / own.records
        if of_class < 0:
            return
        if best >= 0:
            most -= now.pieces[best].records
            drop(at, now, best)
        else:
            most -= now.classes[of_class].records
            drop_all(at, now, of_class)


@inner
def _own_cost(at: Instance, i: int) -> float:
    """What an item costs as it is."""
    total = 0.0
    for a in range(at.codes.shape[1]):
        total += at.tree[at.codes[i, a]].cost
    return total


# -- Leftovers -------------------------------------------------------------------------------------
#
# A class that lacks something joins the class whose price rises least, or takes in records of
# classes that have more than they need, whichever is cheaper.


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
