"""Checking: does a file meet a criterion, and if not, how many classes and records violate it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from discreet.criteria.all_of import combined, split, sums_of
from discreet.criteria.criterion import CLASS_SIZE, TOLERANCE, Criterion
from discreet.criteria.disclosure_risk import DisclosureRiskAtMost
from discreet.criteria.population import with_people
from discreet.criteria.subjects import PEOPLE, resolved
from discreet.data.masked import Masked, require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import fail
from discreet.frames import FrameKind
from discreet.frequency.classes import Classes, compatible_classes
from discreet.results import Computed, Provenance, Result
from discreet.risks.disclosure import DisclosureRisk, disclosure_risk
from discreet.surface import in_python
from discreet.words import counted, share

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools


VACANT = "people without a record"  # a reason by which no class fails, but the file


@dataclass(frozen=True)
class Violations:
    """How many classes, and how many records in them, fail for one reason."""

    classes: int
    records: int


@dataclass(frozen=True, repr=False)
class Check(Computed):
    """Whether a criterion holds.

    Attributes
    ----------
    criterion : Criterion
        What was asked for.
    satisfied : bool
        Whether it holds; the object itself is true where it does.
    violating_classes, violating_records : int
        How many classes fail, and how many records are in them.
    by : mapping of reason to violations
        ``.classes`` and ``.records`` for each reason: the class size, or a confidential attribute.
        A class may fail for several.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [50, 50, 30], "sex": list("MMF")}, keys=["age", "sex"])
    >>> found = ds.check(survey, ds.KAnonymity(2))
    >>> found.satisfied, found.violating_classes, found.violating_records
    (False, 1, 1)
    """

    criterion: Criterion
    satisfied: bool
    violating_classes: int
    violating_records: int
    by: Mapping[str, Violations]
    provenance: Provenance

    def __bool__(self) -> bool:
        return self.satisfied

    def explain(self) -> str:
        """The outcome in a few sentences, and what to do next."""
        known = self.provenance
        lines = [self._outcome(), *known.after_perturbation()]
        lines += known.of_perturbed_values([n for n in known.confidential if self._looks_at(n)])
        return "\n".join(lines if self._counts_people else [*lines, *self.provenance.by_record()])

    def _outcome(self) -> str:
        name, several = self.criterion.describe(), len(self.criterion.parts) > 1
        if self.satisfied:
            everyone = _everyone(self.provenance.records)
            return f"{name} {'hold' if several else 'holds'} for {everyone}{self._of_people()}."
        fails = f"{name} {'do' if several else 'does'} not hold"
        if not self.violating_records:
            return (
                f"{fails}: nobody in the file has "
                f"{counted(self.by[VACANT].classes, 'combination')} of keys of the population.\n"
                "Generalize or drop a key attribute."
            )
        part = share(self.violating_records, self.provenance.records)
        lines = [
            f"{fails}{self._of_people()}: "
            f"{counted(self.violating_records, 'record')} ({part}) in "
            f"{counted(self.violating_classes, 'class')} "
            f"{'violates' if self.violating_records == 1 else 'violate'} "
            f"{'them' if several else 'it'}."
        ]
        for reason, found in self.by.items():
            if found.records:
                lines.append(f"  {counted(found.records, 'record')}: {self._why(reason)}.")
        lines.append("Generalize or drop a key attribute, or suppress these records.")
        return "\n".join(lines)

    def _of_people(self) -> str:
        """That not records were counted."""
        subject = self.provenance.subject
        return f", where {subject!r} tells people apart" if subject and self._counts_people else ""

    def _looks_at(self, name: str) -> bool:
        parts = self.criterion.parts
        return any(one.least_distinct([name]) or one.needs_values([name]) for one in parts)

    @property
    def _counts_people(self) -> bool:
        return self.criterion.least_size > 1

    def _why(self, reason: str) -> str:
        if reason == CLASS_SIZE:
            return "too small a class"
        if reason == PEOPLE:
            return "records of too few different people"
        if own := self.criterion.why(reason):
            return own
        if any(c.needs_values([reason]) for c in self.criterion.parts):
            return f"the values of {reason!r} do not meet it"
        return f"too few values of {reason!r}"

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per reason."""
        rows = [{"reason": reason, **vars(found)} for reason, found in self.by.items()]
        return self._frame(rows, kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            **self.criterion.to_dict(),
            **self._plain("satisfied", "violating_classes", "violating_records", "by"),
            "computed_from": self.provenance.to_dict(),
        }


@dataclass(frozen=True, repr=False)
class RiskCheck(Result):
    """Whether the disclosure risk of a masked file is at most a limit."""

    criterion: DisclosureRiskAtMost
    satisfied: bool
    value: float
    risk: DisclosureRisk

    def __bool__(self) -> bool:
        return self.satisfied

    def explain(self) -> str:
        """The outcome in a few sentences, and what to do next."""
        limit, caution = self.criterion.limit, self.risk.provenance.after_perturbation()
        if self.satisfied:
            outcome = f"Safe: the disclosure risk {self.value:.4f} is at most {limit:g}."
        else:
            outcome = (
                f"Unsafe: the disclosure risk {self.value:.4f} is above {limit:g}.\n"
                "Mask further: release fewer records, or generalize the keys."
            )
        return "\n".join([outcome, *caution])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            **self.criterion.to_dict(),
            **self._plain("satisfied", "value"),
            "computed_from": self.risk.provenance.to_dict(),
        }

    def table(self, kind: FrameKind | None = None) -> Any:
        """The measure, its value and its limit."""
        name = f"DR ({self.criterion.weights.name})"
        row = {"measure": name, "value": self.value, "limit": self.criterion.limit}
        return self._frame([row], kind or self.risk.kind)


@dataclass(frozen=True, repr=False)
class Checks(Result):
    """Several criteria checked at once; all must hold."""

    parts: tuple[Check | RiskCheck, ...]

    @property
    def satisfied(self) -> bool:
        """Whether all hold."""
        return all(part.satisfied for part in self.parts)

    def __bool__(self) -> bool:
        return self.satisfied

    def explain(self) -> str:
        """The outcomes one after the other."""
        return "\n".join(part.explain() for part in self.parts)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per criterion."""
        rows = [{"criterion": p.criterion.describe(), "satisfied": p.satisfied} for p in self.parts]
        first = self.parts[0]
        return self._frame(
            rows, kind or (first.kind if isinstance(first, Check) else first.risk.kind)
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {"satisfied": self.satisfied, "checks": [part.to_dict() for part in self.parts]}

    def __repr__(self) -> str:
        return "\n".join(repr(part) for part in self.parts)

    def _repr_html_(self) -> str:
        return "".join(part._repr_html_() for part in self.parts)


@overload
def check(  # type: ignore[overload-overlap]
    data: Masked, /, criterion: DisclosureRiskAtMost
) -> RiskCheck: ...


@overload
def check(data: Microdata, /, criterion: Criterion) -> Check: ...


@overload
def check(data: Microdata, /, criterion: Sequence[Any]) -> Check | RiskCheck | Checks: ...


@overload
def check(
    initial: Microdata,
    masked: Microdata,
    /,
    criterion: DisclosureRiskAtMost,
    *,
    on: str | None = None,
) -> RiskCheck: ...


def check(*files: Any, criterion: Any = None, on: str | None = None) -> Check | RiskCheck | Checks:
    """Check a file against a criterion: ``check(data, criterion)``.

    Parameters
    ----------
    *files : Microdata
        The file, usually masked microdata, with its keys (and confidential attributes) named. For
        ``DisclosureRiskAtMost``, which compares two files, the initial file comes first:
        ``check(initial, masked, criterion)``; masked microdata made here know theirs.
    criterion : KAnonymity, PSensitiveKAnonymity, … or a list of them
        What must hold: after the files, or by its name.
    on : str, optional
        With two files: the column that links their records, when it was masked elsewhere.

    Returns
    -------
    Check or RiskCheck
        ``.satisfied``, and the numbers of violating classes and records with the reasons, or
        the value of the risk.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"age": [50, 30, 30, 20, 20, 50], "sex": ["M", "F", "F", "M", "M", "M"]}
    >>> ds.check(ds.read(table, keys=["age", "sex"]), ds.KAnonymity(2)).satisfied
    True
    """
    *given, last = files if criterion is None and files else (*files, criterion)
    classes, limits = split(combined(last))
    require_microdata(*(given if len(given) in (1, 2) else [None]), named="a file to check")
    if limits:
        risks = tuple(_check_risk(given, limit, on) for limit in limits)
        also = () if classes is None else (_check_classes(given[-1], classes),)
        return risks[0] if len(risks) == 1 and not also else Checks((*also, *risks))
    if len(given) == 2 or on is not None:
        fail("P09", f"{classes.describe()} is checked on one file.", "Give the masked file only.")
    return _check_classes(given[0], classes)


def _check_risk(files: list[Any], criterion: DisclosureRiskAtMost, on: str | None) -> RiskCheck:
    if len(files) == 1 and not isinstance(files[0], Masked):
        fail(
            "P09",
            "the disclosure risk compares two files and one is given.",
            f"Give the initial file first: {in_python('ds.check(initial, masked, criterion)')}.",
        )
    initial, masked = files if len(files) == 2 else (files[0].initial, files[0])
    return risk_check(initial, masked, criterion, on)


def risk_check(
    initial: Microdata, masked: Microdata, criterion: DisclosureRiskAtMost, on: str | None = None
) -> RiskCheck:
    """Whether the disclosure risk of a masked file is at most a limit."""
    risk = disclosure_risk(initial, masked, on=on)
    value = risk.weighted(criterion.weights)
    return RiskCheck(criterion, value <= criterion.limit + TOLERANCE, value, risk)


def _everyone(records: int) -> str:
    return "the only record" if records == 1 else f"all {counted(records, 'record')}"


def _check_classes(data: Microdata, criterion: Criterion) -> Check:
    require_records(data)
    classes, bound = counted_classes(data, criterion)
    failing = bound.failing(classes)
    total = _violations(classes, np.logical_or.reduce(list(failing.values())))
    vacant = bound.vacancies(classes)
    by = {reason: _violations(classes, mask) for reason, mask in failing.items()}
    return Check(
        criterion,
        total.records == 0 and not vacant,
        total.classes,
        total.records,
        {**by, **({VACANT: Violations(vacant, 0)} if vacant else {})},
        Provenance.of(data),
    )


def counted_classes(data: Microdata, criterion: Criterion) -> tuple[Classes, Any]:
    """The classes of a file, with what a criterion must know of them, and the criterion with its
    attributes named."""
    data.need_keys()
    bound = resolved(criterion, data)
    distinct, values = (f(data.confidential) for f in (bound.needs, bound.needs_values))
    if bound.registers:
        return _with_people(data, bound, (*distinct, *values)), bound
    classes = data.classes(distinct, values, sums_of(bound, data.confidential))
    return (classes.apart() if any(c.of_file for c in bound.parts) else classes), bound


def _with_people(data: Microdata, bound: Any, names: Sequence[str]) -> Classes:
    """The classes of a file one by one, with the people behind them."""
    if data.missing == "wildcard":
        keys = data.frequency_set(data.keys)
        by_value = {name: data.frequency_set([*data.keys, name]) for name in bound.needs(names)}
        classes = compatible_classes(keys, by_value)
    elif names:
        classes = data.classes((), names)
    else:
        size = data.frequency_set(data.keys).counts
        classes = Classes(size, np.ones_like(size), size)
    return with_people(data, classes, bound.registers)


def violating(classes: Classes, bound: Any) -> int:
    """How many records are in classes that fail a criterion; one where no class does and it fails
    all the same."""
    mask = np.logical_or.reduce(list(bound.failing(classes).values()))
    return _violations(classes, mask).records or int(bool(bound.vacancies(classes)))


def _violations(classes: Classes, mask: Bools) -> Violations:
    return Violations(int(classes.number[mask].sum()), int(classes.records[mask].sum()))
