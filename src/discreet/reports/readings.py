"""The four counts of a file with blanks, in the section on who could be recognised."""

from __future__ import annotations

from typing import Any

import discreet as ds
from discreet.reports.blocks import Block, SideBySide, Table, Words
from discreet.reports.facts import Facts, criteria_of

_USUAL_K = 3


def blocks(facts: Facts) -> list[Block]:
    """The counts, where cells of the keys were blanked or changed one by one."""
    if not _in_cells(facts):
        return []
    sizes = [one.least_size for one in criteria_of(facts.given)]
    k = max((size for size in sizes if size > 1), default=_USUAL_K)
    found = ds.readings(facts.initial, facts.masked, on=facts.on, k=k)
    return _public(found, facts) if facts.public else _internal(found, facts)


def _in_cells(facts: Facts) -> bool:
    """Whether a key has more blanks than before, or single cells of it were changed."""
    before, after, keys = facts.initial, facts.masked, facts.initial.keys
    if isinstance(after, ds.Masked) and facts.on is None:
        keys = tuple(k for k in keys if k in after.changed)
        if after.in_cells & set(keys):
            return True
    return any(after.profile[k][1] * before.n > before.profile[k][1] * after.n for k in keys)


def _rows(found: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = found.table("arrow").to_pylist()
    return [row for row in rows if row["minimum"] is not None]


def _internal(found: Any, facts: Facts) -> list[Block]:
    rows = [{k: v for k, v in row.items() if k != "counted"} for row in _rows(found)]
    table = Table(
        "Among how many a record hides: four counts",
        ("count", *list(rows[0])[1:]),
        tuple(tuple(row.values()) for row in rows),
        note="The smallest count of any record, and how many records have one below a number.",
    )
    said = Words(tuple(facts.said(line) for line in found.sentences()))
    warnings = tuple(facts.said(line) for line in found.warnings())
    return [SideBySide((table, said)), *([Words(warnings, "bad")] if warnings else [])]


def _public(found: Any, facts: Facts) -> list[Block]:
    """The minima alone, and none below the threshold."""
    least = facts.threshold
    rows = [(row["reading"], row["counted"], row["minimum"]) for row in _rows(found)]
    safe = [(*said, f"under {least}" if number < least else number) for *said, number in rows]
    return [Table("Among how many a record hides", ("count", "of", "minimum"), tuple(safe))]
