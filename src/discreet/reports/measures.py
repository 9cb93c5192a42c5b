"""What was measured: the figures of the measures asked for, before and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from discreet.measures import Measured, measured
from discreet.reports.blocks import Block, Section, Table, Words, upwards
from discreet.reports.facts import Facts


def section(facts: Facts) -> Section | None:
    """The section of the measures, where some were asked for that the reader may see."""
    found = [
        measured(name, facts.initial, facts.masked, given, facts.on)
        for name, given in facts.given.measures.items()
    ]
    rows = [row for one in found for row in _rows(one, facts)]
    if not rows:
        return None
    shown = ("released",) if facts.public else ("before", "after")
    blocks: list[Block] = [Table("Measures", ("measure", "figure", *shown), tuple(rows))]
    absent = [line for one in found for line in _absent(one, facts)]
    blocks += [Words(("Figures that do not apply to this masking:", *absent))] if absent else []
    return Section("measures", "What was measured", tuple(blocks))


def _rows(found: Measured, facts: Facts) -> Iterator[tuple[Any, ...]]:
    for name, kind in found.measure.figures.items():
        after = found.after.figures[name]
        before = None if found.before is None else found.before.figures[name]
        if facts.public:
            smallest = min(facts.after.k, facts.after.people_k or facts.after.k)
            small = kind.of_smallest_class and smallest < facts.threshold
            if name in found.measure.public and after is not None and not small:
                yield found.measure.title, kind.title, _few_digits(found, after)
        elif before is not None or after is not None:
            yield found.measure.title, kind.title, before, after


def _few_digits(found: Measured, value: float) -> float:
    """For the public: a risk with three decimals, never less than it is; a loss with two digits."""
    if isinstance(value, int):
        return value
    if found.measure.side == "risk":
        return upwards(value)
    return float(f"{value:.2g}")


def _absent(found: Measured, facts: Facts) -> list[str]:
    """Why figures are not there, for internal use; those of one reason together."""
    if facts.public:
        return []
    together: dict[str, list[str]] = {}
    for name, reason in found.after.reasons.items():
        together.setdefault(reason, []).append(found.measure.figures[name].title)
    every = len(found.measure.figures)
    return [
        f"{found.measure.title}{'' if len(titles) == every else ', ' + '; '.join(titles)}: "
        f"{facts.said(reason)}"
        for reason, titles in together.items()
    ]
