"""Local search: pieces go from class to class as long as the price falls.

- *move*: records go to a class that takes them more cheaply, as long as enough stay;
- *borrow*: a piece that makes its class dear leaves, and records that others can spare fill in;
- *dissolve*: all pieces of a class go to others.

Every step is tried, and taken back unless the price has fallen.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.compilation import njit
from discreet.kernels.local_recoding.assignment import (
    Assignment,
    move,
    nearest,
    varied,
)
from discreet.kernels.local_recoding.instance import Instance, common
from discreet.kernels.local_recoding.leftovers import fill

_LEAST = 1e-9  # a gain below this share of the price of a class is rounding


def improved(at: Instance, now: Assignment, most: int) -> None:
    """Sweep over the classes until nothing gains, or so often."""
    for _ in range(most):
        if not improve(at, now):
            return


@njit(cache=True, nogil=True)
def improve(at: Instance, now: Assignment) -> bool:
    """Try every class that changed since it was last tried; whether the price fell."""
    gained, lightest = False, at.k * at.weight.min()
    due = now.touched.copy()
    now.touched[:] = False
    for c in range(len(now.size)):
        if due[c] and now.cost[c] > 0 and now.size[c] > 0:
            moved = _move(at, now, c, lightest)
            moved |= _borrow(at, now, c, lightest)
            moved |= _dissolve(at, now, c, lightest)
            now.touched[c] = moved
            gained |= moved
    return gained


@njit(cache=True, nogil=True)
def _move(at: Instance, now: Assignment, c: int, lightest: float) -> bool:
    """Move pieces, or what can be spared of them, to other classes."""
    moved = False
    piece = now.first[c]
    while piece >= 0 and now.size[c] > at.k and now.free[0] > 0:
        following = now.after[piece]
        i, count = now.item[piece], min(now.records[piece], now.size[c] - at.k)
        weight = count * at.weight[i]
        limit = weight * now.cost[c] * (1 - _LEAST)
        if count == now.records[piece]:
            whole = saved(at, now, c, piece) * (1 - _LEAST)
            limit = whole if varied(at, now, c, piece) else 0.0
        other, _ = nearest(at, now, at.codes[i], at.fixed[i], weight, c, limit, lightest)
        if other >= 0:
            move(at, now, piece, count, other)
            moved = True
        piece = following
    return moved


@njit(cache=True, nogil=True)
def saved(at: Instance, now: Assignment, c: int, piece: int) -> float:
    """By how much the price of a class falls when a piece leaves it."""
    rest = now.weight[c] - now.records[piece] * at.weight[now.item[piece]]
    return now.weight[c] * now.cost[c] - rest * _cost_without(at, now, c, piece)


@njit(cache=True, nogil=True)
def _cost_without(at: Instance, now: Assignment, c: int, without: int) -> float:
    """What a class costs when one of its pieces has left."""
    total = 0.0
    for a in range(at.codes.shape[1]):
        node = -1
        piece = now.first[c]
        while piece >= 0:
            if piece != without:
                code = at.codes[now.item[piece], a]
                node = code if node < 0 else common(node, code, at.parent, at.depth)
                if node == now.node[c, a]:
                    break
            piece = now.after[piece]
        if node >= 0:
            total += at.cost[node]
    return total


@njit(cache=True, nogil=True)
def _borrow(at: Instance, now: Assignment, c: int, lightest: float) -> bool:
    """Send a piece away and fill in with records that other classes can spare."""
    moved = False
    piece = now.first[c]
    while piece >= 0 and now.free[0] > at.k:
        following = now.after[piece]
        i, count = now.item[piece], now.records[piece]
        if count < now.size[c] < at.k + count and _cost_without(at, now, c, piece) < now.cost[c]:
            weight, limit = count * at.weight[i], saved(at, now, c, piece) * (1 - _LEAST)
            other, price = nearest(at, now, at.codes[i], at.fixed[i], weight, c, limit, lightest)
            if other >= 0:
                touched = now.touched[other]
                move(at, now, piece, count, other)
                if fill(at, now, c, limit - price):
                    moved = True
                else:
                    move(at, now, piece, count, c)
                    now.touched[other] = touched
        piece = following
    return moved


@njit(cache=True, nogil=True)
def _dissolve(at: Instance, now: Assignment, c: int, lightest: float) -> bool:
    """Send every piece to another class."""
    limit = now.weight[c] * now.cost[c] * (1 - _LEAST)
    moved = np.empty(now.size[c], np.int64)
    touched = np.empty(now.size[c], np.bool_)
    moves, spent = 0, 0.0
    while now.first[c] >= 0:
        piece = now.first[c]
        i = now.item[piece]
        weight = now.records[piece] * at.weight[i]
        other, price = nearest(
            at, now, at.codes[i], at.fixed[i], weight, c, limit - spent, lightest
        )
        if other < 0:
            break
        moved[moves], touched[moves] = piece, now.touched[other]
        move(at, now, piece, now.records[piece], other)
        moves += 1
        spent += price
    if now.first[c] < 0:
        return True
    for m in range(moves - 1, -1, -1):
        other = now.owner[moved[m]]
        move(at, now, moved[m], now.records[moved[m]], c)
        now.touched[other] = touched[m]
    return False
