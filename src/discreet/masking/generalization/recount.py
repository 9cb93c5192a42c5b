"""A node counted once more before it is handed out, apart from every search.

The frequency sets of the file are generalized as its records will be, and their classes are held
against all that was asked for, by the criteria themselves as a check of the masked file does.
Neither the sweep nor the counts of single nodes are used: whoever errs there is found out here.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from discreet.criteria.criterion import TOLERANCE
from discreet.errors import listed
from discreet.frequency.classes import Classes, PeopleBehind
from discreet.frequency.value_counts import ValueCounts
from discreet.kernels.packing import pack
from discreet.risks.disclosure import Classification, weighted_risk
from discreet.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.frequency.frequency_set import FrequencySet
    from discreet.kernels.arrays import Bools, Ints
    from discreet.masking.generalization.task import CodedPopulation, Task


_DENSE = 1 << 20  # numbers that are counted in a table of their own without a thought


@dataclass(frozen=True, eq=False)
class Recount:
    """The classes of a node.

    Parameters
    ----------
    task : Task
    levels : sequence of int
    gone : array, optional
        One combination of key values of each class that is suppressed, by its place; needed for a
        limit of the risk or of the average risk, which do not say by themselves which classes go.
    """

    task: Task
    levels: Sequence[int]
    gone: Ints | None = None

    def broken(self, suppressed: int, classes: int) -> list[str]:
        """What does not hold of all that was asked for, and of the figures of the node."""
        out = self._suppressed()
        records = int(self._classes.size[out].sum())
        over = records > self.task.budget
        return [
            *_figure("suppressed records", suppressed, records),
            *_figure("classes", classes, int((~out).sum())),
            *([f"{counted(records, 'record')} would go, {self.task.budget:,} may"] if over else []),
            *self._failing_all_the_same(out),
            *self._without_a_record(),
            *self._not_of_the_file(out),
            *self._above_limits(out),
        ]

    @functools.cached_property
    def _label(self) -> Ints:
        """The class of each combination of key values."""
        keys = self.task.keys
        recoded = list(zip(self.task.recodings, self.levels, strict=True))
        codes = [r.maps[level][keys.codes[a]] for a, (r, level) in enumerate(recoded)]
        return _numbered(*pack(codes, [len(r.labels[level]) for r, level in recoded]))

    @functools.cached_property
    def _classes(self) -> Classes:
        size = np.bincount(self._label, self.task.keys.counts).astype(np.int64)
        values = {name: self._values(name, len(size)) for name in self.task.pairs}
        return Classes(
            size,
            np.ones_like(size),
            size,
            {name: found.distinct for name, found in values.items()},
            values=values,
            labels={name: whole.values[0] for name, whole in self.task.whole.items()},
            people={one: self._behind(people) for one, people in self.task.population.items()},
        )

    def _behind(self, people: CodedPopulation) -> PeopleBehind:
        """How many people are behind each class: their combinations in order, each class looked up
        among them."""
        theirs, groups = people.at(self.levels)
        recoded = zip(self.task.recodings, self.levels, self.task.keys.codes, strict=True)
        mine = [r.maps[level][column] for r, level, column in recoded]
        both: list[NDArray[np.integer]] = [
            np.concatenate([own, other]) for own, other in zip(mine, theirs, strict=True)
        ]
        packed, _ = pack(both, groups)
        ours, others = packed[: len(self._label)], packed[len(self._label) :]
        known, place = np.unique(others, return_inverse=True)
        total = np.bincount(place, people.counts).astype(np.int64)
        first = np.empty(int(self._label.max()) + 1, dtype=np.int64)
        first[self._label] = ours
        at = np.minimum(np.searchsorted(known, first), len(known) - 1)
        size = np.where(known[at] == first, total[at], 0)
        return PeopleBehind(size, lambda: len(np.setdiff1d(known, first)))

    def _values(self, name: str, classes: int) -> ValueCounts:
        """How often each value of an attribute occurs in each class."""
        pairs, whole = self.task.pairs[name], self.task.whole[name]
        place = pc.index_in(pairs.values[-1], value_set=whole.values[0])
        value = place.to_numpy(zero_copy_only=False).astype(np.int64)[pairs.codes[-1]]
        of_class = self._label[_owner(pairs, self.task.keys)] * len(whole.counts) + value
        cells = _numbered(of_class, classes * len(whole.counts))
        count = np.bincount(cells, pairs.counts).astype(np.int64)
        both = np.empty(len(count), dtype=np.int64)
        both[cells] = of_class
        cls, code = np.divmod(both, len(whole.counts))
        return ValueCounts(cls, code, count, classes, whole.counts, *whole.places(0))

    def _suppressed(self) -> Bools:
        """The classes that go: all that fail, or only the small ones, and those that the search
        takes out for a limit of the risk."""
        only_small = self.task.suppression == "k-only"
        out = self._classes.size < self.task.k if only_small else self._failing()
        if self.gone is not None:
            out = out.copy()
            out[self._label[self.gone]] = True
        return out

    def _failing(self) -> Bools:
        found = np.zeros(len(self._classes.size), np.bool_)
        for part in self.task.parts:
            for mask in () if part.of_file else part.failing(self._classes).values():
                found |= mask
        return found

    def _failing_all_the_same(self, out: Bools) -> list[str]:
        """The criteria, where a class that is left fails."""
        failing = self._failing() & ~out
        if not failing.any():
            return []
        words = listed([part.describe() for part in self.task.parts])
        records = counted(int(self._classes.size[failing].sum()), "record")
        return [f"{words} does not hold for {records} of those left"]

    def _not_of_the_file(self, out: Bools) -> list[str]:
        """The conditions on the whole file that do not hold for what is left."""
        ties = np.arange(len(out))
        return [
            f"{part.describe()} does not hold"
            for part in self.task.of_file
            if part.to_go(self._classes, out, ties).any()
        ]

    def _without_a_record(self) -> list[str]:
        """The criteria against which people without a record stand."""
        return [
            f"{part.describe()} does not hold: people have no record"
            for part in self.task.parts
            if part.vacancies(self._classes)
        ]

    def _above_limits(self, out: Bools) -> list[str]:
        """The limits of the risk that are exceeded."""
        kept = ~out[self._label]
        if not self.task.limits or not kept.any():
            return []
        i, c = self._classes.size[self._label[kept]], self.task.keys.counts[kept]
        cells = Classification.of(i, self.task.initial_sizes[kept], c)
        return [
            f"{limit.describe()} does not hold"
            for limit in self.task.limits
            if weighted_risk(cells, limit.weights, self.task.n) > limit.limit + TOLERANCE
        ]


def _figure(what: str, said: int, found: int) -> list[str]:
    return [] if said == found else [f"{said:,} {what} were expected, {found:,} are there"]


def _numbered(packed: Ints, bound: int) -> Ints:
    """The rank of each number among those that occur."""
    if bound > max(_DENSE, 8 * len(packed)):
        return np.unique(packed, return_inverse=True)[1].astype(np.int64)
    there = np.zeros(bound, np.bool_)
    there[packed] = True
    return (np.cumsum(there) - 1)[packed]


def _owner(pairs: FrequencySet, keys: FrequencySet) -> Ints:
    """The combination of key values of each pair: both sets are in order, and have all of them."""
    new = np.zeros(len(pairs), np.bool_)
    for codes in pairs.codes[:-1]:
        new[1:] |= codes[1:] != codes[:-1]
    owner = np.cumsum(new, dtype=np.int64)
    both = zip(pairs.codes[:-1], keys.codes, strict=True)
    assert all(np.array_equal(mine, theirs[owner]) for mine, theirs in both)
    return owner
