"""The four counts of a file with blanks, from their definitions: every pair of records is looked at."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import discreet as ds
from tests.twins.releases import Release
from tests.twins.tables import tables
from tests.twins.twin import same, twin


@st.composite
def blanked(draw) -> Release:
    """A table of which some records are released, and some of their cells are blank."""
    table = draw(tables(confidential=0))
    order = draw(st.permutations(range(table.n)))[: draw(st.integers(1, table.n))]
    masked = {
        name: [None if draw(st.booleans()) else table.columns[name][i] for i in order]
        for name in table.keys
    }
    return Release(table, masked, tuple(order))


def covers(shown: tuple[Any, ...], own: tuple[Any, ...]) -> bool:
    return all(a is None or a == b for a, b in zip(shown, own, strict=True))


def compatible(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    pairs = zip(one, other, strict=True)
    return all(a is None or b is None or a == b for a, b in pairs)


@twin("readings", blanked(), 1)
def compare_readings(release: Release) -> None:
    """Of a file with blanks made elsewhere."""
    found = ds.readings(*release.files, on="rec")
    keys = release.table.keys
    pairs = [[tuple(row[k] for k in keys) for row in pair] for pair in release.pairs]
    expected = {
        "category": [sum(y == z for _, z in pairs) for _, y in pairs],
        "wildcard": [sum(compatible(y, z) for _, z in pairs) for _, y in pairs],
        "target": [sum(covers(z, x) for _, z in pairs) for x, _ in pairs],
        "source": [sum(covers(y, z) for z, _ in pairs) for _, y in pairs],
    }
    for name, counts in expected.items():
        same(name, getattr(found, name).tolist(), counts)
        same(f"least {name}", found.least(name), min(counts))
