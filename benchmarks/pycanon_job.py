"""k and distinct l of a pandas frame by pycanon, in an environment that has pycanon."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
from data import RECORD_KEYS
from processes import Clock
from pycanon import anonymity

if __name__ == "__main__":
    path, how = sys.argv[1:]
    frame = pd.read_parquet(path)
    if how == "permuted":
        frame.index = np.random.default_rng(0).permutation(len(frame))
    head = frame.head(1_000).reset_index(drop=True)
    anonymity.l_diversity(head, RECORD_KEYS, ["illness"])  # loads every library
    clock = Clock()
    k = anonymity.k_anonymity(frame, RECORD_KEYS)
    p = anonymity.l_diversity(frame, RECORD_KEYS, ["illness"])
    print(json.dumps({**clock.outcome(), "answer": {"k": int(k), "p": int(p)}}))
