"""Special uniques of 100,000 × 5 and a million × 10 records: all minimal sample uniques from codes
in memory, and ds.suda with the scores of all records, in units."""

from __future__ import annotations

from collections.abc import Iterator

from figure import Figure
from processes import job
from unit import unit

BOUNDS = {"100k × 5": 0.45, "1M × 10": 40.0}


def run() -> Iterator[Figure]:
    one = unit()
    yield Figure("one unit: numpy sorting 5 million int64", one, "s CPU")
    for file, bound in BOUNDS.items():
        found = job("special_uniques_job.py", file)
        what = f"{file}: {found['uniques']:,} uniques, {found['minimal']:,} minimal uniques"
        yield Figure(f"{what}, kernel", found["kernel"] / one, "units", at_most=bound)
        yield Figure(f"{file}: ds.suda and the scores", found["cpu"] / one, "units")
        yield Figure(f"{file}: ds.suda and the scores", found["cpu"], "s CPU")
        yield Figure(f"{file}: memory grows by", found["memory"], "MB")
