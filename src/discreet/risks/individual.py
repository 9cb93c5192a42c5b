"""Individual risk: how likely the match of a sampled record with the population is the right one.

An intruder who has the names and keys of the whole population finds F people with the keys of a
record, and one of them is the right one. The sample knows f records with these keys and, by their
weights, about how many people they stand for: F̂, the sum of the weights. With p = f/F̂ the size F of
the class is taken to be negative binomial, and the risk of the record is r = E(1/F | f).

The sum of r is the number of records that such an intruder is expected to match rightly. It has an
interval by the spread of 1/F in the same model: a gamma distribution of the same mean and variance.

A household gives everybody in it away when one of them is recognised. Where the members are matched
independently of each other, that happens with probability 1 − Π(1 − r); where whoever matches one
matches all the riskiest does, with that of the riskiest one, max r. Between these two it lies
whenever a match of one makes a match of the others more likely and not less.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from discreet.data.masked import require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.data.numbers import household_numbers, in_order, with_made
from discreet.errors import argument, fail, listed
from discreet.frames import FrameKind
from discreet.frequency.frequency_set import FrequencySet
from discreet.kernels.compatible import compatible_counts, compatible_totals
from discreet.kernels.frequencies import frequencies
from discreet.kernels.inverse_sizes import inverse_mean, inverse_variance
from discreet.kernels.packing import added
from discreet.kernels.summation import total, weighted_total
from discreet.measures import measure
from discreet.parameters import is_number, need_confidence
from discreet.results import Provenance
from discreet.risks.by_class import size_ranges
from discreet.risks.exposure import CodedRecords, sums_with_blanks
from discreet.risks.record_level import CombinationValues, ProtectableRisk
from discreet.surface import advice, function, in_python
from discreet.words import counted, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats, Ints
    from discreet.risks.exposure import Rows

_THRESHOLD = 0.1
_MARGIN = 1.05  # in simulations, 88 to 94 of 100 lie within 90% intervals without it
_OF_HOUSEHOLDS = ("household_expected", "household_highest_expected")
_NO_INTERVAL = (
    "a missing key matches every value. A record with one counts in every class that it may belong "
    "to, so that classes overlap, their sizes are not independent, and the sum is too low."
)
_NO_HOUSEHOLD_INTERVAL = "people of one class live in many households, which are not independent."
Series = Literal["record", "household", "household_highest"]
_SIZES = (1, 2, 3, 6, 11, 51)  # classes from these sizes on share a row of the table
ASSUMPTION = (
    "It rests on the weights, and on a model of what the sample does not show: the size of a class "
    "in the population is taken to be negative binomial. On real populations the sum is too low: "
    "in samples of 10% of the Adult census file it came to 128 where 166 is right (4 keys), and to "
    "506 where 1,244 is right (8 keys)."
)
_CERTAIN = -64.0  # in place of ln 0: 1 − e^x is 1 to the last bit from −38 on


class Interval(NamedTuple):
    """Between what a number lies, by the model."""

    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class IndividualRisk(ProtectableRisk):
    """The risk of every record to be matched correctly with the population.

    Attributes
    ----------
    n : int
        Number of records.
    classes : int
        Number of combinations of the keys in the sample.
    population : float
        The people that the records stand for: the sum of their weights.
    partition : bool
        False when a missing key matches every value: "classes" then overlap.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"town": list("aab"), "w": [180, 180, 215]}, keys="town", weight="w")
    >>> found = ds.individual_risk(survey)
    >>> [round(value, 5) for value in found.values.tolist()], round(found.expected, 4)
    ([0.00542, 0.00542, 0.0251], 0.0359)

    References
    ----------
    - Franconi, Polettini (2004), *Individual risk estimation in μ-Argus: a review*. Privacy in
      Statistical Databases, LNCS 3050.
    """

    n: int
    classes: int
    population: float
    partition: bool
    provenance: Provenance
    kind: FrameKind
    _found: CombinationValues = field(compare=False)
    _counts: Ints = field(compare=False)
    _weights: Floats = field(compare=False)
    column_name: ClassVar[str] = "individual_risk"
    measure: ClassVar[str] = "individual_risk"

    @property
    def expected(self) -> float:
        """The number of records that are expected to be matched correctly: the sum of the risks."""
        return self._summary[0]

    def again(self, data: Microdata) -> IndividualRisk:
        """The same risk of other data."""
        return individual_risk(data)

    @property
    def of_class(self) -> Callable[[Ints, Floats], Floats]:
        """E(1/F | f)."""
        return inverse_mean

    def of_cells(self, data: Microdata) -> IndividualRiskOfCells:
        """The same risk of these data, as a function of their cells."""
        return IndividualRiskOfCells.of(data)

    # -- how sure it is ----------------------------------------------------------------------------

    def interval(self, confidence: float = 0.9) -> Interval:
        """Between what the number of rightly matched records lies, by the model.

        The number is Σ f/F over the classes. Given the sample, these are independent, and the
        variance of each is known; their sum is taken to be gamma distributed (Wilson and Hilferty's
        quantiles), and the interval is made wider by a twentieth, as that may be off by as much. It
        holds the chance of the model, not the error of the model.

        Parameters
        ----------
        confidence : float
            Above 0 and below 1.
        """
        need_confidence(confidence)
        if not self.partition:
            fail("N01", _NO_INTERVAL, f"Read the data with {argument('missing', 'category')}.")
        return interval_of(self.expected, self._counts, self._weights, confidence)

    # -- households --------------------------------------------------------------------------------

    @functools.cached_property
    def household(self) -> Floats:
        """For every record, the chance that somebody of its household is matched correctly.

        1 − Π(1 − r) over the household, in the order of ``values``. It takes the members to be
        matched independently of each other: where the composition of a household is rarer than
        its members, the risk is higher (``ds.risk(data, by="household")``).
        """
        return self._somebody.values()

    @functools.cached_property
    def household_highest(self) -> Floats:
        """For every record, the highest risk in its household, in the order of ``values``: the
        chance that somebody of it is matched, if whoever matches another matches the riskiest.
        """
        return self._riskiest.values()

    @functools.cached_property
    def household_expected(self) -> float | None:
        """The sum of ``household`` over the records, or None where there are no households."""
        return None if self._found.data.household is None else self._somebody.total

    @functools.cached_property
    def household_highest_expected(self) -> float | None:
        """The sum of ``household_highest``, or None where there are no households."""
        return None if self._found.data.household is None else self._riskiest.total

    @functools.cached_property
    def _somebody(self) -> HouseholdValues:
        found = self._found
        return HouseholdValues.somebody(found.data, found.combinations, found.numbers)

    @functools.cached_property
    def _riskiest(self) -> HouseholdValues:
        found = self._found
        return HouseholdValues.riskiest(found.data, found.combinations, found.numbers)

    def column(self, name: str | None = None, of: Series = "record") -> Microdata:
        """The records with a risk as a further column, in the engine that holds them.

        Parameters
        ----------
        name : str, optional
            Of the column; by default ``individual_risk`` or that of the series.
        of : {"record", "household", "household_highest"}
            The record's own risk, ``household`` or ``household_highest``.
        """
        made = {"household": "_somebody", "household_highest": "_riskiest"}
        if of == "record":
            return super().column(name)
        if of not in made:
            use = f"Use {listed(['record', *made])}."
            fail("P16", f"{argument('of')} is not known.", use)
        found: HouseholdValues = getattr(self, made[of])
        return found.column(of if name is None else name)

    @functools.cached_property
    def not_applicable(self) -> dict[str, str]:
        """Why some figures are None."""
        reasons: dict[str, str] = {}
        if self._found.data.household is None:
            reasons |= dict.fromkeys(_OF_HOUSEHOLDS, "no household is named.")
        else:
            reasons["household_interval"] = _NO_HOUSEHOLD_INTERVAL
        if not self.partition:
            reasons["interval"] = _NO_INTERVAL
        return reasons

    # -- what to protect to ------------------------------------------------------------------------

    def threshold(self, mean_at_most: float) -> float:
        """The largest observed risk such that the mean is below a limit if all that is higher were
        brought down to it: the rule of μ-Argus.

        Parameters
        ----------
        mean_at_most : float
            The limit of the mean risk.
        """
        limit = _limit(mean_at_most)
        observed, _, means = self._capped
        low = np.flatnonzero(means < limit)
        if not len(low):
            fail(
                "D43",
                f"even at the lowest observed risk the mean is not below {limit:g}.",
                f"Use {in_python('.cap(…)')}: the risk that it gives need not be an observed one.",
            )
        return float(observed[low[-1]])

    def cap(self, mean_at_most: float) -> float:
        """The risk to which all that is higher must be brought down for the mean to be the limit;
        the highest risk where the mean is not above it.

        Parameters
        ----------
        mean_at_most : float
            The limit of the mean risk.
        """
        limit = _limit(mean_at_most)
        observed, records, means = self._capped
        if means[-1] <= limit:
            return float(observed[-1])
        at = int(np.searchsorted(means, limit))
        from_here = self.n - (records[:at].sum() if at else 0)
        before = means[at] - observed[at] * from_here / self.n
        return float((limit - before) * self.n / from_here)

    @functools.cached_property
    def _capped(self) -> tuple[Floats, Ints, Floats]:
        """The observed risks in order, the records with each, and the mean if all that is higher
        were brought down to it."""
        observed, owner = np.unique(self._found.numbers, return_inverse=True)
        records = added(owner.ravel(), self._found.combinations.counts, len(observed))
        below = np.concatenate([[0.0], np.cumsum(observed * records)[:-1]])
        rest = self.n - np.cumsum(records) + records
        return observed, records, (below + observed * rest) / self.n

    # -- in words and numbers ----------------------------------------------------------------------

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per range of class sizes in the sample: records, and what they add to the sum."""
        sizes, records = self._counts, self._found.combinations.counts
        rows = []
        for label, low, high in size_ranges(_SIZES):
            inside = (sizes >= low) & (sizes < high)
            risks = self._found.numbers[inside]
            rows.append(
                {
                    "class_size": label,
                    "records": int(records[inside].sum()),
                    "expected": total(risks * records[inside]) if len(risks) else 0.0,
                    "highest": float(risks.max()) if len(risks) else None,
                }
            )
        return self._frame(rows, kind)

    def explain(self) -> str:
        """The numbers in a few sentences, and what to do next."""
        high = self.above(_THRESHOLD)
        lines = [
            f"Someone who has the names and {', '.join(self.provenance.keys)} of the whole "
            f"population would match about {self.expected:,.4g} of {self.n:,} records correctly "
            f"({self.mean:.2%}){self._between()}.",
            f"{counted(high.count, 'record')} ({share(high.count, self.n)}) "
            f"{'has' if high.count == 1 else 'have'} a risk above {_THRESHOLD:g}; the highest is "
            f"{self.highest:.4g}.",
        ]
        if self.household_expected is not None:
            lines.append(
                "Counting everybody in whose household somebody is matched, it is "
                f"{self.household_expected:,.4g} of {self.n:,} records if its members are matched "
                f"independently of each other, and {self.household_highest_expected:,.4g} if "
                f"together. It has no interval: {_NO_HOUSEHOLD_INTERVAL}"
            )
        lines += [
            self.assumption,
            *self.provenance.cautions(weighted=True),
            *advice(
                f"Next: {self._first_step()}, and protect the records above your limit with "
                f"{function('protect_records', 'data, risk, at_most=…')}."
            ),
        ]
        return "\n".join(lines)

    @property
    def assumption(self) -> str:
        """What it rests on, and how far off it was where the truth is known."""
        return ASSUMPTION + (" The interval does not include that error." if self.partition else "")

    def _first_step(self) -> str:
        if self.partition:
            return f"compare it with the other models of the population ({function('model_risk')})"
        category = argument("missing", "category")
        return f"read the data with {category} for an interval and for the other models"

    def _between(self) -> str:
        if not self.partition:
            return f"; it has no interval: {_NO_INTERVAL[:-1]}"
        low, high = self.interval()
        return f", by the model between {low:,.4g} and {high:,.4g} (90% interval)"

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON: no value of a single record but the highest."""
        return {
            **self._plain("n", "classes", "population", "expected"),
            "interval": list(self.interval()) if self.partition else None,
            "confidence": 0.9,
            **self._plain("mean", "highest", *_OF_HOUSEHOLDS),
            **self._by_risk(),
            **self._plain("partition", "assumption", "not_applicable"),
            "computed_from": self.provenance.to_dict(),
        }

    def __repr__(self) -> str:
        return (
            f"IndividualRisk: {self.expected:,.4g} of {self.n:,} records expected to be matched "
            f"rightly, highest {self.highest:.4g}"
        )


@measure(
    title="Individual risk",
    about="The chance that a match with the population is right, estimated from the weights.",
    side="risk",
    of="file",
    figures={
        "expected": "records expected to be matched correctly with the population",
        "mean": "mean individual risk of a record",
        "highest": "highest individual risk of a record",
        "household_expected": "records in whose household somebody is expected to be matched",
    },
    per_record=True,
    needs_roles=("weight",),
    by_equality=True,
    public=("n", "classes", "population", "expected", "interval", "confidence", "mean",
            "partition", "assumption"),
)  # fmt: skip
def individual_risk(data: Microdata) -> IndividualRisk:
    """Estimate the risk of each record of a sample from its sampling weight.

    Parameters
    ----------
    data : Microdata
        With keys and ``weight=``: how many people of the population each record stands for, at
        least 1. A missing key is a value of its own, or matches every value
        (``missing="wildcard"``): then the records and weights of a class are those of all records
        compatible with it.

    Returns
    -------
    IndividualRisk
        ``.values`` one per record, ``.expected`` their sum with ``.interval(0.9)``,
        ``.household`` and ``.household_highest``, ``.threshold(0.01)``, ``.cap(0.01)``.

    Examples
    --------
    Rows of the table in the guide of the International Household Survey Network:

    >>> import discreet as ds
    >>> table = {"town": list("aabccd"), "w": [180, 180, 215, 76, 76, 186]}
    >>> found = ds.individual_risk(ds.read(table, keys=["town"], weight="w"))
    >>> [round(value, 6) for value in found.values.tolist()]
    [0.005425, 0.005425, 0.025096, 0.012563, 0.012563, 0.028247]

    References
    ----------
    - Benedetti, Franconi (1998), *Statistical and technological solutions for controlled data
      dissemination*. New Techniques and Technologies for Statistics.
    - Franconi, Polettini (2004), *Individual risk estimation in μ-Argus: a review*. Privacy in
      Statistical Databases, LNCS 3050.
    """
    require_microdata(data, named="the argument")
    require_records(data)
    data.need_weight(at_least=1)
    keys = data.frequency_set(weighted=True)
    weights, partition = keys.weights, True
    counts = keys.counts
    assert weights is not None
    if data.missing == "wildcard" and any(code >= 0 for code in keys.missing):
        (counts, weights), partition = keys.compatible(), False
    return IndividualRisk(
        n=keys.n,
        classes=len(keys),
        population=total(keys.weights),  # type: ignore[arg-type]
        partition=partition,
        provenance=Provenance.of(data),
        kind=data.source.kind,
        _found=CombinationValues(data, keys, inverse_mean(counts, weights)),
        _counts=counts,
        _weights=weights,
    )


def interval_of(expected: float, counts: Ints, weights: Floats, confidence: float) -> Interval:
    """Between what Σ f/F lies, over classes of some counts and sums of weights."""
    spread = total(counts**2 * inverse_variance(counts, weights))
    if spread == 0:
        return Interval(expected, expected)
    shape = expected**2 / spread
    z = NormalDist().inv_cdf((1 + confidence) / 2) * _MARGIN
    low, high = (
        expected * max(1 - 1 / (9 * shape) + by / (3 * math.sqrt(shape)), 0) ** 3 for by in (-z, z)
    )
    return Interval(min(low, expected), min(max(high, expected), len(counts)))


def _limit(mean_at_most: Any) -> float:
    if not (is_number(mean_at_most) and mean_at_most > 0):
        fail("P10", "the mean risk is not a number above 0.", "Give for example 0.01.")
    return float(mean_at_most)


@dataclass(frozen=True, eq=False)
class HouseholdValues:
    """A risk of every household, and the records that live in it.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"age": [30, 40, 30], "home": [1, 1, 2]}
    >>> survey = ds.read(table, keys=["age"], household="home")
    >>> risks = 1 / survey.frequency_set().counts
    >>> HouseholdValues.somebody(survey, survey.frequency_set(), risks).values().tolist()
    [1.0, 1.0, 0.5]
    """

    data: Microdata
    numbers: Any
    risk: Callable[[NDArray[Any]], Floats]

    @classmethod
    def somebody(cls, data: Microdata, keys: FrequencySet, risks: Floats) -> HouseholdValues:
        """1 − Π(1 − r) over the members, by the sum of logarithms."""
        logs = np.log1p(-risks, where=risks < 1, out=np.full(len(risks), _CERTAIN))
        numbers = household_numbers(data, keys, logs, "sum")
        return cls(data, numbers, lambda sums: -np.expm1(sums))

    @classmethod
    def riskiest(cls, data: Microdata, keys: FrequencySet, risks: Floats) -> HouseholdValues:
        """The highest risk among the members."""
        observed, rank = np.unique(risks, return_inverse=True)
        ranks = rank.ravel().astype(np.int64)
        numbers = household_numbers(data, keys, ranks, "highest")
        return cls(data, numbers, lambda highest: observed[highest])

    def values(self) -> Floats:
        """The risk of each record's household, in the order of the records."""
        return in_order(self.data, self._made)

    @functools.cached_property
    def total(self) -> float:
        """The sum over the records."""
        outcomes, records = self.numbers.outcomes()
        return weighted_total(self.risk(outcomes), records)

    def column(self, name: str) -> Microdata:
        """The records with the risk of their household as a further column, in their engine."""
        return with_made(self.data, name, self._made)

    def _made(self, name: str) -> Any:
        return self.numbers.column(self.risk(self.numbers.outcomes()[0]), name)


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
