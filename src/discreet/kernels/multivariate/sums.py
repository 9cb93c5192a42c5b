"""Column sums of the records that are left, kept up to date while records are taken away.

Each sum is a pair of doubles (a double and the rest that it cannot hold), so a million
subtractions leave no drift: the error stays near 1e-32 of the largest sum ever held. The centroid
is the rounded sum divided by the number of records. Records are added in their order, and taken
away group by group: the seed first, then the others from the farthest to the nearest.
"""

from discreet.kernels.arrays import Floats
from discreet.kernels.multivariate.arrays import kernel


@kernel
def add(sums: Floats, points: Floats, record: int, sign: float) -> None:
    """Add sign times a record to the sums, in twice the working precision (Knuth's two-sum)."""
    for j in range(len(sums)):
        x = sign * points[record, j]
        total = sums[j, 0] + x
        shadow = total - sums[j, 0]
        error = (sums[j, 0] - (total - shadow)) + (x - shadow) + sums[j, 1]
        sums[j, 0] = total + error
        sums[j, 1] = error - (sums[j, 0] - total)


@kernel
def add_all(sums: Floats, points: Floats) -> None:
    """Add every record, in their order."""
    for i in range(len(points)):
        add(sums, points, i, 1.0)


@kernel
def centroid(sums: Floats, count: int, out: Floats) -> None:
    """Write the mean of the records that are left."""
    for j in range(len(out)):
        out[j] = sums[j, 0] / count
