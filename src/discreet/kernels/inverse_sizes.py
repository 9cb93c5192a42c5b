"""The inverse of an unknown class size in the population: its mean and its spread.

A class with f records in the sample stands for F̂ people by its weights. With p = f/F̂ its size F in
the population is taken to be negative binomial: the number of draws until the f-th record is in the
sample. Then E(1/F | f) = (p/f)·₂F₁(1, 1; f+1; q) with q = 1 − p, which is p·I_f for

    I_1 = ln(1/p)/q,   I_{m+1} = (1/m − p·I_m)/q.

An error of I_m shrinks by p/q with each step, so that the recurrence is good for p < ½. Elsewhere,
and for larger f, the terms of the hypergeometric series fall fast, and all of them are positive.

References
----------
.. [1] Benedetti, Franconi, "Statistical and technological solutions for controlled data
   dissemination", New Techniques and Technologies for Statistics, 1998.
.. [2] Rinott, "On models for statistical disclosure risk estimation", Joint ECE/Eurostat work
   session on statistical data confidentiality, 2003.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.kernels.arrays import Floats, Ints

_STEPS = 40  # f from which on the series is used
_ENOUGH = 2.0**-56  # a term that is smaller than this part of the sum no longer counts


def inverse_mean(counts: Ints, weights: Floats) -> Floats:
    """E(1/F | f) of classes with some records in the sample and some sums of weights.

    It lies between 1/F̂ and 1/f. Where the weights are below the count, all of the class is taken
    to be in the sample.

    Examples
    --------
    >>> inverse_mean(np.array([2, 1, 3]), np.array([360.0, 215.0, 3.0])).round(8).tolist()
    [0.00542452, 0.02509644, 0.33333333]
    """
    f, p = counts.astype(np.float64), np.minimum(counts / weights, 1.0)
    found = _by_regime(f, p, _recurrence, _series)
    return np.clip(found, p / f, 1 / f)


def inverse_variance(counts: Ints, weights: Floats) -> Floats:
    """Var(1/F | f) of such classes; from f = 40 on by the delta method, to the second order.

    With Z = E(1/F² | f) and r = E(1/F | f) it is Z − r². Z_1 = (p/q)·Li₂(q), and as
    (F − f)·P_f(F) = (f·q/p)·P_{f+1}(F), Z_{m+1} = p·(r_m/m − Z_m)/q.

    Examples
    --------
    >>> inverse_variance(np.array([1, 50]), np.array([2.0, 5000.0])).round(12).tolist()
    [0.101787512547, 8.54e-10]
    """
    f, p = counts.astype(np.float64), np.minimum(counts / weights, 1.0)
    q = 1 - p
    small = f < _STEPS
    found = q * p**2 / f**3 * (1 + (6 * q - 2) / f)
    squares = _by_regime(f[small], p[small], _square_recurrence, _square_series)
    found[small] = squares - inverse_mean(counts[small], weights[small]) ** 2
    return np.maximum(found, 0.0)


Regime = Callable[[Floats, Floats], Floats]


def _by_regime(f: Floats, p: Floats, recurrence: Regime, series: Regime) -> Floats:
    """Each class by the way that is good for it: those of a way together, by rising f."""
    found = np.empty(len(f))
    stepped = (p < 0.5) & (f < _STEPS)
    for chosen, way in ((stepped, recurrence), (~stepped, series)):
        at = np.flatnonzero(chosen)
        at = at[np.argsort(f[at], kind="stable")]
        if len(at):
            found[at] = way(f[at], p[at])
    return found


def _recurrence(f: Floats, p: Floats) -> Floats:
    """p·I_f, for rising f."""
    q = 1 - p
    step = -np.log(p) / q
    for m in range(1, int(f[-1])):
        rest = np.searchsorted(f, m, side="right")  # those before are done
        step[rest:] = (1 / m - p[rest:] * step[rest:]) / q[rest:]
    return np.asarray(p * step)


def _series(f: Floats, p: Floats) -> Floats:
    """(p/f)·Σ_j T_j with T_j = T_{j−1}·j·q/(f + j)."""
    q, term, total, j = 1 - p, np.ones(len(f)), np.ones(len(f)), 0
    while term.max() > _ENOUGH:
        j += 1
        term *= j * q / (f + j)
        total += term
    return np.asarray(p / f * total)


def _square_recurrence(f: Floats, p: Floats) -> Floats:
    """E(1/F²), for rising f; the dilogarithm by Euler's reflection."""
    q, power, dilogarithm = 1 - p, np.ones(len(p)), np.zeros(len(p))
    for k in range(1, 56):
        power *= p
        dilogarithm += power / k**2
    mean = -np.log(p) / q * p
    square = p / q * (np.pi**2 / 6 - np.log(q) * np.log(p) - dilogarithm)
    for m in range(1, int(f[-1])):
        rest = np.searchsorted(f, m, side="right")
        ratio = p[rest:] / q[rest:]
        square[rest:] = ratio * (mean[rest:] / m - square[rest:])
        mean[rest:] = ratio * (1 / m - mean[rest:])
    return square


def _square_series(f: Floats, p: Floats) -> Floats:
    """E(1/F²) by its definition; there are at most 40 records, and half of the class or more."""
    q, chance = 1 - p, p**f
    total = chance / f**2
    for x in range(1, 40 * _STEPS):
        chance = chance * (f + x - 1) * q / x
        added = chance / (f + x) ** 2
        total = total + added
        if x > f[-1] and added.max() <= _ENOUGH * total.min():
            break
    return total
