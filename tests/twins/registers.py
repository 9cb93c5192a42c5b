"""Households and registers, from their definitions: every household and every person by itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import discreet as ds
from tests.twins.classes import compatible, keys_of
from tests.twins.tables import Table, tables
from tests.twins.twin import refused, same, twin


@st.composite
def inhabited(draw) -> tuple[Table, list[int]]:
    """A table, and the household of each record."""
    table = draw(tables(confidential=0))
    return table, draw(st.lists(st.integers(0, 5), min_size=table.n, max_size=table.n))


def with_households(table: Table, homes: list[int]) -> ds.Microdata:
    frame = table.arrow().append_column("hid", pa.array(homes))
    return ds.read(frame, keys=list(table.keys), types=table.types, household="hid")


@twin("households", inhabited())
def compare_households(case: tuple[Table, list[int]]) -> None:
    table, homes = case
    keys = keys_of(table)
    sizes = Counter(keys)
    members = {home: [keys[i] for i in range(table.n) if homes[i] == home] for home in {*homes}}
    like = {
        home: sum(Counter(own) == Counter(other) for other in members.values())
        for home, own in members.items()
    }
    alone: dict[int, Any] = {}
    for home, own in members.items():
        missed = Fraction(1)
        for key in own:
            missed *= 1 - Fraction(1, sizes[key])
        alone[home] = 1 - missed
    found = ds.risk(with_households(table, homes), by="household")
    assert found.households is not None
    same("n", found.n, table.n)
    same("households", found.households.number, len(members))
    same("alone", found.households.alone, sum(len(own) == 1 for own in members.values()))
    same("k", found.k, min(like.values()))
    same("uniques", found.uniques, sum(like[home] == 1 for home in homes))
    rows = Counter(like[home] for home in homes)
    kinds = Counter(like.values())
    same("class sizes", list(found.class_sizes),
         [(i, kinds[i] // i, rows[i]) for i in sorted(kinds)])  # fmt: skip
    mean = sum(Fraction(1, like[home]) for home in homes) / table.n
    same("mean risk", found.mean_risk, mean)
    same("mean risk of households", found.households.mean_risk, mean)
    same("members", found.members_risk, sum(alone[home] for home in homes) / table.n)
    rarer = sum(Fraction(1, like[home]) > alone[home] for home in homes)
    same("rarer together", found.rarer_together, rarer)


@st.composite
def populated(draw) -> tuple[Table, list[int], list[int]]:
    """A population, who of it is in the file, and of whom the register has no record."""
    table = draw(tables(most=16, policies=("category", "wildcard"), confidential=0))
    people = st.sampled_from(range(table.n))
    inside = draw(st.lists(people, min_size=1, unique=True))
    return table, inside, draw(st.one_of(st.just([]), st.lists(people, max_size=3, unique=True)))


def part(table: Table, rows: list[int]) -> Table:
    return replace(table, columns={n: [c[i] for i in rows] for n, c in table.columns.items()})


@twin("population", populated())
def compare_population(case: tuple[Table, list[int], list[int]]) -> None:
    table, inside, gone = case
    left = [i for i in range(table.n) if i not in gone]
    register, file = keys_of(part(table, left)), keys_of(part(table, inside))
    wildcard = table.missing == "wildcard"
    data = part(table, inside).data
    people = part(table, left).arrow()
    if not left:
        with refused("an empty register", "S02"):
            ds.risk(data, population=people)
        return
    size = [sum(compatible(k, o) if wildcard else k == o for o in register) for k in file]
    if not all(file.count(k) <= F for F, k in zip(size, file, strict=True)):
        with refused("a register without these people", "D61", "D63"):
            ds.risk(data, population=people)
        return
    found = ds.risk(data, population=people)
    assert found.journalist is not None
    mean = sum(Fraction(1, F) for F in size) / len(size)
    same("marketer", found.marketer, mean)
    same("highest", found.journalist.highest, Fraction(1, min(size)))
    classes = dict(zip(file, size, strict=True))
    average = Fraction(len(classes), sum(classes.values()))
    same("mean", found.journalist.mean, mean if wildcard else max(mean, average))
    for limit in (0.1, 0.3, 0.5):
        above = Fraction(sum(limit < 1 / F for F in size), len(size))
        same("share above", found.journalist.share_above(limit), above)
