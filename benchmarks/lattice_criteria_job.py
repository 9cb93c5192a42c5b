"""Sweeps of the Adult file's lattice for several criteria, in a process of its own: ``sweeps``; and
bounded searches: ``bounded``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import adult
import numpy as np
from lattice_job import _turns
from pyarrow import csv

import discreet as ds
from discreet.masking.generalization.search import Search

K = 5
STEPS = (100, 500, 2_000, 8_000)


def sweeps(turns: int) -> dict[str, Any]:
    """CPU seconds of the sweep for each criterion."""
    keys = [key for key in adult.KEYS if key != "occupation"]
    above = {key: hierarchy for key, hierarchy in adult.hierarchies().items() if key in keys}
    people = csv.read_csv(adult.FILE, parse_options=csv.ParseOptions(delimiter=";"))
    some = people.take(np.flatnonzero(np.arange(people.num_rows) * 7919 % 10 == 3))
    whole = ds.read(people, keys=keys, confidential=["occupation"])
    sample = ds.read(some, keys=keys, confidential=["occupation"])
    presence = ds.DeltaPresence(0.0, 0.2, population=people)
    asked = {
        "k-anonymity": (whole, ds.KAnonymity(K)),
        "k-map 5, a tenth of the people": (sample, ds.KMap(K, people)),
        "k-map 5, all of the people": (whole, ds.KMap(K, people)),
        "presence 0 to 0.2, a tenth of the people": (sample, presence),
        "presence 0 to 1, all of the people": (whole, ds.DeltaPresence(0.01, 1, people)),
        "basic 4-likeness": (whole, ds.BetaLikeness(4)),
        "enhanced 1-likeness": (whole, ds.BetaLikeness(1, "enhanced")),
        "2-disclosure": (whole, ds.DeltaDisclosure(2)),
        "2-disclosure, absent values ignored": (whole, ds.DeltaDisclosure(2, "ignore")),
    }
    steps: dict[str, Callable[[], object]] = {}
    for name, (data, criterion) in asked.items():
        task = ds.generalize(data, above, criterion, max_suppressed=1.0).task
        steps[name] = lambda task=task: Search(task).sweep
    taken, units = _turns(steps, turns)
    return {"unit": units, "taken": {name: min(seconds) for name, seconds in taken.items()}}


def bounded(_: int) -> dict[str, Any]:
    """What bounded searches find, by the number of nodes that they count."""
    found = {}
    nine = ds.read(adult.FILE, keys=adult.KEYS)
    cases = [
        ("Adult, 9 keys, 2 %", nine, adult.hierarchies(), 0.02),
        *((f"simulated, {keys} keys, 2 %", *_simulated(10_000, keys), 0.02) for keys in (9, 15)),
    ]
    for name, data, above, limit in cases:
        options = {"max_suppressed": limit, "search": "bounded"}
        steps = []
        for nodes in STEPS:
            start = time.process_time()
            one = ds.generalize(data, above, ds.KAnonymity(K), nodes=nodes, **options)
            taken = time.process_time() - start
            steps.append((one.tally.counted, one.best.loss, one.bound, taken))
            if one.complete:
                break
        least = None
        if one.lattice.nodes <= 400_000:
            least = ds.generalize(data, above, ds.KAnonymity(K), max_suppressed=limit).best.loss
        found[name] = {"nodes": one.lattice.nodes, "steps": steps, "least": least}
    return found


def _simulated(records: int, keys: int) -> tuple[Any, dict[str, Any]]:
    """Keys of eight values on four levels that go with three kinds of records."""
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 3, records)
    columns = {}
    for a in range(keys):
        share = rng.dirichlet(np.full(8, 0.7), 3)
        columns[f"k{a:02}"] = (share[kind].cumsum(1) > rng.random(records)[:, None]).argmax(1)
    above = {name: ds.Hierarchy.intervals([2, 4]) for name in columns}
    return ds.read(columns, keys=list(columns)), above


if __name__ == "__main__":
    what, turns = sys.argv[1:]
    print(json.dumps({"sweeps": sweeps, "bounded": bounded}[what](int(turns))))
