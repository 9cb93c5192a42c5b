"""The least that a local recoding costs, whatever it is.

A record with too few others like it must show something coarser in some keys. If it does in a set
of them, the records that agree with it in all other keys must be enough. So it pays at least, over
the sets for which they are, the sum of the first steps up in the keys of the set. Sets that are too
many to be looked at are taken to suffice. That k records must share a cell is all that is used: the
other demands of a criterion can only make it dearer.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.labels import label
from discreet.kernels.packing import pack

if TYPE_CHECKING:
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.kernels.arrays import Floats, Ints
    from discreet.masking.local_recoding.request import RecodingRequest

_READS = {"quick": 2_000_000, "default": 60_000_000}  # items of keys that are read at most


def least_price(asked: RecodingRequest, effort: str) -> float:
    """A price that no answer is below."""
    tuples, k = asked.counted.rollup([*asked.keys, *asked.by]), asked.task.k
    small = np.flatnonzero(tuples.counts < k)
    steps = _steps(asked, tuples, small)
    able = [a for a in range(len(asked.keys)) if np.isfinite(steps[:, a]).any()]
    cheapest = np.cumsum(np.sort(steps, axis=1), axis=1)  # of so many keys
    least = np.full(len(small), float(len(asked.keys)))  # left out
    reads = _READS[effort]
    for size in range(1, len(able) + 1):
        hope = cheapest[:, size - 1] < least
        if not hope.any():
            break
        reads -= math.comb(len(able), size) * len(tuples) * len(asked.keys)
        if reads < 0:
            least = np.where(hope, cheapest[:, size - 1], least)
            break
        for some in itertools.combinations(able, size):
            price = steps[:, some].sum(axis=1)
            if (price < least).any():
                enough = _alike(tuples, some)[small] >= k
                least = np.where(enough, np.minimum(price, least), least)
    return float((least * tuples.counts[small]).sum())


def _steps(asked: RecodingRequest, tuples: FrequencySet, small: Ints) -> Floats:
    """What the first step up costs in each key; infinite where there is none."""
    found = []
    for codes, tree in zip(tuples.codes[: len(asked.keys)], asked.task.trees, strict=True):
        rise = tree.cost[tree.parent] - tree.cost
        rise[tree.parent == np.arange(len(rise))] = np.inf
        found.append(rise[codes[small]])
    return np.column_stack(found)


def _alike(tuples: FrequencySet, some: tuple[int, ...]) -> Ints:
    """How many records agree with each combination in all keys but some, and in the stratum."""
    kept = [a for a in range(len(tuples.codes)) if a not in some]
    if not kept:
        return np.full(len(tuples), tuples.n)
    packed, _ = pack([tuples.codes[a] for a in kept], [tuples.cardinalities[a] for a in kept])
    owner, number = label(packed)
    return np.asarray(np.bincount(owner, tuples.counts, number)[owner].astype(np.int64))
