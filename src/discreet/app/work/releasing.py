"""Releasing: the chosen plan run once more with all its outputs, and verified from its ledger.

A release is made from the source itself. Its ledger is then compared with the files, and the plan
is run again: the masked file must come out the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import discreet as ds
from discreet.app.work import running
from discreet.app.work.task import Task
from discreet.errors import fail

SCRIPT = "release.py"


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


def release(task: Task) -> Released:
    """Make all files of the release, and verify them."""
    room, made = running.run(task)
    if not made.files:
        fail("N64", "the criterion does not hold: nothing is written.", "Choose another run.")
    (room / SCRIPT).write_text(made.plan.to_python(), encoding="utf-8")
    files = {role: place.name for role, place in made.plan.outputs.items()}
    files |= {"plan": running.PLAN, "script": SCRIPT}
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
