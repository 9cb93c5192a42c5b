"""The task of a search: coded keys with their hierarchies, what must hold, and what may be
suppressed. Everything is computed from frequency sets; records are never looked at again.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow.compute as pc

from discreet.criteria.disclosure_risk import DisclosureRiskAtMost
from discreet.kernels.packing import added, merged
from discreet.loss.generalization import LossName, entropy_shares
from discreet.masking.generalization.lattice import Lattice
from discreet.risks.register import fitted_to, need_same_groups, people_of, places, sizes_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.microdata import Microdata
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.hierarchies.hierarchy import Hierarchy
    from discreet.hierarchies.recoding import Recoding


Suppression = Literal["failing", "k-only"]
Floats = list[list[Any]]


@dataclass(frozen=True, eq=False)
class Task:
    """What a search works on.

    Attributes
    ----------
    keys : FrequencySet
        Of the key attributes of the initial file.
    recodings : tuple of Recoding
        One fitted hierarchy per key, in the order of the keys.
    criterion : Criterion
        What every class must satisfy; None when only the disclosure risk is limited.
    limits : tuple of DisclosureRiskAtMost
    initial_sizes : array
        Size of the initial class of each combination of key values.
    pairs : mapping of attribute to FrequencySet
        The keys with each confidential attribute that the criterion looks at.
    whole : mapping of attribute to FrequencySet
        The distribution of those attributes in the whole file.
    frequencies : mapping of attribute to array
        The sizes of its values, largest first, as far as the necessary conditions look.
    budget : int
        How many records may be suppressed.
    suppression : {"failing", "k-only"}
        Suppress every class that fails, or, as Truta & Vinay read literally, only those smaller
        than k, and require the rest of those that are left.
    loss : LossName
    population : mapping of a register to CodedPopulation
        The people behind the classes, where a criterion looks them up.
    asked : tuple
        What was asked for; ``criterion`` names its attributes even where all were meant.
    """

    keys: FrequencySet
    recodings: tuple[Recoding, ...]
    criterion: Any
    limits: tuple[DisclosureRiskAtMost, ...]
    n: int
    initial_sizes: NDArray[np.int64]
    pairs: Mapping[str, FrequencySet]
    whole: Mapping[str, FrequencySet]
    frequencies: Mapping[str, NDArray[np.int64]]
    budget: int
    suppression: Suppression
    loss: LossName
    asked: tuple[Any, ...]
    population: Mapping[str | int, CodedPopulation] = field(default_factory=dict)

    def owners(self, name: str) -> NDArray[np.int64]:
        """The combination of key values of each pair of one and a value of an attribute."""
        return np.cumsum(self._begins(name), dtype=np.int64) - 1

    def values(self, name: str) -> NDArray[np.int64]:
        """The value of each such pair, coded as in the whole file."""
        return self._places(name)[self.pairs[name].codes[-1]]

    def masks(self, name: str) -> NDArray[np.uint64]:
        """The values of an attribute that occur with each combination of key values, as bits:
        distinct values do not add up when classes merge, and these do."""
        bit = np.uint64(1) << self._places(name).astype(np.uint64)
        starts = np.flatnonzero(self._begins(name))
        return np.bitwise_or.reduceat(bit[self.pairs[name].codes[-1]], starts)

    def _begins(self, name: str) -> NDArray[np.bool_]:
        """Which pairs are the first ones of their combination: pairs are in order."""
        first = np.zeros(len(self.pairs[name]), dtype=np.bool_)
        first[:1] = True
        for codes in self.pairs[name].codes[:-1]:
            first[1:] |= codes[1:] != codes[:-1]
        return first

    def _places(self, name: str) -> NDArray[np.int64]:
        """Code of a value in the pairs → its code in the whole file."""
        known = self.whole[name].values[0]
        place = pc.index_in(self.pairs[name].values[-1], value_set=known)
        return np.asarray(place.to_numpy(zero_copy_only=False), dtype=np.int64)

    @property
    def words(self) -> str:
        """What was asked for."""
        return " and ".join(one.describe() for one in self.asked)

    @functools.cached_property
    def lattice(self) -> Lattice:
        """The nodes to search."""
        return Lattice(self.keys.attributes, tuple(height + 1 for height in self.heights))

    @functools.cached_property
    def heights(self) -> tuple[int, ...]:
        """Height of each key's hierarchy."""
        return tuple(r.height for r in self.recodings)

    @functools.cached_property
    def maps(self) -> list[list[NDArray[np.int32]]]:
        """Per key and level: code of a value → code of its generalization."""
        return [list(r.maps) for r in self.recodings]

    @functools.cached_property
    def shares(self) -> Floats:
        """Per key and level: Iyengar's share of leaves covered, by code."""
        return [[r.shares(level) for level in range(r.height + 1)] for r in self.recodings]

    @functools.cached_property
    def entropies(self) -> Floats:
        """The same table for non-uniform entropy."""
        return entropy_shares(self.keys, self.maps)

    @property
    def parts(self) -> tuple[Any, ...]:
        """The criteria on classes, one by one."""
        return () if self.criterion is None else self.criterion.parts

    @property
    def of_file(self) -> tuple[Any, ...]:
        """Those of them that are conditions on all classes together."""
        return tuple(part for part in self.parts if part.of_file)

    @property
    def k(self) -> int:
        """The least class size that some criterion asks for; 1 when none does."""
        return 1 if self.criterion is None else self.criterion.least_size

    @functools.cached_property
    def distinct(self) -> dict[str, int]:
        """The least number of distinct values asked for, per confidential attribute."""
        confidential = tuple(self.pairs)
        return {} if self.criterion is None else self.criterion.least_distinct(confidential)

    @property
    def only_sizes_and_distinct(self) -> bool:
        """Whether class sizes and numbers of distinct values decide everything."""
        return all(c.counts_decide for c in self.parts) and not self.limits

    @property
    def monotone(self) -> bool:
        """Whether a feasible node has only feasible nodes above it."""
        if self.suppression == "k-only" and self.budget and (self.distinct or self.limits):
            return False  # suppressed classes can merge into one that fails p, or adds to the risk
        if self.limits and self._is_sample and not self._risk_falls_in_samples:
            return False
        everything = (*self.parts, *self.limits)
        if self.budget:
            return all(c.monotone_with_suppression for c in everything)
        return all(c.monotone for c in everything)

    @property
    def _is_sample(self) -> bool:
        """Whether some combination of key values has more records in the initial file."""
        return bool((self.initial_sizes > self.keys.counts).any())

    @property
    def _risk_falls_in_samples(self) -> bool:
        """Whether the risk of a sample never rises when classes merge: not where records that
        were suppressed come back, which may have fewer initial twins than those they join; nor
        where weights grow with i up to j, as the rules of the upper triangle allow."""
        return not self.budget and all(limit.weights.by_masked_size for limit in self.limits)


# -- The population in a search --------------------------------------------------------------------
#
# Its combinations of keys, coded on every level as those of the file.
#
# The hierarchies are fitted to the values of the population as well. A group of it that the file
# has too gets the code that it has there; others come after. So one node generalizes both alike.


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
    fitted = None if hierarchy is None else fitted_to(hierarchy, name, values, counts)
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
