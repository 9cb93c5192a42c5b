"""One unit: the CPU time in which numpy sorts 5 million random int64, one comparison after the
other, so that a figure in units says the same on a faster and on a slower machine.

Where a processor has AVX-512, numpy sorts with its vectors in a tenth of the time. Little else
gains from them, and figures of two machines could not be compared; so a process of its own sorts
without them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

NUMBERS = 5_000_000


def unit(times: int = 5) -> float:
    """CPU seconds of one unit, the least of several runs."""
    from numpy._core._multiarray_umath import __cpu_dispatch__

    plain = os.environ | {"NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__)}
    # numpy warns of what the processor does not have anyway
    command = [sys.executable, "-W", "ignore", __file__, str(times)]
    done = subprocess.run(command, env=plain, check=True, capture_output=True, text=True)
    return float(done.stdout)


def _sorted(times: int) -> float:
    """CPU seconds of sorting, the least of several runs."""
    import numpy as np

    random = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, NUMBERS)
    taken = []
    for _ in range(times):
        numbers = random.copy()
        start = time.process_time()
        numbers.sort()
        taken.append(time.process_time() - start)
    return min(taken)


if __name__ == "__main__":
    print(_sorted(int(sys.argv[1])))
