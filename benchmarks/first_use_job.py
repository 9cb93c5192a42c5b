"""A verb from the import of the package on: ``first_use_job.py VERB FILE`` prints how long it took.
FILE is the table of ``small_calls`` as CSV."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import adult
from processes import Clock

BEGUN = Clock()
KEYS = ["k0", "k1", "k2", "k3"]


def generalize(data: Any, above: dict[str, Any], share: float) -> None:
    import discreet as ds

    ds.generalize(data, above, ds.KAnonymity(3), max_suppressed=share).best.mask()


def microaggregate(data: Any, *columns: str) -> None:
    import discreet as ds

    ds.microaggregate(data, columns, k=3)


def recode(data: Any, method: str) -> None:
    import discreet as ds

    ds.recode(data, above(), ds.KAnonymity(3), method=method)


def suppress_cells(data: Any) -> None:
    import discreet as ds

    ds.suppress_cells(data, ds.KAnonymity(3))


def small() -> Any:
    """1,000 records × 8."""
    import discreet as ds

    types = {"x": "continuous", "y": "continuous"}
    file = Path(sys.argv[2])
    return ds.read(file, keys=KEYS, confidential=["illness"], weight="weight", types=types)


def above() -> dict[str, Any]:
    import discreet as ds

    some = [ds.Hierarchy.suppress(), ds.Hierarchy.intervals([4], top="*")]
    return dict(zip(KEYS, some * 2, strict=True))


def large() -> Any:
    """30,162 records × 9."""
    import discreet as ds

    return ds.read(adult.FILE, keys=adult.KEYS)


VERBS: dict[str, Callable[[], None]] = {
    "generalize": lambda: generalize(small(), above(), 0.0),
    "generalize, 2 % suppressed": lambda: generalize(small(), above(), 0.02),
    "generalize Adult": lambda: generalize(large(), adult.hierarchies(), 0.0),
    "generalize Adult, 2 % suppressed": lambda: generalize(large(), adult.hierarchies(), 0.02),
    "microaggregate": lambda: microaggregate(small(), "x", "y"),
    "microaggregate mixed types": lambda: microaggregate(small(), "x", "y", "illness"),
    "microaggregate Adult": lambda: microaggregate(large(), "age"),
    "microaggregate Adult, mixed types": lambda: microaggregate(large(), "age", "sex", "race"),
    "recode": lambda: recode(small(), "local"),
    "recode by Mondrian": lambda: recode(small(), "mondrian"),
    "suppress_cells": lambda: suppress_cells(small()),
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    VERBS[sys.argv[1]]()
    print(json.dumps(BEGUN.outcome()))
