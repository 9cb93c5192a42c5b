"""One unit: the CPU time in which numpy sorts 5 million random int64, so that a figure in units
says the same on a faster and on a slower machine."""

from __future__ import annotations

import time

NUMBERS = 5_000_000


def unit(times: int = 5) -> float:
    """CPU seconds of one unit, the least of several runs."""
    import numpy as np

    random = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, NUMBERS)
    taken = []
    for _ in range(times):
        numbers = random.copy()
        start = time.process_time()
        numbers.sort()
        taken.append(time.process_time() - start)
    return min(taken)
