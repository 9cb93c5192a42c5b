"""The gamma function by its logarithm and its derivatives: digamma ψ and trigamma ψ′.

All by Stirling's series, after the argument has been carried above 10 by Γ(x + 1) = x · Γ(x). The
difference of two logarithms is worked out by itself: those of Γ(10⁹) and Γ(10⁹ + ½) have nine
digits in common, which a plain difference would lose.

References
----------
.. [1] Abramowitz, Stegun, *Handbook of mathematical functions*, 1964: 6.1.40, 6.3.18, 6.4.12.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.kernels.arrays import Floats

_LARGE = 10  # from here on the series are exact to the last bits
# Bernoulli numbers B_2, B_4, … B_16
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def log_gamma(x: Any) -> Floats:
    """The logarithm of Γ(x) for x > 0.

    Examples
    --------
    >>> log_gamma([1, 5, 0.5]).round(12).tolist()
    [0.0, 3.178053830348, 0.572364942925]
    """
    given = np.asarray(x, dtype=np.float64)
    y, small = _carried(given)
    found = (y - 0.5) * np.log(y) - y + 0.5 * np.log(2 * np.pi) + _tail(y)
    return _less(found, small, _logs(given[small]))


def log_gamma_step(x: Any, by: Any) -> Floats:
    """The difference ln Γ(x + by) − ln Γ(x), with all digits also where ``by`` is small beside x.

    Both x and x + by are above 0.

    Examples
    --------
    >>> float(log_gamma_step(1e12, 1)) == float(np.log(1e12))
    True
    """
    low, away = np.asarray(x, dtype=np.float64), np.asarray(by, dtype=np.float64)
    high = low + away
    start, small = _carried(low)
    end, short = _carried(high)
    away = away + (_LARGE * short - _LARGE * small)
    # (y − ½) ln y − (x − ½) ln x − by with y = x + by and ln y = ln x + ln(1 + by/x)
    near = (end - 0.5) * np.log1p(away / start) + away * (np.log(start) - 1)
    base = _less(_tail(start), small, _logs(low[small]))
    return _less(near + _tail(end), short, _logs(high[short])) - base


def digamma(x: Any) -> Floats:
    """ψ(x), the derivative of ln Γ(x), for x > 0.

    Examples
    --------
    >>> digamma([1, 0.5]).round(12).tolist()
    [-0.577215664902, -1.963510026021]
    """
    given = np.asarray(x, dtype=np.float64)
    y, small = _carried(given)
    squares = 1 / (y * y)
    found = np.log(y) - 0.5 / y - squares * _horner(squares, _DIGAMMA)
    return _less(found, small, (1 / _steps(given[small])).sum(axis=-1))


def trigamma(x: Any) -> Floats:
    """ψ′(x), the second derivative of ln Γ(x), for x > 0.

    Examples
    --------
    >>> trigamma([1, 0.5]).round(12).tolist()
    [1.644934066848, 4.934802200545]
    """
    given = np.asarray(x, dtype=np.float64)
    y, small = _carried(given)
    squares = 1 / (y * y)
    found = (1 + 0.5 / y + squares * _horner(squares, _BERNOULLI)) / y
    return _less(found, small, -(_steps(given[small]) ** -2.0).sum(axis=-1))


_DIGAMMA = tuple(b / (2 * i) for i, b in enumerate(_BERNOULLI, 1))
_STIRLING = tuple(b / (2 * i * (2 * i - 1)) for i, b in enumerate(_BERNOULLI, 1))


def _carried(x: Floats) -> tuple[Floats, Any]:
    """Small arguments carried above the limit by ten steps, and which they are."""
    small = x < _LARGE
    return x + _LARGE * small, small


def _steps(x: Floats) -> Floats:
    """The ten steps that each argument is carried by."""
    return x[..., None] + np.arange(_LARGE)


def _logs(x: Floats) -> Floats:
    return np.asarray(np.log(_steps(x)).sum(axis=-1))


def _less(found: Any, small: Any, carried: Any) -> Floats:
    """Take off what the small arguments were carried by."""
    result = np.array(found)
    result[small] -= carried
    return result


def _tail(x: Floats) -> Floats:
    return np.asarray(_horner(1 / (x * x), _STIRLING) / x)


def _horner(x: Floats, coefficients: tuple[float, ...]) -> Floats:
    found = coefficients[-1] * x
    for one in coefficients[-2:0:-1]:
        found = (found + one) * x
    return found + coefficients[0]
