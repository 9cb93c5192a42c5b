"""Frequencies, sums of weights and individual risk of a million records × 5 keys from codes in
memory, and wildcard counts of 100,000 × 5 with 2% missing, in units: the least CPU time of several
runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from figure import Figure
from unit import unit

CARDINALITIES = (20, 10, 8, 5, 2)
LARGE = (100, 50, 20, 10, 5)  # nearly every record has a combination of its own
RECORDS, WITH_MISSING = 1_000_000, 100_000
MISSING = 0.02


def run() -> Iterator[Figure]:
    one = unit()
    yield Figure("one unit: numpy sorting 5 million int64", one, "s CPU")
    for words, whole, bound in (("whole", True, 0.4), ("fractional", False, None)):
        taken = least(risks(CARDINALITIES, whole=whole))
        yield Figure(f"1M × 5, {words} weights: frequencies and risk", taken / one, "units", bound)
    for cardinalities, bound in ((CARDINALITIES, 0.5), (LARGE, None)):
        taken = least(wildcards(cardinalities))
        classes = f"{'×'.join(map(str, cardinalities))} values"
        yield Figure(f"100k × 5, 2% missing, {classes}: wildcards", taken / one, "units", bound)


def least(work: Callable[[], Any], times: int = 15) -> float:
    """CPU seconds of the fastest of several runs."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def risks(cardinalities: tuple[int, ...], *, whole: bool) -> Callable[[], Any]:
    import numpy as np

    from discreet.kernels.coded_tuples import frequencies
    from discreet.kernels.inverse_sizes import inverse_mean

    rng = np.random.default_rng(0)
    columns = [rng.integers(0, c, RECORDS).astype(np.uint8) for c in cardinalities]
    weights = rng.integers(20, 200, RECORDS) + (0.0 if whole else rng.random(RECORDS))

    def work() -> Any:
        found = frequencies(columns, cardinalities, weights)
        assert found.weights is not None
        return found.of_records(inverse_mean(found.counts, found.weights))

    return work


def wildcards(cardinalities: tuple[int, ...]) -> Callable[[], Any]:
    import numpy as np

    from discreet.kernels.coded_tuples import frequencies
    from discreet.kernels.compatible import compatible_counts

    rng = np.random.default_rng(0)
    blank = [rng.random(WITH_MISSING) < MISSING for _ in cardinalities]
    columns = [
        np.where(b, c, rng.integers(0, c, WITH_MISSING)).astype(np.uint8)
        for b, c in zip(blank, cardinalities, strict=True)
    ]
    sizes = [c + 1 for c in cardinalities]

    def work() -> Any:
        found = frequencies(columns, sizes)
        counts = compatible_counts(found.codes, sizes, cardinalities, found.counts)
        return found.of_records(counts)

    return work
