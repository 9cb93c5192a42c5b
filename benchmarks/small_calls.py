"""What a verb costs on a small table in memory, CPU time: 1,000 records × 8, read afresh each time;
MDAV of 1,080 × 13. The same calls with the records in the embedded engine are the baseline."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from figure import Figure
from processes import alternately, job
from small_calls_job import VERBS

MOST = {"mdav": 0.030}


def run() -> Iterator[Figure]:
    for verb in VERBS:
        jobs = {
            who: functools.partial(job, "small_calls_job.py", verb, who)
            for who in ("held", "engine")
        }
        found = alternately(jobs, 3)
        held, engine = found["held"]["cpu"], found["engine"]["cpu"]
        yield Figure(f"{verb}: held here", held, "s CPU", at_most=MOST.get(verb, 0.025))
        yield Figure(f"{verb}: in the engine", engine, "s CPU")
        yield Figure(f"{verb}: ratio", held / engine, "×", at_most=1)
