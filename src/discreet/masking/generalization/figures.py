"""The figures of all nodes of a lattice at once, for a class size, a number of distinct values and
a limit of suppression: those that are searched for, or others that the lattice is asked for.

The objective is the loss that a search minimises, of all nodes at once or of a single one. What
each loss measures is defined in `discreet.loss.generalization`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.loss.generalization import precision
from discreet.masking.generalization.lattice import least
from discreet.masking.generalization.sweeps import Sweeps

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools, Floats, Ints
    from discreet.kernels.lattice.sweep import Sweep
    from discreet.masking.generalization.nodes import NodeClasses, NodeCounter


@dataclass(eq=False)
class Swept:
    """All nodes, by a sweep; every figure is computed when first asked for.

    Attributes
    ----------
    k, p : int
        Records, and distinct values of each confidential attribute, that a class must have.
    budget : int
        How many records may be suppressed.
    of_file : tuple of Criterion
        Conditions on the whole file that class sizes decide. Of the classes of one size those of
        least loss go; the loss of all is known, so that it is a lower bound then.
    """

    sweeps: Sweeps
    k: int
    p: int
    budget: int
    of_file: tuple[Any, ...] = ()

    @property
    def suppressed_for(self) -> int:
        """The distinct values below which a class is suppressed: with ``"k-only"`` none is."""
        return self.p if self.sweeps.task.suppression == "failing" else 1

    @functools.cached_property
    def sweep(self) -> Sweep:
        """Class sizes of every node, with distinct values where they are asked for."""
        return self.sweeps.for_distinct(self.p)

    @functools.cached_property
    def suppressed(self) -> Ints:
        """Per node, records in classes to suppress."""
        return self.sweep.suppressed(self.k, self.suppressed_for) + self._gone @ self._sizes

    @functools.cached_property
    def classes(self) -> Ints:
        """Per node, classes left."""
        return self.sweep.kept_classes(self.k, self.suppressed_for) - self._gone.sum(axis=1)

    @functools.cached_property
    def loss(self) -> Floats:
        """Per node, Iyengar's loss; a lower bound of it where classes go for the whole file."""
        whole = self.sweep.iyengar(self.k, self.suppressed_for)
        if not self.of_file:
            return whole
        classes, lost = self.sweep.by_size(self.k, self.suppressed_for)
        # Those that go have the least loss of their size: on average no more than all of them.
        each = lost[:, :-1] / np.maximum(classes[:, :-1], 1)
        further = (self._gone * (self._sizes * len(self.sweep.levels) - each)).sum(axis=1)
        return whole + further / (self.sweep.records * len(self.sweep.levels))

    @property
    def _sizes(self) -> Ints:
        return np.arange(1, self.sweep.cap + 1)

    @functools.cached_property
    def _gone(self) -> Ints:
        """Per node and size, how many classes go for the sake of the whole file."""
        gone = self._to_go
        return np.zeros_like(gone) if self.sweeps.task.suppression == "k-only" else gone

    @functools.cached_property
    def _to_go(self) -> Ints:
        """Per node and size, how many classes would have to go."""
        if not self.of_file:
            return np.zeros((len(self.sweep.classes), self.sweep.cap), np.int64)
        classes, _ = self.sweep.by_size(self.k, self.suppressed_for)
        left, larger = classes[:, :-1], classes[:, -1]
        records = self.sweep.records - self.sweep.suppressed(self.k, self.suppressed_for)
        for part in self.of_file:
            gone = part.to_go_by_size(left, records, larger)
            left, records = left - gone, records - gone @ self._sizes
        return classes[:, :-1] - left

    @functools.cached_property
    def objective(self) -> Floats:
        """Per node, the loss that is minimised."""
        return swept_objective(self)

    @functools.cached_property
    def feasible(self) -> Bools:
        """Per node, whether few enough records go and all classes that are left hold."""
        within = self.suppressed <= self.budget
        if self.suppressed_for != self.p:
            within &= self.classes == self.sweep.kept_classes(self.k, self.p)
        if self.p == 0 and len(self.sweep.vacant):
            within &= ~self.sweep.vacant
        if self.sweeps.task.suppression == "k-only":
            within &= ~self._to_go.any(axis=1)
        return within

    @property
    def best(self) -> int | None:
        """The feasible node of least loss; ties go to the smallest levels."""
        return least(self.feasible, self.objective)


def swept_objective(swept: Swept) -> Floats:
    """Per node, the objective, with the classes suppressed that fail."""
    task, k, p = swept.sweeps.task, swept.k, swept.suppressed_for
    n = task.keys.n
    if task.loss == "iyengar":
        return swept.loss
    if task.loss == "entropy":
        return swept.sweeps.entropy_for_distinct(p).iyengar(k, p)
    if task.loss == "discernibility":
        return swept.sweep.discernibility(k, p).astype(float)
    if task.loss == "average-class-size":
        left = n - swept.suppressed
        return np.where(swept.classes > 0, left / np.maximum(swept.classes, 1), float(n))
    if task.loss == "height":
        return task.lattice.heights.astype(float)
    grid = np.stack(np.unravel_index(np.arange(task.lattice.nodes), task.lattice.levels))
    return np.asarray(precision(list(grid), task.heights, swept.suppressed, n))


def counted_objective(
    counter: NodeCounter, classes: NodeClasses, levels: tuple[int, ...], iyengar: float
) -> float:
    """The objective of a node that was counted in full."""
    task, n = counter.task, counter.task.keys.n
    if task.loss == "entropy":
        return counter.loss(classes, levels, task.entropies)
    if task.loss == "discernibility":
        kept = classes.size[~classes.failing].astype(float)
        return float((kept**2).sum()) + n * classes.suppressed
    if task.loss == "average-class-size":
        return (n - classes.suppressed) / classes.classes if classes.classes else float(n)
    if task.loss == "height":
        return float(sum(levels))
    if task.loss == "precision":
        return float(precision(levels, task.heights, classes.suppressed, n))
    return iyengar
