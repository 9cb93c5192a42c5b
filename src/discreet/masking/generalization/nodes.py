"""One node at a time: its classes counted in full, which of them fail, and what it costs.

This is Algorithm 1 of Truta & Vinay (2006) for any criterion. The sweep answers for sizes and
distinct values of the whole lattice at once; everything else is decided here.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import argument, fail
from discreet.frequency.classes import Classes, PeopleBehind
from discreet.frequency.value_counts import ValueCounts
from discreet.kernels.labels import label
from discreet.kernels.packing import pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.criteria.disclosure_risk import DisclosureRiskAtMost
    from discreet.kernels.arrays import Bools, Floats, Ints
    from discreet.masking.generalization.task import Task


TOLERANCE = 5e-13  # half of what a check allows, which adds up in another order
_MOST = 1_000_000  # ways to reach several sums that are looked at


@dataclass(frozen=True, eq=False)
class NodeClasses:
    """The classes of a node.

    Attributes
    ----------
    label : array
        The class of each combination of key values of the initial file.
    size : array
        Number of records of each class.
    failing : array of bool
        The classes to suppress.
    allowed : bool
        False when what is left does not satisfy all the same (suppression of small classes only,
        or no whole classes within the budget bring the risk under its limit).
    least : int
        Records that are to be suppressed here and, at least, at every node below.
    spoilt : float
        Where it is not allowed, by how much: records in classes that would have to go, or the
        share of the risk above its limit, in records.
    """

    label: Ints
    size: Ints
    failing: Bools
    allowed: bool
    least: int = 0
    spoilt: float = 0.0

    @property
    def suppressed(self) -> int:
        """Number of records in classes to suppress."""
        return int(self.size[self.failing].sum())

    @property
    def classes(self) -> int:
        """Number of classes left."""
        return int((~self.failing).sum())


class NodeCounter:
    """Counts the classes of nodes of one task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.owners = {name: task.owners(name) for name in task.pairs}
        self.values = {name: task.values(name) for name in task.pairs}
        self.places = {name: task.whole[name].places(0) for name in task.pairs}

    def node(self, levels: Sequence[int]) -> NodeClasses:
        """The classes of a node and which of them are to be suppressed."""
        labels, number = self.labels(levels)
        size = np.bincount(labels, self.task.keys.counts, number).astype(np.int64)
        small = size < self.task.k
        people = self._people(levels, labels, number)
        steady, others = self._failing(labels, size, small, people)
        vacant = self._vacancies(size, people)
        only_small = self.task.suppression == "k-only"
        if vacant:  # at every node below, too
            failing = small if only_small else small | steady | others
            least = self.task.budget + 1
            return NodeClasses(labels, size, failing, allowed=False, least=least, spoilt=vacant)
        if only_small:
            spoilt = float(size[(steady | others) & ~small].sum())
            left = NodeClasses(labels, size, small, not spoilt, int(size[small].sum()), spoilt)
            return self._held_to_file(self._held_to_limits(left), levels)
        least = int(size[small | steady].sum())
        failing = small | steady | others
        left = NodeClasses(labels, size, failing, allowed=True, least=least)
        return self._brought_to_file(self._within_limits(left), levels)

    def labels(self, levels: Sequence[int]) -> tuple[Ints, int]:
        """The class of each combination of key values at the given levels."""
        groups = [int(self.task.maps[a][level].max()) + 1 for a, level in enumerate(levels)]
        apart = [a for a, number in enumerate(groups) if number > 1]
        if not apart:
            return np.zeros(len(self.task.keys), np.int64), 1
        codes = [self.task.maps[a][levels[a]][self.task.keys.codes[a]] for a in apart]
        return label(pack(codes, [groups[a] for a in apart])[0])

    def _codes(self, levels: Sequence[int]) -> list[NDArray[np.int32]]:
        """Per key, the group of each combination of key values."""
        task = self.task
        each = enumerate(zip(levels, task.keys.codes, strict=True))
        return [task.maps[a][level][column] for a, (level, column) in each]

    def loss(self, classes: NodeClasses, levels: Sequence[int], shares: Any) -> float:
        """Mean over keys and records of a table of shares, a suppressed record counting 1."""
        task, d, each = self.task, len(levels), self._shares(levels, shares)
        kept = ~classes.failing[classes.label]
        total = float(np.sum(each[kept] * task.keys.counts[kept]))
        return (total + classes.suppressed * d) / (task.keys.n * d)

    def _shares(self, levels: Sequence[int], shares: Any) -> Floats:
        """Per combination of key values, the sum of the shares of its groups."""
        each = np.zeros(len(self.task.keys))
        for by, level, groups in zip(shares, levels, self._codes(levels), strict=True):
            each += by[level][groups]
        return each

    def _failing(
        self, labels: Ints, size: Ints, small: Bools, people: Mapping[str | int, PeopleBehind]
    ) -> tuple[Bools, Bools]:
        """Which classes fail a criterion such that what they are made of at the nodes below fails
        as well, and which fail another one. Values are looked at only in classes that are large
        enough: the others fail already."""
        steady, others = np.zeros(len(size), np.bool_), np.zeros(len(size), np.bool_)
        large = np.flatnonzero(~small)
        if not self.task.parts or not len(large):
            return steady, others
        place = np.full(len(size), -1, dtype=np.int64)
        place[large] = np.arange(len(large))
        values = {name: self._value_counts(name, place[labels], len(large)) for name in self.values}
        behind = {
            r: PeopleBehind(found.size[large], found.count_vacant) for r, found in people.items()
        }
        classes = self._classes(size[large], values, behind)
        for part in self.task.parts:
            if part.of_file:
                continue  # it is asked of what the others leave
            # Where nothing may be suppressed, classes that hold at a node hold together above it.
            carries = part.monotone_with_suppression or (part.monotone and not self.task.budget)
            found = steady if carries else others
            for mask in part.failing(classes).values():
                found[large[mask]] = True
        return steady, others

    def by_part(self, levels: Sequence[int]) -> list[tuple[Any, int]]:
        """Per criterion, how many records of a node are in classes that fail it by itself."""
        labels, number = self.labels(levels)
        return self._records(labels, number, self._people(levels, labels, number))

    def as_one_class(self) -> list[tuple[Any, int]]:
        """The same with all records in a single class."""
        people = {
            register: PeopleBehind(np.array([found.counts.sum()]), int)
            for register, found in self.task.population.items()
        }
        return self._records(np.zeros(len(self.task.keys), np.int64), 1, people)

    def _records(
        self, labels: Ints, number: int, people: Mapping[str | int, PeopleBehind]
    ) -> list[tuple[Any, int]]:
        size = np.bincount(labels, self.task.keys.counts, number).astype(np.int64)
        values = {name: self._value_counts(name, labels, number) for name in self.values}
        classes = self._classes(size, values, people)
        return [
            (part, int(size[np.logical_or.reduce(list(part.failing(classes).values()))].sum()))
            for part in self.task.parts
        ]

    def _people(
        self, levels: Sequence[int], labels: Ints, number: int
    ) -> dict[str | int, PeopleBehind]:
        """The people behind the classes of a node, per register."""
        found = {}
        for register, people in self.task.population.items():
            theirs, groups = people.at(levels)
            ours = self._codes(levels)
            both: list[NDArray[np.integer]] = [
                np.concatenate([own, other]) for own, other in zip(ours, theirs, strict=True)
            ]
            label_of, every = label(pack(both, groups)[0])  # those of the file come first
            sizes = np.bincount(label_of[len(labels) :], people.counts, every).astype(np.int64)
            found[register] = PeopleBehind(sizes[:number], functools.partial(int, every - number))
        return found

    def _vacancies(self, size: Ints, people: Mapping[str | int, PeopleBehind]) -> int:
        """How many combinations of people without a record stand against the node."""
        if not people:
            return 0
        classes = self._classes(size, {}, people)
        return max(part.vacancies(classes) for part in self.task.parts)

    def _classes(
        self, size: Ints, values: dict[str, ValueCounts], people: Mapping[str | int, PeopleBehind]
    ) -> Classes:
        distinct = {name: counts.distinct for name, counts in values.items()}
        names = {name: whole.values[0] for name, whole in self.task.whole.items()}
        return Classes(
            size, np.ones_like(size), size, distinct, values=values, labels=names, people=people
        )

    def _value_counts(self, name: str, place: Ints, number: int) -> ValueCounts:
        """Pairs of class and value, for the classes that have a place."""
        pairs, whole = self.task.pairs[name], self.task.whole[name].counts
        cls = place[self.owners[name]]
        known = cls >= 0
        packed = cls[known] * len(whole) + self.values[name][known]
        which, distinct = label(packed)
        count = np.bincount(which, pairs.counts[known], distinct).astype(np.int64)
        first = np.empty(distinct, dtype=np.int64)
        first[which[::-1]] = packed[::-1]
        cls, value = first // len(whole), first % len(whole)
        return ValueCounts(cls, value, count, number, whole, *self.places[name])

    def _brought_to_file(self, classes: NodeClasses, levels: Sequence[int]) -> NodeClasses:
        """Suppress what conditions on the whole file ask for, of the classes that are left."""
        failing = classes.failing
        for part in self.task.of_file:
            failing = failing | self._to_go(part, classes, failing, levels)
        return replace(classes, failing=failing)

    def _held_to_file(self, classes: NodeClasses, levels: Sequence[int]) -> NodeClasses:
        """Whether what is left satisfies these conditions; nothing is suppressed for them."""
        over = [
            float(classes.size[self._to_go(part, classes, classes.failing, levels)].sum())
            for part in self.task.of_file
        ]
        spoilt = classes.spoilt + sum(over)
        return replace(classes, allowed=classes.allowed and not any(over), spoilt=spoilt)

    def _to_go(self, part: Any, classes: NodeClasses, gone: Bools, levels: Sequence[int]) -> Bools:
        """Of equal classes those of least loss go first, as in ARX."""
        share = np.zeros(len(classes.size))
        share[classes.label] = self._shares(levels, self.task.shares)
        whole = self._classes(classes.size, {}, {})
        chosen: Bools = part.to_go(whole, gone, share.round(12))
        return chosen

    def _within_limits(self, classes: NodeClasses) -> NodeClasses:
        """Suppress the fewest records, in whole classes, that bring the risk under its limits."""
        if not self.task.limits:
            return classes
        sums = [(self._risks(limit, classes), limit.limit) for limit in self.task.limits]
        left = self.task.budget - classes.suppressed
        chosen = fewest_for_all(classes.size, sums, left)
        if chosen is None:
            return replace(classes, allowed=False, spoilt=self._over_limits(classes))
        return replace(classes, failing=classes.failing | chosen)

    def _held_to_limits(self, classes: NodeClasses) -> NodeClasses:
        """Whether what is left is under the limits of the risk; nothing is suppressed for it."""
        over = self._over_limits(classes)
        return replace(classes, allowed=classes.allowed and not over, spoilt=classes.spoilt + over)

    def _over_limits(self, classes: NodeClasses) -> float:
        """By how much the risk of the classes that are left exceeds its limits, in records."""
        over = [
            float(self._risks(limit, classes).sum()) - limit.limit for limit in self.task.limits
        ]
        return sum(self.task.n * above for above in over if above > TOLERANCE)

    def _risks(self, limit: DisclosureRiskAtMost, classes: NodeClasses) -> Floats:
        """What each class that is left adds to the risk.

        In a sample a combination may have more initial records (j) than its class has here (i).
        """
        task = self.task
        i, j = classes.size[classes.label], task.initial_sizes
        kept = ~classes.failing[classes.label]
        limit.weights.require_fit(i[kept], j[kept])  # a zero of the wrong triangle is no safety
        each = limit.weights(i, j) * task.keys.counts / np.maximum(i, j) / task.n
        value = np.bincount(classes.label, each, len(classes.size))
        return np.where(classes.failing, 0.0, value)


# -- The fewest records, in whole classes, whose removal brings a sum under a limit ----------------
#
# A class of size s adds the value v to the measure. Choosing classes of least total size whose
# values add up to the excess is a knapsack problem; sizes are small whole numbers and the budget
# bounds them, so that it is solved exactly by dynamic programming over the number of records.
# Where several sums have limits, all ways that no other one beats in each of them are kept.


def fewest_for_all(sizes: Ints, sums: Sequence[tuple[Floats, float]], budget: int) -> Bools | None:
    """As :func:`fewest_records`, for several sums, each with its values and its limit."""
    alone = [fewest_records(sizes, values, limit, budget) for values, limit in sums]
    found = [chosen for chosen in alone if chosen is not None]
    if len(found) < len(alone):
        return None  # one limit alone takes more than the budget
    most = max(found, key=lambda chosen: int(sizes[chosen].sum()))  # no fewer will do
    if all(float(values[~most].sum()) - limit <= TOLERANCE for values, limit in sums):
        return most
    return _unbeaten(sizes, sums, budget)


def fewest_records(sizes: Ints, values: Floats, limit: float, budget: int) -> Bools | None:
    """The classes to remove so that the values of the others add up to at most ``limit``.

    None when the budget of records is not enough. Ties go to the smaller, then earlier classes.
    """
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    excess = float(values.sum()) - limit
    if excess <= TOLERANCE:
        return chosen
    items = np.flatnonzero((values > 0) & (sizes <= budget))
    items = items[np.lexsort([items, -values[items], sizes[items]])]
    falling = (np.diff(values[items]) <= TOLERANCE).all()  # a smaller class never adds less
    choose = _smallest_first if falling else _knapsack
    found = choose(items, sizes, values, excess, budget)
    if found is None:
        return None
    chosen[found] = True
    return chosen


def _unbeaten(sizes: Ints, sums: Sequence[tuple[Floats, float]], budget: int) -> Bools | None:
    """Class by class, all ways to remove some of them that no other way beats: with fewer records
    and no less of each excess removed."""
    excess = np.array([max(float(values.sum()) - limit, 0.0) for values, limit in sums])
    values = np.stack([values for values, _ in sums])
    items = np.flatnonzero((values > 0).any(axis=0) & (sizes <= budget))
    items = items[np.lexsort([items, sizes[items]])]
    used, gained = np.zeros(1, np.int64), np.zeros((1, len(sums)))
    before: list[tuple[Ints, Bools]] = []
    ways = 0
    for item in items:
        more = used + sizes[item]
        fits = np.flatnonzero(more <= budget)
        both = np.concatenate([used, more[fits]])
        sums_of = np.minimum(np.concatenate([gained, gained[fits] + values[:, item]]), excess)
        ways += len(both)
        if ways > _MOST:
            fail(
                "N06",
                "several limits of the disclosure risk can be met in too many ways.",
                f"Give one limit, or a smaller {argument('max_suppressed')}.",
            )
        kept = _not_beaten(both, sums_of)
        came_from = np.concatenate([np.arange(len(used)), fits])[kept]
        before.append((came_from, kept >= len(used)))
        used, gained = both[kept], sums_of[kept]
    enough = np.flatnonzero((gained >= excess - TOLERANCE).all(axis=1))
    if not len(enough):
        return None
    chosen, at = np.zeros(len(sizes), dtype=np.bool_), int(enough[np.argmin(used[enough])])
    for item, (came_from, with_item) in zip(items[::-1], reversed(before), strict=True):
        chosen[item] = with_item[at]
        at = int(came_from[at])
    return chosen


def _not_beaten(used: Ints, gained: Floats) -> Ints:
    """The ways that no other one beats, in the order of their records."""
    order = np.lexsort([*(-gained.T[::-1]), used])
    kept: list[int] = []
    front = np.empty((0, gained.shape[1]))
    for at in order.tolist():
        if not (front >= gained[at]).all(axis=1).any():
            kept.append(at)
            front = np.vstack([front[~(gained[at] >= front).all(axis=1)], gained[at]])
    return np.array(kept, dtype=np.int64)


def _smallest_first(
    items: Ints, sizes: Ints, values: Floats, excess: float, budget: int
) -> Ints | None:
    gained = np.cumsum(values[items])
    needed = int(np.searchsorted(gained, excess - TOLERANCE)) + 1
    if needed > len(items) or int(sizes[items[:needed]].sum()) > budget:
        return None
    return items[:needed]


def _knapsack(items: Ints, sizes: Ints, values: Floats, excess: float, budget: int) -> Ints | None:
    """best[s] is the largest value of classes with s records or fewer. Of classes of equal size
    the most valuable are taken, so that per size only their number is kept."""
    room = min(budget, int(sizes[items].sum()))
    best = np.zeros(room + 1)
    groups = np.split(items, np.flatnonzero(np.diff(sizes[items])) + 1) if len(items) else []
    number = np.zeros((len(groups), room + 1), dtype=np.int32)
    for taken, group in zip(number, groups, strict=True):
        size = int(sizes[group[0]])
        for value in values[group[: room // size]]:
            better = best[: room + 1 - size] + value
            improves = better > best[size:] + TOLERANCE
            if not improves.any():
                break  # the next one is worth no more
            taken[size:][improves] = taken[: room + 1 - size][improves] + 1
            best[size:][improves] = better[improves]
    enough = np.flatnonzero(best >= excess - TOLERANCE)
    if not len(enough):
        return None
    left, found = int(enough[0]), []
    for taken, group in zip(number[::-1], reversed(groups), strict=True):
        used = int(taken[left])
        found.append(group[:used])
        left -= used * int(sizes[group[0]])
    return np.concatenate(found)
