"""The search of the lattice, from its definitions: every node is recoded, its classes are looked at
one by one, and of the feasible nodes the one of least loss, or all minimal ones, are taken.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import discreet as ds
from tests.twins.classes import classes_of, criteria, keys_of, reasons
from tests.twins.ladders import Ladder
from tests.twins.tables import Table, tables
from tests.twins.twin import refused, same, twin

LOSSES = ("iyengar", "discernibility", "average-class-size", "precision", "height", "entropy")
TIE = 1e-12  # losses within it are equal


@dataclass(frozen=True)
class Task:
    """What is asked of a search. ``sampled`` are the records it works on; None for all."""

    table: Table
    criteria: list[Any]
    ladder: Ladder | None
    max_suppressed: float
    suppression: str
    loss: str
    sampled: tuple[int, ...] | None = None

    @property
    def records(self) -> list[int]:
        """The records that are generalized."""
        return list(range(self.table.n)) if self.sampled is None else list(self.sampled)

    @property
    def budget(self) -> int:
        """A share is one of the records, rounded down; as it is written, not as it is stored."""
        if isinstance(self.max_suppressed, float):
            return math.floor(Fraction(str(self.max_suppressed)) * len(self.records))
        return self.max_suppressed

    @property
    def k(self) -> int:
        """The largest k that is asked for."""
        sizes = (ds.KAnonymity, ds.PSensitiveKAnonymity)
        return max((c.k for c in self.criteria if isinstance(c, sizes)), default=1)

    @property
    def on_classes(self) -> list[Any]:
        return [c for c in self.criteria if not isinstance(c, ds.DisclosureRiskAtMost)]

    @property
    def limits(self) -> list[Any]:
        return [c for c in self.criteria if isinstance(c, ds.DisclosureRiskAtMost)]


@dataclass
class Outcome:
    """A node: which records go (several choices may cost as few), and what that loses."""

    levels: tuple[int, ...]
    feasible: bool
    suppressed: int
    choices: list[list[list[int]]]  # the classes that are kept, per choice


class Brute:
    """All nodes of a task, each recoded and counted from its records."""

    def __init__(self, task: Task) -> None:
        self.task, table = task, task.table
        self.keys = table.keys
        self.recoded = {}
        for key in table.keys:
            column = [table.columns[key][i] for i in task.records]
            self.recoded[key] = table.ladders[key].recode(column)
        self.heights = [len(self.recoded[key]) - 1 for key in table.keys]
        self.n = len(task.records)
        own = keys_of(table)
        self.initial = Counter(own)  # sizes of the classes of the first initial file
        self.own = [own[i] for i in task.records]
        self.nodes = list(itertools.product(*(range(h + 1) for h in self.heights)))
        self.outcomes = {levels: self.outcome(levels) for levels in self.nodes}

    def classes(self, levels: tuple[int, ...]) -> list[list[int]]:
        columns = [self.recoded[k][l][0] for k, l in zip(self.keys, levels, strict=True)]
        return classes_of(list(zip(*columns, strict=True)))

    def outcome(self, levels: tuple[int, ...]) -> Outcome:
        """Suppress what fails (or, by the paper's letter, what is smaller than k)."""
        task, classes = self.task, self.classes(levels)
        if task.suppression == "k-only":
            kept = [c for c in classes if len(c) >= task.k]
            gone = self.n - sum(map(len, kept))
            holds = not any(self.fails(c) for c in kept) and self.within(kept)
            return Outcome(levels, holds and gone <= task.budget, gone, [kept])
        kept = [c for c in classes if not self.fails(c)]
        gone = self.n - sum(map(len, kept))
        if not task.limits:
            return Outcome(levels, gone <= task.budget, gone, [kept])
        for fewest in range(gone, self.n + 1):  # whole classes go, as few records as will do
            choices = [c for c in self.without(kept, fewest - gone) if self.within(c)]
            if choices:
                return Outcome(levels, fewest <= task.budget, fewest, choices)
        raise AssertionError("with nothing released there is no risk")

    def fails(self, members: list[int]) -> bool:
        task = self.task
        records = [task.records[i] for i in members]
        return bool(reasons(task.table, task.on_classes, records, task.ladder))

    def without(self, kept: list[list[int]], records: int) -> list[list[list[int]]]:
        """What is left when some classes with this many records go."""
        every = itertools.product((False, True), repeat=len(kept))
        chosen = ([c for c, g in zip(kept, gone, strict=True) if not g] for gone in every)
        left = sum(map(len, kept)) - records
        return [some for some in chosen if sum(map(len, some)) == left]

    def within(self, kept: list[list[int]]) -> bool:
        """DR_W = Σ w_ij c_ij / max(i, j) / (n w_11), n and j of the first initial file."""
        for limit in self.task.limits:
            risk = Fraction(0)
            for members in kept:
                for i in members:
                    initial = self.initial[self.own[i]]
                    weight = weight_of(limit.weights.name, len(members), initial)
                    risk += weight / max(len(members), initial)
            if risk / self.task.table.n > Fraction(limit.limit) + Fraction(1, 10**12):
                return False
        return True

    def loss(self, levels: tuple[int, ...], kept: list[list[int]], name: str) -> Any:
        d, n = len(levels), self.n
        stay = [i for c in kept for i in c]
        gone = n - len(stay)
        if name == "height":
            return sum(levels)
        if name == "discernibility":
            return sum(len(c) ** 2 for c in kept) + n * gone
        if name == "average-class-size":
            return Fraction(len(stay), len(kept)) if kept else None
        if name == "precision":
            each = sum((Fraction(l, h) for l, h in zip(levels, self.heights, strict=True) if h),
                       Fraction(0)) / d  # fmt: skip
            return (len(stay) * each + gone) / n
        if name == "iyengar":
            cells = [self.recoded[k][l][1][i] for k, l in zip(self.keys, levels, strict=True)
                     for i in stay]  # fmt: skip
            return (sum(cells, Fraction(0)) + gone * d) / (n * d)
        return self.entropy(levels, stay)

    def entropy(self, levels: tuple[int, ...], stay: list[int]) -> float:
        """1 − Σ log(n/f(generalized)) / Σ log(n/f(initial)); a suppressed record keeps nothing."""
        left = whole = 0.0
        for key, level in zip(self.keys, levels, strict=True):
            first, now = Counter(self.recoded[key][0][0]), Counter(self.recoded[key][level][0])
            whole += math.fsum(math.log(self.n / first[v]) for v in self.recoded[key][0][0])
            left += math.fsum(math.log(self.n / now[self.recoded[key][level][0][i]]) for i in stay)
        return 1 - left / whole if whole else 1.0

    @property
    def feasible(self) -> list[tuple[int, ...]]:
        return [levels for levels in self.nodes if self.outcomes[levels].feasible]

    @property
    def minimal(self) -> list[tuple[int, ...]]:
        """Feasible, and no feasible node below."""
        feasible = self.feasible
        return [
            node for node in feasible
            if not any(o != node and all(a <= b for a, b in zip(o, node, strict=True))
                       for o in feasible)
        ]  # fmt: skip


def weight_of(name: str, i: int, j: int) -> Fraction:
    """The weights by their words in the docs, divided by w_11."""
    larger = max(i, j)
    if name == "maximal":
        return Fraction(1)
    if name == "minimal":
        return Fraction(larger == 1)
    if "threshold" in name:
        return Fraction(larger <= 2)
    return Fraction(1, 2 ** (larger - 1))


@st.composite
def laddered(draw, most: int) -> Table:
    """A table with hierarchies for its keys, and a lattice that can be gone through by hand."""
    table = draw(tables(most=most, keys=3, laddered=True, extreme=False))
    if math.prod(len(table.ladders[k].climb(table.columns[k])) + 1 for k in table.keys) <= 40:
        return table
    kept = table.keys[:2]
    secret = tuple(s for s in table.confidential if s in kept or s not in table.keys)
    ladders = {k: table.ladders[k] for k in kept}
    return Table(table.columns, table.kinds, kept, secret, table.missing, ladders)


@st.composite
def tasks(draw, table: Table, limits: bool = True, sampled: tuple[int, ...] | None = None) -> Task:
    wanted, ladder = draw(criteria(table, limits))
    shares = st.sampled_from([0.0, 0.1, 0.29, 0.3, 0.5, 0.7, 1.0])
    n = table.n if sampled is None else len(sampled)
    return Task(
        table,
        wanted,
        ladder,
        draw(st.one_of(st.integers(0, n), shares)),
        draw(st.sampled_from(["failing", "failing", "k-only"])),
        draw(st.sampled_from(LOSSES)),
        sampled,
    )


def search(task: Task, data: Any, name: str) -> Any:
    return ds.generalize(
        data,
        task.table.hierarchies,
        task.criteria if len(task.criteria) > 1 else task.criteria[0],
        max_suppressed=task.max_suppressed,
        search=name,
        loss=task.loss,
        suppression=task.suppression,
    )


def searched(task: Task, data: Any, name: str) -> None:
    """A search against the list of all nodes."""
    brute = Brute(task)
    if not brute.feasible:
        with refused("a search where no node is feasible", "D30", "D31"):
            search(task, data, name)
        return
    found = search(task, data, name)
    returned = [tuple(node.levels[k] for k in task.table.keys) for node in found.minimal]
    best = tuple(found.best.levels[k] for k in task.table.keys)
    if name == "all-minimal":
        same("minimal nodes", sorted(returned), sorted(brute.minimal))
        same("best of the minimal nodes", best, least(brute, brute.minimal))
    elif name == "optimal":
        same("best node", best, least(brute, brute.feasible))
    else:
        same("minimal", best in brute.minimal, True)
        same("height", found.best.height, min(map(sum, brute.minimal)))
    for node in found.minimal:
        same_node(brute, node)
    masked = found.best.mask()
    same_mask(brute, brute.outcomes[best], masked)
    if masked.n and not task.limits:
        same("check of the masked file", bool(ds.check(masked, task.criteria)), True)


def least(brute: Brute, nodes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """Of least loss, ties by the smallest levels."""
    losses = {}
    for levels in nodes:
        kept = brute.outcomes[levels].choices
        found = [brute.loss(levels, c, brute.task.loss) for c in kept]
        if None in found:
            raise Unsure
        if max(found) - min(found) > TIE:
            raise Unsure
        losses[levels] = found[0]
    lowest = min(losses.values())
    return min(levels for levels, loss in losses.items() if loss <= lowest + TIE)


class Unsure(Exception):
    """The definition leaves the answer open: equally few records may go in several ways that
    lose differently, or nothing is left that could be averaged.
    """


def same_node(brute: Brute, node: Any) -> None:
    levels = tuple(node.levels[k] for k in brute.keys)
    outcome = brute.outcomes[levels]
    same("feasible", outcome.feasible, True)
    same("suppressed", node.suppressed, outcome.suppressed)
    same("height", node.height, sum(levels))
    if len(outcome.choices) == 1:
        kept = outcome.choices[0]
        same("classes", node.classes, len(kept))
        same("loss", node.loss, brute.loss(levels, kept, "iyengar"))
        objective = brute.loss(levels, kept, brute.task.loss)
        if objective is not None:
            same("objective", float(node.objective), float(objective))
    else:
        close = [brute.loss(levels, kept, "iyengar") for kept in outcome.choices]
        same("loss of some choice", any(abs(node.loss - c) < 1e-9 for c in close), True)


def same_mask(brute: Brute, outcome: Outcome, masked: Any) -> None:
    """The released records fall into the classes of the node."""
    table = masked.to("arrow").to_pydict()
    released = list(zip(*(table[k] for k in brute.keys), strict=True))
    sizes = sorted(len(c) for c in classes_of(released))
    expected = [sorted(len(c) for c in kept) for kept in outcome.choices]
    same("classes of the masked file", sizes in expected, True)


SEARCHES = ("optimal", "all-minimal", "samarati")


@st.composite
def named_tasks(draw, limits: bool, most: int):
    table = draw(laddered(most))
    return [(draw(tasks(table, limits)), draw(st.sampled_from(SEARCHES))) for _ in range(4)]


@twin("generalize", named_tasks(limits=False, most=9), 4)
def compare_generalize(case: Any) -> None:
    task, name = case
    with contextlib.suppress(Unsure):
        searched(task, task.table.data, name)


@twin("generalize by disclosure risk", named_tasks(limits=True, most=7), 3)
def compare_generalize_by_risk(case: Any) -> None:
    compare_generalize(case)


@st.composite
def sampled_tasks(draw):
    table = draw(laddered(7))
    number = draw(st.integers(1, table.n))
    order = tuple(range(number))  # how many are drawn; which, the sample says
    return [(draw(tasks(table, True, order)), draw(st.sampled_from(SEARCHES))) for _ in range(2)]


@twin("generalize a sample", sampled_tasks(), 1)
def compare_generalize_sample(case: Any) -> None:
    """The risk is that of the first file, whatever was drawn from it."""
    task, name = case
    table = task.table
    numbered = table.arrow().append_column("rec", [list(range(table.n))])
    data = ds.read(numbered, keys=list(table.keys), confidential=list(table.confidential),
                   types={**table.types, "rec": "nominal"})  # fmt: skip
    sample = ds.sample(data, n=len(task.records), seed=table.n)
    drawn = tuple(sample.to("arrow")["rec"].to_pylist())
    with contextlib.suppress(Unsure):
        searched(dataclasses.replace(task, sampled=drawn), sample, name)


@st.composite
def views(draw):
    table = draw(laddered(9))
    task = draw(tasks(table, False))
    plain = [c for c in task.criteria if isinstance(c, ds.KAnonymity | ds.PSensitiveKAnonymity)
             or (isinstance(c, ds.LDiversity) and c.kind == "distinct")]  # fmt: skip
    task = dataclasses.replace(task, criteria=plain or [ds.KAnonymity(2)], max_suppressed=1.0)
    return [
        (task, {
            "k": draw(st.integers(1, 4)),
            "p": draw(st.sampled_from([None, 1, 2, 3])),
            "max_suppressed": draw(
                st.one_of(st.integers(0, table.n), st.sampled_from([0.0, 0.29, 0.5]))
            ),
        })
        for _ in range(4)
    ]  # fmt: skip


@twin("lattice.at", views(), 2)
def compare_view(case: Any) -> None:
    """The whole lattice for another k, p and limit."""
    task, asked = case
    table, p = task.table, asked["p"] or 1
    counted = _counted_attributes(task)
    if p > 1 and not counted:
        return  # the search looked at no confidential attribute
    wanted: list[Any] = [ds.KAnonymity(asked["k"])]
    if p > 1:
        wanted.append(ds.LDiversity(p, confidential=tuple(counted)))
    other = Task(table, wanted, None, asked["max_suppressed"], task.suppression, task.loss)
    if not Brute(task).feasible:
        return
    brute = Brute(other)
    view = search(task, table.data, "optimal").lattice
    try:
        found = view.at(**asked)
    except ds.DiscreetError as error:
        if "P17" in str(error) and p > 1:
            return  # distinct values cannot be followed for several p
        raise
    outcomes = [brute.outcomes[levels] for levels in brute.nodes]
    same("suppressed", found.nodes.suppressed.tolist(), [o.suppressed for o in outcomes])
    same("classes", found.nodes.classes.tolist(), [len(o.choices[0]) for o in outcomes])
    same("feasible", found.nodes.feasible.tolist(), [o.feasible for o in outcomes])
    for got, o in zip(found.nodes.loss.tolist(), outcomes, strict=True):
        same("loss", got, brute.loss(o.levels, o.choices[0], "iyengar"))
    minimal = sorted(tuple(m.levels[k] for k in table.keys) for m in found.minimal)
    same("minimal", minimal, sorted(brute.minimal))
    got = None if found.best is None else tuple(found.best.levels[k] for k in table.keys)
    with contextlib.suppress(Unsure):  # by the loss that the search minimises
        same("best", got, least(brute, brute.feasible) if brute.feasible else None)


def _counted_attributes(task: Task) -> list[str]:
    found: dict[str, None] = {}
    for c in task.criteria:
        if isinstance(c, ds.PSensitiveKAnonymity | ds.LDiversity):
            found.update(dict.fromkeys(c.confidential or task.table.confidential))
    return list(found)
