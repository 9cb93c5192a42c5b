"""Local recoding of Adult (8 keys, k = 5), blanking in the IHSN file, and Mondrian with a million
records, the kernel alone and the whole call, in units. The figures of the reference data are left
out where these are absent."""

from __future__ import annotations

from collections.abc import Iterator

from figure import Figure
from processes import job
from unit import unit

CASES = {  # what is lost at most, and in how many units of 0.30 s
    "adult quick": (0.0280, 2.0),
    "adult default": (0.0271, 12.0),
    "5keys k=3 quick": (72, 1.0),
    "5keys k=5 quick": (182, 1.0),
    "7keys k=3 quick": (398, 1.0),
    "1M × 8 mondrian": (None, 15.0),
    "1M × 8 mondrian relaxed": (None, 15.0),
    "1M × 8 mondrian, the whole call": (None, 15.0),
    "1M × 8 mondrian relaxed, the whole call": (None, 18.0),
}


def run() -> Iterator[Figure]:
    one = unit()
    yield Figure("one unit: numpy sorting 5 million int64", one, "s CPU")
    for case, (most, units) in CASES.items():
        found = job("local_recoding_job.py", case)
        if found:
            yield Figure(f"{case}: loss", found["loss"], "", at_most=most)
            yield Figure(case, found["cpu"], "s CPU")
            yield Figure(case, found["cpu"] / one, "units", at_most=units)
