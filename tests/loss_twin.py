"""The losses once more, slowly and as the papers write them: record by record, cell by cell."""

import itertools
import math
from collections import Counter
from fractions import Fraction


def mean(values):
    """The mean; None where there is nothing to average, which is no number."""
    values = list(values)
    return math.fsum(values) / len(values) if values else None


def relative(pairs):
    """Mean of |a − b|/|a| over the pairs with a ≠ 0."""
    return mean(abs(a - b) / abs(a) for a, b in pairs if a)


def moment(a, b, i, j):
    """The central moment m_ij, with divisor n, exactly: what is 0 is 0."""
    exact = [[Fraction(v) for v in side] for side in (a, b)]
    ma, mb = (sum(side) / len(side) for side in exact)
    return sum((p - ma) ** i * (q - mb) ** j for p, q in zip(*exact, strict=True)) / len(a)


def cov(a, b):
    return float(moment(a, b, 1, 1) * len(a) / max(len(a) - 1, 1))


def cor(a, b):
    scale = math.sqrt(cov(a, a) * cov(b, b))
    return cov(a, b) / scale if scale else 0.0


def probability(change, variance):
    """2·P(0 ≤ Z ≤ |change|/sd) for a statistic with this sampling variance, both exact if 0."""
    if variance > 0:
        return math.erf(abs(change) / math.sqrt(2 * variance))
    return float(change != 0)


def variance_of_r(a, b):
    m = {(i, j): moment(a, b, i, j) for i in range(5) for j in range(5)}
    both = m[2, 0] * m[0, 2]
    r = float(m[1, 1]) / math.sqrt(both)
    kurtosis = m[4, 0] / m[2, 0] ** 2 + m[0, 4] / m[0, 2] ** 2 + 2 * m[2, 2] / both
    lean = (m[3, 1] / m[2, 0] + m[1, 3] / m[0, 2]) / math.sqrt(both)
    return (m[2, 2] / both + r * r * kurtosis / 4 - r * lean) / len(a)


def quantile(values, q):
    """Linear interpolation between order statistics, exactly."""
    ordered, at = sorted(map(Fraction, values)), q * (len(values) - 1)
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def pil_q(a, b):
    """PIL of the quantiles 5 %, 10 %, … 95 % of one attribute; the density from 5 % around each."""
    n, found = len(a), []
    assert n**-0.2 / 4 >= 0.05  # few records: the width is 5 %
    for step in range(1, 20):
        q, width = Fraction(step, 20), Fraction(1, 20)
        spacing = (quantile(a, q + width) - quantile(a, q - width)) / (2 * width)
        variance = q * (1 - q) / n * spacing**2
        found.append(probability(quantile(b, q) - quantile(a, q), variance))
    return found


def continuous(x, y):
    """The continuous measures of two lists of columns."""
    n, each = len(x[0]), list(zip(x, y, strict=True))
    pairs = list(itertools.combinations(range(len(x)), 2))
    spread = [(a, b) for a, b in each if cov(a, a) > 0]
    return {
        "il1": relative(pair for a, b in each for pair in zip(a, b, strict=True)),
        "il2": relative((mean(a), mean(b)) for a, b in each),
        "il3": relative((cov(a, a), cov(b, b)) for a, b in each),
        "il4": relative((cov(x[i], x[j]), cov(y[i], y[j])) for i, j in pairs),
        "il5": mean(abs(cor(x[i], x[j]) - cor(y[i], y[j])) for i, j in pairs),
        "pil_q": mean(part for a, b in each for part in pil_q(a, b)),
        "pil_m1": mean(probability(mean(b) - mean(a), moment(a, a, 1, 1) / n) for a, b in each),
        "pil_m2": mean(
            probability(cov(b, b) - cov(a, a), (moment(a, a, 2, 2) - moment(a, a, 1, 1) ** 2) / n)
            for a, b in each
        ),
        "pil_m11": mean(
            probability(
                cov(y[i], y[j]) - cov(x[i], x[j]),
                (moment(x[i], x[j], 2, 2) - moment(x[i], x[j], 1, 1) ** 2) / n,
            )
            for i, j in pairs
        ),
        "pil_r": mean(
            probability(cor(y[i], y[j]) - cor(x[i], x[j]), variance_of_r(x[i], x[j]))
            for i, j in pairs
        ),
        "sse_ratio": mean(
            math.fsum((p - q) ** 2 for p, q in zip(a, b, strict=True)) / (cov(a, a) * max(n - 1, 1))
            for a, b in spread
        ),
        "zeros": sum(v == 0 for a in x for v in a),
    }


def entropy(x, y):
    """Σ over the records of the entropy of the original value given their masked value."""
    found = 0.0
    for masked in y:
        originals = Counter(a for a, b in zip(x, y, strict=True) if b == masked)
        size = sum(originals.values())
        found -= sum(c / size * math.log2(c / size) for c in originals.values())
    return found


def categorical(x, y, ordinal, dimension):
    """Dist, CTBIL′, ACTBIL′, EBIL, cells and records in new cells of two lists of code columns."""
    dist = sum(
        abs(a - b) if steps else int(a != b)
        for one, other, steps in zip(x, y, ordinal, strict=True)
        for a, b in zip(one, other, strict=True)
    )
    lost, cells, new = Fraction(0), 0, 0
    for size in range(1, dimension + 1):
        for chosen in itertools.combinations(range(len(x)), size):
            f, g = (Counter(zip(*(side[a] for a in chosen), strict=True)) for side in (x, y))
            lost += sum(Fraction(abs(f[cell] - g[cell]), f[cell]) for cell in f)
            cells += len(f)
            new += sum(count for cell, count in g.items() if cell not in f)
    bits = sum(entropy(a, b) for a, b in zip(x, y, strict=True))
    return dist, float(lost), float(lost / cells), bits, cells, new


def linked(x, y):
    """Expected number of masked records that are linked to their own: exactly, in fractions."""
    found = Fraction(0)
    rows = [[tuple(map(Fraction, row)) for row in side] for side in (x, y)]
    for i, masked in enumerate(rows[1]):
        apart = [sum((a - b) ** 2 for a, b in zip(masked, row, strict=True)) for row in rows[0]]
        if apart[i] == min(apart):
            found += Fraction(1, apart.count(apart[i]))
    return found


def interval_disclosure(x, y):
    """Share of the values within p % of the ranks, averaged over p = 1 … 10 and the attributes.

    Equal values share their ranks, and the nearest counts; a masked value that no record has lies
    half a rank from its neighbours.
    """
    n, found = len(x[0]), []
    for before, after in zip(x, y, strict=True):
        ordered = sorted(before)
        apart = []
        for original, masked in zip(before, after, strict=True):
            ranks = [r for r, v in enumerate(ordered) if v == original]
            places = [r for r, v in enumerate(ordered) if v == masked]
            places = places or [sum(v < masked for v in ordered) - 0.5]  # exact: halves
            apart.append(min(abs(r - place) for r in ranks for place in places))
        found += [Fraction(sum(200 * a <= p * n for a in apart), n) for p in range(1, 11)]
    return sum(found) / len(found)


def precision(levels, heights, suppressed, n):
    """Sweeney's precision as a loss: a mean over all cells, those of suppressed records being 1."""
    cells = [Fraction(suppressed)] * len(levels)
    for a, (level, top) in enumerate(zip(levels, heights, strict=True)):
        cells[a] += Fraction(level, top) * (n - suppressed) if top else 0
    return sum(cells) / (n * len(levels))
