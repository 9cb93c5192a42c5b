"""Nearest-record linkage in a process of its own: the name of the masking."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import pyarrow as pa
from processes import Clock, Grown

from discreet.kernels.linkage import equally_near
from discreet.kernels.multivariate.mdav import mdav

RECORDS, COLUMNS, TIMES = 100_000, 6, 3
NOISE = {"little noise": 0.05, "noise": 0.3, "much noise": 1.0}


def files(masking: str) -> tuple[np.ndarray, np.ndarray]:
    """Correlated numbers with a long tail, and the same masked."""
    rng = np.random.default_rng(1)
    shared = rng.normal(size=(RECORDS, 1))
    x = 0.6 * shared + 0.8 * rng.normal(size=(RECORDS, COLUMNS))
    x[:, ::2] = np.exp(x[:, ::2])
    x /= x.std(axis=0, ddof=1)
    if masking in NOISE:
        return x, x + NOISE[masking] * rng.normal(size=x.shape)
    groups = mdav(x, 3)
    sums = np.zeros((groups.max() + 1, COLUMNS))
    np.add.at(sums, groups, x)
    return x, (sums / np.bincount(groups)[:, None])[groups]


def main(masking: str) -> dict[str, Any]:
    import discreet as ds

    x, y = files(masking)
    equally_near(x[:100], y[:100])  # compiles
    taken = []
    for _ in range(TIMES):
        start = time.process_time()
        equally_near(x, y)
        taken.append(time.process_time() - start)
    names = [f"k{a}" for a in range(COLUMNS)]
    tables = [
        pa.table({"rec": np.arange(RECORDS), **dict(zip(names, side.T, strict=True))})
        for side in (x, y)
    ]
    grown, clock = Grown(), Clock()
    first, second = (ds.read(table, keys=names) for table in tables)
    found = ds.linkage(first, second, on="rec")
    return {
        **clock.outcome(),
        "kernel": min(taken),
        "memory": grown.megabytes(),
        "expected": found.expected_correct,
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
