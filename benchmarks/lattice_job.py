"""Searches of the Adult file's lattice in a process of its own: ``searches`` or ``with_values``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import adult
import numpy as np
from lattice import LIMITS
from pyarrow import csv
from unit import unit

import discreet as ds
from discreet.masking.generalization.search import Search

K = 5


def searches(turns: int) -> dict[str, float]:
    """CPU seconds of the sweep, of searches from the frequency set, and of ``ds.generalize``."""
    microdata, above = ds.read(adult.FILE, keys=adult.KEYS), adult.hierarchies()
    found = ds.generalize(microdata, above, ds.KAnonymity(K), max_suppressed=0.02)
    steps: dict[str, Callable[[], object]] = {"sweep": lambda: Search(found.task).sweep}
    for name, limit in LIMITS.items():
        task = replace(found.task, budget=int(limit * found.task.keys.n))
        steps[f"search {name}"] = lambda task=task: Search(task).run("optimal")
        steps[f"whole {name}"] = lambda limit=limit: ds.generalize(
            microdata, above, ds.KAnonymity(K), max_suppressed=limit
        )
        steps[f"at {name}"] = lambda limit=limit: found.lattice.at(k=K, max_suppressed=limit)
    frame = csv.read_csv(adult.FILE, parse_options=csv.ParseOptions(delimiter=";")).to_pandas()
    opened = ds.read(frame, keys=adult.KEYS)
    steps["frame 0"] = lambda: ds.generalize(opened, above, ds.KAnonymity(K), max_suppressed=0)
    taken, units = _turns(steps, turns)
    return {name: min(seconds) for name, seconds in taken.items()} | {"unit": units}


def with_values(turns: int) -> dict[str, Any]:
    """CPU seconds of the sweep on 8 keys, without and with the distinct occupations of a class."""
    keys = [key for key in adult.KEYS if key != "occupation"]
    microdata = ds.read(adult.FILE, keys=keys, confidential=["occupation"])
    above = {key: hierarchy for key, hierarchy in adult.hierarchies().items() if key in keys}
    criteria = {"without": ds.KAnonymity(K)} | {
        f"p = {p}": ds.PSensitiveKAnonymity(p=p, k=K) for p in (2, 5)
    }
    steps: dict[str, Callable[[], object]] = {}
    for name, criterion in criteria.items():
        task = ds.generalize(microdata, above, criterion, max_suppressed=0.02).task
        steps[name] = lambda task=task: Search(task).sweep
    taken, units = _turns(steps, turns)
    ratios = {name: np.divide(taken[name], taken["without"]) for name in taken}
    return {
        "unit": units,
        "least": {name: min(seconds) for name, seconds in taken.items()},
        "ratios": {
            name: dict(
                zip(("tenth", "median", "ninetieth"), np.quantile(r, (0.1, 0.5, 0.9)), strict=True)
            )
            for name, r in ratios.items()
        },
    }


def _turns(
    steps: Mapping[str, Callable[[], object]], turns: int
) -> tuple[dict[str, list[float]], float]:
    """CPU seconds of each step in each turn, and of one unit, the least of several turns."""
    for step in steps.values():
        step()  # loads the kernels
    taken: dict[str, list[float]] = {name: [] for name in steps}
    units = []
    for turn in range(turns):
        if turn % 5 == 0:
            units.append(unit(1))
        for name, step in steps.items():
            start = time.process_time()
            step()
            taken[name].append(time.process_time() - start)
    return taken, min(units)


if __name__ == "__main__":
    what, turns = sys.argv[1:]
    print(json.dumps({"searches": searches, "with_values": with_values}[what](int(turns))))
