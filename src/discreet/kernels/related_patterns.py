"""Related tuples by patterns: quick where one side shows few kinds of cells, such as blanks.

The codes of an attribute on the right are put into layers, so that within a layer a value on the
left is related to one code at most: all values that stand for themselves are a layer, a blank is
another, and every level of a hierarchy one more. Tuples on the right with the same layers form a
pattern; for each pattern the tuples on the left become codes of its layers and are looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.compatible import joint_keys, places
from discreet.kernels.compilation import njit
from discreet.kernels.packing import pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Ints
    from discreet.kernels.packing import Codes
    from discreet.kernels.related_tuples import CellRelation

_MOST_LAYERS = 12
_MOST_PATTERNS = 300
_DENSE = 8  # keys per tuple up to which every possible key has a place of its own


@dataclass(frozen=True, eq=False)
class _Layers:
    """The layer of each code on the right, and per layer the code of each value on the left."""

    of: NDArray[np.int64]
    code: NDArray[np.int64]


def pattern_sums(
    left: Codes,
    right: Codes,
    relations: Sequence[CellRelation],
    of_left: Ints,
    of_right: Ints,
) -> tuple[Ints, Ints] | None:
    """As ``related_sums``; None where there are too many patterns for it to be quick."""
    layers = []
    for relation in relations:
        found = _layers(relation)
        if found is None:
            return None
        layers.append(found)
    kinds = [one.of[codes] for one, codes in zip(layers, right, strict=True)]
    packed, _ = pack(kinds, [len(one.code) for one in layers])
    _, first, which = np.unique(packed, return_index=True, return_inverse=True)
    if len(first) > _MOST_PATTERNS:
        return None
    members = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
    sums = np.zeros(len(of_left)), np.zeros(len(of_right))
    for rows in members:
        shown = [one.code[kind[rows[0]]] for one, kind in zip(layers, kinds, strict=True)]
        _add(left, [codes[rows] for codes in right], shown, of_left, of_right[rows], rows, sums)
    return sums[0].astype(np.int64), sums[1].astype(np.int64)


def _add(
    left: Codes,
    right: Codes,
    shown: Sequence[Ints],
    of_left: Ints,
    of_right: Ints,
    rows: NDArray[np.intp],
    sums: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> None:
    """Add what the tuples of one pattern on the right are related to; ``shown`` says per attribute
    which of their codes each value on the left is related to, or −1.
    """
    telling = [
        a
        for a, codes in enumerate(shown)
        if (codes != right[a][0]).any() or (right[a] != right[a][0]).any()
    ]
    mine = [shown[a][left[a]] for a in telling]
    fit = np.arange(len(of_left))
    if any(codes.min(initial=0) < 0 for codes in mine):
        fit = np.flatnonzero(np.logical_and.reduce([codes >= 0 for codes in mine]))
        mine = [codes[fit] for codes in mine]
    cards = [int(max(shown[a].max(), right[a].max())) + 1 for a in telling]
    theirs = [right[a] for a in telling]
    every = list(range(len(telling)))
    if telling:
        at_left, at_right, bound = joint_keys(mine, theirs, cards, every)
    else:
        at_left, at_right, bound = np.zeros(len(fit), np.int64), np.zeros(len(rows), np.int64), 1
    if bound > _DENSE * (len(fit) + len(rows)):
        distinct, at_right = np.unique(at_right, return_inverse=True)
        at_left, bound = places(distinct, at_left), len(distinct) + 1
    sums[1][rows] = np.bincount(at_left, of_left[fit], bound)[at_right]
    sums[0][fit] += np.bincount(at_right, of_right, bound)[at_left]


def _layers(relation: CellRelation) -> _Layers | None:
    """Put the codes on the right into layers, those related to most values first, each into the
    first layer in which none of its values has a code; None where there would be many layers.
    """
    sizes = np.diff(relation.start)
    code = np.full((_MOST_LAYERS, relation.number), -1, dtype=np.int64)
    of = np.zeros(len(sizes), dtype=np.int64)
    order = np.argsort(-sizes, kind="stable")
    number = _fill(relation.start, relation.left, order, code, of)
    return _Layers(of, code[:number]) if number else None


@njit(cache=True, nogil=True)
def _fill(start, left, order, code, of):  # type: ignore[no-untyped-def]
    """How many layers there are; 0 where they do not suffice."""
    number = 1
    for right in order:
        layer, free = 0, False
        while not free and layer < code.shape[0]:
            free = True
            for i in range(start[right], start[right + 1]):
                if code[layer, left[i]] >= 0:
                    free = False
                    break
            if not free:
                layer += 1
        if not free:
            return 0
        for i in range(start[right], start[right + 1]):
            code[layer, left[i]] = right
        of[right] = layer
        number = max(number, layer + 1)
    return number
