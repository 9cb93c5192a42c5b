"""Hellinger distance: how far the distribution of masked values is from that of the original ones.

√(½ Σ (√p − √q)²) = √(1 − Σ √(p·q)) over the values of an attribute, or the pairs of values of two:
0 where both files have the same shares, 1 where they have no value in common. Numbers are put into
bins between the original quantiles 5 %, 10 %, … 95 %; a number that is more than one of these is a
bin of its own. A missing value is a value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from discreet.kernels.arrays import Floats, Ints

MOST_PAIRED = 30  # attributes: of more, pairs are not compared
_ROUNDING = 1e-9  # of a quantile: engines round it differently


@dataclass(frozen=True, eq=False)
class Bins:
    """Where bins of numbers end: each of ``upto`` belongs to the bin below it, each of ``since`` to
    the one above.

    Examples
    --------
    >>> bins = Bins.between(np.array([0.0, 0.0, 3.0, 7.0]))
    >>> bins.codes(np.array([-1.0, 0.0, 2.0, 3.0, 9.0, np.nan])).tolist()
    [0, 1, 2, 2, 4, 5]
    """

    upto: tuple[float, ...]
    since: tuple[float, ...]

    @classmethod
    def between(cls, quantiles: Floats) -> Bins:
        """Bins between quantiles; one that occurs twice is a bin of its own."""
        upto: list[float] = []
        since: list[float] = []
        twice = False
        for value in np.sort(quantiles).tolist():
            near = _ROUNDING * abs(value)
            if not upto or value - near > upto[-1]:
                upto.append(value + near)
                twice = False
            elif not twice:
                since.append(value - near)
                twice = True
        return cls(tuple(upto), tuple(since))

    def codes(self, values: Floats) -> Ints:
        """The bin of each number, in order; the last is that of missing ones."""
        found = np.searchsorted(np.array(self.upto), values, side="left")
        found = found + np.searchsorted(np.array(self.since), values, side="right")
        return np.where(np.isnan(values), len(self.upto) + len(self.since) + 1, found)


def pairs_of(names: Sequence[str], changed: Sequence[str]) -> list[tuple[str, ...]]:
    """The attributes, and the pairs of which one was changed: the others are as they were."""
    single = [(name,) for name in names]
    if len(names) > MOST_PAIRED:
        return list(single)
    pairs = [
        (a, b) for i, a in enumerate(names) for b in names[i + 1 :] if a in changed or b in changed
    ]
    return [*single, *pairs]


def distances(
    codes: Mapping[str, tuple[Ints, Ints]], asked: Sequence[tuple[str, ...]]
) -> dict[tuple[str, ...], float]:
    """The distance for each set of attributes, from the codes of original and masked values."""
    return {names: _distance([codes[name] for name in names]) for names in asked}


def _distance(codes: Sequence[tuple[Ints, Ints]]) -> float:
    n = len(codes[0][0])
    first, second = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for x, y in codes:
        cards = int(max(x.max(initial=0), y.max(initial=0))) + 1
        first, second = first * cards + x, second * cards + y
    _, cell = np.unique(np.concatenate([first, second]), return_inverse=True)
    f, g = np.bincount(cell[:n]), np.bincount(cell[n:])
    cells = max(len(f), len(g))
    f, g = (np.pad(counts, (0, cells - len(counts))) for counts in (f, g))
    return distance_of(math.fsum((np.sqrt(f) - np.sqrt(g)) ** 2), n)


def distance_of(squares: float, n: int) -> float:
    """The distance, from Σ (√f − √g)² over the cells of two tables of n records."""
    return math.sqrt(min(squares / (2 * n), 1.0)) if n else 0.0
