"""Record swapping: who exchanges places with whom.

A household that needs it takes the first of the list of those like it that lives in another area
and has not been exchanged. The list is sorted by −ln u / weight, smallest first: an exponential
race, in which one is ahead with a probability that is proportional to its weight.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.compilation import njit


def race(draws: Floats, weights: Floats) -> Floats:
    """The key of each household in the race, smallest first.

    Examples
    --------
    >>> race(np.array([0.5, 0.5]), np.array([1.0, 2.0])).round(4).tolist()
    [0.6931, 0.3466]
    """
    return np.array(-np.log(np.maximum(draws, 2.0**-54)) / weights)


def paired(
    partner: Ints, recipients: Ints, area: Ints, profile: Ints, keys: Floats, most: int
) -> Ints:
    """The partner of each household, −1 for none, after recipients took theirs in turn.

    Parameters
    ----------
    partner : array
        Partners before; who has one is not exchanged again.
    recipients : array
        Households that need a partner, in the order in which they choose.
    area, profile : array
        Of each household: it must differ, and be the same.
    keys : array
        Of the race, see :func:`race`.
    most : int
        After so many exchanges it ends.

    Examples
    --------
    >>> area, profile = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    >>> none, keys = np.full(4, -1), np.array([0.3, 0.1, 0.2, 0.4])
    >>> paired(none, np.array([0, 3]), area, profile, keys, 9).tolist()
    [2, -1, 0, -1]
    """
    order = np.lexsort((keys, profile))
    following = np.append(np.arange(1, len(order)), -1)
    last = np.append(profile[order][1:] != profile[order][:-1], True)[: len(order)]
    following[last] = -1
    number = int(profile.max()) + 1 if len(profile) else 0
    head = np.searchsorted(profile[order], np.arange(number))
    return _paired(partner.copy(), recipients, area, profile, order, head, following, most)


@njit(cache=True, nogil=True)
def _paired(
    partner: Ints,
    recipients: Ints,
    area: Ints,
    profile: Ints,
    order: Ints,
    head: Ints,
    following: Ints,
    most: int,
) -> Ints:
    done = 0
    for one in recipients:
        if done >= most:
            break
        if partner[one] >= 0:
            continue
        before, at = -1, head[profile[one]]
        while at >= 0:
            other, after = order[at], following[at]
            if partner[other] >= 0:  # leave it out for all who follow
                if before < 0:
                    head[profile[one]] = after
                else:
                    following[before] = after
            elif other != one and area[other] != area[one]:
                partner[one], partner[other] = other, one
                done += 1
                break
            else:
                before = at
            at = after
    return partner
