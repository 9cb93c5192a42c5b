"""The size of every record's class, from a Parquet file against DuckDB SQL written by hand."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import data
from figure import Figure
from processes import alternately, job

RECORDS = 10_000_000
TIMES = 7


def run() -> Iterator[Figure]:
    big, small = str(data.billing(RECORDS)), str(data.billing(1_000))
    found = alternately(
        {
            who: functools.partial(job, "class_sizes_job.py", who, big, small)
            for who in ("discreet", "by_hand")
        },
        TIMES,
    )
    ours, theirs = found["discreet"], found["by_hand"]
    if ours["answer"] != theirs["answer"]:
        raise RuntimeError("discreet and the SQL written by hand differ in their sizes")
    yield Figure("classes of 10 million records × 5 keys", ours["answer"]["classes"])
    for name, outcome in found.items():
        yield Figure(f"from Parquet, {name}", outcome["seconds"], "s")
        yield Figure(f"from Parquet, {name}", outcome["cpu"], "s CPU")
    yield Figure("ratio of times", ours["seconds"] / theirs["seconds"], "×", at_most=1.2)
    yield Figure("ratio of CPU times", ours["cpu"] / theirs["cpu"], "×", at_most=1.2)
    yield Figure("peak memory, by hand", theirs["megabytes"], "MB")
    yield Figure("peak memory, discreet", ours["megabytes"], "MB", at_most=1000)
