"""The target-source reading, (k,k)-anonymity: k released records cover each original tuple, and
each released tuple covers k originals.

Whoever knows a person finds k records that may be theirs (target), and whoever takes a released
record to a register finds k persons (source). No record may be all blank: k − 1 such records would
cover everybody.

References
----------
Gionis, A., Mazza, A., Tassa, T. (2008): "k-Anonymization revisited", ICDE, 744–753.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.labels import label
from discreet.kernels.local_recoding.task import CellTask
from discreet.kernels.local_suppression.cover_answer import proven, quick
from discreet.kernels.local_suppression.masks import Blanks, blanks_of, groups_of
from discreet.kernels.local_suppression.suppression import Suppression, in_order, placed

if TYPE_CHECKING:
    from discreet.kernels.arrays import Ints


def greedy(task: CellTask, *, max_blanks: int = 2) -> Suppression:
    """Blank few cells, by price, so that both counts are at least k for every record.

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
    ([[0, 2], [0, 2], [1, 1]], [1, 1, 3])
    """
    task, order = in_order(task)
    blanks = blanks_of(task)
    target, source = counts(task, blanks)
    return placed(quick(task, blanks, task.k - target, source < task.k, max_blanks), order)


def exact(
    task: CellTask, *, max_blanks: int = 2, nodes: int | None = 1_000, seconds: float | None = None
) -> Suppression:
    """Blank the fewest cells, by price, so that both counts are at least k for every record.

    Parameters
    ----------
    task : CellTask
        With trees of one level; confidential values are not looked at.
    max_blanks : int
        Most cells that a record may lose. Raised where there is no answer with fewer.
    nodes, seconds : optional
        Limits of the search; see `least_cost`.

    Examples
    --------
    >>> from discreet.kernels.local_recoding.task import KeyTree
    >>> tree = KeyTree(np.array([2, 2, 2], np.int32), np.array([0.0, 0.0, 1.0]))
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    >>> found = exact(CellTask(codes, np.array([1, 1, 3]), (tree, tree), 2))
    >>> found.bound, found.stopped
    (2.0, 'proven')
    """
    task, order = in_order(task)
    blanks = blanks_of(task)
    target, source = counts(task, blanks)
    must = source < task.k
    return placed(proven(task, blanks, task.k - target, must, max_blanks, nodes, seconds), order)


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
