"""The risk of every record from codes in memory, 1,009,993 simulated students × 27 attributes, in
units: families of known sets that overlap in different ways, a plain numpy loop beside, and by
how much memory grows over the coded table."""

from __future__ import annotations

from collections.abc import Iterator

from figure import Figure
from processes import job
from unit import unit

RECORDS = 1_009_993
FAMILIES = ("paper", "few", "pairs", "fine")
REPETITIONS = 5


def run() -> Iterator[Figure]:
    one = unit()
    yield Figure("one unit: numpy sorting 5 million int64", one, "s CPU")
    for family in FAMILIES:
        found = job("record_risk_job.py", "kernel", family, str(RECORDS), str(REPETITIONS))
        yield from figures(family, found, one)
        loop = job("record_risk_job.py", "plain", family, str(RECORDS), "1")["cpu"]
        yield Figure(f"{family}: plain numpy loop", loop / one, "units")
        yield Figure(f"{family}: times as fast as the loop", loop / found["cpu"], "×")
        if family == "paper":
            yield Figure("paper: records with a risk above 0.01", found["above"])


def figures(family: str, found: dict, one: float, bound: float = 3) -> Iterator[Figure]:
    """What the kernel took."""
    way = f"{found['tables']} tables, {found['refined']} sets refined"
    yield Figure(f"{family}: known sets ({way})", found["sets"])
    yield Figure(f"{family}: CPU time", found["cpu"] / one, "units", at_most=bound)
    yield Figure(f"{family}: wall time, two threads", found["seconds"] / one, "units")
    yield Figure(f"{family}: contributions, CPU time", found["contributions"] / one, "units")
    yield Figure(f"{family}: memory grows by", found["memory"], "× table", at_most=6)
