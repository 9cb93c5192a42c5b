"""Exact MDAV microaggregation, in units of one thread: how it grows with records and attributes,
against a plain numpy MDAV of the same run, and by how much memory grows over the data."""

from __future__ import annotations

from collections.abc import Iterator

from figure import Figure
from processes import job
from unit import unit

CASES = (  # records, attributes, k, repetitions, bound in units
    (10_000, 6, 3, 5, 0.1),
    (50_000, 6, 3, 3, 0.9),
    (50_000, 13, 3, 2, 3.5),
    (100_000, 6, 3, 2, 2.7),
    (1_000_000, 6, 10, 1, 45),
)


def run() -> Iterator[Figure]:
    one = unit()
    yield Figure("one unit: numpy sorting 5 million int64", one, "s CPU")
    for n, d, k, repetitions, bound in CASES:
        found = job("mdav_job.py", "times", *map(str, (n, d, k, repetitions)))
        what = f"{n:,} × {d}, k = {k}"
        yield Figure(what, found["cpu"] / one, "units", at_most=bound)
        yield Figure(f"{what}: memory grows by", found["memory"], "× data", at_most=6)
        if n == 10_000:
            plain = job("mdav_job.py", "plain", *map(str, (n, d, k)))["cpu"]
            yield Figure(f"{what}: times as fast as plain numpy", plain / found["cpu"], "×")
