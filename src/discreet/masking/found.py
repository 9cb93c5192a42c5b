"""What a search of the lattice found: nodes that can be explained and applied to the records."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pyarrow as pa
from annotated_doc import Doc
from annotated_types import Ge

from discreet import engine
from discreet.data.attributes import AttributeType
from discreet.data.masked import Masked, masked_from, refuse, refuse_broken
from discreet.data.microdata import Microdata
from discreet.errors import argument, fail, listed
from discreet.frames import FrameKind, array_of
from discreet.loss.generalization import precision
from discreet.masking.generalization.nodes import NodeClasses
from discreet.masking.generalization.recount import Recount
from discreet.masking.generalization.search import Figures, Search, SearchName, SearchTally
from discreet.masking.generalization.task import Task
from discreet.masking.generalization.view import ByK, LatticeView, beside
from discreet.masking.promises import Holds
from discreet.parameters import Columns, Label, Public
from discreet.results import Provenance, Result
from discreet.words import counted, share

if TYPE_CHECKING:
    from discreet.hierarchies.recoding import Recoding
    from discreet.kernels.arrays import Ints
    from discreet.masking.generalization.view import LatticeView
    from discreet.plan.plan import Plan

VERB = "generalize"


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A node of the lattice: how far each key is generalized, and what that costs.

    Attributes
    ----------
    levels : dict
        Level of each key; 0 is the value as it is.
    height : int
        Sum of the levels.
    suppressed, classes : int
        Records that go, and classes that are left.
    loss : float
        Iyengar's: mean over keys and records of (leaves covered − 1)/(leaves − 1), a suppressed
        record counting 1.
    objective : float
        The loss that was minimised, when another one was asked for.
    feasible : bool
        Whether what is left satisfies all that was asked for, and no more records go than may.
        All nodes that a search returns do; one that is chosen by hand may not.
    """

    levels: dict[str, int]
    height: int
    suppressed: int
    classes: int
    loss: float
    objective: float
    feasible: bool
    number: int
    found: Found = field(repr=False)

    def mask(self) -> Masked:
        """The masked microdata: keys recoded, failing classes suppressed.

        They are checked before they are handed out. A node that was chosen by hand may suppress
        more than was allowed; one where the criterion does not hold all the same is refused.
        """
        return _mask(self)

    def mapping(self, key: str) -> Any:
        """How the values of a key are recoded: a table of value and label (shows values)."""
        return _table(self.found.recoding(key), self.levels[key])

    def explain(self) -> str:
        """The node in words."""
        n = self.found.task.keys.n
        moved = [
            f"{key} to level {level} of {self.found.recoding(key).height}"
            for key, level in self.levels.items()
            if level
        ]
        return "\n".join(
            [
                f"Generalize {', '.join(moved)}." if moved else "No key is generalized.",
                f"Suppressed: {counted(self.suppressed, 'record')} "
                f"({share(self.suppressed, n)}). Left: {counted(self.classes, 'class')}.",
                f"Loss: {self.loss:.4f} of 1, the mean share of the leaves that a value covers.",
                *([] if self.feasible else [self._not_feasible()]),
            ]
        )

    def _not_feasible(self) -> str:
        budget = self.found.task.budget
        if self.suppressed > budget:
            return f"Not feasible: {counted(budget, 'record')} may be suppressed."
        return f"Not feasible: what is left does not satisfy {self.found.task.words}."

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {name: one for name, one in vars(self).items() if name not in ("number", "found")}

    def __repr__(self) -> str:
        levels = ", ".join(f"{key} {level}" for key, level in self.levels.items())
        said = f"{self.suppressed:,} suppressed, loss {self.loss:.6f}"
        return f"Node({levels}: {said}{'' if self.feasible else ', not feasible'})"


# What a search does where the feasible nodes are not all that lie above another.
_ONE_BY_ONE = {
    "samarati": "heights were tried one by one, from the lowest up",
    "bounded": "no node was ruled out because of another one",
}


@dataclass(frozen=True, eq=False, repr=False)
class Found(Result):
    """What a search found.

    Attributes
    ----------
    minimal : tuple of Node
        The nodes the search returns: all minimal ones, or the single one it looks for.
    best : Node
        The one of least loss among them.
    complete : bool
        False when the search was cut off: then ``best`` is the best node so far, not proven.
    bound : float or None
        Of a bounded search: no feasible node loses less than this. None where the loss that is
        minimised is not a sum over the keys, or another search was made.
    """

    data: Microdata
    task: Task
    search: Search
    name: SearchName
    numbers: tuple[int, ...]
    best_number: int
    complete: bool
    as_they_are: tuple[str, ...]
    asked: Mapping[str, Any] = field(default_factory=dict)
    bound: float | None = None

    @functools.cached_property
    def minimal(self) -> tuple[Node, ...]:
        """The nodes the search returns, each checked afresh."""
        return tuple(self._returned(number) for number in self.numbers)

    @functools.cached_property
    def best(self) -> Node:
        """The node of least loss among those returned, checked afresh; ties by the smallest
        levels."""
        return self._returned(self.best_number)

    @functools.cached_property
    def lattice(self) -> LatticeView:
        """All nodes with their figures, for any k up to the cap and any limit of suppression."""
        return LatticeView(self)

    def by_k(
        self, ks: Iterable[int], *, max_suppressed: float | None = None, p: int | None = None
    ) -> ByK:
        """What larger classes cost: for each k the best node's loss and suppressed records, without
        another search. The limit of suppression is that of the search unless another is given.
        """
        limit = self.task.budget if max_suppressed is None else max_suppressed
        asked = p if p is not None else max(self.task.distinct.values(), default=1)
        answers = tuple(self.lattice.at(k=k, p=asked, max_suppressed=limit) for k in ks)
        if not answers:
            fail("P04", "no k is named.", "Give some: [3, 5, 10].")
        return ByK(answers, self.task.keys.n, self.data.source.kind)

    @property
    def tally(self) -> SearchTally:
        """How many nodes were swept together, how many were counted one by one, and how many of
        these the conditions of Truta & Vinay excluded."""
        return self.search.tally

    def _returned(self, number: int) -> Node:
        node = self.node(number)
        if not node.feasible:
            what = f"the search returned a node that is not feasible for {self.task.words}"
            refuse([what], VERB, self.task.asked)
        return node

    def node(self, number: int) -> Node:
        """Any node of the lattice with its figures for this criterion, and whether it is feasible:
        that is checked afresh before it is said."""
        figures = self.search.figures(number)
        if figures.feasible and number not in self._checked:
            self._check(number, figures)
            self._checked.add(number)
        levels = self.task.lattice.named(number)
        return Node(
            levels,
            sum(levels.values()),
            figures.suppressed,
            figures.classes,
            figures.loss,
            figures.objective,
            figures.feasible,
            number,
            self,
        )

    def mask(
        self,
        levels: Annotated[
            Mapping[str, Annotated[int, Ge(0)]] | None,
            Columns(),
            Label("Levels"),
            Doc(
                "A node chosen by hand: levels of keys, 0 for one that is left out; the best node "
                "when not given."
            ),
            Public,
        ] = None,
    ) -> Masked:
        """The masked microdata of the best node, or of one that is chosen by its levels and
        suppresses no more than may be; ``Node.mask`` asks for no limit.
        """
        if levels is None:
            return self.best.mask()
        node, budget = self.lattice.node(dict(levels)), self.task.budget
        if node.suppressed > budget:
            would = f"{counted(node.suppressed, 'record')} of {self.task.keys.n:,}"
            fail(
                "D34",
                f"the node of these levels would suppress {would}; at most {budget:,} may be.",
                f"Raise {argument('max_suppressed')}, give higher levels, or leave them out for "
                "the best node.",
            )
        return node.mask()

    @functools.cached_property
    def _checked(self) -> set[int]:
        return set()

    def _check(self, number: int, figures: Figures) -> None:
        """Hold a node against all that was asked for, on the classes that its masking leaves."""
        levels = self.task.lattice.levels_of(number)
        chosen = self.task.limits or self.task.of_file  # of which a search says which classes go
        gone = _gone(self.search.counter.node(levels)) if chosen else None
        recount = Recount(self.task, levels, gone)
        broken = recount.broken(figures.suppressed, figures.classes)
        refuse_broken(broken, VERB, self.task.asked)

    def plan(
        self,
        output: str = "masked.csv",
        measures: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Plan:
        """The plan that repeats the search, masks at the best node and writes the file."""
        from discreet.plan.calls import plan_of

        best = {} if self.complete else {"levels": self.best.levels}
        more = [("generalize", {**self.asked, **best})]
        return plan_of(self.data, output, more, measures)

    def recoding(self, key: str) -> Recoding:
        """The fitted hierarchy of a key."""
        keys = self.task.lattice.keys
        if key not in keys:
            fail("R09", f"{key!r} is not a key.", f"The keys are {listed(keys)}.")
        return self.task.recodings[keys.index(key)]

    @property
    def provenance(self) -> Provenance:
        """What was searched."""
        return Provenance.of(self.data)

    def explain(self) -> str:
        """What was searched and found."""
        lines = [
            f"{self.name} search for {self.task.words}: "
            f"{counted(len(self.numbers), 'node')} of {self.task.lattice.nodes:,}.",
            self.best.explain(),
        ]
        if self.as_they_are:
            lines.append(
                f"No hierarchy is given for {', '.join(self.as_they_are)}: these keys stay as "
                "they are."
            )
        if not self.task.monotone:
            instead = _ONE_BY_ONE.get(self.name, "every node was judged by itself")
            lines.append(f"A node above a feasible one need not be feasible here: {instead}.")
        if not self.complete:
            lines.append(self._how_far())
        return "\n".join(lines)

    def _how_far(self) -> str:
        """How far the best node of a search that was cut off may be from the best of all."""
        seen, best = counted(self.tally.counted, "node"), self.best.objective
        said = (
            f"The search was stopped early, after {seen}: the best node so far, not proven to be "
            "the best."
        )
        if self.bound is None:
            return f"{said} How much less another one loses is not known for this loss."
        return (
            f"{said} No node loses less than {self.bound:.4f}, so this one loses at most "
            f"{best - self.bound:.4f} more than the best one."
        )

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per node found."""
        rows = [
            {**node.levels, **beside(node.levels, {
             "height": node.height, "suppressed": node.suppressed,
             "classes": node.classes, "loss": node.loss})}
            for node in self.minimal
        ]  # fmt: skip
        return self._frame(rows, kind or self.data.source.kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "search": self.name,
            "criterion": self.task.words,
            "nodes": self.task.lattice.nodes,
            **self._plain("complete", "bound", "best", "minimal"),
            "swept": self.tally.swept,
            "counted": self.tally.counted,
            "excluded_by_condition_2": self.tally.excluded_by_condition_2,
            "computed_from": self.provenance.to_dict(),
        }

    def __repr__(self) -> str:
        return (
            f"Found by {self.name} search: {counted(len(self.numbers), 'node')}, best {self.best}"
        )


def _mask(node: Node) -> Masked:
    found = node.found
    task, data = found.task, found.data
    levels = task.lattice.levels_of(node.number)
    counter = found.search.counter
    classes = counter.node(levels)
    if not classes.allowed:
        fail(
            "D34",
            f"this node does not satisfy {task.words}, whichever records are suppressed "
            "within the limit.",
            "Choose a node whose .feasible is true, such as .best.",
        )
    moved = {key: level for key, level in node.levels.items() if level}
    tables = {key: _table(found.recoding(key), level) for key, level in moved.items()}
    complete_from = data.complete if isinstance(data, Masked) else data.source
    recoded = engine.recoded(data.source, tables)
    complete = recoded if complete_from is data.source else engine.recoded(complete_from, tables)
    gone = _suppressed_combinations(found, levels, _gone(classes))
    source = engine.kept(engine.without(recoded, task.lattice.keys, gone))
    pinned = {**found.asked, "levels": node.levels}  # a plan could not find this node by itself
    if node.suppressed > task.budget:
        pinned["max_suppressed"] = node.suppressed
    parameters = {
        "criterion": task.words,
        "levels": node.levels,
        "suppressed": node.suppressed,
        "loss": node.loss,
        "precision": float(precision(levels, task.heights, node.suppressed, task.keys.n)),
        "entropy": counter.loss(classes, levels, task.entropies),
        **({} if node.feasible else {"feasible": False}),
        **({} if found.complete or found.search.seconds is None else {"by_clock": True}),
    }
    return masked_from(
        data,
        source,
        method=VERB,
        parameters=parameters,
        promise=Holds(task.criterion, task.limits),
        after=task.keys.n - node.suppressed,
        changed=frozenset(moved),
        complete=complete,
        mappings=tables,
        types=dict.fromkeys(moved, AttributeType("nominal")),
        asked=found.asked if found.complete and node.number == found.best_number else pinned,
    )


def _table(recoding: Recoding, level: int) -> pa.Table:
    """Value and label at a level."""
    labels = recoding.labels[level].take(array_of(recoding.maps[level]))
    return pa.table({"value": recoding.values, "label": labels})


def _gone(classes: NodeClasses) -> Ints:
    """The place of one combination of key values of each class that is suppressed."""
    first = np.full(len(classes.size), -1, dtype=np.int64)
    first[classes.label[::-1]] = np.arange(len(classes.label))[::-1]
    return first[np.flatnonzero(classes.failing)]


def _suppressed_combinations(found: Found, levels: Sequence[int], gone: Ints) -> pa.Table:
    """The combinations of generalized key values whose classes are suppressed."""
    task = found.task
    columns = {}
    for a, recoding in enumerate(task.recodings):
        codes = recoding.maps[levels[a]][task.keys.codes[a][gone]]
        values = recoding.labels[levels[a]] if levels[a] else recoding.values
        columns[task.lattice.keys[a]] = values.take(array_of(codes))
    return pa.table(columns)
