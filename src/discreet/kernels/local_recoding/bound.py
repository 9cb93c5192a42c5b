"""A bound: what any recoding costs at least.

A record that is served shows a cell that covers enough records which may show it. So it pays at
least its cheapest such cell, and all records pay at least the sum. A price is a sum over keys, and
a cell that covers enough in all keys does so in some; hence bounds of groups of keys add up, which
is used where there are too many cuts through all trees at once.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.local_recoding.instance import (
    ITEM,
    Cuts,
    Instance,
    cheapest_cuts,
    instance,
    records_of,
    varied,
)
from discreet.kernels.local_recoding.peel import (
    PeelState,
    cell_cost,
    group,
    peel_state,
)
from discreet.kernels.local_recoding.task import CellTask
from discreet.kernels.packing import added, merged

_CUTS = 5_000  # that are tried at once
READS = {"quick": 10_000_000, "default": 100_000_000}  # of items under a cut


def bound(
    task: CellTask,
    *,
    max_suppressed: int = 0,
    suppressed_cost: float = 1.0,
    reads: int = READS["default"],
) -> float:
    """What a recoding costs at least, with records left out at a cost each.

    A record that no cell can serve counts as left out. `reads` is how often an item may be read
    under a cut: the more, the higher the bound.
    """
    at = instance(task)
    if len(at.codes) == 0:
        return 0.0
    each, depths = np.zeros(len(at.codes)), _depths(at)
    for keys in _groups_within(depths, len(at.codes), reads):
        each += _each(at, keys, int(np.prod(depths[keys])))
    omitted = at.weight * suppressed_cost
    served = np.isfinite(each)
    price = np.where(served, at.weight * np.where(served, each, 0.0), omitted)
    total = float(at.counts @ price)
    if max_suppressed == 0:
        return total
    saved = np.where(served, price - omitted, 0.0)
    order = np.argsort(-saved, kind="stable")
    before = np.cumsum(at.counts[order]) - at.counts[order]
    left = np.clip(max_suppressed - before, 0, at.counts[order])
    return total - float(left @ np.maximum(saved[order], 0.0))


def _depths(at: Instance) -> Ints:
    """How many nodes the longest way up has, per key."""
    return np.array([int(at.depth[column].max(initial=0)) + 1 for column in at.codes.T])


def _groups_within(depths: Ints, items: int, reads: int) -> list[Ints]:
    """Groups of keys, as large as can be with so many reads; no smaller than a key."""
    most = _CUTS
    while True:
        groups = _groups(depths, most)
        if most == 1 or items * sum(int(np.prod(depths[g])) for g in groups) <= reads:
            return groups
        most //= 2


def _groups(depths: Ints, most: int) -> list[Ints]:
    """Keys in groups, as large as the number of cuts allows, in their order."""
    groups, cuts = [[0]], 1
    for a, depth in enumerate(depths.tolist()):
        if a and cuts * depth > most:
            groups.append([])
            cuts = 1
        cuts *= depth
        if a:
            groups[-1].append(a)
    return [np.array(keys) for keys in groups]


def _each(at: Instance, keys: Ints, cuts: int) -> Floats:
    """Per item what a record pays at least in some keys, under so many cuts; infinite where no cell
    serves it."""
    some, owner = _alike(at, keys)
    least = np.full(len(some.codes), np.inf)
    _lower(some, cheapest_cuts(some, cuts), peel_state(some), least)
    return (least - at.cost[some.codes].sum(axis=1))[owner]


def _alike(at: Instance, keys: Ints) -> tuple[Instance, Ints]:
    """The instance of some keys, in which items that are alike in them are one; and which of these
    each item is."""
    codes, fixed = at.codes[:, keys], at.fixed[:, keys]
    columns = [*(codes - at.keys["start"][keys]).T, *fixed.T, *at.values.T]
    first, owner = merged(columns, [int(column.max()) + 1 for column in columns])
    items = records_of(
        ITEM,
        place=first,
        records=added(owner, at.counts, len(first)),
        weight=1.0,
        bound=fixed[first].any(axis=1),
    )
    some = at._replace(
        items=items,
        keys=at.keys[keys],
        codes=np.ascontiguousarray(codes[first]),
        fixed=np.ascontiguousarray(fixed[first]),
        values=at.values[first],
    )
    return some, owner


@njit(cache=True, nogil=True)
def _lower(at: Instance, cuts: Cuts, work: PeelState, least: Floats) -> None:
    """Note for each item its cheapest cell that covers enough."""
    for cut in range(len(cuts.depth)):
        highest = 0.0
        for r in range(len(least)):
            highest = max(highest, least[r])
        if cuts.least[cut] >= highest:
            continue
        depth = cuts.depth[cut]
        cells = group(at, cuts, depth, work)
        for c in range(cells):
            cell = work.cells[c]
            if cell.records < at.k or not varied(at, work.left, cell.first, np.int64(-1)):
                continue
            cost = cell_cost(at, cuts, depth, work, cell.first)
            r = cell.first
            while r >= 0:
                least[r] = min(least[r], cost)
                r = work.left[r].after
