"""Statistics before and after: what users of a file compute first, attribute by attribute."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.link import link
from discreet.data.microdata import Microdata
from discreet.errors import fail
from discreet.frames import FrameKind
from discreet.loss.comparison import summary_of
from discreet.loss.continuous import QUANTILES, Summary, correlations
from discreet.loss.information import continuous_attributes
from discreet.measures import measure
from discreet.results import Result

if TYPE_CHECKING:
    from discreet.loss.continuous import Matrix

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


Row = tuple[str, str, float | None, float | None]


@dataclass(frozen=True)
class Statistics(Result):
    """Rows of (attribute, statistic, initial, masked).

    The correlation of an attribute that does not vary is None.

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> masked = ds.microaggregate(ages, k=2, method="fixed")
    >>> found = ds.compare_statistics(ages, masked)
    >>> [(attribute, statistic) for attribute, statistic, _, _ in found.rows][:3]
    [('age', 'mean'), ('age', 'standard deviation'), ('age', 'quantile 5%')]
    """

    rows: tuple[Row, ...]
    kind: FrameKind

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per attribute (or pair of attributes) and statistic."""
        names = ("attribute", "statistic", "initial", "masked")
        columns = dict(zip(names, zip(*self.rows, strict=True), strict=True))
        return self._frame(columns, kind)

    def chart(self) -> Any:
        """Small multiples: quantiles of each attribute before and after (``charts`` extra)."""
        from discreet.charts import quantile_chart

        found = [
            (name, statistic, before, after)
            for name, statistic, before, after in self.rows
            if statistic.startswith("quantile") and before is not None and after is not None
        ]
        return quantile_chart(found)

    def explain(self) -> str:
        """The largest change of each kind of statistic, relative to the initial value."""
        lines = []
        for word in ("mean", "standard deviation", "quantile", "correlation"):
            rows = [r for r in self.rows if r[1].startswith(word)]
            found = [(n, b, a) for n, _, b, a in rows if b is not None and a is not None]
            if found:
                name, before, after = max(found, key=_change)
                lines.append(f"Largest change of a {word}: {name}, {before:.4g} to {after:.4g}.")
        return "\n".join(lines)

    @property
    def mean_change(self) -> float | None:
        """Largest change of a mean, as a share of the initial one; None where all were 0."""
        return self._largest("mean")

    @property
    def deviation_change(self) -> float | None:
        """Largest change of a standard deviation, as a share of the initial one."""
        return self._largest("standard deviation")

    @property
    def quantile_change(self) -> float | None:
        """Largest change of a quantile, as a share of the initial one."""
        return self._largest("quantile")

    @property
    def correlation_change(self) -> float | None:
        """Largest change of a correlation; None where there is none."""
        return max((abs(a - b) for b, a in self._pairs("correlation")), default=None)

    def _largest(self, word: str) -> float | None:
        return max((abs(a - b) / abs(b) for b, a in self._pairs(word) if b), default=None)

    def _pairs(self, word: str) -> list[tuple[float, float]]:
        """Before and after of each statistic of a kind."""
        rows = [row for row in self.rows if row[1].startswith(word)]
        return [(b, a) for _, _, b, a in rows if b is not None and a is not None]

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        names = ("attribute", "statistic", "initial", "masked")
        return {"statistics": [dict(zip(names, row, strict=True)) for row in self.rows]}


@measure(
    title="Statistics before and after",
    about="Means, spreads, quantiles and correlations of the released records.",
    side="loss",
    figures={
        "mean_change": "largest relative change of a mean",
        "deviation_change": "largest relative change of a standard deviation",
        "quantile_change": "largest relative change of a quantile",
        "correlation_change": "largest change of a correlation",
    },
)
def compare_statistics(
    initial: Microdata, masked: Microdata, *, on: str | None = None
) -> Statistics:
    """Means, standard deviations, quantiles and correlations before and after masking.

    Both are computed on the released records: what masking changed, not what was left out.

    Examples
    --------
    >>> import discreet as ds
    >>> ages = ds.read({"age": [8, 10, 19, 23, 37, 43, 68, 72]}, keys=["age"])
    >>> found = ds.compare_statistics(ages, ds.microaggregate(ages, k=2, method="fixed"))
    >>> found.rows[0]
    ('age', 'mean', 35.0, 35.0)
    """
    linked = link(initial, masked, on)
    names = continuous_attributes(linked)
    if not names:
        fail("N07", "no continuous attribute can be compared.", "Compare numeric attributes.")
    found = summary_of(linked, names)
    if found is None:
        remedy = (
            "Fill the missing values, or raise the limit of a step that suppresses single ones."
        )
        fail("D06", "no released record is complete.", remedy)
    rows = [row for a, name in enumerate(names) for row in _of(name, found, a)]
    return Statistics((*rows, *_correlations(names, found)), masked.source.kind)


def _of(name: str, found: Summary, a: int) -> list[Row]:
    rows: list[Row] = [
        (name, "mean", float(found.mean_x[a]), float(found.mean_y[a])),
        (name, "standard deviation", math.sqrt(found.cov_x[a, a]), math.sqrt(found.cov_y[a, a])),
    ]
    at = [int(np.argmin(np.abs(QUANTILES - q))) for q in _QUANTILES]
    return rows + [
        (name, f"quantile {q:.0%}", float(found.quantiles_x[i, a]), float(found.quantiles_y[i, a]))
        for q, i in zip(_QUANTILES, at, strict=True)
    ]


def _correlations(names: list[str], found: Summary) -> list[Row]:
    return [
        (
            f"{names[a]}, {names[b]}",
            "correlation",
            _correlation(found.cov_x, a, b),
            _correlation(found.cov_y, a, b),
        )
        for a in range(len(names))
        for b in range(a + 1, len(names))
    ]


def _correlation(cov: Matrix, a: int, b: int) -> float | None:
    """None where one of the two does not vary."""
    return float(correlations(cov)[a, b]) if cov[a, a] > 0 and cov[b, b] > 0 else None


def _change(row: tuple[str, float, float]) -> float:
    return abs(row[2] - row[1]) / max(abs(row[1]), 1e-12)
