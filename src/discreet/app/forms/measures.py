"""The form of further measures, made from what each says of itself.

A measure that is ticked stands in the plan: it is taken of every masking that is tried, and the
release, its ledger and its report have it. What every page shows anyway, and the record risk,
which has a form of its own, are not among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.app.forms.fields import (
    FormField,
    Reading,
    field_of,
    numbers_of,
    sent_in,
    shown,
    text_in,
)
from discreet.errors import Problem
from discreet.measures import Measure
from discreet.parameters import Parameter
from discreet.registry import measures

SHOWN = ("risk", "record_risk", "disclosure_risk", "information_loss", "compare_statistics")
Said = dict[str, dict[str, Any]]  # by measure, by parameter what is said in its field


@dataclass(frozen=True)
class MeasureFields:
    """A measure with its fields, as a page draws it."""

    measure: Measure
    ticked: bool
    fields: tuple[FormField, ...]


def offered() -> list[Measure]:
    """The measures that can be ticked: of one file first, packages from outside last."""
    every = [one for one in measures.all() if one.name not in SHOWN]
    return sorted(every, key=lambda one: (bool(one.entry.package), one.of == "files"))


def own_parameters(measure: Measure) -> list[Parameter]:
    """What the form asks for: not what holds values of the data, nor files."""
    return [p for p in measure.own.values() if not p.holds_values and not p.file]


def said_of(document: Mapping[str, Any], columns: Sequence[str]) -> Said:
    """What the fields say of the measures of a plan."""
    given = document.get("measures", {})
    return {
        measure.name: {
            p.name: _said(p, given[measure.name].get(p.name), columns)
            for p in own_parameters(measure)
        }
        for measure in offered()
        if measure.name in given
    }


def _said(p: Parameter, value: Any, columns: Sequence[str]) -> Any:
    if p.kind == "columns":
        return numbers_of(value or (), columns)
    return shown(p, p.default if value is None else value)


def sent(form: Any, columns: Sequence[str]) -> Said:
    """The fields of the measures that were ticked, as they were sent."""
    return {
        measure.name: {
            p.name: sent_in(form, p, _name(measure, p), len(columns))
            for p in own_parameters(measure)
        }
        for measure in offered()
        if text_in(form, f"measure-{measure.name}")
    }


def drawn(said: Said) -> list[MeasureFields]:
    """The form as a page draws it."""
    return [
        MeasureFields(
            measure,
            measure.name in said,
            tuple(
                field_of(
                    p, _name(measure, p), said.get(measure.name, {}).get(p.name, _said(p, None, ()))
                )
                for p in own_parameters(measure)
            ),
        )
        for measure in offered()
    ]


def _name(measure: Measure, p: Parameter) -> str:
    return f"{measure.name}-{p.name}"


def measures_in(
    said: Said, before: Mapping[str, Any], columns: Sequence[str]
) -> tuple[dict[str, Any], list[Problem]]:
    """The measures of the plan that the form stands for, and all that is wrong with them; what it
    has no field for stays as the plan has it.
    """
    known = {measure.name: measure for measure in offered()}
    made = {name: table for name, table in before.items() if name not in known}
    problems: list[Problem] = []
    for name, fields in said.items():
        reading = Reading(known[name].title, columns, problems)
        kept = {k: v for k, v in before.get(name, {}).items() if k not in fields}
        made[name] = kept | _table(known[name], fields, reading)
    return made, problems


def _table(measure: Measure, fields: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for p in own_parameters(measure):
        if fields[p.name]:
            value = reading.value(p, fields[p.name])
            made |= {} if value is None or value == p.default else {p.name: value}
        elif p.kind == "flag" and p.default is True:
            made[p.name] = False
        elif p.needed:
            reading.missing(p)
    return made
