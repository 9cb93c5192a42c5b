"""The risk of a simple random sample, known before it is drawn.

A sampled record adds y/n to the measure, with y = 1/j for DR_max and y = 1 if j = 1, else 0,
for DR_min; j is the size of its initial class and does not depend on the sample (Truta,
Fotouhi & Barth-Jones 2004). The sum of t values drawn without replacement gives

    E DR_max = sf · F/n    E DR_min = sf · F_1/n    sd = √(t · (1 − sf) · S²) / n

with sf = t/n the sampling factor and S² the variance of y over the initial records: straight
lines through 0, exactly, where the paper's experiment finds nearly straight ones.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from discreet.data.masked import require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import argument, fail
from discreet.frames import FrameKind
from discreet.parameters import as_written, is_number, nearest
from discreet.results import Computed, Provenance
from discreet.risks.by_class import ClassSizes

MeasureName = Literal["minimal", "maximal"]


@dataclass(frozen=True)
class Predicted:
    """Expectation and standard deviation of both measures at one sampling factor."""

    fraction: float
    t: int
    minimal: float
    minimal_sd: float
    maximal: float
    maximal_sd: float


@dataclass(frozen=True, repr=False)
class SamplingRisk(Computed):
    """DR_min and DR_max of a simple random sample against the sampling factor, in closed form.

    Attributes
    ----------
    n : int
        Number of records of the file.
    sizes : ClassSizes
        How many of its classes have which size.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"age": [10, 30, 20, 20, 10], "sex": list("MMMFF")}, keys=["age", "sex"])
    >>> found = ds.sampling_risk(survey)
    >>> found.at(0.2).maximal, found.fraction_for(0.5)
    (0.2, 0.4)

    References
    ----------
    - Truta, Fotouhi, Barth-Jones (2004), *Disclosure risk measures for the sampling disclosure
      control method*. ACM Symposium on Applied Computing: (2.10) and (2.11).
    """

    n: int
    sizes: ClassSizes
    provenance: Provenance

    def at(self, fraction: float) -> Predicted:
        """Expectation and standard deviation for a sample of this share of the records."""
        if not (is_number(fraction) and 0 <= fraction <= 1):
            fail(
                "P14", f"{argument('fraction')} must lie between 0 and 1.", "Give for example 0.1."
            )
        t = nearest(fraction, self.n)
        (low, low_sd), (high, high_sd) = (self._moments(name, t) for name in ("minimal", "maximal"))
        return Predicted(fraction, t, low, low_sd, high, high_sd)

    def fraction_for(
        self, at_most: float, measure: MeasureName = "maximal", sds: float = 0
    ) -> float:
        """The largest sampling factor that keeps a measure at or under a limit.

        With ``sds`` = 2, two standard deviations above the expectation are kept under it. The
        margin is 0 for the whole file, which is not left to chance: where the whole file is under
        the limit, the factor is 1, though smaller samples may come out above it. 0 when not even
        one record may be released.
        """
        if not (is_number(at_most) and 0 <= at_most <= 1):
            fail("P10", "a limit of the risk must lie between 0 and 1.", "Give for example 0.05.")
        if not (is_number(sds) and 0 <= sds < math.inf):
            fail(
                "P10",
                f"{argument('sds')} is a number of standard deviations, at least 0.",
                "Give for example 2.",
            )
        mean, variance = self._population(measure)
        limit, margin = as_written(at_most) * self.n, as_written(sds) ** 2 * variance

        def fits(t: int) -> bool:
            room = limit - t * mean
            return room >= 0 and margin * t * (1 - Fraction(t, self.n)) <= room**2

        return _largest(fits, self.n) / self.n

    def explain(self) -> str:
        """The lines in a few sentences, and the answer for a limit of 5 %."""
        whole = self.at(1.0)
        tenth = self.at(0.1)
        return "\n".join(
            [
                f"Released whole, the file has DR_min = {whole.minimal:.4f} and DR_max = "
                f"{whole.maximal:.4f}; both fall in proportion to the share released.",
                f"A sample of 10% is expected to have DR_max = {tenth.maximal:.4f} "
                f"± {2 * tenth.maximal_sd:.4f} (two standard deviations).",
                f"DR_max is at most 5% up to a share of {self.fraction_for(0.05):.1%} "
                f"({self.fraction_for(0.05, sds=2):.1%} with two standard deviations to spare).",
                *self.provenance.cautions(),
            ]
        )

    def table(self, fractions: list[float] | None = None, kind: FrameKind | None = None) -> Any:
        """One row per sampling factor (default: 0.1, 0.2, … 1)."""
        chosen = [i / 10 for i in range(1, 11)] if fractions is None else fractions
        if not isinstance(chosen, Iterable) or isinstance(chosen, str) or not list(chosen):
            fail("P14", "the fractions are not a list of shares.", "Give for example [0.1, 0.2].")
        rows = [vars(self.at(f)) for f in chosen]
        return self._frame(rows, kind)

    def chart(self) -> Any:
        """Both lines with a band of two standard deviations (needs the ``charts`` extra)."""
        from discreet.charts import sampling_chart

        return sampling_chart([self.at(i / 50) for i in range(51)])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "n": self.n,
            "lines": [vars(self.at(i / 10)) for i in range(1, 11)],
            "fraction_for_maximal_0.05": self.fraction_for(0.05),
            "computed_from": self.provenance.to_dict(),
        }

    def __repr__(self) -> str:
        whole = self.at(1.0)
        return (
            f"SamplingRisk: n = {self.n:,}, DR_min = {whole.minimal:.4f}·sf, "
            f"DR_max = {whole.maximal:.4f}·sf"
        )

    def _moments(self, measure: str, t: int) -> tuple[float, float]:
        mean, variance = self._population(measure)
        spread = float(t * (1 - Fraction(t, self.n)) * variance)
        return float(t * mean / self.n), math.sqrt(spread) / self.n

    def _population(self, measure: str) -> tuple[Fraction, Fraction]:
        """Mean and variance (divisor n − 1) of y over the initial records, exactly."""
        total, squares = self._total(measure)
        mean = total / self.n
        spread = squares - self.n * mean**2
        return mean, spread / (self.n - 1) if self.n > 1 else Fraction(0)

    def _total(self, measure: str) -> tuple[Fraction, Fraction]:
        """Σ y and Σ y²: F and Σ F_i/i for DR_max, F_1 twice for DR_min."""
        if measure == "minimal":
            uniques = Fraction(sum(F for i, F, _ in self.sizes if i == 1))
            return uniques, uniques
        if measure == "maximal":
            return Fraction(sum(self.sizes.F)), _sum([Fraction(F, i) for i, F, _ in self.sizes])
        fail("P16", f"{measure!r} is not a measure.", "Use 'minimal' or 'maximal'.")


def _sum(terms: list[Fraction]) -> Fraction:
    """A sum of many fractions, halves by themselves: the denominators stay short for longer."""
    if len(terms) < 8:
        return sum(terms, Fraction(0))
    half = len(terms) // 2
    return _sum(terms[:half]) + _sum(terms[half:])


def _largest(fits: Callable[[int], bool], n: int) -> int:
    """The largest t of 0 to n that fits.

    Expectation and margin, t · mean + sds · √(t (1 − t/n) S²), are together a concave function of
    t. Where n does not fit, those that do are therefore 0 to some t, which is found by halving.
    """
    if fits(n):
        return n
    return bisect.bisect_left(range(n), True, key=lambda t: not fits(t)) - 1


def sampling_risk(data: Microdata) -> SamplingRisk:
    """Predict DR_min and DR_max of a simple random sample, without drawing one.

    Parameters
    ----------
    data
        The file that a sample would be drawn from.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"age": [10, 30, 20, 20, 10, 25, 20, 25, 10, 20]}
    >>> ds.sampling_risk(ds.read(table, keys=["age"])).at(0.5).maximal
    0.2

    References
    ----------
    - Truta, Fotouhi, Barth-Jones (2004), *Disclosure risk measures for the sampling disclosure
      control method*. ACM Symposium on Applied Computing.
    """
    require_microdata(data, named="the argument")
    if data.missing == "wildcard":
        fail(
            "N01",
            f"the prediction needs classes, and with {argument('missing', 'wildcard')} "
            "there are none.",
            'Use "category".',
        )
    require_records(data)
    sizes = ClassSizes.of(data.classes())
    return SamplingRisk(sum(sizes.n), sizes, Provenance.of(data))
