"""What a suppression of cells promises: the criterion holds in its reading, only blanks were made,
and what must not be touched was not. All is counted afresh from the released file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from discreet import engine
from discreet.data.masked import require_link
from discreet.errors import listed
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.related_tuples import CellRelation, related_sums
from discreet.masking.promises import Holds, failing_within
from discreet.risks.key_covers import key_cover
from discreet.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.data.masked import Masked
    from discreet.data.microdata import Microdata
    from discreet.masking.cell_suppression.request import KeySet, SuppressionRequest


@dataclass(frozen=True, eq=False)
class CellsBlanked:
    """The promise, given the file before and the numbers of cells that are said to be blanked."""

    before: Microdata
    asked: SuppressionRequest
    changes: Mapping[str, int]

    def broken(self, masked: Masked) -> list[str]:
        """Counted where the records are."""
        return [*self._cells(masked), *self._classes(masked)]

    # -- cells -------------------------------------------------------------------------------------

    def _cells(self, masked: Masked) -> list[str]:
        asked, link = self.asked, require_link(self.before)
        flags = {key: [flag] for key, flag in asked.keep.items()}
        if asked.keep_records:
            flags = {key: [*flags.get(key, ()), asked.keep_records] for key in asked.keys}
        followed: dict[str, list[str]] = {}
        for key, names in asked.linked.items():
            for name in names:
                followed.setdefault(name, []).append(key)
        pair = engine.Pair(self.before.source, masked.source, asked.keys, (link, link))
        found = engine.blanks(pair, (link, link), flags, followed)
        said = {key: self.changes.get(key, 0) for key in asked.keys}
        wrong = {
            "cells that are not what they were": found.altered,
            "cells blanked that must stay": found.flagged,
            "cells that do not follow their key": found.unlike,
        }
        problems = [
            f"{name!r} has {number:,} {what}"
            for what, numbers in wrong.items()
            for name, number in numbers.items()
            if number
        ]
        if found.records != self.before.n or masked.n != self.before.n:
            problems.append("records are missing")
        if found.blanked != said:
            problems.append("the number of blanked cells is not the one that is said")
        return problems

    # -- classes -----------------------------------------------------------------------------------

    def _classes(self, masked: Masked) -> list[str]:
        asked = self.asked
        if asked.reading == "category" and asked.criterion is not None and asked.all_keys:
            of_records, behind = asked.apart
            problems = [p for one in behind for p in Holds(one).broken(masked)]
            if of_records is not None:
                names = (*asked.by, *asked.keys)
                problems += failing_within(masked, of_records, names, asked.counted)
            return problems
        problems = []
        for some in asked.sets:
            records = _short(self.before, masked, asked, some)
            if records:
                problems.append(
                    f"{counted(records, 'record')} with fewer than {some.k} alike in "
                    f"{listed(some.keys)}"
                )
        return problems


def _short(before: Microdata, masked: Masked, asked: SuppressionRequest, some: KeySet) -> int:
    """How many records have too few alike in a set of keys, in the reading that is asked for."""
    names = (*asked.by, *some.keys)
    if asked.reading == "category":
        found = masked.frequency_set(names)
        return int(found.counts[found.counts < some.k].sum())
    link = require_link(before)
    pair = engine.Pair(before.source, masked.source, names, (link, link))
    columns = [f"{side}{i}" for side in "xy" for i in range(len(names))]
    both = FrequencySet.from_arrow(columns, engine.linked_counts(pair, (link, link)))
    known, shown = both.rollup(columns[: len(names)]), both.rollup(columns[len(names) :])
    covers = [
        _same(known.values[i], shown.values[i])
        if i < len(asked.by)
        else key_cover(name, known.values[i], shown.values[i], ())
        for i, name in enumerate(names)
    ]
    if asked.reading == "wildcard":
        alike = [cover.with_itself() for cover in covers]
        counts, _ = related_sums(shown.codes, shown.codes, alike, shown.counts, shown.counts)
        return int(shown.counts[counts < some.k].sum())
    target, source = related_sums(known.codes, shown.codes, covers, known.counts, shown.counts)
    lost = known.counts[target < some.k].sum() + shown.counts[source < some.k].sum()
    return int(lost)


def _same(known: Any, shown: Any) -> CellRelation:
    """A stratum is related to itself alone; one that is missing, too."""
    left = pc.index_in(shown, value_set=known).to_numpy(zero_copy_only=False).astype(np.int64)
    return CellRelation.of_pairs(left, np.arange(len(shown)), len(known), len(shown))
