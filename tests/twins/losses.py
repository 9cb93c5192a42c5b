"""Information loss, from the definitions in docs/why-information-loss.md: cell by cell, pair by pair,
in exact fractions as far as they go.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import discreet as ds
from tests.twins.releases import Release, releases
from tests.twins.tables import DOMAINS, Table
from tests.twins.twin import refused, same, twin

QUANTILES = [Fraction(q, 100) for q in range(5, 100, 5)]
Exact = list[Fraction]


def exact(value: float) -> Fraction:
    return Fraction(value)


def mean(values: Any) -> Fraction:
    values = list(values)
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def moment(x: Exact, y: Exact, p: int, q: int) -> Fraction:
    """The central moment m_pq, divided by n."""
    a, b = mean(x), mean(y)
    return mean((u - a) ** p * (v - b) ** q for u, v in zip(x, y, strict=True))


def covariance(x: Exact, y: Exact) -> Fraction:
    """With n − 1; of a single record 0."""
    n = len(x)
    return moment(x, y, 1, 1) * n / (n - 1) if n > 1 else Fraction(0)


def correlation(x: Exact, y: Exact) -> float:
    scale = covariance(x, x) * covariance(y, y)
    return float(covariance(x, y)) / math.sqrt(scale) if scale else 0.0


def relative(pairs: Any) -> tuple[Fraction, int]:
    """Mean of |a − b|/|a| where a is not 0, and over how many."""
    found = [abs(a - b) / abs(a) for a, b in pairs if a]
    return mean(found), len(found)


def pil(change: float, variance: float) -> float:
    """2 P(0 ≤ Z ≤ |change|/sd); any change is certain where there is no sampling error."""
    if change == 0:
        return 0.0
    return math.erf(abs(change) / math.sqrt(2 * variance)) if variance > 0 else 1.0


def quantile(values: Exact, q: Fraction) -> Fraction:
    """Between the neighbours, linearly."""
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def continuous(x: list[Exact], y: list[Exact]) -> dict[str, tuple[float, int]]:
    """Every measure of continuous attributes, with the number of things it is a mean of."""
    d, n = len(x), len(x[0])
    pairs = list(itertools.combinations(range(d), 2))
    cells = [(a, b) for xs, ys in zip(x, y, strict=True) for a, b in zip(xs, ys, strict=True)]
    found: dict[str, tuple[float, int]] = {}
    found["il1"] = relative(cells)
    found["il2"] = relative((mean(a), mean(b)) for a, b in zip(x, y, strict=True))
    found["il3"] = relative((covariance(a, a), covariance(b, b)) for a, b in zip(x, y, strict=True))
    found["il4"] = relative((covariance(x[i], x[j]), covariance(y[i], y[j])) for i, j in pairs)
    moved = [abs(correlation(x[i], x[j]) - correlation(y[i], y[j])) for i, j in pairs]
    found["il5"] = (math.fsum(moved) / max(len(moved), 1), len(moved))
    probable: dict[str, list[float]] = {f"pil_{s}": [] for s in ("q", "m1", "m2", "m11", "r")}
    for a, b in zip(x, y, strict=True):
        m2, m4 = moment(a, a, 1, 1), moment(a, a, 2, 2)
        probable["pil_m1"].append(pil(float(mean(b) - mean(a)), float(m2 / n)))
        change = covariance(b, b) - covariance(a, a)
        probable["pil_m2"].append(pil(float(change), float((m4 - m2**2) / n)))
        probable["pil_q"] += [_quantile_loss(a, b, q) for q in QUANTILES]
    for i, j in pairs:
        m11, m22 = moment(x[i], x[j], 1, 1), moment(x[i], x[j], 2, 2)
        change = covariance(y[i], y[j]) - covariance(x[i], x[j])
        probable["pil_m11"].append(pil(float(change), float((m22 - m11**2) / n)))
        change_r = correlation(y[i], y[j]) - correlation(x[i], x[j])
        if abs(change_r) < 1e-12:
            change_r = 0.0
        probable["pil_r"].append(pil(change_r, _variance_of_r(x[i], x[j]) / n))
    found |= {k: (math.fsum(v) / max(len(v), 1), len(v)) for k, v in probable.items()}
    lost = [
        sum(((u - v) ** 2 for u, v in zip(a, b, strict=True)), Fraction(0))
        / (moment(a, a, 1, 1) * n)
        for a, b in zip(x, y, strict=True)
        if moment(a, a, 1, 1) and a != b  # over the masked attributes
    ]
    found["sse_ratio"] = (float(mean(lost)), len(lost))
    return found


def _variance_of_r(x: Exact, y: Exact) -> float:
    """Kendall & Stuart, in the form that also holds where the covariance is 0."""
    m20, m02 = moment(x, x, 1, 1), moment(y, y, 1, 1)
    if not m20 or not m02:
        return 0.0
    r = float(moment(x, y, 1, 1)) / math.sqrt(m20 * m02)
    both = float(moment(x, y, 2, 2) / (m20 * m02))
    ends = float(moment(x, x, 2, 2) / m20**2 + moment(y, y, 2, 2) / m02**2)
    mixed = float(moment(x, y, 3, 1) / m20 + moment(x, y, 1, 3) / m02) / math.sqrt(m20 * m02)
    variance = both + r * r / 4 * (ends + 2 * both) - r * mixed
    return variance if variance > 1e-9 else 0.0


def _quantile_loss(x: Exact, y: Exact, q: Fraction) -> float:
    """The sampling error of a quantile is √(q(1−q)/n)/f, the density f by neighbouring ones."""
    n = len(x)
    width = min(0.05, n**-0.2 / 4)
    low, high = max(float(q) - width, 0.0), min(float(q) + width, 1.0)
    spread = float(quantile(x, Fraction(high)) - quantile(x, Fraction(low))) / (high - low)
    change = float(quantile(y, q) - quantile(x, q))
    if abs(change) < 1e-9:
        change = 0.0
    variance = float(q * (1 - q)) / n * spread**2
    return pil(change, variance if variance > 1e-18 else 0.0)


def numbers_of(release: Release) -> tuple[list[Exact], list[Exact], int]:
    """The continuous keys of the complete records, and how many records are not complete."""
    keys = release.table.keys
    whole = [
        (a, b) for a, b in release.pairs
        if not any(row[k] is None for row in (a, b) for k in keys)
    ]  # fmt: skip
    x = [[exact(a[k]) for a, _ in whole] for k in keys]
    y = [[exact(b[k]) for _, b in whole] for k in keys]
    return x, y, len(release.pairs) - len(whole)


NUMERIC = releases(confidential=0, extreme=False, kinds=("integer", "float"), keys=3)


def changed_of(release: Release) -> list[str]:
    """The keys that differ in some released record."""
    return [k for k in release.table.keys if any(a[k] != b[k] for a, b in release.pairs)]


def gaps_of(release: Release) -> list[str]:
    """The keys with a value that is missing in one file only."""
    return [
        k
        for k in release.table.keys
        if any((a[k] is None) != (b[k] is None) for a, b in release.pairs)
    ]


def only_left_out(release: Release) -> bool:
    """Whether records were left out, and no value was changed: no measure of values sees that."""
    return not changed_of(release) and len(release.pairs) < release.table.n


def numbers_apply(release: Release, x: list[Exact], y: list[Exact]) -> bool:
    """Whether numbers show what was changed, in the records that have all of them."""
    changed, keys = changed_of(release), release.table.keys
    unseen = any(x[i] == y[i] for i, k in enumerate(keys) if k in changed)
    return bool(x[0]) and not (only_left_out(release) or gaps_of(release) or unseen)


def of_changed_numbers(
    release: Release, x: list[Exact], expected: dict[str, tuple[float, int]]
) -> dict[str, float | None]:
    """Each measure, or None where a changed attribute has nothing to relate its change to."""
    changed = [c for k, c in zip(release.table.keys, x, strict=True) if k in changed_of(release)]
    varying = sum(bool(moment(c, c, 1, 1)) for c in x)
    related = {
        "il1": [any(c) for c in changed],
        "il2": [bool(mean(c)) for c in changed],
        "il3": [bool(moment(c, c, 1, 1)) for c in changed],
        "il5": [varying > 1],
        "pil_r": [varying > 1],
    }
    related["sse_ratio"] = related["il3"]
    found: dict[str, float | None] = {
        name: float(value) if number and all(related.get(name, ())) else None
        for name, (value, number) in expected.items()
    }
    if not changed:
        found["sse_ratio"] = 0.0
    for kind in ("il", "pil"):
        parts = [  # of all attributes, with something to relate to or not
            float(value) for name, (value, number) in expected.items()
            if name.rstrip("12345").split("_")[0] == kind and number
            and (name not in ("il5", "pil_r") or varying > 1)
        ]  # fmt: skip
        found[kind] = 100 * math.fsum(parts) / len(parts) if parts else None
    if any(not any(c) for c in changed):
        found["il"] = None
    return found


@twin("loss of numbers", NUMERIC, 2)
def compare_continuous(release: Release) -> None:
    x, y, left_out = numbers_of(release)
    found = ds.information_loss(*release.files, on="rec")
    same("records left out", found.left_out, left_out)
    same("records not released", found.missing_records, release.table.n - len(release.pairs))
    names = [name for name in found.measures if name.startswith(("il", "pil", "sse"))]
    names.remove("il1s")  # held against sdcMicro's, and written down in tests/unit
    if not numbers_apply(release, x, y):
        same("measures of numbers", {found.measures[name] for name in names}, {None})
        return
    same("zeros", found.zeros, sum(not v for column in x for v in column))
    expected = of_changed_numbers(release, x, continuous(x, y))
    same("measures", sorted(names), sorted(expected))
    for name, value in expected.items():
        same(name, found.measures[name], value, 1e-6)


@twin("statistics before and after", NUMERIC, 1)
def compare_statistics(release: Release) -> None:
    x, y, _ = numbers_of(release)
    if not x[0]:
        return
    found = ds.compare_statistics(*release.files, on="rec")
    rows = {(name, what): (a, b) for name, what, a, b in found.rows}
    keys = release.table.keys
    for name, a, b in zip(keys, x, y, strict=True):
        _same_pair(rows[name, "mean"], mean(a), mean(b))
        _same_pair(rows[name, "standard deviation"], math.sqrt(covariance(a, a)),
                   math.sqrt(covariance(b, b)))  # fmt: skip
        for q in (5, 25, 50, 75, 95):
            share = Fraction(q, 100)
            _same_pair(rows[name, f"quantile {q}%"], quantile(a, share), quantile(b, share))
    for i, j in itertools.combinations(range(len(keys)), 2):
        got = rows[f"{keys[i]}, {keys[j]}", "correlation"]
        _same_pair(got, *(_correlation_if_any(side[i], side[j]) for side in (x, y)))


def _correlation_if_any(x: Exact, y: Exact) -> float | None:
    return correlation(x, y) if moment(x, x, 1, 1) and moment(y, y, 1, 1) else None


def _same_pair(found: tuple[float | None, float | None], before: Any, after: Any) -> None:
    for what, got, right in zip(("before", "after"), found, (before, after), strict=True):
        same(f"statistic {what}", got, None if right is None else float(right), 1e-7)


CATEGORICAL = releases(confidential=0, kinds=("nominal", "ordinal"), keys=3)


@st.composite
def dimensions(draw):
    release = draw(CATEGORICAL)
    return [(release, dimension) for dimension in (1, 2, 3)]


@twin("loss of categories", dimensions(), 2)
def compare_categorical(case: Any) -> None:
    release, dimension = case
    table, pairs = release.table, release.pairs
    found = ds.information_loss(*release.files, on="rec", dimension=dimension)
    if only_left_out(release):
        measures = (found.dist, found.ctbil, found.actbil, found.ebil)
        same("measures of names", measures, (None,) * 4)
        return
    bits = sum(_open_bits([(a[k], b[k]) for a, b in pairs]) for k in table.keys)
    same("ebil", found.ebil, bits)
    if any(_has_labels(table, name, pairs) for name in table.keys):
        same("measures of names", (found.dist, found.ctbil, found.actbil), (None,) * 3)
        return
    dist: float | None = 0.0
    for name in table.keys:
        for a, b in pairs:
            dist += _apart(table.kinds[name], a[name], b[name])
    if any(table.kinds[name] == "ordinal" for name in gaps_of(release)):
        dist = None
    same("dist", found.dist, dist)
    lost, cells = Fraction(0), 0
    for size in range(1, min(dimension, len(table.keys)) + 1):
        for chosen in itertools.combinations(table.keys, size):
            f = Counter(tuple(a[k] for k in chosen) for a, _ in pairs)
            g = Counter(tuple(b[k] for k in chosen) for _, b in pairs)
            lost += sum((Fraction(abs(f[c] - g[c]), f[c]) for c in f), Fraction(0))
            cells += len(f)
    same("ctbil", found.ctbil, lost)
    same("actbil", found.actbil, lost / cells)


def _has_labels(table: Table, name: str, pairs: Any) -> bool:
    """Whether a masked value is none of the attribute: not in the file, not on its scale."""
    own = {*table.columns[name], *(DOMAINS["ordinal"] if table.kinds[name] == "ordinal" else ())}
    return any(b[name] is not None and b[name] not in own for _, b in pairs)


def _apart(kind: str, one: Any, other: Any) -> int:
    """Categories apart on a scale, a missing value being beyond its end; else 0 or 1."""
    if kind != "ordinal":
        return one != other
    order = [*DOMAINS["ordinal"], None]
    return abs(order.index(one) - order.index(other))


def _open_bits(pairs: list[tuple[Any, Any]]) -> float:
    """Σ over cells of H(V | V′ = v′): a cell adds −log₂ P(v | v′) of its own value, in the mean."""
    both, masked = Counter(pairs), Counter(b for _, b in pairs)
    return math.fsum(
        -masked[m] * math.fsum(
            c / masked[m] * math.log2(c / masked[m]) for (_, b), c in both.items() if b == m
        )
        for m in masked
    )  # fmt: skip


@twin("loss of classes and bits", releases(confidential=0, extreme=False), 2)
def compare_classes(release: Release) -> None:
    """What is there for every masking: discernibility, class size, share of the bits."""
    table, pairs = release.table, release.pairs
    found = ds.information_loss(*release.files, on="rec")
    n, t = table.n, len(pairs)
    sizes = Counter(tuple(b[k] for k in table.keys) for _, b in pairs)
    dm = sum(s * s for s in sizes.values()) + n * (n - t)
    same("discernibility", found.discernibility, float(dm))
    same("average class size", found.average_class_size, t / len(sizes))
    whole = lost = 0.0
    for key in table.keys:
        counts = Counter(table.columns[key])
        bits = {v: math.log2(n / c) for v, c in counts.items()}
        own = math.fsum(bits[v] for v in table.columns[key])
        kept = math.fsum(bits[a[key]] for a, _ in pairs)
        whole += own
        lost += own - kept + _open_bits([(a[key], b[key]) for a, b in pairs])
    if any(_is_blind(table, key, [(a[key], b[key]) for a, b in pairs]) for key in table.keys):
        same("share of the bits", found.ebil_share, None)
    elif whole or found.ebil_share is not None:
        same("share of the bits", found.ebil_share, lost / whole if whole else 0.0)


def _is_blind(table: Table, key: str, pairs: list[tuple[Any, Any]]) -> bool:
    """Whether most changed values of a number are in one record alone."""
    if table.kinds[key] not in ("integer", "float"):
        return False
    sizes = Counter(b for _, b in pairs)
    changed = [b for a, b in pairs if None not in (a, b) and a != b]
    return 2 * sum(sizes[b] == 1 for b in changed) > len(changed)


@st.composite
def scored(draw):
    """Enough records for an interval of a few ranks."""
    n = draw(st.integers(2, 45))
    values = st.integers(0, draw(st.sampled_from([3, 8, 60])))
    d = draw(st.integers(1, 2))
    x = [draw(st.lists(values, min_size=n, max_size=n)) for _ in range(d)]
    y = [draw(st.lists(values, min_size=n, max_size=n)) for _ in range(d)]
    if draw(st.booleans()):
        flips = draw(st.lists(st.booleans(), min_size=n, max_size=n))
        y = [[b if f else a for a, b, f in zip(xs, ys, flips, strict=True)]
             for xs, ys in zip(x, y, strict=True)]  # fmt: skip
    return x, y


@twin("score", scored(), 1)
def compare_score(case: Any) -> None:
    x, y = case
    names, n = [f"k{i}" for i in range(len(x))], len(x[0])
    first, second = (
        ds.read({**dict(zip(names, side, strict=True)), "rec": list(range(n))}, keys=names,
                types={**dict.fromkeys(names, "continuous"), "rec": "nominal"})
        for side in (x, y)
    )  # fmt: skip
    if any(not any(a) for a, b in zip(x, y, strict=True) if a != b) or not any(map(any, x)):
        with refused("a score of values that are all 0", "N07"):
            ds.score(first, second, on="rec")
        return
    found = ds.score(first, second, on="rec")
    exactly = [[exact(v) for v in column] for column in x]
    variance = [covariance(c, c) or Fraction(1) for c in exactly]
    linked = Fraction(0)
    for i in range(n):
        apart = [
            sum(
                (Fraction(y[a][i] - x[a][j]) ** 2 / variance[a] for a in range(len(x))), Fraction(0)
            )
            for j in range(n)
        ]
        if apart[i] == min(apart):
            linked += Fraction(1, apart.count(min(apart)))
    same("record linkage", found.record_linkage, 100 * linked / n, 1e-6)
    inside = [
        mean(Fraction(_ranks_apart(xs, a, b) <= Fraction(width * n, 200))
             for a, b in zip(xs, ys, strict=True))
        for xs, ys in zip(x, y, strict=True)
        for width in range(1, 11)
    ]  # fmt: skip
    same("interval disclosure", found.interval_disclosure, 100 * mean(inside), 1e-6)
    loss = min(found.information_loss, 100.0)
    risk = (found.record_linkage + found.interval_disclosure) / 2
    same("score", found.value, (loss + risk) / 2)


def _ranks_apart(values: list[int], own: int, masked: int) -> Fraction | int:
    """How many ranks a value is away from the masked one: 1 for a neighbour on either side; half
    a rank when the masked value itself lies between two original ones.
    """
    if own == masked:
        return 0
    low, high = min(own, masked), max(own, masked)
    between = sum(low < v < high for v in values)
    return between + (Fraction(1) if masked in values else Fraction(1, 2))


@st.composite
def regressions(draw):
    n = draw(st.integers(4, 14))
    cells = st.integers(-5, 6)
    d = draw(st.integers(1, 2))
    x = [draw(st.lists(cells, min_size=n, max_size=n)) for _ in range(d)]
    group = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    y = draw(st.lists(cells, min_size=n, max_size=n))
    scale = draw(st.sampled_from([1, 1, 1000, 10**6]))
    return [[v * scale for v in c] for c in x], group, y, draw(st.booleans())


@twin("regression", regressions(), 1)
def compare_regression(case: Any) -> None:
    """Least squares by the normal equations, in fractions."""
    x, group, y, with_group = case
    names, n = [f"x{i}" for i in range(len(x))], len(y)
    data = ds.read({**dict(zip(names, x, strict=True)), "g": group, "y": y}, keys=names,
                   types={**dict.fromkeys([*names, "y"], "continuous"), "g": "nominal"})  # fmt: skip
    columns = [[Fraction(1)] * n, *([Fraction(v) for v in c] for c in x)]
    if with_group:
        columns += [[Fraction(g == v) for g in group] for v in sorted(set(group))[1:]]
    if n <= len(columns):
        return
    response = [Fraction(v) for v in y]
    solved = _least_squares(columns, response)
    if solved is None:
        return  # collinear: the coefficients are not determined
    beta, inverse = solved
    fitted = [sum(b * c[i] for b, c in zip(beta, columns, strict=True)) for i in range(n)]
    rest = sum(((a - b) ** 2 for a, b in zip(response, fitted, strict=True)), Fraction(0))
    total = sum(((a - mean(response)) ** 2 for a in response), Fraction(0))
    formula = " + ".join([*names, *(["g"] if with_group else [])])
    same_file = ds.sample(data, n=n, seed=1)
    found = ds.regression_loss(data, same_file, f"y ~ {formula}")
    variance = rest / (n - len(columns))
    for got, right, spread, error in zip(found.initial, beta, range(len(beta)),
                                         found.standard_errors, strict=True):  # fmt: skip
        same("coefficient", got, float(right), 1e-6)
        same("standard error", error, math.sqrt(variance * inverse[spread]), 1e-5)
    if total:
        same("R²", found.r2_initial, 1 - rest / total, 1e-7)
    for got, right in zip(found.masked, beta, strict=True):
        same("coefficient of the same file", got, float(right), 1e-6)


def _least_squares(columns: list[Exact], y: Exact) -> tuple[Exact, Exact] | None:
    """Coefficients and the diagonal of the inverse; None where it has none."""
    d = len(columns)
    rows = [
        [sum((a * b for a, b in zip(columns[i], columns[j], strict=True)), Fraction(0))
         for j in range(d)] + [Fraction(i == j) for j in range(d)]
        for i in range(d)
    ]  # fmt: skip
    for i in range(d):
        pivot = next((r for r in range(i, d) if rows[r][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(d):
            if r != i and rows[r][i]:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    inverse = [row[d:] for row in rows]
    right = [sum((a * b for a, b in zip(c, y, strict=True)), Fraction(0)) for c in columns]
    beta = [sum((a * b for a, b in zip(row, right, strict=True)), Fraction(0)) for row in inverse]
    return beta, [inverse[i][i] for i in range(d)]
