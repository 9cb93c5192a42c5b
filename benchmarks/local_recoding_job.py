"""Local recoding in a process of its own: the name of the case."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
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


def columns() -> list[Any]:
    rng, n = np.random.default_rng(1), 1_000_000
    return [np.minimum(rng.exponential(v / 4, n), v - 1).astype(int) for v in VALUES]


def million() -> CellTask:
    codes = np.column_stack(columns())
    rows, _, counts = cell_tasks.grouped(codes, np.zeros((len(codes), 0), int))
    return CellTask(rows, counts, tuple(binary_tree(v) for v in VALUES), 5)


def solved(case: str) -> Callable[[], float]:
    """What solves a task and gives the loss."""
    if case.endswith("whole call"):
        return whole("mondrian-relaxed" if "relaxed" in case else "mondrian")
    if case.startswith("1M"):
        task, relaxed = million(), case.endswith("relaxed")
        return lambda: mondrian(task, relaxed=relaxed).price(task) / 1e6
    what, effort = case.rsplit(" ", 1)
    if what == "adult":
        task = cell_tasks.adult(DATA)
        return lambda: recoded(task, effort).price(task) / 30162
    keys = cell_tasks.FIVE if what.startswith("5keys") else cell_tasks.IHSN
    task = cell_tasks.ihsn(DATA, int(what[-1]), keys)
    return lambda: recoded(task, effort).price(task)


def whole(method: Any) -> Callable[[], float]:
    """The same records as a table, with intervals of 2, 4, … values up to all."""
    import pyarrow as pa

    import discreet as ds

    table = pa.table({f"k{i}": column for i, column in enumerate(columns())})
    survey = ds.read(table, keys=table.column_names)
    above = {
        key: ds.Hierarchy.intervals([2**i for i in range(1, 7) if 2**i < v], top="*")
        if v > 2
        else ds.Hierarchy.suppress()
        for key, v in zip(table.column_names, VALUES, strict=True)
    }
    return lambda: ds.recode(survey, above, ds.KAnonymity(5), method=method).outcome.loss


def main(case: str) -> dict[str, Any]:
    if not case.startswith("1M") and not DATA.exists():
        return {}
    solve, taken = solved(case), []
    for _ in range(4):  # the first compiles
        start = time.process_time()
        loss = solve()
        taken.append(time.process_time() - start)
    return {"cpu": min(taken[1:]), "loss": loss}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
