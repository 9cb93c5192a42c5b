"""k and p of a pandas frame by discreet: reading the frame counts, reading the file does not."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
from data import RECORD_KEYS
from processes import Clock

import discreet as ds


def measured(frame: pd.DataFrame) -> ds.Risk:
    return ds.risk(ds.read(frame, keys=RECORD_KEYS, confidential=["illness"]))


if __name__ == "__main__":
    path, how = sys.argv[1:]
    frame = pd.read_parquet(path)
    if how == "permuted":
        frame.index = np.random.default_rng(0).permutation(len(frame))
    if how == "objects":
        frame = frame.astype(dict.fromkeys(frame.select_dtypes(exclude="number"), object))
    measured(frame.head(1_000))  # loads every library
    clock = Clock()
    risk = measured(frame)
    outcome = clock.outcome()
    answer = {"k": risk.k, "p": risk.p["illness"]}
    print(json.dumps({**outcome, "answer": answer, "classes": risk.classes}))
