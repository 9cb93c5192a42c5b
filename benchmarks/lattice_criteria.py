"""The sweep of the Adult file's lattice, 8 keys, for criteria that compare counts: k-map and
presence beside k-anonymity on the population, likeness and disclosure beside k-anonymity; and the
bounded search on fifteen keys, beside the best node where that is known."""

from __future__ import annotations

from collections.abc import Iterator

import adult
from figure import Figure
from processes import job

TURNS = 40
BOUNDS = {
    "k-map 5, a tenth of the people": 1.2,
    "k-map 5, all of the people": 1.2,
    "presence 0 to 0.2, a tenth of the people": 1.2,
    "presence 0 to 1, all of the people": 1.2,
    "basic 4-likeness": 2.0,
    "enhanced 1-likeness": 2.0,
    "2-disclosure": 2.0,
    "2-disclosure, absent values ignored": 2.0,
}


def run() -> Iterator[Figure]:
    if missing := adult.missing():
        print(f"  SKIPPED: {', '.join(missing)} not found; set DISCREET_DATA to their folder")
        return
    found = job("lattice_criteria_job.py", "sweeps", str(TURNS))
    one, plain = found["unit"], found["taken"]["k-anonymity"]
    yield Figure("one unit: numpy sorts 5 million int64", one, "s CPU")
    yield Figure("k-anonymity: sweep", plain / one, "units")
    for name, taken in found["taken"].items():
        if name != "k-anonymity":
            yield Figure(f"{name}: over k-anonymity", taken / plain, "×", at_most=BOUNDS.get(name))
    yield from _bounded()


def _bounded() -> Iterator[Figure]:
    for name, found in job("lattice_criteria_job.py", "bounded", "1").items():
        yield Figure(f"{name}: nodes of the lattice", found["nodes"])
        for counted, loss, bound, cpu in found["steps"]:
            what = f"… {counted:,.0f} nodes counted in {cpu:.2g} s CPU: loss"
            yield Figure(what, loss)
            yield Figure("… no node loses less than", bound)
        yield Figure("… that bound over the loss found", bound / loss, at_least=0.6)
        if found["least"] is not None:
            yield Figure("… the least loss, by visiting all nodes", found["least"])
