"""Candidates for keys: all 20,853 sets of up to four of 27 attributes of 100,000 records, in units,
against np.unique set by set; two kinds of files, of which the second has few values only."""

from __future__ import annotations

from collections.abc import Iterator

from figure import Figure
from processes import job
from unit import unit


def run() -> Iterator[Figure]:
    one = unit()
    yield Figure("one unit: numpy sorting 5 million int64", one, "s CPU")
    for file in ("survey", "few"):
        found = job("key_candidates_job.py", "discreet", file)
        plain = job("key_candidates_job.py", "plain", file)
        if found["answer"] != plain["answer"]:
            raise RuntimeError("discreet and np.unique differ in their counts")
        what = f"{file}: 20,853 sets"
        yield Figure(f"{what}, ds.key_candidates", found["cpu"] / one, "units", at_most=100)
        yield Figure(f"{what}, ds.key_candidates", found["seconds"], "s")
        yield Figure(f"{what}, np.unique (from every 97th set)", plain["cpu"] / one, "units")
        yield Figure(f"{what}: times as fast", plain["cpu"] / found["cpu"], "×")
        yield Figure(f"{what}: memory grows by", found["memory"], "× data", at_most=10)
