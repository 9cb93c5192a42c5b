"""The fewest blanks that cover: the integer programme for what `cover` answers greedily.

Columns: y, the records of an item that lacks something, blanked for one of its groups; z, those
lent by an item that lacks nothing; q, all of a group; u, whether all records of an item are
blanked.

    min Σ price · (y + z)   where   q = Σ y + Σ z in each group,
                                    Σ_groups q − own y + lack · u ≥ lack for each item,
                                    Σ y ≥ records · u for each item (wildcard),
                                    Σ y = records for each that must be blanked (target-source).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.integer_program import IntegerProgram, IntegerSolution, LinearConditions
from discreet.kernels.local_suppression.cover import CoverTask, Units
from discreet.kernels.local_suppression.masks import Blanks, groups_of

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools, Floats, Ints
    from discreet.kernels.local_recoding.task import CellTask


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
