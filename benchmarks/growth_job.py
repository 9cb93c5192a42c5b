"""``ds.risk`` of a Parquet file by its first keys, or MDAV of random numbers, in a process of its
own."""

from __future__ import annotations

import json
import sys

import numpy as np
from data import BILLING_KEYS
from processes import Clock, Outcome

import discreet as ds


def risk(path: str, keys: str, small: str) -> Outcome:
    chosen = BILLING_KEYS[: int(keys)]
    ds.risk(ds.read(small, keys=chosen))  # loads every library
    clock = Clock()
    found = ds.risk(ds.read(path, keys=chosen))
    return {**clock.outcome(), "answer": found.classes}


def mdav(records: str, k: str) -> Outcome:
    rng = np.random.default_rng(1)
    columns = {f"x{i}": rng.normal(size=int(records)) for i in range(6)}
    small = {name: values[:100] for name, values in columns.items()}
    ds.microaggregate(ds.read(small, keys=list(small)), k=3)
    clock = Clock()
    masked = ds.microaggregate(ds.read(columns, keys=list(columns)), k=int(k))
    return {**clock.outcome(), "answer": masked.n}


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    print(json.dumps({"risk": risk, "mdav": mdav}[what](*arguments)))
