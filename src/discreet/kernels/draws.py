"""Draws: random numbers that are a function of a record's hash and of what they are for.

A record has a hash h, made from the seed and its record id where the records are. All further
numbers are mixed from it here: u(i, a, r) = (splitmix64(h_i ⊕ splitmix64(method, attribute, round))
>> 11) · 2⁻⁵³. So a draw never depends on the order of the rows, on the engine or on threads.
Normal deviates are Wichura's AS 241 (routine PPND16) of u.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.compilation import njit

Hashes = NDArray[np.uint64]
Floats = NDArray[np.float64]

_BITS = 2**64 - 1
STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_LEAST = 2.0**-54  # of a uniform deviate that becomes a normal one: 0 would be −∞


def stream(method: str, attribute: str = "", round: int = 0) -> int:  # noqa: A002
    """The number of a stream of draws: another method, attribute or round has another one.

    Examples
    --------
    >>> stream("pram", "edu") == stream("pram", "edu", 1)
    False
    """
    mixed = 0
    for word in (_of_text(method), _of_text(attribute), round):
        mixed = splitmix64((mixed ^ word) & _BITS)
    return mixed


def splitmix64(number: int) -> int:
    """The mix of splitmix64, of one number of 64 bits.

    Examples
    --------
    >>> hex(splitmix64(0))
    '0xe220a8397b1dcdaf'
    """
    mixed = (number + STEP) & _BITS
    mixed = ((mixed ^ (mixed >> 30)) * _FIRST) & _BITS
    mixed = ((mixed ^ (mixed >> 27)) * _SECOND) & _BITS
    return mixed ^ (mixed >> 31)


def mixed(hashes: Hashes, of: int) -> Hashes:
    """64 random bits of each record in a stream; their order is a random one.

    Examples
    --------
    >>> int(mixed(np.array([0], dtype=np.uint64), 0)[0]) == splitmix64(0)
    True
    """
    found = hashes ^ np.uint64(of)
    found += np.uint64(STEP)
    found ^= found >> np.uint64(30)
    found *= np.uint64(_FIRST)
    found ^= found >> np.uint64(27)
    found *= np.uint64(_SECOND)
    found ^= found >> np.uint64(31)
    return found


def uniforms(hashes: Hashes, of: int) -> Floats:
    """A number of each record, uniform from 0 to below 1, in steps of 2⁻⁵³."""
    found = mixed(hashes, of)
    found >>= np.uint64(11)
    return found.astype(np.float64) * 2.0**-53


def normals(hashes: Hashes, of: int) -> Floats:
    """A standard normal deviate of each record."""
    return normal_quantiles(uniforms(hashes, of))


def normal_quantiles(shares: Floats) -> Floats:
    """The normal deviates below which the shares lie.

    Examples
    --------
    >>> normal_quantiles(np.array([0.5, 0.975])).round(6).tolist()
    [0.0, 1.959964]
    """
    return _quantiles(np.maximum(shares, _LEAST))


def _of_text(text: str) -> int:
    return int.from_bytes(hashlib.md5(text.encode(), usedforsecurity=False).digest()[:8], "big")


@njit(cache=True, nogil=True)
def _quantiles(shares: Floats) -> Floats:
    found = np.empty(len(shares))
    for i in range(len(shares)):
        found[i] = _quantile(shares[i])
    return found


@njit(cache=True, nogil=True)
def _quantile(p: float) -> float:
    """Wichura (1988), Algorithm AS 241, Applied Statistics 37 (3): PPND16, to about 1 in 10¹⁶."""
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        above = ((((((2.5090809287301226727e3 * r + 3.3430575583588128105e4) * r
                     + 6.7265770927008700853e4) * r + 4.5921953931549871457e4) * r
                   + 1.3731693765509461125e4) * r + 1.9715909503065514427e3) * r
                 + 1.3314166789178437745e2) * r + 3.3871328727963666080e0  # fmt: skip
        below = ((((((5.2264952788528545610e3 * r + 2.8729085735721942674e4) * r
                     + 3.9307895800092710610e4) * r + 2.1213794301586595867e4) * r
                   + 5.3941960214247511077e3) * r + 6.8718700749205790830e2) * r
                 + 4.2313330701600911252e1) * r + 1.0  # fmt: skip
        return q * above / below
    r = math.sqrt(-math.log(p if q <= 0 else 1.0 - p))
    if r <= 5.0:
        r -= 1.6
        above = ((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r
                     + 2.41780725177450611770e-1) * r + 1.27045825245236838258e0) * r
                   + 3.64784832476320460504e0) * r + 5.76949722146069140550e0) * r
                 + 4.63033784615654529590e0) * r + 1.42343711074968357734e0  # fmt: skip
        below = ((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r
                     + 1.51986665636164571966e-2) * r + 1.48103976427480074590e-1) * r
                   + 6.89767334985100004550e-1) * r + 1.67638483018380384940e0) * r
                 + 2.05319162663775882187e0) * r + 1.0  # fmt: skip
    else:
        r -= 5.0
        above = ((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r
                     + 1.24266094738807843860e-3) * r + 2.65321895265761230930e-2) * r
                   + 2.96560571828504891230e-1) * r + 1.78482653991729133580e0) * r
                 + 5.46378491116411436990e0) * r + 6.65790464350110377720e0  # fmt: skip
        below = ((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r
                     + 1.84631831751005468180e-5) * r + 7.86869131145613259100e-4) * r
                   + 1.48753612908506148525e-2) * r + 1.36929880922735805310e-1) * r
                 + 5.99832206555887937690e-1) * r + 1.0  # fmt: skip
    return -above / below if q < 0.0 else above / below
