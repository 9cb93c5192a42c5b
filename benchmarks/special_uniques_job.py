"""Special uniques in a process of its own: the name of the file."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from processes import Clock, Grown

from discreet.kernels.coded_tuples import CodedTuples, frequencies
from discreet.kernels.minimal_uniques.search import minimal_uniques

FILES = {  # records, values of each key, times
    "100k × 5": (100_000, (60, 20, 10, 8, 5), 25),
    "1M × 10": (1_000_000, (80, 30, 15, 10, 8, 6, 5, 4, 3, 2), 9),
}


def columns(records: int, cardinalities: tuple[int, ...]) -> list[np.ndarray]:
    """Codes with a long tail: most records have one of the first few values."""
    rng = np.random.default_rng(1)
    return [
        np.minimum(rng.exponential(c / 3, records), c - 1).astype(np.uint8) for c in cardinalities
    ]


def kernel(codes: list[np.ndarray], cardinalities: tuple[int, ...]) -> Callable[[], Any]:
    keys = len(cardinalities)
    worth = [math.factorial(keys - m) for m in range(1, keys + 1)]

    def work() -> Any:
        found = frequencies(codes, cardinalities)
        sets = minimal_uniques(CodedTuples(found.codes, cardinalities, found.counts), worth)
        return sets, found.of_records(sets.total)

    return work


def least(work: Callable[[], Any], times: int) -> float:
    """CPU seconds of the fastest of several runs."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def main(file: str) -> dict[str, Any]:
    import discreet as ds

    records, cardinalities, times = FILES[file]
    codes = columns(records, cardinalities)
    kernel([c[:100] for c in codes], cardinalities)()  # compiles
    taken = least(kernel(codes, cardinalities), times)
    small = {f"k{a}": c[:100] for a, c in enumerate(codes)}
    ds.suda(ds.read(pa.table(small), keys=list(small))).scores.sum()
    table = pa.table({f"k{a}": c for a, c in enumerate(codes)})
    data = ds.read(table, keys=table.column_names)
    grown, clock = Grown(), Clock()
    found = ds.suda(data)
    found.scores.sum()
    return {
        **clock.outcome(),
        "kernel": taken,
        "memory": grown.megabytes(),
        "uniques": found.uniques,
        "minimal": sum(found.minimal_uniques.values()),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
