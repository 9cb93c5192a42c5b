"""Which records are in which class, for kernels that change it step by step.

A *piece* is some records of one item in one class; an item may have several. The pieces of a class
are a chain. A class shows the closure of its pieces. The price in all is Σ weight · cost over the
classes, less what the items cost as they are, which nothing can change.

Classes stand on shelves by the node of the first key, so that a search passes by most of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.local_recoding.instance import Instance, Nodes, among, closures, common


class Assignment(NamedTuple):
    """Pieces and classes; all arrays are changed in place.

    `free` holds the number of unused pieces and then these, with room for all. A class without
    pieces has size 0.
    """

    item: Ints
    records: Ints
    owner: Ints  # the class of a piece, -1 if unused
    after: Ints
    before: Ints
    free: Ints
    first: Ints  # per class
    size: Ints
    weight: Floats
    cost: Floats
    node: Nodes  # classes × keys
    fixed: Bools  # classes × keys: whether a piece must keep its node
    touched: Bools  # whether it changed since it was last looked at
    shelf: Ints  # the node under which a class is filed, -1 if it is empty
    shelf_first: Ints  # per node
    shelf_after: Ints  # per class
    shelf_before: Ints


def assignment(at: Instance, item: Ints, count: Ints, label: Ints, spare: int = 0) -> Assignment:
    """Lay pieces out: rows of item and count with the class of each, and spare classes."""
    classes = int(label.max(initial=-1)) + 1 + spare
    keys, room = at.codes.shape[1], len(item) + len(at.codes) + 64
    none = np.full(room, -1, np.int64)
    made = Assignment(
        none,
        none.copy(),
        none.copy(),
        none.copy(),
        none.copy(),
        np.concatenate([[room - len(item)], np.arange(room - 1, -1, -1)]),
        np.full(classes, -1, np.int64),
        np.zeros(classes, np.int64),
        np.zeros(classes),
        np.zeros(classes),
        closures(label, classes, np.ascontiguousarray(at.codes[item]), at.parent, at.depth),
        np.zeros((classes, keys), np.bool_),
        np.ones(classes, np.bool_),
        np.full(classes, -1, np.int64),
        np.full(len(at.parent), -1, np.int64),
        np.full(classes, -1, np.int64),
        np.full(classes, -1, np.int64),
    )
    made.item[: len(item)], made.records[: len(item)] = item, count
    _chain(at, made, label)
    made.cost[:] = np.where(made.size > 0, at.cost[made.node].sum(axis=1), 0.0)
    return made


@njit(cache=True, nogil=True)
def _chain(at: Instance, now: Assignment, label: Ints) -> None:
    for piece in range(len(label) - 1, -1, -1):
        _enter(at, now, piece, label[piece])
    for c in range(len(now.size) - 1, -1, -1):
        _file(now, c)


@njit(cache=True, nogil=True)
def _file(now: Assignment, c: int) -> None:
    """Put a class on the shelf where it belongs now."""
    place = now.node[c, 0] if now.first[c] >= 0 else -1
    old = now.shelf[c]
    if place == old:
        return
    before, after = now.shelf_before[c], now.shelf_after[c]
    if old >= 0:
        if before >= 0:
            now.shelf_after[before] = after
        else:
            now.shelf_first[old] = after
        if after >= 0:
            now.shelf_before[after] = before
    now.shelf[c] = place
    if place >= 0:
        other = now.shelf_first[place]
        now.shelf_before[c], now.shelf_after[c] = -1, other
        now.shelf_first[place] = c
        if other >= 0:
            now.shelf_before[other] = c


@njit(cache=True, nogil=True)
def _enter(at: Instance, now: Assignment, piece: int, c: int) -> None:
    """A piece becomes the first of a class, whose node is not changed."""
    i = now.item[piece]
    now.owner[piece] = c
    now.touched[c] = True
    now.before[piece], now.after[piece] = -1, now.first[c]
    if now.first[c] >= 0:
        now.before[now.first[c]] = piece
    now.first[c] = piece
    now.size[c] += now.records[piece]
    now.weight[c] += now.records[piece] * at.weight[i]
    for a in range(at.codes.shape[1]):
        now.fixed[c, a] |= at.fixed[i, a]


@njit(cache=True, nogil=True)
def _leave(at: Instance, now: Assignment, piece: int) -> None:
    """A piece leaves the chain of its class, whose node is not changed."""
    c = now.owner[piece]
    now.touched[c] = True
    if now.before[piece] >= 0:
        now.after[now.before[piece]] = now.after[piece]
    else:
        now.first[c] = now.after[piece]
    if now.after[piece] >= 0:
        now.before[now.after[piece]] = now.before[piece]
    now.size[c] -= now.records[piece]
    now.weight[c] -= now.records[piece] * at.weight[now.item[piece]]


@njit(cache=True, nogil=True)
def widen(at: Instance, now: Assignment, c: int, nodes: Nodes) -> None:
    """A class covers some nodes, too."""
    now.cost[c] = 0.0
    for a in range(len(nodes)):
        now.node[c, a] = common(now.node[c, a], nodes[a], at.parent, at.depth)
        now.cost[c] += at.cost[now.node[c, a]]
    _file(now, c)


@njit(cache=True, nogil=True)
def shrink(at: Instance, now: Assignment, c: int) -> None:
    """A class shows the closure of its pieces again; its weight is added up afresh."""
    piece = now.first[c]
    now.weight[c], now.cost[c] = 0.0, 0.0
    now.fixed[c, :] = False
    if piece < 0:
        _file(now, c)
        return
    now.node[c] = at.codes[now.item[piece]]
    while piece >= 0:
        i = now.item[piece]
        now.weight[c] += now.records[piece] * at.weight[i]
        for a in range(at.codes.shape[1]):
            now.fixed[c, a] |= at.fixed[i, a]
            now.node[c, a] = common(now.node[c, a], at.codes[i, a], at.parent, at.depth)
        piece = now.after[piece]
    for a in range(at.codes.shape[1]):
        now.cost[c] += at.cost[now.node[c, a]]
    _file(now, c)


@njit(cache=True, nogil=True)
def move(at: Instance, now: Assignment, piece: int, count: int, c: int) -> int:
    """So many records of a piece go to a class, which covers them then; the old class shrinks.

    Return the piece of what stays, -1 if nothing does.
    """
    old, part = now.owner[piece], -1
    if count < now.records[piece]:
        now.free[0] -= 1
        part = now.free[1 + now.free[0]]
        rest = now.records[piece] - count
        _leave(at, now, piece)
        now.item[part], now.records[part], now.records[piece] = now.item[piece], rest, count
        _enter(at, now, part, old)
    else:
        _leave(at, now, piece)
        shrink(at, now, old)
    if now.first[c] < 0:
        now.node[c] = at.codes[now.item[piece]]
    _enter(at, now, piece, c)
    widen(at, now, c, at.codes[now.item[piece]])
    return part


@njit(cache=True, nogil=True)
def move_back(at: Instance, now: Assignment, piece: int, part: int, c: int) -> None:
    """Undo a move, when those after it have been undone."""
    move(at, now, piece, now.records[piece], c)
    if part >= 0:
        count = now.records[part]
        drop(at, now, part)
        _leave(at, now, piece)
        now.records[piece] += count
        _enter(at, now, piece, c)
        shrink(at, now, c)


@njit(cache=True, nogil=True)
def drop(at: Instance, now: Assignment, piece: int) -> None:
    """A piece is in no class any more."""
    c = now.owner[piece]
    _leave(at, now, piece)
    shrink(at, now, c)
    now.owner[piece], now.records[piece] = -1, 0
    now.free[1 + now.free[0]] = piece
    now.free[0] += 1


@njit(cache=True, nogil=True)
def merge(at: Instance, now: Assignment, source: int, target: int) -> None:
    """All pieces of a class go to another."""
    while now.first[source] >= 0:
        piece = now.first[source]
        _leave(at, now, piece)
        _enter(at, now, piece, target)
    widen(at, now, target, now.node[source])
    now.size[source], now.weight[source], now.cost[source] = 0, 0.0, 0.0
    now.fixed[source, :] = False
    _file(now, source)


@njit(cache=True, nogil=True)
def rise(
    at: Instance,
    now: Assignment,
    c: int,
    nodes: Nodes,
    fixed: Bools,
    weight: float,
    below: float,
) -> float:
    """By how much the price of a class rises when it takes something in, with its own price.

    Infinite where it cannot be, or where it is not below a limit.
    """
    cost = now.cost[c]
    all_in = now.weight[c] + weight
    least = now.weight[c] * now.cost[c]
    if all_in * cost - least >= below:
        return np.inf
    for a in range(len(nodes)):
        own = now.node[c, a]
        if own != nodes[a]:
            joint = common(own, nodes[a], at.parent, at.depth)
            if joint < 0 or (fixed[a] and joint != nodes[a]) or (now.fixed[c, a] and joint != own):
                return np.inf
            cost += at.cost[joint] - at.cost[own]
            if all_in * cost - least >= below:
                return np.inf
    return all_in * cost - least


@njit(cache=True, nogil=True)
def nearest(
    at: Instance,
    now: Assignment,
    nodes: Nodes,
    fixed: Bools,
    weight: float,
    skip: int,
    below: float,
    lightest: float,
) -> tuple[int, float]:
    """The class whose price rises least by taking something in, if by less than a limit.

    No class weighs less than `lightest`. -1 if there is none.
    """
    best, least = -1, below
    shelf = nodes[0]
    while True:  # first where it is cheap, so that the rest is passed by
        best, least = _on_shelf(at, now, shelf, nodes, fixed, weight, skip, best, least)
        if at.depth[shelf] == 0:
            break
        shelf = at.parent[shelf]
    for shelf in range(at.start[0], at.start[0] + at.nodes[0]):
        if now.shelf_first[shelf] < 0:
            continue
        joint = common(shelf, nodes[0], at.parent, at.depth)
        if joint < 0 or joint == shelf:
            continue
        cost = at.cost[joint]
        if weight * cost + lightest * (cost - at.cost[shelf]) < least:
            best, least = _on_shelf(at, now, shelf, nodes, fixed, weight, skip, best, least)
    return best, least


@njit(cache=True, nogil=True)
def _on_shelf(
    at: Instance,
    now: Assignment,
    shelf: int,
    nodes: Nodes,
    fixed: Bools,
    weight: float,
    skip: int,
    best: int,
    least: float,
) -> tuple[int, float]:
    """The same among the classes of one shelf."""
    c = now.shelf_first[shelf]
    while c >= 0:
        if c != skip:
            found = rise(at, now, c, nodes, fixed, weight, least)
            if found < least:
                best, least = c, found
        c = now.shelf_after[c]
    return best, least


@njit(cache=True, nogil=True)
def varied(at: Instance, now: Assignment, c: int, without: int) -> bool:
    """Whether a class has enough different values of every attribute, one piece left out."""
    for j in range(len(at.distinct)):
        seen = np.empty(at.distinct[j], np.int32)
        found = 0
        piece = now.first[c]
        while piece >= 0 and found < len(seen):
            if piece != without:
                value = at.values[now.item[piece], j]
                if not among(value, seen, found):
                    seen[found] = value
                    found += 1
            piece = now.after[piece]
        if found < len(seen):
            return False
    return True


@njit(cache=True, nogil=True)
def enough(at: Instance, now: Assignment, c: int) -> bool:
    """Whether a class has enough records and values."""
    return now.size[c] >= at.k and varied(at, now, c, -1)
