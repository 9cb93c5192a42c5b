"""How a sweep lays the key attributes out: bit fields, wheels and cells.

Attributes with two values may be *cells* counted inside the classes (see `tally`); all
others are bit fields of the class key, and those with more than one level are the
*wheels* that a sweep turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from discreet.kernels.lattice.attribute import Attribute, Codes
from discreet.kernels.lattice.rollup import Classes, Floats, Ints, Words, class_dtype, u64

WORD_BITS = 64
_COLUMNS = 5.5  # sets of classes may take so many times the int32 key columns …
_SMALL = 2**26  # … or so many bytes


class Layout(NamedTuple):
    """Where each key attribute lies.

    Attributes
    ----------
    inner : attributes counted as cells inside the classes, at most two
    outer : attributes in the class key, by falling entropy; the first is the major one
    word, shift, bits : the bit field of each outer attribute
    classes : the dtype of a class
    strides : by attribute, how far one level moves the node number
    """

    inner: tuple[int, ...]
    outer: tuple[int, ...]
    word: tuple[int, ...]
    shift: tuple[int, ...]
    bits: tuple[int, ...]
    classes: np.dtype[Any]
    strides: tuple[int, ...]

    @property
    def cells(self) -> int:
        """Number of cells inside a class."""
        return 2 ** len(self.inner)


class Plan(NamedTuple):
    """The arrays that steer a walk.

    `last` … `begin` are per wheel: last level, stride of the node number, bit field, and
    where the codes of each level begin in `delta` and `gain` (see `rollup.Step`).
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


def layout_of(
    keys: Sequence[Attribute], tuples: int, records: int, masks: Sequence[Words]
) -> Layout:
    """Choose cells and fields.

    Cells save most where memory allows: each of the two halves the number of roll-ups.
    """
    levels = [key.levels for key in keys]
    strides = tuple(prod(levels[a + 1 :]) for a in range(len(keys)))
    flags = [a for a, key in enumerate(keys) if key.values == 2 and key.levels > 1]
    room = max(_SMALL, _COLUMNS * 4 * len(keys) * tuples)
    for inner in (flags[:2], flags[:1], []):
        outer = [a for a in range(len(keys)) if a not in inner]
        outer.sort(key=lambda a: (-keys[a].entropy, a))
        bits = [max((keys[a].values - 1).bit_length(), 1) for a in outer]
        word, shift = _fields(bits)
        classes = class_dtype(max(word, default=0) + 1, 2 ** len(inner), records, masks)
        sets = max(sum(levels[a] > 1 for a in outer), 1)
        if sets * tuples * classes.itemsize <= room:
            break
    return Layout(
        tuple(inner), tuple(outer), tuple(word), tuple(shift), tuple(bits), classes, strides
    )


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


def plan_of(keys: Sequence[Attribute], layout: Layout) -> Plan:
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
    return Plan(
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


def initial_classes(
    codes: Sequence[Codes],
    counts: Ints,
    masks: Sequence[Words],
    keys: Sequence[Attribute],
    layout: Layout,
) -> Classes:
    """Group the tuples by the outer attributes, sorted by key, so that their order is forgotten."""
    words = np.zeros((layout.classes["key"].shape[0], len(counts)), np.uint64)
    for f, a in enumerate(layout.outer):
        words[layout.word[f]] |= keys[a].leaf[codes[a]].astype(np.uint64) << u64(layout.shift[f])
    cell = np.zeros(len(counts), np.int64)
    for a in layout.inner:
        cell = 2 * cell + keys[a].leaf[codes[a]]
    order = np.lexsort(words)
    words = words[:, order]
    starts = np.ones(len(counts), bool)
    starts[1:] = (words[:, 1:] != words[:, :-1]).any(0)
    place = layout.cells * (np.cumsum(starts) - 1) + cell[order]
    classes = np.zeros(np.count_nonzero(starts), layout.classes)
    classes["key"] = words[:, starts].T
    count = np.zeros(classes["count"].size, np.int64)
    np.add.at(count, place, counts[order])
    classes["count"] = count.reshape(classes["count"].shape)
    for c, mask in enumerate(masks):
        union = np.zeros(count.size, np.uint64)
        np.bitwise_or.at(union, place, mask[order])
        classes["mask"][:, c] = union.reshape(classes["count"].shape)
    for f, a in enumerate(layout.outer):
        field = (classes["key"][:, layout.word[f]] >> u64(layout.shift[f])) & u64(
            2 ** layout.bits[f] - 1
        )
        classes["share"] += keys[a].share[0][field]
    return classes
