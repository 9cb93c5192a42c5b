"""A task as the kernels read it: items in a fixed order, all trees in one, a number per node.

The nodes of all keys are numbered through, so that one array holds the parents and one the costs.
The items are sorted, so that their order in the task changes nothing; the keys come in an order in
which unlike items are told apart early, which saves time and changes no price.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.local_recoding.task import CellTask
from discreet.kernels.packing import pack

Nodes = NDArray[np.int32]


class Instance(NamedTuple):
    """Items, trees and what a class needs; `item` and `key` say where they are in the task."""

    item: Ints
    key: Ints
    start: Nodes  # per key the number of its first node
    nodes: Nodes  # and how many it has
    codes: Nodes  # items × keys
    counts: Ints
    weight: Floats
    fixed: Bools  # items × keys
    bound: Bools  # per item: whether any node is fixed
    values: Nodes  # items × attributes
    distinct: Ints
    k: int
    parent: Nodes
    depth: Nodes
    cost: Floats


def instance(task: CellTask) -> Instance:
    """Lay a task out."""
    sizes = np.array([len(tree.parent) for tree in task.trees], np.int32)
    begin = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
    parent = np.concatenate([t.parent + s for t, s in zip(task.trees, begin, strict=True)])
    cost = np.concatenate([np.asarray(tree.cost, np.float64) for tree in task.trees])
    items, keys = task.codes.shape
    values = task.values if len(task.distinct) else np.zeros((items, 0), np.int32)
    fixed = np.zeros((items, keys), np.bool_) if task.fixed is None else task.fixed
    weight = np.ones(items) if task.weight is None else np.asarray(task.weight, np.float64)
    order = _order([*task.codes.T, *fixed.T, *values.T], weight, task.counts)
    order = order[task.counts[order] > 0]
    codes = (task.codes + begin)[order].astype(np.int32)
    parent = parent.astype(np.int32)
    depth = _depth(parent)
    key = _telling(codes, parent, depth, cost)
    return Instance(
        order.astype(np.int64),
        key,
        begin[key],
        sizes[key],
        np.ascontiguousarray(codes[:, key]),
        np.asarray(task.counts, np.int64)[order],
        weight[order],
        np.ascontiguousarray(fixed[order][:, key]),
        np.asarray(fixed[order].any(axis=1)),
        np.ascontiguousarray(values[order], dtype=np.int32),
        np.array(task.distinct, np.int64),
        int(task.k),
        parent,
        depth,
        cost,
    )


def _order(columns: list[NDArray[np.int32]], weight: Floats, counts: Ints) -> Ints:
    """The order by columns, then weight, then count."""
    if len(counts) == 0:
        return np.zeros(0, np.int64)
    columns = [column.astype(np.int32, copy=False) for column in columns if column.any()]
    packed, _ = pack(
        [*columns, np.zeros(len(counts), np.int32)], [*(int(c.max()) + 1 for c in columns), 1]
    )
    order = np.argsort(packed)
    if (np.diff(packed[order]) == 0).any():
        order = np.lexsort((counts, weight, packed))
    return order


def _depth(parent: Nodes) -> Nodes:
    """How far each node is from its top."""
    depth = np.zeros(len(parent), np.int32)
    above = np.arange(len(parent), dtype=np.int32)
    while (moved := parent[above] != above).any():
        depth += moved
        above = parent[above]
    return depth


def _telling(codes: Nodes, parent: Nodes, depth: Nodes, cost: Floats) -> Ints:
    """The keys, those first in which two items that have nothing to do with each other cost most
    together."""
    other = codes[np.arange(len(codes)) * 7919 % max(len(codes), 1)]
    joint = joined(codes.ravel(), other.ravel(), parent, depth).reshape(codes.shape)
    apart = np.where(joint < 0, np.inf, cost[joint])
    return np.lexsort((np.arange(codes.shape[1]), -apart.sum(axis=0)))


@njit(cache=True, nogil=True)
def common(a: int, b: int, parent: Nodes, depth: Nodes) -> int:
    """The lowest node that covers both, or -1 if none does."""
    while a != b:
        if depth[a] < depth[b]:
            a, b = b, a
        if depth[a] == 0:
            return -1
        a = parent[a]
    return a


@njit(cache=True, nogil=True)
def joined(first: Nodes, second: Nodes, parent: Nodes, depth: Nodes) -> Nodes:
    """The lowest common node of each pair."""
    found = np.empty(len(first), np.int32)
    for i in range(len(first)):
        found[i] = common(first[i], second[i], parent, depth)
    return found


@njit(cache=True, nogil=True)
def closures(label: Ints, classes: int, codes: Nodes, parent: Nodes, depth: Nodes) -> Nodes:
    """The lowest cell that covers all items of each class; those with label -1 are in none."""
    cells = np.full((classes, codes.shape[1]), -1, np.int32)
    for i in range(len(label)):
        c = label[i]
        if c < 0:
            continue
        for a in range(codes.shape[1]):
            if cells[c, a] < 0:
                cells[c, a] = codes[i, a]
            else:
                cells[c, a] = common(cells[c, a], codes[i, a], parent, depth)
    return cells


@njit(cache=True, nogil=True)
def among(value: int, seen: Nodes, found: int) -> bool:
    """Whether a value is one of the first of an array."""
    known = False
    for s in range(found):
        known |= seen[s] == value
    return known
