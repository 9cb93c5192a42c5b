"""The record risk D(r) as local suppression lowers it, cell by cell."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.risks.cells import sums_with_blanks
from discreet.risks.exposure import CodedRecords, Exposure, of_records

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats

    Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RecordRiskOfCells:
    """D(r) of coded records: known sets with their probabilities, and α."""

    records: CodedRecords
    sets: list[tuple[int, ...]]
    probabilities: Floats
    alpha: float
    wildcard: bool

    @functools.cached_property
    def known(self) -> tuple[int, ...]:
        """The attributes that are in some known set."""
        return tuple(sorted({a for one in self.sets for a in one}))

    def risks(self, records: CodedRecords) -> tuple[Floats, Exposure]:
        """The risk of every record, and what it is made of."""
        found = of_records(records, self.sets, self.probabilities, wildcard=self.wildcard)
        return self.alpha * (found.sensitivity * found.reach - found.spent), found

    def without(
        self, records: CodedRecords, found: Exposure, rows: Rows, attributes: Sequence[int]
    ) -> Floats:
        """Per attribute, the risk of some records if that cell were blank."""
        own = {a: records.sensitivity(rows, a) for a in range(len(records.columns))}
        reach = dict.fromkeys(attributes, found.reach[rows])
        spent = dict.fromkeys(attributes, found.spent[rows])
        for known, pk in zip(self.sets, self.probabilities, strict=True):
            within = [a for a in known if a in reach]
            if not within:
                continue
            now, *then = sums_with_blanks(records, known, within, rows, wildcard=self.wildcard)
            inside = sum((own[b] for b in known), np.zeros(len(rows)))
            for a, count in zip(within, then, strict=True):
                reach[a] = reach[a] + pk / count - pk / now
                spent[a] = spent[a] + pk * (inside - own[a]) / count - pk * inside / now
        total = found.sensitivity[rows]
        return self.alpha * np.array([(total - own[a]) * reach[a] - spent[a] for a in reach])
