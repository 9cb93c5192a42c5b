"""What a verb costs over the SQL, written by hand, that it amounts to: 10 million records × 5 keys
in Parquet, on DuckDB."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import data
from figure import Figure
from processes import alternately, job
from scale_job import VERBS

RECORDS = 10_000_000
TIMES = {"sample": 3, "protect": 3}
MOST = 1.2


def run() -> Iterator[Figure]:
    big, small = str(data.billing(RECORDS)), str(data.billing(1_000))
    for verb in VERBS:
        jobs = {
            who: functools.partial(job, "overhead_job.py", who, verb, big, small)
            for who in ("discreet", "by_hand")
        }
        found = alternately(jobs, TIMES.get(verb, 7))
        ours, theirs = found["discreet"], found["by_hand"]
        if ours["answer"] != theirs["answer"]:
            raise RuntimeError(f"discreet and the SQL written by hand differ in {verb}")
        for who, outcome in found.items():
            yield Figure(f"{verb}, {who}", outcome["seconds"], "s")
            yield Figure(f"{verb}, {who}", outcome["cpu"], "s CPU")
        yield Figure(f"{verb}: ratio of times", ours["seconds"] / theirs["seconds"], "×")
        ratio = ours["cpu"] / theirs["cpu"]
        yield Figure(f"{verb}: ratio of CPU times", ratio, "×", at_most=MOST)
