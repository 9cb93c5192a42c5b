"""Information loss of continuous attributes: how far values and statistics moved.

IL1 … IL5 of Domingo-Ferrer & Torra (2001), as Domingo-Ferrer & Torra (2005), Table 2, computes
them: mean relative variation of values, means, variances and covariances, and mean absolute
variation of correlations; IL is 100 times their mean. SSE/SST is the share of the sum of squares
that is lost, with attributes in units of their original standard deviation.

PIL(θ) of Mateo-Sanz, Domingo-Ferrer & Sebé (2005) puts the change of a statistic θ in relation to
its sampling error: 2·P(0 ≤ Z ≤ |θ′ − θ| / sd(θ)), between 0 and 1, with asymptotic variances from
the central moments of the original data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.moments import QUANTILES, Summary, around

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

_NORMAL = math.sqrt(2)
# What rounding may make: a change and an error against the size of a statistic, a difference of
# moments against the moments.
_SAME, _DIGITS, _ROUNDING = 1e-12, 1e-15, 1e-14
_NO_EIGENVALUE = 1e-10  # of the largest: attributes that add up to another one have such


@dataclass(frozen=True)
class ContinuousLoss:
    """The measures for continuous attributes; a measure that is not defined is None.

    Attributes
    ----------
    il1, il2, il3, il4, il5 : float
        Mean variation of values, means, variances, covariances (relative) and correlations.
    il : float
        100 times the mean of the five; of one attribute, of the first three.
    pil_q, pil_m1, pil_m2, pil_m11, pil_r : float
        Probabilistic loss of quantiles, means, variances, covariances and correlations.
    sse_ratio : float
        SSE/SST, as a fraction.
    il1s : float
        Mean of |x − y| / (√2 · sd), over all values.
    eigenvalues : float
        Mean relative change of the eigenvalues of the covariances, in original standard deviations.
    zeros : int
        Original values that are 0 (or statistics that are): no relative variation is defined
        there, and they are left out of the mean.
    """

    il1: float | None
    il2: float | None
    il3: float | None
    il4: float | None
    il5: float | None
    pil_q: float | None
    pil_m1: float | None
    pil_m2: float | None
    pil_m11: float | None
    pil_r: float | None
    sse_ratio: float | None
    il1s: float | None
    eigenvalues: float | None
    zeros: int

    @property
    def il(self) -> float | None:
        """100 times the mean of IL1 to IL5, of those that are defined."""
        return _hundredfold([self.il1, self.il2, self.il3, self.il4, self.il5])

    @property
    def pil(self) -> float | None:
        """100 times the mean of the five probabilistic measures, of those that are defined."""
        return _hundredfold([self.pil_q, self.pil_m1, self.pil_m2, self.pil_m11, self.pil_r])


def loss_of(found: Summary) -> ContinuousLoss:
    """All measures."""
    pairs = np.triu_indices(len(found.mean_x), 1)
    cov_x, cov_y = _zeroed(found.cov_x), _zeroed(found.cov_y)
    cor_x, cor_y = correlations(cov_x), correlations(cov_y)
    moments, spread, one = _Moments(found), _spread(cov_x), np.ones_like(cov_x)
    known = found.known.sum()
    correlated = (np.diag(cov_x) > 0).sum() > 1  # else there is no correlation to compare with
    return ContinuousLoss(
        il1=float(found.relative.sum() / known) if known else None,
        il2=_mean_relative(found.mean_x, found.mean_y),
        il3=_mean_relative(np.diag(cov_x), np.diag(cov_y)),
        il4=_mean_relative(cov_x[pairs], cov_y[pairs]),
        il5=_mean(np.abs(cor_x - cor_y)[pairs]) if correlated else None,
        pil_q=_pil(*_quantile_changes(found)),
        pil_m1=_pil(found.mean_y - found.mean_x, moments.sd_of_means(), np.abs(found.mean_x)),
        pil_m2=_pil(np.diag(cov_y - cov_x), moments.sd_of_variances(), np.diag(cov_x)),
        pil_m11=_pil((cov_y - cov_x)[pairs], moments.sd_of_covariances()[pairs], spread[pairs]),
        pil_r=_pil((cor_y - cor_x)[pairs], moments.sd_of_correlations()[pairs], one[pairs])
        if correlated
        else None,
        sse_ratio=_sse_ratio(found),
        il1s=_il1s(found),
        eigenvalues=_eigenvalues(found),
        zeros=int(found.n * len(found.known) - known),
    )


def attribute_losses(found: Summary, attribute: int) -> dict[str, float | None]:
    """The measures of a single attribute."""
    loss = loss_of(found.some([attribute]))
    names = ("il1", "il2", "il3", "pil_q", "pil_m1", "pil_m2", "sse_ratio", "il1s")
    return {name: getattr(loss, name) for name in names}


def _zeroed(cov: Matrix) -> Matrix:
    """The same with 0 for covariances that are as small as rounding may make them."""
    return np.where(np.abs(cov) > _ROUNDING * _spread(cov), cov, 0.0)


def _spread(cov: Matrix) -> Matrix:
    """The products of the standard deviations."""
    sd = np.sqrt(np.diag(cov))
    return np.outer(sd, sd)


def correlations(cov: Matrix) -> Matrix:
    """Correlations; 0 where an attribute is constant."""
    scale = _spread(cov)
    return np.divide(cov, scale, out=np.zeros_like(cov), where=scale > 0)


def _mean_relative(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """Mean of |a − b| / |a| where a is not 0."""
    known = a != 0
    return _mean(np.abs(a - b)[known] / np.abs(a[known]))


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if values.size else None


def _hundredfold(parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return 100 / len(known) * sum(known) if known else None


def _sse_ratio(found: Summary) -> float | None:
    """Σ (x − y)² over Σ (x − mean)², attributes in units of the original standard deviation."""
    spread = np.diag(found.cov_x) * max(found.n - 1, 1)
    varies = spread > 0
    return float((found.squares[varies] / spread[varies]).mean()) if varies.any() else None


def _il1s(found: Summary) -> float | None:
    """Mean of |x − y| / (√2 · sd) over the values of attributes that vary.

    Yancey, Winkler & Creecy (2002): relative to the spread, so that values near 0 count too.
    """
    spread = np.sqrt(np.diag(found.cov_x))
    varies = spread > 0
    return _mean(found.absolute[varies] / (math.sqrt(2) * spread[varies]) / found.n)


def _eigenvalues(found: Summary) -> float | None:
    """Mean of |λ − λ′| / λ, over the λ of the original covariances that are not 0 by rounding; both
    in units of the original standard deviations.
    """
    spread = np.sqrt(np.diag(found.cov_x))
    at = np.flatnonzero(spread > 0)
    if not len(at):
        return None
    unit = np.outer(spread[at], spread[at])
    first, second = (
        np.linalg.eigvalsh(cov[np.ix_(at, at)] / unit)[::-1] for cov in (found.cov_x, found.cov_y)
    )
    known = first > _NO_EIGENVALUE * first[0]
    return _mean(np.abs(first - second)[known] / first[known])


def _pil(
    change: NDArray[np.float64], sd: NDArray[np.float64], size: NDArray[np.float64]
) -> float | None:
    """The mean of 2·P(0 ≤ Z ≤ |change|/sd) = erf(|change|/(sd·√2)).

    Where a statistic has no sampling error, any change counts 1. Both are none when they are as
    small against the statistic's ``size`` as rounding may make them.
    """
    moved = np.abs(change) > _SAME * size
    ratio = np.where(moved, np.inf, 0.0)
    np.divide(np.abs(change), sd, out=ratio, where=sd > _DIGITS * size)
    return _mean(np.array([math.erf(r / _NORMAL) for r in ratio.ravel()]))


class _Moments:
    """Central moments up to order 4 of the original data, and what follows from them."""

    def __init__(self, found: Summary) -> None:
        self.n = found.n
        self.m11 = found.cov_x * (max(found.n - 1, 1) / found.n)
        self.m22, self.m31 = found.m22, found.m31
        self.m2 = np.diag(self.m11)
        self.m4 = np.diag(self.m22)

    def sd_of_means(self) -> NDArray[np.float64]:
        return np.asarray(np.sqrt(self.m2 / self.n))

    def sd_of_variances(self) -> NDArray[np.float64]:
        return self._sd(self.m4 - self.m2**2, self.m4)

    def sd_of_covariances(self) -> Matrix:
        return self._sd(self.m22 - self.m11**2, self.m22)

    def sd_of_correlations(self) -> Matrix:
        """Kendall & Stuart: the asymptotic variance of Pearson's r.

        Their r²·[m22/m11² + (m40/m20² + m04/m02² + 2·m22/(m20·m02))/4 − (m31/m20 + m13/m02)/m11],
        with r²/m11² written as 1/(m20·m02): so it holds for a covariance m11 of 0 too, where
        m22/(m20·m02) is left.
        """
        m2 = self.m2
        product = np.outer(m2, m2)
        varies = product > 0
        r = correlations(self.m11)
        kurtosis = np.divide(self.m4, m2**2, out=np.zeros_like(m2), where=m2 > 0)
        both = np.divide(self.m22, product, out=np.zeros_like(product), where=varies)
        mixed = np.divide(self.m31, m2[:, None], out=np.zeros_like(product), where=varies)
        lean = np.divide(
            mixed + mixed.T, np.sqrt(product), out=np.zeros_like(product), where=varies
        )
        added = both + r**2 * (kurtosis[:, None] + kurtosis[None, :] + 2 * both) / 4
        return self._sd(added - r * lean, added)

    def _sd(self, variance: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of a mean of n; a variance as small against its terms as rounding may make it is 0."""
        return np.asarray(np.sqrt(np.where(variance > _ROUNDING * size, variance, 0.0) / self.n))


def _quantile_changes(found: Summary) -> tuple[NDArray[np.float64], ...]:
    """Changes of the quantiles 5 % … 95 %, their sampling errors √(q(1−q)/n)/f(Q_q), and sizes.

    The density f at a quantile is estimated from the spacing of neighbouring quantiles.
    """
    change = found.quantiles_y - found.quantiles_x
    below, above = around(found.n)
    spacing = (found.high - found.low) / (above - below)[:, None]  # 1/f
    error = np.sqrt(QUANTILES * (1 - QUANTILES) / found.n)[:, None] * spacing
    size = np.abs([found.quantiles_x, found.quantiles_y]).max(axis=(0, 1))
    return change.ravel(), error.ravel(), np.broadcast_to(size, change.shape).ravel()
