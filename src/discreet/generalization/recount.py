"""A node counted once more before it is handed out, apart from every search.

The frequency sets of the file are generalized as its records will be, the classes that are to go
are taken out, and what is left is held against everything that was asked for, by the criteria
themselves as a check of the masked file does. Neither the sweep nor the counts of single nodes are
used: whoever errs there is found out here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.classes import Classes, classes_with_values
from discreet.frequency import FrequencySet
from discreet.kernels.packing import group, pack
from discreet.risks.classification import Classification
from discreet.risks.disclosure import weighted_risk
from discreet.wording import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.generalization.task import Task

ALLOWED = 1e-12  # above a limit of the risk, as in a check


@dataclass(frozen=True, eq=False)
class Recount:
    """What is left at a node.

    Parameters
    ----------
    task : Task
    levels : sequence of int
    gone : array
        One combination of key values of each class that is suppressed, by its place.
    """

    task: Task
    levels: Sequence[int]
    gone: NDArray[np.int64]

    def broken(self, suppressed: int, classes: int) -> list[str]:
        """What does not hold of all that was asked for, and of the figures of the node."""
        found = self.classes()
        left = int(found.size.sum())
        problems = [
            *self._figure("suppressed records", suppressed, self.task.keys.n - left),
            *self._figure("classes", classes, len(found.size)),
        ]
        if len(found.size):
            problems += [*self._failing(found), *self._risky(found)]
        return problems

    def within_budget(self) -> list[str]:
        """Whether no more records go than may."""
        gone = self.task.keys.n - int(self.task.keys.counts[self._kept()].sum())
        if gone <= self.task.budget:
            return []
        return [f"{counted(gone, 'record')} would go, {self.task.budget:,} may"]

    def classes(self) -> Classes:
        """The classes that are left, with the values of the attributes that criteria look at."""
        kept, keys = self._kept(), self.task.keys
        by_value = {}
        for name, pairs in self.task.pairs.items():
            packed, _ = pack(pairs.codes[:-1], pairs.cardinalities[:-1])
            owner = np.unique(packed, return_inverse=True)[1]
            by_value[name] = self._generalized(pairs, kept[owner])
        return classes_with_values(self._generalized(keys, kept), by_value, self.task.whole)

    def _kept(self) -> NDArray[np.bool_]:
        """Which combinations of key values are not suppressed."""
        codes, numbers = self._codes(self.task.keys)
        packed, _ = pack(codes, numbers)
        return ~np.isin(packed, packed[self.gone])

    def _codes(self, of: FrequencySet) -> tuple[list[NDArray[np.int32]], list[int]]:
        """The codes of the keys at the levels, and how many each key has."""
        recoded = list(zip(self.task.recodings, self.levels, strict=True))
        codes = [r.maps[level][of.codes[a]] for a, (r, level) in enumerate(recoded)]
        return codes, [len(r.labels[level]) for r, level in recoded]

    def _generalized(self, of: FrequencySet, kept: NDArray[np.bool_]) -> FrequencySet:
        """The frequency set at the levels: of the keys, or of the keys and one attribute more."""
        more = len(self.levels)
        codes, numbers = self._codes(of)
        left = [column[kept] for column in (*codes, *of.codes[more:])]
        order, counts = group(left, [*numbers, *of.cardinalities[more:]], of.counts[kept])
        labels = [r.labels[n] for r, n in zip(self.task.recodings, self.levels, strict=True)]
        values = (*labels, *of.values[more:])
        return FrequencySet(of.attributes, values, tuple(c[order] for c in left), counts)

    def _figure(self, what: str, said: int, found: int) -> list[str]:
        return [] if said == found else [f"{said:,} {what} were reckoned with, {found:,} are there"]

    def _failing(self, classes: Classes) -> list[str]:
        """The criteria that some class fails."""
        problems = []
        for part in self.task.parts:
            failing = np.logical_or.reduce(list(part.failing(classes).values()))
            if failing.any():
                records = counted(int(classes.size[failing].sum()), "record")
                problems.append(f"{part.describe()} does not hold for {records}")
        return problems

    def _risky(self, classes: Classes) -> list[str]:
        """The limits of the risk that are exceeded."""
        if not self.task.limits:
            return []
        kept = self._kept()
        codes, numbers = self._codes(self.task.keys)
        packed, _ = pack([column[kept] for column in codes], numbers)
        i = classes.size[np.unique(packed, return_inverse=True)[1]]
        cells = Classification.of(i, self.task.initial_sizes[kept], self.task.keys.counts[kept])
        return [
            f"{limit.describe()} does not hold"
            for limit in self.task.limits
            if weighted_risk(cells, limit.weights, self.task.n) > limit.limit + ALLOWED
        ]
