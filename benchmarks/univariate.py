"""Univariate microaggregation: time in units of a stable argsort and against a plain loop, loss of
fixed against optimal groups, and growth of the time with ``objective="absolute"``."""

from __future__ import annotations

from collections.abc import Iterator

from figure import Figure
from processes import job

RECORDS = 1_000_000
PLAIN_RECORDS = 20_000  # a loop in plain Python grows linearly: its time per record counts
SAMPLES = 25


def run() -> Iterator[Figure]:
    for k in (3, 10):
        yield from _times(k)
    for k in (3, 5, 10):
        # without and with a remainder, which joins the largest values
        for records in (30_000, 30_029):
            yield from _losses(k, records)
    for records in (10_000, 100_000, RECORDS):
        yield from _absolute(records)


def _times(k: int) -> Iterator[Figure]:
    found = job("univariate_job.py", "times", str(k), str(RECORDS), str(PLAIN_RECORDS))
    sort, optimal = found["sort"], found["optimal"]
    what = f"a million values, k = {k}"
    yield Figure(f"{what}: np.argsort, stable", sort, "s CPU")
    yield Figure(f"{what}: fixed groups", found["fixed"], "s CPU")
    yield Figure(f"{what}: optimal groups", optimal, "s CPU")
    yield Figure(f"{what}: fixed groups / argsort", found["fixed"] / sort, "×")
    yield Figure(f"{what}: optimal groups / argsort", optimal / sort, "×", at_most=4)
    plain = found["plain"] / PLAIN_RECORDS * RECORDS
    yield Figure(f"{what}: plain O(kn) loop, from {PLAIN_RECORDS:,} values", plain, "s CPU")
    yield Figure(f"{what}: times as fast as the plain loop", plain / optimal, "×")
    yield Figure(f"{what}: peak memory", found["megabytes"], "MB")


def _losses(k: int, records: int) -> Iterator[Figure]:
    found = job("univariate_job.py", "losses", str(k), str(records), str(SAMPLES))
    for objective, ratio in found.items():
        what = f"loss of fixed / optimal groups, k = {k}, {records:,} values, {objective}"
        yield Figure(what, ratio, "×", at_least=1)


def _absolute(records: int) -> Iterator[Figure]:
    found = job("univariate_job.py", "absolute", str(records))
    for name, taken in found.items():
        what = f"absolute, {records:>9,} values, {name}: k = 10 / argsort {taken['ratio']:.1f}"
        yield Figure(what, taken["seconds"], "s CPU")
