"""What the minimal sets of each tuple add up to: 64 tuples at a time, all sets of them."""

from __future__ import annotations

import numpy as np
from numba import njit

from discreet.kernels.minimal_uniques.bits import lowest

_BLOCK = 8  # words at a time: their sums stay in the cache


@njit(cache=True, nogil=True)
def add_up(alone, below, worth, tuples, sums, minimal) -> None:  # type: ignore[no-untyped-def]
    """Add what each minimal set is worth to its tuple, and count it.

    Parameters
    ----------
    alone : array (sets, words)
        Who is alone on each set, as bits.
    below : array (sets, attributes)
        Where the sets with one attribute less stand; then −1.
    worth : array (sets, amounts)
    tuples : array
        Whose bit it is.
    sums, minimal : arrays (tuples, amounts) and (sets)
        To add to.
    """
    words, amounts = alone.shape[1], worth.shape[1]
    for begin in range(0, words, _BLOCK):
        for s in range(1, len(below)):
            for word in range(begin, min(begin + _BLOCK, words)):
                left = alone[s, word]
                for a in range(below.shape[1]):
                    if left == 0 or below[s, a] < 0:
                        break
                    left &= ~alone[below[s, a], word]
                while left != 0:
                    i = tuples[word * 64 + lowest(left)]
                    left &= left - np.uint64(1)
                    minimal[s] += 1
                    for a in range(amounts):
                        sums[i, a] += worth[s, a]
