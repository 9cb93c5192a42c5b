"""What a suppression of cells came to: how many cells, of which keys, and how many any answer
needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.frames import FrameKind
from discreet.masking.cells import size_rows
from discreet.results import Result
from discreet.surface import function, said
from discreet.words import counted

_ROUNDING = 1e-6
# of a record, unless more are allowed; more in the category reading where nothing else is found
FEW_BLANKS = {"category": 3, "target-source": 2, "wildcard": 2}


@dataclass(frozen=True, repr=False)
class SuppressedCells(Result):
    """How many cells were blanked, what that costs, and what is known of other answers.

    Attributes
    ----------
    cells : mapping of key to number
    cost : float
        Of all cells that were blanked; their number, unless costs were given.
    bound : float
        The least that any answer costs, as far as proven.
    restriction : str
        Which answers the bound is about: "at most 3 blanks a record, …"; empty: about all.
    exact : bool
        Whether an integer programme was solved, or the search was heuristic.
    priced : bool
        Whether costs were given.
    reading : str
        How a blank was counted: "category", "target-source" or "wildcard".
    by_class_size : mapping of key to mapping of class size to number
        The cells by the number of records that shared their values before.
    most_blanks, all_blank : int
        The most cells that a record lost, and how many records lost all of their keys.

    Examples
    --------
    >>> import discreet as ds
    >>> table = {"sex": list("MMFFF"), "town": list("aabbc")}
    >>> masked = ds.suppress_cells(ds.read(table, keys=["sex", "town"]), ds.KAnonymity(2))
    >>> print(masked.outcome.cost, masked.outcome.bound <= masked.outcome.cost)
    3.0 True
    """

    cells: Mapping[str, int]
    cost: float
    bound: float
    restriction: str
    exact: bool
    priced: bool
    reading: str
    said: str
    by_class_size: Mapping[str, Mapping[str, int]]
    kind: FrameKind
    most_blanks: int = 0
    all_blank: int = 0

    @property
    def total(self) -> int:
        """Number of cells blanked."""
        return sum(self.cells.values())

    @property
    def proven(self) -> bool:
        """Whether no answer within the restriction costs less."""
        return self.cost <= self.bound + _ROUNDING

    def explain(self) -> str:
        """The outcome in a few sentences."""
        if not self.total:
            return f"No cell had to be blanked: {self.said} held already."
        lines = [self.compared]
        lost = ", ".join(f"{key} {number:,}" for key, number in self.cells.items())
        lines.append(f"Blanked per key: {lost}.")
        if self.reading != "category":
            lines.append(said(_HONEST[self.reading]))
        return "\n".join(lines)

    @property
    def compared(self) -> str:
        """How many cells were blanked, and how many any answer needs."""
        return f"{counted(self.total, 'cell')}; {self._needed()}."

    def _needed(self) -> str:
        within = f"with {self.restriction}, " if self.restriction else ""
        what = f"a cost of {self.cost:g}, " if self.priced else ""
        if self.proven:
            return f"{what}{within}no solution needs {'less' if self.priced else 'fewer'}"
        bound = f"a cost of {self.bound:g}" if self.priced else counted(_up(self.bound), "cell")
        how = "" if self.exact else "; the search was heuristic"
        verb = "is" if self.priced or _up(self.bound) == 1 else "are"
        return f"{what}{within}at least {bound} {verb} needed{how}"

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per key: cells blanked, and of which class sizes."""
        return self._frame(size_rows(self.by_class_size), kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "cells": self.total,
            "changes": dict(self.cells),
            **self._plain("cost", "bound", "proven", "restriction"),
            "search": "exact" if self.exact else "heuristic",
            **self._plain("reading", "compared", "most_blanks", "all_blank", "by_class_size"),
        }


def _up(bound: float) -> int:
    """Cells are whole."""
    return int(-(-(bound - _ROUNDING) // 1))


_HONEST = {
    "target-source": "A blank matches every value here: fewer cells, and records may be told apart "
    "in the released file itself.",
    "wildcard": "A blank matches every value here, on both sides: this is for comparison with "
    "other tools, not a protection. Some records may still be found for certain: "
    f"{function('readings', '…')} tells.",
}
