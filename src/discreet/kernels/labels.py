"""Labels: equal keys get the same number, counted from 0 in the order of first occurrence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compilation import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def label(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Number the distinct keys; the label of each key and how many labels there are."""
    bits = max(int(2 * len(keys)).bit_length(), 4)
    table = np.full(1 << bits, -1, dtype=np.int64)
    labels = np.empty(len(keys), dtype=np.int64)
    number = _label(keys.view(np.uint64), table, np.uint64(64 - bits), labels)
    return labels, int(number)


@njit(cache=True, nogil=True)
def _label(keys, table, shift, labels):  # type: ignore[no-untyped-def]
    """Open addressing: a slot holds the position of the first key that fell into it."""
    last = table.size - 1
    number = 0
    for i in range(keys.size):
        slot = np.int64((keys[i] * _GOLDEN) >> shift)
        while table[slot] >= 0 and keys[table[slot]] != keys[i]:
            slot = (slot + 1) & last
        if table[slot] < 0:
            table[slot] = i
            labels[i] = number
            number += 1
        else:
            labels[i] = labels[table[slot]]
    return number
