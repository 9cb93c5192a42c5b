"""What a local recoding came to: the loss, the cells of each key, and what is known of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.frames import FrameKind
from discreet.masking.cells import size_rows
from discreet.results import Result
from discreet.words import counted, share

_ROUNDING = 1e-9


@dataclass(frozen=True, repr=False)
class LocalRecoding(Result):
    """How much was lost, in which keys, and how little any local recoding could lose.

    Attributes
    ----------
    loss : float
        Mean over records and keys of (leaves covered − 1)/(leaves − 1), 1 for a record left out.
    bound : float
        The least loss of any local recoding that meets the criterion, as far as proven.
    cells : mapping of key to number
        Cells that show something coarser than the value.
    losses : mapping of key to number
        The loss of each key.
    classes : int
        Different combinations of key values in the released file.
    suppressed : int
        Records left out.
    by_class_size : mapping of key to mapping of class size to number
        The cells by the number of records that shared their values before.
    seconds : float or None
        The time that was given to the search, where it was.
    searched : bool
        Whether cells of little loss were searched. If not, the records were split by Mondrian:
        because that was asked for, or because there are too many combinations to search.

    Examples
    --------
    >>> import discreet as ds
    >>> survey = ds.read({"zip": ["41076", "41099", "43102", "43102"]}, keys=["zip"])
    >>> hierarchies = {"zip": ds.Hierarchy.prefixes([5, 3, 0])}
    >>> print(ds.recode(survey, hierarchies, ds.KAnonymity(2)).outcome.explain())
    Loss 0.250000 for 2-anonymity; no local recoding loses less.
    Coarser cells per key: zip 2. The other cells are as they were.
    """

    loss: float
    bound: float
    cells: Mapping[str, int]
    losses: Mapping[str, float]
    classes: int
    suppressed: int
    n: int
    by_class_size: Mapping[str, Mapping[str, int]]
    said: str
    method: str
    seconds: float | None
    searched: bool
    kind: FrameKind

    @property
    def proven(self) -> bool:
        """Whether no local recoding loses less."""
        return self.loss <= self.bound + _ROUNDING

    def explain(self) -> str:
        """The outcome in a few sentences."""
        if not self.cells and not self.suppressed:
            return f"No cell had to be recoded: {self.said} held already."
        lines = [f"Loss {self.loss:.6f} for {self.said}; {self._compared()}."]
        if self.cells:
            each = ", ".join(f"{key} {number:,}" for key, number in self.cells.items())
            lines.append(f"Coarser cells per key: {each}. The other cells are as they were.")
        if self.suppressed:
            part = share(self.suppressed, self.n)
            lines.append(f"{counted(self.suppressed, 'record')} left out ({part}).")
        if self.method == "local" and not self.searched:
            lines.append(
                "There are too many combinations of values to search: the records were split by "
                "relaxed Mondrian, regardless of search and seconds."
            )
        elif self.seconds is not None:
            lines.append(
                f"Searched for {self.seconds:g} seconds: on another machine the same time may give "
                "other cells."
            )
        return "\n".join(lines)

    def _compared(self) -> str:
        if self.proven:
            return "no local recoding loses less"
        return f"every local recoding loses at least {self.bound:.6f}, as far as proven"

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per key and class size before: how many cells are coarser."""
        return self._frame(size_rows(self.by_class_size), kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {
            "loss": self.loss,
            "bound": self.bound,
            "proven": self.proven,
            "cells": sum(self.cells.values()),
            "changes": dict(self.cells),
            "losses": dict(self.losses),
            "compared": f"Loss {self.loss:.6f}; {self._compared()}.",
            "classes": self.classes,
            "suppressed": self.suppressed,
            "searched": self.searched,
            "by_class_size": {key: dict(sizes) for key, sizes in self.by_class_size.items()},
        }
