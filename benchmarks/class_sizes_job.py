"""Class sizes once, in a process of its own: ``discreet``, ``by_hand`` or ``codes``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from data import BILLING_KEYS
from processes import Clock
from unit import unit


def discreet(path: str) -> np.ndarray:
    import discreet as ds

    return ds.read(path, keys=BILLING_KEYS).class_sizes()


def by_hand(path: str) -> np.ndarray:
    """The same GROUP BY and join, fetched in batches with the row number and put in order."""
    import duckdb

    keys = ", ".join(BILLING_KEYS)
    connection = duckdb.connect()
    (n,) = connection.sql(f"SELECT count(*) FROM '{path}'").fetchall()[0]
    rows = connection.sql(
        f"SELECT file_row_number, size FROM read_parquet('{path}', file_row_number = true) "
        f"JOIN (SELECT {keys}, count(*) AS size FROM '{path}' GROUP BY {keys}) USING ({keys})"
    )
    sizes = np.empty(n, dtype=np.int64)
    for batch in rows.to_arrow_reader(1 << 18):
        sizes[batch.column(0).to_numpy()] = batch.column(1).to_numpy()
    return sizes


def timed(job: Callable[[str], np.ndarray], big: str, small: str) -> dict[str, Any]:
    job(small)  # loads every library
    clock = Clock()
    sizes = job(big)
    outcome = clock.outcome()
    weights = np.arange(1, len(sizes) + 1) % 1009  # a sum that depends on the order
    answer = {"classes": round(float((1 / sizes).sum())), "sum": int((sizes * weights).sum())}
    return {**outcome, "answer": answer}


def codes(path: str) -> dict[str, float]:
    """CPU seconds on one thread, from codes in memory."""
    import pandas as pd
    import pyarrow.parquet as pq

    from discreet.kernels.class_sizes import class_sizes

    columns, cardinalities = [], []
    for column in pq.read_table(path).columns:
        encoded = column.combine_chunks().dictionary_encode()
        columns.append(encoded.indices.to_numpy().astype(np.int16))
        cardinalities.append(len(encoded.dictionary))

    def bincount() -> np.ndarray:
        packed = np.zeros(len(columns[0]), dtype=np.int64)
        for column, cardinality in zip(columns, cardinalities, strict=True):
            packed = packed * cardinality + column
        return np.bincount(packed)[packed]

    def pandas() -> np.ndarray:
        frame = pd.DataFrame(dict(enumerate(columns)))
        return frame.groupby(list(frame.columns), sort=False)[0].transform("size").to_numpy()

    wide = [np.random.default_rng(i).integers(0, 50, 1_000_000) for i in range(8)]

    def unique() -> np.ndarray:
        packed = np.zeros(len(wide[0]), dtype=np.int64)
        for column in wide:
            packed = packed * 50 + column
        _, inverse, counts = np.unique(packed, return_inverse=True, return_counts=True)
        return counts[inverse]

    kernel, sizes = _least(lambda: class_sizes(columns, cardinalities), 7)
    counted, again = _least(bincount, 3)
    grouped, once_more = _least(pandas, 3)  # the first is three times as slow
    sparse, found = _least(lambda: class_sizes(wide, [50] * 8), 7)
    sorted_, expected = _least(unique, 3)
    if not (np.array_equal(sizes, again) and np.array_equal(sizes, once_more)):
        raise RuntimeError("the kernel, numpy and pandas differ in their sizes")
    if not np.array_equal(found, expected):
        raise RuntimeError("the kernel and np.unique differ in their sizes")
    return {
        "unit": unit(),
        "kernel": kernel,
        "bincount": counted,
        "pandas": grouped,
        "sparse": sparse,
        "unique": sorted_,
    }


def _least(step: Callable[[], np.ndarray], times: int) -> tuple[float, np.ndarray]:
    taken = []
    for _ in range(times):
        start = time.process_time()
        sizes = step()
        taken.append(time.process_time() - start)
    return min(taken), sizes


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    if what == "codes":
        print(json.dumps(codes(*paths)))
    else:
        print(json.dumps(timed({"discreet": discreet, "by_hand": by_hand}[what], *paths)))
