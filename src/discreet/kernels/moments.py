"""Means and standard deviations that are the same for every order of the records."""

from __future__ import annotations

import numpy as np

from discreet.kernels.arrays import Floats
from discreet.kernels.summation import row_totals


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
