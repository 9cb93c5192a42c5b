"""The optimal node: the feasible one of least loss. Ties go to the smallest levels."""

from __future__ import annotations

import heapq
import time
from typing import TYPE_CHECKING

import numpy as np

from discreet.progressing import stage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.search import Search

TIE = 1e-12
SECONDS = 60.0  # for a lattice that is too large to sweep


def optimal(search: Search) -> tuple[int | None, bool]:
    """The feasible node of least loss, None where there is none, and whether that is proven."""
    if _two_way_tables_do(search):
        return _without_suppression(search), True
    if search.too_large:
        return _downwards(search)
    if search.swept:
        return _least(search, np.flatnonzero(search.feasible)), True
    return _by_node(search), True


def better(search: Search, node: int, best: int) -> bool:
    """Whether a node has a smaller loss than the best so far, or the same and smaller levels."""
    mine, other = search.figures(node).objective, search.figures(best).objective
    return mine < other - TIE or (mine <= other + TIE and node < best)


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


def _least(search: Search, nodes: NDArray[np.int64]) -> int | None:
    if not len(nodes):
        return None
    losses = search.losses[nodes]
    return int(nodes[np.flatnonzero(losses <= losses.min() + TIE)[0]])


def _by_node(search: Search) -> int | None:
    """Nodes are counted in full until the next lower bound lies above the best one."""
    best: int | None = None
    bounded = search.task.loss != "average-class-size"  # suppression may lower that one
    nodes = _by_bound(search)
    with stage("searching the lattice") as advance:
        for looked_at, node in enumerate(nodes, 1):
            limit = np.inf if best is None or not bounded else _objective(search, best) + TIE
            if search.losses[node] > limit:
                break
            if search.allows(node) and (best is None or better(search, node, best)):
                best = node
            advance(looked_at)
    return best


def _by_bound(search: Search) -> list[int]:
    """Nodes that may be feasible, by ascending lower bound of the loss."""
    nodes = np.flatnonzero(search.feasible & ~search.excluded_by_condition_2())
    ordered: list[int] = nodes[np.lexsort([nodes, search.losses[nodes]])].tolist()
    return ordered


def _downwards(search: Search) -> tuple[int | None, bool]:
    """Best first from the top, through feasible nodes, until none is left or time is up.

    For a monotone criterion every feasible node is reached through feasible ones.
    """
    lattice = search.task.lattice
    until = time.perf_counter() + (search.seconds if search.seconds is not None else SECONDS)
    top = lattice.nodes - 1
    if not search.allows(top):
        return None, search.task.monotone
    queue, seen, best = [(_objective(search, top), top)], {top}, top
    with stage("searching the lattice") as advance:
        while queue and time.perf_counter() < until:
            _, node = heapq.heappop(queue)
            best = node if better(search, node, best) else best
            for below in lattice.predecessors(node):
                if below not in seen:
                    seen.add(below)
                    if search.allows(below):
                        heapq.heappush(queue, (_objective(search, below), below))
            advance(len(seen))
    return best, not queue and search.task.monotone


def _objective(search: Search, node: int) -> float:
    return search.figures(node).objective
