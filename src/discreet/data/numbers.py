"""Numbers of records that were found out: in their order, and as a further column of them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from discreet import engine
from discreet.data.attributes import AttributeType
from discreet.data.microdata import Microdata
from discreet.errors import fail

if TYPE_CHECKING:
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.kernels.arrays import Floats


def numbers_of_records(data: Microdata, combinations: FrequencySet, numbers: Floats) -> Floats:
    """The number of the combination that each record has, in the order of the records."""
    if data.source.row is None:
        no_order(data)
    free = next(name for name in map(str, itertools.count()) if name not in data.columns)
    made = _looked_up(data, free, combinations, numbers)
    return np.asarray(engine.collect(made, [free])[free], dtype=np.float64)


def with_numbers(data: Microdata, name: str, numbers: Floats) -> Microdata:
    """The records with a number each, given in their order, as a further column."""
    need_free(data, name)
    return with_column(data, engine.extended(data.source, name, numbers), name)


def with_numbers_of(
    data: Microdata, name: str, combinations: FrequencySet, numbers: Floats
) -> Microdata:
    """The records with the number of the combination that each has as a further column, joined in
    the engine that holds them.
    """
    need_free(data, name)
    made = _looked_up(data, name, combinations, numbers)
    return with_column(data, engine.kept(made, made.table), name)


def with_column(data: Microdata, source: engine.Source, name: str) -> Microdata:
    """The records with a column of numbers that a source has beside those of the data."""
    types = data.types.but({name: AttributeType("continuous")})
    return Microdata(source, data.roles, types, data.missing)


def need_free(data: Microdata, name: str) -> None:
    """Refuse the name of a column that is there already."""
    if name in data.columns:
        fail("R02", f"{data.name} has a column {name!r} already.", "Choose another name.")


def no_order(data: Microdata) -> NoReturn:
    """Refuse numbers in the order of records that have none."""
    fail(
        "N02",
        f"the records of {data.name} have no order, and their risks stay in the engine.",
        "Use .column() to have them as a column there, or .above() and .histogram().",
    )


def _looked_up(
    data: Microdata, name: str, combinations: FrequencySet, numbers: Floats
) -> engine.Source:
    import pyarrow as pa

    table = combinations.combinations().append_column("number", pa.array(numbers))
    return engine.looked_up(data.source, combinations.attributes, table, name)
