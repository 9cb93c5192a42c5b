"""Changed cells: how many cells each attribute lost or had recoded, where a step changed single
cells, and how many records had shared their values before.

A step says it by its parameters: ``changes`` has the cells of each attribute, ``by_class_size`` the
same by the size of the class that a record was in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.charts import changed_cells_chart
from discreet.reports.blocks import Block, Table, Words, cut
from discreet.reports.facts import Facts
from discreet.reports.fragments import figure
from discreet.words import counted

_MOST_BARS = 40


def changed_cells(facts: Facts) -> list[Block]:
    """A picture and a table for each step that changed single cells."""
    blocks: list[Block] = []
    for place, step in enumerate(facts.steps, 1):
        changes = {name: n for name, n in step.parameters.get("changes", {}).items() if n}
        if changes and "by_class_size" in step.parameters:
            blocks += _of_step(facts, place, step, changes)
    return blocks


def _of_step(facts: Facts, place: int, step: Any, changes: Mapping[str, int]) -> list[Block]:
    names = facts.names
    rows = [(names[key], number) for key, number in changes.items()]
    most, total = max(rows, key=lambda row: row[1]), sum(changes.values())
    said = (
        f"Step {place} changed {counted(total, 'cell')} of {len(rows):,} "
        f"{'key' if len(rows) == 1 else 'keys'}, most of {most[0]} ({most[1]:,})."
    )
    drawn = figure(
        changed_cells_chart(rows[:_MOST_BARS]),
        title=f"Step {place}: changed cells",
        alt=f"Bar chart: {said} The table beside it has the numbers.",
        table=cut(_table(facts, place, step.parameters["by_class_size"], changes)),
    )
    lines = (said, *_needed(step.parameters))
    return [Words(lines), drawn]


def _needed(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """What any answer needs, where the step knows."""
    outcome = parameters.get("compared")
    return (outcome,) if outcome else ()


def _table(
    facts: Facts, place: int, sizes: Mapping[str, Mapping[str, int]], changes: Mapping[str, int]
) -> Table:
    """Cells by key; for internal use also by the class size that the records had before."""
    caption = f"Step {place}: changed cells, numbers"
    if facts.public:
        rows = tuple((facts.names[key], number) for key, number in changes.items())
        return Table(caption, ("key", "cells"), rows)
    labels = sorted({label for found in sizes.values() for label in found}, key=_first)
    inside = tuple(
        (facts.names[key], number, *(sizes.get(key, {}).get(label, 0) for label in labels))
        for key, number in changes.items()
    )
    note = "By the number of records that had the same keys before."
    return Table(caption, ("key", "cells", *(f"of {label}" for label in labels)), inside, note)


def _first(label: str) -> int:
    """The number that a label begins with: "5 or more"."""
    return int(label.split(maxsplit=1)[0])
