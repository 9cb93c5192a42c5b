"""Equivalence classes, as measures and criteria see them: how many there are of which size, and
with how many distinct values of each confidential attribute. No values, no codes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.frames import numbers_of
from discreet.frequency.value_counts import Sum, ValueCounts
from discreet.kernels.compatible import compatible_counts, compatible_distinct
from discreet.kernels.packing import pack

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.frequency.frequency_set import FrequencySet


@dataclass(frozen=True, eq=False)
class PeopleBehind:
    """The population behind the classes of a file.

    Attributes
    ----------
    size : array
        How many people have the keys of each class.
    count_vacant : function
        How many combinations of keys people have, and no record; counted when asked for.
    count_shared : function
        How many combinations of keys of people are covered by several classes; the same.
    """

    size: NDArray[np.int64]
    count_vacant: Callable[[], int]
    count_shared: Callable[[], int] = lambda: 0

    @functools.cached_property
    def vacant(self) -> int:
        """How many combinations of keys people have, and no record."""
        return self.count_vacant()

    @functools.cached_property
    def shared(self) -> int:
        """How many combinations of keys of people are covered by several classes."""
        return self.count_shared()


@dataclass(frozen=True, eq=False)
class Classes:
    """Classes grouped by their shape; row r stands for ``number[r]`` classes alike.

    Attributes
    ----------
    size : array
        Size of the class — under wildcards, number of records compatible with the record.
    number : array
        How many classes (under wildcards: combinations of key values) have this shape.
    records : array
        How many records they hold.
    distinct : mapping of attribute to array
        Number of distinct values of a confidential attribute in the class.
    partition : bool
        False under wildcards, where "classes" overlap.
    values : mapping of attribute to ValueCounts
        How often each value occurs in each class, where a criterion asks for it.
    labels : mapping of attribute to array
        What the codes of those values stand for.
    sums : mapping of attribute and what is added up to array
        In place of the values, what a criterion must know of them, where the engine adds it up.
    people : mapping of a register to PeopleBehind
        The people behind the classes, where a criterion looks them up in a register.
    """

    size: NDArray[np.int64]
    number: NDArray[np.int64]
    records: NDArray[np.int64]
    distinct: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    partition: bool = True
    values: Mapping[str, ValueCounts] = field(default_factory=dict)
    labels: Mapping[str, pa.Array] = field(default_factory=dict, repr=False)
    sums: Mapping[Sum, NDArray[np.float64]] = field(default_factory=dict)
    people: Mapping[str | int, PeopleBehind] = field(default_factory=dict)

    @classmethod
    def from_arrow(
        cls, table: pa.Table, distinct: Sequence[str], sums: Sequence[Sum] = ()
    ) -> Classes:
        """From the engine's table of signatures, put in a fixed order."""
        columns = {
            name: numbers_of(table.column(name)).astype(np.int64)
            for name in table.column_names
            if not name.startswith("s_")
        }
        shape = ["size", *(f"d{i}" for i in range(len(distinct)))]
        order = np.lexsort([columns[name] for name in reversed(shape)])
        size, number = columns["size"][order], columns["classes"][order]
        values = {name: columns[f"d{i}"][order] for i, name in enumerate(distinct)}
        added = {
            one: np.asarray(table.column(f"s_{i}"), dtype=np.float64)[order]
            for i, one in enumerate(sums)
        }
        return cls(size, number, size * number, values, sums=added)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.records.sum())

    @property
    def summed(self) -> tuple[str, ...]:
        """The attributes of whose values there are sums."""
        return tuple(dict.fromkeys(name for name, _ in self.sums))

    def apart(self) -> Classes:
        """The same with a row for each class."""
        row = np.repeat(np.arange(len(self.number)), self.number)
        if len(row) == len(self.number):
            return self  # with values or people they are apart already
        return replace(
            self,
            size=self.size[row],
            number=np.ones_like(row),
            records=(self.records // self.number)[row],
            distinct={name: numbers[row] for name, numbers in self.distinct.items()},
            sums={one: added[row] for one, added in self.sums.items()},
        )


def classes_with_values(
    keys: FrequencySet, by_value: Mapping[str, FrequencySet], whole: Mapping[str, FrequencySet]
) -> Classes:
    """One row per class, with its values; ``by_value`` holds the frequency sets of the keys with
    each attribute, ``whole`` that of the attribute in the file that classes are compared with."""
    values = {name: _value_counts(pairs, whole[name]) for name, pairs in by_value.items()}
    return Classes(
        keys.counts,
        np.ones_like(keys.counts),
        keys.counts,
        {name: counts.distinct for name, counts in values.items()},
        values=values,
        labels={name: found.values[0] for name, found in whole.items()},
    )


def _value_counts(pairs: FrequencySet, whole: FrequencySet) -> ValueCounts:
    import pyarrow.compute as pc

    packed, _ = pack(pairs.codes[:-1], pairs.cardinalities[:-1])
    classes, owner = np.unique(packed, return_inverse=True)
    place = pc.index_in(pairs.values[-1], value_set=whole.values[0])
    code = place.to_numpy(zero_copy_only=False).astype(np.int64)[pairs.codes[-1]]
    return ValueCounts(
        owner.astype(np.int64), code, pairs.counts, len(classes), whole.counts, *whole.places(0)
    )


def compatible_classes(keys: FrequencySet, by_value: Mapping[str, FrequencySet]) -> Classes:
    """What takes the place of classes when a missing key matches every value.

    ``by_value`` holds, per confidential attribute, the frequency set of the keys with it; its
    missing values are unknown and not counted as a value.
    """
    size = compatible_counts(keys.codes, keys.cardinalities, keys.missing, keys.counts)
    distinct = {name: _distinct_values(keys, pairs) for name, pairs in by_value.items()}
    return Classes(size, np.ones_like(size), keys.counts.copy(), distinct, partition=False)


def _distinct_values(keys: FrequencySet, pairs: FrequencySet) -> NDArray[np.int64]:
    packed, _ = pack(pairs.codes[:-1], pairs.cardinalities[:-1])
    _, owner = np.unique(packed, return_inverse=True)
    values = np.where(pairs.codes[-1] == pairs.missing[-1], -1, pairs.codes[-1]).astype(np.int64)
    return compatible_distinct(
        pairs.codes[:-1],
        pairs.cardinalities[:-1],
        keys.missing,
        owner.astype(np.intp),
        values,
        len(keys),
    )
