"""Compatible records: a missing value matches every value, so records that agree wherever both
have a value are compatible. This is no equivalence — a record with a missing value may be
compatible with two records that are not compatible with each other — and gives no classes.

Tuples are grouped by which of their attributes are missing; for each pair of such patterns
the attributes present in both decide, and one side is looked up in the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.packing import Codes, pack

Indices = NDArray[np.intp]


def compatible_counts(
    codes: Codes,
    cardinalities: Sequence[int],
    missing: Sequence[int],
    counts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """For each distinct tuple, the number of records compatible with it.

    ``missing`` is the code that stands for a missing value, per attribute, or −1.
    """
    totals = np.zeros(len(counts), dtype=np.int64)
    for left, right, key_left, key_right in _pattern_pairs(codes, cardinalities, missing):
        distinct, inverse = np.unique(key_right, return_inverse=True)
        weight = np.zeros(len(distinct) + 1, dtype=np.int64)
        np.add.at(weight, inverse, counts[right])
        totals[left] += weight[_find(distinct, key_left)]
    return totals


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
        left_at, right_at = _matches(key_left, key_value[:, 0])
        pairs.append(np.unique(left[left_at] * values_end + key_value[right_at, 1]))
    distinct = np.unique(np.concatenate(pairs))
    return np.bincount(distinct // values_end, minlength=tuples).astype(np.int64)


def _pattern_pairs(
    codes: Codes, cardinalities: Sequence[int], missing: Sequence[int]
) -> Iterator[tuple[Indices, Indices, NDArray[np.int64], NDArray[np.int64]]]:
    """For every pair of patterns of missing attributes: the tuples of each, and their keys on
    the attributes that are present in both."""
    absent = np.array([np.asarray(c) == m for c, m in zip(codes, missing, strict=True)])
    patterns, which = np.unique(absent.T, axis=0, return_inverse=True)
    members = [np.flatnonzero(which.ravel() == i) for i in range(len(patterns))]
    for i, left in enumerate(members):
        for j, right in enumerate(members):
            shared = np.flatnonzero(~(patterns[i] | patterns[j])).tolist()
            joint = [np.concatenate([codes[a][left], codes[a][right]]) for a in shared]
            size = len(left) + len(right)
            packed, _ = pack(joint, [cardinalities[a] for a in shared])
            keys = packed if len(shared) else np.zeros(size, dtype=np.int64)
            yield left, right, keys[: len(left)], keys[len(left) :]


def _find(distinct: NDArray[np.int64], keys: NDArray[np.int64]) -> Indices:
    """Position of each key among sorted distinct ones; the end where it is absent."""
    at = np.searchsorted(distinct, keys)
    inside = np.minimum(at, len(distinct) - 1)
    return np.where(distinct[inside] == keys, inside, len(distinct))


def _matches(left: NDArray[np.int64], right: NDArray[np.int64]) -> tuple[Indices, Indices]:
    """All pairs of positions with equal keys."""
    order = np.argsort(right, kind="stable")
    ordered = right[order]
    low, high = np.searchsorted(ordered, left), np.searchsorted(ordered, left, side="right")
    number = high - low
    left_at = np.repeat(np.arange(len(left)), number)
    within = np.arange(len(left_at)) - np.repeat(np.cumsum(number) - number, number)
    return left_at, order[np.repeat(low, number) + within]
