"""Numbers in bins: a chart of a distribution that shows the number of no single record.

The edges are round numbers with at most three significant digits, between the 2 % and the 98 %
quantile. The first and the last bin are open, so that neither the smallest nor the largest value
can be read off, and neighbours are merged until no bin holds fewer records than the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.kernels.arrays import Floats

    Counts = NDArray[np.int64]

_BINS = 10
_TAIL = 0.02
_STEPS = (1.0, 2.0, 5.0, 10.0)
_DECADES = tuple(month * 10**e for e in range(3) for month in (12, 24, 60))
_MONTHS = (1, 2, 3, 6, *_DECADES)


def edges(values: Floats, counts: Counts, *, whole: bool = False, months: bool = False) -> Floats:
    """Round numbers that split the values into about ten bins, and an open one at each end.

    Examples
    --------
    >>> edges(np.arange(0.0, 101.0), np.ones(101, dtype=np.int64)).tolist()
    [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0]
    """
    finite = np.isfinite(values)
    if not finite.any():
        return np.empty(0)
    low, high = _inner(values[finite], counts[finite])
    least = 1.0 if whole or months else 0.0
    wanted = max((high - low) / _BINS, least)
    if months:
        step = float(next((m for m in _MONTHS if m >= wanted), _MONTHS[-1]))
    else:
        step = _round_up(max(wanted, _coarsest(low, high)))
    first, last = math.floor(low / step), math.ceil(high / step)
    return np.array([float(f"{i * step:.12g}") for i in range(first, last + 1)])


def counted(values: Floats, counts: Counts, at: Floats) -> Counts:
    """The number of records in each bin: below the first edge, between edges, from the last on."""
    bins = np.searchsorted(at, values, side="right")
    found = np.zeros(len(at) + 1, dtype=np.int64)
    np.add.at(found, bins, counts)
    return found


def merged(files: Sequence[Counts], threshold: int) -> list[tuple[int, int]]:
    """Runs of bins (first, last + 1) that hold no records of a file, or at least the threshold.

    No run at all when even the whole file holds fewer.
    """
    runs: list[tuple[int, int]] = []
    start = 0
    for end in range(1, len(files[0]) + 1):
        if _enough(files, start, end, threshold):
            runs.append((start, end))
            start = end
    if start < len(files[0]):
        runs.append((start, len(files[0])))
    while len(runs) > 1 and not _enough(files, *runs[-1], threshold):
        (first, _), (_, last) = runs[-2:]
        runs[-2:] = [(first, last)]
    return runs if _enough(files, *runs[-1], threshold) else []


def open_ended(files: Sequence[Counts], threshold: int) -> list[tuple[int, int]]:
    """The runs from the first to the last that hold records; both ends are left open.

    An end that was closed would tell that no value lies beyond it.
    """
    runs = merged(files, threshold)
    holds = [any(int(counts[low:high].sum()) for counts in files) for low, high in runs]
    if True not in holds:
        return []
    kept = runs[holds.index(True) : len(holds) - holds[::-1].index(True)]
    kept[0] = (0, kept[0][1])
    kept[-1] = (kept[-1][0], len(files[0]))
    return kept


def labels(at: Floats, runs: Sequence[tuple[int, int]], text: Callable[[float], str]) -> list[str]:
    """What each run of bins holds, in words."""
    found = []
    for first, last in runs:
        low = text(at[first - 1]) if first else None
        high = text(at[last - 1]) if last <= len(at) else None
        found.append(
            "all values" if low is None and high is None
            else f"under {high}" if low is None
            else f"{low} or more" if high is None
            else f"{low} to {high}"
        )  # fmt: skip
    return found


def number_text(value: float) -> str:
    """An edge as text; edges have few digits."""
    rounded = float(f"{value:.6g}")
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,}"


def month_text(value: float) -> str:
    """An edge that counts months."""
    return f"{int(value) // 12}-{int(value) % 12 + 1:02}"


def _enough(files: Sequence[Counts], first: int, last: int, threshold: int) -> bool:
    sums = [int(counts[first:last].sum()) for counts in files]
    return all(n == 0 or n >= threshold for n in sums)


def _inner(values: Floats, counts: Counts) -> tuple[float, float]:
    """The 2 % and the 98 % quantile."""
    order = np.argsort(values)
    reached = np.cumsum(counts[order]) / counts.sum()
    last = len(values) - 1
    low, high = (
        values[order][min(int(np.searchsorted(reached, share)), last)]
        for share in (_TAIL, 1 - _TAIL)
    )
    return float(low), float(high)


def _coarsest(low: float, high: float) -> float:
    """The unit of the third significant digit of the larger end."""
    size = max(abs(low), abs(high))
    return 10.0 ** (math.floor(math.log10(size)) - 2) if size > 0 else 1.0


def _round_up(wanted: float) -> float:
    unit = 10.0 ** math.floor(math.log10(wanted))
    return next(step * unit for step in _STEPS if step * unit >= wanted * (1 - 1e-9))
