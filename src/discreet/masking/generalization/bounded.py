"""The bounded search, for a lattice that is too large to visit whole: a valid node at any time, and
how far from the best one it may be.

What a search knows without counting a node: its loss is at least that of its levels without
suppression, which is a sum of one number per key and level; and where too many records must go at a
node, they must go at every node below. Both let whole parts of the lattice be left out:

1. *Down from the top*, a level of one key after the other, as long as there is hope: a valid node
   early.
2. *Projections*: the lattices of groups of keys, swept by class sizes alone, give a bound of the
   whole. Then levels of two keys are exchanged, as long as the loss falls.
3. *Tables of one and two keys*, all others at their top, exclude levels of a key beside those of
   another.
4. *Branch and bound*: the keys get their levels one after the other, those that are still to come
   stand at their top. The part with the smallest bound is looked at first, so that the bound of
   what is left is one of the whole lattice. Where nothing below the best node is left, it is
   proven.

It ends after a number of nodes, so that it gives the same everywhere, or by the clock.

References
----------
K. LeFevre, D. DeWitt, R. Ramakrishnan (2005), Incognito (subset and rollup property).
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.packing import added, merged
from discreet.masking.generalization.lattice import TIE
from discreet.progress import stage

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats
    from discreet.masking.generalization.search import Figures, Search
    from discreet.masking.generalization.task import Task


NODES = 4_000  # that are counted, when neither a number nor a time is given
_PROJECTED = (2**8, 2**12, 2**16)  # nodes of a group of keys, in one round after the other …
_SWEPT = 17  # … up to so many for each node that may be counted: sweeping takes less
_LONGER = 16  # one round takes, than the round before

Levels = tuple[int, ...]


class _OverError(Exception):
    """Time is up, or enough nodes were counted."""


class Bounded:
    """A search that may end at any time.

    Parameters
    ----------
    search : Search
        Whose nodes are counted; its ``nodes`` and ``seconds`` say when to stop.
    """

    def __init__(self, search: Search) -> None:
        self.search, self.lattice = search, search.task.lattice
        self.until = np.inf if search.seconds is None else time.perf_counter() + search.seconds
        by_clock = search.seconds is not None and search.nodes is None
        self.left = np.inf if by_clock else search.nodes or NODES
        self.swept = _SWEPT * self.left
        self.top = tuple(number - 1 for number in self.lattice.levels)
        self.costs = level_costs(search)
        self.best: int | None = None
        self.bound = 0.0
        spread = [cost[-1] - cost[0] for cost in self.costs]
        movable = [a for a, top in enumerate(self.top) if top]
        self.order = sorted(movable, key=lambda a: (-spread[a], a))
        # Per key and level of it, the least level of each other key where there is hope.
        self.pairs = {
            (a, level): [0] * len(self.top)
            for a, top in enumerate(self.top)
            for level in range(top + 1)
        }
        self.seen: set[Levels] = set()
        self.groups: list[Projection] = []

    def run(self) -> bool:
        """Search; return whether the best node is proven to be the best of all."""
        with stage("searching the lattice") as self.advance:
            top = self._looked_at(self.top, always=True)
            if not top.hope:
                return True  # too much has to go even there, and so everywhere
            try:
                self._descend()
                self._project()
                self._exchange()
                self._exclude()
                self._branch()
            except _OverError:
                return False
        self.bound = self.value
        return True

    @property
    def has_costs(self) -> bool:
        """Whether levels alone cost something: else no bound is known."""
        return any(cost[-1] > 0 for cost in self.costs)

    @property
    def value(self) -> float:
        """The loss of the best node so far."""
        return np.inf if self.best is None else self.search.figures(self.best).objective

    def _looked_at(self, levels: Levels, *, always: bool = False) -> Figures:
        """The figures of a node, which may be the best one."""
        if levels not in self.seen:
            if not always and (self.left <= 0 or time.perf_counter() >= self.until):
                raise _OverError
            self.left -= 1
            self.seen.add(levels)
            self.search.tally.counted += 1
            self.advance(len(self.seen))
        node = self._number(levels)
        found = self.search.figures(node)
        if found.feasible and self.search.better(node, self.best):
            self.best = node
        return found

    def _number(self, levels: Levels) -> int:
        return self.lattice.number(dict(zip(self.lattice.keys, levels, strict=True)))

    # 1. Down from the top

    def _descend(self) -> None:
        """Lower one key by a level, that first which costs most, as long as it is feasible.

        Where lowering a key leaves no hope, it never will from a node below.
        """
        at, moving = self.top, list(self.order)
        while moving:
            gain = {a: self.costs[a][at[a]] - self.costs[a][at[a] - 1] for a in moving if at[a]}
            if not gain:
                return
            a = max(gain, key=lambda key: (gain[key], -key))
            levels = _moved(at, a, -1)
            if self._looked_at(levels).hope:
                at = levels
            else:
                moving.remove(a)

    # 2. Projections

    def _project(self) -> None:
        """Sweep groups of ever more keys, as far as the number of nodes and the time allow."""
        task, longest = self.search.task, 0.0
        if task.k < 2 or not self.has_costs:
            return  # no class is too small
        for most in _PROJECTED:
            groups = groups_of(self.order, self.lattice.levels, most)
            begun = time.perf_counter()
            if most > self.swept or begun + _LONGER * longest > self.until:
                return
            if len(groups) == len(self.groups):
                continue
            self.groups = [projection(task, keys, self.costs) for keys in groups]
            longest = time.perf_counter() - begun
            self._raise_bound(self._bound(self.top, 0))

    def _raise_bound(self, bound: float) -> None:
        self.bound = max(self.bound, min(bound, self.value))

    # 3. Tables of two keys, and exchanges

    def _exclude(self) -> None:
        """Find the least level of each key beside every level of each other one."""
        keys = self.order
        for j in range(1, len(keys)):
            for i in range(j):
                if not self._projected(keys[i], keys[j]):
                    self._stairs(keys[i], keys[j])
            self._raise_bound(self._bound(self.top, 0))

    def _projected(self, *keys: int) -> bool:
        """Whether a projection says all there is to say of some keys."""
        sizes = self.search.task.only_sizes_and_distinct and not self.search.task.distinct
        return sizes and any({*keys} <= {*group.keys} for group in self.groups)

    def _stairs(self, a: int, b: int) -> None:
        """Walk along the levels of two keys between hope and none: with one key higher, the other
        may be lower."""
        low = 0
        while low <= self.top[b] and not self._hope(a, 0, b, low):
            low += 1
        self.pairs[a, 0][b] = low
        for level in range(1, self.top[a] + 1):
            while low > 0 and self._hope(a, level, b, low - 1):
                low -= 1
            self.pairs[a, level][b] = low
        for level in range(self.top[b] + 1):
            hopes = [i for i in range(self.top[a] + 1) if self.pairs[a, i][b] <= level]
            self.pairs[b, level][a] = min(hopes, default=self.top[a] + 1)

    def _hope(self, a: int, i: int, b: int, j: int) -> bool:
        return self._looked_at(_set(_set(self.top, a, i), b, j)).hope

    def _exchange(self) -> None:
        """Go on to a better node near by, as long as there is one."""
        before: int | None = -1
        while self.best not in (None, before):
            before = self.best
            assert self.best is not None
            for levels in self._near(self.lattice.levels_of(self.best)):
                if self._bound(levels) <= self.value + TIE:
                    self._looked_at(levels)
                if self.best != before:
                    break

    def _near(self, at: Levels) -> Iterator[Levels]:
        """The nodes below; then those with one key lower by a level and another one higher."""
        lower = [a for a in self.order if at[a]]
        yield from (_moved(at, a, -1) for a in lower)
        for a in lower:
            for b in self.order:
                if a != b and at[b] < self.top[b]:
                    yield _moved(_moved(at, a, -1), b, 1)

    # 4. Branch and bound

    def _branch(self) -> None:
        order = self.order
        queue: list[tuple[float, int, Levels]] = [(self._bound(self.top, 0), 0, self.top)]
        while queue:
            bound, negative, levels = heapq.heappop(queue)
            depth = -negative
            self._raise_bound(bound)
            if bound > self.value + TIE:
                return
            gone = self._gone_below(levels, depth)
            if gone is None or depth == len(order):
                continue
            for level in range(self.top[order[depth]] + 1):
                child = _set(levels, order[depth], level)
                least = self._bound(child, depth + 1, gone)
                if least <= self.value + TIE:
                    heapq.heappush(queue, (max(least, bound), negative - 1, child))

    def _gone_below(self, levels: Levels, depth: int) -> float | None:
        """What suppression adds at least to the loss of the levels of every node below one; None
        where there is no hope.

        Where records of failing classes fail at every node below, too, they count in full there,
        and their levels lose no more there than here.
        """
        if depth < len(self.order) and self._projected(*self.order[:depth]):
            if time.perf_counter() >= self.until:
                raise _OverError
            return 0.0  # the bound has it
        found, task = self._looked_at(levels), self.search.task
        if not found.hope:
            return None
        if task.loss not in ("iyengar", "entropy") or not task.monotone:
            return 0.0
        alone = sum(cost[level] for cost, level in zip(self.costs, levels, strict=True))
        return max(found.objective - alone, 0.0)

    def _bound(self, levels: Levels, depth: int | None = None, gone: float = 0.0) -> float:
        """The least loss of a node whose first keys have these levels, and no others are set; where
        all are set, of that node. Infinite where tables exclude it. ``gone`` is what suppression
        adds to the loss of levels."""
        given = self.order if depth is None else self.order[:depth]
        least = [0] * len(levels)
        for a in given:
            least = [
                max(one, other) for one, other in zip(least, self.pairs[a, levels[a]], strict=True)
            ]
        if any(levels[a] < least[a] for a in given):
            return np.inf
        total = gone
        for a in range(len(levels)):
            at = levels[a] if a in given else self._least_level(a, least[a])
            if at > self.top[a]:
                return np.inf
            total += self.costs[a][at]
        return max(total, self._bound_of_groups(levels, len(given)))

    def _bound_of_groups(self, levels: Levels, given: int) -> float:
        """The same by projections: what each group of keys loses adds up."""
        total = 0.0
        for group in self.groups:
            own = min(given, len(group.keys))
            total += group.at(levels, own)
            given -= own
        return total

    def _least_level(self, a: int, least: int) -> int:
        """The lowest level of a key from one on beside which every other key has some level."""
        for level in range(least, self.top[a] + 1):
            beside = self.pairs[a, level]
            if all(at <= top for at, top in zip(beside, self.top, strict=True)):
                return level
        return self.top[a] + 1


def level_costs(search: Search) -> list[list[float]]:
    """Per key and level what it adds, at least, to the loss that is minimised: the loss without
    suppression, where it is a sum over the keys; else nothing."""
    task, d = search.task, len(search.task.recodings)
    if task.loss in ("iyengar", "entropy"):
        shares = task.shares if task.loss == "iyengar" else task.entropies
        return [_mean_shares(search, a, levels) for a, levels in enumerate(shares)]
    heights = task.heights
    if task.loss == "height":
        return [[float(level) for level in range(top + 1)] for top in heights]
    if task.loss == "precision":
        return [[level / (max(top, 1) * d) for level in range(top + 1)] for top in heights]
    return [[0.0] * (top + 1) for top in heights]


def _mean_shares(search: Search, a: int, levels: Sequence[np.ndarray]) -> list[float]:
    keys, maps = search.task.keys, search.task.maps[a]
    records = np.bincount(keys.codes[a], keys.counts, len(maps[0]))
    per_record = keys.n * len(search.task.recodings)
    return [float(records @ by[to]) / per_record for by, to in zip(levels, maps, strict=True)]


def _moved(levels: Levels, a: int, by: int) -> Levels:
    return _set(levels, a, levels[a] + by)


def _set(levels: Levels, a: int, level: int) -> Levels:
    return (*levels[:a], level, *levels[a + 1 :])


# -- Projections of a lattice ----------------------------------------------------------------------
#
# The least that any node loses, from sub-lattices of a few keys each.
#
# All other keys at their top, a class of a few keys is made of whole classes of all keys. So a
# record in a class that is too small by a few keys is in one that is too small at every node with
# these levels: if more such records are there than may go, no such node is feasible, and if they
# may, each of them counts as lost in full. What the keys of a group lose is never less than in the
# best node of their own sub-lattice, and groups that have no key in common add up.
#
# References
# ----------
# K. LeFevre, D. DeWitt, R. Ramakrishnan (2005), Incognito (subset property).


@dataclass(frozen=True, eq=False)
class Projection:
    """The least loss of the levels of some keys, as far as class sizes tell.

    Attributes
    ----------
    keys : tuple of int
    least : tuple of arrays
        By the number of keys, from the first one on, that have a level: per their levels, what all
        keys of the group lose at least. Infinite where too many records must go.
    """

    keys: tuple[int, ...]
    least: tuple[Floats, ...]

    def at(self, levels: Sequence[int], given: int) -> float:
        """What the keys lose at least where the first ``given`` ones have these levels."""
        return float(self.least[given][tuple(levels[a] for a in self.keys[:given])])


def groups_of(order: Sequence[int], levels: Sequence[int], nodes: int) -> list[tuple[int, ...]]:
    """The keys in their order, in groups with at most so many nodes; a single key may have more."""
    found: list[tuple[int, ...]] = []
    for a in order:
        if found and prod(levels[b] for b in (*found[-1], a)) <= nodes:
            found[-1] = (*found[-1], a)
        else:
            found.append((a,))
    return found


def projection(task: Task, keys: tuple[int, ...], costs: Sequence[Sequence[float]]) -> Projection:
    """Sweep the sub-lattice of some keys; ``costs`` are those of the levels of all keys."""
    from discreet.kernels.lattice.sweep import sweep

    codes = [task.keys.codes[a] for a in keys]
    first, owner = merged(codes, [len(task.maps[a][0]) for a in keys])
    counts = added(owner, task.keys.counts, len(first))
    shares = task.entropies if task.loss == "entropy" else task.shares
    table = [column[first] for column in codes], counts, [task.maps[a] for a in keys]
    swept = sweep(*table, [shares[a] for a in keys], cap=max(task.k - 1, 1))
    if task.loss in ("iyengar", "entropy"):
        lost = swept.iyengar(task.k) * (len(keys) / len(task.recodings))
    else:
        grid = np.ix_(*(np.asarray(costs[a]) for a in keys))
        lost = sum(grid[1:], grid[0]).ravel()
    least = [np.where(swept.suppressed(task.k) <= task.budget, lost, np.inf).reshape(swept.levels)]
    for _ in keys:
        least.append(least[-1].min(axis=-1))
    return Projection(keys, tuple(reversed(least)))
