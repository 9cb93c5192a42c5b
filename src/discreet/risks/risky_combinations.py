"""Risky combinations: cells of a few keys that only few records have.

Whoever knows three things about a person looks into a cell of three keys. For every set of up to
so many keys this counts the cells that at most so many records share, and the records in them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from annotated_doc import Doc
from annotated_types import Ge

from discreet.data.masked import require_records
from discreet.data.microdata import Microdata, require_microdata
from discreet.errors import Problem, argument, raise_all
from discreet.frames import FrameKind
from discreet.kernels.coded_tuples import SmallCells, attribute_sets, number_of_sets, small_cells
from discreet.measures import FigureKind, measure, need_fit
from discreet.parameters import Label, Public
from discreet.progress import stage
from discreet.results import Computed, Provenance
from discreet.surface import advice, function
from discreet.words import counted, share

if TYPE_CHECKING:
    from discreet.frequency.frequency_set import FrequencySet

_MOST = 100_000  # sets of keys
_NAMED = 3  # key sets in the sentences


@dataclass(frozen=True, eq=False, repr=False)
class RiskyCombinations(Computed):
    """Cells with few records, by set of keys.

    Attributes
    ----------
    n : int
        Number of records.
    at_most, size : int
        Most records of a cell that counts; most keys of a set.
    cells : mapping of key names to int
        For each set of keys, the cells with at most so many records, and some.
    records : mapping of key names to int
        The records in them.
    affected : int
        Records in such a cell of any set.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"town": list("aabb"), "sex": list("MMMF")}, keys=["town", "sex"])
    >>> found = ds.risky_combinations(survey, at_most=1)
    >>> found.cells, found.affected
    ({('town',): 0, ('sex',): 1, ('town', 'sex'): 2}, 2)
    """

    n: int
    at_most: int
    size: int
    cells: Mapping[tuple[str, ...], int]
    records: Mapping[tuple[str, ...], int]
    affected: int
    provenance: Provenance

    @functools.cached_property
    def total(self) -> int:
        """The cells of all sets together."""
        return sum(self.cells.values())

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per set of keys, by size: its keys, their number, cells and records."""
        columns = {
            "keys": [", ".join(one) for one in self.cells],
            "size": [len(one) for one in self.cells],
            "cells": list(self.cells.values()),
            "records": [self.records[one] for one in self.cells],
        }
        return self._frame(columns, kind)

    def explain(self) -> str:
        """The numbers in a few sentences, and what to do next."""
        few = f"at most {counted(self.at_most, 'record')}"
        lines = [
            f"{counted(len(self.cells), 'set')} of up to {counted(self.size, 'key')} "
            f"{'was' if len(self.cells) == 1 else 'were'} counted in {counted(self.n, 'record')}.",
            f"{counted(self.total, 'cell')} {'has' if self.total == 1 else 'have'} {few}; "
            f"{counted(self.affected, 'record')} ({share(self.affected, self.n)}) "
            f"{'is' if self.affected == 1 else 'are'} in one of them."
            if self.total
            else f"No cell has {few}.",
        ]
        if self.total:
            most = sorted(self.cells.items(), key=lambda one: -one[1])[:_NAMED]
            sets = "; ".join(f"{{{', '.join(one)}}} with {cells:,}" for one, cells in most if cells)
            lines.append(f"Most have {sets}.")
        if self.provenance.missing == "wildcard":
            lines.append(
                "A missing key makes no cell: its record is left out of sets that hold it."
            )
        lines += self.provenance.cautions()
        if self.total:
            lines += advice(
                f"Next: make the keys of these sets coarser ({function('generalize')}), or see "
                f"which records are alone on them with {function('suda', 'data')}."
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON; no value of a key."""
        return {
            "n": self.n,
            "at_most": self.at_most,
            "size": self.size,
            "total": self.total,
            "affected": self.affected,
            "sets": [
                {"keys": list(one), "cells": cells, "records": self.records[one]}
                for one, cells in self.cells.items()
            ],
            "computed_from": self.provenance.to_dict(),
        }


@measure(
    title="Risky combinations",
    about="Combinations of a few keys that few records have, for every set of keys up to a size.",
    side="risk",
    of="file",
    figures={
        "total": FigureKind("cells with few records, over all sets of keys"),
        "affected": FigureKind("records in a cell with few records"),
    },
    by_equality=True,
    public=("n", "at_most", "size"),
)
def risky_combinations(
    data: Microdata,
    at_most: Annotated[
        int,
        Ge(1),
        Label("Records in a cell"),
        Doc("A combination counts when at most this many records have it."),
        Public,
    ] = 3,
    size: Annotated[
        int, Ge(1), Label("Keys in a set"), Doc("Largest number of keys in a set."), Public
    ] = 3,
) -> RiskyCombinations:
    """Count the cells with few records of every set of keys up to a size.

    Parameters
    ----------
    data : Microdata
        With its keys named. A missing key is a value of its own; under ``missing="wildcard"`` it
        makes no cell, and its record is left out of sets that hold the key.
    at_most : int
        A cell counts when it has at most so many records, and some.
    size : int
        Most keys of a set.

    Returns
    -------
    RiskyCombinations
        ``.cells`` and ``.records`` by key names, ``.table()``.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"age": [20, 20, 30, 30, 30], "sex": list("FFFMM")}
    >>> ds.risky_combinations(ds.read(table, keys=["age", "sex"]), at_most=1).cells
    {('age',): 0, ('sex',): 0, ('age', 'sex'): 1}
    """
    require_microdata(data)
    need_fit(risky_combinations, at_most=at_most, size=size)
    raise_all(_size_problems(len(data.need_keys()), size))
    require_records(data)
    keys = data.frequency_set()
    sets = attribute_sets(len(keys.attributes), int(size))
    found = _counted(keys, sets, int(at_most), blank=data.missing == "wildcard")
    names = [tuple(keys.attributes[a] for a in one) for one in sets]
    return RiskyCombinations(
        n=keys.n,
        at_most=int(at_most),
        size=min(int(size), len(keys.attributes)),
        cells=dict(zip(names, found.cells.tolist(), strict=True)),
        records=dict(zip(names, found.records.tolist(), strict=True)),
        affected=int(keys.counts[found.touched].sum()),
        provenance=Provenance.of(data),
    )


def _size_problems(width: int, size: int) -> list[Problem]:
    number = number_of_sets(width, int(size))
    if number <= _MOST:
        return []
    what = f"{width:,} keys have {number:,} sets of up to {size:,} keys, which are too many."
    return [Problem("P50", what, f"Lower {argument('size')}, or name fewer keys.")]


def _counted(
    keys: FrequencySet, sets: list[tuple[int, ...]], at_most: int, *, blank: bool
) -> SmallCells:
    with stage("counting cells", len(sets)) as advance:
        return small_cells(keys.tuples(blank=blank), sets, at_most, advance=advance)
