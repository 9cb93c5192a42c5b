"""The known sets that are likely enough: Figure 1 of Orooji and Knapp, a size at a time.

PK(KS) is the product of the probabilities of its attributes. A set is kept while PK > ε; adding an
attribute cannot raise the product, so no superset of a dropped set needs a look. This holds for
rounded products too: multiplying by a number of at most 1 never rounds upwards past the factor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.known_sets.arrays import Set

_ROUNDING = 1e-12  # a product that equals ε but for rounding is dropped
_AT_ONCE = 4096  # sets that are extended together: bounds the memory


class TooManySets(Exception):
    """More sets are kept than the limit allows; `found` were when the search stopped."""

    def __init__(self, found: int, limit: int) -> None:
        self.found = found
        self.limit = limit


def known_sets(
    probabilities: Sequence[float], epsilon: float, limit: int
) -> tuple[list[Set], Floats]:
    """Return all sets of attributes with PK > ε, and their PK.

    Parameters
    ----------
    probabilities : sequence of float
        How likely each attribute is to be known, between 0 and 1; 0 is never known.
    epsilon : float
        From 0 (all sets with PK > 0) to 1 (the empty set alone).
    limit : int
        The most sets to return.

    Returns
    -------
    sets : list of tuples of ascending attribute numbers
        The empty set first (PK = 1, never dropped), then by size, then by attribute numbers.
    pk : array of float
        Multiplied in the order of the attributes, so that the last bit is the same everywhere.

    Raises
    ------
    TooManySets
        As soon as more than `limit` are found.

    Examples
    --------
    >>> sets, pk = known_sets([0.3, 0.8, 0.7, 0.005, 0.001], epsilon=0.2, limit=100)
    >>> sets
    [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    >>> pk.round(3).tolist()
    [1.0, 0.3, 0.8, 0.7, 0.24, 0.21, 0.56]
    """
    likely = np.asarray(probabilities, dtype=np.float64)
    sets: list[Set] = [()]
    parts = [np.ones(1)]
    size = (np.empty((1, 0), dtype=np.int64), np.ones(1))
    while len(size[1]):
        size = _one_larger(*size, likely, epsilon * (1 + _ROUNDING), len(sets), limit)
        sets += [tuple(row) for row in size[0].tolist()]
        parts.append(size[1])
    return sets, np.concatenate(parts)


def _one_larger(
    sets: Ints, pk: Floats, likely: Floats, bound: float, found: int, limit: int
) -> tuple[Ints, Floats]:
    """Extend every set by every later attribute; what is kept is in the order of its numbers."""
    extended = [(sets[:0, :0].reshape(0, sets.shape[1] + 1), pk[:0])]
    for start in range(0, len(pk), _AT_ONCE):
        some = sets[start : start + _AT_ONCE]
        last = some[:, -1:] if some.shape[1] else np.full((len(some), 1), -1)
        products = pk[start : start + _AT_ONCE, None] * likely
        row, added = np.nonzero((products > bound) & (np.arange(len(likely)) > last))
        extended.append((np.column_stack([some[row], added]), products[row, added]))
        found += len(row)
        if found > limit:
            raise TooManySets(found, limit)
    return np.concatenate([s for s, _ in extended]), np.concatenate([p for _, p in extended])
