"""Protecting a table: a chain of maskings, run as a plan, measured, and kept in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import discreet as ds
from discreet.app.jobs import comparison, plan_run
from discreet.app.jobs.task import JobTask
from discreet.reports.blocks import Section
from discreet.reports.names import distinct, few, renamed, shortened

_MOST_NAMED = 4  # columns in the label of a run
_LONGEST = 20  # characters of each


@dataclass(frozen=True)
class Run:
    """A masking that was tried.

    Attributes
    ----------
    label : str
        What was done, in few words.
    document : mapping
        The sections of the plan that made it, with all seeds.
    satisfied : bool or None
        Whether the criterion holds; None where there is none. Nothing is written where it does not.
    criterion : str
        In words; empty where there is none.
    masked : str
        The name of the masked file; empty where none was written.
    figures : mapping
        Risk and loss before and after, as plain values.
    sections : tuple of Section
        The same for a page.
    """

    label: str
    document: Mapping[str, Any]
    satisfied: bool | None
    criterion: str
    masked: str
    figures: Mapping[str, Any]
    sections: tuple[Section, ...]


def protect(task: JobTask) -> Run:
    """Mask the table, measure it, and keep the masked file with its ledger, figures and plan."""
    room = plan_run.run(task)
    release = room.release
    before = ds.risk(release.masked.initial)
    sections, left = comparison.sections(release, before)
    found = comparison.figures(release, before) | {"left": left}
    figures = json.dumps(found, indent=2, ensure_ascii=False)
    room.write("figures", figures + "\n")
    room.keep(task)
    names = distinct(release.masked.initial.columns)
    return Run(
        label=label_of(task.document),
        document={**release.plan.to_dict(), "source": dict(task.document["source"])},
        satisfied=None if release.check is None else release.satisfied,
        criterion=renamed(" and ".join(one.describe() for one in release.plan.criterion), names),
        masked=release.plan.outputs["masked"].name if release.files else "",
        figures=json.loads(figures),  # as they are when a project is taken up
        sections=sections,
    )


def label_of(document: Mapping[str, Any]) -> str:
    """What a chain does, in few words.

    Examples
    --------
    >>> steps = [{"do": "sample", "fraction": 0.5}, {"do": "microaggregate", "columns": ["age"]}]
    >>> label_of({"steps": steps})
    'sample 50%, mdav k=3 of age'
    """
    return ", ".join(_said(step, document.get("criterion", {})) for step in document["steps"])


def _said(step: Mapping[str, Any], criterion: Any) -> str:
    if step["do"] == "microaggregate":
        return f"{step.get('method', 'mdav')} k={step.get('k', 3)} of {_named(step['columns'])}"
    if step["do"] == "sample":
        return (
            f"sample {100 * step['fraction']:g}%" if "fraction" in step else f"sample {step['n']}"
        )
    if step["do"] == "protect_records":
        return f"targeted, risk ≤ {step['at_most']:g}"
    numbers = criterion if isinstance(criterion, Mapping) else {}
    asked = [f"{name}={numbers[name]}" for name in ("k", "p") if name in numbers]
    if "p" in numbers and "confidential" in numbers:
        asked.append(f"of {', '.join(numbers['confidential'])}")
    levels = [str(level) for level in step.get("levels", {}).values()]
    verb = step["do"].replace("_", " ")
    return " ".join([verb, *asked, *([f"at {'·'.join(levels)}"] if levels else [])])


def _named(columns: Sequence[str]) -> str:
    """A few columns, and how many more."""
    return few([shortened(name, _LONGEST) for name in columns], _MOST_NAMED)
