"""Search of the generalization lattice: Samarati's binary search with the conditions of paper
003, all minimal nodes, or the node of least loss.

Where sizes and distinct values decide, one sweep gives the figures of every node, for every k up
to the cap. Otherwise the sweep for k gives lower bounds of suppression and loss, and nodes are
counted in full only while they can still be the answer.
"""

from __future__ import annotations

import functools
import heapq
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.errors import fail
from discreet.generalization.conditions import Conditions
from discreet.generalization.nodes import NodeClasses, NodeCounter
from discreet.generalization.task import Task
from discreet.loss.generalization import precision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.lattice.sweep import Sweep

SearchName = Literal["samarati", "all-minimal", "optimal"]
TIE = 1e-12
CAP = 50
SECONDS = 60.0  # for a lattice that is too large to sweep
MAX_SWEPT = 400_000  # nodes: beyond, their figures would not fit a laptop's memory


@dataclass(frozen=True)
class Figures:
    """What a node costs: suppressed records, classes left, loss, and whether it is feasible."""

    suppressed: int
    classes: int
    loss: float
    objective: float
    feasible: bool


@dataclass
class Tally:
    """How much work a search took, and what the two conditions spared."""

    counted: int = 0
    excluded_by_size: int = 0
    excluded_by_condition_1: int = 0
    excluded_by_condition_2: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Outcome:
    """The nodes a search returns, with their figures; ``complete`` is False when it was cut off."""

    nodes: tuple[int, ...]
    best: int | None
    complete: bool
    tally: Tally


@dataclass(eq=False)
class Search:
    """A search for one task. Figures of nodes are computed when asked for, and kept.

    ``by_node`` counts nodes one by one instead of sweeping the lattice, as the paper does.
    """

    task: Task
    seconds: float | None = None
    by_node: bool = False
    tally: Tally = field(default_factory=Tally)
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
        return Conditions.of({name: self.task.whole[name].counts for name in most})

    @property
    def p(self) -> int:
        """The largest number of distinct values asked for."""
        return max(self.task.distinct.values(), default=1)

    @functools.cached_property
    def sweep(self) -> Sweep:
        """Class sizes of every node, with distinct values where they fit into masks."""
        return self._sweep_with(self.task.shares)

    @functools.cached_property
    def _entropy_sweep(self) -> Sweep:
        return self._sweep_with(self.task.entropies)

    def _sweep_with(self, shares: Any) -> Sweep:
        from discreet.kernels.lattice.sweep import sweep

        keys, cap = self.task.keys, max(CAP, self.task.k)
        masks = _masks(self.task) if self.swept_distinct else ()
        p_cap = self.p if masks else 1
        return sweep(
            keys.codes, keys.counts, self.task.maps, shares, cap=cap, masks=masks, p_cap=p_cap
        )

    @property
    def swept_distinct(self) -> bool:
        """Whether the sweep can follow the distinct values: 64 at most, one p for all."""
        wanted = self.task.distinct
        return (
            bool(wanted)
            and len(set(wanted.values())) == 1
            and all(len(self.task.whole[name].counts) <= 64 for name in wanted)
        )

    @property
    def swept(self) -> bool:
        """Whether the sweep alone gives the figures of every node."""
        return (
            not self.by_node
            and self.task.only_sizes_and_distinct
            and (self.swept_distinct or not self.task.distinct)
            and self.task.lattice.nodes <= MAX_SWEPT
        )

    # -- figures -------------------------------------------------------------------------------

    @functools.cached_property
    def suppressed(self) -> NDArray[np.int64]:
        """Per node, records in failing classes — a lower bound where more than sizes decides."""
        return self.sweep.suppressed(self.task.k, self.swept_p)

    @functools.cached_property
    def losses(self) -> NDArray[np.float64]:
        """Per node, the loss that is minimised — a lower bound where more than sizes decides."""
        return self._objective(self.swept_p)

    def _objective(self, p: int) -> NDArray[np.float64]:
        task, k = self.task, self.task.k
        if task.loss == "iyengar":
            return self.sweep.iyengar(k, p)
        if task.loss == "entropy":
            return self._entropy_sweep.iyengar(k, p)
        if task.loss == "discernibility":
            return self.sweep.discernibility(k, p).astype(float)
        if task.loss == "average-class-size":
            kept, n = self.sweep.kept_classes(k, p), task.keys.n
            left = n - self.sweep.suppressed(k, p)
            return np.where(kept > 0, left / np.maximum(kept, 1), float(n))  # nothing left: worst
        if task.loss == "height":
            return task.lattice.heights.astype(float)
        grid = np.stack(np.unravel_index(np.arange(task.lattice.nodes), task.lattice.levels))
        heights = [r.height for r in task.recodings]
        return np.asarray(precision(list(grid), heights, self.sweep.suppressed(k, p), task.keys.n))

    @functools.cached_property
    def feasible(self) -> NDArray[np.bool_]:
        """Per node, whether it is feasible; where more than sizes decides, whether it may be."""
        within = self.suppressed <= self.task.budget
        if self.swept and self.task.suppression == "k-only" and self.task.distinct:
            k = self.task.k
            within &= self.sweep.kept_classes(k) == self.sweep.kept_classes(k, self.p)
        return within

    def figures(self, node: int) -> Figures:
        """The exact figures of a node."""
        if self.swept and "sweep" in self.__dict__:
            return self._swept_figures(node)
        return self._counted(node)

    def _swept_figures(self, node: int) -> Figures:
        return Figures(
            int(self.suppressed[node]),
            int(self._kept_classes[node]),
            float(self._iyengar[node]),
            float(self.losses[node]),
            bool(self.feasible[node]),
        )

    @property
    def swept_p(self) -> int:
        """Distinct values below which the sweep counts a class as failing; 1 for none."""
        whole = self.swept and self.task.suppression == "failing" and self.task.distinct
        return self.p if whole else 1

    @functools.cached_property
    def _kept_classes(self) -> NDArray[np.int64]:
        return self.sweep.kept_classes(self.task.k, self.swept_p)

    @functools.cached_property
    def _iyengar(self) -> NDArray[np.float64]:
        return self.sweep.iyengar(self.task.k, self.swept_p)

    def allows(self, node: int) -> bool:
        """Whether a node is feasible, without its loss where that takes longer."""
        if self.swept and "sweep" in self.__dict__:
            return bool(self.feasible[node])
        if node not in self._judged:
            self.tally.counted += 1
            classes = self.counter.node(self.task.lattice.levels_of(node))
            self._judged[node] = classes.allowed and classes.suppressed <= self.task.budget
        return self._judged[node]

    @functools.cache  # noqa: B019
    def _counted(self, node: int) -> Figures:
        task, levels = self.task, self.task.lattice.levels_of(node)
        classes = self.counter.node(levels)
        loss = self.counter.loss(classes, levels, task.shares)
        feasible = classes.allowed and classes.suppressed <= task.budget
        return Figures(
            classes.suppressed,
            classes.classes,
            loss,
            self._counted_objective(classes, levels, loss),
            feasible,
        )

    def _counted_objective(
        self, classes: NodeClasses, levels: tuple[int, ...], iyengar: float
    ) -> float:
        task, n = self.task, self.task.keys.n
        if task.loss == "entropy":
            return self.counter.loss(classes, levels, task.entropies)
        if task.loss == "discernibility":
            kept = classes.size[~classes.failing].astype(float)
            return float((kept**2).sum()) + n * classes.suppressed
        if task.loss == "average-class-size":
            return (n - classes.suppressed) / classes.classes if classes.classes else float(n)
        if task.loss == "height":
            return float(sum(levels))
        if task.loss == "precision":
            heights = [r.height for r in task.recodings]
            return float(precision(levels, heights, classes.suppressed, n))
        return iyengar

    # -- searches ------------------------------------------------------------------------------

    def run(self, name: SearchName) -> Outcome:
        """Carry out a search by name."""
        started = time.perf_counter()
        if name != "optimal" and self.task.lattice.nodes > MAX_SWEPT:
            fail(
                "N06",
                f"the lattice has {self.task.lattice.nodes:,} nodes, too many for a {name} search.",
                'Use search="optimal", or name fewer keys.',
            )
        if (
            self.conditions is not None
            and self.p > self.conditions.max_p
            and not self._all_may_go()
        ):
            self.tally.excluded_by_condition_1 = self.task.lattice.nodes
            return Outcome((), None, complete=True, tally=self.tally)
        outcome = {
            "samarati": self.samarati,
            "all-minimal": self.all_minimal,
            "optimal": self.optimal,
        }[name]()
        self.tally.seconds = time.perf_counter() - started
        return outcome

    def _all_may_go(self) -> bool:
        """With everything suppressed nothing is left that could fail."""
        return self.task.budget >= self.task.keys.n

    def optimal(self) -> Outcome:
        """The feasible node of least loss; ties go to the lexicographically smallest levels."""
        if self._two_way_tables_do:
            return self._without_suppression()
        if self.swept:
            return self._outcome(self._least(np.flatnonzero(self.feasible)))
        if self.task.lattice.nodes > MAX_SWEPT:
            return self._downwards()
        best: int | None = None
        bounded = self.task.loss != "average-class-size"  # suppression may lower that one
        for node in self._by_bound():
            if bounded and best is not None and self.losses[node] > self._objective_of(best) + TIE:
                break
            if self.allows(node) and (best is None or self._better(node, best)):
                best = node
        return self._outcome(best)

    @property
    def _two_way_tables_do(self) -> bool:
        """Whether only sizes count and nothing may be suppressed: no sweep is needed."""
        task = self.task
        return (
            task.budget == 0
            and not task.distinct
            and task.only_sizes_and_distinct
            and task.loss == "iyengar"
            and task.lattice.nodes <= MAX_SWEPT
        )

    def _without_suppression(self) -> Outcome:
        from discreet.kernels.lattice.pairwise import best_without_suppression

        task = self.task
        found = best_without_suppression(
            task.keys.codes, task.keys.counts, task.maps, task.shares, task.k
        )
        if found is None:
            return self._outcome(None)
        self.tally.counted = found.checked
        return self._outcome(int(np.ravel_multi_index(found.levels, task.lattice.levels)))

    def _objective_of(self, node: int) -> float:
        return self.figures(node).objective

    def _downwards(self) -> Outcome:
        """Best first from the top, through feasible nodes, until none is left or time is up.

        For a monotone criterion every feasible node is reached through feasible ones.
        """
        lattice = self.task.lattice
        until = time.perf_counter() + (self.seconds if self.seconds is not None else SECONDS)
        top = lattice.nodes - 1
        if not self.allows(top):
            return Outcome((), None, complete=self.task.monotone, tally=self.tally)
        queue, seen, best = [(self._objective_of(top), top)], {top}, top
        while queue and time.perf_counter() < until:
            _, node = heapq.heappop(queue)
            best = node if self._better(node, best) else best
            for below in lattice.predecessors(node):
                if below not in seen:
                    seen.add(below)
                    if self.allows(below):
                        heapq.heappush(queue, (self._objective_of(below), below))
        done = not queue and self.task.monotone
        return Outcome((best,), best, complete=done, tally=self.tally)

    def _least(self, nodes: NDArray[np.int64]) -> int | None:
        if not len(nodes):
            return None
        losses = self.losses[nodes]
        return int(nodes[np.flatnonzero(losses <= losses.min() + TIE)[0]])

    def _better(self, node: int, best: int) -> bool:
        mine, other = self.figures(node).objective, self.figures(best).objective
        return mine < other - TIE or (mine <= other + TIE and node < best)

    def _by_bound(self) -> Iterator[int]:
        """Nodes that may be feasible, by ascending lower bound of the loss."""
        nodes = np.flatnonzero(self.feasible & ~self.excluded_by_condition_2())
        yield from nodes[np.lexsort([nodes, self.losses[nodes]])].tolist()

    def all_minimal(self) -> Outcome:
        """Every feasible node with no feasible node below it."""
        lattice = self.task.lattice
        if self.swept:
            nodes = tuple(lattice.minimal(self.feasible).tolist())
            return self._outcome_of(nodes)
        open_ = self.feasible & ~self.excluded_by_condition_2()
        candidates = np.flatnonzero(open_)
        grid = np.stack(np.unravel_index(candidates, lattice.levels), axis=1)
        minimal: list[int] = []
        tops: list[NDArray[np.int64]] = []
        for at in np.lexsort([candidates, lattice.heights[candidates]]):
            if any((grid[at] >= low).all() for low in tops):
                continue  # a feasible node lies below
            if self.allows(int(candidates[at])):
                minimal.append(int(candidates[at]))
                tops.append(grid[at])
        return self._outcome_of(tuple(sorted(minimal)))

    def samarati(self) -> Outcome:
        """A minimal node of least height: Algorithm 3, slips repaired.

        Binary search on the height needs a monotone criterion; otherwise heights are tried one
        by one. Nodes of one height are tried in the order of their levels; one that has too many
        classes for p is passed over, and the next one is tried (the paper leaves the loop).
        """
        low, high = 0, self.task.lattice.height
        found: int | None = None
        if not self.task.monotone:
            hits = (self._first_at(height) for height in range(high + 1))
            return self._outcome(next((node for node in hits if node is not None), None))
        while low <= high:
            height = (low + high) // 2
            node = self._first_at(height)
            if node is None:
                low = height + 1
            else:
                found, high = node, height - 1
        return self._outcome(found)

    def _first_at(self, height: int) -> int | None:
        for node in np.flatnonzero(self.task.lattice.heights == height).tolist():
            if self.satisfied(node):
                return int(node)
        return None

    def satisfied(self, node: int) -> bool:
        """Algorithm 2: sizes first, then Condition 2, then the values of each class."""
        if self.swept:
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

    def _outcome(self, node: int | None) -> Outcome:
        nodes = () if node is None else (node,)
        return Outcome(nodes, node, complete=True, tally=self.tally)

    def _outcome_of(self, nodes: tuple[int, ...]) -> Outcome:
        best: int | None = None
        for node in nodes:
            if best is None or self._better(node, best):
                best = node
        return Outcome(nodes, best, complete=True, tally=self.tally)


def _masks(task: Task) -> list[NDArray[np.uint64]]:
    """Per attribute, the values that occur with each combination of key values, as bits."""
    from discreet.generalization.nodes import owners_of, values_of

    masks = []
    for name in task.distinct:
        bits = np.left_shift(
            np.uint64(1), values_of(task.pairs[name], task.whole[name]).astype(np.uint64)
        )
        owner = owners_of(task.pairs[name])  # ascending, as the pairs are in order
        starts = np.flatnonzero(np.r_[True, np.diff(owner) > 0])
        masks.append(np.bitwise_or.reduceat(bits, starts))
    return masks
