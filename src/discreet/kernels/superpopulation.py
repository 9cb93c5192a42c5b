"""Superpopulation models: from the class sizes of a sample to the uniques of its population.

A sample of n of N people falls into u classes, s_j of them of size j; π = n/N.

- Pitman: classes come about by Pitman's sampling formula with θ and α, fitted by maximum
  likelihood; what it expects in N people is known in closed form.
- Zayatz: population classes are as frequent by size as those of the sample; Bayes' rule says
  which share of the sample uniques comes from population uniques.
- SNB: the size of a population class less 1 is negative binomial (a, b); numbers of sample
  classes of size 1 and 2 fit exactly, given the number K of population classes.

References
----------
.. [1] Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk assessment", J.
   Official Statistics 17 (4), 2001.
.. [2] Zayatz, "Estimation of the percent of unique population elements on a microdata file using
   the sample", U.S. Bureau of the Census, 1991.
.. [3] Chen, Keller-McNulty, "Estimation of identification disclosure risk in microdata", J.
   Official Statistics 14 (1), 1998.
.. [4] Haas, Naughton, Seshadri, Stokes, "Sampling-based estimation of the number of distinct
   values of an attribute", VLDB 1995: the modified Shlosser estimator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.kernels.arrays import Floats, Ints

_STEPS = 200  # of Newton's method; it takes about ten
_END = 1e-7  # a last step so small leaves an error below rounding
_TINY = 1e-3  # below, sums over classes are added up: their closed form would cancel
_FAR = 30.0  # ln(θ + α) beyond which the likelihood has no maximum worth the name
_CLOSE = 1e-9  # so near to 1 must α not come
_ROUNDS, _POINTS = 8, 129  # of the grid on which the equation of SNB is solved
_LARGE = 10  # from here on the series are exact to the last bits
# Bernoulli numbers B_2, B_4, … B_16
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


@dataclass(frozen=True, eq=False)
class SizeCounts:
    """Class sizes, ascending, and the number of classes of each."""

    sizes: Ints
    numbers: Ints

    @property
    def n(self) -> int:
        """Number of records."""
        return int((self.sizes * self.numbers).sum())

    @property
    def u(self) -> int:
        """Number of classes."""
        return int(self.numbers.sum())

    def of_size(self, size: int) -> int:
        """Number of classes of one size."""
        return int(self.numbers[self.sizes == size].sum())


# -- Pitman --------------------------------------------------------------------------------------


def pitman(found: SizeCounts) -> tuple[float, float] | None:
    """θ and α of Pitman's sampling formula by maximum likelihood, θ > −α and 0 ≤ α < 1; None where
    the likelihood has no maximum.

    Newton's method on t = ln(θ + α) and α from the best of a grid; each step is shortened until
    the likelihood grows, and α stays at 0 while the likelihood falls from there.
    """
    if found.u < 2 or found.u == found.n:
        return None
    at = _start(found)
    best = _likelihood(found, *_plain(at))
    for _ in range(_STEPS):
        slope, curve = _derivatives(found, at)
        if at[1] == 0 and slope[1] <= 0:
            slope[1], curve[1, 0], curve[0, 1], curve[1, 1] = 0.0, 0.0, 0.0, -1.0
        step = _newton(slope, curve, 0.0)
        if step is not None and np.abs(step).max() <= _END and at[1] >= step[1]:
            return _plain(at - step)  # what is left is of the order of its square
        moved, best = _climbed(found, at, best, slope, curve)
        if moved[0] > _FAR or moved[1] > 1 - _CLOSE:
            return None
        if np.array_equal(moved, at):
            break
        at = moved
    return _plain(at)


def _plain(at: Floats) -> tuple[float, float]:
    return math.exp(at[0]) - float(at[1]), float(at[1])


def _start(found: SizeCounts) -> Floats:
    alpha = np.array([0.05, 0.2, 0.4, 0.6, 0.8, 0.95])[:, None]
    level = np.arange(-2.0, 20.0, 1.5)[None]
    theta = np.exp(level) - alpha
    classes = log_gamma_step(1 + theta / alpha, found.u - 1) + (found.u - 1) * np.log(alpha)
    people = log_gamma_step(theta + 1, found.n - 1)
    sizes = (found.numbers * log_gamma_step(1 - alpha, found.sizes - 1)).sum(axis=1)
    value = classes - people + sizes[:, None]
    row, column = np.unravel_index(int(np.argmax(value)), value.shape)
    return np.array([level[0, column], alpha[row, 0]])


def _likelihood(found: SizeCounts, theta: float, alpha: float) -> float:
    """The logarithm of Pitman's formula, without what does not depend on θ and α."""
    starts = np.array([1 + theta, 1 + theta / max(alpha, _TINY)])
    people, classes = log_gamma_step(starts, np.array([found.n - 1, found.u - 1])).tolist()
    if alpha >= _TINY:
        first = (found.u - 1) * math.log(alpha) + classes
    elif alpha > 0:
        first = float(np.log(theta + alpha * np.arange(1, found.u)).sum())
    else:
        first = (found.u - 1) * math.log(theta)
    sizes = log_gamma_step(1 - alpha, found.sizes - 1)
    return first - people + float((found.numbers * sizes).sum())


def _derivatives(found: SizeCounts, at: Floats) -> tuple[Floats, Floats]:
    """Slope and curvature of the likelihood in t and α."""
    theta, alpha = _plain(at)
    over = theta / max(alpha, _TINY)
    asked = np.concatenate(
        [[theta + found.n, theta + 1, found.u + over, 1 + over, 1 - alpha], found.sizes - alpha]
    )
    psi, psi1 = digamma(asked), trigamma(asked)
    s, si, q, qi, qii = _sums(found.u, theta, alpha, psi[2] - psi[3], psi1[3] - psi1[2])
    own = float((found.numbers * (psi[5:] - psi[4])).sum())
    curved = float((found.numbers * (psi1[5:] - psi1[4])).sum())
    by_theta, by_alpha = s - (psi[0] - psi[1]), si - own
    tt, ta, aa = -q - (psi1[0] - psi1[1]), -qi, -qii + curved
    e = theta + alpha  # dθ/dt, and dθ/dα = −1 at fixed t
    slope = np.array([by_theta * e, by_alpha - by_theta])
    mixed = e * (ta - tt)
    curve = np.array([[tt * e * e + by_theta * e, mixed], [mixed, aa - 2 * ta + tt]])
    return slope, curve


def _sums(
    u: int, theta: float, alpha: float, first: float, second: float
) -> tuple[float, float, float, float, float]:
    """Σ 1/x, Σ i/x, Σ 1/x², Σ i/x², Σ i²/x² with x = θ + iα over 1 ≤ i < u, from the differences
    of ψ and of −ψ′ between u + θ/α and 1 + θ/α.
    """
    if alpha == 0:
        ones, twos, squares = u - 1, u * (u - 1) / 2, u * (u - 1) * (2 * u - 1) / 6
        return ones / theta, twos / theta, ones / theta**2, twos / theta**2, squares / theta**2
    if alpha < _TINY:
        i = np.arange(1, u, dtype=np.float64)
        x = 1 / (theta + alpha * i)
        parts = (x, i * x, x * x, i * x * x, (i * x) ** 2)
        return tuple(float(part.sum()) for part in parts)  # type: ignore[return-value]
    s, q = first / alpha, second / alpha**2
    rest = u - 1 - theta * s
    return s, rest / alpha, q, (s - theta * q) / alpha, (rest - theta * (s - theta * q)) / alpha**2


def _climbed(
    found: SizeCounts, at: Floats, best: float, slope: Floats, curve: Floats
) -> tuple[Floats, float]:
    """A step of Newton's method, leaning towards the slope until the likelihood grows."""
    scale = float(np.abs(curve).max()) or 1.0
    for damping in (0.0, *(scale * 10.0**power for power in range(-6, 9))):
        step = _newton(slope, curve, damping)
        if step is None:
            continue
        moved = at - step
        moved[1] = min(max(moved[1], 0.0), 1 - _CLOSE / 2)
        value = _likelihood(found, *_plain(moved)) if moved[0] < _FAR + 5 else -math.inf
        if value > best:
            return moved, value
    return at, best


def _newton(slope: Floats, curve: Floats, damping: float) -> Floats | None:
    """The step by which to go back; None where the likelihood is not curved downwards."""
    a, b, d = curve[0, 0] - damping, curve[0, 1], curve[1, 1] - damping
    determinant = a * d - b * b
    if a >= 0 or determinant <= 0:
        return None
    return np.array([d * slope[0] - b * slope[1], a * slope[1] - b * slope[0]]) / determinant


def pitman_asymptotic(theta: float, alpha: float, population: float) -> float:
    """Share of uniques, Γ(θ+1)/Γ(θ+α) · N^(α−1): its limit for large N."""
    return math.exp(float(log_gamma_step(theta + alpha, 1 - alpha))) * population ** (alpha - 1)


def pitman_exact(theta: float, alpha: float, population: float) -> float:
    """Share of uniques, Γ(θ+1)/Γ(θ+α) · Γ(N+θ+α−1)/Γ(N+θ): what the formula expects in N."""
    first = float(log_gamma_step(theta + alpha, 1 - alpha))
    second = float(log_gamma_step(population + theta, alpha - 1))
    return math.exp(first + second)


# -- Zayatz --------------------------------------------------------------------------------------


def zayatz(found: SizeCounts, population: float) -> float:
    """Share of uniques: s_1/n times the probability that a sample unique is a population unique,
    s_1 h(1)/Σ s_j h(j), where h(j) is hypergeometric: one of a class of j is drawn.
    """
    rest = population - found.n
    fits = found.sizes - 1 <= rest + 1e-9  # the others of a class are not in the sample
    j = found.sizes[fits].astype(np.float64)
    # h(j)/h(1) = j · (N−n)!/(N−n−j+1)! · (N−j)!/(N−1)!
    left = np.maximum(rest - j + 2, 1.0)
    ratio = log_gamma_step(left, rest + 1 - left) - log_gamma_step(population - j + 1, j - 1)
    weighed = float((found.numbers[fits] * j * np.exp(ratio)).sum())
    uniques = found.of_size(1)
    return uniques / found.n * (uniques / weighed) if uniques else 0.0


# -- SNB -----------------------------------------------------------------------------------------


def shlosser(found: SizeCounts, population: float) -> float | None:
    """Number of classes in the population, by the modified estimator of Shlosser; None where it is
    not defined."""
    pi = found.n / population
    j, s = found.sizes.astype(np.float64), found.numbers.astype(np.float64)
    squared = (1 - pi * pi) ** (j - 1)
    plain = (1 - pi) ** (j - 1)
    middle = float((((1 - pi * pi) * squared - (1 - pi) * plain) * s).sum())
    last = float((j * pi * plain * s).sum())
    if middle <= 0 or last <= 0:
        return None
    first = float((j * pi * pi * squared * s).sum()) / middle
    second = float(((1 - pi) * plain * s).sum()) / last
    return found.u + found.of_size(1) * first * second**2


def snb(found: SizeCounts, population: float, classes: float) -> float | None:
    """Share of uniques, K b^a/N, where a and b reproduce s_1 and s_2; None without a solution.

    With y = (1−b)/A, A = 1 − (1−b)(1−π), v = πy and z = (1−π)y the equations of the model are

        P1 = π (1−v)^a (1 + za)        P2 = π² (1−v)^a ay (1 + z(a+1)/2)

    and for each v in (0, 1) exactly one a > 0 has P2/P1 = s_2/s_1, the positive root of a square
    equation. What is left is one equation in v, solved on a grid that is narrowed around its last
    change of sign.
    """
    pi, ones, twos = found.n / population, found.of_size(1), found.of_size(2)
    if not ones or not twos:
        return None
    ratio, wanted = twos / ones, ones / classes

    def shape(v: Floats) -> tuple[Floats, Floats]:
        z = (1 - pi) * v / pi
        middle = v + v * z / 2 - ratio * z
        root = np.sqrt(middle**2 + 2 * ratio * v * z)
        low = 2 * ratio / (middle + root)  # of middle > 0, without cancelling
        return np.where(middle > 0, low, (root - middle) / np.where(v * z > 0, v * z, 1.0)), z

    def over(v: Floats) -> Floats:
        a, z = shape(v)
        return pi * np.exp(a * np.log1p(-v)) * (1 + z * a) - wanted

    low, high = -25.0, 25.0  # ln v/(1 − v)
    for _ in range(_ROUNDS):
        levels = np.linspace(low, high, _POINTS)
        above = over(1 / (1 + np.exp(-levels))) > 0
        turns = np.flatnonzero(above[:-1] != above[1:])
        if not len(turns):
            break
        low, high = levels[turns[-1]], levels[turns[-1] + 1]
    if high - low > 1:
        return None
    v = 1 / (1 + math.exp(-low))
    a, z = (float(part[0]) for part in shape(np.array([v])))
    return classes / population * math.exp(a * math.log((1 - v) / (1 + z)))


# -- The gamma function by its logarithm and its derivatives: digamma ψ and trigamma ψ′ ------------
#
# All by Stirling's series, after the argument has been carried above 10 by Γ(x + 1) = x · Γ(x). The
# difference of two logarithms is worked out by itself: those of Γ(10⁹) and Γ(10⁹ + ½) have nine
# digits in common, which a plain difference would lose.
#
# References
# ----------
# .. [1] Abramowitz, Stegun, *Handbook of mathematical functions*, 1964: 6.1.40, 6.3.18, 6.4.12.


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
