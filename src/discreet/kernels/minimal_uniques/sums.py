"""What the minimal sets of each tuple add up to: 512 tuples at a time, all sets of them."""

from __future__ import annotations

import numpy as np

from discreet.kernels.compilation import njit
from discreet.kernels.minimal_uniques.sets import lowest

BLOCK = 8  # words at a time: their sums stay in the cache
STEP = 4  # amounts at a time


@njit(cache=True, nogil=True)
def add_up(alone, below, worth, tuples, sums, minimal) -> None:  # type: ignore[no-untyped-def]
    """Add what each minimal set is worth to its tuple, and count it.

    Parameters
    ----------
    alone : array (sets, words)
        Who is alone on each set, as bits; whole blocks of words.
    below : array (sets, attributes)
        Where the sets with one attribute less stand; then −1.
    worth : array (sets, amounts)
        A multiple of four amounts.
    tuples : array
        Whose bit it is.
    sums, minimal : arrays (tuples, amounts) and (sets)
        To write, and to add to.
    """
    amounts, left = worth.shape[1], np.empty(BLOCK, np.uint64)
    found = np.empty((64 * BLOCK, amounts), worth.dtype)
    for begin in range(0, alone.shape[1], BLOCK):
        found[:] = 0
        for s in range(1, len(below)):
            _minimal_here(alone[:, begin : begin + BLOCK], s, below[s], left)
            for word in range(BLOCK):
                minimal[s] += _add(left[word], worth[s], found[64 * word :])
        for i in range(64 * begin, min(64 * (begin + BLOCK), len(tuples))):
            for a in range(sums.shape[1]):
                sums[tuples[i], a] = found[i - 64 * begin, a]


@njit(cache=True, nogil=True, inline="always")
def _minimal_here(alone, s, below, left):  # type: ignore[no-untyped-def]
    """For whom a set is minimal: who is alone on it and on none with one attribute less."""
    for word in range(BLOCK):
        left[word] = alone[s, word]
    for less in below:
        if less < 0:
            break
        for word in range(BLOCK):
            left[word] &= ~alone[less, word]


@njit(cache=True, nogil=True, inline="always")
def _add(left, worth, found):  # type: ignore[no-untyped-def]
    """Add what a set is worth to the tuples of a word, and count them."""
    number = 0
    while left != 0:
        i = lowest(left)
        left &= left - np.uint64(1)
        number += 1
        for a in range(0, len(worth), STEP):
            found[i, a] += worth[a]
            found[i, a + 1] += worth[a + 1]
            found[i, a + 2] += worth[a + 2]
            found[i, a + 3] += worth[a + 3]
    return number
