"""All sets of up to four of 27 attributes in a process of its own: ``discreet file`` or ``plain
file``; the answer is the counts of every 97th set."""

from __future__ import annotations

import itertools
import json
import sys
import time
from typing import Any

import numpy as np
import pyarrow as pa
from processes import Clock, Grown

RECORDS, UP_TO, EVERY = 100_000, 4, 97
SURVEY = [100, 60, 40, 30, 20, 15, 12, 10, 10, 8, 8, 7, 6, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3, 2, 2, 2, 2]
FILES = {"survey": SURVEY, "few": [3] * 27}


def columns(file: str) -> dict[str, np.ndarray]:
    """Codes with a long tail: most records have one of the first few values."""
    rng = np.random.default_rng(1)
    return {
        f"a{i:02}": np.minimum(rng.exponential(width / 3, RECORDS).astype(np.int32), width - 1)
        for i, width in enumerate(FILES[file])
    }


def discreet(file: str) -> dict[str, Any]:
    import discreet as ds

    data = ds.read(pa.table(columns(file)))
    ds.key_candidates(ds.read({"a": [1, 2], "b": [1, 1]}), up_to=2)  # loads the kernels
    grown, clock = Grown(), Clock()
    found = ds.key_candidates(data, up_to=UP_TO)
    outcome = clock.outcome()
    memory = grown.megabytes() * 1e6 / (4 * RECORDS * len(FILES[file]))
    counts = np.column_stack([found.classes, found.uniques, found.pairs])
    return {**outcome, "memory": memory, "answer": counts[::EVERY].tolist()}


def plain(file: str) -> dict[str, Any]:
    """Each set by itself: pack the codes, sort them, count; scaled up to all sets."""
    codes = list(columns(file).values())
    sizes = range(1, UP_TO + 1)
    sets = [s for size in sizes for s in itertools.combinations(range(len(codes)), size)]
    started, answer = time.process_time(), []
    for chosen in sets[::EVERY]:
        packed = np.zeros(RECORDS, dtype=np.int64)
        for a in chosen:
            packed = packed * FILES[file][a] + codes[a]
        f = np.unique(packed, return_counts=True)[1]
        answer.append([len(f), int((f == 1).sum()), int((f * (f - 1) // 2).sum())])
    spent = time.process_time() - started
    return {"cpu": spent * len(sets) / len(answer), "answer": answer}


if __name__ == "__main__":
    print(json.dumps({"discreet": discreet, "plain": plain}[sys.argv[1]](sys.argv[2])))
