"""The sweeps of a task: the figures of every node of its lattice, computed once and kept.

A sweep answers for every class size up to its cap, but tells apart only one number of distinct
confidential values, or one set of conditions: each more would cost time and memory at every node.

What the criteria of a task ask of a class are conditions that a sweep follows.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.frequency.value_counts import CountLimits, PeopleLimits, ValueLimits
from discreet.masking.generalization.task import Task
from discreet.progress import watched

if TYPE_CHECKING:
    from discreet.kernels.lattice.conditions import ClassConditions, ValuePairs
    from discreet.kernels.lattice.sweep import Sweep


CAP = 50
_MOST_SIZES = 400  # kept apart, for a condition on the whole file
_MASK_BITS = 64  # of the kernel
_MOST = 2**31  # records and people that the kernel counts


@dataclass(eq=False)
class Sweeps:
    """The sweeps of one task."""

    task: Task
    _kept: dict[str, Sweep] = field(default_factory=dict, init=False)

    @property
    def p(self) -> int:
        """The largest number of distinct values that the task asks for."""
        return max(self.task.distinct.values(), default=1)

    @property
    def follow_distinct(self) -> bool:
        """Whether distinct values can be followed: masks have 64 bits and one p for all."""
        wanted = self.task.distinct
        return (
            bool(wanted)
            and len(set(wanted.values())) == 1
            and all(len(self.task.whole[name].counts) <= _MASK_BITS for name in wanted)
        )

    @functools.cached_property
    def conditions(self) -> ClassConditions | None:
        """What is asked of a class beside its size, where it is more than one p for all."""
        alone = all(part.counts_decide or part.of_file for part in self.task.parts)
        if alone and (self.follow_distinct or not self.task.distinct):
            return None
        return conditions_of(self.task)

    @functools.cached_property
    def decide(self) -> bool:
        """Whether sweeps tell which classes of every node go."""
        sizes = [part.sizes_apart for part in self.task.of_file]
        if self.task.limits or any(size is None or size > _MOST_SIZES for size in sizes):
            return False
        alone = all(part.counts_decide or part.of_file for part in self.task.parts)
        followed = self.follow_distinct or not self.task.distinct
        return (alone and followed) or self.conditions is not None

    @property
    def asked(self) -> int:
        """What a sweep is asked for: p, or 0 where it has conditions."""
        return self.p if self.conditions is None else 0

    @functools.cached_property
    def own(self) -> Sweep:
        """For what the task asks, where that can be followed."""
        return self._sweep(self.task.shares, self.p)

    def for_distinct(self, p: int) -> Sweep:
        """For any p, where distinct values can be followed; the last one asked for is kept."""
        return self.own if p in (1, self.own.p) else self._last("other", self.task.shares, p)

    def entropy_for_distinct(self, p: int) -> Sweep:
        """The same with the loss of entropy."""
        return self._last("entropy", self.task.entropies, p)

    def _last(self, name: str, shares: Any, p: int) -> Sweep:
        if name not in self._kept or p not in (1, self._kept[name].p):
            self._kept[name] = self._sweep(shares, p)
        return self._kept[name]

    def _sweep(self, shares: Any, p: int) -> Sweep:
        from discreet.kernels.lattice.sweep import sweep

        task, asked = self.task, self._asked(p)
        table, people = (task.keys.codes, task.keys.counts, task.maps, shares), None
        if task.population and "conditions" in asked:
            (register,) = task.population.values()
            *table, people = register.beside(*table)  # type: ignore[assignment]
        sizes = (part.sizes_apart or 1 for part in task.of_file if self.decide)
        cap = max(CAP, task.k, *sizes)
        return watched(
            "sweeping the lattice",
            task.lattice.nodes,
            lambda watch: sweep(*table, cap=cap, people=people, watch=watch, **asked),
        )

    def _asked(self, p: int) -> dict[str, Any]:
        """What is asked of classes, as the sweep takes it."""
        if self.conditions is None:
            followed = self.task.distinct if self.follow_distinct else ()
            return {"masks": [self.task.masks(name) for name in followed], "p": p}
        compared = len(self.conditions.high)
        pairs = value_pairs(self.task) if compared else None
        return {"conditions": self.conditions, "pairs": pairs}


def conditions_of(task: Task) -> ClassConditions | None:
    """The conditions, or None where a criterion looks at more, or there are too many values, people
    or registers to follow."""
    from discreet.kernels.lattice.conditions import VALUES, ClassConditions

    limits = _limits(task)
    people = sum(int(found.counts.sum()) for found in task.population.values())
    values = sum(len(task.whole[name].counts) for name in _names(task))
    if limits is None or len(task.population) > 1 or max(people, task.keys.n) >= _MOST:
        return None
    if values > VALUES or _apart(limits):
        return None
    behind = [one for one in limits if isinstance(one, PeopleLimits)]
    return ClassConditions(
        **_on_values(task, [one for one in limits if isinstance(one, ValueLimits)]),
        least_people=max((one.least for one in behind), default=0),
        low_people=max((one.low for one in behind), default=0.0),
        high_people=min((one.high for one in behind), default=np.inf),
    )


def value_pairs(task: Task) -> ValuePairs:
    """Records by combination of keys and value, the values of all attributes numbered on."""
    from discreet.kernels.lattice.conditions import ValuePairs

    first = _first_values(task)
    return ValuePairs(
        np.concatenate([task.owners(name) for name in first]),
        np.concatenate([task.values(name) + at for name, at in first.items()]),
        np.concatenate([task.pairs[name].counts for name in first]),
    )


def _limits(task: Task) -> list[CountLimits] | None:
    """All limits of counts but for sizes and distinct values; None where a criterion has others."""
    found: list[CountLimits] = []
    for part in task.parts:
        if part.counts_decide or part.of_file:
            continue
        whole = {name: task.whole[name].counts for name in part.needs_values(tuple(task.pairs))}
        limits = part.count_limits(whole)
        if limits is None:
            return None
        found += limits
    return found


def _apart(limits: Sequence[CountLimits]) -> bool:
    """Whether lower limits of one attribute let its values be absent and others do not: one limit
    does not stand for both."""
    below = [one for one in limits if isinstance(one, ValueLimits) and one.low.any()]
    return len({(one.name, one.optional) for one in below}) > len({one.name for one in below})


def _on_values(task: Task, limits: Sequence[ValueLimits]) -> dict[str, Any]:
    """Limits and numbers of distinct values, for the values of all attributes one after another."""
    first = _first_values(task)
    values = sum(len(task.whole[name].counts) for name in first)
    low, high, optional = np.zeros(values), np.ones(values), np.ones(values, np.bool_)
    for one in limits:
        own = slice(first[one.name], first[one.name] + len(one.high))
        optional[own] &= one.optional or not one.low.any()
        low[own] = np.maximum(low[own], one.low)
        high[own] = np.minimum(high[own], one.high)
    groups = tuple(
        (tuple(range(at, at + len(task.whole[name].counts))), task.distinct[name])
        for name, at in first.items()
        if task.distinct.get(name, 1) > 1
    )
    return {"low": low, "high": high, "optional": optional, "groups": groups}


def _names(task: Task) -> list[str]:
    """The attributes whose values matter."""
    needed = {name for part in task.parts for name in part.needs_values(tuple(task.pairs))}
    return [name for name in task.pairs if name in needed or task.distinct.get(name, 1) > 1]


def _first_values(task: Task) -> dict[str, int]:
    """The number of the first value of each attribute."""
    names = _names(task)
    sizes = [len(task.whole[name].counts) for name in names]
    return dict(zip(names, np.cumsum([0, *sizes]).tolist(), strict=False))
