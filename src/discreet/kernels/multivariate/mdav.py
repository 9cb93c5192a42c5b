"""MDAV: groups of k records around the records farthest from the average, and their opposites.

Each group's average later replaces its records, so that no released record stands for fewer than k
persons. The partition follows Algorithm 5.1 of [1]_: while 3k records are left, the record r
farthest from the centroid forms a group with the k - 1 nearest to it, and then so does the record
farthest from r among those left. If 2k to 3k - 1 are left, r's group is formed once more; the rest
is the last group.

Ties. Of records at equal distance the one with the smaller number comes first: as a seed, and in a
group.

Precision. A squared distance is summed in the order of the columns, in doubles, without fused
operations; distances are compared as computed. The centroid is the column's sum, kept in twice the
precision (see ``sums``), divided by the number of records. So labels do not depend on the machine
or on the way of searching.

References
----------
.. [1] Domingo-Ferrer, Torra, "Ordinal, continuous and heterogeneous k-anonymity through
   microaggregation", Data Mining and Knowledge Discovery 11, 2005.
"""

import numpy as np

from discreet.kernels.arrays import Floats, Ints
from discreet.kernels.multivariate.arrays import Watch
from discreet.kernels.multivariate.brute import brute_groups
from discreet.kernels.multivariate.pruned import pruned_groups

# With fewer records or groups, computing every distance is as quick as avoiding it.
_FEW_RECORDS = 4096
_FEW_GROUPS = 600


def mdav(points: Floats, k: int, watch: Watch | None = None) -> Ints:
    """Partition records into groups of k to 2k - 1 neighbours.

    Parameters
    ----------
    points : array of float, shape (n, d), ``d >= 1``
        Standardised columns; finite, below 1e150 in absolute value.
    k : smallest group size, ``1 <= k <= n``
    watch : progress; the labels mean nothing once it was told to end early

    Returns
    -------
    labels : array of int, the group of every record, numbered from 0 in the order of creation

    Examples
    --------
    >>> mdav(np.array([[0.0], [1.0], [9.0], [5.0], [8.0], [4.0], [2.0]]), 2).tolist()
    [1, 1, 0, 2, 0, 2, 2]
    """
    points = np.ascontiguousarray(points, np.float64)
    few = len(points) < max(_FEW_RECORDS, _FEW_GROUPS * k)
    return (brute_groups if few else pruned_groups)(points, k, watch)
