"""Cells blanked by the kernels: the IHSN file in the three readings, and simulated files of 100,000
to ten million records in the wildcard reading, in units. Exact answers say what is proven."""

from __future__ import annotations

from collections.abc import Iterator

from figure import Figure
from local_suppression_job import CASES, FILES
from processes import job
from unit import unit

MOST = {  # of what is found: cells, and units
    "5 keys, k = 3": {
        "wildcard, quick": (30, 0.5),
        "wildcard, exact": (25, None),
        "category, exact": (67, 50.0),
        "target-source, exact": (64, None),
    },
    "5 keys, k = 5": {
        "wildcard, quick": (68, 0.5),
        "wildcard, exact": (51, None),
        "category, exact": (172, 50.0),
        "target-source, exact": (165, None),
    },
    "7 keys, k = 3": {
        "wildcard, quick": (132, 0.5),
        "wildcard, exact": (120, None),
        "category, exact": (357, 50.0),
    },
    "8 keys, k = 3": {"wildcard, quick": (520, 1.5)},
}
UNITS = {"100k": 2.0, "1M": 5.0}  # of the simulated files at most, by their records


def run() -> Iterator[Figure]:
    one = unit()
    yield Figure("one unit: numpy sorting 5 million int64", one, "s CPU")
    for case in CASES:
        found = job("local_suppression_job.py", case)
        for reading, (cells, bound, stopped, cpu) in found.items():
            most, units = MOST[case].get(reading, (None, None))
            proven = "" if stopped is None else f", at least {bound:g} needed ({stopped})"
            what = f"{case}: {reading}{proven}"
            yield Figure(what, cells, "cells", at_most=most)
            yield Figure(what, cpu, "s CPU")
            yield Figure(what, cpu / one, "units", at_most=units)
    for file in FILES:
        found = job("local_suppression_job.py", file)
        what = f"{file}, {found['classes']:,} classes, {found['small']:,} of them too small"
        yield Figure(f"{what}: wildcard, quick, {found['cells']:,.0f} cells", found["cpu"], "s CPU")
        yield Figure(f"{file}: wildcard, quick", found["cpu"] / one, "units",
                     at_most=UNITS.get(file.split()[0]))  # fmt: skip
