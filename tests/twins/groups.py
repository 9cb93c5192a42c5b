"""Microaggregation from its definitions: Algorithm 5.1 step by step in exact fractions, and the best
partition among all partitions.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

import discreet as ds
from tests.multivariate_twin import twin_convex_median, twin_variable
from tests.twins.tables import DOMAINS, Table, tables
from tests.twins.twin import partitions_of, same, twin

SCALE = DOMAINS["ordinal"]
Point = tuple[Any, ...]


@dataclass
class Space:
    """Distances and averages of the records of a table, by the types of its keys.

    A step that equally far records could take is remembered: numbers in floating point may
    then take another one.
    """

    table: Table
    ordinal: str = "median"
    tied: bool = False

    def __post_init__(self) -> None:
        self.units = {}
        for key in self.table.keys:
            column = self.table.columns[key]
            if self.numeric(key):
                exactly = [Fraction(v) for v in column]
                centre = sum(exactly) / len(exactly)
                squares = sum((v - centre) ** 2 for v in exactly)
                self.units[key] = squares / (len(exactly) - 1) if squares else Fraction(1)

    def numeric(self, key: str) -> bool:
        return self.table.kinds[key] in ("integer", "float")

    def point(self, i: int) -> Point:
        return tuple(self.table.columns[key][i] for key in self.table.keys)

    def squared(self, one: Point, other: Point) -> Fraction:
        """Continuous in units of the standard deviation; d_ORD = steps apart over the number of
        steps; 0 or 1."""
        total = Fraction(0)
        for key, a, b in zip(self.table.keys, one, other, strict=True):
            if self.numeric(key):
                total += (Fraction(a) - Fraction(b)) ** 2 / self.units[key]
            elif self.table.kinds[key] == "ordinal":
                total += Fraction(SCALE.index(a) - SCALE.index(b), len(SCALE)) ** 2
            else:
                total += a != b
        return total

    def average(self, members: list[int]) -> Point:
        found = []
        for key in self.table.keys:
            values = [self.table.columns[key][i] for i in members]
            if self.numeric(key):
                found.append(sum(map(Fraction, values), Fraction(0)) / len(values))
            elif self.table.kinds[key] == "ordinal":
                ranks = [SCALE.index(v) for v in values]
                of = statistics.median_low if self.ordinal == "median" else twin_convex_median
                found.append(SCALE[of(ranks)])
            else:
                counts = Counter(values)
                found.append(min(counts, key=lambda v: (-counts[v], v)))
        return tuple(found)

    def choose(self, members: list[int], centre: Point, farthest: bool) -> int:
        """The farthest (or nearest) record; of equal ones the first."""
        apart = {i: self.squared(self.point(i), centre) for i in members}
        best = (max if farthest else min)(apart.values())
        equal = [i for i in members if apart[i] == best]
        self.tied |= any(self.point(i) != self.point(equal[0]) for i in equal)
        self.tied |= any(0 < abs(a - best) < Fraction(1, 10**12) for a in apart.values())
        return equal[0]


def mdav(space: Space, members: list[int], k: int) -> list[list[int]]:
    """Algorithm 5.1 (MDAV-generic)."""
    left, groups = list(members), []

    def take(seed: int) -> None:
        group = [seed]
        left.remove(seed)
        for _ in range(k - 1):
            nearest = space.choose(left, space.point(seed), farthest=False)
            group.append(nearest)
            left.remove(nearest)
        groups.append(group)

    while len(left) >= 3 * k:
        r = space.choose(left, space.average(left), farthest=True)
        from_r = space.point(r)
        take(r)
        s = space.choose(left, from_r, farthest=True)
        take(s)
    if len(left) >= 2 * k:
        take(space.choose(left, space.average(left), farthest=True))
    groups.append(left)
    return groups


@st.composite
def grouped(draw, kinds=("nominal", "ordinal", "integer", "float")):
    table = draw(tables(most=12, keys=3, confidential=0, blanks=False, extreme=False, kinds=kinds))
    strata = draw(st.sampled_from([False, False, True]))
    if strata and len(table.keys) > 1:
        by = table.keys[-1]
        table = Table(table.columns, table.kinds, table.keys[:-1])
    else:
        by = None
    averages = st.sampled_from(["median", "convex-median"])
    return [(table, by, draw(st.integers(1, 4)), draw(averages)) for _ in range(3)]


@st.composite
def spread(draw):
    """Numbers far apart, so that hardly any distances are equal."""
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    cells = st.lists(st.integers(0, 1000), min_size=n, max_size=n)
    names = [f"k{i}" for i in range(d)]
    table = Table({k: draw(cells) for k in names}, dict.fromkeys(names, "integer"), tuple(names))
    return [(table, None, k, "median") for k in (2, 3, 4)]


def strata_of(table: Table, by: str | None) -> list[list[int]]:
    if by is None:
        return [list(range(table.n))]
    values = table.columns[by]
    return [[i for i in range(table.n) if values[i] == v] for v in dict.fromkeys(values)]


def too_small(table: Table, by: str | None, k: int, **options: Any) -> bool:
    """A stratum of fewer than k records must be refused."""
    if min(map(len, strata_of(table, by))) >= k:
        return False
    try:
        ds.microaggregate(table.data, k=k, by=by or (), **options)
    except ds.DiscreetError:
        return True
    raise AssertionError("a stratum of fewer than k records is accepted")


@twin("mdav", grouped() | spread(), 2)
def compare_mdav(case: Any) -> None:
    table, by, k, ordinal = case
    options = {"ordinal": ordinal, "preserve_variance": False}
    if too_small(table, by, k, **options):
        return
    found = ds.microaggregate(table.data, k=k, by=by or (), **options).to("arrow").to_pydict()
    space = Space(table, ordinal)
    groups = [g for members in strata_of(table, by) for g in mdav(space, members, k)]
    if space.tied:
        _valid_groups(space, found, by, k)
        return
    for group in groups:
        _same_average(space, found, group)


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Fraction) else value


def _valid_groups(space: Space, found: dict[str, list[Any]], by: str | None, k: int) -> None:
    """Where equally far records could be taken, at least: classes of k, means that stay."""
    table = space.table
    for members in strata_of(table, by):
        rows = Counter(tuple(found[key][i] for key in table.keys) for i in members)
        same("classes of k", min(rows.values()) >= k, True)
        for key in table.keys:
            if space.numeric(key):
                before = sum(Fraction(table.columns[key][i]) for i in members)
                same("sum of a stratum", sum(found[key][i] for i in members), float(before), 1e-9)


@st.composite
def single(draw):
    n = draw(st.integers(1, 8))
    whole = [st.integers(-3, 6), st.integers(0, 40)]
    kind, cells = draw(
        st.sampled_from([
            *(("integer", numbers) for numbers in whole),
            ("float", st.sampled_from([0.0, 0.1, 0.3, 1.5, -0.5, 1e6])),
        ])
    )  # fmt: skip
    values = draw(st.lists(cells, min_size=n, max_size=n))
    table = Table({"x": values}, {"x": kind}, ("x",))
    objectives = st.sampled_from(["squares", "absolute"])
    return [(values, table, draw(st.integers(1, 4)), draw(objectives)) for _ in range(3)]


def cost(values: list[Fraction], groups: Any, objective: str) -> Fraction:
    total = Fraction(0)
    for group in groups:
        centre = sum(values[i] for i in group) / len(group)
        apart = [abs(values[i] - centre) for i in group]
        total += sum((a * a if objective == "squares" else a for a in apart), Fraction(0))
    return total


def partitions(order: list[int], k: int, objective: str) -> list[list[list[int]]]:
    """All partitions for squares, where neighbours are best together; else those of neighbours,
    as equation (2) has them.
    """
    if objective == "squares":
        return [[list(g) for g in p] for p in partitions_of(len(order), k)]
    found = []
    for cuts in itertools.product((False, True), repeat=len(order) - 1):
        ends = [i + 1 for i, cut in enumerate(cuts) if cut]
        parts = [order[a:b] for a, b in zip([0, *ends], [*ends, len(order)], strict=True)]
        if min(map(len, parts)) >= k:
            found.append(parts)
    return found


@twin("univariate", single(), 2)
def compare_univariate(case: Any) -> None:
    """The best of all partitions into groups of at least k; fixed groups by counting off."""
    values, table, k, objective = case
    data = table.data
    if len(values) < k:
        return
    exactly = [Fraction(v) for v in values]
    options = {"method": "optimal-univariate", "objective": objective}
    best = ds.microaggregate(data, ["x"], k=k, **options).to("arrow")["x"].to_pylist()
    order = sorted(range(len(values)), key=lambda i: (values[i], i))
    least = min(cost(exactly, p, objective) for p in partitions(order, k, objective))
    apart = [abs(Fraction(m) - v) for m, v in zip(best, exactly, strict=True)]
    got = sum((a * a if objective == "squares" else a for a in apart), Fraction(0))
    same("cost of the optimal groups", float(got), float(least), 1e-9)
    same("classes of k", min(Counter(best).values()) >= k, True)
    number = len(values) // k
    fixed = [order[g * k : (g + 1) * k if g < number - 1 else None] for g in range(number)]
    name = "individual" if k % 2 else "fixed"  # the same by another name
    found = ds.microaggregate(data, ["x"], k=k, method=name).to("arrow")["x"].to_pylist()
    for group in fixed:
        centre = sum((exactly[i] for i in group), Fraction(0)) / len(group)
        for i in group:
            same("mean of a fixed group", found[i], float(centre), 1e-9)


@st.composite
def gammas(draw):
    cases = draw(spread() | grouped(kinds=("integer", "float")))
    return [(*case, draw(st.sampled_from([0.2, 0.7, 1.1]))) for case in cases]


@twin("v-mdav", gammas(), 1)
def compare_v_mdav(case: Any) -> None:
    """The groups of the slow twin, where no two distances are equal; else groups of k with their
    means.
    """
    table, by, k, _, gamma = case
    options: dict[str, Any] = {"method": "v-mdav", "gamma": gamma, "preserve_variance": False}
    if too_small(table, by, k, **options):
        return
    found = ds.microaggregate(table.data, k=k, by=by or (), **options).to("arrow").to_pydict()
    space = Space(table)
    _valid_groups(space, found, by, k)
    for members in strata_of(table, by):
        if _distances_differ(space, members):
            points = np.array([
                [float(v) / math.sqrt(space.units[key])
                 for key, v in zip(table.keys, space.point(i), strict=True)]
                for i in members
            ])  # fmt: skip
            labels = twin_variable(points, k, gamma)
            for label in set(labels.tolist()):
                group = [members[i] for i in range(len(members)) if labels[i] == label]
                _same_average(space, found, group)


def _distances_differ(space: Space, members: list[int]) -> bool:
    """Whether all distances, between records and from the centre, are told apart by far."""
    points = [space.point(i) for i in members]
    centre = space.average(members)
    apart = [space.squared(a, b) for a, b in itertools.combinations(points, 2)]
    ordered = sorted(apart) + sorted(space.squared(p, centre) for p in points)
    return all(b < a or b - a > Fraction(1, 10**6) for a, b in itertools.pairwise(ordered))


def _same_average(space: Space, found: dict[str, list[Any]], group: list[int]) -> None:
    average = space.average(group)
    for i in group:
        for key, value in zip(space.table.keys, average, strict=True):
            same("masked value", found[key][i], _plain(value), 1e-9)


@twin("preserved variance", grouped(kinds=("integer", "float")), 1)
def compare_variance(case: Any) -> None:
    """Means and variances of every stratum are kept, where the groups differ at all."""
    table, by, k, _ = case
    if too_small(table, by, k):
        return
    data = table.data
    plain, kept = (
        ds.microaggregate(data, k=k, by=by or (), preserve_variance=p).to("arrow").to_pydict()
        for p in (False, True)
    )
    for key, members in itertools.product(table.keys, strata_of(table, by)):
        before = [Fraction(table.columns[key][i]) for i in members]
        after = [kept[key][i] for i in members]
        same("mean of a stratum", sum(after) / len(after), float(sum(before) / len(before)), 1e-8)
        if by is None and len({plain[key][i] for i in members}) > 1:
            same("variance", statistics.variance(after), float(statistics.variance(before)), 1e-7)
