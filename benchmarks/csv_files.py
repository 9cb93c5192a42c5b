"""Reading CSV files, CPU time, beside DuckDB's own reader, which knows nothing of leading zeros."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
from figure import Figure
from processes import ENVIRONMENT, alternately, job

MOST = 1.3


def run() -> Iterator[Figure]:
    for name, make in {"1 M × 5": _mixed, "1.2 M × 9 texts": _texts}.items():
        path = make()
        jobs = {
            who: functools.partial(job, "csv_files_job.py", who, str(path))
            for who in ("ours", "duckdb")
        }
        found = alternately(jobs, 3)
        for who, outcome in found.items():
            yield Figure(f"{name}, {who}", outcome["cpu"], "s CPU")
        ratio = found["ours"]["cpu"] / found["duckdb"]["cpu"]
        yield Figure(f"{name}: ratio", ratio, "×", at_most=MOST)


def _mixed():
    rng, n = np.random.default_rng(1), 1_000_000
    return _written("mixed.csv", {
        "age": rng.integers(0, 99, n), "zip": rng.integers(10_000, 99_999, n),
        "sex": rng.choice(["M", "F"], n), "income": rng.gamma(2, 20_000, n).round(2),
        "code": rng.choice(["A1", "B22", "C333"], n),
    })  # fmt: skip


def _texts():
    rng, n = np.random.default_rng(2), 1_200_000
    words = np.array([f"word {i:03}" for i in range(200)])
    return _written("texts.csv", {f"t{i}": rng.choice(words[: 20 * i + 10], n) for i in range(9)})


def _written(name, columns):
    import pyarrow as pa
    import pyarrow.csv

    path = ENVIRONMENT / name
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        pyarrow.csv.write_csv(pa.table(columns), path)
    return path
