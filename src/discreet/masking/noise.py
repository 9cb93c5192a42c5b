"""What noise came to, and what it promises: moments, zeros, signs, and how far a number moves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.data.masked import Masked
from discreet.data.microdata import Microdata
from discreet.frames import FrameKind
from discreet.kernels.noise import spread
from discreet.masking.perturbation import record_pairs, strata_of
from discreet.results import Result
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.kernels.arrays import Floats, Ints

NoiseKind = Literal["correlated", "independent", "exact-moments", "multiplicative"]
FARTHEST = 8.5  # no normal deviate of a uniform number of 53 bits is farther from 0
_EXACT = 1e-10  # to which means and covariances are kept, in standard deviations
_EPS = np.finfo(float).eps


@dataclass(frozen=True, repr=False)
class Noise(Result):
    """What noise did to each column.

    Attributes
    ----------
    noise : str
        The kind of noise.
    amount : float
    columns : tuple of str
    spreads : mapping of column to number
        Standard deviation of the changes over that of the values; None where these are all equal.
    unchanged : mapping of column to number
        Values that are as they were: zeros that stay, values of a stratum that has no other, and
        numbers that rounding brought back.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read(ds.datasets.patients(100, seed=1), keys=["age"])
    >>> masked = ds.add_noise(survey, "income", 0.1, kind="exact-moments", seed=1)
    >>> print(masked.outcome.explain())
    Noise of kind exact-moments and amount 0.1 in 'income'.
    Means, variances and covariances stay exactly the same, in every stratum.
    Standard deviation of the changes, in that of the values: income 0.10.
    """

    noise: NoiseKind
    amount: float
    columns: tuple[str, ...]
    spreads: Mapping[str, float | None]
    unchanged: Mapping[str, int]
    kind: FrameKind
    shown = ("noise", "amount", "spreads", "unchanged")

    def explain(self) -> str:
        """What was done, what stays, and how large the changes are."""
        named = ", ".join(repr(name) for name in self.columns)
        sizes = [f"{name} {s:.2f}" for name, s in self.spreads.items() if s is not None]
        lines = [
            f"Noise of kind {self.noise} and amount {self.amount:g} in {named}.",
            _KEPT[self.noise].format(
                times=1 + self.amount**2, low=self.amount / 2, high=1.5 * self.amount
            ),
            *([_CHANGES + ", ".join(sizes) + "."] if sizes else []),
        ]
        left = {name: number for name, number in self.unchanged.items() if number}
        if left:
            each = ", ".join(f"{name} {number:,}" for name, number in left.items())
            lines.append(f"Unchanged values: {each}.")
        return "\n".join(lines)

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per column."""
        rows = [
            {"column": c, "spread of changes": self.spreads[c], "unchanged": self.unchanged[c]}
            for c in self.columns
        ]
        return self._frame(rows, kind)


_CHANGES = "Standard deviation of the changes, in that of the values: "
_KEPT = {
    "independent": "On average means stay, variances are {times:.4g} times as large, and "
    "correlations smaller by that factor.",
    "correlated": "On average means and correlations stay, and variances are {times:.4g} times as "
    "large.",
    "exact-moments": "Means, variances and covariances stay exactly the same, in every stratum.",
    "multiplicative": "Every number except 0 changes by {low:.4g} to {high:.4g} of "
    "itself; zeros and "
    "signs stay.",
}


def noise_of(
    values: Mapping[str, tuple[Floats, Floats]], noise: NoiseKind, amount: float, kind: FrameKind
) -> Noise:
    """The outcome, from the values of each column before and after."""
    spreads: dict[str, float | None] = {}
    for name, (before, after) in values.items():
        width = spread(before)
        spreads[name] = spread(after - before) / width if width else None
    same = {name: int((before == after).sum()) for name, (before, after) in values.items()}
    return Noise(noise, amount, tuple(values), spreads, same, kind)


@dataclass(frozen=True)
class NoiseWithin:
    """What a kind of noise keeps: missing values and, where asked, zeros; exact moments in every
    stratum; signs and the bounds of factors; and no number farther away than noise can take it.
    """

    before: Microdata
    columns: tuple[str, ...]
    by: tuple[str, ...]
    noise: NoiseKind
    amount: float
    keep_zeros: bool
    unit: Mapping[str, float]  # what numbers are rounded to; 0 where they are not

    def broken(self, masked: Masked) -> list[str]:
        """Both files are fetched, record by record."""
        old, new = record_pairs(self.before, masked, self.columns, self.by)
        x, y = (as_floats(table, self.columns) for table in (old, new))
        problems = []
        for j, name in enumerate(self.columns):
            there = ~np.isnan(x[j])
            if not np.array_equal(there, ~np.isnan(y[j])):
                problems.append(f"missing values of {name!r} moved")
            if not np.isfinite(y[j][there]).all():
                problems.append(f"{name!r} has infinite values")
            if self.keep_zeros and (y[j][x[j] == 0] != 0).any():
                problems.append(f"zeros of {name!r} did not stay")
        if problems:
            return problems
        parts = strata_of(old, self.by)
        if self.noise == "exact-moments":
            return self._moments(x, y, parts)
        return [
            *(self._factors(x, y) if self.noise == "multiplicative" else self._far(x, y, parts))
        ]

    def _factors(self, x: Floats, y: Floats) -> Iterator[str]:
        for j, name in enumerate(self.columns):
            there = ~np.isnan(x[j]) & (x[j] != 0)
            a, b = x[j][there], y[j][there]
            room = 1e-9 * np.abs(a) + self.unit[name] / 2
            change = np.abs(b - a)
            low, high = (np.abs(a) * self.amount * times for times in (0.5, 1.5))
            wrong = int(((change < low - room) | (change > high + room) | (a * b < 0)).sum())
            if wrong:
                yield f"{counted(wrong, 'value')} of {name!r} changed by another factor"

    def _far(self, x: Floats, y: Floats, parts: Sequence[Ints]) -> Iterator[str]:
        """Correlated noise moves a number by several deviates at once, in units of what records
        that have all columns vary, which is no more than the range of the stratum."""
        several = len(self.columns) if self.noise == "correlated" else 1
        for j, name in enumerate(self.columns):
            wrong = 0
            for part in parts:
                there = part[~np.isnan(x[j][part])]
                if not len(there):
                    continue
                width = spread(x[j][there]) if several == 1 else float(np.ptp(x[j][there]))
                most = FARTHEST * math.sqrt(several) * self.amount * width * (1 + 1e-9)
                apart = np.abs(y[j][there] - x[j][there])
                wrong += int(
                    (apart > most + 1e-9 * np.abs(x[j][there]) + self.unit[name] / 2).sum()
                )
            if wrong:
                yield f"{counted(wrong, 'value')} of {name!r} moved farther than noise can"

    def _moments(self, x: Floats, y: Floats, parts: Sequence[Ints]) -> list[str]:
        means, pairs = set(), set()
        for part in parts:
            for j, i in itertools.combinations_with_replacement(range(len(self.columns)), 2):
                both = part[~np.isnan(x[j][part]) & ~np.isnan(x[i][part])]
                if len(both) < 2:
                    continue
                one, other = (np.stack([z[j][both], z[i][both]]) for z in (x, y))
                off_mean, off_pair = _apart(one, other)
                if off_mean > 1:
                    means.add(self.columns[j])
                if off_pair > 1:
                    pairs |= {self.columns[j], self.columns[i]}
        return [
            f"{word} of {name!r} are not what they were"
            for word, names in (("means", means), ("variances or covariances", pairs))
            for name in sorted(names)
        ]


def _apart(before: Floats, after: Floats) -> tuple[float, float]:
    """How far means and covariance of two columns differ, in units of what may be: 1e-10 of the
    standard deviation, and what storing the values rounds. Numbers are taken as shares of the
    largest of their column, so that no square is too small to be stored."""
    largest = np.frexp(np.abs(before).max(axis=1, keepdims=True))[1]
    before, after = np.ldexp(before, -largest), np.ldexp(after, -largest)
    width = np.array([spread(row) for row in before])
    stored = _EPS * np.abs(before).max(axis=1)
    room = _EXACT * width + 4 * stored
    off = np.abs(after.mean(axis=1) - before.mean(axis=1))
    old, new = (float(_covariance(*pair)) for pair in (before, after))
    allowed = _EXACT * width[0] * width[1] + 16 * (stored[0] * width[1] + stored[1] * width[0])
    allowed += 16 * stored[0] * stored[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = float(np.nan_to_num(off / room, nan=0.0).max())
    difference = abs(new - old)
    return mean, difference / allowed if allowed else float(difference > 0) * 2


def _covariance(one: Floats, other: Floats) -> float:
    a, b = one - one.mean(), other - other.mean()
    return float((a * b).sum() / (len(one) - 1))


def as_floats(table: pa.Table, columns: Sequence[str]) -> Floats:
    """Columns as rows of floating-point numbers, NaN where a value is missing."""
    found = np.empty((len(columns), table.num_rows))
    for j, name in enumerate(columns):
        column = table.column(name).cast("float64", safe=False).combine_chunks()
        found[j] = column.to_numpy(zero_copy_only=False)
    return found
