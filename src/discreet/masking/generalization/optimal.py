"""The optimal node: the feasible one of least loss. Ties go to the smallest levels."""

from __future__ import annotations

import heapq
import itertools
import time
from typing import TYPE_CHECKING

import numpy as np

from discreet.masking.generalization.lattice import TIE
from discreet.progress import stage

if TYPE_CHECKING:
    from discreet.masking.generalization.search import Search

SECONDS = 60.0  # for a lattice that is too large to sweep


def optimal(search: Search) -> tuple[int | None, bool]:
    """The feasible node of least loss, None where there is none, and whether that is proven."""
    if _two_way_tables_do(search):
        return _without_suppression(search), True
    if search.too_large:
        return _downwards(search)
    if search.swept:
        return search.every.best, True
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
    if not search.task.monotone:
        return _everywhere(search)
    lattice, until = search.task.lattice, _until(search)
    top = lattice.nodes - 1
    if not search.allows(top):
        return None, True
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
    return best, not queue


def _everywhere(search: Search) -> tuple[int | None, bool]:
    """Down from the top through nodes that are feasible or not, until none is left or time is up.

    Where a criterion is not monotone, feasible nodes may lie below others only. But what must go at
    a node, by size and by the criteria that are monotone, must go at every node below: where that
    is too much, none of them is looked at. The two ways on take turns: from the node that comes
    nearest to being feasible, and from the one that loses least.
    """
    lattice, until = search.task.lattice, _until(search)
    top = lattice.nodes - 1
    nearest: list[tuple[float, float, int]] = []
    cheapest: list[tuple[float, float, int]] = []
    seen, left, best = {top}, set[int](), None

    def look_at(node: int) -> int | None:
        found = search.figures(node)
        search.tally.counted += 1
        if found.hope:
            left.add(node)
            heapq.heappush(nearest, (found.excess, found.objective, node))
            heapq.heappush(cheapest, (found.objective, found.excess, node))
        return node if found.feasible and (best is None or better(search, node, best)) else best

    with stage("searching the lattice") as advance:
        best, turns = look_at(top), itertools.cycle((nearest, cheapest))
        while left and time.perf_counter() < until:
            queue = next(turns)
            while queue and queue[0][-1] not in left:
                heapq.heappop(queue)  # taken in a turn of the other
            node = heapq.heappop(queue)[-1]
            left.remove(node)
            for below in lattice.predecessors(node):
                if below not in seen:
                    seen.add(below)
                    best = look_at(below)
            advance(len(seen))
    return best, not left


def _until(search: Search) -> float:
    return time.perf_counter() + time_for(search)


def time_for(search: Search) -> float:
    """How many seconds a lattice that is too large to sweep is searched."""
    return SECONDS if search.seconds is None else float(search.seconds)


def _objective(search: Search, node: int) -> float:
    return search.figures(node).objective
