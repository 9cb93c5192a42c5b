"""How many records may be suppressed: given as a share of the records, or as their number."""

from __future__ import annotations

import math

import numpy as np

from discreet.errors import Problem, argument
from discreet.parameters import is_whole

RELAX = (  # what helps where a criterion cannot be met
    f"Raise {argument('max_suppressed')}, lower the criterion, or give hierarchies that end in '*'"
)
_ROUNDING = 1e-12  # of a share that was worked out, such as 1 - 0.9


def suppression_problems(max_suppressed: object, n: int) -> list[Problem]:
    """What is wrong with a share (a float, 1.0 = all) or number (an int) of ``n`` records."""
    if isinstance(max_suppressed, float | np.floating) and 0 <= max_suppressed <= 1:
        return []
    if is_whole(max_suppressed) and 0 <= max_suppressed <= n:  # type: ignore[operator]
        return []
    what = f"{argument('max_suppressed')} is neither a share (0.0 to 1.0) nor a number of records"
    remedy = "Give for example 0.02, or 20."
    return [Problem("P14", f"{what} (0 to {n:,}).", remedy)]


def budget_of(max_suppressed: float, n: int) -> int:
    """The number of records that may be suppressed; a share is rounded down.

    0.29 of 100 records are 29, though their product is a little less in binary numbers; what it
    lacks grows with n.

    Examples
    --------
    >>> budget_of(0.29, 100), budget_of(0.29, 100_000_000), budget_of(0.299, 100), budget_of(7, 100)
    (29, 29000000, 29, 7)
    """
    if isinstance(max_suppressed, float | np.floating):
        return math.floor(float(max_suppressed) * n * (1 + _ROUNDING))
    return int(max_suppressed)
