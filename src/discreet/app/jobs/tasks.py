"""Work: what the app computes, each a function of a plan that runs in a process of its own.

A screen adds its work by one entry here.
"""

from __future__ import annotations

from typing import Any

from discreet.app.jobs import lattice, plan_run, protection, risk, table
from discreet.app.jobs.task import JobTask, Work

AGAIN = "again"  # what a project does not keep is found again: names of work, in the settings
_TABLE = ("source", "roles", "types", "hierarchies")


def _again(task: JobTask) -> dict[str, Any]:
    return {name: WORK[name].do(task) for name in task.settings[AGAIN]}


WORK: dict[str, Work] = {
    "open": Work(
        "Reading the table", "columns", ("source",), table.opened, "data", beside=("missing",)
    ),
    "risk": Work(
        "Measuring the risk",
        "risk by classes",
        ("source", "roles", "types", "criterion"),
        risk.risk,
        "roles",
        settings="risk",
    ),
    "record_risk": Work(
        "Measuring the risk of every record",
        "risk of every record",
        ("source", "types"),
        risk.record_risk,
        "roles",
        settings="record_risk",
    ),
    "measures": Work(
        "Taking further measures",
        "further measures",
        ("source", "roles", "types", "measures"),
        risk.further,
        "roles",
    ),
    "explore": Work("Computing all nodes", "the lattice", _TABLE, lattice.explored, "explore"),
    "protect": Work(
        "Protecting the table", "protected tables", _TABLE, protection.protect, "protect"
    ),
    "release": Work(
        "Making the release",
        "the release",
        _TABLE,
        plan_run.release,
        "release",
        settings="release",
    ),
    AGAIN: Work("Opening your project again", "what was found", _TABLE, _again, "data"),
}
