"""Sensitivity: the weights W(A) · W(value) of a record's values, added up.

T(r) is that of all values, S of those in a known set; both are added in the order of the
attributes. Weights are floats, or whole numbers where a sum over records must not depend on their
order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.known_sets.arrays import Array, Columns, Set, Weights, Whole
from discreet.kernels.known_sets.counts import Stretches

_BITS = 62


def effective(weights: Weights) -> list[Floats | None]:
    """Weights as floats; a table of zeros is none."""
    return [None if w is None or not np.any(w) else np.asarray(w, np.float64) for w in weights]


def whole_weights(weights: Weights, n: int) -> tuple[list[Ints | None], int]:
    """Weights as multiples of 2^−bits, such that a sum over n records stays below 2^62.

    Examples
    --------
    >>> whole, bits = whole_weights([None, np.array([0.0, 1.0, 0.3])], n=1_000_000)
    >>> bits
    42
    >>> (whole[1] / 2**bits).round(12).tolist()
    [0.0, 1.0, 0.3]
    """
    most = sum(float(np.max(w)) for w in weights if w is not None)
    bits = _BITS - frexp(most * max(n, 1))[1]
    scaled = [None if w is None else np.ldexp(np.asarray(w, np.float64), bits) for w in weights]
    return [None if w is None else np.rint(w).astype(np.int64) for w in scaled], bits


def totals(columns: Columns, weights: Weights | Whole, over: Stretches) -> Array:
    """T of each record."""
    given = [(c, w) for c, w in zip(columns, weights, strict=True) if w is not None]
    total = np.zeros(len(columns[0]), given[0][1].dtype if given else np.float64)

    def add_up(rows: slice) -> None:
        for block in over.blocks(rows):
            for column, values in given:
                add_values(column[block], values, total[block])

    list(over.each(add_up, over.slices))
    return total


def in_set(known: Set, cardinalities: Sequence[int], weights: Weights | Whole) -> Array:
    """S of each combination of codes in a known set, the last attribute running fastest."""
    total: Array = np.zeros(1, dtype=np.int64)
    for a in known:
        values = weights[a]
        own = np.zeros(cardinalities[a], dtype=np.int64) if values is None else values
        total = np.add.outer(total, own).ravel()
    return total


@njit(cache=True, nogil=True)
def add_values(column, values, total) -> None:  # type: ignore[no-untyped-def]
    """Add the weight of each code."""
    for i in range(column.size):
        total[i] += values[column[i]]
