"""Poisson counts: the mean of 1/(f + X), where X is Poisson with mean m.

It is ∫₀¹ t^(f−1) e^(−m(1−t)) dt =: G_f, so that G_1 = (1 − e^(−m))/m and, by parts,
m · G_(f+1) = 1 − f · G_f.

- f ≤ m: forwards, where an error shrinks by f/m at each step.
- f > m: f · G_f = 1 − m/(f+1) + m²/((f+1)(f+2)) − …, whose terms shrink from the first on.
- f and m large together: by the moments of X around its mean, in powers of m/(f + m)².
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.kernels.arrays import Floats

_FEW = 64  # steps forwards that are worth it
_MANY = 2000.0  # f + m from which on fourteen moments give all digits
_MOMENTS = 14
_SERIES = 50.0  # f + m up to which a variance is added up


def mean_reciprocal(counts: Any, means: Any) -> Floats:
    """E 1/(f + X) for counts f ≥ 1 and X Poisson with the means, one of each.

    Examples
    --------
    >>> mean_reciprocal([1, 1, 4], [0.0, 2.0, 0.0]).round(12).tolist()
    [1.0, 0.432332358382, 0.25]
    """
    f, m = np.broadcast_arrays(np.asarray(counts, np.float64), np.asarray(means, np.float64))
    f, m = f.ravel(), m.ravel()
    found = np.empty_like(m)
    falling = f > m
    large = (f + m >= _MANY) & (f > _FEW)
    for chosen, formula in (
        (large, _by_moments),
        (falling & ~large, _by_series),
        (~falling & ~large, _forwards),
    ):
        if chosen.any():
            found[chosen] = formula(f[chosen], m[chosen])
    return found.reshape(np.broadcast_shapes(np.shape(counts), np.shape(means)))


def _forwards(f: Floats, m: Floats) -> Floats:
    order = np.argsort(-f, kind="stable")  # those that go on stand first
    f, m = f[order], m[order]
    value = -np.expm1(-m) / m
    for step in range(1, int(f[0])):
        going = int(np.searchsorted(-f, -step, side="left"))
        value[:going] = (1 - step * value[:going]) / m[:going]
    found = np.empty_like(value)
    found[order] = value
    return found


def _by_series(f: Floats, m: Floats) -> Floats:
    total, term, step = np.ones_like(m), np.ones_like(m), 0
    while np.abs(term).max(initial=0.0) > 1e-17:
        step += 1
        term = -term * m / (f + step)
        total = total + term
    return total / f


def _by_moments(f: Floats, m: Floats) -> Floats:
    """Σ (−1)^k E(X − m)^k / (f + m)^(k+1), with E(X − m)^(k+1) = m Σ C(k, i) E(X − m)^i, i < k."""
    middle = f + m
    scaled = [np.ones_like(m), np.zeros_like(m)]  # E(X − m)^k / (f + m)^k
    for k in range(1, _MOMENTS):
        parts = [math.comb(k, i) * scaled[i] * middle ** (i - k - 1) for i in range(k)]
        scaled.append(m * sum(parts))
    signed = [(-1) ** k * part for k, part in enumerate(scaled)]
    return np.asarray(sum(signed[::-1])) / middle


def reciprocal_variance(counts: Any, means: Any) -> Floats:
    """The variance of 1/(f + X) for counts f ≥ 1 and X Poisson with the means, one of each; to two
    digits where f + m is above 50.

    Examples
    --------
    >>> reciprocal_variance([1, 1, 2], [0.0, 1.0, 1.0]).round(6).tolist()
    [0.0, 0.085253, 0.011956]
    """
    f, m = np.broadcast_arrays(np.asarray(counts, np.float64), np.asarray(means, np.float64))
    shape, f, m = m.shape, f.ravel(), m.ravel()
    middle = f + m
    with np.errstate(under="ignore"):  # by the first derivatives of 1/(f + m)
        found = m / middle**4 * (1 - 2 / middle + 8 * m / middle**2)
    few = middle <= _SERIES
    f, m = f[few], m[few]
    squares, chance = np.zeros_like(m), np.exp(-m)
    for j in range(int(_SERIES + 12 * math.sqrt(_SERIES))):
        squares += chance / (f + j) ** 2
        chance = chance * m / (j + 1)
    found[few] = np.maximum(squares - mean_reciprocal(f, m) ** 2, 0.0)
    return np.asarray(found.reshape(shape))
