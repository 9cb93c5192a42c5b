"""Several sets of keys at once: on every one of them, every record hides among k.

Each set is solved as a task of its own, with the blanks of those before it; and again, until all
hold jointly. In the wildcard reading a blank never makes another record rarer, so once is enough.
In the category reading a later set can break an earlier one; every round blanks at least one more
cell, so it ends. What holds on all keys together holds on each set: where that is cheaper, it is
taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from discreet.kernels.arrays import Bools, Ints
from discreet.kernels.compatible import compatible_counts
from discreet.kernels.local_recoding.task import Cells, CellTask, gathered
from discreet.kernels.local_suppression.suppression import blanks_of, in_order
from discreet.kernels.packing import added, merged

KeySet = tuple[tuple[int, ...], int]  # the places of some keys, and their k
Solver = Callable[[CellTask], Cells | None]


def on_subsets(
    task: CellTask, sets: Sequence[KeySet], solve: Solver, *, wildcard: bool = False
) -> Cells | None:
    """Blank cells until every count on every set is at least its k.

    Parameters
    ----------
    task : CellTask
        With trees of one level; its own k is not looked at.
    sets : sequence of (places of keys, k)
    solve : callable
        Solves a task on the keys of one set; None where it cannot.
    wildcard : bool
        Whether a blank matches every value, or is a value of its own. A set of one key is not
        solved then: the rare values are blanked, instead of others that could be anything.

    Returns
    -------
    Cells or None
        None where a set cannot be solved. In the wildcard reading no record becomes all blank.

    Examples
    --------
    >>> from discreet.kernels.local_recoding.task import KeyTree
    >>> from discreet.kernels.local_suppression.cover_answer import greedy
    >>> tree = KeyTree(np.array([2, 2, 2], np.int32), np.array([0.0, 0.0, 1.0]))
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    >>> task = CellTask(codes, np.array([1, 1, 3]), (tree, tree), 2)
    >>> sets = [((0,), 2), ((1,), 2)]
    >>> found = on_subsets(task, sets, lambda one: greedy(one, "wildcard").cells, wildcard=True)
    >>> found.node.tolist()
    [[0, 2], [0, 1], [1, 1]]
    """
    task, order = in_order(task)
    sets = _largest(sets)
    if not sets:
        return gathered(order, task.codes, task.counts)
    together = (tuple(sorted({a for keys, _ in sets for a in keys})), max(k for _, k in sets))
    found = [
        _until_all_hold(task, chosen, solve, wildcard=wildcard) for chosen in (sets, [together])
    ]
    made = [rows for rows in found if rows is not None]
    if not made:
        return None
    best = min(made, key=lambda rows: round(rows.price(task), 9))
    return gathered(order[best.item], best.node, best.count)


def _until_all_hold(
    task: CellTask, sets: Sequence[KeySet], solve: Solver, *, wildcard: bool
) -> Cells | None:
    """Solve the sets in turn until all of them hold."""
    rows = Cells(np.arange(len(task.counts)), task.codes, task.counts)
    while any(np.any(short(task, rows, one, wildcard=wildcard)) for one in sets):
        for one in sets:
            rare = short(task, rows, one, wildcard=wildcard)
            if not rare.any():
                continue
            sub = _part(task, rows, one, wildcard=wildcard)
            alone = wildcard and len(one[0]) == 1
            made = _without(sub, rare) if alone else solve(sub)
            if made is None:
                return None
            rows = _joined(rows, one, made)
    return rows


def short(task: CellTask, rows: Cells, one: KeySet, *, wildcard: bool) -> Bools:
    """Per row of released cells, whether its count on a set of keys is below its k."""
    keys, k = one
    columns = list(np.ascontiguousarray(rows.node[:, keys].T))
    cardinalities = [len(task.trees[a].parent) for a in keys]
    if wildcard:
        missing = blanks_of(task).code[list(keys)].tolist()
        return compatible_counts(columns, cardinalities, missing, rows.count) < k
    first, owner = merged(columns, cardinalities)
    return (added(owner, rows.count, len(first)) < k)[owner]


def _largest(sets: Sequence[KeySet]) -> list[KeySet]:
    """The sets, larger ones first, without those that hold whenever another one does."""
    order = sorted({(tuple(sorted(keys)), k) for keys, k in sets}, key=lambda s: (-len(s[0]), s))
    return [
        one
        for one in order
        if not any(
            one != other and set(one[0]) <= set(other[0]) and one[1] <= other[1] for other in order
        )
    ]


def _part(task: CellTask, rows: Cells, one: KeySet, *, wildcard: bool) -> CellTask:
    """The task of one set; in the wildcard reading the last key of a record stays."""
    keys, own = list(one[0]), task.of_items(rows.item)
    fixed = np.zeros(rows.node.shape, bool) if own.fixed is None else own.fixed
    if wildcard:
        blanks = blanks_of(task)
        shown = blanks.keys & (rows.node != blanks.code)
        fixed = fixed | (shown.sum(axis=1) <= 1)[:, None]
    return replace(
        own,
        codes=np.ascontiguousarray(rows.node[:, keys]),
        counts=rows.count,
        trees=tuple(task.trees[a] for a in keys),
        k=one[1],
        fixed=fixed[:, keys] if fixed.any() else None,
    )


def _without(task: CellTask, rare: Bools) -> Cells | None:
    """The only key of a task without its rare values."""
    if not np.all(blanks_of(task).allowed[rare]):
        return None
    node = np.where(rare[:, None], task.trees[0].parent[task.codes], task.codes)
    return Cells(np.arange(len(task.counts), dtype=np.int64), node, task.counts)


def _joined(rows: Cells, one: KeySet, made: Cells) -> Cells:
    """The rows with what was made of one set."""
    node = rows.node[made.item].copy()
    node[:, list(one[0])] = made.node
    item: Ints = rows.item[made.item]
    return gathered(item, node, made.count)
