"""Mondrian: records are split along the hierarchies as long as every part has enough.

It begins with all records that can be together at all and splits each part by the children of its
node in one key, that which lowers the price most. *Strict*: every child must have enough, and a
value goes to one side. *Relaxed*: children with too few stay together at the node, and if these
are too few as well, they keep some records of the other children with them. Parts are released at
their closure.

References
----------
LeFevre, K., DeWitt, D. J., Ramakrishnan, R. (2006): "Mondrian multidimensional k-anonymity", ICDE.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import inlined, inner, njit
from discreet.kernels.local_recoding.instance import (
    Instance,
    Nodes,
    Records,
    common,
    instance,
    lifted_nodes,
    records_of,
)
from discreet.kernels.local_recoding.peel import Passes
from discreet.kernels.local_recoding.task import CellTask, Recoded, recoding
from discreet.kernels.packing import merged

_NO = -1
ROW = np.dtype((np.record, [("of", "i8"), ("records", "i8"), ("weight", "f8")]))
TALLY = np.dtype(
    (
        np.record,
        [("records", "i8"), ("weight", "f8"), ("rows", "i8"), ("spare", "i8"), ("place", "i8")],
    )
)


class Parts(NamedTuple):
    """Rows of items and records, part by part; part p has the rows from begin[p] to begin[p+1].

    Rows move with their codes, so that a part is read from one end to the other. There may be room
    behind the last row.
    """

    rows: Records  # the item, how many of its records, and what one of them weighs
    codes: Nodes  # keys × rows
    begin: Ints
    size: Ints  # records of each part
    parent: Ints  # the part it was split from
    node: Nodes  # parts × keys: a cell that covers the part
    banned: Bools  # parts × keys: by which it must not be split

    def label(self) -> Ints:
        """The part of each row."""
        return np.repeat(np.arange(len(self.size)), np.diff(self.begin))

    def only(self, kept: Bools) -> Parts:
        """Some of the parts."""
        if kept.all():
            return self
        rows = np.flatnonzero(np.repeat(kept, np.diff(self.begin)))
        return Parts(
            self.rows[rows],
            np.take(self.codes, rows, axis=1),
            np.concatenate([[0], np.cumsum(np.diff(self.begin)[kept])]),
            self.size[kept],
            self.parent[kept],
            self.node[kept],
            self.banned[kept],
        )

    def beside(self, other: Parts) -> Parts:
        """These and others."""
        own, theirs = self.begin[-1], other.begin[-1]
        return Parts(
            np.concatenate([self.rows[:own], other.rows[:theirs]]),
            np.concatenate([self.codes[:, :own], other.codes[:, :theirs]], axis=1),
            np.concatenate([self.begin, other.begin[1:] + self.begin[-1]]),
            np.concatenate([self.size, other.size]),
            np.concatenate([self.parent, other.parent]),
            np.concatenate([self.node, other.node]),
            np.concatenate([self.banned, other.banned]),
        )


class Desk(NamedTuple):
    """What splitting works with. `tally` has per node of any key what a part has below it, and is
    left empty; the children that were found below the node of a key stand where its nodes do."""

    lifted: Nodes  # depths × nodes
    splits: Bools  # per node whether there are any below it
    tally: Records
    children: Ints  # per node
    found: Ints  # per key
    gain: Floats  # per key
    seen: Ints  # per confidential value


def mondrian(task: CellTask, *, relaxed: bool = False, passes: Passes | None = None) -> Recoded:
    """Split the records of a task along the hierarchies.

    A key in which some node must stay is taken for one without a hierarchy. `passes` is a criterion
    that counts do not decide, as for `recoded`.
    """
    at = instance(task)
    desk, parts = _desk(at), _together(at)
    parts = parts.only(_serving(at, parts) & _passing(at, parts, passes))
    finished = []
    while len(parts.size):
        key, split = _round(at, desk, parts, relaxed)
        finished.append(_finished(parts, key == _NO))
        failed = np.zeros(len(parts.size), np.bool_)
        failed[split.parent[~_passing(at, split, passes)]] = True
        parts.banned[failed, key[failed]] = True
        if failed.any():
            split = split.only(~failed[split.parent]).beside(parts.only(failed))
        parts = split
    return _released(task, at, finished)


class Finished(NamedTuple):
    """Parts that are released: items and records of their rows, how many rows each has, and its
    cell."""

    item: Ints
    records: Ints
    number: Ints
    cell: Nodes


def _finished(parts: Parts, done: Bools) -> Finished:
    """Some of the parts, to be released."""
    number = np.diff(parts.begin)
    rows = parts.rows[np.flatnonzero(np.repeat(done, number))]
    return Finished(rows["of"].copy(), rows["records"].copy(), number[done], parts.node[done])


def _released(task: CellTask, at: Instance, finished: list[Finished]) -> Recoded:
    """Every part at its cell."""
    if not finished:
        none = np.zeros(0, np.int64)
        return recoding(task, at, none, none, none, at.codes[:0])
    item, records, number, cell = (np.concatenate(part) for part in zip(*finished, strict=True))
    return recoding(task, at, item, records, np.repeat(np.arange(len(number)), number), cell)


def _desk(at: Instance) -> Desk:
    nodes, values = len(at.tree), int(at.values.max(initial=-1)) + 1
    splits = np.zeros(nodes, np.bool_)
    splits[at.parent[at.parent != np.arange(nodes)]] = True
    return Desk(
        lifted_nodes(at.tree),
        splits,
        np.zeros(nodes, TALLY),
        np.zeros(nodes, np.int64),
        np.zeros(len(at.keys), np.int64),
        np.zeros(len(at.keys)),
        np.zeros(values, np.int64),
    )


def _together(at: Instance) -> Parts:
    """The items that may be in one class at all: they have the same tops."""
    top, stays = lifted_nodes(at.tree)[0], np.any(at.fixed, axis=0)
    columns = [codes if stays[a] else top[codes] for a, codes in enumerate(at.codes.T)]
    first, owner = _told_apart(columns, len(at.codes))
    order = np.argsort(owner, kind="stable")
    begin = np.concatenate([[0], np.cumsum(np.bincount(owner))]).astype(np.int64)
    return Parts(
        records_of(ROW, of=order, records=at.counts[order], weight=at.weight[order]),
        np.ascontiguousarray(np.take(at.codes, order, axis=0).T),
        begin,
        np.bincount(owner, at.counts).astype(np.int64),
        np.zeros(len(begin) - 1, np.int64),
        np.column_stack([column[first] for column in columns]).astype(np.int32),
        np.tile(stays, (len(begin) - 1, 1)),
    )


def _told_apart(columns: list[Nodes], items: int) -> tuple[Ints, Ints]:
    """The first item of each group that is alike in all columns, and the group of each item."""
    telling = [column - column.min() for column in columns if (column != column[:1]).any()]
    if not telling:
        return np.arange(min(items, 1)), np.zeros(items, np.int64)
    return merged(telling, [int(column.max()) + 1 for column in telling])


def _serving(at: Instance, parts: Parts) -> Bools:
    """The parts that have enough records and values."""
    good, label = parts.size >= at.k, parts.label()
    for values, least in zip(at.values[parts.rows["of"]].T, at.distinct, strict=True):
        pairs = np.unique(np.column_stack([label, values]), axis=0)
        good &= np.bincount(pairs[:, 0], minlength=len(good)) >= least
    return np.asarray(good)


def _passing(at: Instance, parts: Parts, passes: Passes | None) -> Bools:
    """The parts that meet a criterion."""
    if passes is None or len(parts.size) == 0:
        return np.ones(len(parts.size), np.bool_)
    rows = parts.rows[: parts.begin[-1]]
    return passes(at.item[rows["of"]], rows["records"].copy(), parts.label(), len(parts.size))


def _round(at: Instance, desk: Desk, parts: Parts, relaxed: bool) -> tuple[Ints, Parts]:
    """Split every part once: by which key, -1 if by none, and what comes of it. A part that is not
    split gets its closure as cell."""
    rows = int(parts.begin[-1]) * (2 if relaxed else 1)
    most = min(rows + len(parts.size), int(parts.size.sum()) // at.k + 1)
    room = Parts(
        np.empty(rows, ROW),
        np.empty((len(at.keys), rows), np.int32),
        np.zeros(most + 1, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty((most, len(at.keys)), np.int32),
        parts.banned,
    )
    key = np.full(len(parts.size), _NO, np.int64)
    made = int(_split_all(at, desk, parts, relaxed, np.empty(rows, np.int64), room, key))
    return key, Parts(
        room.rows,
        room.codes,
        room.begin[: made + 1],
        room.size[:made],
        room.parent[:made],
        room.node[:made],
        parts.banned[room.parent[:made]],
    )


@njit(cache=True, nogil=True)
def _split_all(
    at: Instance, desk: Desk, parts: Parts, relaxed: bool, stays: Ints, room: Parts, keys: Ints
) -> int:
    """The same, into room that is there; the number of new parts."""
    made = np.int64(0)
    for p in range(len(keys)):
        enough = parts.size[p] >= 2 * at.k  # for two
        if enough:
            _find_gains(at, desk, parts, p, relaxed)
        while enough and keys[p] == _NO:
            best = 0
            for a in range(1, len(desk.gain)):
                if desk.gain[a] > desk.gain[best]:
                    best = a
            if desk.gain[best] <= 0:
                break
            new = _split(at, desk, parts, p, np.int64(best), stays, room, made)
            if len(at.distinct) == 0 or _all_varied(at, room, made, new, desk.seen):
                keys[p] = best
                for q in range(made, new):
                    room.parent[q] = p
                made = new
            desk.gain[best] = 0.0
        if keys[p] == _NO:
            _close(at, parts, p)
    return int(made)


@inlined
def _close(at: Instance, parts: Parts, p: int) -> None:
    """Lower the cell of a part to its closure."""
    for a in range(parts.node.shape[1]):
        lowest, r = np.int64(parts.codes[a, parts.begin[p]]), parts.begin[p] + 1
        while r < parts.begin[p + 1] and lowest != parts.node[p, a]:
            lowest = common(lowest, parts.codes[a, r], at.tree)
            r += 1
        parts.node[p, a] = lowest


@inlined
def _find_gains(at: Instance, desk: Desk, parts: Parts, p: int, relaxed: bool) -> None:
    """By how much splitting by each key lowers the price; 0 where it cannot be.

    Where all records are below one child, the part is covered by that.
    """
    for a in range(parts.node.shape[1]):
        desk.gain[a] = 0.0
        while desk.splits[parts.node[p, a]] and not parts.banned[p, a]:
            _count(at, desk, parts, p, a)
            if desk.found[a] > 1:
                desk.gain[a] = _gain(at, desk, parts.node[p, a], a, relaxed)
            child = desk.children[at.keys[a].start]
            _clear(at, desk, a)
            if desk.found[a] > 1 or child == parts.node[p, a]:
                break
            parts.node[p, a] = child


@inner
def _count(at: Instance, desk: Desk, parts: Parts, p: int, a: int) -> None:
    """Count what a part has below each child of its node in a key, and note the children."""
    depth, start, found = at.tree[parts.node[p, a]].depth + 1, at.keys[a].start, 0
    below, codes = desk.lifted[depth], parts.codes[a]
    for r in range(parts.begin[p], parts.begin[p + 1]):
        child, records = below[codes[r]], parts.rows[r].records
        tally = desk.tally[child]
        if tally.records == 0:
            desk.children[start + found] = child
            found += 1
        tally.records += records
        tally.weight += records * parts.rows[r].weight
        tally.rows += 1
    desk.found[a] = found


@inner
def _clear(at: Instance, desk: Desk, a: int) -> None:
    """Forget the counts."""
    for j in range(desk.found[a]):
        tally = desk.tally[desk.children[at.keys[a].start + j]]
        tally.records, tally.weight, tally.rows = 0, 0.0, 0


@inlined
def _gain(at: Instance, desk: Desk, node: int, a: int, relaxed: bool) -> float:
    """By how much the price falls, from the counts below a node."""
    gain, few, spare, enough = 0.0, 0, 0, 0
    for j in range(desk.found[a]):
        child = desk.children[at.keys[a].start + j]
        records = desk.tally[child].records
        if records < at.k:
            few += records
        else:
            enough += 1
            spare += records - at.k
            gain += desk.tally[child].weight * (at.tree[node].cost - at.tree[child].cost)
    if (few and not relaxed) or (few and few + spare < at.k) or enough == 0:
        return 0.0
    return max(gain, 1e-300)


@inlined
def _split(
    at: Instance, desk: Desk, parts: Parts, p: int, a: int, stays: Ints, room: Parts, made: int
) -> int:
    """Write the parts by the children in one key; the number of parts made then."""
    _count(at, desk, parts, p, a)
    few, place = 0, room.begin[made]
    below = desk.lifted[at.tree[parts.node[p, a]].depth + 1]
    for j in range(desk.found[a]):
        tally = desk.tally[desk.children[at.keys[a].start + j]]
        tally.spare = tally.records - at.k
        if tally.spare < 0:
            few += tally.records
    if few:
        _find_staying(at, desk, parts, p, a, few, stays)
    for j in range(desk.found[a]):
        child = desk.children[at.keys[a].start + j]
        tally = desk.tally[child]
        if tally.records >= at.k:
            _note_part(parts, p, room, made, np.int64(a), child)
            tally.place = place
            place += tally.rows
            room.size[made] = tally.spare + at.k
            made += 1
            room.begin[made] = place
    for r in range(parts.begin[p], parts.begin[p + 1]):
        records, kept = parts.rows[r].records, stays[r] if few else 0
        if kept < records:
            tally = desk.tally[below[parts.codes[a, r]]]
            _write(parts, r, room, tally.place, records - kept)
            tally.place += 1
        if kept:
            _write(parts, r, room, place, np.int64(kept))
            place += 1
    if few:
        _note_part(parts, p, room, made, np.int64(a), np.int64(parts.node[p, a]))
        room.size[made] = max(few, at.k)
        made += 1
        room.begin[made] = place
    _clear(at, desk, a)
    return made


@inner
def _note_part(parts: Parts, p: int, room: Parts, made: int, a: int, node: int) -> None:
    """A new part has the cell of the old, but for one key."""
    for b in range(parts.node.shape[1]):
        room.node[made, b] = parts.node[p, b]
    room.node[made, a] = node


@inner
def _write(parts: Parts, r: int, room: Parts, place: int, records: int) -> None:
    """So many records of a row get a place among the new."""
    row = room.rows[place]
    row.of, row.records, row.weight = parts.rows[r].of, records, parts.rows[r].weight
    for b in range(parts.codes.shape[0]):
        room.codes[b, place] = parts.codes[b, r]


@inlined
def _find_staying(
    at: Instance, desk: Desk, parts: Parts, p: int, a: int, few: int, stays: Ints
) -> None:
    """How many records of each row stay at the node: those of children with too few, and if these
    are too few together, the first that the other children can spare."""
    below, lacking = desk.lifted[at.tree[parts.node[p, a]].depth + 1], at.k - few
    for r in range(parts.begin[p], parts.begin[p + 1]):
        tally, records = desk.tally[below[parts.codes[a, r]]], parts.rows[r].records
        stays[r] = 0
        if tally.records < at.k:
            stays[r] = records
        elif lacking > 0:
            stays[r] = min(lacking, tally.spare, records)
            lacking -= stays[r]
            tally.spare -= stays[r]
            if stays[r] == records:
                tally.rows -= 1


@inner
def _all_varied(at: Instance, parts: Parts, first: int, last: int, seen: Ints) -> bool:
    """Whether parts have enough different values of every attribute; `seen` is 0 per value."""
    good = True
    for p in range(first, last):
        for j in range(len(at.distinct)):
            found = 0
            for r in range(parts.begin[p], parts.begin[p + 1]):
                value = at.values[parts.rows[r].of, j]
                found += seen[value] == 0
                seen[value] = 1
            for r in range(parts.begin[p], parts.begin[p + 1]):
                seen[at.values[parts.rows[r].of, j]] = 0
            good &= found >= at.distinct[j]
    return good
