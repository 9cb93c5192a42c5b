"""What was said of the data, held against the data: types, scales, weights, households, persons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet import engine
from discreet.errors import Problem, argument, fail, raise_all
from discreet.frequency.frequency_set import steps
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.data.microdata import Microdata

_MOST_PEOPLE = 1e12  # that a record can stand for


def checked(data: Microdata) -> Microdata:
    """Check what was said of the data against the data: all problems at once."""
    raise_all(data.roles.problems(data.columns, data.name))
    if engine.is_empty(data.source):
        fail("S02", f"{data.name} has no records.", "Give a table with at least one record.")
    unfit = unfit_kinds(data, [*data.keys, *data.confidential])
    alone = [*_bad_weight(data), *_bad_number(data, "household"), *_bad_number(data, "subject")]
    raise_all([*unfit, *_refused(data), *_off_scale(data), *alone])
    return data


def unfit_kinds(data: Microdata, names: Iterable[str]) -> list[Problem]:
    """The problems of columns that hold no plain values."""
    return [
        Problem(
            "D01",
            f"{name!r} holds lists, structures or bytes.",
            "A key or confidential attribute must hold plain values.",
        )
        for name in dict.fromkeys(names)
        if data.source.kinds[name] == "other"
    ]


def _refused(data: Microdata) -> list[Problem]:
    measured = list(dict.fromkeys([*data.keys, *data.confidential]))
    if data.missing != "refuse" or not measured:
        return []
    found = engine.profile(data.source, measured)[1]
    return [
        Problem(
            "D03",
            f"{name!r} has {counted(found[name][1], 'missing value')}.",
            f"Fill them, or choose {argument('missing', 'category')} or "
            f"{argument('missing', 'wildcard')}.",
        )
        for name in measured
        if found[name][1]
    ]


def _off_scale(data: Microdata) -> list[Problem]:
    problems = []
    for name, scale in data.types.scales().items():
        outside = _outside(data, name, scale) if name in data.columns else 0
        if outside:
            problems.append(
                Problem(
                    "D04",
                    f"{name!r} has a value that is not on its scale, in "
                    f"{counted(outside, 'record')}.",
                    f"Complete the scale, or name the codes in {argument('missing_values')}.",
                )
            )
    return problems


def _outside(data: Microdata, name: str, scale: Sequence[str]) -> int:
    """How many records hold a value that is not on the scale."""
    table = engine.counts(data.source, [name])
    off = np.array(steps(table.column(0), scale)) == len(scale)
    present = np.array(table.column(0).is_valid())
    return int(np.asarray(table.column(1))[off & present].sum())


def _bad_weight(data: Microdata) -> list[Problem]:
    if data.weight is None:
        return []
    if data.source.kinds[data.weight] not in ("integer", "number"):
        return [
            Problem("D05", f"the weight {data.weight!r} is not a number.", "Name another column.")
        ]
    bad = engine.not_positive(data.source, data.weight)
    remedy = "Every record needs a positive weight."
    what = (
        f"the weight {data.weight!r} is missing, infinite or not positive in "
        f"{counted(bad, 'record')}."
    )
    return [Problem("D05", what, remedy)] if bad else []


def weights_beyond(data: Microdata, least: float) -> list[Problem]:
    """What is wrong with weights that are to add up to the population."""
    assert data.weight is not None
    beyond = engine.beyond(data.source, data.weight, least, _MOST_PEOPLE)
    if not beyond:
        return []
    large = engine.number_above(data.source, data.weight, _MOST_PEOPLE)
    remedy = "give weights that add up to the population."
    said = (
        (beyond - large, f"below {least:g}", f"A record stands for itself at least: {remedy}"),
        (large, f"above {_MOST_PEOPLE:,.0f}", remedy.capitalize()),
    )
    return [
        Problem("D44", f"the weight {data.weight!r} is {what} in {counted(n, 'record')}.", do)
        for n, what, do in said
        if n
    ]


_ALONE = {
    "household": "Give a person who lives alone a number of their own.",
    "subject": "Where a person has no number, give the record a number of its own.",
}


def _bad_number(data: Microdata, role: str) -> list[Problem]:
    """What is wrong with the numbers of households or of persons."""
    name = getattr(data, role)
    if name is None:
        return []
    what, remedy = f"the {role} {name!r}", _ALONE[role]
    if data.source.kinds[name] == "other":
        return [Problem("D60", f"{what} holds lists, structures or bytes.", "Name another column.")]
    bare = engine.missing(data.source, name)
    missing = f"{what} is missing in {counted(bare, 'record')}."
    return [Problem("D60", missing, remedy)] if bare else []
