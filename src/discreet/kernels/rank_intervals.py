"""Ranks between an original and its masked value: how precisely the one tells the other."""

from __future__ import annotations

import numpy as np

from discreet.kernels.arrays import Floats, Ints


def half_ranks_apart(x: Floats, y: Floats, every: Floats | None = None) -> Ints:
    """By how many half ranks the masked value of each record is away from its original one.

    Equal values share their ranks, and the nearest counts. A masked value that no record has
    lies half a rank from its neighbours, above and below. The ranks are those among the originals,
    or among all values of the original file where ``every`` gives more of them.

    Examples
    --------
    >>> x = np.array([10.0, 20.0, 30.0, 40.0])
    >>> half_ranks_apart(x, np.array([10.0, 30.0, 35.0, 25.0])).tolist()
    [0, 2, 1, 3]
    """
    ordered = np.sort(x if every is None else every)
    below, upto = (np.searchsorted(ordered, y, side=s) for s in ("left", "right"))
    first, last = (np.searchsorted(ordered, x, side=s) for s in ("left", "right"))
    between = np.where(x > y, first - upto, below - last)  # values that lie in between
    return np.where(x == y, 0, 2 * between + np.where(upto > below, 2, 1)).astype(np.int64)
