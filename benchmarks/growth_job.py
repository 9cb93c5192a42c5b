"""``ds.risk`` of a Parquet file by its first keys, in a process of its own."""

from __future__ import annotations

import json
import sys

from data import BILLING_KEYS
from processes import Clock

import discreet as ds

if __name__ == "__main__":
    path, keys, small = sys.argv[1:]
    chosen = BILLING_KEYS[: int(keys)]
    ds.risk(ds.read(small, keys=chosen))  # loads every library
    clock = Clock()
    risk = ds.risk(ds.read(path, keys=chosen))
    print(json.dumps({**clock.outcome(), "answer": risk.classes}))
