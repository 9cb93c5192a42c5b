"""Averages of categories, from how many records have each: median, convex median, plurality [1]_.

References
----------
.. [1] Domingo-Ferrer, Torra, "Ordinal, continuous and heterogeneous k-anonymity through
   microaggregation", 2005: Definitions 5.2 and 5.3, Section 5.4, Figure 2.
"""

from discreet.kernels.arrays import Ints
from discreet.kernels.multivariate.arrays import kernel


@kernel
def median(counts: Ints) -> int:
    """Return the lower median: the first category that half of the records do not exceed.

    Examples
    --------
    >>> import numpy as np
    >>> median(np.array([0, 1, 2, 0, 0, 1, 1, 0]))  # {1, 2, 2, 5, 6}
    2
    """
    total, below = 0, 0
    for count in counts:
        total += count
    for category in range(len(counts)):
        below += counts[category]
        if 2 * below >= total:
            return category
    return 0


@kernel
def convex_median(counts: Ints) -> int:
    """Return the lower median of the convex frequencies.

    A category's convex frequency is the smaller of the largest frequency up to it and the largest
    from it on (Definition 5.3); so a gap between frequent categories is filled.

    Examples
    --------
    >>> import numpy as np
    >>> convex_median(np.array([0, 1, 2, 0, 0, 1, 1, 0]))  # {1, 2, 2, 5, 6}: the median is 2
    3
    >>> convex_median(np.array([0, 1, 1, 0, 0, 0, 0, 1]))  # {1, 2, 7}: the median is 2
    4
    """
    # Up to the mode the largest frequency so far is the smaller one, after it the largest to come.
    mode, total, largest = plurality(counts), 0, 0
    for category in range(mode + 1):
        largest = max(largest, counts[category])
        total += largest
    largest = 0
    for category in range(len(counts) - 1, mode, -1):
        largest = max(largest, counts[category])
        total += largest
    below, largest = 0, 0
    for category in range(mode + 1):
        largest = max(largest, counts[category])
        below += largest
        if 2 * below >= total:
            return category
    above, largest, category = 0, 0, len(counts) - 1
    while category > mode:  # from the end: the first to leave less than half below it
        largest = max(largest, counts[category])
        above += largest
        if 2 * (total - above) < total:
            return category
        category -= 1
    return mode


@kernel
def plurality(counts: Ints) -> int:
    """Return the most frequent category, the first among equals.

    Examples
    --------
    >>> import numpy as np
    >>> plurality(np.array([1, 3, 0, 3]))
    1
    """
    best = 0
    for category in range(len(counts)):
        if counts[category] > counts[best]:
            best = category
    return best
