"""The facts of a release: all that a report shows, computed once by the public functions."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import discreet as ds
from discreet.reports.names import distinct, renamed
from discreet.surface import said
from discreet.words import NOT_USED, PERTURBED

Audience = Literal["internal", "public"]
_TOGETHER: tuple[Literal["household", "subject"], ...] = ("household", "subject")
_USUAL_K = 3
FEWEST = 5  # records: the usual limit of official statistics for what may be shown


@dataclass(frozen=True, eq=False)
class ReportInput:
    """What the caller gave besides the two files."""

    criterion: Any = None
    found: Any = None
    ru_map: Any = None
    record_risk: Any = None
    score: Any = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, Any] = field(default_factory=dict)
    identifiers: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Facts:
    """Two files, their measures, and for whom they are shown.

    Attributes
    ----------
    threshold : int
        Least number of records that a category or a bin of the report holds.
    names : mapping
        Columns by the short name they have on the page.
    checks : tuple
        Outcomes of the criteria, in order.
    """

    initial: ds.Microdata
    masked: ds.Microdata
    on: str | None
    audience: Audience
    threshold: int
    names: Mapping[str, str]
    given: ReportInput
    before: ds.Risk
    after: ds.Risk
    disclosure: ds.DisclosureRisk
    loss: ds.InformationLoss
    checks: tuple[Any, ...]

    @property
    def public(self) -> bool:
        """Whether the report is for readers who must not learn about the initial file."""
        return self.audience == "public"

    @property
    def steps(self) -> tuple[Any, ...]:
        """What was done to the initial file, where it is known."""
        return getattr(self.masked, "steps", ()) if self.on is None else ()

    @property
    def released(self) -> tuple[str, ...]:
        """The columns of the masked file that are released, with identifiers that are written
        all the same."""
        written = {*self.masked.released, *self.given.identifiers} - {self.on}
        return tuple(c for c in self.masked.columns if c in written)

    @property
    def satisfied(self) -> bool | None:
        """Whether all criteria hold; None when none was given."""
        return all(check.satisfied for check in self.checks) if self.checks else None

    @property
    def perturbed(self) -> tuple[str, ...]:
        """The keys whose values were changed at random, so that classes by them mean little."""
        return self.after.provenance.perturbed

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the steward must see to before release: identifiers in a file masked elsewhere."""
        named = (*self.masked.identifiers, self.masked.household, self.masked.subject)
        left = [c for c in named if c is not None]
        if self.on is None or not left:
            return ()
        names = self.listed(left)
        return (f"identifiers are still in the masked file: {names}. Remove them before release.",)

    def listed(self, columns: Sequence[str]) -> str:
        """Columns by their short names."""
        return ", ".join(self.names.get(c, c) for c in columns)

    def said(self, text: str) -> str:
        """A text in the words of the page, with long names of columns shortened."""
        return renamed(said(text), self.names)

    def explained(self, result: Any) -> tuple[str, ...]:
        """What a result says of itself, but for its advice on what to call next, and for what the
        report says once."""
        lines = self.said(result.explain()).splitlines()
        return tuple(line for line in lines if not line.startswith(("Next: ", NOT_USED, PERTURBED)))

    def changed(self) -> list[str]:
        """The released attributes whose values were changed, in the order of the file."""
        shared = [c for c in self.released if c in self.initial.released]
        if self.on is None and isinstance(self.masked, ds.Masked):
            return [c for c in shared if c in self.masked.changed]
        keys = [c for c in shared if c in self.initial.keys and c not in self.loss.untouched]
        others = [c for c in shared if c not in self.initial.keys and self._differs(c)]
        return [c for c in shared if c in {*keys, *others}]

    @functools.cached_property
    def unchanged(self) -> ds.Unchanged:
        """What is released unchanged, but for the column that links a file masked elsewhere."""
        if self.on is None and isinstance(self.masked, ds.Masked):
            return ds.unchanged(self.masked, identifiers=self.given.identifiers)
        linking = () if self.on is None else (self.on,)
        return ds.unchanged(self.masked, changed=[*self.changed(), *linking])

    @functools.cached_property
    def together(self) -> dict[str, ds.Risk | str]:
        """The risk of those who are put together, or why there is none: by household and by
        subject, where the file says who they are."""
        found: dict[str, ds.Risk | str] = {}
        for by in _TOGETHER:
            if getattr(self.masked, by) is not None:
                try:
                    found[by] = ds.risk(self.masked, by=by)
                except ds.DiscreetError as error:
                    found[by] = error.problems[0].text
        return found

    @functools.cached_property
    def readings(self) -> ds.Readings | None:
        """Among how many each record hides, where cells of the keys were changed one by one."""
        if not self._is_changed_in_cells:
            return None
        sizes = [one.least_size for one in criteria_of(self.given)]
        k = max((size for size in sizes if size > 1), default=_USUAL_K)
        return ds.readings(self.initial, self.masked, on=self.on, k=k)

    @property
    def _is_changed_in_cells(self) -> bool:
        """Whether a key has more blanks than before, or single cells of it were changed; of a file
        masked elsewhere, whether it has more for its number of records."""
        before, after, keys = self.initial, self.masked, self.initial.keys
        if isinstance(after, ds.Masked) and self.on is None:
            more = any(after.profile[k][1] > before.profile[k][1] for k in keys)
            return more or bool(after.in_cells & set(keys))
        return any(after.profile[k][1] * before.n > before.profile[k][1] * after.n for k in keys)

    def _differs(self, column: str) -> bool:
        before, after = (d.frequency_set([column]) for d in (self.initial, self.masked))
        return bool(before != after)


def threshold_of(criteria: Sequence[Any]) -> int:
    """Least number of records of a category that is shown: five, or the least size of a class that
    is asked for, where that is larger.
    """
    return max([FEWEST, *(one.least_size for one in criteria)])


def gather(
    initial: ds.Microdata,
    masked: ds.Microdata,
    given: ReportInput,
    *,
    on: str | None,
    audience: Audience,
    threshold: int | None,
) -> Facts:
    """Compute what the report shows."""
    masked = _with_roles(initial, masked, on)
    criteria = criteria_of(given)
    disclosure = ds.disclosure_risk(initial, masked, on=on)
    return Facts(
        initial,
        masked,
        on,
        audience,
        threshold or threshold_of(criteria),
        distinct([*initial.columns, *masked.columns]),
        given,
        ds.risk(initial),
        ds.risk(masked),
        disclosure,
        ds.information_loss(initial, masked, on=on),
        checked(initial, masked, on, criteria),
    )


def criteria_of(given: ReportInput) -> list[Any]:
    """The criteria one by one; those of the search when none are given."""
    criterion = given.criterion
    if criterion is None and given.found is not None:
        criterion = given.found.task.asked
    several = criterion if isinstance(criterion, list | tuple) else [criterion]
    return [part for c in several if c is not None for part in c.parts]


def checked(
    initial: ds.Microdata, masked: ds.Microdata, on: str | None, criteria: Sequence[Any]
) -> tuple[Any, ...]:
    """The outcomes of criteria, one by one."""
    return tuple(
        ds.check(initial, masked, one, on=on) if one.compares_files else ds.check(masked, one)
        for one in criteria
    )


def _with_roles(initial: ds.Microdata, masked: ds.Microdata, on: str | None) -> ds.Microdata:
    """A file masked elsewhere with the roles of the initial one, where it has none."""
    if masked.keys or any(key not in masked.columns for key in initial.keys):
        return masked
    here = [c for c in initial.identifiers if c in masked.columns and c != on]
    confidential = [c for c in initial.confidential if c in masked.columns]
    roles: dict[str, Any] = {"keys": initial.keys, "confidential": confidential}
    free = {*initial.keys, *confidential}
    roles["identifiers"] = [c for c in here if c not in free]
    for role in ("household", "subject"):
        name = getattr(initial, role)
        if name in masked.columns and name != on and name not in free:
            whole = masked.profile[name][1] == 0  # else it tells nothing, and must go all the same
            roles |= {role: name} if whole else {"identifiers": [*roles["identifiers"], name]}
    if on in masked.columns and on not in free:
        roles["record_id"] = on
    return masked.with_roles(**roles)
