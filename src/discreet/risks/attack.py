"""Attacks: what somebody achieves with a masked file, beyond what anybody could without it.

The three ways in which a person can be harmed [1]_ are tried out on people drawn at random [2]_:

- *Singling out*: a masked record stands alone, and exactly one person fits its description.
- *Linkability*: two people who know different attributes of a person are led to the same record.
- *Inference*: the nearest masked record has the confidential value of the person.

Some attacks succeed by themselves, since people are alike. So others are attacked in the same way
as a control group, each in a file that does not have the own record. The risk is how much more
often attacks succeed: (a − c) / (1 − c) for shares a and c that succeed. Its interval is made from
Wilson's intervals of both shares, whose middles are nearer to 1/2 than the shares of few attacks.

References
----------
.. [1] Article 29 Data Protection Working Party (2014), *Opinion 05/2014 on anonymisation
   techniques* (WP216).
.. [2] Giomi, Boenisch, Wehmeyer, Tasnádi (2023), *A unified framework for quantifying privacy risk
   in synthetic data*. Proceedings on Privacy Enhancing Technologies 2023 (2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_doc import Doc
from annotated_types import Ge, Gt, Interval

from discreet.data import attributes
from discreet.data.link import Linked, link
from discreet.data.masked import require_records
from discreet.data.microdata import Microdata
from discreet.errors import Problem, argument, fail, listed, raise_all
from discreet.frames import FrameKind
from discreet.measures import FigureKind, measure, need_fit
from discreet.parameters import Columns, Label, Public, Seed
from discreet.results import Provenance, Result
from discreet.risks.attacked_records import AttackedRecords, attacked_records
from discreet.risks.key_covers import Meanings
from discreet.risks.linkage import chosen_columns, unknown_columns
from discreet.words import counted

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats, Ints

ATTACKS = ("singling_out", "linkability", "inference")
_FIGURES = tuple(f"{name}{end}" for name in ATTACKS for end in ("", "_high"))
_FEW = 100  # people: an interval of a share may be ±0.1 wide
_HIGH = 0.1  # of the upper end of an interval: worth a word


@dataclass(frozen=True)
class SuccessRate:
    """A share of attacks that succeed, by Wilson's interval: its middle, and half its width.

    Examples
    --------
    >>> found = SuccessRate.of(850, 1000, 0.95)
    >>> round(found.value, 3), round(found.error, 3)
    (0.849, 0.022)

    References
    ----------
    - Wilson (1927), *Probable inference, the law of succession, and statistical inference*. Journal
      of the American Statistical Association 22.
    """

    value: float
    error: float

    @classmethod
    def of(cls, successes: float, tried: int, confidence: float) -> SuccessRate:
        """From a number of successes; of expected ones the interval is too wide, if anything."""
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        below = tried + z * z
        spread = math.sqrt(max(successes * (tried - successes), 0.0) / tried + z * z / 4)
        return cls((successes + z * z / 2) / below, z * spread / below)

    def beyond(self, control: SuccessRate) -> SuccessRate:
        """How much more often attacks succeed than on the control group, as a share of the attacks
        that fail there.

        Examples
        --------
        >>> found = SuccessRate(0.9, 0.02).beyond(SuccessRate(0.85, 0.02))
        >>> round(found.value, 3), round(found.error, 3)
        (0.333, 0.16)
        """
        left = 1 - control.value
        by_control = control.error * (1 - self.value) / left**2
        return SuccessRate(
            (self.value - control.value) / left, math.hypot(self.error / left, by_control)
        )

    @property
    def interval(self) -> tuple[float, float]:
        """Its ends, from 0 to 1."""
        return _bound(self.value - self.error), _bound(self.value + self.error)


@dataclass(frozen=True)
class AttackRisk:
    """What one kind of attack achieves.

    Attributes
    ----------
    attack : {"singling_out", "linkability", "inference"}
    secret : str or None
        The attribute that is inferred.
    people, control : int
        How many were attacked, and how many as a control group.
    successes, control_successes : float
        Attacks that succeed, as expected where several records are equally near.
    confidence : float
        Of the interval.
    """

    attack: str
    secret: str | None
    people: int
    successes: float
    control: int
    control_successes: float
    confidence: float

    @property
    def value(self) -> float:
        """The risk: how much more often attacks succeed than on the control group; 0 where they
        always do there."""
        by_chance = self.control_successes / self.control
        if by_chance == 1:
            return 0.0
        return _bound((self.successes / self.people - by_chance) / (1 - by_chance))

    @property
    def low(self) -> float:
        """The lower end of its interval."""
        return min(self._beyond.interval[0], self.value)

    @property
    def high(self) -> float:
        """The upper end of its interval."""
        return max(self._beyond.interval[1], self.value)

    @property
    def _beyond(self) -> SuccessRate:
        rate = SuccessRate.of(self.successes, self.people, self.confidence)
        return rate.beyond(SuccessRate.of(self.control_successes, self.control, self.confidence))

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "attack": self.attack,
            "secret": self.secret,
            "people": self.people,
            "succeed": self.successes / self.people,
            "control": self.control,
            "succeed_in_control": self.control_successes / self.control,
            "risk": self.value,
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Attack(Result):
    """What attacks on a masked file achieve beyond chance.

    Attributes
    ----------
    risks : tuple of AttackRisk
        One for each attack that was made; for inference one for each confidential attribute.
    columns, other_columns, secrets : tuple of str
        What is known of a person, what somebody else knows for linkability, and what is inferred.
    n : int
        Released records.
    alone : int
        Of the people attacked, those whose masked record stands alone in the masked file.
    not_applicable : mapping of figure to str
        Why an attack cannot be made.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(600, seed=1), keys=["age", "zip"])
    >>> found = ds.attack(survey, ds.sample(survey, fraction=1.0, seed=1))
    >>> found.singling_out > 0.6
    True

    References
    ----------
    - Giomi, Boenisch, Wehmeyer, Tasnádi (2023), *A unified framework for quantifying privacy risk
      in synthetic data*. Proceedings on Privacy Enhancing Technologies 2023 (2).
    """

    risks: tuple[AttackRisk, ...]
    columns: tuple[str, ...]
    other_columns: tuple[str, ...]
    secrets: tuple[str, ...]
    n: int
    alone: int
    confidence: float
    not_applicable: Mapping[str, str]
    provenance: Provenance
    kind: FrameKind
    shown = (
        *_FIGURES, "people", "control", "too_small", "alone", "confidence", "n", "columns",
        "other_columns", "secrets", "risks", "not_applicable",
    )  # fmt: skip

    @property
    def singling_out(self) -> float | None:
        """The risk of being singled out."""
        return self._figure("singling_out")

    @property
    def singling_out_high(self) -> float | None:
        """The upper end of its interval."""
        return self._figure("singling_out", "high")

    @property
    def linkability(self) -> float | None:
        """The risk that what two people know is linked."""
        return self._figure("linkability")

    @property
    def linkability_high(self) -> float | None:
        """The upper end of its interval."""
        return self._figure("linkability", "high")

    @property
    def inference(self) -> float | None:
        """The risk that a confidential value is inferred: the largest one."""
        return self._figure("inference")

    @property
    def inference_high(self) -> float | None:
        """The largest upper end of an interval."""
        return self._figure("inference", "high")

    @property
    def people(self) -> int:
        """How many were attacked; as many others are the control group."""
        return self.risks[0].people

    @property
    def control(self) -> int:
        """How many are in the control group."""
        return self.risks[0].control

    @property
    def too_small(self) -> bool:
        """Whether the control group is too small to tell much."""
        return self.control < _FEW

    def _figure(self, attack: str, of: str = "value") -> float | None:
        found = [getattr(one, of) for one in self.risks if one.attack == attack]
        return max(found) if found else None

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per attack: how many succeed, how many in the control group, and the risk."""
        return self._frame([one.to_dict() for one in self.risks], kind)

    def explain(self) -> str:
        """The risks, what they mean, and what to try next."""
        lines = [
            f"{counted(self.people, 'person')} and as many others as a control group, drawn from "
            f"{counted(self.n, 'released record')}, were attacked by someone who knows "
            f"{listed(self.columns)}.",
            *(self._sentence(one) for one in self.risks),
            *(f"{_WORDS[name]} cannot be tried: {self.not_applicable[name]}"
              for name in ATTACKS if name in self.not_applicable),
        ]  # fmt: skip
        if self.too_small:
            lines.append(
                f"The control group is too small: with fewer than {_FEW} people the intervals are "
                "too wide to tell much."
            )
        lines += [*self.provenance.by_record(), *self.provenance.unweighted()]
        if max(one.high for one in self.risks) > _HIGH:
            lines.append("Next: mask more strongly what an intruder may know, and compare.")
        return "\n".join(lines)

    def _sentence(self, one: AttackRisk) -> str:
        of = f" of {one.secret!r}" if one.secret else ""
        succeed, by_chance = one.successes / one.people, one.control_successes / one.control
        return (
            f"{_WORDS[one.attack]}{of}: risk {one.value:.3f}, from {one.low:.3f} to {one.high:.3f} "
            f"with {one.confidence:.0%} confidence. {succeed:.1%} succeed, {by_chance:.1%} in the "
            "control group."
        )


_WORDS = {"singling_out": "Singling out", "linkability": "Linking", "inference": "Inference"}


def _bound(share: float) -> float:
    return min(max(share, 0.0), 1.0)


def _figures() -> dict[str, FigureKind]:
    meaning = {
        "singling_out": "risk of being singled out",
        "linkability": "risk that what two people know is linked",
        "inference": "risk that a confidential value is inferred, the largest",
    }
    found = {}
    for name in ATTACKS:
        found[name] = FigureKind(f"{meaning[name]}, beyond chance")
        found[f"{name}_high"] = FigureKind(f"upper end of the interval of the {meaning[name]}")
    return found


@measure(
    title="Attacks",
    about="What singling out, linking and inference achieve with a masked file, beyond chance.",
    side="risk",
    figures=_figures(),
    public=(*_FIGURES, "n", "people", "control", "too_small", "confidence"),
)
def attack(
    initial: Microdata,
    masked: Microdata,
    columns: Annotated[
        Sequence[str] | None,
        Columns(),
        Label("What is known"),
        Doc("What the intruder knows; the keys by default."),
        Public,
    ] = None,
    *,
    on: str | None = None,
    other_columns: Annotated[
        Sequence[str] | None,
        Columns(),
        Label("What others know"),
        Doc("What somebody else knows, for linkability; by default every second known column."),
        Public,
    ] = None,
    secrets: Annotated[
        Sequence[str] | None,
        Columns(),
        Label("What is inferred"),
        Doc("What the intruder wants to know; the confidential attributes by default."),
        Public,
    ] = None,
    attacks: Annotated[
        int,
        Ge(1),
        Label("Attacks"),
        Doc("Number of people to attack, and of the control group; at most half the file."),
        Public,
    ] = 1000,
    width: Annotated[
        float,
        Gt(0),
        Label("Width"),
        Doc("How far off a number may be and still count as right, in standard deviations."),
        Public,
    ] = 0.05,
    confidence: Annotated[
        float,
        Interval(gt=0, lt=1),
        Label("Confidence"),
        Doc("Confidence of the intervals."),
        Public,
    ] = 0.95,
    hierarchies: Meanings = None,
    seed: Annotated[int, Seed, Label("Seed"), Doc("The same seed attacks the same people.")] = 0,
) -> Attack:
    """Try out singling out, linking and inference on a masked file.

    The intruder knows initial values, and looks for the nearest masked record: numbers in standard
    deviations, names and labels 0 or 1 apart. What is missing tells nothing. Of records that are
    equally near one is taken at random: the chance of being right counts.

    Parameters
    ----------
    initial, masked : Microdata
        As for :func:`disclosure_risk`.
    columns : list of str, optional
        What the intruder knows; the keys by default.
    on : str, optional
        Column that links the records of a file masked elsewhere.
    other_columns : list of str, optional
        For linkability: what somebody else knows. By default the columns are dealt out to both in
        turn.
    secrets : list of str, optional
        For inference: the confidential attributes by default.
    attacks : int
        How many people are attacked; as many others are the control group, half the file at most.
    width : float
        How far a number may be away to be right, in standard deviations of the initial values.
    confidence : float
        Of the intervals.
    hierarchies : mapping of key to Hierarchy, optional
        What the labels of a file masked elsewhere stand for. What was masked here knows it.
    seed : int
        The same seed attacks the same people, in whatever order the records are.

    Returns
    -------
    Attack
        ``.singling_out``, ``.linkability``, ``.inference`` from 0 to 1, each with its ``_high``;
        ``.risks`` has both ends of every interval.

    Examples
    --------
    >>> import discreet as ds
    >>> patients = ds.datasets.patients(600, seed=1)
    >>> survey = ds.read(patients, keys=["age", "zip", "sex"], confidential=["illness"])
    >>> masked = ds.suppress_cells(survey, ds.KAnonymity(5), seed=1)
    >>> ds.attack(survey, masked).singling_out
    0.0

    References
    ----------
    - Giomi, Boenisch, Wehmeyer, Tasnádi (2023), *A unified framework for quantifying privacy risk
      in synthetic data*. Proceedings on Privacy Enhancing Technologies 2023 (2).
    - Article 29 Data Protection Working Party (2014), *Opinion 05/2014 on anonymisation techniques*
      (WP216).
    """
    need_fit(attack, attacks=attacks, width=width, confidence=confidence, seed=seed)
    linked = link(initial, masked, on, classed=False)
    require_records(masked)
    asked = _asked(linked, columns, other_columns, secrets)
    coded = attacked_records(linked, asked.every, asked.columns, hierarchies)
    if coded.n < 2:
        fail("N07", "one released record has no control group.", "Release more records.")
    drawn = coded.drawn(min(int(attacks), coded.n // 2), int(seed))
    made = _Attacks(coded, asked, drawn, float(width), float(confidence))
    return Attack(
        risks=tuple(made.risks()),
        columns=asked.columns,
        other_columns=asked.halves[1],
        secrets=asked.secrets,
        n=coded.n,
        alone=made.alone,
        confidence=float(confidence),
        not_applicable=asked.not_applicable,
        provenance=Provenance.of(initial),
        kind=masked.source.kind,
    )


@dataclass(frozen=True)
class _Known:
    """Who knows what: the columns known, those of two people, and what is wanted."""

    columns: tuple[str, ...]
    halves: tuple[tuple[str, ...], tuple[str, ...]]
    secrets: tuple[str, ...]

    @property
    def every(self) -> tuple[str, ...]:
        """All columns, once."""
        return tuple(dict.fromkeys((*self.columns, *self.halves[1], *self.secrets)))

    @property
    def not_applicable(self) -> dict[str, str]:
        """Which attacks cannot be made, and why."""
        absent = {}
        if not all(self.halves):
            absent["linkability"] = (
                "linkability needs at least two known attributes, one for each person."
            )
        if not self.secrets:
            absent["inference"] = "there is no confidential attribute that is not known."
        return {f"{name}{end}": why for name, why in absent.items() for end in ("", "_high")}


def _asked(linked: Linked, columns: Any, other_columns: Any, secrets: Any) -> _Known:
    """What is known and wanted, or all that is wrong with it."""
    known = chosen_columns(linked, columns)
    others = tuple(dict.fromkeys(attributes.names(other_columns)))
    wanted = tuple(dict.fromkeys(attributes.names(secrets)))
    files = (linked.initial, linked.masked)
    problems = unknown_columns(files, (*known, *others, *wanted))
    problems += [
        Problem("P16", f"{name!r} is in {argument('columns')}, too.", "Name it once.", given)
        for given, some in (("other_columns", others), ("secrets", wanted))
        for name in some
        if name in known
    ]
    raise_all(problems)
    usual = [c for c in linked.initial.confidential if c in linked.masked.columns]
    halves = (known, others) if others else (known[0::2], known[1::2])
    return _Known(known, halves, wanted or tuple(c for c in usual if c not in known))


@dataclass
class _Attacks:
    """The attacks on the people drawn, and on the control group."""

    coded: AttackedRecords
    asked: _Known
    drawn: tuple[Ints, Ints]
    width: float
    confidence: float
    alone: int = 0

    def risks(self) -> list[AttackRisk]:
        """What each attack achieves."""
        found = [self._risk("singling_out", None, self._singled_out())]
        if all(self.asked.halves):
            found.append(self._risk("linkability", None, self._linked()))
        if self.asked.secrets:
            told = self._inferred()
            found += [
                self._risk("inference", name, [of_all[:, s] for of_all in told])
                for s, name in enumerate(self.asked.secrets)
            ]
        return found

    def _risk(self, attack: str, secret: str | None, chances: list[Floats]) -> AttackRisk:
        people, control = chances
        sums = math.fsum(np.sort(people)), math.fsum(np.sort(control))
        return AttackRisk(
            attack, secret, len(people), sums[0], len(control), sums[1], self.confidence
        )

    def _singled_out(self) -> list[Floats]:
        """Whether a masked record stands alone and exactly one person fits it; without the own
        person for the control group."""
        from discreet.kernels.attacks import fits_own, fitting

        coded, by = self.coded, self.coded.at(self.asked.columns)
        widths = coded.widths(by, self.width)
        found = []
        for group, own in zip(self.drawn, (0, 1), strict=True):
            shown = coded.masked[group]
            alone = fitting(shown, *coded.points, by, widths, coded.kinds, initial=False) == 1
            number = fitting(
                shown, *coded.population, by, widths, coded.kinds, initial=True
            ) - own * fits_own(shown, coded.initial[group], by, widths, coded.kinds)
            self.alone = self.alone if own else int(alone.sum())
            found.append((alone & (number == 1)).astype(np.float64))
        return found

    def _linked(self) -> list[Floats]:
        """The chance that what two people know leads to the same record."""
        from discreet.kernels.attacks import same_record

        first, second = self.asked.halves
        return self._chances(same_record, (self.coded.at(first), self.coded.at(second)))

    def _inferred(self) -> list[Floats]:
        """The chance that the nearest record tells each secret."""
        from discreet.kernels.attacks import right_values

        by, wanted = self.coded.at(self.asked.columns), self.coded.at(self.asked.secrets)
        return self._chances(right_values, by, (wanted, self.coded.widths(wanted, self.width)))

    def _chances(self, attack: Callable[..., Floats], *of: Any) -> list[Floats]:
        """What an attack achieves on the people drawn, and on the control group without its own."""
        coded = self.coded
        return [
            attack(
                coded.initial[group], coded.own[group], coded.points, *of, coded.kinds,
                without_own=without,
            )
            for group, without in zip(self.drawn, (False, True), strict=True)
        ]  # fmt: skip
