"""Numbers of records that were found out: in their order, and as a further column of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np
import pyarrow as pa

from discreet import engine
from discreet.data.attributes import AttributeType
from discreet.data.masked import require_ids
from discreet.data.microdata import Microdata
from discreet.errors import argument, fail
from discreet.surface import in_python

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.frequency.frequency_set import FrequencySet
    from discreet.kernels.arrays import Floats

_OTHERS = f"{in_python('.above()')} and {in_python('.histogram()')}"


def numbers_of_records(data: Microdata, combinations: FrequencySet, numbers: Floats) -> Floats:
    """The number of the combination that each record has, in the order of the records."""
    return in_order(data, lambda name: _looked_up(data, name, combinations, numbers))


def in_order(
    data: Microdata, made: Callable[[str], engine.Source], others: str = _OTHERS
) -> Floats:
    """The numbers of a column that ``made`` adds to the records by a name, in their order;
    ``others`` are methods that need none.
    """
    if not has_order(data):
        no_order(data, others)
    free = next(name for name in map(str, itertools.count()) if name not in data.columns)
    return numbers_in_order(data, made(free), free)


def has_order(data: Microdata) -> bool:
    """Whether records have an order: that of the input, or else that of their record ids."""
    return data.source.row is not None or data.record_id is not None


def numbers_in_order(data: Microdata, source: engine.Source, name: str) -> Floats:
    """A column of numbers that a source has beside those of the data, in the order of the records:
    of the input where they have one, else of the record ids, which must tell them apart.
    """
    if not has_order(data):
        no_order(data)
    if data.source.row is not None:
        found = engine.collect(source, [name])
    else:
        assert data.record_id is not None
        require_ids(data)
        found = engine.collect_by(source, name, data.record_id)
    return np.asarray(found[name], dtype=np.float64)


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
    return with_made(data, name, lambda at: _looked_up(data, at, combinations, numbers))


def with_made(data: Microdata, name: str, made: Callable[[str], engine.Source]) -> Microdata:
    """The records with a column of numbers that ``made`` adds to them by a name."""
    need_free(data, name)
    source = made(name)
    return with_column(data, engine.kept(source), name)


def with_column(data: Microdata, source: engine.Source, name: str) -> Microdata:
    """The records with a column of numbers that a source has beside those of the data."""
    types = data.types.but({name: AttributeType("continuous")})
    return Microdata(source, data.roles, types, data.missing)


def household_numbers(
    data: Microdata, keys: FrequencySet, numbers: NDArray[Any], how: Literal["sum", "highest"]
) -> engine.HouseholdNumbers:
    """The sum or the highest, over the members of each household, of the number that their
    combination in a frequency set has.
    """
    table = keys.combinations().append_column("number", pa.array(numbers))
    home = data.need_household()
    return engine.HouseholdNumbers(data.source, home, keys.attributes, table, how, keys.n)


def need_free(data: Microdata, name: str) -> None:
    """Refuse the name of a column that is there already."""
    if name in data.columns:
        fail("R02", f"{data.name} has a column {name!r} already.", "Choose another name.")


def no_order(data: Microdata, others: str = _OTHERS) -> NoReturn:
    """Refuse numbers in the order of records that have none."""
    fail(
        "N02",
        f"the records of {data.name} have no order, and their risks stay in the engine.",
        f"Use {in_python('.column()')} to have them as a column there, or {others}; with "
        f"{argument('record_id')} they come in the order of the record ids.",
    )


def _looked_up(
    data: Microdata, name: str, combinations: FrequencySet, numbers: Floats
) -> engine.Source:
    table = combinations.combinations().append_column("number", pa.array(numbers))
    return engine.looked_up(data.source, combinations.attributes, table, name)
