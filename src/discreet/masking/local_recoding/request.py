"""What is asked of a local recoding, as a search takes it: items, nodes, and which classes pass."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import engine
from discreet.criteria.all_of import people_apart
from discreet.masking.cell_people import CellPeople, CellStart, begun, cell_people
from discreet.masking.cells import (
    ItemCriterion,
    KeyNodes,
    cell_task,
    fixed_nodes,
    hierarchy_nodes,
    items_of,
)
from discreet.masking.key_hierarchies import fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.microdata import Microdata
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.hierarchies.hierarchy import Hierarchy
    from discreet.hierarchies.recoding import Recoding
    from discreet.kernels.local_recoding.peel import Passes
    from discreet.kernels.local_recoding.task import CellTask


@dataclass(frozen=True, eq=False)
class RecodingRequest:
    """Items to be recoded.

    Attributes
    ----------
    keys : tuple of str
    counted : FrequencySet
        The items: the keys, the strata, and the attributes whose values the criterion counts.
    recodings : tuple of Recoding
        One fitted hierarchy per key.
    criterion : Criterion
        What every class must satisfy, with its attributes named.
    whole : mapping of attribute to FrequencySet
        The distribution of the attributes that the criterion counts, in the whole file.
    budget : int
        How many records may be left out.
    by : tuple of str
        Strata, within which classes are counted.
    people : tuple of CellPeople
        What is asked of the people behind a cell.
    """

    keys: tuple[str, ...]
    counted: FrequencySet
    recodings: tuple[Recoding, ...]
    criterion: Any
    whole: Mapping[str, FrequencySet]
    budget: int
    by: tuple[str, ...] = ()
    people: tuple[CellPeople, ...] = ()

    @functools.cached_property
    def of_classes(self) -> ItemCriterion:
        """What must hold of the records of a class alone."""
        return ItemCriterion(people_apart(self.criterion)[0], self.counted, self.whole)

    @property
    def shares(self) -> bool:
        """Whether a share of the people behind a cell is asked for."""
        return any(one.shares for one in self.people)

    @property
    def n(self) -> int:
        """Number of records."""
        return self.counted.n

    @functools.cached_property
    def nodes(self) -> dict[str, KeyNodes]:
        """What the cells of each key may show."""
        pairs = zip(self.keys, self.recodings, strict=True)
        return {
            key: hierarchy_nodes(one) if one.height else fixed_nodes(len(one.values))
            for key, one in pairs
        }

    @functools.cached_property
    def task(self) -> CellTask:
        """For the kernels."""
        least = self.criterion.least_distinct(tuple(self.whole))
        asked = {name: number for name, number in least.items() if number > 1}
        codes = [self._column(name) for name in asked]
        more = {"values": np.column_stack(codes).astype(np.int32)} if asked else {}
        k = max(self.criterion.least_size, 1)
        return cell_task(self.counted, self.nodes, k, distinct=tuple(asked.values()), **more)

    @functools.cached_property
    def within_strata(self) -> CellTask:
        """The same for a search: a stratum is one more key, which stays as it is and costs nothing,
        so that no class has records of two."""
        if not self.by:
            return self.task
        strata = [self._column(name) for name in self.by]
        trees = (fixed_nodes(int(column.max()) + 1).tree for column in strata)
        codes = np.column_stack([self.task.codes, *strata]).astype(np.int32)
        return replace(self.task, codes=codes, trees=(*self.task.trees, *trees))

    @functools.cached_property
    def start(self) -> CellStart:
        """Where a search begins: with enough people behind every item."""
        none = np.zeros(len(self.task.counts), np.bool_)
        return begun(self.task, self.people) if self.people else CellStart(self.task, none, True)

    @property
    def from_start(self) -> CellTask:
        """The task within strata, from there on."""
        if self.start.task is self.task:
            return self.within_strata
        strata = self.within_strata.codes[:, len(self.keys) :]
        codes = np.column_stack([self.start.task.codes, strata])
        return replace(self.within_strata, codes=codes, counts=self.start.task.counts)

    @property
    def out(self) -> int:
        """Records that no cell has enough people for."""
        return int(self.task.counts[self.start.out].sum())

    @property
    def decides(self) -> Passes | None:
        """Which classes satisfy, where more than counts of records and values decides."""
        return None if self.of_classes.counts_decide else self.of_classes.passes

    @property
    def decides_alone(self) -> Passes | None:
        """The same for cuts, which never see all classes."""
        return self.decides and functools.partial(self.of_classes.passes, alone=True)

    def small_strata(self) -> tuple[int, int]:
        """How many strata have fewer records than a class needs, and how many records these are."""
        sizes = self.counted.rollup(list(self.by)).counts if self.by else np.array([self.n])
        small = sizes[sizes < self.task.k]
        return len(small), int(small.sum())

    def _column(self, name: str) -> NDArray[Any]:
        return self.counted.codes[self.counted.attributes.index(name)]


def request_of(
    data: Microdata,
    hierarchies: Mapping[str, Hierarchy],
    criterion: Any,
    budget: int,
    by: tuple[str, ...] = (),
) -> RecodingRequest:
    """Count the items and fit the hierarchies."""
    keys = data.keys
    named = dict.fromkeys(
        (*criterion.needs(data.confidential), *criterion.needs_values(data.confidential))
    )
    beside = (*by, *named)
    engine.need_few_pairs(data.source, keys, [name for name in beside if name not in keys])
    counted = items_of(data, keys, beside)
    found = RecodingRequest(
        keys,
        counted,
        fitted(hierarchies, counted.rollup(keys)),
        criterion,
        {name: data.whole(name, counted) for name in named},
        budget,
        by,
    )
    behind = people_apart(criterion)[1]
    if not behind:
        return found
    given = {r.attribute: (r, hierarchies[r.attribute]) for r in found.recodings if r.height}
    combinations = counted.rollup(keys)
    return replace(found, people=cell_people(data, combinations, found.nodes, behind, given))
