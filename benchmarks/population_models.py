"""Models of the population: all of population uniqueness from the class sizes, in units (numpy
sorting 5 million int64), and the log-linear model of a survey."""

from __future__ import annotations

from collections.abc import Iterator

from figure import Figure
from processes import job


def run() -> Iterator[Figure]:
    found = job("population_models_job.py")
    one = found["unit"]
    yield Figure("one unit", one, "s CPU")
    for name, seconds in found["uniqueness"].items():
        what = f"Pitman, Zayatz, SNB and K: {name}"
        yield Figure(what, seconds / one, "units", at_most=0.1)
    for name, seconds in found["model"].items():
        yield Figure(f"log-linear model, {name}", seconds / one, "units")
