"""Minimal nodes: feasible ones with no feasible node below them; all, or one of least height.

Samarati (2001); Truta & Vinay (2006), Algorithm 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.masking.generalization.search import Search


def all_minimal(search: Search) -> tuple[int, ...]:
    """Every feasible node with no feasible node below it."""
    lattice = search.task.lattice
    if search.judged:
        return tuple(lattice.minimal(search.feasible).tolist())
    candidates = np.flatnonzero(search.feasible & ~search.excluded_by_condition_2())
    grid = np.stack(np.unravel_index(candidates, lattice.levels), axis=1)
    minimal: list[int] = []
    tops: list[NDArray[np.int64]] = []
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
