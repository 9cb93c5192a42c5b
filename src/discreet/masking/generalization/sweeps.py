"""The sweeps of a task: the figures of every node of its lattice, computed once and kept.

A sweep answers for every class size up to its cap, but tells apart only one number of distinct
confidential values: each more would cost time and memory at every node.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet.masking.generalization.pairs import masks_of
from discreet.masking.generalization.task import Task
from discreet.progress import watched

if TYPE_CHECKING:
    from discreet.kernels.lattice.sweep import Sweep

CAP = 50
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
    def own(self) -> Sweep:
        """For the p of the task, where distinct values can be followed."""
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

        task, masks = self.task, masks_of(self.task) if self.follow_distinct else ()
        return watched(
            "sweeping the lattice",
            task.lattice.nodes,
            lambda watch: sweep(
                task.keys.codes,
                task.keys.counts,
                task.maps,
                shares,
                cap=max(CAP, task.k),
                masks=masks,
                p=p,
                watch=watch,
            ),
        )
