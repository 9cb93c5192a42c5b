"""The people of the population behind cells: a register on the trees of the keys, and what criteria
ask of it.

What a released cell covers is counted in the register: values that nobody in the file has lie under
the groups that they would be in. Enough people make a cell coarser record by record; a share of
them needs cells of which no two cover the same person (``kernels.local_recoding.people``).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.errors import Problem, fail
from discreet.frequency.value_counts import PeopleLimits
from discreet.kernels.local_recoding import people as kernel
from discreet.kernels.local_recoding.people import PeopleNodes
from discreet.kernels.local_recoding.task import Cells, CellTask, KeyTree
from discreet.kernels.related_tuples import CellRelation, related_sums
from discreet.risks.register import (
    CellCovers,
    fitted_to,
    known_as,
    need_same_groups,
    people_of,
    places,
    sizes_in,
)
from discreet.surface import function

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.data.microdata import Microdata
    from discreet.frequency.frequency_set import FrequencySet
    from discreet.hierarchies.hierarchy import Hierarchy
    from discreet.hierarchies.recoding import Recoding
    from discreet.kernels.arrays import Bools, Ints
    from discreet.masking.cells import KeyNodes

    Nodes = NDArray[np.int32]


def people_problems(parts: Sequence[Any], by: Sequence[str], method: str = "") -> list[Problem]:
    """Which criteria on the people behind classes cannot be met by changing single cells."""
    problems = [
        Problem(
            "N14",
            f"{one.describe()} asks for more than a number or a share of the people behind a cell.",
            f"Use {function('generalize', '…')}.",
        )
        for one in parts
        if not all(isinstance(limit, PeopleLimits) for limit in one.count_limits({}) or (None,))
    ]
    shares = [one for one in parts if not problems and any(map(_is_share, one.count_limits({})))]
    registers = {known_as(one) for part in parts for one in part.registers}
    reasons = {
        "strata: no register has them": bool(by),
        "several registers": len(registers) > 1,
        "the relaxed method, whose cells cover the same people": method == "mondrian-relaxed",
    }
    return problems + [
        Problem(
            "N14", f"{one.describe()} cannot be combined with {reason}.", "Leave one of them out."
        )
        for one in shares
        for reason, given in reasons.items()
        if given
    ]


def _is_share(limit: PeopleLimits) -> bool:
    return limit.low > 0 or limit.high < math.inf


class CellStart(NamedTuple):
    """Cells with which a search may begin: the task from there on, which items have none, and
    whether no others with enough people cost less."""

    task: CellTask
    out: Bools
    exact: bool

    def least_price(self, task: CellTask) -> float:
        """What enough people cost at least, as far as proven; without items that have no cell."""
        if not self.exact or self.task is task:
            return 0.0
        rows = np.flatnonzero(~self.out)
        return Cells(rows, self.task.codes[rows], task.counts[rows]).price(task)


@dataclass(frozen=True, eq=False)
class CellPeople:
    """The people of a register, and what is asked of those behind a cell."""

    nodes: PeopleNodes
    limits: tuple[PeopleLimits, ...]

    @property
    def shares(self) -> bool:
        """Whether a share of the people is asked for, and not only a number of them."""
        return any(_is_share(one) for one in self.limits)

    @property
    def least(self) -> int:
        """People behind a cell, at least."""
        return max(one.least for one in self.limits)

    def fails(self, size: Ints, behind: Ints) -> Bools:
        """Which cells fail, by their records and the people behind them."""
        return np.logical_or.reduce([one.broken(size, behind) for one in self.limits])

    def leaves_out(self, node: Nodes) -> bool:
        """Whether people of whom a least share must be there are covered by no cell."""
        if all(one.low <= 0 for one in self.limits):
            return False
        return bool((self._sums(np.unique(node, axis=0))[0] == 0).any())

    def behind(self, node: Nodes) -> Ints:
        """How many people each cell covers."""
        cells, owner = np.unique(node, axis=0, return_inverse=True)
        return np.asarray(self._sums(cells)[1][owner.reshape(-1)])

    def kept_apart(
        self, task: CellTask, passing: Callable[[Ints, Ints, int], Bools]
    ) -> tuple[Nodes, Bools]:
        """Cells of which no two cover the same person, and which items have one; classes must pass,
        by item, class of each and number of classes, and have the people that are asked for."""

        def holds(item: Ints, label: Ints, behind: Ints) -> Bools:
            size = np.bincount(label, task.counts[item], len(behind)).astype(np.int64)
            good = passing(item, label, len(behind)) | (size == 0)
            return good & ~self.fails(size, behind)

        return kernel.apart(task, self.nodes, holds)

    def _sums(self, cells: Nodes) -> tuple[Ints, Ints]:
        one = np.ones(len(cells), np.int64)
        codes = list(self.nodes.codes.T), list(cells.T)
        return related_sums(*codes, self._relations, self.nodes.counts, one)

    @functools.cached_property
    def _relations(self) -> list[CellRelation]:
        return [_under(tree) for tree in self.nodes.trees]


def _under(tree: KeyTree) -> CellRelation:
    """Which nodes lie under which, themselves too."""
    own: Ints = np.arange(len(tree.parent))
    left, right, above = [own], [own], own
    while (moved := tree.parent[above] != above).any():
        above = tree.parent[above].astype(np.int64)
        left.append(own[moved])
        right.append(above[moved])
    pairs = np.concatenate(left), np.concatenate(right)
    return CellRelation.of_pairs(*pairs, len(own), len(own))


def begun(task: CellTask, people: Sequence[CellPeople], most: int | None = None) -> CellStart:
    """Every item at its cheapest cell with enough people. Whatever covers that one has enough, too,
    so that a search for other criteria goes on from there."""
    codes, out, exact = task.codes, np.zeros(len(task.counts), np.bool_), True
    for one in people:
        found = kernel.lifted(replace(task, codes=codes), one.nodes, one.least, most)
        codes, out = found.node, out | ~found.served
        exact &= found.exact and len(people) == 1
    return CellStart(replace(task, codes=codes, counts=np.where(out, 0, task.counts)), out, exact)


# -- a register on the trees -----------------------------------------------------------------------


def cell_people(
    data: Microdata,
    keys: FrequencySet,
    nodes: Mapping[str, KeyNodes],
    parts: Sequence[Any],
    recodings: Mapping[str, tuple[Recoding, Hierarchy]] | None = None,
) -> tuple[CellPeople, ...]:
    """The registers that criteria look into; an error where people of the file are in none.

    Parameters
    ----------
    data : Microdata
    keys : FrequencySet
        The combinations of the keys.
    nodes : mapping of key to KeyNodes
        Without recodings they are values and blanks.
    parts : sequence of criteria
    recodings : mapping of key to Recoding and Hierarchy, optional
        Of the keys that have a hierarchy.
    """
    limits: dict[str | int, list[PeopleLimits]] = {}
    given = {known_as(one): one for part in parts for one in part.registers}
    for part in parts:
        for limit in part.count_limits({}):
            limits.setdefault(limit.register, []).append(limit)
    found = []
    for register, asked in limits.items():
        people = people_of(data, given[register])
        if people.cells is not None and (
            recodings is not None or any(people.cells.tables.values())
        ):
            fail(
                "N44",
                "the people behind cells cannot be counted again after cells were recoded.",
                "Ask for the criterion in the step that first changes cells.",
            )
        if recodings is None:
            people = replace(people, cells=CellCovers({}, frozenset(nodes)))
        sizes_in(data, keys, people)
        values = dict(zip(keys.attributes, keys.values, strict=True))
        placed = [
            _on_tree(name, values[name], people.counted, tree, (recodings or {}).get(name))
            for name, tree in nodes.items()
        ]
        codes = np.column_stack([code for _, code in placed]).astype(np.int32)
        there = PeopleNodes(tuple(tree for tree, _ in placed), codes, people.counted.counts)
        found.append(CellPeople(there, tuple(asked)))
    return tuple(found)


def _on_tree(
    name: str,
    mine: pa.Array,
    people: FrequencySet,
    nodes: KeyNodes,
    recoding: tuple[Recoding, Hierarchy] | None,
) -> tuple[KeyTree, Nodes]:
    """A tree with the values that people alone have, and the node of each combination of people."""
    at = people.attributes.index(name)
    values, tree = people.values[at], nodes.tree
    place = places(name, mine, values)
    if recoding is not None:
        above = _lowest_groups(name, values, people, nodes, recoding)
        known = place < len(mine)
    elif (tree.parent == np.arange(len(tree.parent))).all():  # a key that stays as it is
        above, known = np.full(len(values), -1), place < len(mine)
    else:
        blank = len(tree.parent) - 1
        above, known = np.full(len(values), blank), place <= blank
    fresh = len(tree.parent) + np.arange(len(values))
    node = np.where(known, place, fresh)
    parent = np.r_[tree.parent, np.where(above < 0, fresh, above)].astype(np.int32)
    cost = np.r_[tree.cost, np.zeros(len(values))]
    return KeyTree(parent, cost), node[people.codes[at]].astype(np.int32)


def _lowest_groups(
    name: str,
    values: pa.Array,
    people: FrequencySet,
    nodes: KeyNodes,
    recoding: tuple[Recoding, Hierarchy],
) -> Ints:
    """The lowest group of the file that holds each value of a register, -1 where none does."""
    mine, hierarchy = recoding
    theirs = fitted_to(hierarchy, name, values, people.rollup([name]).counts)
    labels = [] if nodes.labels is None else nodes.labels.to_pylist()
    number = {text: node for node, text in enumerate(labels)}
    above = np.full(len(values), -1)
    for level in range(mine.height, 0, -1):
        need_same_groups(name, theirs.table(level), mine.table(level))
        known = np.array([number.get(text, -1) for text in theirs.labels[level].to_pylist()])
        node = known[theirs.maps[level]]
        above = np.where(node >= 0, node, above)
    return above
