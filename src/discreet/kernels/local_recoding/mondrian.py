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
from discreet.kernels.compilation import njit
from discreet.kernels.local_recoding.cuts import lifted_nodes
from discreet.kernels.local_recoding.instance import Instance, Nodes, closures, common, instance
from discreet.kernels.local_recoding.peel import Passes
from discreet.kernels.local_recoding.recoding import Recoded, recoding
from discreet.kernels.local_recoding.task import CellTask
from discreet.kernels.packing import merged

_NO = -1


class Parts(NamedTuple):
    """Rows of items and records, part by part; part p has the rows from begin[p] to begin[p+1]."""

    item: Ints
    records: Ints
    begin: Ints
    parent: Ints  # the part it was split from
    banned: Bools  # parts × keys: by which it must not be split

    def label(self) -> Ints:
        """The part of each row."""
        return np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))

    def only(self, kept: Bools) -> Parts:
        """Some of the parts."""
        sizes = np.diff(self.begin)
        rows = np.repeat(kept, sizes)
        begin = np.concatenate([[0], np.cumsum(sizes[kept])])
        return Parts(
            self.item[rows], self.records[rows], begin, self.parent[kept], self.banned[kept]
        )

    def beside(self, other: Parts) -> Parts:
        """These and others."""
        return Parts(
            np.concatenate([self.item, other.item]),
            np.concatenate([self.records, other.records]),
            np.concatenate([self.begin, other.begin[1:] + self.begin[-1]]),
            np.concatenate([self.parent, other.parent]),
            np.concatenate([self.banned, other.banned]),
        )


class NodeTally(NamedTuple):
    """Per node of any key, what a part has below it; records, rows, weight, seen are left 0."""

    records: Ints
    rows: Ints
    weight: Floats
    spare: Ints
    place: Ints
    seen: Ints  # per confidential value


def mondrian(task: CellTask, *, relaxed: bool = False, passes: Passes | None = None) -> Recoded:
    """Split the records of a task along the hierarchies.

    A key in which some node must stay is taken for one without a hierarchy. `passes` is a criterion
    that counts do not decide, as for `recoded`.
    """
    at = instance(task)
    lifted, scratch = lifted_nodes(at), _scratch(at)
    parts = _together(at)
    served = [_all_serve(at, parts, p, p + 1, scratch.seen) for p in range(len(parts.parent))]
    parts = parts.only(np.array(served, np.bool_) & _passing(at, parts, passes))
    finished = [parts.only(np.zeros(len(parts.parent), np.bool_))]
    while len(parts.parent):
        key, split = _round(at, lifted, parts, relaxed, scratch)
        finished.append(parts.only(key == _NO))
        failed = np.zeros(len(parts.parent), np.bool_)
        failed[split.parent[~_passing(at, split, passes)]] = True
        parts.banned[failed, key[failed]] = True
        parts = split.only(~failed[split.parent]).beside(parts.only(failed))
    last = finished[0]
    for more in finished[1:]:
        last = last.beside(more)
    label = last.label()
    codes = at.codes[last.item]
    cell = closures(label, len(last.parent), codes, at.parent, at.depth)
    return recoding(task, at, last.item, last.records, cell[label])


def _scratch(at: Instance) -> NodeTally:
    nodes, values = len(at.parent), int(at.values.max(initial=-1)) + 1
    return NodeTally(
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(values, np.int64),
    )


def _together(at: Instance) -> Parts:
    """The items that may be in one class at all: they have the same tops."""
    top = lifted_nodes(at)[0][at.codes]
    stays = at.fixed.any(axis=0)
    top[:, stays] = at.codes[:, stays]
    if len(top) == 0:
        begin = np.zeros(1, np.int64)
        return Parts(at.item, at.item, begin, at.item, np.zeros((0, len(at.key)), np.bool_))
    _, owner = merged(list((top - at.start).T), at.nodes.tolist())
    order = np.argsort(owner, kind="stable")
    begin = np.concatenate([[0], np.cumsum(np.bincount(owner))])
    banned = np.tile(stays, (len(begin) - 1, 1))
    return Parts(order, at.counts[order], begin, np.zeros(len(banned), np.int64), banned)


def _passing(at: Instance, parts: Parts, passes: Passes | None) -> Bools:
    """The parts that meet a criterion."""
    if passes is None or len(parts.parent) == 0:
        return np.ones(len(parts.parent), np.bool_)
    return passes(at.item[parts.item], parts.records, parts.label(), len(parts.parent))


def _round(
    at: Instance, lifted: Nodes, parts: Parts, relaxed: bool, scratch: NodeTally
) -> tuple[Ints, Parts]:
    """Split every part once: by which key, -1 if by none, and what comes of it."""
    rows = len(parts.item) * (2 if relaxed else 1) + len(parts.parent)
    item, records = np.empty(rows, np.int64), np.empty(rows, np.int64)
    begin, parent = np.zeros(rows + 1, np.int64), np.empty(rows, np.int64)
    room = Parts(item, records, begin, parent, parts.banned)
    key, made = _split_all(at, lifted, parts, relaxed, scratch, room)
    used = begin[made]
    banned = parts.banned[parent[:made]]
    return key, Parts(item[:used], records[:used], begin[: made + 1], parent[:made], banned)


@njit(cache=True, nogil=True)
def _split_all(
    at: Instance, lifted: Nodes, parts: Parts, relaxed: bool, scratch: NodeTally, room: Parts
) -> tuple[Ints, int]:
    """The same, into room that is there; the keys and the number of new parts."""
    keys, made = np.full(len(parts.parent), _NO, np.int64), 0
    gain = np.empty(at.codes.shape[1])
    children = np.empty(len(at.parent), np.int64)
    for p in range(len(keys)):
        rows = slice(parts.begin[p], parts.begin[p + 1])
        item, records = parts.item[rows], parts.records[rows]
        node = _closure(at, lifted, item)
        _gains(at, lifted, item, records, node, parts.banned[p], relaxed, scratch, gain)
        while keys[p] == _NO and gain.max() > 0:
            best = gain.argmax()
            new = _split(at, lifted, item, records, node, best, scratch, children, room, made)
            if _all_serve(at, room, made, new, scratch.seen):
                keys[p] = best
                room.parent[made:new] = p
                made = new
            gain[best] = 0.0
    return keys, made


@njit(cache=True, nogil=True)
def _closure(at: Instance, lifted: Nodes, item: Ints) -> Nodes:
    node = at.codes[item[0]].copy()
    for i in item:
        for a in range(len(node)):
            code = at.codes[i, a]
            if lifted[at.depth[node[a]], code] != node[a]:
                node[a] = common(node[a], code, at.parent, at.depth)
    return node


@njit(cache=True, nogil=True)
def _gains(
    at: Instance,
    lifted: Nodes,
    item: Ints,
    records: Ints,
    node: Nodes,
    banned: Bools,
    relaxed: bool,
    scratch: NodeTally,
    gain: Floats,
) -> None:
    """By how much splitting by each key lowers the price; 0 where it cannot be.

    All keys in one pass over the items, as no node belongs to two.
    """
    keys = len(node)
    below = np.empty(keys, np.int64)
    for a in range(keys):
        below[a] = min(at.depth[node[a]] + 1, len(lifted) - 1)
    for r in range(len(item)):
        weight = records[r] * at.weight[item[r]]
        for a in range(keys):
            child = lifted[below[a], at.codes[item[r], a]]
            scratch.records[child] += records[r]
            scratch.weight[child] += weight
    for a in range(keys):
        gain[a] = _gain(at, lifted[below[a]], item, node[a], a, relaxed, scratch)
        if banned[a]:
            gain[a] = 0.0


@njit(cache=True, nogil=True)
def _gain(
    at: Instance, below: Nodes, item: Ints, node: int, a: int, relaxed: bool, scratch: NodeTally
) -> float:
    """The same for one key whose children are counted; clear the counts."""
    gain, children, few, spare, enough = 0.0, 0, 0, 0, 0
    for i in item:
        child = below[at.codes[i, a]]
        records = scratch.records[child]
        if records == 0:
            continue  # seen before
        children += 1
        if records < at.k:
            few += records
        else:
            enough += 1
            spare += records - at.k
            gain += scratch.weight[child] * (at.cost[node] - at.cost[child])
        scratch.records[child], scratch.weight[child] = 0, 0.0
    if children < 2 or (few and not relaxed) or (few and few + spare < at.k) or enough == 0:
        return 0.0
    return max(gain, 1e-300)


@njit(cache=True, nogil=True)
def _split(
    at: Instance,
    lifted: Nodes,
    item: Ints,
    records: Ints,
    node: Nodes,
    a: int,
    scratch: NodeTally,
    children: Ints,
    room: Parts,
    made: int,
) -> int:
    """Write the parts by the children in one key; the number of parts made then."""
    below, few = lifted[at.depth[node[a]] + 1], 0
    found = _tally(at, lifted, item, records, node, a, scratch, children)
    for child in children[:found]:
        scratch.spare[child] = scratch.records[child] - at.k
        if scratch.spare[child] < 0:
            few += scratch.records[child]
    stays = _staying(at, below, item, records, a, few, scratch)
    place = room.begin[made]
    for child in children[:found]:
        if scratch.spare[child] >= 0:
            scratch.place[child] = place
            place += scratch.rows[child]
            made += 1
            room.begin[made] = place
    for r in range(len(item)):
        child = below[at.codes[item[r], a]]
        if stays[r] < records[r]:
            spot = scratch.place[child]
            room.item[spot], room.records[spot] = item[r], records[r] - stays[r]
            scratch.place[child] += 1
        if stays[r]:
            room.item[place], room.records[place] = item[r], stays[r]
            place += 1
    if few:
        made += 1
        room.begin[made] = place
    for child in children[:found]:
        scratch.records[child], scratch.rows[child], scratch.weight[child] = 0, 0, 0.0
    return made


@njit(cache=True, nogil=True)
def _tally(
    at: Instance,
    lifted: Nodes,
    item: Ints,
    records: Ints,
    node: Nodes,
    a: int,
    scratch: NodeTally,
    children: Ints,
) -> int:
    """Count what is below each child of a node; the number of children."""
    below, found = lifted[at.depth[node[a]] + 1], 0
    for r in range(len(item)):
        child = below[at.codes[item[r], a]]
        if scratch.records[child] == 0:
            children[found] = child
            found += 1
        scratch.records[child] += records[r]
        scratch.rows[child] += 1
        scratch.weight[child] += records[r] * at.weight[item[r]]
    return found


@njit(cache=True, nogil=True)
def _staying(
    at: Instance, below: Nodes, item: Ints, records: Ints, a: int, few: int, scratch: NodeTally
) -> Ints:
    """How many records of each row stay at the node: those of children with too few, and if these
    are too few together, the first that the other children can spare."""
    stays = np.zeros(len(item), np.int64)
    lacking = at.k - few if few else 0
    for r in range(len(item)):
        child = below[at.codes[item[r], a]]
        if scratch.spare[child] < 0:
            stays[r] = records[r]
        elif lacking > 0:
            stays[r] = min(lacking, scratch.spare[child], records[r])
            lacking -= stays[r]
            scratch.spare[child] -= stays[r]
            if stays[r] == records[r]:
                scratch.rows[child] -= 1
    return stays


@njit(cache=True, nogil=True)
def _all_serve(at: Instance, parts: Parts, first: int, last: int, seen: Ints) -> bool:
    """Whether parts have enough records and values."""
    for p in range(first, last):
        rows = slice(parts.begin[p], parts.begin[p + 1])
        if parts.records[rows].sum() < at.k or not _varied(at, parts.item[rows], seen):
            return False
    return True


@njit(cache=True, nogil=True)
def _varied(at: Instance, item: Ints, seen: Ints) -> bool:
    """Whether items have enough different values of every attribute; `seen` is 0 per value."""
    for j in range(len(at.distinct)):
        found = 0
        for i in item:
            if seen[at.values[i, j]] == 0:
                seen[at.values[i, j]] = 1
                found += 1
        for i in item:
            seen[at.values[i, j]] = 0
        if found < at.distinct[j]:
            return False
    return True
