"""Special uniques and risky combinations: all sets of keys, all records, from their definitions."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import discreet as ds
from tests.minimal_uniques_twin import NOTHING, minimal_uniques_twin
from tests.twins.tables import Table, tables
from tests.twins.twin import same, twin

TABLES = tables(policies=("category", "wildcard"), most=9, keys=4, confidential=0)
SCORES = {
    "original": lambda keys, m: Fraction(math.factorial(keys - m)),
    "alternative": lambda keys, m: Fraction(2 ** (keys - m) - 1, math.comb(keys, m)),
}


def rows_of(table: Table) -> list[tuple[Any, ...]]:
    return list(zip(*(table.columns[key] for key in table.keys), strict=True))


@st.composite
def questions(draw):
    table = draw(TABLES)
    sizes, fractions = st.sampled_from([None, 1, 2, 3]), st.sampled_from([0.01, 0.1, 0.5])
    return [(table, draw(sizes), draw(fractions), score) for score in SCORES]


@twin("special uniques", questions(), 2)
def compare_suda(case: Any) -> None:
    table, size, fraction, score = case
    found = ds.suda(table.data, max_size=size, fraction=fraction, score=score)
    rows, keys = rows_of(table), len(table.keys)
    blank = None if table.missing == "wildcard" else NOTHING
    sets = minimal_uniques_twin(rows, size, blank)
    scores = [sum((SCORES[score](keys, len(s)) for s in mine), Fraction(0)) for mine in sets]
    for got, right in zip(found.scores.tolist(), scores, strict=True):
        same("score", got, right)
    listed = Counter(tuple(table.keys[a] for a in s) for mine in sets for s in mine)
    same("minimal uniques", dict(found.minimal_uniques), dict(listed))
    own = [doubles(rows, row, blank) for row in rows]
    same("uniques", found.uniques, own.count(1))
    same("pairs", found.pairs, own.count(2))
    special = sum(any(len(s) < keys for s in mine) for mine in sets)
    same("special uniques", found.special_uniques, special)
    for got, right in zip(found.dis.tolist(), dis(scores, own, fraction, keys), strict=True):
        same("DIS", got, right)
    for a, key in enumerate(table.keys):
        worth = [[SCORES[score](keys, len(s)) for s in mine if a in s] for mine in sets]
        part = sum((sum(one, Fraction(0)) for one in worth), Fraction(0))
        same("contribution", found.key_contributions[key], part / (sum(scores) or 1))


def doubles(rows: list[tuple[Any, ...]], row: tuple[Any, ...], blank: object) -> int:
    """The records that have all values that one has; none where it has none itself."""
    known = [a for a, value in enumerate(row) if value is not blank]
    if not known:
        return 0
    return sum(all(other[a] == row[a] for a in known) for other in rows)


def dis(scores: list[Fraction], own: list[int], fraction: float, keys: int) -> list[float]:
    """As printed: 1/(1 + (U/D − U)/(s^Q · Σ s^(−Q)))."""
    uniques, pairs = own.count(1), own.count(2)
    power = 1 + (8 - keys) / 20
    spread = sum(float(s) ** -power for s in scores if s)
    found = []
    for s in scores:
        if not s:
            found.append(0.0)
            continue
        chance = uniques * fraction / (uniques * fraction + pairs * (1 - fraction))
        found.append(1 / (1 + (uniques / chance - uniques) / (float(s) ** power * spread)))
    return found


@st.composite
def limits(draw):
    return draw(TABLES), draw(st.integers(1, 3)), draw(st.integers(1, 4))


@twin("risky combinations", limits(), 1)
def compare_cells(case: Any) -> None:
    table, at_most, size = case
    found = ds.risky_combinations(table.data, at_most, size)
    rows, touched = rows_of(table), set()
    sizes = range(1, min(size, len(table.keys)) + 1)
    for chosen in (c for s in sizes for c in itertools.combinations(range(len(table.keys)), s)):
        cells = Counter(tuple(row[a] for a in chosen) for row in rows)
        if table.missing == "wildcard":
            cells = Counter({c: n for c, n in cells.items() if None not in c})
        small = {c: n for c, n in cells.items() if n <= at_most}
        names = tuple(table.keys[a] for a in chosen)
        same("cells", found.cells[names], len(small))
        same("records", found.records[names], sum(small.values()))
        touched |= {i for i, row in enumerate(rows) if tuple(row[a] for a in chosen) in small}
    same("records in any", found.affected, len(touched))
