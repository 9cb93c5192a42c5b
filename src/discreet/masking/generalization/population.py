"""The population in a search: its combinations of keys, coded on every level as those of the file.

The hierarchies are fitted to the values of the population as well. A group of it that the file has
too gets the code that it has there; others come after. So one node generalizes both alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.kernels.packing import added, merged
from discreet.risks.register import need_same_groups, people_of, places, sizes_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.microdata import Microdata
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.hierarchies.hierarchy import Hierarchy
    from discreet.hierarchies.recoding import Recoding


@dataclass(frozen=True, eq=False)
class CodedPopulation:
    """The people of a register by combinations of keys.

    Attributes
    ----------
    codes : tuple of arrays
        Per key, the value of each combination.
    counts : array
        How many people have it.
    maps : tuple of tuples of arrays
        Per key and level: value → code of its group in the file, or one after all of these.
    groups : tuple of tuples of int
        Per key and level, how many codes there are.
    behind : array
        How many people have each combination of the file.
    others : array
        Where the combinations stand that the file does not have.
    """

    codes: tuple[NDArray[np.int32], ...]
    counts: NDArray[np.int64]
    maps: tuple[tuple[NDArray[np.int64], ...], ...]
    groups: tuple[tuple[int, ...], ...]
    behind: NDArray[np.int64]
    others: NDArray[np.intp]

    def beside(
        self, codes: Sequence[Any], counts: NDArray[np.int64], maps: Any, shares: Any
    ) -> tuple[list[Any], NDArray[np.int64], list[Any], list[Any], NDArray[np.int64]]:
        """The table that a sweep works on, with the people behind the records: codes, records, maps
        and shares per level, and people. Those of the file come first, each of them once."""
        if not len(self.others):
            return list(codes), counts, maps, shares, self.behind
        theirs = zip(self.maps, self.codes, strict=True)
        both = [
            np.concatenate([own, own_maps[0][column[self.others]]])
            for own, (own_maps, column) in zip(codes, theirs, strict=True)
        ]
        to = [
            [np.concatenate([mine, other]) for mine, other in zip(levels, own_maps, strict=True)]
            for levels, own_maps in zip(maps, self.maps, strict=True)
        ]
        lost = [
            [np.append(by, np.zeros(n - len(by))) for by, n in zip(levels, groups, strict=True)]
            for levels, groups in zip(shares, self.groups, strict=True)
        ]
        people = self.counts[self.others]
        records = np.concatenate([counts, np.zeros_like(people)])
        return both, records, to, lost, np.concatenate([self.behind, people])

    def at(self, levels: Sequence[int]) -> tuple[list[NDArray[np.int64]], list[int]]:
        """The groups of each combination at a node, per key, and how many codes there are."""
        each = zip(self.maps, levels, self.codes, strict=True)
        codes = [maps[level][column] for maps, level, column in each]
        return codes, [groups[level] for groups, level in zip(self.groups, levels, strict=True)]


def coded_population(
    data: Microdata,
    keys: FrequencySet,
    recodings: Sequence[Recoding],
    hierarchies: Mapping[str, Hierarchy],
    given: Any,
) -> CodedPopulation:
    """A register on the levels of a search; an error where the people of the file are not in it."""
    people = people_of(data, given)
    sizes_in(data, keys, people)
    found = people.counted
    maps, groups = [], []
    for a, recoding in enumerate(recodings):
        name, values = recoding.attribute, found.values[a]
        theirs = _levels(name, values, found.rollup([name]).counts, hierarchies.get(name), recoding)
        maps.append(tuple(codes for codes, _ in theirs))
        groups.append(tuple(number for _, number in theirs))
    leaves = [own[0][column] for own, column in zip(maps, found.codes, strict=True)]
    shared = _shared(keys, leaves, [own[0] for own in groups], found.counts)
    return CodedPopulation(found.codes, found.counts, tuple(maps), tuple(groups), *shared)


def _shared(
    keys: FrequencySet,
    theirs: Sequence[NDArray[np.int64]],
    cardinalities: Sequence[int],
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """How many people have each combination of the file, and where all others stand."""
    both: list[NDArray[np.integer]] = [
        np.concatenate(pair) for pair in zip(keys.codes, theirs, strict=True)
    ]
    first, owner = merged(both, cardinalities)
    ours, others = owner[: len(keys)], owner[len(keys) :]
    known = np.zeros(len(first), np.bool_)
    known[ours] = True
    return added(others, counts, len(first))[ours], np.flatnonzero(~known[others])


def _levels(
    name: str,
    values: Any,
    counts: NDArray[np.int64],
    hierarchy: Hierarchy | None,
    mine: Recoding,
) -> list[tuple[NDArray[np.int64], int]]:
    """Per level the code of each value of the register, and how many codes there are."""
    found = [_codes(places(name, mine.values, values), len(mine.values), np.arange(len(values)))]
    fitted = None if hierarchy is None else hierarchy.fit(name, values, counts)
    for level in range(1, mine.height + 1):
        assert fitted is not None  # without a hierarchy there is one level
        need_same_groups(name, fitted.table(level), mine.table(level))
        place = places(name, mine.labels[level], fitted.labels[level])
        codes, number = _codes(place, len(mine.labels[level]), np.arange(len(place)))
        found.append((codes[fitted.maps[level]], number))
    return found


def _codes(
    place: NDArray[np.int64], known: int, own: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int]:
    """Where a group is in the file, its code there; others are told apart by their own."""
    codes = np.where(place < known, place, known + own)
    return codes, known + len(own)
