"""Related tuples: sums over the tuples of another list whose cells are all related to one's own.

Which cells are related is said per attribute, value by value: a blank may be related to all values,
a group to those that it holds. Both lists become trees of their beginnings; the walk goes down
both at once and only where all cells so far are related, so that it takes as long as there are
related beginnings, and never looks at all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.kernels.compatible import compatible_counts, joint_keys, matches, places
from discreet.kernels.compilation import njit
from discreet.kernels.packing import pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Bools, Ints
    from discreet.kernels.packing import Codes


_MOST_LAYERS = 12
_MOST_PATTERNS = 300
_DENSE = 8  # keys per tuple up to which every possible key has a place of its own


@dataclass(frozen=True, eq=False)
class CellRelation:
    """Which codes of an attribute on the left are related to which on the right.

    Attributes
    ----------
    start : array
        Per code on the right, and one more: where its part of ``left`` begins.
    left : array
        The codes on the left that are related to it, in order.
    number : int
        How many codes there are on the left.
    """

    start: Ints
    left: Ints
    number: int

    @classmethod
    def of_pairs(cls, left: Ints, right: Ints, lefts: int, rights: int) -> CellRelation:
        """From all related pairs, in any order, some of them perhaps more than once.

        Examples
        --------
        >>> found = CellRelation.of_pairs(np.array([1, 0, 1]), np.array([0, 1, 1]), 2, 2)
        >>> found.start.tolist(), found.left.tolist()
        ([0, 1, 3], [1, 0, 1])
        """
        packed = np.unique(right.astype(np.int64) * lefts + left)
        start = np.searchsorted(packed, np.arange(rights + 1, dtype=np.int64) * lefts)
        return cls(start.astype(np.int64), packed % max(lefts, 1), lefts)

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """All related pairs: codes on the left, codes on the right."""
        return self.left, np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def holds(self, left: NDArray[np.integer], right: NDArray[np.integer]) -> Bools:
        """Whether the codes at each place are related."""
        known = self.pairs[1] * self.number + self.left
        asked = right.astype(np.int64) * self.number + left
        at = np.minimum(np.searchsorted(known, asked), max(len(known) - 1, 0))
        return known[at] == asked if len(known) else np.zeros(len(asked), dtype=np.bool_)

    @property
    def density(self) -> float:
        """The share of all pairs that is related."""
        return len(self.left) / max(self.number * (len(self.start) - 1), 1)

    def with_itself(self) -> CellRelation:
        """Which codes on the right have a code on the left in common.

        Examples
        --------
        >>> blank = CellRelation.of_pairs(np.array([0, 1, 0, 1]), np.array([0, 1, 2, 2]), 2, 3)
        >>> left, right = blank.with_itself().pairs
        >>> list(zip(left.tolist(), right.tolist()))
        [(0, 0), (2, 0), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)]
        """
        left, right = self.pairs
        rights = len(self.start) - 1
        one, other = matches(left, left)
        return CellRelation.of_pairs(right[one], right[other], rights, rights)


class _Prefixes(NamedTuple):
    """The tree of the beginnings of tuples, level after level; node ``i`` of a level has the
    children ``first[i]`` to ``first[i + 1]``, and those of the last level are whole tuples.
    """

    order: NDArray[np.intp]
    label: Ints
    first: Ints
    top: int


def related_sums(
    left: Codes,
    right: Codes,
    relations: Sequence[CellRelation],
    of_left: Ints,
    of_right: Ints,
) -> tuple[Ints, Ints]:
    """Sums over related tuples, for each tuple of two lists.

    Parameters
    ----------
    left, right : sequence of integer arrays
        Distinct tuples of each list, a column per attribute.
    relations : sequence of CellRelation
        One per attribute.
    of_left, of_right : arrays
        What a tuple counts for.

    Returns
    -------
    tuple of arrays
        Per tuple on the left the sum over the related ones on the right, and the other way round.

    Examples
    --------
    A blank, code 2, is related to both values:

    >>> sex = CellRelation.of_pairs(np.array([0, 1, 0, 1]), np.array([0, 1, 2, 2]), 2, 3)
    >>> known, released = [np.array([0, 1])], [np.array([0, 2])]
    >>> sums = related_sums(known, released, [sex], np.array([5, 3]), np.array([6, 2]))
    >>> sums[0].tolist(), sums[1].tolist()
    ([8, 2], [5, 8])
    """
    quick = pattern_sums(left, right, relations, of_left, of_right)
    if quick is not None:
        return quick
    return walked_sums(left, right, relations, of_left, of_right)


def alike_sums(
    codes: Codes, relations: Sequence[CellRelation], missing: Sequence[int], counts: Ints
) -> Ints:
    """Per tuple the sum over those of the same list that have a value on the left in common with
    it in every attribute; ``missing`` is the code of a blank, or −1.

    Examples
    --------
    >>> sex = CellRelation.of_pairs(np.array([0, 1, 0, 1]), np.array([0, 1, 2, 2]), 2, 3)
    >>> alike_sums([np.array([0, 1, 2])], [sex], [2], np.array([5, 3, 1])).tolist()
    [6, 4, 9]
    """
    alike = [relation.with_itself() for relation in relations]
    if all(_is_equality(one, blank) for one, blank in zip(alike, missing, strict=True)):
        cards = [relation.number for relation in alike]
        return compatible_counts(codes, cards, missing, counts)
    return walked_sums(codes, codes, alike, counts, counts)[0]


def _is_equality(relation: CellRelation, blank: int) -> bool:
    """Whether codes are related if they are equal, or one of them is blank, and not else."""
    left, right = relation.pairs
    with_blank = (left == blank) | (right == blank)
    others = relation.number - (blank >= 0)
    alone = (left[~with_blank] == right[~with_blank]).all() and (~with_blank).sum() == others
    return bool(alone and with_blank.sum() == (2 * others + 1 if blank >= 0 else 0))


def walked_sums(
    left: Codes,
    right: Codes,
    relations: Sequence[CellRelation],
    of_left: Ints,
    of_right: Ints,
) -> tuple[Ints, Ints]:
    """As :func:`related_sums`, by a walk down the beginnings of both lists."""
    order = sorted(range(len(relations)), key=lambda a: (relations[a].density, a))
    one, other = (_prefixes([side[a] for a in order]) for side in (left, right))
    chosen = [relations[a] for a in order]
    sizes = [len(relation.left) for relation in chosen]
    shifts = np.cumsum([0, *sizes[:-1]])
    starts = [relation.start + shift for relation, shift in zip(chosen, shifts, strict=True)]
    sums = np.zeros(len(of_left), np.int64), np.zeros(len(of_right), np.int64)
    _walk(
        (one.label, one.first, one.top),
        (other.label, other.first, other.top),
        np.concatenate(starts),
        np.cumsum([0, *(len(start) for start in starts)]),
        np.concatenate([relation.left for relation in chosen]),
        np.array([relation.number for relation in chosen], np.int64),
        of_left[one.order],
        of_right[other.order],
        *sums,
    )
    found = np.empty_like(sums[0]), np.empty_like(sums[1])
    found[0][one.order], found[1][other.order] = sums
    return found


def _prefixes(columns: Codes) -> _Prefixes:
    order = np.lexsort(columns[::-1])
    new = np.arange(len(order)) == 0
    labels, places = [], []
    for column in columns:
        ordered = column[order]
        new = new.copy()
        new[1:] |= ordered[1:] != ordered[:-1]
        starts = np.flatnonzero(new)
        labels.append(ordered[starts].astype(np.int64))
        places.append(starts)
    ends = np.cumsum([len(starts) for starts in places])
    below = [
        end + np.searchsorted(lower, starts)
        for end, starts, lower in zip(ends, places, [*places[1:], places[-1]], strict=True)
    ]
    return _Prefixes(order, np.concatenate(labels), np.concatenate(below), int(ends[0]))


@njit(cache=True, nogil=True)
def _walk(one, other, starts, shift, related, number, of_one, of_other, sum_one, sum_other):  # type: ignore[no-untyped-def]
    """Go down both trees at once. What is left to do is a stack of pairs of beginnings that are
    related: the children of both, and their level."""
    label_one, first_one, top_one = one
    label_other, first_other, top_other = other
    last = number.size - 1
    leaf_one, leaf_other = label_one.size - of_one.size, label_other.size - of_other.size
    todo = np.empty((64, 5), np.int64)
    todo[0] = 0, top_one, 0, top_other, 0
    left = 1
    while left > 0:
        left -= 1
        a0, a1, b0, b1, level = todo[left]
        for b in range(b0, b1):
            at = shift[level] + label_other[b]
            r0, r1 = starts[at], starts[at + 1]
            by_list = r1 - r0 < a1 - a0  # the shorter of the two is gone through
            every = r1 - r0 == number[level]
            for i in range(r1 - r0 if by_list else a1 - a0):
                a = a0 + i
                if by_list:
                    a = _place(label_one, a0, a1, related[r0 + i])
                elif not every and _place(related, r0, r1, label_one[a]) < 0:
                    a = -1
                if a < 0:
                    continue
                if level == last:
                    sum_one[a - leaf_one] += of_other[b - leaf_other]
                    sum_other[b - leaf_other] += of_one[a - leaf_one]
                    continue
                if left == todo.shape[0]:
                    todo = np.concatenate((todo, np.empty_like(todo)))
                todo[left] = (
                    first_one[a],
                    first_one[a + 1],
                    first_other[b],
                    first_other[b + 1],
                    level + 1,
                )
                left += 1


@njit(cache=True, nogil=True)
def _place(codes, low, high, code):  # type: ignore[no-untyped-def]
    """Where a code stands among codes in order, or -1."""
    end = high
    while low < high:
        middle = (low + high) >> 1
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low if low < end and codes[low] == code else -1


# -- Related tuples by patterns: quick where one side shows few kinds of cells, such as blanks -----
#
# The codes of an attribute on the right are put into layers, so that within a layer a value on the
# left is related to one code at most: all values that stand for themselves are a layer, a blank is
# another, and every level of a hierarchy one more. Tuples on the right with the same layers form a
# pattern; for each pattern the tuples on the left become codes of its layers and are looked up.


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
