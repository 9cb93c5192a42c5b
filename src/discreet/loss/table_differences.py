"""Differences of tables: by how much the counts change that users of a file would publish."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from discreet.data.attributes import unknown_column
from discreet.data.microdata import Microdata
from discreet.data.paired_columns import shared_codes
from discreet.errors import Problem, raise_all


@dataclass(frozen=True)
class TableDifference:
    """How the counts of a table differ before (f) and after (g), over its cells.

    Counts of a masked file with fewer records are scaled up to those of the initial file.

    Attributes
    ----------
    attributes : tuple of str
    cells : int
        Cells with a record in one of the files.
    absolute : float
        Mean of |f − g|.
    relative : float
        Mean of |f − g|/f over the cells with f > 0.
    root : float
        Mean of |√f − √g|, in which large and small cells count alike.
    new : int
        Cells that only the masked file has.
    """

    attributes: tuple[str, ...]
    cells: int
    absolute: float
    relative: float
    root: float
    new: int

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "attributes": list(self.attributes)}


def table_differences(
    initial: Microdata, masked: Microdata, tables: Sequence[Sequence[str]]
) -> tuple[TableDifference, ...]:
    """The difference of each table that is named; all unknown columns at once."""
    raise_all(_problems(initial, masked, tables))
    return tuple(_difference(initial, masked, tuple(names)) for names in tables)


def _problems(
    initial: Microdata, masked: Microdata, tables: Sequence[Sequence[str]]
) -> list[Problem]:
    named = list(dict.fromkeys(name for names in tables for name in names))
    return [
        unknown_column("the table's column", name, data.columns, data.name)
        for data in (initial, masked)
        for name in named
        if name not in data.columns
    ]


def _difference(initial: Microdata, masked: Microdata, names: tuple[str, ...]) -> TableDifference:
    sets = [data.frequency_set(names) for data in (initial, masked)]
    first, second = (one.combinations() for one in sets)
    codes = [shared_codes(first[f"s{a}"], second[f"s{a}"], None)[:2] for a in range(len(names))]
    rows = np.vstack([np.column_stack([pair[side] for pair in codes]) for side in (0, 1)])
    cells, at = np.unique(rows, axis=0, return_inverse=True)
    at = at.ravel()
    f = np.bincount(at[: len(sets[0])], weights=sets[0].counts, minlength=len(cells))
    g = np.bincount(at[len(sets[0]) :], weights=sets[1].counts, minlength=len(cells))
    g *= f.sum() / g.sum()
    known = f > 0
    return TableDifference(
        names,
        len(cells),
        math.fsum(np.abs(f - g)) / len(cells),
        math.fsum(np.abs(f - g)[known] / f[known]) / int(known.sum()),
        math.fsum(np.abs(np.sqrt(f) - np.sqrt(g))) / len(cells),
        int((~known).sum()),
    )
