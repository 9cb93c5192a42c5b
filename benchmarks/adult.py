"""The Adult file with its nine hierarchies, which stands outside of the project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from processes import HERE

KEYS = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]
FOLDER = Path(os.environ.get("DISCREET_DATA", HERE.parent.parent / "shared" / "data")) / "adult"
FILE = FOLDER / "adult_30162x9.csv"


def missing() -> list[str]:
    """What is not there of the file and its hierarchies."""
    return [path.name for path in (FILE, *map(_hierarchy, KEYS)) if not path.exists()]


def hierarchies() -> dict[str, Any]:
    """The hierarchy of each key."""
    import discreet as ds

    return {key: ds.Hierarchy.from_csv(_hierarchy(key)) for key in KEYS}


def drawn(n: int, seed: int):
    """Records of the file, drawn with replacement."""
    import numpy as np
    from pyarrow import csv

    table = csv.read_csv(FILE, parse_options=csv.ParseOptions(delimiter=";"))
    return table.take(np.random.default_rng(seed).integers(0, table.num_rows, n))


def _hierarchy(key: str) -> Path:
    return FOLDER / f"adult_hierarchy_{key}.csv"
