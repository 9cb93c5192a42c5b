"""Classes, risk by class and criteria, from their definitions: equal records are put together, and
each class is looked at by itself.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import discreet as ds
from tests.twins.ladders import Ladder, explicit
from tests.twins.tables import DOMAINS, Table, tables
from tests.twins.twin import refused, same, twin


def classes_of(keys: list[tuple[Any, ...]]) -> list[list[int]]:
    """The records of each class, in order of first appearance."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    return list(found.values())


def keys_of(table: Table) -> list[tuple[Any, ...]]:
    """The key values of each record."""
    return list(zip(*(table.columns[k] for k in table.keys), strict=True))


def compatible(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """A missing value matches every value."""
    return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))


def looked_at(table: Table) -> list[tuple[list[int], list[int]]]:
    """Per class (or combination of key values) its own records, and those that hide it."""
    keys = keys_of(table)
    if table.missing == "wildcard":
        return [
            (own, [j for j in range(table.n) if compatible(keys[own[0]], keys[j])])
            for own in classes_of(keys)
        ]
    return [(own, own) for own in classes_of(keys)]


def distinct(values: list[Any], missing: str) -> int:
    """Distinct values; a blank is one of them unless it is unknown."""
    found = set(values)
    return len(found - {None} if missing == "wildcard" else found)


@twin("risk", tables(policies=("category", "wildcard")), 2)
def compare_risk(table: Table) -> None:
    found = ds.risk(table.data)
    seen = looked_at(table)
    sizes = Counter()
    records = Counter()
    for own, hiding in seen:
        sizes[len(hiding)] += 1
        records[len(hiding)] += len(own)
    same("n", found.n, table.n)
    same("classes", found.classes, len(seen))
    same("k", found.k, min(sizes))
    same("uniques", found.uniques, records[1])
    same("class sizes", list(found.class_sizes), [(i, sizes[i], records[i]) for i in sorted(sizes)])
    mean = sum(Fraction(records[i], i) for i in sizes) / table.n
    same("mean risk", found.mean_risk, mean)
    same("highest risk", found.highest_risk, Fraction(1, min(sizes)))
    p = {
        name: min(distinct([table.columns[name][i] for i in h], table.missing) for _, h in seen)
        for name in table.confidential
    }
    same("p", dict(found.p), p)


# -- criteria --------------------------------------------------------------------------------------


def fails_entropy(counts: list[int], l: int) -> bool:
    """−Σ q log q < log l, in whole numbers: nⁿ < lⁿ · Π cᶜ."""
    n = sum(counts)
    return n**n < l**n * math.prod(c**c for c in counts)


def fails_recursive(counts: list[int], l: int, c: float) -> bool:
    """r_1 < c (r_l + … + r_m) does not hold."""
    ranked = sorted(counts, reverse=True)
    return not ranked[0] < Fraction(str(c)) * sum(ranked[l - 1 :])


def shares_of(values: list[Any]) -> dict[Any, Fraction]:
    counts = Counter(values)
    return {v: Fraction(c, len(values)) for v, c in counts.items()}


def equal_distance(own: list[Any], whole: list[Any], order: list[Any], ladder: Any) -> Fraction:
    p, q = shares_of(own), shares_of(whole)
    return sum((abs(p.get(v, 0) - q[v]) for v in q), Fraction(0)) / 2


def ordered_distance(own: list[Any], whole: list[Any], order: list[Any], ladder: Any) -> Fraction:
    """Mass moves from step to step of the scale; the whole scale has the length 1."""
    if len(order) < 2:
        return Fraction(0)
    p, q = shares_of(own), shares_of(whole)
    moved, cost = Fraction(0), Fraction(0)
    for step in order:
        moved += p.get(step, 0) - q.get(step, 0)
        cost += abs(moved)
    return cost / (len(order) - 1)


def tree_distance(own: list[Any], whole: list[Any], order: list[Any], ladder: Ladder) -> Fraction:
    """Two values are level/height apart when they meet on that level: a tree whose edges have
    the length 1/(2·height), on which the mass that does not balance below an edge must pass it.
    """
    levels = ladder.climb(whole)
    height, cost = len(levels), Fraction(0)
    groups = [{v: v for v in whole}, *levels]
    for level in range(height):
        at = groups[level]
        p, q = (shares_of([at[v] for v in values]) for values in (own, whole))
        cost += sum((abs(p.get(g, 0) - q[g]) for g in q), Fraction(0))
    return cost / (2 * height)


def fails_likeness(own: list[Any], whole: list[Any], beta: float, kind: str) -> bool:
    """Some value gains (p − q)/q > β; enhanced, also > −ln q."""
    p, q = shares_of(own), shares_of(whole)
    for v in p:
        most = Fraction(str(beta))
        if kind == "enhanced":
            most = min(most, Fraction(-math.log(q[v])) if q[v] < 1 else Fraction(0))
        if p[v] / q[v] - 1 > most + ROUNDING:
            return True
    return False


def fails_disclosure(own: list[Any], whole: list[Any], delta: float, absent: str) -> bool:
    """Some value has |log₂(p/q)| ≥ δ; one that the class lacks is infinitely far off."""
    p, q = shares_of(own), shares_of(whole)
    if absent == "fail" and set(p) != set(q):
        return True
    return any(abs(math.log2(p[v] / q[v])) >= delta - float(ROUNDING) for v in p)


ROUNDING = Fraction(1, 10**12)  # a distance that is t but for rounding satisfies
DISTANCES = {"equal": equal_distance, "ordered": ordered_distance, "hierarchical": tree_distance}


def order_of(table: Table, name: str) -> list[Any]:
    """The scale of an ordinal attribute, or the values in their order; a blank comes last."""
    values = table.columns[name]
    if table.kinds[name] == "ordinal":
        order = list(DOMAINS["ordinal"])
    else:
        order = sorted({v for v in values if v is not None})
    return order + ([None] if None in values else [])


def fails_in(
    table: Table, criterion: Any, name: str, own: list[Any], ladder: Ladder | None
) -> bool:
    """Whether a class fails a criterion by its values of an attribute."""
    counts, whole = list(Counter(own).values()), table.columns[name]
    if isinstance(criterion, ds.PSensitiveKAnonymity):
        return distinct(own, table.missing) < criterion.p
    if isinstance(criterion, ds.LDiversity):
        return {
            "distinct": lambda: distinct(own, table.missing) < criterion.l,
            "entropy": lambda: fails_entropy(counts, criterion.l),
            "recursive": lambda: fails_recursive(counts, criterion.l, criterion.c),
        }[criterion.kind]()
    if isinstance(criterion, ds.BetaLikeness):
        return fails_likeness(own, whole, criterion.beta, criterion.kind)
    if isinstance(criterion, ds.DeltaDisclosure):
        return fails_disclosure(own, whole, criterion.delta, criterion.absent)
    apart = DISTANCES[criterion.distance](own, whole, order_of(table, name), ladder)
    return apart > Fraction(str(criterion.t)) + ROUNDING


def reasons(
    table: Table, criterion: Any, records: list[int], ladder: Ladder | None = None
) -> set[str]:
    """Why a class fails a criterion: the class size, or confidential attributes."""
    if isinstance(criterion, list | tuple):
        return set().union(*(reasons(table, c, records, ladder) for c in criterion))
    if isinstance(criterion, ds.KAnonymity):
        return {"class size"} if len(records) < criterion.k else set()
    found = set()
    if isinstance(criterion, ds.PSensitiveKAnonymity) and len(records) < criterion.k:
        found.add("class size")
    for name in criterion.confidential or table.confidential:
        own = [table.columns[name][i] for i in records]
        if fails_in(table, criterion, name, own, ladder):
            found.add(name)
    return found


def hierarchical(ladder: Ladder, t: float, name: str) -> Any:
    return ds.TCloseness(t, "hierarchical", ladder.hierarchy, confidential=name)


@st.composite
def criteria(draw, table: Table, limits: bool = False) -> tuple[list[Any], Ladder | None]:
    """One to three criteria that can be asked of a table, and the ladder of a distance."""
    k = draw(st.integers(1, 4))
    offered = [lambda: ds.KAnonymity(k)]
    ladder = None
    if table.confidential:
        some = draw(st.sampled_from([None, table.confidential[-1]]))
        l = draw(st.integers(1, 3))
        t = draw(st.sampled_from([0.0, 0.1, 0.25, 0.4, 0.9, *_near_distances(table)]))
        offered += [
            lambda: ds.PSensitiveKAnonymity(min(l, k), k, confidential=some),
            lambda: ds.LDiversity(l, confidential=some),
            lambda: ds.LDiversity(l, "entropy", confidential=some),
            lambda: ds.LDiversity(l, "recursive", c=draw(st.sampled_from([0.5, 1, 2, 3.5])),
                                  confidential=some),
            lambda: ds.TCloseness(t, confidential=some),
            lambda: ds.TCloseness(t, "ordered", confidential=some),
            lambda: ds.BetaLikeness(draw(st.sampled_from([0.2, 0.5, 1, 2])),
                                    draw(st.sampled_from(["basic", "enhanced"])), some),
            lambda: ds.DeltaDisclosure(draw(st.sampled_from([0.3, 1, 1.5, 3])),
                                       draw(st.sampled_from(["fail", "ignore"])), some),
        ]  # fmt: skip
        plain = [
            name for name in table.confidential
            if table.kinds[name] in ("nominal", "ordinal") and None not in table.columns[name]
        ]  # fmt: skip
        if plain:
            name = draw(st.sampled_from(plain))
            ladder = draw(explicit(DOMAINS[table.kinds[name]]).filter(_one_top))
            offered.append(lambda: hierarchical(ladder, t, name))
    if limits:
        limit = draw(st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.4, 0.5, 0.75]))
        w = draw(st.sampled_from([None, "minimal", "threshold", "decay"]))
        weights = {"minimal": ds.Weights.minimal(), "threshold": ds.Weights.threshold(2),
                   "decay": ds.Weights.decay(0.5)}  # fmt: skip
        given = {} if w is None else {"weights": weights[w]}
        offered += [lambda: ds.DisclosureRiskAtMost(limit, **given)] * 2
    chosen = draw(st.lists(st.integers(0, len(offered) - 1), min_size=1, max_size=3, unique=True))
    return [offered[i]() for i in chosen], ladder


def _near_distances(table: Table) -> list[float]:
    """Distances of classes from the whole, and a little less: there a limit decides."""
    name = table.confidential[-1]
    column, order = table.columns[name], order_of(table, name)
    found = set()
    for members in classes_of(keys_of(table)):
        for measure in (equal_distance, ordered_distance):
            apart = float(measure([column[i] for i in members], column, order, None))
            found |= {apart, max(apart - 0.01, 0.0)}
    return sorted(found)


def _one_top(ladder: Ladder) -> bool:
    return not ladder.unmapped and len(set(ladder.climb([])[-1].values())) == 1


@st.composite
def asked(draw, **options):
    table = draw(tables(**options))
    return [(table, *draw(criteria(table))) for _ in range(4)]


@twin("check", asked(policies=("category", "wildcard")), 3)
def compare_check(case: Any) -> None:
    table, wanted, ladder = case
    if table.missing == "wildcard" and _needs_values(wanted):
        with refused("counting values where classes overlap", "N01"):
            ds.check(table.data, wanted)
        return
    found = ds.check(table.data, wanted if len(wanted) > 1 else wanted[0])
    failing: Counter[str] = Counter()
    records: Counter[str] = Counter()
    classes = gone = 0
    for own, hiding in looked_at(table):
        why = reasons(table, wanted, hiding, ladder)
        for reason in why:
            failing[reason] += 1
            records[reason] += len(own)
        classes += bool(why)
        gone += len(own) if why else 0
    same("satisfied", found.satisfied, gone == 0)
    same("violating classes", found.violating_classes, classes)
    same("violating records", found.violating_records, gone)
    by = {r: (v.classes, v.records) for r, v in found.by.items() if v.records}
    same("reasons", by, {r: (failing[r], records[r]) for r in failing})


def _needs_values(wanted: list[Any]) -> bool:
    whole = (ds.TCloseness, ds.BetaLikeness, ds.DeltaDisclosure)
    return any(isinstance(c, whole) or (isinstance(c, ds.LDiversity) and
               c.kind != "distinct") for c in wanted)  # fmt: skip
