"""What a post-randomization promises, counted afresh from the files before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.masked import Masked
from discreet.data.microdata import Microdata
from discreet.masking.perturbation import record_pairs, strata_of
from discreet.masking.post_randomization.transition import Transition
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.kernels.arrays import Ints


@dataclass(frozen=True)
class InBalance:
    """No value became one that it cannot become, missing ones stay, and with whole flows every
    count of a category in a stratum is what it was."""

    before: Microdata
    transitions: Mapping[str, Transition]

    def broken(self, masked: Masked) -> list[str]:
        """Both files are fetched, record by record."""
        by = next(iter(self.transitions.values())).by
        old, new = record_pairs(self.before, masked, list(self.transitions), by)
        strata = strata_of(old, by)
        return [
            problem
            for name, one in self.transitions.items()
            for problem in self._of_column(one, old[name], new[name], strata)
        ]

    def _of_column(
        self, one: Transition, old: pa.ChunkedArray, new: pa.ChunkedArray, strata: Sequence[Ints]
    ) -> list[str]:
        import pyarrow as pa
        import pyarrow.compute as pc

        known = pa.array(one.categories, old.type)
        codes = [pc.index_in(c, value_set=known).to_numpy() for c in (old, new)]
        there = [~np.isnan(c.astype(np.float64)) for c in codes]
        if (there[0] != there[1]).any() or there[0].any() != bool(len(known)):
            return [f"missing values of {one.column!r} moved, or values are new"]
        impossible = unequal = 0
        for number, part in enumerate(strata):
            before, after = (c[part[there[0][part]]].astype(np.int64) for c in codes)
            impossible += int((one.matrices[number][before, after] <= 0).sum())
            sizes = [np.bincount(c, minlength=len(known)) for c in (before, after)]
            unequal += int((sizes[0] != sizes[1]).sum())
        problems = [f"{counted(impossible, 'value')} of {one.column!r} became one that it never "
                    "becomes"] if impossible else []  # fmt: skip
        if one.exact and unequal:
            problems.append(f"{counted(unequal, 'count')} of {one.column!r} changed")
        return problems
