"""A suppression of cells, carried out: items are counted, cells chosen in every stratum, and the
records changed where they are."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from discreet import engine
from discreet.criteria.all_of import file_apart
from discreet.errors import argument, fail
from discreet.kernels.local_recoding.search import too_large
from discreet.kernels.local_recoding.task import Cells, CellTask, gathered
from discreet.kernels.packing import pack
from discreet.masking.cell_people import CellPeople, cell_people
from discreet.masking.cell_suppression.joins import all_pass, failing_items
from discreet.masking.cell_suppression.outcome import SuppressedCells
from discreet.masking.cell_suppression.request import flag_of
from discreet.masking.cell_suppression.search import (
    CellSearch,
    Choice,
    chosen,
    chosen_with_people,
    on_key_sets,
)
from discreet.masking.cells import (
    ItemCriterion,
    KeyNodes,
    blank_nodes,
    cell_task,
    changed_cells,
    items_of,
    sizes_before,
)
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.data.microdata import Microdata
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.kernels.arrays import Bools, Ints
    from discreet.kernels.local_recoding.peel import Passes
    from discreet.masking.cell_suppression.request import SuppressionRequest


class CellAnswer(NamedTuple):
    """The records with their blanks, how many cells each key lost, and what is said of it."""

    source: engine.Source
    changes: dict[str, int]
    outcome: SuppressedCells


def answer(data: Microdata, asked: SuppressionRequest) -> CellAnswer:
    """Choose the cells and blank them."""
    if asked.counted:
        data.need_partition("counting the values of a class")
    if asked.criterion is not None and asked.criterion.registers:
        data.need_partition("counting the people behind a class")
    items = _Items.of(data, asked)
    items.need_large_strata()
    return _answered(data, items) or _no_answer(asked)


def answer_if_any(data: Microdata, asked: SuppressionRequest) -> CellAnswer | None:
    """The same, or None where no way was found."""
    return _answered(data, _Items.of(data, asked))


def _answered(data: Microdata, items: _Items) -> CellAnswer | None:
    asked, found = items.asked, []
    for rows in items.strata:
        found.append(_found(items, rows))
        if found[-1].cells is None:
            return None
    cells = _together([(rows, one.cells) for rows, one in zip(items.strata, found, strict=True)])
    linked = {key: asked.linked[key] for key in items.nodes if key in asked.linked}
    made = changed_cells(data, items.counted, items.nodes, cells, seed=asked.seed, linked=linked)
    return CellAnswer(made.source, made.changes, _outcome(data, items, cells, found, made.changes))


# -- items -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Items:
    """Records alike in all that matters: their counts, the nodes of the keys, the task of all, and
    the items of each stratum."""

    asked: SuppressionRequest
    counted: FrequencySet
    nodes: Mapping[str, KeyNodes]
    task: CellTask
    strata: tuple[Ints, ...]
    classes: ItemCriterion
    people: tuple[CellPeople, ...] = ()

    @classmethod
    def of(cls, data: Microdata, asked: SuppressionRequest) -> _Items:
        keys = asked.sets[0].keys if len(asked.sets) == 1 else asked.keys
        counted = items_of(data, asked.keys, asked.beside)
        values = dict(zip(counted.attributes, counted.values, strict=True))
        nodes = {key: blank_nodes(values[key], asked.cost[key]) for key in keys}
        least = {} if asked.criterion is None else asked.criterion.least_distinct(data.confidential)
        codes = {name: counted.codes[counted.attributes.index(name)] for name in counted.attributes}
        task = cell_task(
            counted,
            nodes,
            asked.k,
            weight=_weights(asked, values, codes),
            fixed=_fixed(asked, tuple(nodes), values, codes),
            values=np.column_stack([codes[name] for name in least])
            if least
            else np.empty((len(counted), 0), np.int32),
            distinct=tuple(least.values()),
        )
        whole = {name: data.whole(name) for name in asked.counted}
        of_records, behind = asked.apart
        people = cell_people(data, counted.rollup(keys), nodes, behind) if behind else ()
        classes = ItemCriterion(of_records, counted, whole)
        return cls(asked, counted, nodes, task, _strata(counted, asked.by), classes, people)

    def need_large_strata(self) -> None:
        """Refuse strata with fewer records than a class needs."""
        sizes = [int(self.task.counts[rows].sum()) for rows in self.strata]
        small = sum(size < self.task.k for size in sizes)
        if small and not self.asked.by:
            held = counted(sizes[0], "record")
            what = f"the file has {held}, and {self.asked.describe()} needs more."
            fail("D45", what, "Lower the criterion, or give more records.")
        if small:
            fail(
                "D45",
                f"{small:,} of {len(sizes):,} strata of {', '.join(map(repr, self.asked.by))} have "
                f"fewer than {self.task.k} records.",
                "Merge small strata, or lower the criterion.",
            )

    def part(self, rows: Ints) -> CellTask:
        """The task of some items."""
        task = self.task
        return replace(
            task,
            codes=task.codes[rows],
            counts=task.counts[rows],
            weight=None if task.weight is None else task.weight[rows],
            fixed=None if task.fixed is None else task.fixed[rows],
            values=task.values[rows],
        )

    def passes(self, rows: Ints) -> Passes | None:
        """Which classes of some items meet the criterion; None where numbers of records and of
        values decide."""
        return self._passes(self.classes, rows)

    def of_file(self, rows: Ints) -> tuple[int, Passes | None] | None:
        """The size of classes with which what is asked of the whole file always holds, and which
        classes meet the rest of the criterion; None where nothing is asked of the file."""
        if self.classes.criterion is None:
            return None
        rest, of_file = file_apart(self.classes.criterion)
        if not of_file:
            return None
        return max(one.sizes_apart for one in of_file), self._passes(
            replace(self.classes, criterion=rest), rows
        )

    def _passes(self, classes: ItemCriterion, rows: Ints) -> Passes | None:
        if classes.counts_decide:
            return None
        alone = too_large(self.part(rows))  # then cuts, which never see all classes

        def passing(item: Ints, count: Ints, owner: Ints, number: int) -> Bools:
            return classes.passes(rows[item], count, owner, number, alone=alone)

        return passing


def _weights(asked: SuppressionRequest, values: Mapping[str, Any], codes: Mapping[str, Any]) -> Any:
    if asked.record_cost is None:
        return None
    price = np.asarray(values[asked.record_cost].to_pylist(), dtype=np.float64)
    return price[codes[asked.record_cost]]


def _fixed(
    asked: SuppressionRequest,
    keys: Sequence[str],
    values: Mapping[str, Any],
    codes: Mapping[str, Any],
) -> Bools | None:
    if not asked.keep and asked.keep_records is None and not asked.stay:
        return None

    def flags(name: str) -> Bools:
        return np.asarray([flag_of(one) is True for one in values[name].to_pylist()])[codes[name]]

    items = len(next(iter(codes.values())))
    whole = flags(asked.keep_records) if asked.keep_records else np.zeros(items, dtype=bool)
    return np.column_stack(
        [
            whole | (flags(asked.keep[key]) if key in asked.keep else key in asked.stay)
            for key in keys
        ]
    )


def _strata(counted: FrequencySet, by: Sequence[str]) -> tuple[Ints, ...]:
    if not by:
        return (np.arange(len(counted)),)
    at = [counted.attributes.index(name) for name in by]
    packed, _ = pack([counted.codes[a] for a in at], [counted.cardinalities[a] for a in at])
    order = np.argsort(packed, kind="stable")
    starts = np.flatnonzero(np.diff(packed[order])) + 1
    return tuple(np.split(order, starts))


# -- the search in a stratum -----------------------------------------------------------------------


def _found(items: _Items, rows: Ints) -> Choice:
    """The cells of a stratum."""
    task, asked, passes = items.part(rows), items.asked, items.passes(rows)
    if asked.only_failing:
        fixed = np.repeat(~failing_items(task, passes)[:, None], len(task.trees), axis=1)
        task = replace(task, fixed=fixed if task.fixed is None else fixed | task.fixed)
    how = CellSearch(task, asked.reading, asked.search, asked.max_blanks)
    if len(asked.sets) > 1:
        at = {key: place for place, key in enumerate(items.nodes)}
        sets = [(tuple(at[key] for key in some.keys), some.k) for some in asked.sets]
        return on_key_sets(how, sets)
    how = replace(how, passes=passes)
    if items.people:
        return chosen_with_people(how, items.people)
    found, of_file = chosen(how), items.of_file(rows)
    return found if of_file is None else _cheaper_by_size(how, found, *of_file)


def _cheaper_by_size(
    how: CellSearch, found: Choice, enough: int, of_classes: Passes | None
) -> Choice:
    """The answer, or a cheaper one that suffices for the whole file because its classes are large:
    that of the least size that does, found by halving."""
    task = how.task
    made: dict[int, Cells | None] = {}

    def suffices(k: int) -> bool:
        cells = chosen(replace(how, task=replace(task, k=k), passes=of_classes)).cells
        made[k] = cells if cells is not None and all_pass(task, cells, how.passes) else None
        return made[k] is not None

    bisect.bisect_left(range(task.k, enough + 1), True, key=suffices)
    for cells in (one for one in made.values() if one is not None):
        price = cells.price(task)
        if found.cells is None or price < found.cells.price(task):
            known = found.bound <= price
            found = replace(found, cells=cells) if known else Choice(cells, 0.0)
    return found


def _no_answer(asked: SuppressionRequest) -> NoReturn:
    limits = []
    if asked.keep or asked.keep_records:
        limits.append("letting more cells be blanked")
    if asked.max_blanks is not None or asked.reading != "category":
        limits.append(f"a larger {argument('max_blanks')}")
    if asked.reading != "category":
        limits.append(argument("reading", "category"))
    if asked.by:
        limits.append("merging strata")
    if asked.search != "optimal":
        limits.append(argument("search", "optimal"))
    limits.append("a weaker criterion")
    fail(
        "D46",
        f"no way was found to blank cells so that {asked.describe()} holds.",
        f"Try {' or '.join(limits)}. Whether there is a way at all is not known.",
    )


def _together(parts: Sequence[tuple[Ints, Cells | None]]) -> Cells:
    """The cells of all strata, by item and cell."""
    given = [(rows, cells) for rows, cells in parts if cells is not None]
    item = np.concatenate([rows[cells.item] for rows, cells in given])
    node = np.concatenate([cells.node for _, cells in given])
    count = np.concatenate([cells.count for _, cells in given])
    return gathered(item, node, count)


# -- what is said of it ----------------------------------------------------------------------------


def _outcome(
    data: Microdata,
    items: _Items,
    cells: Cells,
    found: Sequence[Choice],
    changes: Mapping[str, int],
) -> SuppressedCells:
    asked = items.asked
    restrictions = [one.restriction for one in found if one.restriction]
    blank = cells.node != items.task.codes[cells.item]
    return SuppressedCells(
        dict(changes),
        cells.price(items.task),
        float(sum(one.bound for one in found)),
        max(restrictions, default=""),
        all(one.exact for one in found),
        asked.record_cost is not None or set(asked.cost.values()) != {1.0},
        asked.reading,
        asked.describe(),
        sizes_before(items.counted, items.nodes, cells, items.task.k, asked.by),
        data.source.kind,
        int(blank.sum(axis=1).max(initial=0)),
        int(cells.count[blank.all(axis=1)].sum()),
    )
