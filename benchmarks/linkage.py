"""Nearest-record linkage of 100,000 × 6 records after noise and after microaggregation: the kernel,
and ds.linkage with reading and linking the files, in units."""

from __future__ import annotations

from collections.abc import Iterator

from figure import Figure
from processes import job
from unit import unit

BOUND = 10.0


def run() -> Iterator[Figure]:
    one = unit()
    yield Figure("one unit: numpy sorting 5 million int64", one, "s CPU")
    for file in ("little noise", "noise", "much noise", "groups of 3"):
        found = job("linkage_job.py", file)
        what = f"{file}: {found['expected']:,.0f} right links"
        yield Figure(f"{what}, kernel", found["kernel"] / one, "units", at_most=BOUND)
        yield Figure(f"{file}: ds.linkage", found["cpu"] / one, "units", at_most=BOUND)
        yield Figure(f"{file}: memory grows by", found["memory"], "MB")
