"""The optimal node: the feasible one of least loss. Ties go to the smallest levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.masking.generalization.lattice import TIE
from discreet.progress import stage

if TYPE_CHECKING:
    from discreet.masking.generalization.search import Search


def optimal(search: Search) -> int | None:
    """The feasible node of least loss, None where there is none."""
    if _two_way_tables_do(search):
        return _without_suppression(search)
    if search.swept:
        return search.every.best
    return _by_node(search)


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


def _objective(search: Search, node: int) -> float:
    return search.figures(node).objective
