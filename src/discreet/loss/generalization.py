"""What a generalization costs: measures of a node of the lattice.

*iyengar*: mean over keys and records of (leaves covered − 1)/(leaves − 1), a suppressed record
counting 1 (Iyengar 2002). *precision*: mean over keys and records of level/height (Sweeney
2002). *entropy*: how much of the information in the key values is lost, non-uniform entropy
(Gionis & Tassa 2009): 1 − Σ log(n/f(generalized)) / Σ log(n/f(initial)). *discernibility*: Σ over
classes of size², and n for each suppressed record (Bayardo & Agrawal 2005).
*average-class-size*: records per class. *height*: the sum of the levels (Samarati 2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.kernels.summation import total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.frequency.frequency_set import FrequencySet

LossName = Literal[
    "iyengar", "discernibility", "average-class-size", "precision", "height", "entropy"
]


def entropy_shares(
    keys: FrequencySet, maps: Sequence[Sequence[NDArray[np.int32]]]
) -> list[list[NDArray[np.float64]]]:
    """Non-uniform entropy as a table of shares by key, level and code, to be summed like Iyengar's.

    With g = log(n/f) of a value and T the total of g over records and keys at level 0, the
    share 1 − g·n·d/T makes (Σ shares of the kept records + d per suppressed record)/(n·d) equal
    to 1 − Σ g of the kept records / T.
    """
    n, d = keys.n, len(keys.attributes)
    surprise = [_surprise(keys, a, levels, n) for a, levels in enumerate(maps)]
    whole = sum(total(surprises * f) for (surprises, f), *_ in surprise)
    scale = n * d / whole if whole else 0.0
    return [[1.0 - g * scale for g, _ in levels] for levels in surprise]


def _surprise(
    keys: FrequencySet, a: int, levels: Sequence[NDArray[np.int32]], n: int
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Per level: log(n/f) of each code, and f."""
    found = []
    for to in levels:
        each = to[keys.codes[a]]
        f = np.bincount(each, keys.counts.astype(np.float64), minlength=int(to.max()) + 1)
        found.append((np.asarray(np.log(n / np.maximum(f, 1.0)), float), np.asarray(f, float)))
    return found


def precision(levels: Sequence[int], heights: Sequence[int], suppressed: Any, n: int) -> Any:
    """Sweeney's precision as a loss; ``suppressed`` may be an array."""
    shares = [level / top for level, top in zip(levels, heights, strict=True) if top]
    mean = sum(shares) / len(levels)
    return ((n - suppressed) * mean + suppressed) / n
