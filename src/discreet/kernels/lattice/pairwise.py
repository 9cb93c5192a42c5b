"""The best k-anonymous node without suppression, found without visiting the lattice.

Without suppression three things are known before any grouping.  The loss of a node is
the mean over the keys of one number per key and level.  If two keys alone, at their
levels, leave a class smaller than k, so does every node with these levels: keys only
split classes.  And by the rollup property, what holds at a pair of levels holds above.

So all two-way tables are rolled up through their levels, the nodes they leave over are
taken by ascending loss, and the first whose classes, counted in full, all have k
records is the answer.  On Adult the tables exclude 99 % of the nodes.

References
----------
L. Sweeney (2002), Achieving k-anonymity privacy protection using generalization and
suppression.
K. LeFevre, D. DeWitt, R. Ramakrishnan (2005), Incognito (subset and rollup property).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.lattice.attribute import Attribute, Codes, attributes
from discreet.kernels.lattice.rollup import GOLDEN, Words, hash_table, table_bits, u64

TIE = 1e-12
ID_SPAN = 2**64
_DENSE = 4  # a two-way table may have so many cells per tuple …
_SMALL = 2**16  # … or this many


class Best(NamedTuple):
    """The node found: its levels, its loss, and how many nodes were counted in full."""

    levels: tuple[int, ...]
    loss: float
    checked: int


def best_without_suppression(
    codes: Sequence[Codes],
    counts: Ints,
    maps: Sequence[Sequence[Codes]],
    shares: Sequence[Sequence[Floats]],
    k: int,
) -> Best | None:
    """Return the node of least Iyengar loss whose classes all have k or more records.

    Losses within 1e-12 are ties; then the lexicographically smallest levels win.  The
    arguments are those of `sweep.sweep`.  None means that no node is k-anonymous.
    """
    keys = attributes(codes, counts, maps, shares)
    leaves = [key.leaf[code] for key, code in zip(keys, codes, strict=True)]
    counts = np.ascontiguousarray(counts, np.int64)
    open_ = _not_excluded(keys, leaves, counts, k)
    nodes = np.flatnonzero(open_)
    if not len(nodes):
        return None
    loss = _losses(keys).ravel()[nodes]
    levels = np.stack(np.unravel_index(nodes, open_.shape), 1)
    check = _Checker(keys, leaves, counts, levels.min(0))
    best, least, checked = -1, np.inf, 0
    for at in np.argsort(loss, kind="stable"):
        if loss[at] > least + TIE:
            break
        if best >= 0 and nodes[at] > nodes[best]:
            continue
        if check.witness_fails(levels[at], k):
            continue
        checked += 1
        if check.smallest_class(levels[at]) >= k:
            least = min(least, loss[at])
            best = int(at)
    if best < 0:
        return None
    return Best(tuple(int(level) for level in levels[best]), float(loss[best]), checked)


def _losses(keys: Sequence[Attribute]) -> Floats:
    """Return the loss of every node, in the shape of the lattice."""
    total = np.zeros(())
    for key in keys:
        total = np.add.outer(total, [key.mean_share(level) for level in range(key.levels)])
    return total / len(keys)


def _not_excluded(
    keys: Sequence[Attribute], leaves: Sequence[NDArray[np.int32]], counts: Ints, k: int
) -> Bools:
    """Return which nodes no two-way table excludes, in the shape of the lattice."""
    kept = np.ones([key.levels for key in keys], bool)
    if len(keys) == 1:
        return kept
    for a, b in combinations(range(len(keys)), 2):
        holds = _pair_holds(keys[a], leaves[a], keys[b], leaves[b], counts, k)
        shape = [1] * len(keys)
        shape[a], shape[b] = holds.shape
        kept &= holds.reshape(shape)
    return kept


def _pair_holds(
    first: Attribute,
    first_leaf: NDArray[np.int32],
    second: Attribute,
    second_leaf: NDArray[np.int32],
    counts: Ints,
    k: int,
) -> Bools:
    """Return, by the levels of two keys, whether all their common classes have k records.

    Where the finest table is too large to be laid out, the pair starts higher up; what
    is not counted counts as holding, for it excludes nothing.
    """
    holds = np.ones((first.levels, second.levels), bool)
    room = max(_SMALL, _DENSE * len(counts))
    low = 0
    while len(first.share[low]) * second.values > room and low < first.levels - 1:
        low += 1
    if len(first.share[low]) * second.values > room:
        return holds
    table = np.zeros((len(first.share[low]), second.values), np.int64)
    _count_pairs(table, first.up[low], first_leaf, second_leaf, counts)
    for level in range(low, first.levels):
        if level > low:
            table = _merge_rows(table, first.step(level - 1), len(first.share[level]))
        columns = np.ascontiguousarray(table.T)
        for other in range(second.levels):
            if other:
                columns = _merge_rows(columns, second.step(other - 1), len(second.share[other]))
            holds[level, other] = not _any_below(columns.ravel(), k)
    return holds


@njit(cache=True, nogil=True)
def _count_pairs(
    table: Ints,
    up: NDArray[np.int32],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    counts: Ints,
) -> None:
    for i in range(len(counts)):
        table[up[first[i]], second[i]] += counts[i]


def _merge_rows(table: Ints, step: NDArray[np.int32], rows: int) -> Ints:
    merged = np.zeros((rows, table.shape[1]), np.int64)
    _add_rows(table, step, merged)
    return merged


@njit(cache=True, nogil=True)
def _add_rows(table: Ints, step: NDArray[np.int32], merged: Ints) -> None:
    for r in range(table.shape[0]):
        to = step[r]
        for c in range(table.shape[1]):
            merged[to, c] += table[r, c]


@njit(cache=True, nogil=True)
def _any_below(cells: Ints, k: int) -> bool:
    """Tell whether a cell is neither empty nor at least k."""
    for i in range(len(cells)):  # noqa: SIM110 (Numba has no generator expressions)
        if 0 < cells[i] < k:
            return True
    return False


class _Checker:
    """Counts nodes in full, from the tuples as they are at the least level of each key.

    Nodes below `floor` are out of the question, so the tuples are merged up to it first.
    """

    def __init__(
        self,
        keys: Sequence[Attribute],
        leaves: Sequence[NDArray[np.int32]],
        counts: Ints,
        floor: Ints,
    ) -> None:
        self.keys, self.leaves, self.counts = keys, leaves, counts
        first, self.counts = self._classes(floor)
        self.leaves = [leaf[first] for leaf in leaves]
        self.witness = 0

    def smallest_class(self, levels: Ints) -> int:
        """Return the size of the smallest class of a node; its first tuple is the new witness."""
        first, merged = self._classes(levels)
        smallest = int(np.argmin(merged))
        self.witness = int(first[smallest])
        return int(merged[smallest])

    def witness_fails(self, levels: Ints, k: int) -> bool:
        """Tell whether the class of the witness alone shows that a node is not k-anonymous.

        What made one node fail often makes the next one fail, and one class is found by
        filtering, the key with most codes first, where all classes must be grouped.
        """
        codes = [len(key.share[at]) for key, at in zip(self.keys, levels, strict=True)]
        rows = None
        for a in np.argsort(codes, kind="stable")[::-1]:
            up, leaf = self.keys[a].up[levels[a]], self.leaves[a]
            alike = up == up[leaf[self.witness]]
            rows = np.flatnonzero(alike[leaf]) if rows is None else rows[alike[leaf[rows]]]
        return bool(self.counts[rows].sum() < k)

    def _classes(self, levels: Ints) -> tuple[Ints, Ints]:
        """Return the first tuple and the records of each class of a node."""
        ids = _identify(self.keys, self.leaves, levels)
        first, merged = np.empty(len(ids), np.int64), np.zeros(len(ids), np.int64)
        size = _group(ids, self.counts, hash_table(len(ids)), first, merged)
        return first[:size], merged[:size]


def _identify(
    keys: Sequence[Attribute], leaves: Sequence[NDArray[np.int32]], levels: Ints
) -> Words:
    """Return one number per tuple, equal in a class; re-ranked before it overflows."""
    ids = np.zeros(len(leaves[0]), np.uint64)
    span = 1
    for key, leaf, level in zip(keys, leaves, levels, strict=True):
        width = len(key.share[level])
        if span * width > ID_SPAN:
            ids = np.unique(ids, return_inverse=True)[1].astype(np.uint64)
            span = int(ids.max()) + 1
        _append(ids, u64(width), key.up[level], leaf)
        span *= width
    return ids


@njit(cache=True, nogil=True)
def _append(ids: Words, width: np.uint64, up: NDArray[np.int32], leaf: NDArray[np.int32]) -> None:
    for i in range(len(ids)):
        ids[i] = ids[i] * width + u64(up[leaf[i]])


@njit(cache=True, nogil=True)
def _group(ids: Words, counts: Ints, table: NDArray[np.uint32], first: Ints, merged: Ints) -> int:
    """Sum `counts` by id into `merged`, with the first tuple of each; return their number."""
    bits = table_bits(len(ids))
    down = u64(64 - bits)
    last = u64((1 << bits) - 1)
    found = 0
    for i in range(len(ids)):
        slot = ((ids[i] ^ (ids[i] >> u64(32))) * GOLDEN) >> down
        while table[slot] > 0 and ids[first[table[slot] - 1]] != ids[i]:
            slot = (slot + u64(1)) & last
        if table[slot] == 0:
            first[found] = i
            found += 1
            table[slot] = found
        merged[table[slot] - 1] += counts[i]
    return found
