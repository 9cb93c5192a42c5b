"""Local suppression in a process of its own: the name of a case or of a file."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
DATA = Path(os.environ.get("DISCREET_DATA", HERE.parent.parent / "shared" / "data"))
FIVE = ("urbrur", "roof", "walls", "relat", "sex")
SEVEN = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
CASES = {
    "5 keys, k = 3": (FIVE, 3),
    "5 keys, k = 5": (FIVE, 5),
    "7 keys, k = 3": (SEVEN, 3),
    "8 keys, k = 3": ((*SEVEN, "age"), 3),
}
FILES = {  # records, values of each key
    "100k × 5": (100_000, (20, 10, 8, 5, 2)),
    "1M × 5": (1_000_000, (20, 10, 8, 5, 2)),
    "10M × 5": (10_000_000, (20, 10, 8, 5, 2)),
    "100k × 5, long tail": (100_000, (60, 20, 10, 8, 5)),
    "1M × 5, long tail": (1_000_000, (60, 20, 10, 8, 5)),
    "10M × 5, long tail": (10_000_000, (60, 20, 10, 8, 5)),
}


def task_of(columns: list[np.ndarray], sizes: tuple[int, ...], k: int) -> Any:
    """The frequency set, each key with a blank that costs 1."""
    from discreet.kernels.coded_tuples import frequencies
    from discreet.kernels.local_recoding.task import CellTask, KeyTree

    found = frequencies(columns, sizes)
    trees = [KeyTree(np.full(c + 1, c, np.int32), np.append(np.zeros(c), 1.0)) for c in sizes]
    return CellTask(np.column_stack(found.codes).astype(np.int32), found.counts, tuple(trees), k)


def survey(keys: tuple[str, ...], k: int) -> Any:
    import pyarrow.csv

    table = pyarrow.csv.read_csv(DATA / "ihsn_testdata_4580x15.csv")
    columns = [np.unique(table[key].to_numpy(), return_inverse=True)[1] for key in keys]
    return task_of(columns, tuple(int(column.max()) + 1 for column in columns), k)


def simulated(records: int, sizes: tuple[int, ...]) -> Any:
    """Codes with a long tail: most records have one of the first few values."""
    rng = np.random.default_rng(1)
    drawn = [np.minimum(rng.exponential(c / 3, records), c - 1).astype(np.uint8) for c in sizes]
    return task_of(drawn, sizes, 3)


def least(work: Callable[[], Any], times: int) -> tuple[Any, float]:
    """What it gives, and the CPU seconds of the fastest of several runs."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        found = work()
        taken.append(time.process_time() - start)
    return found, min(taken)


def case(name: str) -> dict[str, Any]:
    from discreet.kernels.local_suppression import category, cover_answer

    task = survey(*CASES[name])
    ways: dict[str, tuple[Callable[[], Any], int]] = {
        "wildcard, quick": (lambda: cover_answer.greedy(task, "wildcard"), 5),
        "target-source, quick": (lambda: cover_answer.greedy(task, "target-source"), 5),
        "category, linear bound": (lambda: category.exact(task, proof=False), 3),
        "category, exact": (lambda: category.exact(task), 2),
        "target-source, exact": (lambda: cover_answer.exact(task, "target-source", nodes=1_000), 2),
        "wildcard, exact": (lambda: cover_answer.exact(task, "wildcard", nodes=1), 1),
    }
    if len(CASES[name][0]) == 8:  # the others take long
        ways = {way: ways[way] for way in list(ways)[:3]}
    measured = {}
    for way, (work, times) in ways.items():
        found, cpu = least(work, times)
        measured[way] = (found.cells.price(task), found.bound, found.stopped, cpu)
    return measured


def file(name: str) -> dict[str, Any]:
    from discreet.kernels.local_suppression import cover_answer

    cover_answer.greedy(simulated(1_000, FILES[name][1]), "wildcard")  # compiles
    task = simulated(*FILES[name])
    found, cpu = least(lambda: cover_answer.greedy(task, "wildcard"), 3)
    small = int(np.sum(task.counts < task.k))
    return {
        "classes": len(task.counts),
        "small": small,
        "cells": found.cells.price(task),
        "cpu": cpu,
    }


if __name__ == "__main__":
    print(json.dumps(case(sys.argv[1]) if sys.argv[1] in CASES else file(sys.argv[1])))
