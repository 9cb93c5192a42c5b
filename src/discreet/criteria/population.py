"""The population of a criterion: how it is named, and how many of it are behind each class."""

from __future__ import annotations

import dataclasses
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any

from annotated_doc import Doc

from discreet.data.masked import Masked
from discreet.errors import Problem, argument, fail
from discreet.frequency.classes import Classes, PeopleBehind
from discreet.parameters import File, Label
from discreet.risks.register import (
    REGISTER,
    covering,
    known_as,
    looked_up,
    people_of,
    sizes_in,
)

if TYPE_CHECKING:
    from discreet.data.microdata import Microdata
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.risks.register import People

PEOPLE = "population"  # the reason by which a class fails
Population = Annotated[
    Any | str | PathLike[str],
    REGISTER,
    File("File of the population, with the keys."),
    Label("Register of the population"),
    Doc("All people the file was drawn from, with the keys: a file, microdata or a table."),
]


def population_problems(given: Any) -> list[Problem]:
    """What is wrong with a population before it is read."""
    if given is not None and not isinstance(given, int | float):
        return []
    what = f"{argument('population')} is not a register of the population."
    return [Problem("P09", what, "Give a file, a frame or a table with the keys of all people.")]


def with_people(data: Microdata, classes: Classes, registers: tuple[Any, ...]) -> Classes:
    """The classes of a file, a row each in the order of their keys, with the people behind them."""
    keys = data.frequency_set(data.need_keys())
    found = {known_as(one): _behind(data, keys, people_of(data, one)) for one in registers}
    return dataclasses.replace(classes, people=found)


def _behind(data: Microdata, keys: FrequencySet, people: People) -> PeopleBehind:
    return PeopleBehind(
        sizes_in(data, keys, people),
        lambda: _vacant(data, keys, people),
        lambda: _shared(keys, people),
    )


def _shared(keys: FrequencySet, people: People) -> int:
    """How many combinations of people stand behind several classes: none, where every value of a
    key has one label."""
    cells = people.cells
    return 0 if cells is None else int((covering(keys, people, cells)[0] > 1).sum())


def _vacant(data: Microdata, keys: FrequencySet, people: People) -> int:
    """How many combinations of people no record has. Those of records that a generalization
    suppressed are not counted: they were in the file."""
    data.need_partition("the people that no record stands for")
    held = _before_suppression(data, keys) if isinstance(data, Masked) else keys
    if people.cells is not None:
        return int((covering(held, people, people.cells)[0] == 0).sum())
    return int((looked_up(people.counted, held) == 0).sum())


def _before_suppression(data: Masked, keys: FrequencySet) -> FrequencySet:
    """The combinations of a masked file with those of its suppressed records."""
    suppressed = any(step.parameters.get("suppressed") for step in data.steps)
    drawn = any(step.method == "sample" for step in data.steps)
    if not suppressed:
        return keys
    if drawn:
        fail(
            "N84",
            "after a sample was drawn and records were suppressed, nobody can tell which people "
            "no record stands for.",
            f"Give {argument('low', 0)}, or draw the sample elsewhere.",
        )
    return data.before_dropping(data.keys)
