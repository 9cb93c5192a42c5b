"""People behind cells: a cell covers everybody of a population whose values lie under its nodes.

A coarser cell covers more people. So whether enough are behind a cell is a matter of each item
alone, and its cheapest cell with enough of them is found by looking at all cuts through the trees.
A share of the people is another matter: where two cells cover the same person, neither tells how
likely he has a record. So for shares the cells are kept apart: beginning with the tops, a cell is
replaced by those under one of its nodes, as long as each of these holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.kernels.arrays import Bools, Ints
from discreet.kernels.compilation import njit
from discreet.kernels.local_recoding.instance import (
    Cuts,
    Instance,
    Nodes,
    cheapest_cuts,
    instance,
    lifted_nodes,
    tree_nodes,
)
from discreet.kernels.local_recoding.peel import PeelState, cell_cost, group, peel_state
from discreet.kernels.local_recoding.task import CellTask, KeyTree

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats

_READS = 4_000_000_000  # nodes of people and items that are read at most


@dataclass(frozen=True, eq=False)
class PeopleNodes:
    """The people of a population on the trees of a task.

    Attributes
    ----------
    trees : tuple of KeyTree
        Those of the task, with further nodes for values that nobody in the file has.
    codes : int32 array, combinations × keys
    counts : int64 array
        How many people have each combination.
    """

    trees: tuple[KeyTree, ...]
    codes: Nodes
    counts: Ints


class Lifted(NamedTuple):
    """Per item its cheapest cell with enough people, and whether there is one at all; and whether
    all cells were looked at."""

    node: Nodes
    served: Bools
    exact: bool


def lifted(task: CellTask, people: PeopleNodes, least: int, most: int | None = None) -> Lifted:
    """The cheapest cell of each item that covers at least so many people.

    Parameters
    ----------
    task : CellTask
    people : PeopleNodes
    least : int
        People behind a cell, at least.
    most : int, optional
        Most nodes of an item that may change.
    """
    at, own = _both(task, people)
    depths = [int(at.depth[column].max(initial=0)) + 1 for column in at.codes.T]
    cuts, allowed = int(np.prod(depths, dtype=np.float64)), max(_READS // at.codes.size, 1_000)
    found = _topped(cheapest_cuts(at, min(cuts, allowed)))
    least_cost = np.where(own, np.inf, -np.inf)  # people are not looked for
    which = np.full(len(own), -1)
    limit = len(task.trees) if most is None else most
    _note(at, found, peel_state(at), least, limit, least_cost, which)
    node, served = task.codes.copy(), np.zeros(len(task.counts), np.bool_)
    rows = np.flatnonzero(own & (which >= 0))
    place = at.item[rows]
    for a, key in enumerate(at.keys["place"]):
        shown = found.lifted[found.depth[which[rows], a], at.codes[rows, a]]
        node[place, key] = shown - at.keys["start"][a]
    served[place] = True
    return Lifted(node, served, cuts <= allowed)


def _both(task: CellTask, people: PeopleNodes) -> tuple[Instance, Bools]:
    """Items and people as one instance, in which only people count; and which rows are items."""
    items, others = len(task.counts), len(people.counts)
    fixed = None
    if task.fixed is not None:
        fixed = np.concatenate([task.fixed, np.zeros((others, task.fixed.shape[1]), np.bool_)])
    at = instance(
        CellTask(
            np.concatenate([task.codes, people.codes]),
            np.concatenate([np.ones(items, np.int64), people.counts]),
            people.trees,
            1,
            fixed=fixed,
        )
    )
    own = at.item < items
    at.items["records"][own] = 0
    return at, own


def _topped(cuts: Cuts) -> Cuts:
    """The cuts with the one through all tops, which covers most."""
    top = np.zeros((1, cuts.depth.shape[1]), cuts.depth.dtype)
    depth = np.ascontiguousarray(np.concatenate([cuts.depth, top]))
    return cuts._replace(depth=depth, least=np.append(cuts.least, 0.0))


@njit(cache=True, nogil=True)
def _note(
    at: Instance, cuts: Cuts, work: PeelState, enough: int, most: int, least: Floats, which: Ints
) -> None:
    """Note for each item the cut of its cheapest cell with enough people."""
    for cut in range(len(cuts.depth)):
        if cuts.least[cut] >= least.max():
            continue
        depth = cuts.depth[cut]
        cells = group(at, cuts, depth, work)
        for c in range(cells):
            cell = work.cells[c]
            if cell.records < enough:
                continue
            cost = cell_cost(at, cuts, depth, work, cell.first)
            r = cell.first
            while r >= 0:
                if cost < least[r] and _moves(at, cuts, depth, work.left[r].of) <= most:
                    least[r], which[r] = cost, cut
                r = work.left[r].after


@njit(cache=True, nogil=True)
def _moves(at: Instance, cuts: Cuts, depth: Nodes, i: int) -> int:
    """How many nodes of an item a cut changes."""
    moved = 0
    for a in range(len(depth)):
        moved += cuts.lifted[depth[a], at.codes[i, a]] != at.codes[i, a]
    return moved


# -- cells apart -----------------------------------------------------------------------------------

Holds = Callable[[Ints, Ints, Ints], Bools]
"""Which cells hold: by item and cell of each row, and the people behind each cell."""


class _Box(NamedTuple):
    """A cell, with the items and the combinations of people that it covers."""

    node: Nodes
    items: Ints
    people: Ints


def apart(task: CellTask, people: PeopleNodes, holds: Holds) -> tuple[Nodes, Bools]:
    """Cells of which no two cover the same person: the node of each item, and whether its cell
    holds.

    From the tops on, a cell is replaced by those under its node in the key that gains most, the
    first of these, if all of them hold, those without an item too.
    """
    trees = [_Lifts.of(tree) for tree in people.trees]
    node, served = task.codes.copy(), np.zeros(len(task.counts), np.bool_)
    boxes = _in_boxes(task, people, [tree.lifted[0] for tree in trees])
    good = _held(boxes, people, holds)
    if any(not len(box.items) for box, well in zip(boxes, good, strict=True) if not well):
        return node, served  # people of whom nobody is there
    left = [box for box, well in zip(boxes, good, strict=True) if well]
    while left:
        box = left.pop()
        finer = _finer(task, people, trees, box, holds)
        left += finer
        if not finer:
            node[box.items], served[box.items] = box.node, True
    return node, served


class _Lifts(NamedTuple):
    """A tree: what its nodes cost, their depths, and each of them lifted to each depth."""

    cost: Floats
    depth: Nodes
    lifted: Nodes

    @classmethod
    def of(cls, tree: KeyTree) -> _Lifts:
        nodes = tree_nodes(tree.parent, tree.cost)
        return cls(tree.cost, nodes["depth"], lifted_nodes(nodes))


def _in_boxes(task: CellTask, people: PeopleNodes, shown: list[Nodes]) -> list[_Box]:
    """Items and people by what their codes are shown as, key by key."""
    both = np.concatenate([task.codes, people.codes])
    nodes = np.column_stack([to[both[:, a]] for a, to in enumerate(shown)])
    return _grouped(nodes, np.arange(len(task.counts)), np.arange(len(people.counts)))


def _grouped(nodes: Nodes, items: Ints, people: Ints) -> list[_Box]:
    """Boxes from the nodes of items, then of people."""
    found, owner = np.unique(nodes, axis=0, return_inverse=True)
    owner = owner.reshape(-1)
    order = np.argsort(owner, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(owner[order])) + 1)
    own = len(items)
    return [
        _Box(node, items[rows[rows < own]], people[rows[rows >= own] - own])
        for node, rows in zip(found, parts, strict=True)
    ]


def _held(boxes: list[_Box], people: PeopleNodes, holds: Holds) -> Bools:
    item = np.concatenate([box.items for box in boxes])
    label = np.repeat(np.arange(len(boxes)), [len(box.items) for box in boxes])
    behind = np.array([people.counts[box.people].sum() for box in boxes], np.int64)
    return holds(item, label, behind)


def _finer(
    task: CellTask, people: PeopleNodes, trees: list[_Lifts], box: _Box, holds: Holds
) -> list[_Box]:
    """What takes the place of a box; nothing where no key can be shown finer."""
    weight = task.counts if task.weight is None else task.counts * task.weight
    tried = []
    for a, tree in enumerate(trees):
        codes = np.concatenate([task.codes[box.items, a], people.codes[box.people, a]])
        if (codes == box.node[a]).any():
            continue  # nothing finer stands for it
        under = tree.lifted[tree.depth[box.node[a]] + 1][codes]
        saved = tree.cost[box.node[a]] - tree.cost[under[: len(box.items)]]
        tried.append((-float(saved @ weight[box.items]), a, under))
    for _, a, under in sorted(tried, key=lambda one: one[:2]):
        nodes = np.tile(box.node, (len(under), 1))
        nodes[:, a] = under
        boxes = _grouped(nodes, box.items, box.people)
        if _held(boxes, people, holds).all():
            return [one for one in boxes if len(one.items)]
    return []
