"""What a protecting verb promises, held against what it made before that is handed out.

Every verb that masks says what it promises; the masked file is measured afresh, by the way a check
takes and not by the one that made it. Where a promise does not hold the verb has an error of its
own, and nothing is handed out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from discreet import engine
from discreet.errors import fail
from discreet.wording import counted

if TYPE_CHECKING:
    from discreet.masking.masked import Masked
    from discreet.risks.record import RecordRisk


class Promise(Protocol):
    """What holds of a masked file."""

    def broken(self, masked: Masked) -> list[str]:
        """What does not hold, in words without a value of the data."""
        ...


def kept(promise: Promise, masked: Masked) -> Masked:
    """The masked file, if what was promised holds."""
    refuse_broken(promise.broken(masked), masked.steps[-1].method)
    return masked


def refuse_broken(broken: Sequence[str], verb: str) -> None:
    """Nothing is handed out that fails what was asked for: that is an error of ours."""
    if broken:
        refuse(broken, verb)


def refuse(broken: Sequence[str], verb: str) -> NoReturn:
    """Say what fails."""
    fail(
        "I01",
        f"what {verb} made was checked afresh and fails: {'; '.join(broken)}. "
        "Nothing is handed out.",
        "Unless the records were changed meanwhile this is an error of discreet: report it.",
    )


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
        from discreet.checking import counted_classes, violating

        if self.criterion is None:
            return _of_number(masked, engine.size(masked.source))
        classes, bound = counted_classes(masked, self.criterion)
        records = violating(classes, bound)
        failing = f"{bound.describe()} does not hold for {counted(records, 'record')}"
        return [*_of_number(masked, classes.n), *([failing] if records else [])]

    def _by_risk(self, masked: Masked) -> list[str]:
        """Where records have no name that links them, the classes of the node were measured."""
        from discreet.checking import risk_check

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
            size, classes = (sizes.column(name).to_numpy() for name in ("size", "classes"))
            problems += _of_number(masked, int((size * classes).sum()))
            small = int((size * classes)[size < self.k].sum())
            if small:
                problems.append(f"{counted(small, 'record')} in groups of fewer than {self.k}")
        return problems


@dataclass(frozen=True)
class AtMost:
    """No record has a risk above the limit."""

    risk: RecordRisk
    at_most: float

    def broken(self, masked: Masked) -> list[str]:
        """Measured anew, with the settings of the risk."""
        from discreet.masking.risky_groups import above

        left = len(above(masked, self.risk, self.at_most, self.risk.values > self.at_most))
        return [f"{counted(left, 'record')} above a risk of {self.at_most:g}"] if left else []


def _of_number(masked: Masked, found: int) -> list[str]:
    said = masked.steps[-1].after
    return [] if found == said else [f"{found:,} records are there, {said:,} should be"]
