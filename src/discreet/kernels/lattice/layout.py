"""How a sweep lays the key attributes out: bit fields, wheels and cells.

Attributes with two values may be *cells* counted inside the classes (see `tally`); all
others are bit fields of the class key, and those with more than one level are the
*wheels* that a sweep turns.  Every layout is compiled by itself, which takes seconds: short
walks, as those of most files of a few thousand records are, share one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.lattice.attribute import Attribute, Codes
from discreet.kernels.lattice.rollup import Classes, Words, class_dtype, u64

WORD_BITS = 64
_COLUMNS = 5  # sets of classes may take so many times the int32 key columns …
_SMALL = 2**26  # … or so many bytes
_SHORT = 2**22  # classes of all nodes together: they are counted in some milliseconds


class Layout(NamedTuple):
    """Where each key attribute lies.

    Attributes
    ----------
    inner : attributes counted as cells inside the classes, at most two
    outer : attributes in the class key, by falling entropy; the first is the major one
    word, shift, bits : the bit field of each outer attribute
    classes : the dtype of a class
    sets : how many sets of classes a walk holds at most
    strides : by attribute, how far one level moves the node number
    """

    inner: tuple[int, ...]
    outer: tuple[int, ...]
    word: tuple[int, ...]
    shift: tuple[int, ...]
    bits: tuple[int, ...]
    classes: np.dtype[Any]
    sets: int
    strides: tuple[int, ...]

    @property
    def cells(self) -> int:
        """Number of cells inside a class."""
        return 1 << len(self.inner)


class WalkPlan(NamedTuple):
    """The arrays that steer a walk.

    `last` … `begin` are per wheel: last level, stride of the node number, bit field, and
    where the codes of each level begin in `delta` and `gain` (see `rollup.LevelStep`).
    `major` is the shift of the major attribute, which fills its word to the top.
    `inner_node` lists the level combinations of the inner attributes by their share of
    the node number; `margin[inner_begin[q]:inner_begin[q + 1]]` are the margins that are
    classes there, `margin_share` the loss shares of the inner values.
    """

    last: Ints
    stride: Ints
    word: Ints
    shift: Words
    mask: Words
    begin: Ints
    delta: Words
    gain: Floats
    major: np.uint64
    inner_node: Ints
    inner_begin: Ints
    margin: Ints
    margin_share: Floats


def is_short(keys: Sequence[Attribute], tuples: int) -> bool:
    """Return whether a walk is so short that a layout of its own is not worth compiling."""
    return tuples * prod(key.levels for key in keys) <= _SHORT


def layout_of(
    keys: Sequence[Attribute],
    tuples: int,
    records: int,
    masks: Sequence[Words],
    beside: int = 0,
) -> Layout:
    """Choose cells and fields.

    Cells save most where memory allows: each of the two halves the number of roll-ups.
    Short walks do without.  `beside` are the bytes that a cell has beside the class.
    """
    short = is_short(keys, tuples)
    levels = [key.levels for key in keys]
    strides = tuple(prod(levels[a + 1 :]) for a in range(len(keys)))
    flags = [a for a, key in enumerate(keys) if key.values == 2 and key.levels > 1]
    room = max(_SMALL, _COLUMNS * 4 * len(keys) * tuples)
    for inner in ([],) if short else (flags[:2], flags[:1], []):
        outer = [a for a in range(len(keys)) if a not in inner]
        outer.sort(key=lambda a: (-keys[a].entropy, a))
        bits = [max((keys[a].values - 1).bit_length(), 1) for a in outer]
        word, shift = _fields(bits)
        cells = 2 ** len(inner)
        classes = class_dtype(max(word, default=0) + 1, cells, records, masks, short)
        sets = _stack_depth([levels[a] - 1 for a in outer if levels[a] > 1])
        if sets * tuples * (classes.itemsize + cells * beside) <= room:
            break
    return Layout(
        tuple(inner), tuple(outer), tuple(word), tuple(shift), tuple(bits), classes, sets, strides
    )


def _stack_depth(last: Sequence[int]) -> int:
    """Return how many sets a walk over wheels with these last levels holds at most.

    Each wheel that left its first level has a set, on top of that of the wheel before it
    that did; the next wheel takes the same place where the wheel before is at its last.
    """
    depth = [1]
    for a in range(1, len(last)):
        depth.append(max(depth[s] + (s < a - 1 or s == 0 or last[s] > 1) for s in range(a)))
    return max(depth)


def _fields(bits: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return word and shift of each field, the first in the highest bits of the last word.

    No field lies across two words.
    """
    word, shift = [], []
    at, used = 0, 0
    for width in reversed(bits):
        if used + width > WORD_BITS:
            at, used = at + 1, 0
        word.append(at)
        shift.append(used)
        used += width
    return word[::-1], shift[::-1]


def plan_of(keys: Sequence[Attribute], layout: Layout) -> WalkPlan:
    """Return the arrays that steer a walk."""
    wheels = [f for f, a in enumerate(layout.outer) if keys[a].levels > 1]
    turning = [layout.outer[f] for f in wheels]
    begin = np.zeros((len(wheels), max((keys[a].levels for a in turning), default=0) + 1), np.int64)
    delta, gain = [np.zeros(0, np.uint64)], [np.zeros(0)]
    end = 0
    for w, (f, a) in enumerate(zip(wheels, turning, strict=True)):
        for level in range(keys[a].levels - 1):
            to = keys[a].step(level)
            here = np.arange(len(to), dtype=np.uint64)
            delta.append((to.astype(np.uint64) - here) << u64(layout.shift[f]))
            gain.append(keys[a].share[level + 1][to] - keys[a].share[level])
            begin[w, level] = end
            end += len(to)
            begin[w, level + 1] = end
    return WalkPlan(
        np.array([keys[a].levels - 1 for a in turning], np.int64),
        np.array([layout.strides[a] for a in turning], np.int64),
        np.array([layout.word[f] for f in wheels], np.int64),
        np.array([layout.shift[f] for f in wheels], np.uint64),
        np.array([2 ** layout.bits[f] - 1 for f in wheels], np.uint64),
        begin,
        np.concatenate(delta),
        np.concatenate(gain),
        u64(layout.shift[0]) if layout.outer else u64(0),
        *_inner_plan(keys, layout),
    )


def _inner_plan(keys: Sequence[Attribute], layout: Layout) -> tuple[Ints, Ints, Ints, Floats]:
    """Return the inner part of the plan: which margins are classes at which inner levels."""
    nodes, begin = [], [0]
    margin: list[int] = []
    share: list[float] = []
    for levels in product(*(range(keys[a].levels) for a in layout.inner)):
        pairs = list(zip(layout.inner, levels, strict=True))
        nodes.append(sum(layout.strides[a] * level for a, level in pairs))
        for margins in product(*(_margins_at(keys[a], level) for a, level in pairs)):
            place = 0
            for position, _ in margins:
                place = 3 * place + position
            margin.append(place)
            share.append(sum((lost for _, lost in margins), 0.0))
        begin.append(len(margin))
    return np.array(nodes), np.array(begin), np.array(margin), np.array(share)


def _margins_at(key: Attribute, level: int) -> list[tuple[int, float]]:
    """Return (margin, loss share) of a two-valued attribute: 0 and 1 apart, 2 merged."""
    first, second = key.up[level]
    share = key.share[level]
    if first == second:
        return [(2, float(share[first]))]
    return [(0, float(share[first])), (1, float(share[second]))]


class Start(NamedTuple):
    """The initial classes: their number, and the class and cell of each tuple."""

    size: int
    place: Ints
    cell: NDArray[np.uint8]


def initial_classes(
    codes: Sequence[Codes],
    counts: Ints,
    masks: Sequence[Words],
    keys: Sequence[Attribute],
    layout: Layout,
    into: Classes,
) -> Start:
    """Group the tuples by the outer attributes and write the classes; return where they are.

    They are sorted by key, with the major attribute first: the order of the tuples is
    forgotten.
    """
    words = np.zeros((layout.classes["key"].shape[0], len(counts)), np.uint64)
    for f, a in enumerate(layout.outer):
        words[layout.word[f]] |= keys[a].leaf[codes[a]].astype(np.uint64) << u64(layout.shift[f])
    cell = np.zeros(len(counts), np.uint8)
    for a in layout.inner:
        cell = (2 * cell + keys[a].leaf[codes[a]]).astype(np.uint8)
    order = np.lexsort(words)
    runs = words[:, order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (runs[:, 1:] != runs[:, :-1]).any(0)
    place = np.empty(len(order), np.int64)
    place[order] = np.cumsum(fresh) - 1
    size = int(np.count_nonzero(fresh))
    into["key"][:size] = runs[:, fresh].T
    at, shape = place * layout.cells + cell, (size, layout.cells)
    records = np.zeros(size * layout.cells, np.int64)
    np.add.at(records, at, np.asarray(counts, np.int64))
    into["count"][:size] = records.reshape(shape)
    for a, mask in enumerate(masks):
        values = np.zeros(size * layout.cells, np.uint64)
        np.bitwise_or.at(values, at, mask)
        into["mask"][:size, a] = values.reshape(shape)
    into["share"][:size] = 0.0
    for f, a in enumerate(layout.outer):
        field = into["key"][:size, layout.word[f]] >> u64(layout.shift[f])
        into["share"][:size] += keys[a].share[0][field & u64(2 ** layout.bits[f] - 1)]
    return Start(size, place, cell)
