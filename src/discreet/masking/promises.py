"""The promises of the maskings: criteria hold, groups have k records.

Each is measured afresh on the masked file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import engine
from discreet.criteria.check import counted_classes, risk_check, violating
from discreet.frames import numbers_of
from discreet.frequency.classes import classes_with_values
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.data.masked import Masked


@dataclass(frozen=True)
class Holds:
    """The criteria hold in the masked file, which has the number of records that it should."""

    criterion: Any
    limits: Sequence[Any] = ()

    def broken(self, masked: Masked) -> list[str]:
        """Counted where the records are."""
        if masked.n == 0:  # all are suppressed, and nothing is left that could fail
            return _of_number(masked, engine.size(masked.source))
        return [*self._by_class(masked), *self._by_risk(masked)]

    def _by_class(self, masked: Masked) -> list[str]:
        if self.criterion is None:
            return _of_number(masked, engine.size(masked.source))
        classes, bound = counted_classes(masked, self.criterion)
        records = violating(classes, bound)
        failing = f"{bound.describe()} does not hold for {counted(records, 'record')}"
        return [*_of_number(masked, classes.n), *([failing] if records else [])]

    def _by_risk(self, masked: Masked) -> list[str]:
        """Where records have no name that links them, the classes of the node were measured."""
        initial = masked.initial
        if initial.source.row is None and initial.record_id is None:
            return []
        return [
            f"{limit.describe()} does not hold"
            for limit in self.limits
            if not risk_check(initial, masked, limit).satisfied
        ]


@dataclass(frozen=True)
class InGroups:
    """Every combination of values of each set of columns is shared by k records at least."""

    k: int
    sets: Sequence[Sequence[str]]

    def broken(self, masked: Masked) -> list[str]:
        """Counted where the records are."""
        problems = []
        for names in self.sets:
            sizes = engine.class_signatures(masked.source, names, (), skip_missing=False)
            size, classes = (numbers_of(sizes.column(name)) for name in ("size", "classes"))
            problems += _of_number(masked, int((size * classes).sum()))
            small = int((size * classes)[size < self.k].sum())
            if small:
                problems.append(f"{counted(small, 'record')} in groups of fewer than {self.k}")
        return problems


def failing_within(
    masked: Masked, criterion: Any, keys: Sequence[str], values: Sequence[str]
) -> list[str]:
    """The criterion on the classes of some columns of the released file, strata among them; a blank
    is a value."""
    pairs = {name: masked.frequency_set([*keys, name]) for name in values}
    whole = {name: masked.whole(name, pairs[name]) for name in pairs}
    classes = classes_with_values(masked.frequency_set(keys), pairs, whole)
    bad = np.logical_or.reduce(list(criterion.failing(classes).values()))
    records = int(classes.records[bad].sum())
    return [f"{criterion.describe()} fails for {counted(records, 'record')}"] if records else []


def _of_number(masked: Masked, found: int) -> list[str]:
    said = masked.steps[-1].after
    return [] if found == said else [f"{found:,} records are there, {said:,} should be"]
