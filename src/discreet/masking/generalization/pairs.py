"""Pairs of a combination of key values and a confidential value that occurs with it.

Distinct values do not add up when classes merge; pairs do, and so do masks, which hold the values
of one combination as bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.frequency.frequency_set import FrequencySet
    from discreet.masking.generalization.task import Task


def owners_of(pairs: FrequencySet) -> NDArray[np.int64]:
    """The combination of key values that each pair belongs to."""
    return np.cumsum(_first(pairs), dtype=np.int64) - 1


def values_of(pairs: FrequencySet, whole: FrequencySet) -> NDArray[np.int64]:
    """The value of each pair, coded as in the whole file."""
    return _places(pairs, whole)[pairs.codes[-1]]


def masks_of(task: Task) -> list[NDArray[np.uint64]]:
    """Per attribute, the values that occur with each combination of key values, as bits."""
    masks = []
    for name in task.distinct:
        pairs = task.pairs[name]
        bit = np.uint64(1) << _places(pairs, task.whole[name]).astype(np.uint64)
        starts = np.flatnonzero(_first(pairs))
        masks.append(np.bitwise_or.reduceat(bit[pairs.codes[-1]], starts))
    return masks


def _first(pairs: FrequencySet) -> NDArray[np.bool_]:
    """Which pairs are the first ones of their combination: pairs are in order."""
    first = np.zeros(len(pairs), dtype=np.bool_)
    first[:1] = True
    for codes in pairs.codes[:-1]:
        first[1:] |= codes[1:] != codes[:-1]
    return first


def _places(pairs: FrequencySet, whole: FrequencySet) -> NDArray[np.int64]:
    """Code of a value in the pairs → its code in the whole file."""
    place = pc.index_in(pairs.values[-1], value_set=whole.values[0])
    return np.asarray(place.to_numpy(zero_copy_only=False), dtype=np.int64)
