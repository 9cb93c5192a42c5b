"""The individual risk as local suppression lowers it: keys are blanked, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.microdata import Microdata
from discreet.kernels.compatible import compatible_counts, compatible_totals
from discreet.kernels.frequencies import frequencies
from discreet.kernels.inverse_sizes import inverse_mean
from discreet.risks.cells import sums_with_blanks
from discreet.risks.exposure import CodedRecords

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats

    Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class IndividualRiskOfCells:
    """E(1/F | f) of coded records: their keys, and their sampling weights."""

    records: CodedRecords
    weights: Floats
    wildcard: bool

    @classmethod
    def of(cls, data: Microdata) -> IndividualRiskOfCells:
        """Code the keys, and bring the weights, in the order of the records."""
        values, codes = data.coded(data.need_weight())
        weights = np.array(values.cast("float64"), dtype=np.float64)[codes]
        return cls(CodedRecords.plain(data, data.need_keys()), weights, data.missing == "wildcard")

    @property
    def known(self) -> tuple[int, ...]:
        """All keys: others are found by them, too."""
        return tuple(range(len(self.records.columns)))

    def risks(self, records: CodedRecords) -> tuple[Floats, None]:
        """The risk of every record."""
        cards = records.cardinalities
        found = frequencies(records.columns, cards, self.weights)
        counts, weights = found.counts, found.weights
        assert weights is not None
        if self.wildcard:
            held = found.codes, cards, records.missing
            counts, weights = compatible_counts(*held, counts), compatible_totals(*held, weights)
        return found.of_records(inverse_mean(counts, weights)), None

    def without(
        self,
        records: CodedRecords,
        found: None,  # noqa: ARG002
        rows: Rows,
        attributes: Sequence[int],
    ) -> Floats:
        """Per key, the risk of some records if that cell were blank."""
        counts, weights = (
            sums_with_blanks(
                records, self.known, attributes, rows, wildcard=self.wildcard, weights=held
            )[1:]
            for held in (None, self.weights)
        )
        return np.array([inverse_mean(f, w) for f, w in zip(counts, weights, strict=True)])
