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
from discreet.kernels.compilation import inner, njit
from discreet.kernels.local_recoding.instance import (
    Instance,
    Nodes,
    Records,
    closures,
    common,
    varied,
)

PIECE = np.dtype(
    (
        np.record,
        [("of", "i8"), ("records", "i8"), ("owner", "i8"), ("after", "i8"), ("before", "i8")],
    )
)
CLASS = np.dtype(
    (
        np.record,
        [
            *(("first", "i8"), ("records", "i8"), ("weight", "f8"), ("cost", "f8")),
            *(("shelf", "i8"), ("shelf_after", "i8"), ("shelf_before", "i8")),
            *(("touched", "?"), ("due", "?")),
        ],
    )
)


class Assignment(NamedTuple):
    """Pieces and classes; all arrays are changed in place.

    A piece has the number of its item (`of`), its records, its class (`owner`, -1 if unused), and
    the pieces before and after it in the chain of the class. A class has its first piece, its
    records, weight and cost, the node under which it is filed (`shelf`, -1 if it is empty), the
    classes before and after it there, whether it changed since it was last looked at (`touched`),
    and whether that is to be done (`due`). Without pieces it has no records.
    """

    pieces: Records
    free: Ints  # the number of unused pieces and then these, with room for all
    classes: Records
    node: Nodes  # classes × keys
    fixed: Bools  # classes × keys: whether a piece must keep its node
    shelves: Ints  # per node the first class that is filed there

    @property
    def item(self) -> Ints:
        """The item of each piece."""
        return self.pieces["of"]

    @property
    def records(self) -> Ints:
        """Records of each piece."""
        return self.pieces["records"]

    @property
    def owner(self) -> Ints:
        """The class of each piece, -1 if unused."""
        return self.pieces["owner"]

    @property
    def size(self) -> Ints:
        """Records of each class."""
        return self.classes["records"]

    @property
    def weight(self) -> Floats:
        """What the records of each class weigh."""
        return self.classes["weight"]

    @property
    def cost(self) -> Floats:
        """What the cell of each class costs."""
        return self.classes["cost"]


def assignment(at: Instance, item: Ints, count: Ints, label: Ints, spare: int = 0) -> Assignment:
    """Lay pieces out: rows of item and count with the class of each, and spare classes."""
    number = int(label.max(initial=-1)) + 1 + spare
    keys, room = at.codes.shape[1], len(item) + len(at.codes) + 64
    pieces, classes = np.empty(room, PIECE), np.zeros(number, CLASS)
    for field in ("of", "records", "owner", "after", "before"):
        pieces[field] = -1
    for field in ("first", "shelf", "shelf_after", "shelf_before"):
        classes[field] = -1
    made = Assignment(
        pieces,
        np.concatenate([[room - len(item)], np.arange(room - 1, -1, -1)]),
        classes,
        closures(label, number, np.ascontiguousarray(at.codes[item]), at.tree),
        np.zeros((number, keys), np.bool_),
        np.full(len(at.tree), -1, np.int64),
    )
    made.item[: len(item)], made.records[: len(item)] = item, count
    _chain(at, made, label)
    made.cost[:] = np.where(made.size > 0, at.cost[made.node].sum(axis=1), 0.0)
    return made


@njit(cache=True, nogil=True)
def _chain(at: Instance, now: Assignment, label: Ints) -> None:
    for piece in range(len(label) - 1, -1, -1):
        _enter(at, now, piece, label[piece])
    for c in range(len(now.classes) - 1, -1, -1):
        _file(now, c)


@inner
def _file(now: Assignment, c: int) -> None:
    """Put a class on the shelf where it belongs now."""
    own, classes = now.classes[c], now.classes
    place = now.node[c, 0] if own.first >= 0 else -1
    if place == own.shelf:
        return
    if own.shelf >= 0:
        if own.shelf_before >= 0:
            classes[own.shelf_before].shelf_after = own.shelf_after
        else:
            now.shelves[own.shelf] = own.shelf_after
        if own.shelf_after >= 0:
            classes[own.shelf_after].shelf_before = own.shelf_before
    own.shelf = place
    if place >= 0:
        other = now.shelves[place]
        own.shelf_before, own.shelf_after = -1, other
        now.shelves[place] = c
        if other >= 0:
            classes[other].shelf_before = c


@inner
def _enter(at: Instance, now: Assignment, piece: int, c: int) -> None:
    """A piece becomes the first of a class, whose node is not changed."""
    one, own = now.pieces[piece], now.classes[c]
    one.owner, own.touched = c, True
    one.before, one.after = -1, own.first
    if own.first >= 0:
        now.pieces[own.first].before = piece
    own.first = piece
    own.records += one.records
    own.weight += one.records * at.items[one.of].weight
    for a in range(at.codes.shape[1]):
        now.fixed[c, a] |= at.fixed[one.of, a]


@inner
def _leave(at: Instance, now: Assignment, piece: int) -> None:
    """A piece leaves the chain of its class, whose node is not changed."""
    one = now.pieces[piece]
    own = now.classes[one.owner]
    own.touched = True
    if one.before >= 0:
        now.pieces[one.before].after = one.after
    else:
        own.first = one.after
    if one.after >= 0:
        now.pieces[one.after].before = one.before
    own.records -= one.records
    own.weight -= one.records * at.items[one.of].weight


@inner
def widen(at: Instance, now: Assignment, c: int, nodes: Nodes, row: int) -> None:
    """A class covers the nodes of a row, too."""
    cost = 0.0
    for a in range(nodes.shape[1]):
        now.node[c, a] = common(now.node[c, a], nodes[row, a], at.tree)
        cost += at.tree[now.node[c, a]].cost
    now.classes[c].cost = cost
    _file(now, c)


@inner
def shrink(at: Instance, now: Assignment, c: int) -> None:
    """A class shows the closure of its pieces again; its weight is added up afresh."""
    own = now.classes[c]
    piece, weight, cost = own.first, 0.0, 0.0
    for a in range(at.codes.shape[1]):
        now.fixed[c, a] = False
        if piece >= 0:
            now.node[c, a] = at.codes[now.pieces[piece].of, a]
    while piece >= 0:
        i = now.pieces[piece].of
        weight += now.pieces[piece].records * at.items[i].weight
        for a in range(at.codes.shape[1]):
            now.fixed[c, a] |= at.fixed[i, a]
            now.node[c, a] = common(now.node[c, a], at.codes[i, a], at.tree)
        piece = now.pieces[piece].after
    if own.first >= 0:
        for a in range(at.codes.shape[1]):
            cost += at.tree[now.node[c, a]].cost
    own.weight, own.cost = weight, cost
    _file(now, c)


@inner
def move(at: Instance, now: Assignment, piece: int, count: int, c: int) -> int:
    """So many records of a piece go to a class, which covers them then; the old class shrinks.

    Return the piece of what stays, -1 if nothing does.
    """
    one = now.pieces[piece]
    old, part = one.owner, -1
    _leave(at, now, piece)
    if count < one.records:
        now.free[0] -= 1
        part = now.free[1 + now.free[0]]
        now.pieces[part].of, now.pieces[part].records = one.of, one.records - count
        one.records = count
        _enter(at, now, part, old)
    else:
        shrink(at, now, old)
    if now.classes[c].first < 0:
        for a in range(at.codes.shape[1]):
            now.node[c, a] = at.codes[one.of, a]
    _enter(at, now, piece, c)
    widen(at, now, c, at.codes, one.of)
    return part


@inner
def move_back(at: Instance, now: Assignment, piece: int, part: int, c: int) -> None:
    """Undo a move, when those after it have been undone."""
    move(at, now, piece, now.pieces[piece].records, c)
    if part >= 0:
        count = now.pieces[part].records
        drop(at, now, part)
        _leave(at, now, piece)
        now.pieces[piece].records += count
        _enter(at, now, piece, c)
        shrink(at, now, c)


@inner
def drop(at: Instance, now: Assignment, piece: int) -> None:
    """A piece is in no class any more."""
    one = now.pieces[piece]
    _leave(at, now, piece)
    shrink(at, now, one.owner)
    one.owner, one.records = -1, 0
    now.free[1 + now.free[0]] = piece
    now.free[0] += 1


@inner
def merge(at: Instance, now: Assignment, source: int, target: int) -> None:
    """All pieces of a class go to another."""
    own = now.classes[source]
    while own.first >= 0:
        piece = own.first
        _leave(at, now, piece)
        _enter(at, now, piece, target)
    widen(at, now, target, now.node, source)
    own.records, own.weight, own.cost = 0, 0.0, 0.0
    for a in range(at.codes.shape[1]):
        now.fixed[source, a] = False
    _file(now, source)


@inner
def rise(
    at: Instance,
    now: Assignment,
    c: int,
    nodes: Nodes,
    fixed: Bools,
    row: int,
    weight: float,
    below: float,
) -> float:
    """By how much the price of a class rises when it takes a row in, with that of the row.

    Infinite where it cannot be, or where it is not below a limit.
    """
    cost = now.classes[c].cost
    all_in = now.classes[c].weight + weight
    least = now.classes[c].weight * cost
    if all_in * cost - least >= below:
        return np.inf
    for a in range(nodes.shape[1]):
        own, node = now.node[c, a], nodes[row, a]
        if own != node:
            joint = common(own, node, at.tree)
            if joint < 0 or (fixed[row, a] and joint != node) or (now.fixed[c, a] and joint != own):
                return np.inf
            cost += at.tree[joint].cost - at.tree[own].cost
            if all_in * cost - least >= below:
                return np.inf
    return all_in * cost - least


@inner
def nearest(
    at: Instance,
    now: Assignment,
    nodes: Nodes,
    fixed: Bools,
    row: int,
    weight: float,
    skip: int,
    below: float,
    lightest: float,
) -> tuple[int, float]:
    """The class whose price rises least by taking a row in, if by less than a limit.

    The row is an item or a class: its nodes, and which of them must stay. No class weighs less than
    `lightest`. -1 if there is none.
    """
    best, least, climbing = -1, below, True
    shelf, last = np.int64(nodes[row, 0]), at.keys[0].start + at.keys[0].nodes
    while shelf < last:
        c = now.shelves[shelf]
        while c >= 0:
            if c != skip:
                found = rise(at, now, c, nodes, fixed, row, weight, least)
                if found < least:
                    best, least = c, found
            c = now.classes[c].shelf_after
        if climbing and at.tree[shelf].depth > 0:  # first where it is cheap
            shelf = np.int64(at.tree[shelf].parent)
        else:
            shelf = at.keys[0].start if climbing else shelf + 1
            climbing = False
            while shelf < last:  # then where it may be cheaper
                if now.shelves[shelf] >= 0:
                    joint = common(np.int32(shelf), nodes[row, 0], at.tree)
                    if joint >= 0 and joint != shelf:
                        cost = at.tree[joint].cost
                        if weight * cost + lightest * (cost - at.tree[shelf].cost) < least:
                            break
                shelf += 1
    return best, least


@inner
def enough(at: Instance, now: Assignment, c: int) -> bool:
    """Whether a class has enough records and values."""
    own = now.classes[c]
    return own.records >= at.k and varied(at, now.pieces, own.first, np.int64(-1))
