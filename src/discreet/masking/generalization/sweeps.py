"""The sweeps of a task: the figures of every node of its lattice, computed once and kept.

A sweep answers for every class size up to its cap, but tells apart only one number of distinct
confidential values, or one set of conditions: each more would cost time and memory at every node.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet.masking.generalization.class_conditions import conditions_of, value_pairs
from discreet.masking.generalization.pairs import masks_of
from discreet.masking.generalization.task import Task
from discreet.progress import watched

if TYPE_CHECKING:
    from discreet.kernels.lattice.conditions import ClassConditions
    from discreet.kernels.lattice.sweep import Sweep

CAP = 50
_MOST_SIZES = 400  # kept apart, for a condition on the whole file
_MASK_BITS = 64  # of the kernel


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
            return {"masks": masks_of(self.task) if self.follow_distinct else (), "p": p}
        compared = len(self.conditions.high)
        pairs = value_pairs(self.task) if compared else None
        return {"conditions": self.conditions, "pairs": pairs}
