"""One search of many records in a process of its own: ``task``, ``search`` or ``whole``.

``task`` counts and leaves what a search starts from in a file, so that the memory of ``search``
is that of searching alone.
"""

from __future__ import annotations

import json
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import adult
from data import SPARSE_KEYS
from processes import Clock, Grown
from unit import unit

import discreet as ds
from discreet.masking.generalization.search import Search

LIMIT = 0.02
WIDTHS = {"a": [10, 200], "b": [20], "c": [10], "d": [10], "e": [10]}


def task(name: str, path: str, k: str, into: str) -> dict[str, Any]:
    """Count the combinations of keys and keep the task."""
    counted = _generalized(name, path, int(k), 0.0).task  # without suppression: no sweep
    allowed = replace(counted, budget=int(LIMIT * counted.keys.n))
    Path(into).write_bytes(pickle.dumps(allowed, protocol=5))
    return {"tuples": len(allowed.keys)}


def search(path: str) -> dict[str, Any]:
    """The search from the frequency set on."""
    given = pickle.loads(Path(path).read_bytes())
    keys = given.keys
    few = replace(keys, codes=tuple(c[:1000] for c in keys.codes), counts=keys.counts[:1000])
    Search(replace(given, keys=few)).run("optimal")  # loads the kernels
    grown, clock = Grown(), Clock()
    outcome = Search(given).run("optimal")
    return _measured(grown, clock) | {"answer": given.lattice.named(outcome.best)}


def whole(name: str, path: str, small: str, k: str) -> dict[str, Any]:
    """Counting and searching."""
    _generalized(name, small, int(k), 1.0)  # loads every library
    grown, clock = Grown(), Clock()
    found = _generalized(name, path, int(k), LIMIT)
    return _measured(grown, clock) | {"answer": found.best.levels}


def _measured(grown: Grown, clock: Clock) -> dict[str, Any]:
    return clock.outcome() | {"grown": grown.megabytes(), "unit": unit()}


def _generalized(name: str, path: str, k: int, limit: float) -> Any:
    hierarchies = adult.hierarchies() if name == "bootstrap" else _intervals()
    microdata = ds.read(path, keys=list(hierarchies))
    return ds.generalize(microdata, hierarchies, ds.KAnonymity(k), max_suppressed=limit)


def _intervals() -> dict[str, Any]:
    wide = {key: ds.Hierarchy.intervals(widths) for key, widths in WIDTHS.items()}
    return {key: wide.get(key, ds.Hierarchy.suppress()) for key in SPARSE_KEYS}


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    print(json.dumps({"task": task, "search": search, "whole": whole}[what](*arguments)))
