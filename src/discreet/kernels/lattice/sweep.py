"""Full-domain generalization: class statistics of every node of the lattice.

A node gives each key attribute a level; its classes are the records that agree on
all keys at these levels (Samarati 2001).  `sweep` visits all nodes once and keeps,
per node, the number of classes of each size and their Iyengar loss.  From these,
every k up to the cap and every suppression budget is answered without the records:
a class below k is suppressed whole, and each of its records counts as loss 1 per key.

Nodes are visited like the readings of an odometer.  The classes of a node come from
the predecessor in which the fastest non-zero wheel stands one lower, so each wheel
needs at most one set of classes at a time; the first wheel turns the initial set itself.
Attributes of high entropy turn slowest: they merge most, so the fast wheels roll up
small sets; on Adult this reads 6 % more classes than the smallest predecessor would.

References
----------
P. Samarati (2001), Protecting respondents' identities in microdata release.
V. Iyengar (2002), Transforming data to satisfy privacy constraints.
K. LeFevre, D. DeWitt, R. Ramakrishnan (2005), Incognito (the rollup property).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Bools, Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.lattice.attribute import Attribute, Codes, attributes
from discreet.kernels.lattice.conditions import (
    Amounts,
    ClassConditions,
    PeopleArrays,
    ValueArrays,
    ValuePairs,
    add_up,
    amount_dtype,
    in_words,
    largest_failing,
    people_arrays,
    spread,
    value_arrays,
)
from discreet.kernels.lattice.layout import WalkPlan, initial_classes, is_short, layout_of, plan_of
from discreet.kernels.lattice.rollup import (
    Classes,
    LevelStep,
    Words,
    fresh_stamp,
    hash_table,
    roll,
    u64,
)
from discreet.kernels.lattice.tally import (
    Tally,
    new_tally,
    rows_of,
    tally,
    tally_by_people,
    tally_by_values,
)


@dataclass(frozen=True)
class Sweep:
    """Class statistics of every node.

    Nodes are numbered with the first attribute's level most significant.  In all arrays,
    axis 1 has a row for classes with fewer than `p` distinct confidential values and one
    for the others, or a single row if `p` is 1 (with `p` = 0, one for classes that fail the
    conditions asked for and one for the others); in `classes` and `loss`, axis 2 is the
    class size, its last place (`cap` + 1) for all larger classes.

    Attributes
    ----------
    levels : number of levels per key attribute
    records : number of records
    p : distinct confidential values that are asked for; 0 where other conditions are
    classes : number of classes
    loss : sum over the records of these classes of the loss shares of all keys
    large_records, large_squares : Σ size and Σ size² of the classes larger than the cap
    vacant : whether people have keys that no record has, where a share of them must have some
    """

    levels: tuple[int, ...]
    records: int
    p: int
    classes: NDArray[np.int32]
    loss: Floats
    large_records: Ints
    large_squares: Ints
    vacant: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))

    @property
    def cap(self) -> int:
        """Largest class size that is kept apart."""
        return self.classes.shape[2] - 2

    def node(self, index: int) -> tuple[int, ...]:
        """Return the levels of a node."""
        return tuple(int(level) for level in np.unravel_index(index, self.levels))

    def kept_classes(self, k: int, p: int = 1) -> Ints:
        """Return, per node, the number of classes with at least k records and p values."""
        self._check(k, p)
        total: Ints = self.classes[:, _holding(p), k:].sum((1, 2), dtype=np.int64)
        return total

    def suppressed(self, k: int, p: int = 1) -> Ints:
        """Return, per node, the number of records in all other classes."""
        suppressed: Ints = self.records - self._kept(k, p, 1, self.large_records)
        return suppressed

    def discernibility(self, k: int, p: int = 1) -> Ints:
        """Return, per node, Σ size² of the kept classes + records · suppressed."""
        squares = self._kept(k, p, 2, self.large_squares)
        total: Ints = squares + self.records * self.suppressed(k, p)
        return total

    def iyengar(self, k: int, p: int = 1) -> Floats:
        """Return, per node, the mean loss over keys and records, suppressed ones counting 1."""
        self._check(k, p)
        keys = len(self.levels)
        kept: Floats = self.loss[:, _holding(p), k:].sum((1, 2))
        mean: Floats = (kept + self.suppressed(k, p) * keys) / (self.records * keys)
        return mean

    def by_size(self, k: int, p: int = 1) -> tuple[Ints, Floats]:
        """Return, per node, the number and the loss of the kept classes of size 1, 2, … and, in
        the last place, of all beyond the cap."""
        self._check(k, p)
        classes: Ints = self.classes[:, _holding(p), 1:].sum(1, dtype=np.int64)
        loss: Floats = self.loss[:, _holding(p), 1:].sum(1)
        classes[:, : k - 1], loss[:, : k - 1] = 0, 0.0
        return classes, loss

    def best(self, k: int, p: int = 1, max_suppressed: int = 0) -> int | None:
        """Return the node of least loss within the budget; ties go to the smallest levels."""
        loss = np.where(self.suppressed(k, p) <= max_suppressed, self.iyengar(k, p), np.inf)
        least = loss.min()
        return int(np.flatnonzero(loss <= least + 1e-12)[0]) if np.isfinite(least) else None

    def _kept(self, k: int, p: int, power: int, large: Ints) -> Ints:
        self._check(k, p)
        sizes = np.arange(k, self.cap + 1, dtype=np.int64) ** power
        small: Ints = (self.classes[:, _holding(p), k:-1] @ sizes).sum(1)
        total: Ints = small + large[:, _holding(p)].sum(1)
        return total

    def _check(self, k: int, p: int) -> None:
        if not (1 <= k <= self.cap + 1 and p in (1, self.p)):
            raise ValueError(
                f"k = {k}, p = {p} lie outside this sweep: repeat it with a larger cap or this p"
            )


def _holding(p: int) -> slice:
    """Return the rows of the classes with at least p distinct confidential values, or that
    meet the conditions."""
    return slice(rows_of(p) - 1, None)


def sweep(
    codes: Sequence[Codes],
    counts: Ints,
    maps: Sequence[Sequence[Codes]],
    shares: Sequence[Sequence[Floats]],
    *,
    cap: int = 50,
    masks: Sequence[Words] = (),
    p: int = 1,
    people: Ints | None = None,
    pairs: ValuePairs | None = None,
    conditions: ClassConditions | None = None,
    threads: int = 1,
    watch: Ints | None = None,
) -> Sweep:
    """Compute the class statistics of every node.

    Parameters
    ----------
    codes : per key attribute, the leaf code of each tuple
    counts : records per tuple
    maps : per attribute and level, leaf code → code at that level; levels are nested
    shares : per attribute and level, by code: (leaves covered − 1) / (leaves − 1)
    cap : class sizes up to here are kept apart
    masks : per confidential attribute, the values that occur in each tuple as bits;
        with several, the distinct count of a class is the least over the attributes
    p : classes with fewer distinct confidential values are counted apart; 1 without masks
    people : people of a population per tuple; a tuple may have people and no records
    pairs : how often each confidential value occurs in each tuple
    conditions : classes that fail them are counted apart, in place of p and masks; the
        least size they name is that of every question asked later
    threads : parts of the lattice visited at the same time, each with its own sets of
        classes; the result does not depend on it
    watch : two numbers that other threads may look at and set while it runs: the first one
        counts nodes (with several threads, about); the second one ends it early
    """
    everybody = counts if people is None else counts + people
    keys = attributes(codes, everybody, maps, shares)
    if any((mask == 0).any() for mask in masks):
        raise ValueError(
            "a tuple has no confidential value: give missing values a bit of their own"
        )
    if conditions is not None:
        masks, p = (), 0
    elif p == 1 or not masks:
        masks, p = (), 1
    start = _Start.of(codes, counts, people, masks, pairs, keys, conditions)
    records = int(np.sum(counts, dtype=np.int64))
    found = _empty(tuple(key.levels for key in keys), records, p, cap)
    output = _Output(
        found.classes, found.loss, found.large_records, found.large_squares, found.vacant
    )
    parts = _parts(start.plan.last, threads)
    watched = np.zeros(2, np.int64) if watch is None else watch
    behind = None if people is None or conditions is None else people_arrays(conditions, cap)
    failing = cap if behind is None else largest_failing(behind, counts, people, pairs, cap)

    def visit(part: tuple[Ints, Ints]) -> None:
        sets, amounts, place = start.own(alone=len(parts) == 1)
        tallied, table = new_tally(start.cells, p, cap, failing), hash_table(start.size)
        args = (_State.at(start), start.plan, *part, table, tallied, behind, start.values)
        words = None if amounts is None else in_words(amounts)
        _walk(sets, amounts, words, place, *args, output, watched)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(visit, parts))
    if behind is None or not behind.low > 0:
        found.vacant[:] = False
    return found


class _Start(NamedTuple):
    """Where a walk starts: the initial classes in row 0 of `sets`, their values in `amounts`."""

    sets: Classes
    amounts: Amounts | None
    values: ValueArrays | None
    size: int
    cells: int
    plan: WalkPlan

    @classmethod
    def of(
        cls,
        codes: Sequence[Codes],
        counts: Ints,
        people: Ints | None,
        masks: Sequence[Words],
        pairs: ValuePairs | None,
        keys: Sequence[Attribute],
        conditions: ClassConditions | None,
    ) -> _Start:
        """Group the tuples, and add up how often each value occurs where that is asked for."""
        most = int(np.sum(counts, dtype=np.int64)) if people is None else 2**31
        both = counts if people is None else counts + (people << 32)
        short, beside = is_short(keys, len(counts)), 0
        if pairs is not None and conditions is not None:
            beside = amount_dtype(pairs, len(conditions.high), 1, short).itemsize
        layout = layout_of(keys, len(counts), most, masks, beside)
        sets = np.empty((layout.sets, len(counts)), layout.classes)
        begun = initial_classes(codes, both, masks, keys, layout, sets[0])
        plan = plan_of(keys, layout)
        if pairs is None or conditions is None:
            return cls(sets, None, None, begun.size, layout.cells, plan)
        kind = amount_dtype(pairs, len(conditions.high), layout.cells, short)
        amounts = np.zeros((layout.sets, begun.size), kind)
        spread(*pairs, begun.place, begun.cell, amounts[0])
        values = value_arrays(conditions, kind)
        return cls(sets, amounts, values, begun.size, layout.cells, plan)

    def own(self, *, alone: bool) -> tuple[Classes, Amounts | None, NDArray[np.uint32] | None]:
        """Return sets, amounts and places for one walk; walks side by side get copies."""
        place = None if self.amounts is None else np.empty(self.size, np.uint32)
        if alone:
            return self.sets, self.amounts, place
        sets = np.empty((len(self.sets), self.size), self.sets.dtype)
        sets[0] = self.sets[0, : self.size]
        return sets, None if self.amounts is None else self.amounts.copy(), place


def _empty(levels: tuple[int, ...], records: int, p: int, cap: int) -> Sweep:
    """Return room for the figures of all nodes."""
    shape = (prod(levels), rows_of(p))
    classes, loss = _zeros((*shape, cap + 2))
    large = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    return Sweep(levels, records, p, classes, loss, *large, np.zeros(shape[0], np.bool_))


def _zeros(shape: tuple[int, ...]) -> tuple[NDArray[np.int32], Floats]:
    """Return room for classes and loss in one block.

    Every page of fresh memory costs a fault; from 4 MB on, numpy asks for larger pages.
    """
    places = prod(shape)
    block = np.zeros(12 * places, np.uint8)
    loss, classes = block[: 8 * places].view(np.float64), block[8 * places :].view(np.int32)
    return classes.reshape(shape), loss.reshape(shape)


def _parts(last: Ints, threads: int) -> list[tuple[Ints, Ints]]:
    """Split the lattice by the levels of the two slowest wheels, if it is to be split."""
    if threads == 1:
        return [(np.zeros_like(last), last)]
    parts = []
    for pinned in product(*(range(top + 1) for top in last[:2])):
        first, final = np.zeros_like(last), last.copy()
        first[: len(pinned)] = final[: len(pinned)] = pinned
        parts.append((first, final))
    return parts


class _State(NamedTuple):
    """Where a walk stands: by wheel, its level, and the size and row of the set it left."""

    level: Ints
    size: Ints
    row: Ints
    vacant: Bools  # one: whether a class of the population has no record

    @classmethod
    def at(cls, start: _Start) -> _State:
        """The beginning, with all wheels at their first level."""
        wheels = len(start.plan.last)
        level, row = np.zeros(wheels, np.int64), np.zeros(wheels + 1, np.int64)
        return cls(level, np.full(wheels + 1, start.size), row, np.zeros(1, np.bool_))


class _Output(NamedTuple):
    classes: NDArray[np.int32]
    loss: Floats
    large_records: Ints
    large_squares: Ints
    vacant: Bools


@njit(cache=True, nogil=True)
def _walk(  # noqa: C901
    sets: Classes,
    amounts: Amounts | None,
    words: Amounts | None,
    place: NDArray[np.uint32] | None,
    state: _State,
    plan: WalkPlan,
    first: Ints,
    last: Ints,
    table: NDArray[np.uint32],
    accumulators: Tally,
    people: PeopleArrays | None,
    values: ValueArrays | None,
    output: _Output,
    watch: Ints,
) -> None:
    """Visit the nodes with wheel levels `first` to `last`, the last wheel turning fastest.

    The first classes of row 0 are the initial set.  The rows are a stack of the
    sets still needed, one for each wheel that left its first level, and are overwritten.
    """
    wheels, stamp = len(last), u64(1)
    level, size, row, vacant = state.level, state.size, state.row, state.vacant
    for a in range(wheels):
        while level[a] < first[a]:
            stamp = fresh_stamp(table, stamp, size[0])
            before = size[0]
            step = _step(plan, a, level[a])
            size[0] = roll(sets[0], before, sets[0], step, table, stamp, place)
            if words is not None:
                add_up(words[0], before, place, words[0])
            stamp += u64(size[0])
            level[a] += 1
    while True:
        a = _holder(level, first, wheels - 1)
        current = sets[row[a]]
        if amounts is not None:
            tally_by_values(current, size[a], amounts[row[a]], values, people, accumulators, vacant)
        elif people is not None:
            tally_by_people(current, size[a], people, accumulators, vacant)
        else:
            tally(current, size[a], accumulators, accumulators.offset)
        _emit(accumulators, plan, _node(level, plan.stride), vacant[0], output)
        watch[0] += len(plan.inner_node)
        if watch[1]:
            return
        a = wheels - 1
        while a >= 0 and level[a] == last[a]:
            level[a] = first[a]
            a -= 1
        if a < 0:
            return
        source = _holder(level, first, a)
        if source < a:
            # The set of the wheel before is done with once that wheel stands at its last
            # level and this one leaves its first: all wheels after have been round.
            done = source == a - 1 and level[source] == last[source]
            row[a] = row[source] + (0 if done else 1)
        before = size[source]
        stamp = fresh_stamp(table, stamp, before)
        step = _step(plan, a, level[a])
        size[a] = roll(sets[row[source]], before, sets[row[a]], step, table, stamp, place)
        if words is not None:
            add_up(words[row[source]], before, place, words[row[a]])
        stamp += u64(size[a])
        level[a] += 1


@njit(cache=True, nogil=True)
def _holder(level: Ints, first: Ints, wheel: int) -> int:
    """Return the wheel whose set is current when all wheels after `wheel` stand at first."""
    while wheel > 0 and level[wheel] == first[wheel]:
        wheel -= 1
    return max(wheel, 0)


@njit(cache=True, nogil=True)
def _node(level: Ints, stride: Ints) -> int:
    """Return the node at these levels of the wheels."""
    node = 0
    for wheel in range(len(level)):
        node += level[wheel] * stride[wheel]
    return node


@njit(cache=True, nogil=True)
def _step(plan: WalkPlan, wheel: int, level: int) -> LevelStep:
    begin = plan.begin[wheel, level]
    end = plan.begin[wheel, level + 1]
    return LevelStep(
        plan.word[wheel],
        plan.shift[wheel],
        plan.mask[wheel],
        plan.delta[begin:end],
        plan.gain[begin:end],
        plan.major,
    )


@njit(cache=True, nogil=True)
def _emit(
    tallied: Tally,
    plan: WalkPlan,
    node: int,
    vacant: bool,
    output: _Output,
) -> None:
    """Add each margin to the nodes where it is a set of classes of its own."""
    for q in range(len(plan.inner_node)):
        at = node + plan.inner_node[q]
        output.vacant[at] = vacant
        for e in range(plan.inner_begin[q], plan.inner_begin[q + 1]):
            _add_margin(tallied, plan.margin[e], plan.margin_share[e], output, at)


@njit(cache=True, nogil=True)
def _add_margin(tallied: Tally, margin: int, share: float, output: _Output, node: int) -> None:
    """Add one margin to one node; `share` is the loss share of the margin's own values."""
    beyond = tallied.small.shape[2] - 1
    output.vacant[node] |= tallied.small[margin, 0, 0, 0] > 0
    for row in range(output.loss.shape[1]):
        small = tallied.small[margin, row]
        classes, loss = output.classes[node, row], output.loss[node, row]
        for size in range(1, tallied.end[row]):
            classes[size] += np.int32(small[size, 0])
            loss[size] += size * (small[size, 1] + share * small[size, 0])
        records = tallied.large[margin, row, 0]
        classes[beyond] += np.int32(small[beyond, 0])
        loss[beyond] += tallied.large_loss[margin, row] + share * records
        output.large_records[node, row] += records
        output.large_squares[node, row] += tallied.large[margin, row, 1]
