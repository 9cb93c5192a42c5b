"""Releasing: the chosen plan run once more with all its outputs, and verified from its ledger.

A release is made from the source itself. Its ledger is then compared with the files, and the plan
is run again: the masked file must come out the same to the last bit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import discreet as ds
from discreet.app.work import protecting, running
from discreet.app.work.task import Task
from discreet.errors import fail

SCRIPT = "release.py"
REPORTS = {"report": "report.html", "public_report": "public-report.html"}
_MASKED = re.compile(r"(new-)*masked\..*")  # the masked table and its ledgers


@dataclass(frozen=True)
class Released:
    """A release that lies ready.

    Attributes
    ----------
    files : mapping
        By what they are: their names.
    sizes : mapping
        By what they are: their bytes.
    verified : bool
        Whether all is as the ledger says.
    words : tuple of str
        What was verified.
    """

    files: Mapping[str, str]
    sizes: Mapping[str, int]
    verified: bool
    words: tuple[str, ...]


def is_output(name: str) -> bool:
    """Whether a run or a release writes a file of this name, on any system.

    Examples
    --------
    >>> [is_output(name) for name in ("Report.html", "masked.ledger.json", "jobs.csv")]
    [True, True, False]
    """
    plain = name.casefold()
    fixed = {running.PLAN, SCRIPT, protecting.FIGURES, *REPORTS.values()}
    return plain in fixed or _MASKED.fullmatch(plain) is not None


def release(task: Task) -> Released:
    """Make all files of the release, and verify them."""
    room, made = running.run(task)
    if not made.files:
        fail("N64", "the criterion does not hold: nothing is written.", "Choose another run.")
    (room / SCRIPT).write_text(made.plan.to_python(), encoding="utf-8")
    files = {role: place.name for role, place in made.plan.outputs.items()}
    files |= {"plan": running.PLAN, "script": SCRIPT}
    files |= {role: name for role, (_, name) in running.hierarchy_files(task.document).items()}
    found = _verified(room, made, task)
    running.keep(room, task)
    place = running.folder_of(task.folder, task.slot)
    sizes = {role: (place / name).stat().st_size for role, name in files.items()}
    return Released(files, sizes, found.satisfied, tuple(found.explain().splitlines()))


def _verified(room: Any, made: Any, task: Task) -> Any:
    outputs = made.plan.outputs
    ledger = ds.Ledger.read(outputs["ledger"])
    source = room / task.document["source"]["file"]
    return ledger.verify(outputs["masked"], initial=source, plan=room / running.PLAN)
