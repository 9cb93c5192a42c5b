"""Search of the generalization lattice: Samarati's binary search with the conditions of paper
003, all minimal nodes, or the node of least loss.

Where counts decide, one sweep gives the figures of every node, for every k up to the cap. Otherwise
the sweep for k gives lower bounds of suppression and loss, and nodes are counted in full only while
they can still be the answer.
"""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.errors import argument, fail
from discreet.masking.generalization.bounded import Bounded
from discreet.masking.generalization.conditions import Conditions
from discreet.masking.generalization.figures import Swept
from discreet.masking.generalization.minimal import all_minimal, samarati
from discreet.masking.generalization.nodes import NodeClasses, NodeCounter
from discreet.masking.generalization.objective import counted_objective
from discreet.masking.generalization.optimal import better, optimal
from discreet.masking.generalization.sweeps import Sweeps
from discreet.masking.generalization.task import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.lattice.sweep import Sweep

SearchName = Literal["samarati", "all-minimal", "optimal", "bounded"]
MAX_SWEPT = 400_000  # nodes: beyond, their figures would not fit a laptop's memory


@dataclass(frozen=True)
class Figures:
    """What a node costs: suppressed records, classes left, loss, and whether it is feasible."""

    suppressed: int
    classes: int
    loss: float
    objective: float
    feasible: bool
    hope: bool = True  # whether a node below may be feasible
    excess: float = 0.0  # by how many records it is not


@dataclass
class SearchTally:
    """How much work a search took, and what the two conditions spared."""

    counted: int = 0
    excluded_by_size: int = 0
    excluded_by_condition_1: int = 0
    excluded_by_condition_2: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Outcome:
    """The nodes a search returns, with their figures; ``complete`` is False when it was cut off.

    ``bound`` is what no node loses less than, as far as a bounded search knows.
    """

    nodes: tuple[int, ...]
    best: int | None
    complete: bool
    tally: SearchTally
    bound: float | None = None


@dataclass(eq=False)
class Search:
    """A search for one task. Figures of nodes are computed when asked for, and kept.

    ``by_node`` counts nodes one by one instead of sweeping the lattice, as the paper does.
    """

    task: Task
    seconds: float | None = None
    nodes: int | None = None
    by_node: bool = False
    tally: SearchTally = field(default_factory=SearchTally)
    _judged: dict[int, bool] = field(default_factory=dict)

    @functools.cached_property
    def counter(self) -> NodeCounter:
        """Counts single nodes in full."""
        return NodeCounter(self.task)

    @functools.cached_property
    def conditions(self) -> Conditions | None:
        """The necessary conditions, where the criterion asks for distinct values."""
        if not self.task.distinct:
            return None
        most = [name for name, least in self.task.distinct.items() if least == self.p]
        return Conditions.of({name: self.task.frequencies[name] for name in most})

    @property
    def p(self) -> int:
        """The largest number of distinct values asked for."""
        return self.sweeps.p

    @functools.cached_property
    def sweeps(self) -> Sweeps:
        """The sweeps of the lattice."""
        return Sweeps(self.task)

    @functools.cached_property
    def sweep(self) -> Sweep:
        """Class sizes of every node, with distinct values where they fit into masks."""
        return self.sweeps.own

    @property
    def too_large(self) -> bool:
        """Whether the lattice has too many nodes to be swept."""
        return self.task.lattice.nodes > MAX_SWEPT

    @property
    def swept(self) -> bool:
        """Whether the sweep alone gives the figures of every node."""
        return self.judged and not self.task.of_file

    @property
    def judged(self) -> bool:
        """Whether the sweep alone tells which nodes are feasible; the loss may need a count."""
        return not self.by_node and not self.too_large and self.sweeps.decide

    @functools.cached_property
    def every(self) -> Swept:
        """The figures of all nodes; where a sweep does not tell all that decides, those for sizes
        alone, which are lower bounds of suppression and loss."""
        _ = self.sweep
        p, of_file = (self.sweeps.asked, self.task.of_file) if self.judged else (1, ())
        return Swept(self.sweeps, self.task.k, p, self.task.budget, of_file)

    @property
    def losses(self) -> NDArray[np.float64]:
        """Per node, the loss that is minimised, or a lower bound of it."""
        return self.every.objective

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """Per node, whether it is feasible; where more than sizes decides, whether it may be."""
        return self.every.feasible

    def figures(self, node: int) -> Figures:
        """The exact figures of a node."""
        if self.swept and "sweep" in self.__dict__:
            return self._swept_figures(node)
        return self._counted(node)

    def _swept_figures(self, node: int) -> Figures:
        return Figures(
            int(self.every.suppressed[node]),
            int(self.every.classes[node]),
            float(self.every.loss[node]),
            float(self.every.objective[node]),
            bool(self.every.feasible[node]),
        )

    def allows(self, node: int) -> bool:
        """Whether a node is feasible, without its loss where that takes longer."""
        if self.judged and "sweep" in self.__dict__:
            return bool(self.feasible[node])
        if node not in self._judged:
            self.tally.counted += 1
            self._judged[node] = self._holds(self.counter.node(self.task.lattice.levels_of(node)))
        return self._judged[node]

    @functools.cache  # noqa: B019
    def _counted(self, node: int) -> Figures:
        task, levels = self.task, self.task.lattice.levels_of(node)
        classes = self.counter.node(levels)
        loss = self.counter.loss(classes, levels, task.shares)
        return Figures(
            classes.suppressed,
            classes.classes,
            loss,
            counted_objective(self.counter, classes, levels, loss),
            self._holds(classes),
            hope=classes.least <= task.budget and (self._holds(classes) or not task.monotone),
            excess=max(classes.suppressed - task.budget, 0) + classes.spoilt,
        )

    def _holds(self, classes: NodeClasses) -> bool:
        """Whether a node that was counted is feasible."""
        return classes.allowed and classes.suppressed <= self.task.budget

    def run(self, name: SearchName) -> Outcome:
        """Carry out a search by name."""
        started = time.perf_counter()
        if name in ("samarati", "all-minimal") and self.too_large:
            fail(
                "N06",
                f"the lattice has {self.task.lattice.nodes:,} nodes, too many for a {name} search.",
                f"Use {argument('search', 'optimal')}, or name fewer keys.",
            )
        if (
            self.conditions is not None
            and self.p > self.conditions.max_p
            and not self._all_may_go()
        ):
            self.tally.excluded_by_condition_1 = self.task.lattice.nodes
            return Outcome((), None, complete=True, tally=self.tally)
        outcome = self._searched(name)
        self.tally.seconds = time.perf_counter() - started
        return outcome

    def _searched(self, name: SearchName) -> Outcome:
        if name == "bounded" or self.too_large:
            return self._bounded()
        if name == "all-minimal":
            nodes = all_minimal(self)
        else:
            node = optimal(self) if name == "optimal" else samarati(self)
            nodes = () if node is None else (node,)
        return Outcome(nodes, self._best_of(nodes), complete=True, tally=self.tally)

    def _bounded(self) -> Outcome:
        searching = Bounded(self)
        complete = searching.run()
        nodes = () if searching.best is None else (searching.best,)
        bound = searching.bound if complete or searching.has_costs else None
        return Outcome(nodes, searching.best, complete, self.tally, bound)

    def _all_may_go(self) -> bool:
        """With everything suppressed nothing is left that could fail."""
        return self.task.budget >= self.task.keys.n

    def satisfied(self, node: int) -> bool:
        """Algorithm 2: sizes first, then Condition 2, then the values of each class."""
        if self.judged:
            return bool(self.feasible[node])
        levels = self.task.lattice.levels_of(node)
        if self.conditions is not None:
            labels, number = self.counter.labels(levels)
            size = np.bincount(labels, self.task.keys.counts, number)
            large = size >= self.task.k
            if self.task.keys.n - int(size[large].sum()) > self.task.budget:
                self.tally.excluded_by_size += 1
                return False
            if self._too_many_classes(int(large.sum()), int(size[~large].sum())):
                self.tally.excluded_by_condition_2 += 1
                return False
        return self.allows(node)

    def _too_many_classes(self, classes: int, suppressed: int) -> bool:
        """Condition 2 on the classes left after suppression: each further one costs k records."""
        assert self.conditions is not None
        further = 0
        if self.task.suppression == "failing":
            further = (self.task.budget - suppressed) // self.task.k
        return classes - further > self.conditions.max_classes(self.p)

    def excluded_by_condition_2(self) -> NDArray[np.bool_]:
        """Per node, whether it has too many classes for p whatever is suppressed."""
        none = np.zeros(self.task.lattice.nodes, dtype=np.bool_)
        if self.conditions is None:
            return none
        classes, gone = self.sweep.kept_classes(self.task.k), self.sweep.suppressed(self.task.k)
        further = np.zeros_like(gone)
        if self.task.suppression == "failing":
            further = np.maximum(self.task.budget - gone, 0) // self.task.k
        excluded = classes - further > self.conditions.max_classes(self.p)
        self.tally.excluded_by_condition_2 = int((excluded & self.feasible).sum())
        return np.asarray(excluded)

    def _best_of(self, nodes: tuple[int, ...]) -> int | None:
        best: int | None = None
        for node in nodes:
            if best is None or better(self, node, best):
                best = node
        return best
