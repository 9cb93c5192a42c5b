"""Projections of a lattice: the least that any node loses, from sub-lattices of a few keys each.

All other keys at their top, a class of a few keys is made of whole classes of all keys. So a record
in a class that is too small by a few keys is in one that is too small at every node with these
levels: if more such records are there than may go, no such node is feasible, and if they may, each
of them counts as lost in full. What the keys of a group lose is never less than in the best node of
their own sub-lattice, and groups that have no key in common add up.

References
----------
K. LeFevre, D. DeWitt, R. Ramakrishnan (2005), Incognito (subset property).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.packing import added, merged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.masking.generalization.task import Task


@dataclass(frozen=True, eq=False)
class Projection:
    """The least loss of the levels of some keys, as far as class sizes tell.

    Attributes
    ----------
    keys : tuple of int
    least : tuple of arrays
        By the number of keys, from the first one on, that have a level: per their levels, what all
        keys of the group lose at least. Infinite where too many records must go.
    """

    keys: tuple[int, ...]
    least: tuple[NDArray[np.float64], ...]

    def at(self, levels: Sequence[int], given: int) -> float:
        """What the keys lose at least where the first ``given`` ones have these levels."""
        return float(self.least[given][tuple(levels[a] for a in self.keys[:given])])


def groups_of(order: Sequence[int], levels: Sequence[int], nodes: int) -> list[tuple[int, ...]]:
    """The keys in their order, in groups with at most so many nodes; a single key may have more."""
    found: list[tuple[int, ...]] = []
    for a in order:
        if found and prod(levels[b] for b in (*found[-1], a)) <= nodes:
            found[-1] = (*found[-1], a)
        else:
            found.append((a,))
    return found


def projection(task: Task, keys: tuple[int, ...], costs: Sequence[Sequence[float]]) -> Projection:
    """Sweep the sub-lattice of some keys; ``costs`` are those of the levels of all keys."""
    from discreet.kernels.lattice.sweep import sweep

    codes = [task.keys.codes[a] for a in keys]
    first, owner = merged(codes, [len(task.maps[a][0]) for a in keys])
    counts = added(owner, task.keys.counts, len(first))
    shares = task.entropies if task.loss == "entropy" else task.shares
    table = [column[first] for column in codes], counts, [task.maps[a] for a in keys]
    swept = sweep(*table, [shares[a] for a in keys], cap=max(task.k - 1, 1))
    if task.loss in ("iyengar", "entropy"):
        lost = swept.iyengar(task.k) * (len(keys) / len(task.recodings))
    else:
        grid = np.ix_(*(np.asarray(costs[a]) for a in keys))
        lost = sum(grid[1:], grid[0]).ravel()
    least = [np.where(swept.suppressed(task.k) <= task.budget, lost, np.inf).reshape(swept.levels)]
    for _ in keys:
        least.append(least[-1].min(axis=-1))
    return Projection(keys, tuple(reversed(least)))
