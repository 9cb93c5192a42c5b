"""A verb of the package on a billing file under a limit of memory, in a process of its own."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from data import BILLING_KEYS
from processes import Clock

import discreet as ds

Work = Callable[[], object]


def risk(path: str) -> Work:
    return lambda: ds.risk(_read(path)).classes


def check(path: str) -> Work:
    return lambda: ds.check(_read(path), ds.KAnonymity(5)).satisfied


def sample(path: str) -> Work:
    return lambda: ds.sample(_read(path), fraction=0.1, seed=1).n


def disclosure_risk(path: str) -> Work:
    """Of a sample that is drawn before the clock starts."""
    initial = _read(path)
    released = ds.sample(initial, fraction=0.1, seed=1)
    return lambda: round(ds.disclosure_risk(initial, released).maximal, 12)


def information_loss(path: str) -> Work:
    """Of a sample that is drawn before the clock starts."""
    initial = _read(path)
    released = ds.sample(initial, fraction=0.1, seed=1)

    return lambda: round(ds.information_loss(initial, released).ebil_share, 6)


KNOWN = {"Age": 0.5, "Sex": 0.9, "Race": 0.3, "Zip3": 0.4, "Amount_Band": 0.1}
SENSITIVE = {"Age": 0.2, "Race": 0.6, "Amount_Band": 1.0}


def record_risk(path: str) -> Work:
    """The risk of every record, in the order of the file."""
    return lambda: round(float(ds.record_risk(_read(path), KNOWN, SENSITIVE).values.sum()), 3)


def protect(path: str) -> Work:
    """Generalize, mask, and write."""
    return lambda: _written(ds.generalize(_read(path), hierarchies(), ds.KAnonymity(5)))


def _written(found) -> int:
    with tempfile.TemporaryDirectory() as folder:
        masked = found.best.mask()
        masked.write(Path(folder) / "masked.parquet")
        return masked.n


def _read(path: str):
    return ds.read(path, keys=BILLING_KEYS)


def hierarchies() -> dict[str, ds.Hierarchy]:
    return {
        "Age": ds.Hierarchy.intervals([5, 10, 20, 40]),
        "Sex": ds.Hierarchy.suppress(),
        "Race": ds.Hierarchy.suppress(),
        "Zip3": ds.Hierarchy.prefixes([3, 2, 1, 0]),
        "Amount_Band": ds.Hierarchy.intervals([2, 4, 8]),
    }


VERBS: dict[str, Callable[[str], Work]] = {
    "risk": risk,
    "check": check,
    "sample": sample,
    "disclosure_risk": disclosure_risk,
    "information_loss": information_loss,
    "record_risk": record_risk,
    "protect": protect,
}

if __name__ == "__main__":
    verb, path, small = sys.argv[1:]
    VERBS[verb](small)()  # loads every library
    with ds.settings(memory_limit=os.environ.get("LIMIT", "2GB")):
        work = VERBS[verb](path)
        clock = Clock()
        answer = work()
        print(json.dumps({**clock.outcome(), "answer": answer}))
