"""Random small tables: keys of all types, blanks, scales with absent steps, ties, extreme numbers,
keys that are confidential, too.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import discreet as ds
from tests.twins.ladders import DAYS, Ladder, ladders_for

DOMAINS = {
    "nominal": ["a", "b", "ab", "abc", "0", "ä"],
    "ordinal": ["low", "mid", "high", "top", "peak"],
    "integer": [0, 1, 2, 3, 4, 7, -2],
    "float": [0.0, 0.1, 0.3, 1.5, 2.0, -0.5, 4.25],
    "date": DAYS,
}
EXTREME = {
    "integer": [2**53, 2**53 + 1, -(2**62), 10**12],
    "float": [1e300, -1e300, 5e-324, 1e-300, 123456789.125],
}
ARROW = {"nominal": pa.string(), "ordinal": pa.string(), "integer": pa.int64(),
         "float": pa.float64(), "date": pa.date32()}  # fmt: skip
KINDS = ("nominal", "nominal", "ordinal", "integer", "float", "date")


@dataclass(frozen=True)
class Table:
    """A table with the roles of its columns, and a hierarchy for each key."""

    columns: dict[str, list[Any]]
    kinds: dict[str, str]
    keys: tuple[str, ...]
    confidential: tuple[str, ...] = ()
    missing: str = "category"
    ladders: dict[str, Ladder] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The records."""
        return [{name: c[i] for name, c in self.columns.items()} for i in range(self.n)]

    @property
    def types(self) -> dict[str, Any]:
        """A type for every column, so that nothing is inferred."""
        found = {}
        for name, kind in self.kinds.items():
            if kind == "ordinal":
                found[name] = DOMAINS["ordinal"]
            else:
                found[name] = "continuous" if kind in ("integer", "float") else "nominal"
        return found

    def arrow(self) -> pa.Table:
        """With a type for every column, also where all is missing."""
        arrays = {n: pa.array(c, ARROW[self.kinds[n]]) for n, c in self.columns.items()}
        return pa.table(arrays)

    @functools.cached_property
    def data(self) -> ds.Microdata:
        """As microdata, read once."""
        return ds.read(
            self.arrow(),
            keys=list(self.keys),
            confidential=list(self.confidential),
            types=self.types,
            missing=self.missing,
        )

    @property
    def hierarchies(self) -> dict[str, Any]:
        """Those that are given to the search."""
        return {k: l.hierarchy for k, l in self.ladders.items() if l.hierarchy is not None}


@st.composite
def columns(draw, kind: str, n: int, blanks: bool = True, extreme: bool = False) -> list[Any]:
    """Values of one column; few of them, so that there are classes."""
    domain = list(DOMAINS[kind])
    if extreme and kind in EXTREME:
        domain += EXTREME[kind]
    few = draw(st.lists(st.sampled_from(domain), min_size=1, max_size=4, unique=True))
    cells = st.sampled_from(few + ([None] if blanks and draw(st.booleans()) else []))
    return draw(st.lists(cells, min_size=n, max_size=n))


@st.composite
def tables(
    draw,
    most: int = 12,
    keys: int = 4,
    policies: tuple[str, ...] = ("category",),
    blanks: bool = True,
    confidential: int = 2,
    laddered: bool = False,
    extreme: bool = True,
    kinds: tuple[str, ...] = KINDS,
) -> Table:
    """A table of 1 to ``most`` records."""
    n = draw(st.integers(1, most))
    missing = draw(st.sampled_from(policies))
    names = [f"k{i}" for i in range(draw(st.integers(1, keys)))]
    secret = [f"s{i}" for i in range(draw(st.integers(0, confidential)))]
    found = {name: draw(st.sampled_from(kinds)) for name in names}
    found |= {name: draw(st.sampled_from((*kinds, "ordinal", "ordinal"))) for name in secret}
    gaps = blanks and (missing == "category" or not laddered)
    cells = {
        name: draw(columns(kind, n, blanks if name in secret else gaps, extreme))
        for name, kind in found.items()
    }
    ladders = {}
    if laddered:
        for name in names:
            ladders[name] = draw(ladders_for(found[name], DOMAINS[found[name]]))
            if ladders[name].leaves is not None:  # a dictionary knows the domain only
                known = set(DOMAINS[found[name]]) | {None}
                cells[name] = [v if v in known else DOMAINS[found[name]][0] for v in cells[name]]
    both = [n for n in names if confidential and (not laddered or ladders[n].hierarchy is None)]
    if both and draw(st.integers(0, 3)) == 0:
        secret.append(draw(st.sampled_from(both)))
    return Table(cells, found, tuple(names), tuple(secret), missing, ladders)
