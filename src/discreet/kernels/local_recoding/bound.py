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
from discreet.kernels.local_recoding.cuts import Cuts, cheapest_cuts
from discreet.kernels.local_recoding.instance import Instance, instance
from discreet.kernels.local_recoding.peel import (
    PeelState,
    cell_cost,
    chain_varied,
    group,
    peel_state,
)
from discreet.kernels.local_recoding.task import CellTask

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
    each = np.zeros(len(at.codes))
    for keys in _groups_within(at, reads):
        each += _each(at, keys)
    omitted = at.weight * suppressed_cost
    served = np.isfinite(each)
    price = np.where(served, at.weight * np.where(served, each, 0.0), omitted)
    saved = np.where(served, price - omitted, 0.0)
    order = np.argsort(-saved, kind="stable")
    before = np.cumsum(at.counts[order]) - at.counts[order]
    left = np.clip(max_suppressed - before, 0, at.counts[order])
    return float(at.counts @ price - left @ np.maximum(saved[order], 0.0))


def _groups_within(at: Instance, reads: int) -> list[Ints]:
    """Groups of keys, as large as can be with so many reads; no smaller than a key."""
    most, depths = _CUTS, _depths(at)
    while True:
        groups = _groups(at, most)
        if most == 1 or len(at.codes) * sum(int(np.prod(depths[g])) for g in groups) <= reads:
            return groups
        most //= 2


def _depths(at: Instance) -> Ints:
    """How many nodes the longest way up has, per key."""
    return np.array([int(at.depth[column].max(initial=0)) + 1 for column in at.codes.T])


def _groups(at: Instance, most: int) -> list[Ints]:
    """Keys in groups, as large as the number of cuts allows, in their order."""
    groups, cuts = [[0]], 1
    for a, depths in enumerate(_depths(at).tolist()):
        if a and cuts * depths > most:
            groups.append([])
            cuts = 1
        cuts *= depths
        if a:
            groups[-1].append(a)
    return [np.array(keys) for keys in groups]


def _each(at: Instance, keys: Ints) -> Floats:
    """Per item what a record pays at least in some keys; infinite where no cell serves it."""
    fixed = np.ascontiguousarray(at.fixed[:, keys])
    some = at._replace(
        items=at.items.copy(),
        keys=at.keys[keys],
        codes=np.ascontiguousarray(at.codes[:, keys]),
        fixed=fixed,
    )
    some.items["bound"] = fixed.any(axis=1)
    least = np.full(len(some.codes), np.inf)
    cuts = cheapest_cuts(some, int(np.prod(_depths(some))))
    _lower(some, cuts, peel_state(some), least)
    return least - at.cost[some.codes].sum(axis=1)


@njit(cache=True, nogil=True)
def _lower(at: Instance, cuts: Cuts, work: PeelState, least: Floats) -> None:
    """Note for each item its cheapest cell that covers enough."""
    for cut in range(len(cuts.depth)):
        if cuts.least[cut] >= least.max():
            continue
        depth = cuts.depth[cut]
        cells = group(at, cuts, depth, work)
        for c in range(cells):
            cell = work.cells[c]
            if cell.records < at.k or not chain_varied(at, work, cell.first):
                continue
            cost = cell_cost(at, cuts, depth, work, cell.first)
            r = cell.first
            while r >= 0:
                least[r] = min(least[r], cost)
                r = work.left[r].chain
