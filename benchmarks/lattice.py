"""The generalization lattice of the Adult file, 9 keys, 12,960 nodes, k = 5: the sweep of every
node, single searches beside those of ARX, the whole way from the command line to the written file,
and 1.2 million records."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import adult
import data
from figure import Figure
from processes import Outcome, job, times_of
from unit import unit

TURNS = 15
TURNS_WITH_VALUES = 100
RUNS = 7
RECORDS = 1_200_000
LIMITS = {"0": 0.0, "0.02": 0.02, "0.04": 0.04, "1.0": 1.0}
# ARX, warm: CPU seconds of one search, on a machine where one unit is 0.30 s
ARX = {"0": 0.036 / 0.30, "0.02": 0.768 / 0.30, "0.04": 0.862 / 0.30, "1.0": 2.483 / 0.30}
ARX_COLD = 7.7  # 2.3 s there: its cold start


def run() -> Iterator[Figure]:
    if missing := adult.missing():
        print(f"  SKIPPED: {', '.join(missing)} not found; set DISCREET_DATA to their folder")
        return
    yield from _searches()
    yield from _with_values()
    yield from _command_line()
    yield from scaled("bootstrap of Adult", "bootstrap", k=200)


def _searches() -> Iterator[Figure]:
    found = job("lattice_job.py", "searches", str(TURNS))
    one = found["unit"]
    yield Figure("one unit: numpy sorts 5 million int64", one, "s CPU")
    yield Figure(
        "sweep: all nodes, k ≤ 50, limits, losses", found["sweep"] / one, "units", at_most=1.7
    )
    for limit in LIMITS:
        what = f"max_suppressed {limit}"
        yield Figure(f"{what}: one search of ARX, warm", ARX[limit], "units")
        bound = 0.12 if limit == "0" else None
        yield Figure(f"{what}: search", found[f"search {limit}"] / one, "units", at_most=bound)
        yield Figure(f"{what}: ds.generalize", found[f"whole {limit}"] / one, "units")
    what = "max_suppressed 0: ds.generalize, from an opened frame"
    yield Figure(what, found["frame 0"], "s CPU", at_most=0.03)  # ARX: 0.031 s
    for limit in LIMITS:
        what = f"lattice.at(k=5, max_suppressed={limit})"
        yield Figure(what, found[f"at {limit}"] * 1000, "ms CPU", at_most=10)


def _with_values() -> Iterator[Figure]:
    """Both sweeps take turns; other work on the machine moves single turns, not the least."""
    found = job("lattice_job.py", "with_values", str(TURNS_WITH_VALUES))
    one, without = found["unit"], found["least"]["without"]
    yield Figure("8 keys: sweep", without / one, "units")
    for name in ("p = 2", "p = 5"):
        taken, ratios = found["least"][name], found["ratios"][name]
        yield Figure(f"8 keys, {name} occupations: sweep", taken / one, "units")
        what = f"8 keys, {name}: ratio, in {TURNS_WITH_VALUES} turns "
        what += f"{ratios['tenth']:.2f}–{ratios['median']:.2f}–{ratios['ninetieth']:.2f}"
        yield Figure(what, taken / without, "×", at_most=1.3)


def _command_line() -> Iterator[Figure]:
    units: list[float] = []
    taken: dict[str, list[Outcome]] = {limit: [] for limit in LIMITS}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(RUNS + 1):
            units.append(unit(1))
            for limit, outcomes in taken.items():
                outcome = times_of(_protect(limit, Path(folder) / "masked.csv"))
                if turn:  # the first one may compile the kernels
                    outcomes.append(outcome)
    one = min(units)
    for limit, outcomes in taken.items():
        for name, key in (("wall", "seconds"), ("CPU", "cpu")):
            what = f"discreet protect, max_suppressed {limit}, {name}"
            least = min(outcome[key] for outcome in outcomes)
            yield Figure(what, least / one, "units", at_most=ARX_COLD)


def _protect(limit: str, masked: Path) -> list[str | Path]:
    return [
        Path(sys.executable).with_name("discreet"),
        "protect",
        adult.FILE,
        "--keys",
        ",".join(adult.KEYS),
        "--hierarchies",
        adult.FOLDER,
        "--k",
        "5",
        "--max-suppressed",
        limit,
        "--output",
        masked,
        "--force",
    ]


def scaled(what: str, name: str, k: int) -> Iterator[Figure]:
    """Time and memory on many records: of the search, and of counting and searching."""
    big, small = str(getattr(data, name)(RECORDS)), str(getattr(data, name)(1_000))
    with tempfile.TemporaryDirectory() as folder:
        task = str(Path(folder) / "task.pickle")
        tuples = job("lattice_scale_job.py", "task", name, big, str(k), task)["tuples"]
        search = job("lattice_scale_job.py", "search", task)
    whole = job("lattice_scale_job.py", "whole", name, big, small, str(k))
    if search["answer"] != whole["answer"]:
        raise RuntimeError("the search alone and ds.generalize differ in their node")
    columns = RECORDS * len(adult.KEYS) * 4 / 1e6
    yield Figure(f"{what}, 1.2 million: combinations of 9 keys", tuples)
    for part, outcome in (("search", search), ("ds.generalize", whole)):
        yield Figure(f"{what}, k = {k}: {part}", outcome["cpu"] / outcome["unit"], "units")
        yield Figure(f"{what}, k = {k}: {part}", outcome["seconds"], "s")
        grown = outcome["grown"]
        yield Figure(f"{what}, k = {k}: {part}, growth of memory", grown, "MB")
        yield Figure(f"{what}, k = {k}: {part}, of the coded keys", grown / columns, "×", at_most=6)
