"""The wildcard reading: a blank matches every value, and every released tuple matches k records.

A low total, and little protection: one blank serves as a decoy for a whole group. For comparison
with tools that count this way. No record may be all blank, or k − 1 such records would do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.compatible import compatible_counts
from discreet.kernels.local_recoding.task import CellTask
from discreet.kernels.local_suppression.cover_answer import proven, quick
from discreet.kernels.local_suppression.masks import Blanks, blanks_of
from discreet.kernels.local_suppression.suppression import Suppression, in_order, placed

if TYPE_CHECKING:
    from discreet.kernels.arrays import Ints


def greedy(task: CellTask, *, max_blanks: int = 2) -> Suppression:
    """Blank few cells, by price, so that every released tuple is compatible with k records.

    Parameters
    ----------
    task : CellTask
        With trees of one level; confidential values are not looked at.
    max_blanks : int
        Most cells that a record may lose. Raised where there is no answer with fewer.

    Examples
    --------
    >>> from discreet.kernels.local_recoding.task import KeyTree
    >>> tree = KeyTree(np.array([2, 2, 2], np.int32), np.array([0.0, 0.0, 1.0]))
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    >>> found = greedy(CellTask(codes, np.array([1, 1, 3]), (tree, tree), 2))
    >>> found.cells.node.tolist(), found.cells.count.tolist()
    ([[0, 2], [0, 1], [1, 1]], [1, 1, 3])
    """
    task, order = in_order(task)
    blanks = blanks_of(task)
    return placed(quick(task, blanks, task.k - _compatible(task, blanks), None, max_blanks), order)


def exact(
    task: CellTask, *, max_blanks: int = 2, nodes: int | None = 30, seconds: float | None = None
) -> Suppression:
    """Blank the fewest cells, by price, so that every released tuple is compatible with k records.

    Parameters
    ----------
    task : CellTask
        With trees of one level; confidential values are not looked at.
    max_blanks : int
        Most cells that a record may lose. Raised where there is no answer with fewer.
    nodes, seconds : optional
        Limits of the search; see `least_cost`. The nodes of this programme are slow.

    Examples
    --------
    >>> from discreet.kernels.local_recoding.task import KeyTree
    >>> tree = KeyTree(np.array([2, 2, 2], np.int32), np.array([0.0, 0.0, 1.0]))
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    >>> found = exact(CellTask(codes, np.array([1, 1, 3]), (tree, tree), 2))
    >>> found.bound, found.stopped
    (1.0, 'proven')
    """
    task, order = in_order(task)
    blanks = blanks_of(task)
    lack = task.k - _compatible(task, blanks)
    return placed(proven(task, blanks, lack, None, max_blanks, nodes, seconds), order)


def _compatible(task: CellTask, blanks: Blanks) -> Ints:
    """Per item, the records that its tuple is compatible with."""
    cardinalities = [len(tree.parent) for tree in task.trees]
    columns = list(np.ascontiguousarray(task.codes.T))
    return compatible_counts(columns, cardinalities, blanks.code.tolist(), task.counts)
