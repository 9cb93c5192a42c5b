"""Record risk: identity and attribute disclosure together, over all an intruder may know.

An intruder who knows the attributes KS of a person finds the right one among count(r(KS)) records,
and then learns the rest. With PK(KS) the probability that just these attributes are publicly
known, W the sensitivity weights and α a coefficient of consequence,

    D(r) = Σ_KS  PK(KS) / count(r(KS))  ·  α · Σ_{A ∉ KS} W(A) · W(r(A))

Orooji & Knapp (2018), equations (1) to (4). A known set is kept while PK > ε (their Figure 1); what
the dropped sets could have added is bounded here by α · T(r) · [Π(1 + PK) − Σ kept PK], because
no count is below 1 and no sum of weights above T(r), the sensitivity of all values of the record.
"""

from __future__ import annotations

import functools
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_doc import Doc
from annotated_types import Ge, Interval

from discreet.data.masked import require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import DiscreetError, argument, fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.measures import measure
from discreet.parameters import Columns, File, InPython, Label, Needed, Values
from discreet.results import Provenance
from discreet.risks.exposure import CodedRecords, Exposure, exposure, of_records, sums_with_blanks
from discreet.risks.record_level import ProtectableRisk, RiskValues, ValuesHere
from discreet.risks.sensitivity import VALUE_TABLES, RiskSettings, settings_in, unknown_attributes
from discreet.surface import advice, function, in_python, said
from discreet.words import counted, share

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats
    from discreet.risks.exposure import Rows

MANY_SETS = 5_000  # known sets from which on a user should think of a larger ε
MOST_SETS = 200_000  # known sets that are refused unless the limit is raised
_THRESHOLD = 0.01  # above it the paper calls a risk high
_Share = Annotated[float, Interval(ge=0, le=1)]


@dataclass(frozen=True)
class KnownSet:
    """Attributes that an intruder may know together."""

    attributes: tuple[str, ...]
    probability: float
    contribution: float


@dataclass(frozen=True, eq=False, repr=False)
class RecordRisk(ProtectableRisk):
    """The risk of every record.

    Attributes
    ----------
    settings : RiskSettings
    n : int
        Number of records.
    sets, probabilities : tuple of tuples of str, array
        The known sets that were kept, the empty one first, and PK of each.
    unlisted : tuple of str
        Columns that are neither known nor sensitive: probability 0, weight 0.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"town": list("aaaab"), "illness": ["flu", "flu", "flu", "flu", "rare"]})
    >>> found = ds.record_risk(survey, {"town": 0.5}, {"illness": 1.0})
    >>> found.sets, [round(value, 1) for value in found.values.tolist()]
    (((), ('town',)), [32.5, 32.5, 32.5, 32.5, 70.0])
    >>> found.above(40).count
    1

    References
    ----------
    - Orooji, Knapp (2018), *A novel microdata privacy disclosure risk measure*. IISE Annual
      Conference.
    """

    settings: RiskSettings
    n: int
    unlisted: tuple[str, ...]
    provenance: Provenance
    kind: FrameKind
    sets: tuple[tuple[str, ...], ...] = field(compare=False)
    probabilities: Floats = field(compare=False)
    _found: RiskValues = field(compare=False)
    column_name: ClassVar[str] = "record_risk"
    limits: ClassVar[tuple[float, ...]] = (0.001, 0.01, 0.1, 1)
    measure: ClassVar[str] = "record_risk"

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that are known or sensitive."""
        return self.settings.attributes

    @property
    def known(self) -> tuple[str, ...]:
        """The attributes that may be known."""
        return tuple(name for name, likely in self.settings.known.items() if likely > 0)

    @property
    def arguments(self) -> dict[str, Any]:
        """The settings, by name."""
        return dict(vars(self.settings))

    @property
    def said(self) -> dict[str, Any]:
        """The settings as plain values."""
        return self.settings.to_dict()

    def again(self, data: Microdata) -> RecordRisk:
        """The same risk of other data."""
        return record_risk(data, settings=self.settings, most_sets=len(self.sets))

    def of_cells(self, data: Microdata) -> RecordRiskOfCells:
        """The same risk of these data, as a function of their cells."""
        return RecordRiskOfCells(
            CodedRecords.of(data, self.settings),
            [tuple(self.attributes.index(a) for a in s) for s in self.sets],
            self.probabilities,
            self.settings.alpha,
            data.missing == "wildcard",
        )

    @property
    def total(self) -> float:
        """The sum of all risks."""
        return self._summary[0]

    @functools.cached_property
    def known_sets(self) -> tuple[KnownSet, ...]:
        """The known sets that were kept, the empty one first, with what each adds to the total."""
        rows = zip(self.sets, self.probabilities, self._contributions[0], strict=True)
        return tuple(KnownSet(s, float(pk), float(part)) for s, pk, part in rows)

    @functools.cached_property
    def _contributions(self) -> tuple[Floats, Floats]:
        by_set, by_value = self._found.shares()
        return self.settings.alpha * by_set, self.settings.alpha * by_value

    @property
    def _by_attribute(self) -> tuple[list[float], Floats]:
        """What each attribute adds to the total as known, and as sensitive."""
        by_set, by_value = self._contributions
        names = self.settings.attributes
        return [math.fsum(by_set[[a in s for s in self.sets]]) for a in names], by_value

    @functools.cached_property
    def dropped(self) -> float:
        """Π(1 + PK) − Σ kept PK: the probability mass of the known sets that were not kept."""
        likely = [p for p in self.settings.known.values() if p > 0]
        if len(self.sets) == 2 ** len(likely):
            return 0.0
        return max(math.prod(1 + p for p in likely) - math.fsum(self.probabilities), 0.0)

    @property
    def bound(self) -> Floats:
        """Per record, the most that the dropped sets could have added to its risk."""
        return self.settings.alpha * self._found.sensitivity() * self.dropped

    @property
    def bound_total(self) -> float:
        """The most that the dropped sets could have added to the total."""
        return self.settings.alpha * self._found.sensitivity_summary()[0] * self.dropped

    def by_attribute(self, kind: FrameKind | None = None) -> Any:
        """Which attribute drives the risk: the share of the total from known sets with it, and
        the share that its values are at stake in."""
        names, settings, whole = self.settings.attributes, self.settings, self.total or 1.0
        known, by_value = self._by_attribute
        columns = {
            "attribute": list(names),
            "probability": [float(settings.known.get(a, 0)) for a in names],
            "sensitivity": [float(settings.sensitivity.get(a, 0)) for a in names],
            "as_known": [part / whole for part in known],
            "as_sensitive": [float(part) / whole for part in by_value],
        }
        return self._frame(columns, kind)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per known set: attributes, PK, contribution to the total."""
        columns = {
            "known": [", ".join(s.attributes) for s in self.known_sets],
            "probability": [s.probability for s in self.known_sets],
            "contribution": [s.contribution for s in self.known_sets],
        }
        return self._frame(columns, kind)

    def explain(self) -> str:
        """The numbers in a few sentences, and what to do next."""
        high = self.above(_THRESHOLD)
        lines = [
            f"{counted(high.count, 'record')} of {self.n:,} ({share(high.count, self.n)}) "
            f"{'has' if high.count == 1 else 'have'} a risk above {_THRESHOLD:g}; the highest is "
            f"{self.highest:.4g}, the mean {self.mean:.4g}.",
            f"Summed over {counted(len(self.sets), 'set')} of attributes that an intruder may "
            f"know (probability above {self.settings.epsilon:g}); {self._bound_words()}",
            self._drivers(),
        ]
        if self.unlisted:
            lines.append(
                f"Treated as never known and not sensitive: {listed(self.unlisted)}. "
                "Give them a probability or a weight if that is wrong."
            )
        lines += self.provenance.cautions()
        drivers = "".join(advice(f", or look at {in_python('.by_attribute()')}"))
        lines += advice(
            "Next: protect the records above your threshold with "
            f"{function('protect_records', 'data, risk, at_most=…')}{drivers}."
        )
        return "\n".join(lines)

    def _bound_words(self) -> str:
        if self.dropped == 0:
            return "no set was left out."
        most = self.settings.alpha * self._found.sensitivity_summary()[1] * self.dropped
        return f"the sets left out could add at most {most:.4g} to a record's risk."

    def _drivers(self) -> str:
        names, (known, by_value) = self.settings.attributes, self._by_attribute
        most_known, most_sensitive = int(np.argmax(known)), int(np.argmax(by_value))
        if self.total == 0:
            return "No record is at risk."
        return (
            f"Most of it comes from knowing {names[most_known]!r} "
            f"({known[most_known] / self.total:.0%}) and from what {names[most_sensitive]!r} "
            f"would tell ({by_value[most_sensitive] / self.total:.0%})."
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON: no value of a single record but the highest."""
        return {
            **self._plain("n", "highest", "mean", "total"),
            **self._by_risk(),
            **self._plain("known_sets", "dropped", "bound_total", "settings", "unlisted"),
            "computed_from": self.provenance.to_dict(),
        }

    def __repr__(self) -> str:
        return (
            f"RecordRisk: {counted(self.n, 'record')}, {counted(len(self.sets), 'known set')}, "
            f"highest {self.highest:.4g}, {self.above(_THRESHOLD).count:,} above {_THRESHOLD:g}"
        )


@measure(
    title="Record risk",
    about="The risk of each record over all sets of attributes that an intruder may know.",
    side="risk",
    of="file",
    figures={
        "mean": "mean risk of a record",
        "highest": "highest risk of a record",
        "total": "sum of the risks of all records",
    },
    by_equality=True,
    per_record=True,
)
def record_risk(
    data: Microdata,
    known: Annotated[
        Mapping[str, _Share] | None,
        Columns(),
        Label("Known"),
        Doc("The probability that an intruder knows the value of a person, per attribute."),
        Needed,
    ] = None,
    sensitivity: Annotated[
        Mapping[str, _Share] | None,
        Columns(),
        Label("Sensitive"),
        Doc("How harmful it is when the value becomes known, per attribute."),
        Needed,
    ] = None,
    value_sensitivity: Annotated[
        Mapping[str, Any] | None,
        Columns(),
        Label("Sensitive values"),
        Doc("Weights of the values of an attribute, or of ranges of numbers."),
        Values,
        VALUE_TABLES,
    ] = None,
    *,
    alpha: Annotated[
        float, Ge(1), Label("Consequence α"), Doc("The coefficient of consequence.")
    ] = 100,
    epsilon: Annotated[
        float,
        Interval(ge=0, le=1),
        Label("Leave out sets less likely than ε"),
        Doc("Only sets of attributes with a probability above this are looked at."),
    ] = 0.01,
    default: Annotated[
        float | None,
        Interval(ge=0, le=1),
        Label("Weight of values not listed"),
        Doc("Weight of values that a table does not list; without it they are an error."),
    ] = None,
    settings: Annotated[
        RiskSettings | str | os.PathLike[str] | None,
        InPython,
        File("TOML file that says what is known and what is sensitive."),
        Doc("In place of all of the above."),
    ] = None,
    most_sets: Annotated[
        int, Ge(1), InPython, Doc("More known sets than this are refused.")
    ] = MOST_SETS,
) -> RecordRisk:
    """Measure how likely each record is recognised, and how much that would tell.

    Parameters
    ----------
    data : Microdata
        Roles do not matter here: every attribute may be known and sensitive at once.
    known : mapping of attribute to probability
        How likely an intruder knows a person's value. What is not listed is never known.
    sensitivity : mapping of attribute to weight
        How harmful it is when the value becomes known, 0 to 1. What is not listed is not.
    value_sensitivity : mapping of attribute to values or ranges, optional
        ``{"illness": {"flu": 0.2, "cancer": 1.0}}``, or for numbers
        ``{"income": [(None, 40_000, 1.0), (40_000, 70_000, 0.7)]}`` with above < x ≤ up_to. An
        attribute without has value weight 1. A missing value weighs 0.
    alpha : float
        The coefficient of consequence, at least 1.
    epsilon : float
        Sets of attributes are looked at while their probability is above ε; 0: all.
    default : float, optional
        The weight of values that a given table does not list; without it they are an error.
    settings : RiskSettings or path of a TOML file, optional
        In place of all of the above.
    most_sets : int
        More known sets than this are refused: raise it, or ε.

    Returns
    -------
    RecordRisk

    Examples
    --------
    Tables 1 and 2 of the paper:

    >>> import discreet as ds
    >>> table = {"age": [34, 19, 40, 34, 51], "sex": list("MFMMF"), "race": list("BWABB"),
    ...          "income": [60, 36, 45, 50, 65], "disease": ["flu"] * 3 + ["cancer", "flu"]}
    >>> risk = ds.record_risk(
    ...     ds.read(table),
    ...     known={"age": 0.3, "sex": 0.8, "race": 0.7, "income": 0.005, "disease": 0.001},
    ...     sensitivity={"income": 0.9, "disease": 1.0},
    ...     value_sensitivity={"income": [(None, 40, 1.0), (40, 70, 0.7)],
    ...                        "disease": {"flu": 0.2, "cancer": 1.0}},
    ... )
    >>> risk.top(1, "arrow").to_pydict()["record"]
    [1]

    References
    ----------
    - Orooji, Knapp (2018), *A novel microdata privacy disclosure risk measure*. IISE Annual
      Conference.
    """
    require_microdata(data)
    require_records(data)
    given = {"known": known, "sensitivity": sensitivity, "value_sensitivity": value_sensitivity}
    rest = {"alpha": alpha, "epsilon": epsilon, "default": default}
    chosen = _settings(data, settings, {name: value or {} for name, value in given.items()}, rest)
    chosen.require_fit(data)
    sets, probabilities = _known_sets(chosen, most_sets)
    names = chosen.attributes
    return RecordRisk(
        settings=chosen,
        n=data.n,
        unlisted=tuple(c for c in data.columns if c not in names),
        provenance=Provenance.of(data, counted=[name for name in names if chosen.known.get(name)]),
        kind=data.source.kind,
        sets=tuple(tuple(names[a] for a in s) for s in sets),
        probabilities=probabilities,
        _found=_values(data, chosen, sets, probabilities),
    )


def _settings(
    data: Microdata, settings: Any, given: dict[str, Any], rest: dict[str, Any]
) -> RiskSettings:
    """The settings, however they are given; all that is wrong with them is said at once."""
    if settings is not None and any(given.values()):
        fail(
            "P09",
            "the settings are given twice.",
            f"Give {argument('settings')}, or {argument('known')} and the others.",
        )
    if isinstance(settings, RiskSettings):
        return settings
    if settings is not None and not isinstance(settings, str | os.PathLike):
        what = f"{argument('settings')} is neither {function('RiskSettings')} nor a file."
        fail("P09", what, "Give the path of a TOML file.")
    asked = {**given, **rest} if settings is None else settings_in(Path(settings))
    try:
        return RiskSettings(**asked)
    except DiscreetError as error:
        problems = error.problems
    names = (asked.get("known"), asked.get("sensitivity"))
    raise_all([*problems, *unknown_attributes(data, *names)])
    raise AssertionError


def _known_sets(settings: RiskSettings, most: int) -> tuple[list[tuple[int, ...]], Floats]:
    """The sets by position in ``settings.attributes``."""
    from discreet.kernels.known_sets.enumeration import TooManySets, known_sets

    likely = [float(settings.known.get(name, 0.0)) for name in settings.attributes]
    try:
        sets, probabilities = known_sets(likely, settings.epsilon, most)
    except TooManySets as error:
        what = f"more than {error.limit:,} sets of attributes are likely enough to be known."
        fail(
            "P42",
            what,
            f"Raise {argument('epsilon')}, or {argument('most_sets')} if you have the time.",
        )
    if len(sets) > MANY_SETS:
        fewer = f"a larger {argument('epsilon')} keeps fewer."
        warnings.warn(
            said(f"{len(sets):,} known sets are kept: this takes long; {fewer}"), stacklevel=4
        )
    return sets, probabilities


def _values(
    data: Microdata, settings: RiskSettings, sets: list[tuple[int, ...]], probabilities: Floats
) -> RiskValues:
    if data.source.row is None:
        from discreet.risks.distributed import exposed_in_engine

        return exposed_in_engine(data, settings, sets, probabilities)
    found = exposure(data, settings, sets, probabilities)
    risks = settings.alpha * (found.sensitivity * found.reach - found.spent)
    # rounding may leave −1e-18 where nothing is unknown
    return ValuesHere(data, np.maximum(risks, 0.0), found.sensitivity, found.shares)


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
