"""Cells: what single cells of the keys become, from counts of like records to the records.

Local recoding and cell suppression work on *items*, the combinations of a frequency set: the keys,
and beside them what a criterion counts, strata, weights or flags. Each key has nodes that its cells
may show: those of a hierarchy, or the values and a blank. A search gives the records of each item
to cells (``discreet.kernels.local_recoding.task``); here these become changes of records, by a join
where the records are. Of the records of an item those with the smallest draws are changed, a draw
being the MD5 hash of "seed:record id".

    counted = items_of(data, keys, beside=["illness"])
    nodes = {"age": hierarchy_nodes(fitted), "sex": fixed_nodes(len(values))}
    task = cell_task(counted, nodes, k=5)
    changed_cells(data, counted, nodes, search(task), seed=0)
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet import engine
from discreet.criteria.all_of import failing_alone
from discreet.data.masked import require_draws
from discreet.errors import fail
from discreet.frames import array_of
from discreet.frequency.classes import Classes
from discreet.frequency.value_counts import ValueCounts
from discreet.kernels.labels import label
from discreet.kernels.local_recoding.task import Cells, CellTask, KeyTree
from discreet.kernels.packing import added, merged, pack
from discreet.masking.generalization.view import beside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.microdata import Microdata
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.hierarchies.recoding import Recoding
    from discreet.kernels.arrays import Bools, Ints


@dataclass(frozen=True, eq=False, repr=False)
class KeyNodes:
    """What the cells of a key may show.

    Attributes
    ----------
    tree : KeyTree
        The values come first, in the order of their codes.
    labels : pyarrow.Array, optional
        The text that each node is released as; None where cells are kept or blanked.
    """

    tree: KeyTree
    labels: pa.Array | None = None


def fixed_nodes(values: int) -> KeyNodes:
    """The nodes of a key that stays as it is; also those of a stratum, within which is counted."""
    return KeyNodes(KeyTree(np.arange(values, dtype=np.int32), np.zeros(values)))


def blank_nodes(values: pa.Array, cost: float = 1.0) -> KeyNodes:
    """The nodes of a key whose cells are blanked: its values, and the missing one above them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> blank_nodes(pa.array([1, 2]), 3.0).tree.parent.tolist()
    [2, 2, 2]
    >>> blank_nodes(pa.array([1, None])).tree.parent.tolist()
    [1, 1]
    """
    blank = len(values) - 1 if values.null_count else len(values)
    price = np.zeros(blank + 1)
    price[blank] = cost
    return KeyNodes(KeyTree(np.full(blank + 1, blank, dtype=np.int32), price))


def hierarchy_nodes(recoding: Recoding) -> KeyNodes:
    """The nodes of a fitted hierarchy: a label that repeats from one level to the next is one node,
    and costs its share of leaves, (leaves covered − 1)/(leaves − 1).

    Examples
    --------
    >>> import pyarrow as pa
    >>> import discreet as ds
    >>> fitted = ds.Hierarchy.prefixes([5, 3, 0]).fit("zip", pa.array(["41076", "41099", "43102"]))
    >>> nodes = hierarchy_nodes(fitted)
    >>> nodes.labels.to_pylist()
    ['41076', '41099', '43102', '410**', '431**', '*']
    >>> nodes.tree.parent.tolist(), nodes.tree.cost.tolist()
    ([3, 3, 4, 5, 5, 5], [0.0, 0.0, 0.0, 0.5, 0.0, 1.0])
    """
    tree = _Growing.of(recoding)
    for level in range(1, recoding.height + 1):
        tree.rise(recoding, level)
    labels = pa.array(list(tree.labels), pa.string())
    return KeyNodes(KeyTree(tree.parent.astype(np.int32), tree.cost), labels)


@dataclass(eq=False)
class _Growing:
    """A tree up to some level: its labels with their nodes, and the node of each value there."""

    labels: dict[str | None, int]
    parent: NDArray[np.intp]
    cost: NDArray[np.float64]
    top: NDArray[np.intp]

    @classmethod
    def of(cls, recoding: Recoding) -> _Growing:
        """The values alone."""
        texts = recoding.labels[0].to_pylist()
        each = np.arange(len(texts))
        labels = dict(zip(texts, each.tolist(), strict=True))
        if len(labels) < len(texts):
            _ambiguous(recoding.attribute)
        return cls(labels, each, recoding.shares(0), each)

    def rise(self, recoding: Recoding, level: int) -> None:
        """Put the groups of a level above those of the level before."""
        texts, shares = recoding.labels[level].to_pylist(), recoding.shares(level)
        fresh = [code for code, text in enumerate(texts) if text not in self.labels]
        start = len(self.labels)
        self.labels |= {texts[code]: start + place for place, code in enumerate(fresh)}
        self.parent = np.r_[self.parent, np.arange(start, len(self.labels))]
        self.cost = np.r_[self.cost, shares[fresh]]
        node = np.array([self.labels[text] for text in texts])
        above = node[recoding.maps[level]]
        again = node[node < start]  # groups that were there before must hold what they held
        left = np.isin(self.top, again) & (self.top != above)
        unheld = np.setdiff1d(again, self.top)
        self.parent[self.top] = above
        split = self.parent[self.top] != above
        if left.any() or len(unheld) or split.any() or (self.cost[node] != shares).any():
            _ambiguous(recoding.attribute)
        self.top = above


def _ambiguous(attribute: str) -> NoReturn:
    fail(
        "D23",
        f"the hierarchy of {attribute!r} gives one label to different groups of values.",
        "In a file that holds both, nobody could tell them apart: give each group its own label.",
    )


def items_of(data: Microdata, keys: Sequence[str], beside: Sequence[str] = ()) -> FrequencySet:
    """Records that are alike in the keys and in what matters beside them, with their counts."""
    return data.frequency_set(list(dict.fromkeys([*keys, *beside])))


def cell_task(
    counted: FrequencySet, nodes: Mapping[str, KeyNodes], k: int, **more: Any
) -> CellTask:
    """The task of a search: items with the nodes of the keys, and of strata, in their order.

    ``more`` are the other attributes of :class:`CellTask`, one row per item.
    """
    return CellTask(
        codes=_codes(counted, nodes),
        counts=counted.counts,
        trees=tuple(one.tree for one in nodes.values()),
        k=k,
        **more,
    )


def _codes(counted: FrequencySet, names: Mapping[str, KeyNodes]) -> NDArray[np.int32]:
    at = [counted.attributes.index(name) for name in names]
    return np.column_stack([counted.codes[a] for a in at]).astype(np.int32)


@dataclass(frozen=True, eq=False)
class ItemCriterion:
    """What is asked of the classes that items form.

    Attributes
    ----------
    criterion : Criterion or None
        What must hold of the records of a class alone; None where nothing must.
    counted : FrequencySet
        The items.
    whole : mapping of attribute to FrequencySet
        The distribution of the attributes that the criterion counts, in the whole file.
    """

    criterion: Any
    counted: FrequencySet
    whole: Mapping[str, FrequencySet]

    @property
    def counts_decide(self) -> bool:
        """Whether numbers of records and of values decide."""
        return self.criterion is None or self.criterion.counts_decide

    def passes(
        self, item: Ints, count: Ints, label: Ints, classes: int, *, alone: bool = False
    ) -> Bools:
        """Which classes satisfy it, by item, count and class of each row; ``alone`` is for cuts,
        which never see all classes: what is asked of the whole file is asked of every class."""
        if self.criterion is None:
            return np.ones(classes, np.bool_)
        size = np.bincount(label, count, classes).astype(np.int64)
        values = {name: self._values(name, item, count, label, classes) for name in self.whole}
        found = Classes(
            size,
            np.ones_like(size),
            size,
            {name: one.distinct for name, one in values.items()},
            values=values,
            labels={name: whole.values[0] for name, whole in self.whole.items()},
        )
        if alone:
            return ~failing_alone(self.criterion, found)
        return ~np.logical_or.reduce(list(self.criterion.failing(found).values()))

    def _values(self, name: str, item: Ints, count: Ints, label: Ints, classes: int) -> ValueCounts:
        whole = self.whole[name]
        packed = label * len(whole) + self._codes[name][item]
        pairs, owner = np.unique(packed, return_inverse=True)
        cls, value = np.divmod(pairs, len(whole))
        return ValueCounts(
            cls, value, added(owner, count, len(pairs)), classes, whole.counts, *whole.places(0)
        )

    @functools.cached_property
    def _codes(self) -> dict[str, Ints]:
        """Per attribute the place of each item's value in the whole file."""
        found = {}
        for name, whole in self.whole.items():
            a = self.counted.attributes.index(name)
            place = pc.index_in(self.counted.values[a], value_set=whole.values[0])
            codes = place.to_numpy(zero_copy_only=False).astype(np.int64)
            found[name] = codes[self.counted.codes[a]]
        return found


class CellChanges(NamedTuple):
    """The records with their new cells; the same with those that were left out; and how many cells
    of each key are not what they were."""

    source: engine.Source
    complete: engine.Source
    changes: dict[str, int]


def changed_cells(
    data: Microdata,
    counted: FrequencySet,
    nodes: Mapping[str, KeyNodes],
    cells: Cells,
    *,
    seed: int,
    gone: NDArray[np.bool_] | None = None,
    linked: Mapping[str, Sequence[str]] | None = None,
) -> CellChanges:
    """Change the cells of the records where they are.

    Parameters
    ----------
    data : Microdata
    counted : FrequencySet
        The items, see :func:`items_of`.
    nodes : mapping of key to KeyNodes
    cells : Cells
        What the records of the items get.
    seed : int
    gone : bool array, optional
        Which rows of ``cells`` are left out of the file; their cells are in ``complete`` only.
    linked : mapping of key to columns, optional
        Columns that are blanked where a cell of the key is.
    """
    moved = _moved(counted, nodes, cells)
    gone = np.zeros(len(cells.item), dtype=bool) if gone is None else gone
    count = np.where(gone, 0, cells.count)
    changes = {name: int(count[moved[:, a]].sum()) for a, name in enumerate(nodes)}
    changes = {name: number for name, number in changes.items() if number}
    portions = _portions(counted, nodes, cells, moved, gone, linked or {})
    if not gone.any() and not (portions.blanked or portions.labelled):
        return CellChanges(data.source, data.source, changes)
    column = require_draws(data)
    if not gone.any():
        complete = engine.with_cells(data.source, column, portions, seed)
        return CellChanges(complete, complete, changes)
    # a column of which no cell is released coarser keeps its values, and its type, in both
    stay = ~gone[_order(cells, moved, gone)]
    complete, left = (
        engine.with_cells(data.source, column, portions.only(array_of(rows), changes), seed)
        for rows in (np.ones_like(stay), stay)
    )
    return CellChanges(left, complete, changes)


def _moved(counted: FrequencySet, nodes: Mapping[str, KeyNodes], cells: Cells) -> NDArray[np.bool_]:
    """Per row of cells and key whether something else is shown than before."""
    return cells.node != np.take(_codes(counted, nodes), cells.item, axis=0)


def _order(cells: Cells, moved: NDArray[np.bool_], gone: NDArray[np.bool_]) -> NDArray[np.intp]:
    """By item, those first whose records are left out, then those that are changed."""
    if (cells.item[1:] > cells.item[:-1]).all():
        return np.arange(len(cells.item))
    return np.lexsort([~moved.any(axis=1), ~gone, cells.item])


def _portions(
    counted: FrequencySet,
    nodes: Mapping[str, KeyNodes],
    cells: Cells,
    moved: NDArray[np.bool_],
    gone: NDArray[np.bool_],
    linked: Mapping[str, Sequence[str]],
) -> engine.Portions:
    """Rows of values, places in the order of draws, and new cells, of the keys that change."""
    order = _order(cells, moved, gone)
    item, count, moved, node = (
        cells.item[order],
        cells.count[order],
        np.take(moved, order, axis=0),
        np.take(cells.node, order, axis=0),
    )
    first = np.flatnonzero(np.r_[True, item[1:] != item[:-1]])
    rows = np.diff(np.r_[first, len(item)])  # of each item
    high = np.cumsum(count)
    high -= np.repeat(high[first] - count[first], rows)
    held = zip(counted.values, counted.codes, strict=True)
    columns = {
        f"v{i}": values.take(array_of(codes[item])) for i, (values, codes) in enumerate(held)
    }
    columns |= {"low": array_of(high - count), "high": array_of(high)}
    columns["shared"] = array_of(np.repeat(rows > 1, rows))
    blanked: dict[str, NDArray[np.bool_]] = {}
    labelled = {}
    for a, (name, shown) in enumerate(nodes.items()):
        if not moved[:, a].any():
            continue
        if shown.labels is not None:
            labelled[name] = shown.labels.take(array_of(node[:, a]))
            continue
        for column in (name, *linked.get(name, ())):
            blanked[column] = blanked.get(column, False) | moved[:, a]
    columns |= {f"b{i}": array_of(flags) for i, flags in enumerate(blanked.values())}
    columns |= {f"t{i}": texts for i, texts in enumerate(labelled.values())}
    return engine.Portions(counted.attributes, tuple(blanked), tuple(labelled), pa.table(columns))


def cell_table(
    counted: FrequencySet, nodes: Mapping[str, KeyNodes], cells: Cells, gone: NDArray[np.bool_]
) -> pa.Table:
    """The values of the keys, what was released for them, and how many records got it: a row for
    each way in which some values were released. It shows values."""
    kept = np.flatnonzero(~gone)
    own, node = _codes(counted, nodes)[cells.item[kept]], cells.node[kept]
    first, owner = merged([*own.T, *node.T], [len(n.tree.parent) for n in nodes.values()] * 2)
    own, node, records = own[first], node[first], added(owner, cells.count[kept], len(first))
    columns = {}
    for a, name in enumerate(nodes):
        values = counted.values[counted.attributes.index(name)]
        columns[name] = values.take(array_of(own[:, a]))
    for a, (name, shown) in enumerate(nodes.items()):
        if shown.labels is not None:
            columns[f"{name} (released)"] = shown.labels.take(array_of(node[:, a]))
    return pa.table({**columns, **beside(columns, {"records": array_of(records)})})


def sizes_before(
    counted: FrequencySet,
    nodes: Mapping[str, KeyNodes],
    cells: Cells,
    k: int,
    strata: Sequence[str] = (),
) -> dict[str, dict[str, int]]:
    """The changed cells of each key, by the number of records that shared their values before,
    within their stratum: 1, 2, … up to "k or more"."""
    size = np.minimum(_sizes(counted, [*strata, *nodes]), k)[cells.item]
    moved = _moved(counted, nodes, cells)
    found: dict[str, dict[str, int]] = {}
    for a, name in enumerate(nodes):
        rows = np.flatnonzero(moved[:, a])
        number = np.bincount(size[rows], cells.count[rows], k + 1)
        shown = {str(i) if i < k else f"{k} or more": int(number[i]) for i in range(1, k + 1)}
        if any(shown.values()):
            found[name] = {label: one for label, one in shown.items() if one}
    return found


def size_rows(by_class_size: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    """The same as one row per key and class size before."""
    return [
        {"key": key, "class size": size, "cells": number}
        for key, sizes in by_class_size.items()
        for size, number in sizes.items()
    ]


def _sizes(counted: FrequencySet, names: Sequence[str]) -> NDArray[np.int64]:
    """Per item the number of records that share its values of some attributes."""
    if set(names) == set(counted.attributes):  # no two items share them all
        return counted.counts
    at = [counted.attributes.index(name) for name in names]
    packed, _ = pack([counted.codes[a] for a in at], [counted.cardinalities[a] for a in at])
    owner, classes = label(packed)
    return added(owner, counted.counts, classes)[owner]
