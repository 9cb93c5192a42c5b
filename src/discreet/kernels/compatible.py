"""Compatible records: a missing value matches every value, so records that agree wherever both
have a value are compatible. This is no equivalence — a record with a missing value may be
compatible with two records that are not compatible with each other — and gives no classes.

Tuples are grouped by which of their attributes are missing; for each pair of such patterns
the attributes present in both decide, and one side is looked up in the other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats
from discreet.kernels.packing import Codes, fits, pack
from discreet.kernels.summation import rounded_sum, slices

Indices = NDArray[np.intp]
_Coded = tuple[Codes, Sequence[int], Sequence[int]]  # with cardinalities, and codes of blanks

_DENSE = 8  # keys per tuple up to which every possible key has a place of its own


def compatible_counts(
    codes: Codes,
    cardinalities: Sequence[int],
    missing: Sequence[int],
    counts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """For each distinct tuple, the number of records compatible with it.

    ``missing`` is the code that stands for a missing value, per attribute, or −1.
    """
    return _sums((codes, cardinalities, missing), [counts])[0].astype(np.int64)


def compatible_totals(
    codes: Codes, cardinalities: Sequence[int], missing: Sequence[int], weights: Floats
) -> Floats:
    """For each distinct tuple, the sum of the weights of the tuples compatible with it, rounded
    once: the same in every order of the tuples.

    Examples
    --------
    >>> towns, sexes = np.array([0, 1, 2, 2]), np.array([0, 0, 0, 1])
    >>> compatible_totals([towns, sexes], [3, 2], [2, -1], np.array([0.1, 0.2, 4, 8])).tolist()
    [4.1, 4.2, 4.3, 8.0]
    """
    return rounded_sum(*_sums((codes, cardinalities, missing), slices(weights)))


def _sums(held: _Coded, parts: Sequence[NDArray[Any]]) -> list[Floats]:
    """For each distinct tuple, the sums of some amounts over the tuples compatible with it; the
    amounts are such that adding them rounds nothing."""
    in_cube = fits(held[1], _DENSE * len(parts[0]))
    return (_sums_in_cube if in_cube else _sums_of_pairs)(held, parts)


def _sums_in_cube(held: _Coded, parts: Sequence[NDArray[Any]]) -> list[Floats]:
    """With a place for every possible tuple: along one attribute after the other, a value gets what
    the missing one has, and the missing one what all have."""
    codes, cardinalities, missing = held
    at, bound = pack(codes, cardinalities)
    found = []
    for part in parts:
        cube = np.bincount(at, part, bound).reshape(cardinalities)
        for axis, code in enumerate(missing):
            if code >= 0:
                values = np.moveaxis(cube, axis, 0)
                blank, whole = values[code].copy(), values.sum(axis=0)
                values += blank
                values[code] = whole
        found.append(np.asarray(cube.ravel()[at], dtype=np.float64))
    return found


def _sums_of_pairs(held: _Coded, parts: Sequence[NDArray[Any]]) -> list[Floats]:
    """By pairs of patterns of missing attributes, of which one is looked up in the other."""
    codes, cardinalities, missing = held
    members, present = _patterns(codes, missing)
    own = [[column[rows].astype(np.int32) for column in codes] for rows in members]
    amounts = [[part[rows].astype(np.float64) for part in parts] for rows in members]
    sums = [[part.copy() for part in some] for some in amounts]  # of its pattern only the tuple is
    for i, j in itertools.combinations(range(len(members)), 2):
        few, many = sorted((i, j), key=lambda number: len(members[number]))
        shared = np.flatnonzero(present[i] & present[j]).tolist()
        at_few, at_many, bound = joint_keys(own[few], own[many], cardinalities, shared)
        if bound > _DENSE * len(members[many]):
            distinct, at_few = np.unique(at_few, return_inverse=True)
            at_many, bound = places(distinct, at_many), len(distinct) + 1
        for part in range(len(parts)):
            sums[many][part] += np.bincount(at_few, amounts[few][part], bound)[at_many]
            sums[few][part] += np.bincount(at_many, amounts[many][part], bound)[at_few]
    order = np.argsort(np.concatenate(members))
    return [np.concatenate(part)[order] for part in zip(*sums, strict=True)]


def compatible_distinct(
    codes: Codes,
    cardinalities: Sequence[int],
    missing: Sequence[int],
    owner: Indices,
    values: NDArray[np.int64],
    tuples: int,
) -> NDArray[np.int64]:
    """For each of ``tuples`` distinct tuples, the number of distinct values among the compatible.

    Row r of ``codes`` belongs to tuple ``owner[r]`` and carries the value ``values[r]``
    (negative: no value).
    """
    first = np.full(tuples, -1, dtype=np.intp)
    first[owner[::-1]] = np.arange(len(owner))[::-1]
    chosen = [column[first] for column in codes]
    both = [np.concatenate([a, b]) for a, b in zip(chosen, codes, strict=True)]
    pairs: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    values_end = int(values.max(initial=0)) + 1
    for left, right, key_left, key_right in _pattern_pairs(both, cardinalities, missing):
        mine, theirs = left < tuples, right >= tuples
        left, key_left = left[mine], key_left[mine]
        value, key_right = values[right[theirs] - tuples], key_right[theirs]
        known = value >= 0
        key_value = np.unique(np.column_stack([key_right[known], value[known]]), axis=0)
        left_at, right_at = matches(key_left, key_value[:, 0])
        pairs.append(np.unique(left[left_at] * values_end + key_value[right_at, 1]))
    distinct = np.unique(np.concatenate(pairs))
    return np.bincount(distinct // values_end, minlength=tuples).astype(np.int64)


def _pattern_pairs(
    codes: Codes, cardinalities: Sequence[int], missing: Sequence[int]
) -> Iterator[tuple[Indices, Indices, NDArray[np.int64], NDArray[np.int64]]]:
    """For every pair of patterns of missing attributes: the tuples of each, and their keys on
    the attributes that are present in both."""
    members, present = _patterns(codes, missing)
    for i, left in enumerate(members):
        for j, right in enumerate(members):
            shared = np.flatnonzero(present[i] & present[j]).tolist()
            mine, theirs = ([column[rows] for column in codes] for rows in (left, right))
            key_left, key_right, _ = joint_keys(mine, theirs, cardinalities, shared)
            yield left, right, key_left, key_right


def _patterns(codes: Codes, missing: Sequence[int]) -> tuple[list[Indices], NDArray[np.bool_]]:
    """The tuples of each pattern of missing attributes, and which attributes it has."""
    absent = [np.asarray(c) == m for c, m in zip(codes, missing, strict=True)]
    packed, _ = pack(absent, [2] * len(absent))
    _, first, which = np.unique(packed, return_index=True, return_inverse=True)
    order = np.argsort(which, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(which))[:-1])
    return members, ~np.array([a[first] for a in absent]).T


def joint_keys(
    left: Codes, right: Codes, cardinalities: Sequence[int], shared: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """One key per tuple of two sides on some attributes, and the bound on them."""
    cards, size = [cardinalities[a] for a in shared], len(left[0])
    if not shared:
        return np.zeros(size, np.int64), np.zeros(len(right[0]), np.int64), 1
    if fits(cards):
        keys = [pack([side[a] for a in shared], cards)[0] for side in (left, right)]
        return keys[0], keys[1], math.prod(cards)
    joint, bound = pack([np.concatenate([left[a], right[a]]) for a in shared], cards)
    return joint[:size], joint[size:], bound


def places(distinct: NDArray[np.int64], keys: NDArray[np.int64]) -> Indices:
    """Position of each key among sorted distinct ones; the end where it is absent."""
    at = np.searchsorted(distinct, keys)
    inside = np.minimum(at, len(distinct) - 1)
    return np.where(distinct[inside] == keys, inside, len(distinct))


def matches(left: NDArray[np.int64], right: NDArray[np.int64]) -> tuple[Indices, Indices]:
    """All pairs of positions with equal keys."""
    order = np.argsort(right, kind="stable")
    ordered = right[order]
    low, high = np.searchsorted(ordered, left), np.searchsorted(ordered, left, side="right")
    number = high - low
    left_at = np.repeat(np.arange(len(left)), number)
    within = np.arange(len(left_at)) - np.repeat(np.cumsum(number) - number, number)
    return left_at, order[np.repeat(low, number) + within]
