"""Whole levels: the best that one level per key can do, where that is cheaper than what is known.

The levels of a node cost, without a record left out, a sum over the keys, and leaving records out
costs more. So only nodes whose sum is below a price that is reached already can be cheaper: few,
where local recoding does well, and they are counted one by one in the order of that sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.kernels.labels import label
from discreet.kernels.local_recoding.task import Cells
from discreet.kernels.packing import pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Bools, Ints
    from discreet.masking.local_recoding.request import RecodingRequest

_MOST = 20_000  # nodes that are counted at most
_READS = 200_000_000  # items of keys that are read at most


class Answer(NamedTuple):
    """The cells of the records, which of the rows are left out, and what it costs: the price of the
    cells, and 1 per key of a record that is left out."""

    cells: Cells
    gone: Bools
    price: float

    @property
    def suppressed(self) -> int:
        """Number of records left out."""
        return int(self.cells.count[self.gone].sum())


def cheaper_levels(asked: RecodingRequest, price: float) -> Answer | None:
    """The node of least loss, if it costs less than a price."""
    best, found = price, None
    for cost, levels in _nodes(asked, price):
        if cost >= best:
            break
        made = _at(asked, levels)
        if made is not None and made.price < best * (1 - 1e-12):
            best, found = made.price, made
    return found


def _nodes(asked: RecodingRequest, price: float) -> Iterator[tuple[float, tuple[int, ...]]]:
    """The nodes that cost less than a price where nothing is left out, the cheapest first."""
    task, heights = asked.task, [r.height + 1 for r in asked.recodings]
    sums = []
    for a, recoding in enumerate(asked.recodings):
        records = np.bincount(task.codes[:, a], task.counts, len(recoding.values))
        shares = [recoding.shares(i)[recoding.maps[i]] for i in range(heights[a])]
        sums.append([float((records * share).sum()) for share in shares])
    found: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for levels in sums:
        found = [
            (cost + more, (*node, level))
            for cost, node in found
            for level, more in enumerate(levels)
            if cost + more < price
        ]
        found = sorted(found)[: min(_MOST, max(_READS // task.codes.size, 1))]
    yield from found


def _at(asked: RecodingRequest, levels: tuple[int, ...]) -> Answer | None:
    """What a node gives; None where it would leave out too many records."""
    task = asked.task
    maps = [r.maps[level] for r, level in zip(asked.recodings, levels, strict=True)]
    codes = [to[task.codes[:, a]] for a, to in enumerate(maps)]
    codes += [*asked.within_strata.codes.T[len(maps) :]]
    owner, classes = label(pack(codes, [int(column.max()) + 1 for column in codes])[0])
    size = np.bincount(owner, task.counts, classes).astype(np.int64)
    if int(size[size < task.k].sum()) > asked.budget:
        return None
    items = np.arange(len(task.counts))
    gone = ~asked.of_classes.passes(items, task.counts, owner, classes)[owner]
    if int(task.counts[gone].sum()) > asked.budget:
        return None
    shown = [_shown(asked, a, level) for a, level in enumerate(levels)]
    node = np.column_stack(shown).astype(np.int32)
    for one in asked.people:
        if one.leaves_out(node):
            return None
        gone |= one.fails(_sizes(node, task.counts), one.behind(node))
    if int(task.counts[gone].sum()) > asked.budget:
        return None
    return answer(asked, Cells(items, node, task.counts), gone)


def _sizes(node: NDArray[np.int32], counts: Ints) -> Ints:
    """Per item the records that show the same cell, in all strata."""
    _, owner = np.unique(node, axis=0, return_inverse=True)
    owner = owner.reshape(-1)
    return np.asarray(np.bincount(owner, counts)[owner].astype(np.int64))


def _shown(asked: RecodingRequest, a: int, level: int) -> NDArray[np.int32]:
    """The node of each item at a level of a key."""
    nodes, recoding, codes = asked.nodes[asked.keys[a]], asked.recodings[a], asked.task.codes[:, a]
    if not level or nodes.labels is None:
        return codes
    place = {text: node for node, text in enumerate(nodes.labels.to_pylist())}
    shown = np.array([place[text] for text in recoding.labels[level].to_pylist()], np.int32)
    return np.asarray(shown[recoding.maps[level][codes]])


def answer(asked: RecodingRequest, cells: Cells, gone: Bools) -> Answer:
    """An answer with its price."""
    out = int(cells.count[gone].sum())
    return Answer(cells, gone, cells.only(~gone).price(asked.task) + out * len(asked.keys))
