"""Search of the generalization lattice: Samarati's binary search with the conditions of paper
003, all minimal nodes, or the node of least loss.

Where counts decide, one sweep gives the figures of every node, for every k up to the cap. Otherwise
the sweep for k gives lower bounds of suppression and loss, and nodes are counted in full only while
they can still be the answer.

Minimal nodes are feasible ones with no feasible node below them: all, or one of least height
(Samarati 2001; Truta & Vinay 2006, Algorithm 3). The optimal node is the feasible one of least
loss; ties go to the smallest levels.

Two necessary conditions of p-sensitive k-anonymity are computed once on the initial file (Truta &
Vinay 2006, section 3). Condition 1: p is at most the number of distinct values of each confidential
attribute. Condition 2: the number of classes is at most min over i = 1 … p−1 of
⌊(n − cf_(p−i)) / i⌋, with cf_i the largest number of records that i values of an attribute can
cover. By Theorems 1 and 2 both carry over to every generalization with suppression.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.errors import argument, fail
from discreet.masking.generalization.bounded import Bounded
from discreet.masking.generalization.figures import Swept, counted_objective
from discreet.masking.generalization.lattice import TIE
from discreet.masking.generalization.nodes import NodeClasses, NodeCounter
from discreet.masking.generalization.sweeps import Sweeps
from discreet.masking.generalization.task import Task
from discreet.progress import stage
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools, Floats, Ints
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
    """How much work a search took, and what the two conditions spared.

    ``swept`` nodes were judged together in one sweep of the lattice, where neither condition has
    anything to spare; ``counted`` are those that were counted one by one.
    """

    swept: int = 0
    counted: int = 0
    excluded_by_size: int = 0
    excluded_by_condition_2: int = 0


@dataclass(frozen=True, eq=False)
class Outcome:
    """The nodes a search returns, with their figures; ``complete`` is False when it was cut off.

    ``bound`` is what no node loses less than, as far as a bounded search knows.
    """

    nodes: tuple[int, ...]
    best: int | None
    complete: bool
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
    def losses(self) -> Floats:
        """Per node, the loss that is minimised, or a lower bound of it."""
        return self.every.objective

    @property
    def feasible(self) -> Bools:
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
        if name in ("samarati", "all-minimal") and self.too_large:
            fail(
                "N06",
                f"the lattice has {self.task.lattice.nodes:,} nodes, too many for a {name} search.",
                f"Use {argument('search', 'optimal')}, or name fewer keys.",
            )
        all_may_go = self.task.budget >= self.task.keys.n  # nothing is left then that could fail
        if not all_may_go and self.conditions is not None and self.p > self.conditions.max_p:
            return Outcome((), None, complete=True)
        outcome = self._searched(name)
        self.tally.swept = self.task.lattice.nodes if "every" in self.__dict__ else 0
        return outcome

    def _searched(self, name: SearchName) -> Outcome:
        if name == "bounded" or self.too_large:
            return self._bounded()
        if name == "all-minimal":
            nodes = all_minimal(self)
        else:
            node = optimal(self) if name == "optimal" else samarati(self)
            nodes = () if node is None else (node,)
        return Outcome(nodes, self._best_of(nodes), complete=True)

    def _bounded(self) -> Outcome:
        searching = Bounded(self)
        complete = searching.run()
        nodes = () if searching.best is None else (searching.best,)
        bound = searching.bound if complete or searching.has_costs else None
        return Outcome(nodes, searching.best, complete, bound)

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

    def _too_many_classes(self, classes: Any, suppressed: Any) -> Any:
        """Condition 2 on the classes left after suppression, of a node or of each: each further
        class that goes costs k records."""
        assert self.conditions is not None
        further = 0
        if self.task.suppression == "failing":
            further = np.maximum(self.task.budget - suppressed, 0) // self.task.k
        return classes - further > self.conditions.max_classes(self.p)

    def excluded_by_condition_2(self) -> Bools:
        """Per node, whether it has too many classes for p whatever is suppressed."""
        if self.conditions is None:
            return np.zeros(self.task.lattice.nodes, dtype=np.bool_)
        k = self.task.k
        excluded = self._too_many_classes(self.sweep.kept_classes(k), self.sweep.suppressed(k))
        self.tally.excluded_by_condition_2 = int((excluded & self.feasible).sum())
        return np.asarray(excluded)

    def _best_of(self, nodes: tuple[int, ...]) -> int | None:
        best: int | None = None
        for node in nodes:
            if self.better(node, best):
                best = node
        return best

    def better(self, node: int, best: int | None) -> bool:
        """Whether a node loses less than the best so far, or as much with smaller levels."""
        if best is None:
            return True
        mine, other = self.figures(node).objective, self.figures(best).objective
        return mine < other - TIE or (mine <= other + TIE and node < best)


@dataclass(frozen=True)
class Conditions:
    """What p-sensitivity allows on a file.

    Attributes
    ----------
    max_p : int
        Least number of distinct values of a confidential attribute.
    narrowest : str
        The attribute that has it.
    frequencies : mapping of attribute to counts per value, descending
    """

    max_p: int
    narrowest: str
    frequencies: Mapping[str, tuple[int, ...]]

    @classmethod
    def of(cls, counts: Mapping[str, Ints]) -> Conditions:
        """From the counts per value of each confidential attribute."""
        ordered = {name: tuple(sorted(c.tolist(), reverse=True)) for name, c in counts.items()}
        narrowest = min(ordered, key=lambda name: len(ordered[name]))
        return cls(len(ordered[narrowest]), narrowest, ordered)

    def max_classes(self, p: int) -> int:
        """The largest number of classes with p values each (Condition 2); 0 when p > max_p.

        Examples
        --------
        >>> import numpy as np
        >>> Conditions.of({"S": np.array([900, 90, 5, 3, 2])}).max_classes(3)
        10
        """
        n = sum(next(iter(self.frequencies.values())))
        if p > self.max_p:
            return 0
        if p == 1:
            return n
        covered = [
            max(sum(frequencies[:i]) for frequencies in self.frequencies.values())
            for i in range(1, p)
        ]
        return min((n - covered[p - i - 1]) // i for i in range(1, p))

    def explain(self, p: int) -> str:
        """Whether p can be reached, in the paper's terms."""
        if p > self.max_p:
            values = counted(self.max_p, "distinct value")
            return f"{self.narrowest!r} has {values}, so p ≤ {self.max_p}"
        return f"at most {self.max_classes(p):,} classes are possible for p = {p}"


def all_minimal(search: Search) -> tuple[int, ...]:
    """Every feasible node with no feasible node below it."""
    lattice = search.task.lattice
    if search.judged:
        return tuple(lattice.minimal(search.feasible).tolist())
    candidates = np.flatnonzero(search.feasible & ~search.excluded_by_condition_2())
    grid = np.stack(np.unravel_index(candidates, lattice.levels), axis=1)
    minimal: list[int] = []
    tops: list[Ints] = []
    for at in np.lexsort([candidates, lattice.heights[candidates]]):
        if any((grid[at] >= low).all() for low in tops):
            continue  # a feasible node lies below
        if search.allows(int(candidates[at])):
            minimal.append(int(candidates[at]))
            tops.append(grid[at])
    return tuple(sorted(minimal))


def samarati(search: Search) -> int | None:
    """A minimal node of least height: Algorithm 3, slips repaired.

    Binary search on the height needs a monotone criterion; otherwise heights are tried one
    by one. Nodes of one height are tried in the order of their levels; one that has too many
    classes for p is passed over, and the next one is tried (the paper leaves the loop).
    """
    low, high = 0, search.task.lattice.height
    found: int | None = None
    if not search.task.monotone:
        hits = (_first_at(search, height) for height in range(high + 1))
        return next((node for node in hits if node is not None), None)
    while low <= high:
        height = (low + high) // 2
        node = _first_at(search, height)
        if node is None:
            low = height + 1
        else:
            found, high = node, height - 1
    return found


def _first_at(search: Search, height: int) -> int | None:
    for node in np.flatnonzero(search.task.lattice.heights == height).tolist():
        if search.satisfied(node):
            return int(node)
    return None


def optimal(search: Search) -> int | None:
    """The feasible node of least loss, None where there is none."""
    if _two_way_tables_do(search):
        return _without_suppression(search)
    if search.swept:
        return search.every.best
    return _by_node(search)


def _two_way_tables_do(search: Search) -> bool:
    """Whether only sizes count and nothing may be suppressed: no sweep is needed."""
    task = search.task
    return (
        task.budget == 0
        and not task.distinct
        and task.only_sizes_and_distinct
        and task.loss == "iyengar"
        and not search.too_large
    )


def _without_suppression(search: Search) -> int | None:
    from discreet.kernels.lattice.pairwise import best_without_suppression

    task = search.task
    found = best_without_suppression(
        task.keys.codes, task.keys.counts, task.maps, task.shares, task.k
    )
    if found is None:
        return None
    search.tally.counted = found.checked
    return int(np.ravel_multi_index(found.levels, task.lattice.levels))


def _by_node(search: Search) -> int | None:
    """Nodes are counted in full until the next lower bound lies above the best one."""
    best: int | None = None
    bounded = search.task.loss != "average-class-size"  # suppression may lower that one
    nodes = np.flatnonzero(search.feasible & ~search.excluded_by_condition_2())
    nodes = nodes[np.lexsort([nodes, search.losses[nodes]])]  # by their lower bounds
    with stage("searching the lattice") as advance:
        for looked_at, node in enumerate(nodes.tolist(), 1):
            limit = np.inf if best is None else search.figures(best).objective + TIE
            if bounded and search.losses[node] > limit:
                break
            if search.allows(node) and search.better(node, best):
                best = node
            advance(looked_at)
    return best
