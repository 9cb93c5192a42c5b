"""The search for cells to blank: from a task to cells, and to what any answer costs at least; also
with people of the population behind them: enough, or a share."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels import integer_program
from discreet.kernels.local_recoding.search import recoded
from discreet.kernels.local_recoding.task import Cells
from discreet.kernels.local_suppression import category, cover_answer, subsets
from discreet.kernels.packing import pack
from discreet.masking.cell_people import begun
from discreet.masking.cell_suppression import joins
from discreet.masking.cell_suppression.outcome import FEW_BLANKS
from discreet.masking.cell_suppression.request import ReadingName, SearchName

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools, Floats, Ints
    from discreet.kernels.local_recoding.peel import Passes
    from discreet.kernels.local_recoding.task import CellTask
    from discreet.masking.cell_people import CellPeople


# nodes of a search tree, by default and for the optimal answer: a limit that repeats, unlike time.
# A programme of the wildcard reading takes longest: with 7 keys of the IHSN file 600 nodes take
# more than 300 times as long as numpy takes to sort five million numbers, about two minutes.
NODES = {"category": (50, 20_000), "target-source": (50, 20_000), "wildcard": (0, 600)}
_FEW_ITEMS = 40  # for which a programme may be solved though the search asked for none
_ROUNDING = 1e-9
_MOST_PATTERNS = 600
_MOST_WORK = 50_000_000  # patterns · items


@dataclass(frozen=True, eq=False)
class Choice:
    """Which cells are blanked, and what is known of other answers.

    Attributes
    ----------
    cells : Cells or None
        None where no answer was found.
    bound : float
        No answer costs less, as far as proven.
    restriction : str
        Which answers the bound is about; empty for all.
    exact : bool
        Whether an integer programme was solved.
    """

    cells: Cells | None
    bound: float
    restriction: str = ""
    exact: bool = False


@dataclass(frozen=True, eq=False)
class CellSearch:
    """What is searched, and how.

    Attributes
    ----------
    task : CellTask
    reading, search : str
    most : int or None
        Most cells that a record may lose, where that is said.
    passes : function, optional
        Which classes pass, where numbers of records and of values do not decide; in the category
        reading alone.
    """

    task: CellTask
    reading: ReadingName
    search: SearchName
    most: int | None
    passes: Passes | None = None

    @property
    def wild(self) -> bool:
        """Whether a blank matches every value."""
        return self.reading != "category"

    @property
    def few(self) -> int:
        """Most cells of a record that a search tries."""
        return FEW_BLANKS[self.reading] if self.most is None else self.most

    @property
    def limit(self) -> int | None:
        """Most cells of a record in an answer."""
        return self.few if self.wild else self.most


def chosen(asked: CellSearch) -> Choice:
    """Cells that meet the least numbers of a task in a reading; in the category reading also a
    criterion that says which classes pass."""
    task, reading = asked.task, asked.reading
    least = any_cell(task) if reading == "wildcard" else least_cost(task)
    if not joins.failing_items(task, asked.passes).any():
        return Choice(joins.unchanged(task), 0.0)
    found = []
    # 0 where no integer programme is solved: those of the wildcard reading take long
    nodes = 0 if asked.search == "quick" else NODES[reading][asked.search == "optimal"]
    if nodes and integer_program.available():
        found.append(_exact(asked, nodes))
    # an answer that no programme looks for may be cheaper than the best that one does
    hard = asked.search if not found or not _is_proven(task, found[0]) else "quick"
    found += [Choice(one, least) for one in _heuristic(asked, hard)]
    found = _all_allowed(asked, found)
    if not found:
        found = _all_allowed(asked, _last_resort(asked, least))
    return _best(task, found, least)


def _all_allowed(asked: CellSearch, found: Iterable[Choice]) -> list[Choice]:
    """Those of the answers that may be given; a bound without one stays. Where a blank matches
    every value, no record may lose all its keys: k of these would be a decoy for everybody."""
    made = [
        replace(one, cells=_allowed(asked.task, one.cells, asked.limit, asked.wild))
        for one in found
    ]
    return made if any(one.cells is not None for one in made) else []


def _last_resort(asked: CellSearch, least: float) -> Iterator[Choice]:
    """What else may give an answer, where the search that was asked for gives none."""
    start = joins.unchanged(asked.task)  # failing classes are joined one by one, with few cells
    failing = joins.failing_of(asked.task, start, asked.passes)
    yield Choice(joins.joined(asked.task, start, failing, asked.limit), least)
    searches: tuple[SearchName, ...] = ("quick", "default")
    for search in searches:
        yield from (Choice(one, least) for one in _heuristic(asked, search))
    patient = asked.search == "optimal" or len(asked.task.counts) <= _FEW_ITEMS
    if patient and integer_program.available():
        yield _exact(asked, max(NODES[asked.reading]))


def on_key_sets(asked: CellSearch, sets: Sequence[tuple[tuple[int, ...], int]]) -> Choice:
    """Cells with which every set of keys, by their places, has enough records. In target and source
    as in the category reading, which implies both."""
    task, wildcard_too = asked.task, asked.reading == "wildcard"
    inner = replace(asked, reading="wildcard" if wildcard_too else "category")
    made = subsets.on_subsets(
        task, sets, lambda part: chosen(replace(inner, task=part)).cells, wildcard=wildcard_too
    )
    made = _allowed(task, made, asked.limit, asked.wild)
    whole = chosen(asked)  # k is the largest: it holds for all sets
    cells = [one for one in (made, whole.cells) if one is not None]
    return Choice(min(cells, key=lambda one: one.price(task), default=None), 0.0)


def chosen_with_people(asked: CellSearch, people: Sequence[CellPeople]) -> Choice:
    """Cells that meet what is asked of the people behind them, and the least numbers of a task."""
    task, most, passes = asked.task, asked.most, asked.passes
    start = begun(task, people, most)
    least = max(start.least_price(task), least_cost(task))
    if start.out.any():
        return Choice(None, least)
    if any(one.shares for one in people):
        return Choice(_allowed(task, _apart(task, people[0], passes), most), least)
    alone = joins.unchanged(start.task)
    if not joins.failing_items(start.task, passes).any():
        return Choice(alone, least, exact=start.exact)
    rest = None if most is None else most - _most_blanks(task, alone)
    if rest is not None and rest <= 0:
        return Choice(None, least)
    further = replace(asked, task=start.task, reading="category", most=rest)
    return Choice(chosen(further).cells, least)


def _apart(task: CellTask, people: CellPeople, passes: Passes | None) -> Cells | None:
    """Cells of which no two cover the same person; None where some do not hold."""
    failing = joins.failing_of(task, joins.unchanged(task), passes)
    node, served = people.kept_apart(task, lambda *classes: ~failing(*classes))
    return Cells(np.arange(len(served)), node, task.counts.copy()) if served.all() else None


def _allowed(
    task: CellTask, cells: Cells | None, most: int | None, wild: bool = False
) -> Cells | None:
    """The cells, if they blank none that must stay, and no more of a record than may be."""
    if cells is None or (most is not None and _most_blanks(task, cells) > most):
        return None
    moved = cells.node != task.codes[cells.item]
    blank = np.array([len(tree.parent) - 1 for tree in task.trees])
    if wild and (moved.any(axis=1) & (cells.node == blank).all(axis=1)).any():
        return None
    return None if task.fixed is not None and (moved & task.fixed[cells.item]).any() else cells


def _best(task: CellTask, found: list[Choice], least: float) -> Choice:
    """The cheapest answer, with the highest bound that is about it."""
    priced = [
        (one.cells.price(task), not one.exact, place)
        for place, one in enumerate(found)
        if one.cells is not None
    ]
    if not priced:
        return Choice(None, least)
    cost, _, place = min(priced)
    best = found[place]
    proofs = [one for one in found if one.exact and least < one.bound <= cost + _ROUNDING]
    if proofs:
        return Choice(best.cells, proofs[0].bound, proofs[0].restriction, exact=True)
    return Choice(best.cells, min(least, cost), "", best.exact)


def _heuristic(asked: CellSearch, search: SearchName) -> list[Cells]:
    """Answers without a proof. Records in classes that hold are one in every reading."""
    task, passes = asked.task, asked.passes
    if asked.reading != "category":
        found = cover_answer.greedy(task, asked.reading, max_blanks=asked.few).cells
        if found is not None:
            return [found]
    classed = recoded(task, "quick" if search == "quick" else "default", passes=passes)
    if classed.left.any():
        return []
    if passes is None:
        return [classed]
    # two classes that pass may fail as one, where a criterion is not monotone
    held = joins.joined(task, classed, joins.failing_of(task, classed, passes))
    return [] if held is None else [held]


def _exact(asked: CellSearch, nodes: int) -> Choice:
    """The answer of an integer programme; a bound alone where a criterion looks at more than it
    can."""
    if asked.passes is not None:
        bound = category.linear_bound(asked.task, max_blanks=asked.few)
        words = f"at most {asked.few} blanks a record"
        return Choice(None, bound or 0.0, words if bound else "", exact=bound is not None)
    if asked.reading == "category":
        found = category.exact(asked.task, max_blanks=asked.few, nodes=nodes)
    else:
        found = cover_answer.exact(asked.task, asked.reading, max_blanks=asked.few, nodes=nodes)
    return Choice(found.cells, found.bound or 0.0, found.restriction, exact=True)


def _is_proven(task: CellTask, one: Choice) -> bool:
    return one.cells is not None and one.cells.price(task) <= one.bound + _ROUNDING


def _most_blanks(task: CellTask, cells: Cells) -> int:
    """The most cells that a record loses."""
    return int((cells.node != task.codes[cells.item]).sum(axis=1).max(initial=0))


# -- What any suppression of cells must cost at least, by counting alone ---------------------------
#
# A record whose class is too small ends in a class of k. All of that class agree in the cells that
# it keeps, also in the initial file: so it loses the cells of a pattern whose group has k records.
# The cheapest such pattern of each record, added up, is a bound that needs no search. It holds
# without any restriction, and is weaker than that of an integer programme.


def least_cost(task: CellTask) -> float:
    """The least that every answer in the category reading costs; also in target and source, where
    a record needs k others that its released cells cover."""
    tops = np.array([tree.parent[0] for tree in task.trees])
    price = np.array([tree.cost[-1] for tree in task.trees])
    blank = task.codes == tops
    weight = np.ones(len(task.counts)) if task.weight is None else task.weight
    poor = too_few(task, np.ones(len(tops), dtype=bool))
    cheapest = np.full(len(task.counts), np.inf)
    patterns, size = _patterns(price, len(task.counts))
    for pattern in patterns:
        cost = (~blank & pattern) @ price
        open_ = poor & ~(blank & ~pattern).any(axis=1) & (cost < cheapest)
        if task.fixed is not None:
            open_ &= ~(task.fixed & ~blank & pattern).any(axis=1)
        if open_.any():
            enough = open_ & ~too_few(task, ~pattern)
            cheapest[enough] = cost[enough]
    one_cell = np.where(blank.any(axis=1), 0.0, price.min())  # where no pattern was found
    least = np.where(np.isfinite(cheapest), cheapest, one_cell)
    if size:  # larger patterns were not tried: they blank so many cells at least
        rising = np.r_[0.0, np.cumsum(np.sort(price))]
        least = np.minimum(least, rising[np.maximum(size - blank.sum(axis=1), 0)])
    return float(np.sum(np.where(poor, least * task.counts * weight, 0.0)))


def any_cell(task: CellTask) -> float:
    """The least that every answer costs in the wildcard reading, where one blank may serve many:
    one cell, where some class is too small and no cell misses already."""
    keep = np.ones(len(task.trees), dtype=bool)
    price = [float(tree.cost[-1]) for tree in task.trees]
    weight = 1.0 if task.weight is None else float(task.weight.min())
    blank = task.codes == [int(tree.parent[0]) for tree in task.trees]
    return min(price) * weight if too_few(task, keep).any() and not blank.any() else 0.0


def too_few(task: CellTask, kept: Bools) -> Bools:
    """Per item, whether too few records, or too few values, agree with it in some keys."""
    owner, number = _owners(task, kept)
    poor = np.bincount(owner, task.counts, number) < task.k
    for a, least in enumerate(task.distinct):
        pairs = np.unique(owner * (int(task.values[:, a].max()) + 1) + task.values[:, a])
        poor |= np.bincount(pairs // (int(task.values[:, a].max()) + 1), minlength=number) < least
    return np.asarray(poor[owner])


def _owners(task: CellTask, kept: Bools) -> tuple[Ints, int]:
    if not kept.any():
        return np.zeros(len(task.counts), dtype=np.int64), 1
    sizes = [len(tree.parent) for tree in task.trees]
    columns = [task.codes[:, a] for a in np.flatnonzero(kept)]
    packed, _ = pack(columns, [sizes[a] for a in np.flatnonzero(kept)])
    values, owner = np.unique(packed, return_inverse=True)
    return owner.astype(np.int64), len(values)


def _patterns(price: Floats, items: int) -> tuple[list[Bools], int]:
    """Sets of keys, the cheap ones first, no more than can be counted soon; and the size of the
    smallest one that is left out, 0 where none is."""
    keys, found = len(price), []
    most = max(1, min(_MOST_PATTERNS, _MOST_WORK // max(items, 1)))
    for size in range(1, keys + 1):
        for some in itertools.combinations(range(keys), size):
            found.append(np.isin(np.arange(keys), some))
            if len(found) >= most:
                whole = len(found) == 2**keys - 1
                return _by_price(found, price), 0 if whole else size
    return _by_price(found, price), 0


def _by_price(found: list[Bools], price: Floats) -> list[Bools]:
    return sorted(found, key=lambda pattern: float(price[pattern].sum()))
