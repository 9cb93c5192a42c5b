"""What a cover comes to, quickly or exactly: the two weaker readings differ only in what lacks.

Target and source, (k,k)-anonymity [1]_: k released records cover each original tuple, and each
released tuple covers k originals. Whoever knows a person finds k records that may be theirs
(target), and whoever takes a released record to a register finds k persons (source).

Wildcard: a blank matches every value, and every released tuple matches k records. A low total, and
little protection: one blank serves as a decoy for a whole group. For comparison with tools that
count this way.

In neither may a record be all blank: k − 1 such records would cover everybody.

References
----------
.. [1] Gionis, A., Mazza, A., Tassa, T. (2008): "k-Anonymization revisited", ICDE, 744–753.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.kernels.compatible import compatible_counts
from discreet.kernels.integer_program import (
    IntegerProgram,
    IntegerSolution,
    LinearConditions,
    least_cost,
    solve,
)
from discreet.kernels.labels import label
from discreet.kernels.local_recoding.task import Cells, CellTask
from discreet.kernels.local_suppression.cover import (
    CoverTask,
    Units,
    blanked_first,
    cover_task,
    greedy_cover,
    no_units,
)
from discreet.kernels.local_suppression.suppression import (
    Blanks,
    Suppression,
    answered,
    blanked,
    blanks_of,
    groups_of,
    in_order,
    placed,
)

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools, Floats, Ints

Weaker = Literal["wildcard", "target-source"]
LARGEST = 400  # items that lack something, up to which the programme is solved
_WORTH = (0.5, 0.7)  # of one record that an item lacks less, in the smallest price: tried in turn
_LINEAR = 4_000  # up to which its linear relaxation is


def greedy(task: CellTask, reading: Weaker, *, max_blanks: int = 2) -> Suppression:
    """Blank few cells, by price, so that a reading counts at least k for every record.

    Parameters
    ----------
    task : CellTask
        With trees of one level; confidential values are not looked at.
    reading : {"wildcard", "target-source"}
    max_blanks : int
        Most cells that a record may lose. Raised where there is no answer with fewer.

    Examples
    --------
    >>> from discreet.kernels.local_recoding.task import KeyTree
    >>> tree = KeyTree(np.array([2, 2, 2], np.int32), np.array([0.0, 0.0, 1.0]))
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    >>> task = CellTask(codes, np.array([1, 1, 3]), (tree, tree), 2)
    >>> greedy(task, "wildcard").cells.node.tolist()
    [[0, 2], [0, 1], [1, 1]]
    >>> greedy(task, "target-source").cells.node.tolist()
    [[0, 2], [0, 2], [1, 1]]
    """
    task, order = in_order(task)
    blanks = blanks_of(task)
    lack, must = _lacking(task, blanks, reading)
    for most in range(max_blanks, _most(blanks, max_blanks) + 1):
        cells = _greedy(task, blanks, cover_task(task, blanks, lack, must, most))
        if cells is not None:
            return placed(Suppression(cells), order)
    return Suppression(None, stopped="infeasible")


def exact(task: CellTask, reading: Weaker, *, max_blanks: int = 2, nodes: int) -> Suppression:
    """Blank the fewest cells, by price, so that a reading counts at least k for every record; of a
    large task the greedy answer, with the linear bound.

    Parameters
    ----------
    task, reading, max_blanks
        As of `greedy`.
    nodes : int
        Limit of the search; see `least_cost`. Those of the wildcard reading are slow.

    Examples
    --------
    >>> from discreet.kernels.local_recoding.task import KeyTree
    >>> tree = KeyTree(np.array([2, 2, 2], np.int32), np.array([0.0, 0.0, 1.0]))
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    >>> task = CellTask(codes, np.array([1, 1, 3]), (tree, tree), 2)
    >>> [exact(task, reading, nodes=30).bound for reading in ("wildcard", "target-source")]
    [1.0, 2.0]
    """
    task, order = in_order(task)
    return placed(_exact(task, reading, max_blanks, nodes), order)


def _exact(task: CellTask, reading: Weaker, max_blanks: int, nodes: int) -> Suppression:
    """The same of items in order."""
    blanks = blanks_of(task)
    lack, must = _lacking(task, blanks, reading)
    for most in range(max_blanks, _most(blanks, max_blanks) + 1):
        words = _restriction(task.k, most)
        cover = cover_task(task, blanks, lack, must, most)
        if not len(cover.item):
            cells = _cells(task, blanks, cover, no_units())
            return Suppression(cells, 0.0, words, "proven")
        if len(cover.item) > LARGEST:
            made = _greedy(task, blanks, cover)
            if made is not None:
                bound = _linear(task, blanks, cover, most)
                return Suppression(made, bound, words, "size")
            continue
        program = CoverProgram(task, blanks, cover, most)
        found = least_cost(program.program(), nodes=nodes)
        if found.values is not None:
            cells = _cells(task, blanks, cover, program.units(found))
            return answered(task, cells, found, blanks.unit, words)
        if found.stopped != "infeasible":
            return Suppression(None, found.bound * blanks.unit, words, found.stopped)
    return Suppression(None, None, words, "infeasible")


def _lacking(task: CellTask, blanks: Blanks, reading: Weaker) -> tuple[Ints, Bools | None]:
    """How many records each item lacks, and which must be blanked."""
    if reading == "wildcard":
        return task.k - _compatible(task, blanks), None
    target, source = counts(task, blanks)
    return task.k - target, source < task.k


def counts(task: CellTask, blanks: Blanks) -> tuple[Ints, Ints]:
    """Per item, the records that cover it before anything is blanked, and those that it covers."""
    target = np.zeros(len(task.counts), dtype=np.int64)
    source = target.copy()
    for groups in groups_of(task, blanks, 0, all_blank=True):  # what misses from the start
        labels, number = label(groups.group)
        own = groups.lost == 0
        records = task.counts[groups.member]
        covered = np.bincount(labels, records, number).astype(np.int64)
        covering = np.bincount(labels[own], records[own], number).astype(np.int64)
        source[groups.member[own]] = covered[labels[own]]
        target[groups.member] += covering[labels]
    return target, source


def _compatible(task: CellTask, blanks: Blanks) -> Ints:
    """Per item, the records that its tuple is compatible with."""
    cardinalities = [len(tree.parent) for tree in task.trees]
    columns = list(np.ascontiguousarray(task.codes.T))
    return compatible_counts(columns, cardinalities, blanks.code.tolist(), task.counts)


def _most(blanks: Blanks, max_blanks: int) -> int:
    """The most cells that a record can lose without being all blank."""
    return max(max_blanks, int(blanks.keys.sum()) - 1)


def _greedy(task: CellTask, blanks: Blanks, cover: CoverTask) -> Cells | None:
    """The greedy answer, or None."""
    if cover.settle:
        starts: list[Units | None] = [no_units()]
    else:
        starts = [blanked_first(cover, worth) for worth in _WORTH]
    found = [greedy_cover(cover, first) for first in starts if first is not None]
    cells = [_cells(task, blanks, cover, units) for units in found if units is not None]
    return min(cells, key=lambda made: round(made.price(task), 9), default=None)


def _linear(task: CellTask, blanks: Blanks, cover: CoverTask, max_blanks: int) -> float | None:
    """The linear bound, unless that is too large as well."""
    if len(cover.item) > _LINEAR:
        return None
    found = solve(CoverProgram(task, blanks, cover, max_blanks).program(), relaxed=True)
    return None if found.values is None else found.bound * blanks.unit


def _restriction(k: int, max_blanks: int) -> str:
    """Among which answers the least cost is sought."""
    some = "1 blank" if max_blanks == 1 else f"{max_blanks} blanks"
    return f"at most {some} a record, and only where {k} records agree in its other keys"


def _cells(task: CellTask, blanks: Blanks, cover: CoverTask, units: Units) -> Cells:
    """The cells that units come to."""
    mask = cover.masks[cover.mask[units.group]] & ~blanks.blank[units.item]
    return blanked(task, units.item, mask, np.ones(len(units.item), np.int64))


# -- The fewest blanks that cover: the integer programme for what `cover` answers greedily ---------
#
# Columns: y, the records of an item that lacks something, blanked for one of its groups; z, those
# lent by an item that lacks nothing; q, all of a group; u, whether all records of an item are
# blanked.
#
#     min Σ price · (y + z)   where   q = Σ y + Σ z in each group,
#                                     Σ_groups q − own y + lack · u ≥ lack for each item,
#                                     Σ y ≥ records · u for each item (wildcard),
#                                     Σ y = records for each that must be blanked (target-source).


class CoverProgram:
    """The programme of a cover."""

    def __init__(self, task: CellTask, blanks: Blanks, cover: CoverTask, max_blanks: int) -> None:
        self._cover = cover
        self._group = np.repeat(np.arange(len(cover.donor)), np.diff(cover.start))
        self._donor, self._serves, self._lent = _donors(task, blanks, cover, max_blanks)
        kept = ~_dominated(cover, self._group)
        self._y = np.flatnonzero(cover.usable & kept[self._group])
        self._z = np.flatnonzero(kept[self._serves])

    def units(self, found: IntegerSolution) -> Units:
        """The records that are blanked."""
        assert found.values is not None
        times = np.rint(found.values).astype(np.int64)
        y, z = times[: len(self._y)], times[len(self._y) : len(self._y) + len(self._z)]
        cover = self._cover
        item = np.concatenate((cover.item[cover.member[self._y]], self._donor[self._z]))
        group = np.concatenate((self._group[self._y], self._serves[self._z]))
        each = np.concatenate((y, z))
        return Units(np.repeat(item, each), np.repeat(group, each))

    def program(self) -> IntegerProgram:
        """The programme."""
        cover, rows = self._cover, LinearConditions()
        items, groups = len(cover.item), len(cover.donor)
        y = np.arange(len(self._y))
        z = len(y) + np.arange(len(self._z))
        q = len(y) + len(z) + np.arange(groups)
        u = len(y) + len(z) + groups + np.arange(items if cover.settle else 0)
        member, donor = cover.member[self._y], self._donor[self._z]
        every = np.arange(groups)
        rows.add(
            (every, q, 1),
            (self._group[self._y], y, -1),
            (self._serves[self._z], z, -1),
            rows=groups,
            least=0,
            most=0,
        )
        rows.add(
            (cover.member, q[self._group], 1),
            *self._not_new(y),
            (np.arange(len(u)), u, cover.lack[: len(u)]),
            rows=items,
            least=cover.lack,
        )
        records = cover.stock
        rows.add((member, y, 1), rows=items, least=np.where(cover.must, records, 0), most=records)
        if cover.settle:
            rows.add((member, y, 1), (np.arange(items), u, -records), rows=items, least=0)
        lenders, lender = np.unique(donor, return_inverse=True)
        rows.add((lender, z, 1), rows=len(lenders), most=cover.records[lenders])
        most = int(cover.lack.max(initial=1))
        return rows.of(
            cost=np.concatenate(
                (cover.price[self._y], self._lent[self._z], np.zeros(groups + len(u)))
            ),
            upper=np.concatenate(
                (
                    cover.stock[member],
                    np.minimum(cover.records[donor], most),
                    np.full(groups, np.inf),
                    np.ones(len(u)),
                )
            ).astype(np.float64),
            integer=np.concatenate(
                (np.ones(len(y) + len(z), bool), np.zeros(groups, bool), np.ones(len(u), bool))
            ),
        )

    def _not_new(self, y: Ints) -> list[tuple[Ints, Ints, float]]:
        """What is counted in q and does not serve an item: its own records, and those that it could
        be taken for from the start."""
        cover = self._cover
        member = cover.member[self._y].astype(np.int64)
        if not cover.alike:
            return [(member, y, -1.0)]
        found = []
        for column, (i, g) in enumerate(
            zip(
                np.concatenate((cover.item[member], self._donor[self._z])),
                np.concatenate((self._group[self._y], self._serves[self._z])),
                strict=True,
            )
        ):
            for v in cover.member[cover.start[g] : cover.start[g + 1]]:
                j = cover.item[v]
                fits = (cover.codes[i] == cover.codes[j]) | cover.blank[i]
                if cover.settle:
                    fits |= cover.blank[j]
                if fits.all():
                    found.append((int(v), column))
        rows, columns = np.array(found, dtype=np.int64).reshape(-1, 2).T
        return [(rows, columns, -1.0)]


def _donors(
    task: CellTask, blanks: Blanks, cover: CoverTask, max_blanks: int
) -> tuple[Ints, Ints, Floats]:
    """The items that can lend, for which group, and at what price: from the cheapest on to one that
    has enough records for all."""
    enough = int(cover.lack.sum())
    item, group, price = [], [], []
    for groups in groups_of(task, blanks, max_blanks, all_blank=False):
        here = np.flatnonzero(np.all(cover.masks[cover.mask] == groups.mask, axis=1))
        if not len(here):
            continue
        first = cover.item[cover.member[cover.start[here]]]
        names = np.zeros(len(cover.records), dtype=np.int64)
        names[groups.member] = groups.group
        order = np.argsort(names[first])
        sought = names[first][order]
        at = np.minimum(np.searchsorted(sought, groups.group), len(sought) - 1)
        lends = (sought[at] == groups.group) & groups.usable & (groups.lost > 0)
        lends &= cover.place[groups.member] < 0
        who, which, cost = groups.member[lends], here[order][at[lends]], groups.price[lends]
        order = np.lexsort((who, -cover.records[who], cost, which))
        who, which, cost = who[order], which[order], cost[order]
        plenty = np.cumsum(cover.records[who] >= enough)
        begins = np.searchsorted(which, which)
        before = plenty - (cover.records[who] >= enough)
        kept = before == before[begins] if len(who) else np.zeros(0, bool)
        item.append(who[kept])
        group.append(which[kept])
        price.append(cost[kept])
    none = np.empty(0, np.int64)
    return (
        np.concatenate([none, *item]),
        np.concatenate([none, *group]),
        np.concatenate([np.empty(0), *price]),
    )


def _dominated(cover: CoverTask, group: Ints) -> Bools:
    """Groups whose members are all in a group with fewer blanks that has a donor, too."""
    size = np.diff(cover.start)
    by_mask = np.full((len(cover.item), len(cover.masks)), -1, dtype=np.int64)
    by_mask[cover.member, cover.mask[group]] = group
    found = np.zeros(len(size), dtype=bool)
    plain = not cover.alike and bool(np.all(cover.usable))
    for g in range(len(size) if plain else 0):
        first = cover.member[cover.start[g]]
        mask = cover.masks[cover.mask[g]]
        for other in by_mask[first]:
            smaller = other >= 0 and other != g and size[other] == size[g]
            if smaller and not np.any(cover.masks[cover.mask[other]] & ~mask):
                found[g] |= bool(cover.donor[other] >= 0 or cover.donor[g] < 0)
    return found
