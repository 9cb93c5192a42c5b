"""A verb on a small table, warm: the least CPU time of several calls, each on a fresh read."""

from __future__ import annotations

import json
import sys
import time
import warnings

import numpy as np

import discreet as ds
from discreet.engine import held

TIMES = 8
KEYS = ["k0", "k1", "k2", "k3"]
HIERARCHIES = {
    "k0": ds.Hierarchy.suppress(),
    "k1": ds.Hierarchy.intervals([4], top="*"),
    "k2": ds.Hierarchy.suppress(),
    "k3": ds.Hierarchy.intervals([2, 4], top="*"),
}


def table(n: int = 1000) -> dict:
    rng = np.random.default_rng(1)
    columns = {f"k{i}": rng.integers(0, values, n) for i, values in enumerate([5, 12, 2, 8])}
    columns["illness"] = rng.choice(list("abcd"), n)
    columns["x"], columns["y"] = rng.normal(size=n).round(3), rng.gamma(2, 1000, n).round(2)
    return {**columns, "weight": rng.integers(10, 200, n).astype(float)}


def read() -> ds.Microdata:
    types = {"x": "continuous", "y": "continuous"}
    roles = {"keys": KEYS, "confidential": ["illness"], "weight": "weight"}
    return ds.read(TABLE, types=types, **roles)


def read_thirteen() -> ds.Microdata:
    rng = np.random.default_rng(2)
    columns = {f"v{i}": rng.normal(size=1080) for i in range(13)}
    return ds.read(columns, keys=list(columns))


TABLE = table()
VERBS = {
    "read": lambda _: read(),
    "risk": ds.risk,
    "check": lambda data: ds.check(data, ds.KAnonymity(2)),
    "sample": lambda data: ds.sample(data, fraction=0.1, seed=1),
    "generalize": lambda data: ds.generalize(data, HIERARCHIES, ds.KAnonymity(3)),
    "mask": lambda data: ds.generalize(data, HIERARCHIES, ds.KAnonymity(3)).best.mask(),
    "microaggregate": lambda data: ds.microaggregate(data, ["x", "y"], k=3),
    "individual_risk": ds.individual_risk,
    "suda": ds.suda,
    "information_loss": lambda data: ds.information_loss(
        data, ds.microaggregate(data, ["x", "y"], k=3)
    ),
    "mdav": lambda data: ds.microaggregate(data, k=3),
}

if __name__ == "__main__":
    verb, who = sys.argv[1:]
    warnings.simplefilter("ignore")
    if who == "engine":
        held.MOST_CELLS = 0
    fresh = read_thirteen if verb == "mdav" else read
    times = []
    for _ in range(TIMES):
        data = fresh()
        start = time.process_time()
        VERBS[verb](data)
        times.append(time.process_time() - start)
    print(json.dumps({"seconds": min(times), "cpu": min(times)}))
