"""Sums that are the same to the last bit for every order of the records and of the threads.

Floating-point addition rounds, so that a plain sum depends on the order of its terms. Here every
term is cut into slices that lie on coarse grids of a power of two. The slices of one grid add up
without any rounding, in whatever order, and the few sums of slices are rounded once. A grid
depends on the number of terms and on a bound of their size alone.

Each slice holds 53 − log2 n bits of a term. Three of them keep about 100 bits below the bound for
a million terms, far more than the 53 bits of the result.

References
----------
.. [1] Rump, Ogita, Oishi, "Accurate floating-point summation part I: faithful rounding", SIAM J.
   Sci. Comput. 31 (1), 2008: ExtractVector, Lemma 3.3.
.. [2] Demmel, Nguyen, "Parallel reproducible summation", IEEE Trans. Comput. 64 (7), 2015.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats

Terms = Callable[[slice], Floats]

_SLICES = 3
_BLOCK = 1 << 16  # terms at a time: they and their slices stay in the cache
_LARGEST = 1023  # exponent


def total(values: NDArray[Any]) -> float:
    """The sum of some numbers, the same for every order of them.

    Examples
    --------
    >>> total(np.array([0.1, 1e16, 0.2, -1e16])) == total(np.array([1e16, -1e16, 0.2, 0.1]))
    True
    >>> total(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    return float(row_totals(np.asarray(values, dtype=np.float64).reshape(1, -1))[0])


def row_totals(values: Floats) -> Floats:
    """The sum of every row of a matrix."""
    most = np.abs(values).max(axis=1, initial=0.0)
    return totals(lambda at: values[:, at].copy(), values.shape[1], most)


def totals(terms: Terms, n: int, most: Floats) -> Floats:
    """Several sums of ``n`` terms each.

    Parameters
    ----------
    terms : function of a slice
        The terms at some places, one row per sum; the array is overwritten.
    n : int
        Number of terms of a sum.
    most : array
        No term of a sum is larger than this, in absolute value.

    Returns
    -------
    array
        One per sum. Where a bound is infinite or near it, the terms are added in their own order
        from small to large.
    """
    grids = _grids(most, n)
    if not np.isfinite(grids).all():
        return np.asarray(np.sort(terms(slice(0, n)), axis=1).sum(axis=1))
    held = np.zeros_like(grids)
    step = max(_BLOCK // max(len(most), 1), 1)
    for start in range(0, n, step):
        rest = terms(slice(start, min(start + step, n)))
        for grid, sums in zip(grids, held, strict=True):
            on_grid = rest + grid[:, None]
            on_grid -= grid[:, None]
            sums += on_grid.sum(axis=1)  # exact: multiples of 2^−53·grid that stay below the grid
            rest -= on_grid
    return np.array([math.fsum(slices) for slices in held.T])


def weighted_total(values: Floats, counts: NDArray[np.int64]) -> float:
    """The sum of some numbers, each of which counts so many times, as if all were written out.

    Examples
    --------
    >>> weighted_total(np.array([0.1, 0.5]), np.array([3, 1])) == math.fsum([0.1, 0.1, 0.1, 0.5])
    True
    """
    times = counts.astype(np.float64)
    product = values * times
    (high, low), (more, less) = _halves(values), _halves(times)
    lost = ((high * more - product) + high * less + low * more) + low * less  # Dekker's product
    return total(np.concatenate([product, lost]))


def _halves(values: Floats) -> tuple[Floats, Floats]:
    """Two numbers of at most 26 bits each that add up to a number (Veltkamp's splitting)."""
    scaled = values * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - values)
    return high, values - high


def group_totals(values: Floats, owner: NDArray[np.integer], groups: int) -> Floats:
    """The sum of the numbers of each group; number ``i`` belongs to group ``owner[i]``.

    Examples
    --------
    >>> group_totals(np.array([1e16, 0.5, 1.0, -1e16]), np.array([0, 1, 0, 0]), 2).tolist()
    [1.0, 0.5]
    """
    parts = slices(values)
    if not parts:
        order = np.lexsort((values, owner))
        return _grouped(values[order], owner[order], groups)
    return rounded_sum(*(_grouped(part, owner, groups) for part in parts))


def slices(values: Floats) -> list[Floats]:
    """Parts of some numbers, the coarse ones first, that add up to them; the sum of any of them,
    each taken once, is exact part by part. Whole numbers are one part, as a rule; there are none
    where a number is infinite or near it."""
    most = max(values.max(initial=0.0), -values.min(initial=0.0))
    grids = _grids(np.array([most]), len(values)).ravel()
    if not np.isfinite(grids).all():
        return []
    blocks = [values[i : i + _BLOCK] for i in range(0, len(values), _BLOCK)]
    if all(np.array_equal(block, (block + grids[0]) - grids[0]) for block in blocks):
        return [values]
    found, rest = [], values.astype(np.float64)
    for grid in grids:
        found.append((rest + grid) - grid)
        rest -= found[-1]
        if not rest.any():
            break
    return found


def _grouped(values: Floats, owner: NDArray[np.integer], groups: int) -> Floats:
    return np.asarray(np.bincount(owner, values, groups), dtype=np.float64)


def rounded_sum(large: Floats, middle: Floats | float = 0.0, small: Floats | float = 0.0) -> Floats:
    """The sum of three parts, each far smaller than the one before, rounded once."""
    found = large + middle
    lost = (large - (found - (found - large))) + (middle - (found - large))  # Knuth's two-sum
    return found + (lost + small)


def _grids(most: Floats, n: int) -> Floats:
    """Per slice and sum the number whose last bit is the grid: 2^M · 2^e with 2^M ≥ n + 2 and no
    term above 2^e; what is left of a term is at most 2^−53 of it."""
    if not np.isfinite(most).all():
        return np.full((_SLICES, len(most)), np.inf)
    margin = (n + 1).bit_length()
    exponents = np.frexp(most)[1] + margin
    found = [exponents + at * (margin - 53) for at in range(_SLICES)]
    sizes = np.minimum(np.array(found), _LARGEST + 1)
    with np.errstate(over="ignore"):
        grids = np.ldexp(1.0, sizes)
    return np.asarray(np.where(most > 0, grids, 0.0))


# -- Means and standard deviations that are the same for every order of the records ----------------


def spreads(x: Floats) -> Floats:
    """Standard deviations (divisor n − 1), one column per attribute; 0 for a single record.

    Examples
    --------
    >>> spreads(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [1.4142135623730951, 0.0]
    """
    _, apart = centred(np.ascontiguousarray(x.T))
    return np.asarray(np.sqrt(row_totals(apart**2) / max(len(x) - 1, 1)))


def centred(values: Floats) -> tuple[Floats, Floats]:
    """Means, one row per attribute, and the differences from them."""
    means = row_totals(values) / values.shape[1]
    # once more, for what the division rounded off: a constant has itself as its mean
    means += row_totals(values - means[:, None]) / values.shape[1]
    return means, values - means[:, None]
