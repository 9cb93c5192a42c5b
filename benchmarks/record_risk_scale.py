"""The risk of every record with ten times the students: ten times the bound of the smaller file,
and how the time per record and the memory grow."""

from __future__ import annotations

from collections.abc import Iterator

from figure import Figure
from processes import job
from record_risk import FAMILIES, RECORDS, figures
from unit import unit

TIMES = 10


def run() -> Iterator[Figure]:
    one = unit()
    yield Figure("one unit: numpy sorting 5 million int64", one, "s CPU")
    for family in FAMILIES:
        small = job("record_risk_job.py", "kernel", family, str(RECORDS), "5")
        large = job("record_risk_job.py", "kernel", family, str(TIMES * RECORDS), "2")
        yield from figures(family, large, one, bound=3 * TIMES)
        growth = large["cpu"] / small["cpu"] / TIMES
        what = f"{family}: time per record over that of the smaller file"
        yield Figure(what, growth, "×", at_most=1.5)
