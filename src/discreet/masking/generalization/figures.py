"""The figures of all nodes of a lattice at once, for a class size, a number of distinct values and
a limit of suppression: those that are searched for, or others that the lattice is asked for.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.masking.generalization.lattice import least
from discreet.masking.generalization.objective import swept_objective
from discreet.masking.generalization.sweeps import Sweeps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.kernels.lattice.sweep import Sweep


@dataclass(eq=False)
class Swept:
    """All nodes, by a sweep; every figure is computed when first asked for.

    Attributes
    ----------
    k, p : int
        Records, and distinct values of each confidential attribute, that a class must have.
    budget : int
        How many records may be suppressed.
    """

    sweeps: Sweeps
    k: int
    p: int
    budget: int

    @property
    def suppressed_for(self) -> int:
        """The distinct values below which a class is suppressed: with ``"k-only"`` none is."""
        return self.p if self.sweeps.task.suppression == "failing" else 1

    @functools.cached_property
    def sweep(self) -> Sweep:
        """Class sizes of every node, with distinct values where they are asked for."""
        return self.sweeps.for_distinct(self.p)

    @functools.cached_property
    def suppressed(self) -> NDArray[np.int64]:
        """Per node, records in classes to suppress."""
        return self.sweep.suppressed(self.k, self.suppressed_for)

    @functools.cached_property
    def classes(self) -> NDArray[np.int64]:
        """Per node, classes left."""
        return self.sweep.kept_classes(self.k, self.suppressed_for)

    @functools.cached_property
    def loss(self) -> NDArray[np.float64]:
        """Per node, Iyengar's loss."""
        return self.sweep.iyengar(self.k, self.suppressed_for)

    @functools.cached_property
    def objective(self) -> NDArray[np.float64]:
        """Per node, the loss that is minimised."""
        return swept_objective(self)

    @functools.cached_property
    def feasible(self) -> NDArray[np.bool_]:
        """Per node, whether few enough records go and all classes that are left hold."""
        within = self.suppressed <= self.budget
        if self.suppressed_for < self.p:
            within &= self.classes == self.sweep.kept_classes(self.k, self.p)
        return within

    @property
    def best(self) -> int | None:
        """The feasible node of least loss; ties go to the smallest levels."""
        return least(self.feasible, self.objective)
