"""DR_min, DR_max and DR_W of a tenth of 10 million records × 5 keys against DuckDB SQL written by
hand: of a sample drawn here, and of a file masked elsewhere that a record id links."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import data
from figure import Figure
from processes import Outcome, alternately, job

RECORDS = 10_000_000
SMALL = 1_000
TIMES = 9


def run() -> Iterator[Figure]:
    yield from _sampled()
    yield from _elsewhere()


def _sampled() -> Iterator[Figure]:
    found = _measured(
        ("sampled", "sampled_by_hand"), [str(data.billing(n)) for n in (RECORDS, SMALL)]
    )
    ours, theirs = found.values()
    yield from _answers("sample", ours)
    yield from _compared("sample", ours, theirs, at_most=1.5)
    yield from _peaks("sample, with drawing it", ours, theirs)


def _elsewhere() -> Iterator[Figure]:
    paths = [
        str(path) for n in (RECORDS, SMALL) for path in (data.identified(n), data.elsewhere(n))
    ]
    found = _measured(("linked", "linked_unchecked", "linked_by_hand"), paths)
    ours, unchecked, theirs = found.values()
    yield from _answers("elsewhere", ours)
    yield from _compared("elsewhere", ours, theirs, at_most=1.5)
    yield from _compared("elsewhere, ids not checked", unchecked, theirs, at_most=None)
    yield from _peaks("elsewhere", ours, theirs)


def _measured(names: tuple[str, ...], paths: list[str]) -> dict[str, Outcome]:
    found = alternately(
        {name: functools.partial(job, "disclosure_risk_job.py", name, *paths) for name in names},
        TIMES,
    )
    answers = [outcome["answer"] for outcome in found.values()]
    if any(answer != answers[0] for answer in answers):
        raise RuntimeError("discreet and the SQL written by hand differ in their risks")
    return found


def _answers(what: str, ours: Outcome) -> Iterator[Figure]:
    for name in ("DR_min", "DR_max", "DR_W"):
        yield Figure(f"{what}: {name}", ours["answer"][name])


def _compared(what: str, ours: Outcome, theirs: Outcome, at_most: float | None) -> Iterator[Figure]:
    for times, unit, key in (("times", "s", "seconds"), ("CPU times", "s CPU", "cpu")):
        yield Figure(f"{what}: by hand", theirs[key], unit)
        yield Figure(f"{what}: discreet", ours[key], unit)
        yield Figure(f"{what}: ratio of {times}", ours[key] / theirs[key], "×", at_most=at_most)


def _peaks(what: str, ours: Outcome, theirs: Outcome) -> Iterator[Figure]:
    yield Figure(f"{what}: peak memory, by hand", theirs["megabytes"], "MB")
    yield Figure(f"{what}: peak memory, discreet", ours["megabytes"], "MB")
