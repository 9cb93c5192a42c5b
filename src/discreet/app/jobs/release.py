"""Releasing: the chosen plan run once more with all its outputs, and verified from its ledger.

A release is made from the source itself. Its ledger is then compared with the files, and the plan
is run again: the masked file must come out the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import discreet as ds
from discreet.app.jobs import plan_run
from discreet.app.jobs.task import JobTask
from discreet.errors import fail
from discreet.files import pack

GIVEN = ("masked", "public_report", "public")  # what may leave the house


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


def release(task: JobTask) -> Released:
    """Make all files of the release, and verify them."""
    room = plan_run.run(task)
    if not room.release.files:
        fail("N64", "the criterion does not hold: nothing is written.", "Choose another run.")
    room.write("script", room.plan.to_python())
    files = {role: place.name for role, place in room.release.plan.outputs.items()}
    files |= {what: room.names[what] for what in ("plan", "script")}
    files |= {role: name for role, (_, name) in plan_run.hierarchy_files(task.document).items()}
    found = _verified(room)
    for what, packed in (("given", GIVEN), ("archive", tuple(files))):
        named = [room.folder / files[role] for role in packed if role in files]
        pack(room.folder / room.names[what], named)
    files |= {what: room.names[what] for what in ("given", "archive")}
    place = room.keep(task)
    sizes = {role: (place / name).stat().st_size for role, name in files.items()}
    return Released(files, sizes, found.satisfied, tuple(found.explain().splitlines()))


def _verified(room: plan_run.RunFolder) -> Any:
    plan = room.release.plan
    ledger = ds.Ledger.read(plan.outputs["ledger"])
    given = room.folder / room.names["plan"]
    return ledger.verify(plan.outputs["masked"], initial=plan.source, plan=given)
