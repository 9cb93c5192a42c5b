"""Local recoding in a process of its own: the name of the case."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from discreet.kernels.local_recoding.mondrian import mondrian
from discreet.kernels.local_recoding.search import recoded
from discreet.kernels.local_recoding.task import CellTask, KeyTree
from tests import cell_tasks

DATA = Path(os.environ.get("DISCREET_DATA", "../shared/data"))
VALUES = (70, 30, 16, 14, 8, 6, 5, 2)  # of the keys of a million records


def binary_tree(values: int) -> KeyTree:
    """Values in pairs, pairs of pairs, …"""
    parent, cost, level = [], [], list(range(values))
    width = 1
    while len(level) > 1:
        above = len(parent) + len(level)
        parent += [above + i // 2 for i in range(len(level))]
        cost += [min(width - 1, values - 1) / (values - 1)] * len(level)
        level, width = level[: (len(level) + 1) // 2], width * 2
    return KeyTree(np.array([*parent, len(parent)], np.int32), np.array([*cost, 1.0]) / len(VALUES))


def million() -> CellTask:
    rng, n = np.random.default_rng(1), 1_000_000
    codes = [np.minimum(rng.exponential(v / 4, n), v - 1).astype(int) for v in VALUES]
    rows, _, counts = cell_tasks.grouped(np.column_stack(codes), np.zeros((n, 0), int))
    return CellTask(rows, counts, tuple(binary_tree(v) for v in VALUES), 5)


def answer(case: str) -> tuple[CellTask, Any, float]:
    """The task, what solves it, and by what its price is divided."""
    if case.startswith("1M"):
        relaxed = case.endswith("relaxed")
        return million(), lambda task: mondrian(task, relaxed=relaxed), 1e6
    what, effort = case.rsplit(" ", 1)
    if what == "adult":
        return cell_tasks.adult(DATA), lambda task: recoded(task, effort), 30162.0
    keys = cell_tasks.FIVE if what.startswith("5keys") else cell_tasks.IHSN
    return cell_tasks.ihsn(DATA, int(what[-1]), keys), lambda task: recoded(task, effort), 1.0


def main(case: str) -> dict[str, Any]:
    if not case.startswith("1M") and not DATA.exists():
        return {}
    task, solve, among = answer(case)
    taken = []
    for _ in range(4):  # the first compiles
        start = time.process_time()
        found = solve(task)
        taken.append(time.process_time() - start)
    return {"cpu": min(taken[1:]), "loss": found.price(task) / among}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
