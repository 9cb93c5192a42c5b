"""Protecting a table: a chain of maskings, run as a plan, measured, and kept in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import discreet as ds
from discreet.app.forms.fields import with_unit
from discreet.app.jobs import comparison, plan_run
from discreet.app.jobs.task import JobTask
from discreet.parameters import Parameter
from discreet.registry import maskings
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
    sections, told = comparison.sections(release, before)
    found = comparison.figures(release, before) | told
    figures = json.dumps(found, indent=2, ensure_ascii=False)
    room.write("figures", figures + "\n")
    room.keep(task)
    names = distinct(release.masked.initial.columns)
    criterion = renamed(" and ".join(one.describe() for one in release.plan.criterion), names)
    return Run(
        label=label_of(task.document, criterion),
        document={**release.plan.to_dict(), "source": dict(task.document["source"])},
        satisfied=None if release.check is None else release.satisfied,
        criterion=criterion,
        masked=release.plan.outputs["masked"].name if release.files else "",
        figures=json.loads(figures),  # as they are when a project is taken up
        sections=sections,
    )


def label_of(document: Mapping[str, Any], criterion: str = "") -> str:
    """What a chain does, in few words: titles of methods, what they were given, and for which
    criterion.

    Examples
    --------
    >>> steps = [{"do": "sample", "fraction": 0.5}, {"do": "microaggregate", "columns": ["age"]}]
    >>> label_of({"steps": steps})
    'Sampling (share of the records = 50 %); Microaggregation of age'
    """
    return "; ".join(_said(step, criterion) for step in document["steps"])


def _said(step: Mapping[str, Any], criterion: str) -> str:
    method = maskings[step["do"]]
    told = [
        _given(p, step[p.name])
        for p in method.parameters.values()
        if p.name in step and p.kind != "amount" and (p.vary or p.group or p.is_variant)
        if step[p.name] != p.default or not p.is_variant
    ]
    levels = [str(level) for level in step.get("levels", {}).values()]
    words = [
        method.title,
        f"of {_named(step['columns'])}" if step.get("columns") else "",
        f"for {criterion}" if criterion and method.takes("criterion") else "",
        f"at levels {'·'.join(levels)}" if levels else "",
        f"({', '.join(told)})" if told else "",
    ]
    return " ".join(word for word in words if word)


def _given(p: Parameter, value: Any) -> str:
    """A parameter as its form has it, without what explains it."""
    if p.is_variant:
        return p.choice_labels.get(value, value).partition(":")[0]
    label = p.label.partition(":")[0]
    return f"{label[0].lower()}{label[1:]} = {with_unit(p, value)}"


def _named(columns: Sequence[str]) -> str:
    """A few columns, and how many more."""
    return few([shortened(name, _LONGEST) for name in columns], _MOST_NAMED)
