"""How ``ds.risk`` on a Parquet file grows with the number of records and of keys."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import data
from figure import Figure
from processes import alternately, job

TIMES = 3


def run() -> Iterator[Figure]:
    small = str(data.billing(1_000))
    for records in (100_000, 1_000_000, 10_000_000):
        yield from _taken(str(data.billing(records)), records, len(data.BILLING_KEYS), small)
    for keys in range(1, len(data.BILLING_KEYS)):
        yield from _taken(str(data.billing(10_000_000)), 10_000_000, keys, small)


def _taken(path: str, records: int, keys: int, small: str) -> Iterator[Figure]:
    start = functools.partial(job, "growth_job.py", path, str(keys), small)
    found = alternately({"": start}, TIMES)[""]
    classes, peak = found["answer"], found["megabytes"]
    what = f"{records:>10,} records × {keys} keys, {classes:>7,} classes, peak {peak:.0f} MB"
    yield Figure(what, found["cpu"], "s CPU")
