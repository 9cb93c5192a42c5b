"""Risk of single records, what protects them, and sets of attributes that tell records apart: all
sets of attributes, all pairs of records.
"""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import discreet as ds
from tests.record_risk_twin import brute_risk, brute_sets
from tests.twins.tables import ARROW, Table, tables
from tests.twins.twin import same, twin


@st.composite
def settings_of(draw, table: Table):
    """What is known and sensitive of a table, and the weights of values."""
    names = list(table.columns)
    known = {
        n: draw(st.sampled_from([0.05, 0.3, 0.5, 0.8, 1.0])) for n in names if draw(st.booleans())
    }
    sensitive = {
        n: draw(st.sampled_from([0.2, 0.5, 1.0])) for n in names if draw(st.integers(0, 2))
    }
    if not sensitive:
        sensitive[draw(st.sampled_from(names))] = 1.0
    values: dict[str, Any] = {}
    for name in sensitive:
        kind = table.kinds[name]
        if kind == "nominal" and draw(st.booleans()):
            seen = sorted({v for v in table.columns[name] if v is not None})
            if seen:
                values[name] = {v: draw(st.sampled_from([0.0, 0.25, 1.0])) for v in seen}
        elif kind in ("integer", "float") and draw(st.booleans()):
            values[name] = [(None, 1, 0.25), (1, 3, 0.5), (3, None, 1.0)]
    return table, known, sensitive, values, draw(st.sampled_from([0, 0.01, 0.1, 0.4]))


def value_weight(values: dict[str, Any], name: str, value: Any) -> float:
    """W(v): by value, by range (above < x ≤ up to), or 1; a missing value weighs nothing."""
    if value is None:
        return 0.0
    given = values.get(name)
    if isinstance(given, dict):
        return given[value]
    for above, up_to, weight in given or ():
        if (above is None or value > above) and (up_to is None or value <= up_to):
            return weight
    return 1.0


def weights_of(sensitive: dict[str, float], values: dict[str, Any]) -> Any:
    return lambda name, value: sensitive.get(name, 0.0) * value_weight(values, name, value)


TABLES = tables(policies=("category", "wildcard"), most=8, keys=3, confidential=2)


@st.composite
def several_settings(draw):
    table = draw(TABLES)
    return [draw(settings_of(table)) for _ in range(3)]


@twin("record risk", several_settings(), 2)
def compare_record_risk(case: Any) -> None:
    table, known, sensitive, values, epsilon = case
    found = ds.record_risk(table.data, known, sensitive, values or None, epsilon=epsilon)
    weight = weights_of(sensitive, values)
    wildcard = table.missing == "wildcard"
    expected = brute_risk(table.columns, known, weight, 100, epsilon, wildcard)
    for got, right in zip(found.values.tolist(), expected.tolist(), strict=True):
        same("risk of a record", got, right)
    sets = {tuple(sorted(s.attributes)): s.probability for s in found.known_sets}
    right = {tuple(sorted(s)): pk for s, pk in brute_sets(known, epsilon).items()}
    same("known sets", sorted(sets), sorted(right))
    for name, pk in right.items():
        same("probability of a set", sets[name], float(pk))


@st.composite
def limits(draw):
    bounds = st.sampled_from([0.0, 2.0, 10.0, 25.0, 60.0, 120.0])
    return [(settings, draw(bounds)) for settings in draw(several_settings())]


@twin("protect records", limits(), 2)
def compare_protect(case: Any) -> None:
    """Every record is under the limit afterwards, and only blanks are new; where a blank never
    raises a risk (wildcard), only records that were above the limit have them.
    """
    (table, known, sensitive, values, epsilon), limit = case
    data = table.data
    risk = ds.record_risk(data, known, sensitive, values or None, epsilon=epsilon)
    try:
        masked = ds.protect_records(data, risk, at_most=limit)
    except ds.DiscreetError as error:
        if "D42" in str(error) or (not known and not sensitive):
            return
        raise
    now = masked.to("arrow").to_pydict()
    weight, wildcard = weights_of(sensitive, values), table.missing == "wildcard"
    after = brute_risk(now, known, weight, 100, epsilon, wildcard)
    same("highest risk that is left under the limit", max(after) <= limit * (1 + 1e-9) + 1e-9, True)
    changes: Counter[str] = Counter()
    for name, column in table.columns.items():
        for i, (old, new) in enumerate(zip(column, now[name], strict=True)):
            if old == new:
                continue
            same("a changed cell is blank", new, None)
            changes[name] += 1
            if wildcard:
                same("a changed record was above the limit", risk.values[i] > limit, True)
    same("changes", {k: v for k, v in masked.changes.items() if v}, dict(changes))


@st.composite
def combined(draw):
    table = draw(tables(most=10, keys=4, confidential=0))
    return table, draw(st.integers(1, 4)), draw(st.sampled_from([0.1, 0.5, 0.9, 1.0]))


@twin("key candidates", combined(), 1)
def compare_candidates(case: Any) -> None:
    """All pairs of records, for all sets of attributes."""
    table, up_to, limit = case
    plain = Table(table.columns, table.kinds, ())
    arrays = {n: pa.array(c, ARROW[table.kinds[n]]) for n, c in table.columns.items()}
    found = ds.key_candidates(ds.read(pa.table(arrays), types=plain.types), up_to=up_to)
    names, n = list(table.columns), table.n
    figures: dict[tuple[str, ...], tuple[Fraction, Fraction, Fraction]] = {}
    for size in range(1, min(up_to, len(names)) + 1):
        for chosen in itertools.combinations(names, size):
            rows = list(zip(*(table.columns[c] for c in chosen), strict=True))
            counts = Counter(rows)
            pairs = list(itertools.combinations(rows, 2))
            apart = sum(a != b for a, b in pairs)
            figures[chosen] = (
                Fraction(len(counts), n),
                Fraction(apart, len(pairs)) if pairs else Fraction(1),
                Fraction(sum(c == 1 for c in counts.values()), n),
            )
    for chosen, (distinct, separation, unique) in figures.items():
        own = found.of(list(chosen))
        same("distinct ratio", own.distinct, distinct)
        same("separation ratio", own.separation, separation)
        same("share of uniques", own.unique, unique)
    at = Fraction(str(limit))
    for place, name in enumerate(("distinct", "separation", "unique")):
        reach = {c for c, f in figures.items() if f[place] >= at}
        least = {c for c in reach if not any(set(o) < set(c) for o in reach)}
        got = {c.attributes for c in found.minimal(**{name: limit})}
        same(f"smallest sets by {name}", sorted(got), sorted(least))
    gains = {row["attribute"]: row["gain"] for row in found.ranking("arrow").to_pylist()}
    for name in names:
        same("gain", gains[name], _gain(name, names, figures, min(up_to, len(names))))


def _gain(name: str, names: list[str], figures: Any, up_to: int) -> Fraction:
    """The mean rise of the share of uniques per size of set, and then over the sizes."""
    others = [other for other in names if other != name]
    by_size = []
    for size in range(up_to):
        rises = []
        for rest in itertools.combinations(others, size):
            joined = tuple(c for c in names if c in rest or c == name)
            before = figures[rest][2] if rest else Fraction(0)
            rises.append(figures[joined][2] - before)
        by_size.append(sum(rises, Fraction(0)) / len(rises))
    return sum(by_size, Fraction(0)) / len(by_size)
