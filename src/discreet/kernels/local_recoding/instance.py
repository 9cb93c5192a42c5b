"""A task as the kernels read it: items in a fixed order, all trees in one, a number per node.

The nodes of all keys are numbered through, so that one array holds the parents and one the costs.
The items are sorted, so that their order in the task changes nothing; the keys come in an order in
which unlike items are told apart early, which saves time and changes no price.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels import draws
from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import inner, njit
from discreet.kernels.local_recoding.task import CellTask
from discreet.kernels.packing import pack

Nodes = NDArray[np.int32]
Records = NDArray[Any]  # of numpy records, whose fields kernels read by name
_PAIRS = 50_000  # of items that are compared to order the keys


ITEM = np.dtype((np.record, [("place", "i8"), ("records", "i8"), ("weight", "f8"), ("bound", "?")]))
NODE = np.dtype((np.record, [("parent", "i4"), ("depth", "i4"), ("cost", "f8")]))
KEY = np.dtype((np.record, [("place", "i8"), ("start", "i8"), ("nodes", "i8")]))


class Instance(NamedTuple):
    """Items, trees and what a class needs.

    Kernels that call each other hand all arrays on each time, so there are few: what belongs to one
    item, node or key stands together.
    """

    items: Records  # where it is in the task, its records and weight, and whether any node is fixed
    codes: Nodes  # items × keys
    fixed: Bools  # items × keys
    values: Nodes  # items × attributes
    distinct: Ints
    k: int
    tree: Records  # per node its parent, its depth and what it costs
    keys: Records  # where it is in the task, the number of its first node, and how many it has

    @property
    def item(self) -> Ints:
        """Where each item is in the task."""
        return self.items["place"]

    @property
    def counts(self) -> Ints:
        """Records of each item."""
        return self.items["records"]

    @property
    def weight(self) -> Floats:
        """What the change of each item is worth."""
        return self.items["weight"]

    @property
    def bound(self) -> Bools:
        """Whether any node of each item is fixed."""
        return self.items["bound"]

    @property
    def parent(self) -> Nodes:
        """The node above each."""
        return self.tree["parent"]

    @property
    def depth(self) -> Nodes:
        """How far each node is from its top."""
        return self.tree["depth"]

    @property
    def cost(self) -> Floats:
        """What each node costs."""
        return self.tree["cost"]


def records_of(kind: np.dtype[Any], **columns: Any) -> Records:
    """Columns as the fields of records."""
    made = np.empty(len(next(iter(columns.values()))), kind)
    for name, column in columns.items():
        made[name] = column
    return made


def instance(task: CellTask) -> Instance:
    """Lay a task out."""
    sizes = np.array([len(tree.parent) for tree in task.trees], np.int32)
    begin = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
    parent = np.concatenate([t.parent + s for t, s in zip(task.trees, begin, strict=True)])
    cost = np.concatenate([np.asarray(tree.cost, np.float64) for tree in task.trees])
    tree = tree_nodes(parent.astype(np.int32), cost)
    items, keys = task.codes.shape
    values = task.values if len(task.distinct) else np.zeros((items, 0), np.int32)
    fixed = np.zeros((items, keys), np.bool_) if task.fixed is None else task.fixed
    weight = np.ones(items) if task.weight is None else np.asarray(task.weight, np.float64)
    order = _order([*task.codes.T, *fixed.T, *values.T], weight, task.counts)
    order = order[task.counts[order] > 0]
    codes, fixed = np.take(task.codes, order, axis=0) + begin, np.take(fixed, order, axis=0)
    key = _telling(codes, tree)
    return Instance(
        records_of(
            ITEM,
            place=order,
            records=task.counts[order],
            weight=weight[order],
            bound=fixed.any(axis=1),
        ),
        np.ascontiguousarray(np.take(codes, key, axis=1), dtype=np.int32),
        np.ascontiguousarray(np.take(fixed, key, axis=1)),
        np.ascontiguousarray(values[order], dtype=np.int32),
        np.array(task.distinct, np.int64),
        int(task.k),
        tree,
        records_of(KEY, place=key, start=begin[key], nodes=sizes[key]),
    )


def _order(columns: list[NDArray[np.int32]], weight: Floats, counts: Ints) -> Ints:
    """The order by columns, then weight, then count."""
    if len(counts) == 0:
        return np.zeros(0, np.int64)
    columns = [column.astype(np.int32, copy=False) for column in columns if column.any()]
    packed, _ = pack(
        [*columns, np.zeros(len(counts), np.int32)], [*(int(c.max()) + 1 for c in columns), 1]
    )
    if (packed[1:] > packed[:-1]).all():
        return np.arange(len(packed))
    order = np.argsort(packed)
    if (np.diff(packed[order]) == 0).any():
        order = np.lexsort((counts, weight, packed))
    return order


def tree_nodes(parent: Nodes, cost: Floats) -> Records:
    """Nodes with their parents, costs, and how far each is from its top."""
    depth = np.zeros(len(parent), np.int32)
    above = np.arange(len(parent), dtype=np.int32)
    while (moved := parent[above] != above).any():
        depth += moved
        above = parent[above]
    return records_of(NODE, parent=parent, depth=depth, cost=cost)


def _telling(codes: Nodes, tree: Records) -> Ints:
    """The keys, those first in which two items that have nothing to do with each other cost most
    together."""
    step = max(len(codes) // _PAIRS, 1)
    some = np.arange(0, len(codes), step)
    pairs = codes[some], codes[some * 7919 % max(len(codes), 1)]
    joint = joined(*pairs, tree)
    apart = np.where(joint < 0, np.inf, tree["cost"][joint])
    return np.lexsort((np.arange(codes.shape[1]), -apart.sum(axis=0)))


def joined(first: Nodes, second: Nodes, tree: Records) -> Nodes:
    """The lowest common node of each pair, -1 where there is none."""
    joint = np.full(first.shape, -1, np.int32)
    for above in lifted_nodes(tree):
        one, two = np.take(above, first), np.take(above, second)
        joint = np.where(one == two, one, joint)
    return joint


def lifted_nodes(tree: Records) -> Nodes:
    """Per depth and node the node itself or the one above it, no deeper than that."""
    parent, depth = tree["parent"], tree["depth"]
    lifted = [np.arange(len(tree), dtype=np.int32)]
    for most in range(int(depth.max(initial=0)) - 1, -1, -1):
        below = lifted[-1]
        lifted.append(np.where(depth[below] > most, parent[below], below))
    return np.ascontiguousarray(lifted[::-1], dtype=np.int32)


@inner
def common(a: int, b: int, tree: Records) -> int:
    """The lowest node that covers both, or -1 if none does."""
    while a != b:
        if tree[a].depth < tree[b].depth:
            a, b = b, a
        if tree[a].depth == 0:
            return -1
        a = tree[a].parent
    return a


@njit(cache=True, nogil=True)
def closures(label: Ints, classes: int, codes: Nodes, tree: Records) -> Nodes:
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
                cells[c, a] = common(cells[c, a], codes[i, a], tree)
    return cells


@inner
def varied(at: Instance, rows: Records, first: int, without: int) -> bool:
    """Whether a chain of rows, one left out, has enough different values of every attribute.

    Rows know their item (`of`) and the next one of the chain (`after`).
    """
    for j in range(len(at.distinct)):
        seen = np.empty(at.distinct[j], np.int32)
        found = np.int64(0)
        row = first
        while row >= 0 and found < len(seen):
            if row != without:
                value = at.values[rows[row].of, j]
                if not _among(value, seen, found):
                    seen[found] = value
                    found += 1
            row = rows[row].after
        if found < len(seen):
            return False
    return True


@inner
def _among(value: int, seen: Nodes, found: int) -> bool:
    """Whether a value is one of the first of an array."""
    known = False
    for s in range(found):
        known |= seen[s] == value
    return known


# -- Cuts through the trees ------------------------------------------------------------------------
#
# A depth for each key shows every item at the nodes of that depth, or lower where its own node is
# higher.


class Cuts(NamedTuple):
    """The cheapest cuts, and each node at each depth."""

    depth: Nodes  # cuts × keys
    least: Floats  # per cut what its cheapest cell may cost at least
    lifted: Nodes  # depths × nodes: the node itself or the one above it, no deeper than that
    mixed: NDArray[np.uint64]  # the same as 64 bits that look random


def cheapest_cuts(at: Instance, most: int) -> Cuts:
    """The cuts of least mean cost, cheapest first.

    Key by key: what is not among the cheapest for some keys is not among them for all.
    """
    lifted = lifted_nodes(at.tree)
    kept, mean, least = np.zeros((1, 0), np.int32), np.zeros(1), np.zeros(1)
    for column in at.codes.T:
        depths = np.arange(at.depth[column].max(initial=0), -1, -1, dtype=np.int32)
        cost = at.cost[lifted[depths][:, column]]
        total = (mean[:, None] + cost @ at.counts / at.counts.sum()).ravel()
        lowest = (least[:, None] + cost.min(axis=1)).ravel()
        best = np.argsort(total, kind="stable")[:most]
        kept = np.column_stack([np.repeat(kept, len(depths), 0), np.tile(depths, len(kept))])
        kept, mean, least = kept[best], total[best], lowest[best]
    return Cuts(np.ascontiguousarray(kept), least, lifted, mixed(lifted))


def mixed(nodes: Nodes) -> NDArray[np.uint64]:
    """Numbers as 64 bits that look random (splitmix64)."""
    return draws.mixed(nodes.astype(np.uint64) * np.uint64(draws.STEP), 0)
