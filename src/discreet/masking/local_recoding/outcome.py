"""What a local recoding came to: the loss, the cells of each key, and what is known of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet import engine
from discreet.criteria.all_of import people_apart
from discreet.data.masked import require_link
from discreet.frames import FrameKind
from discreet.masking.cells import size_rows
from discreet.masking.promises import Holds, failing_within
from discreet.results import Result
from discreet.words import counted, share

if TYPE_CHECKING:
    from discreet.data.masked import Masked
    from discreet.data.microdata import Microdata
    from discreet.hierarchies.recoding import Recoding
    from discreet.kernels.arrays import Bools, Floats


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
    n : int
        Records of the file.
    method : str
        "local", "mondrian" or "mondrian-relaxed".
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
            **self._plain("loss", "bound", "proven"),
            "cells": sum(self.cells.values()),
            "changes": dict(self.cells),
            **self._plain("losses"),
            "compared": f"Loss {self.loss:.6f}; {self._compared()}.",
            **self._plain("classes", "suppressed", "searched", "by_class_size"),
        }


# -- What a local recoding promises ----------------------------------------------------------------
#
# The criterion holds, every released cell covers the value that it stands for, and the loss is the
# one that is said. All is counted afresh from the released file.


@dataclass(frozen=True, eq=False)
class CellsCover:
    """The promise, given the file before and what is said of the one after. With strata the
    criterion holds within each; `counted` are the attributes whose values it looks at."""

    before: Microdata
    recodings: Sequence[Recoding]
    criterion: Any
    changes: Mapping[str, int]
    loss: float
    by: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()

    def broken(self, masked: Masked) -> list[str]:
        """Counted where the records are."""
        if masked.n == 0:
            return []
        held = Holds(self.criterion).broken(masked)
        of_records, _ = people_apart(self.criterion)
        if self.by and of_records is not None:
            names = (*self.by, *(r.attribute for r in self.recodings))
            held += failing_within(masked, of_records, names, self.counted)
        return [*held, *self._cells(masked)]

    def _cells(self, masked: Masked) -> list[str]:
        keys, link = [r.attribute for r in self.recodings], require_link(self.before)
        pair = engine.Pair(self.before.source, masked.source, tuple(keys), (link, link))
        problems, lost = [], 0.0
        for recoding, found in zip(
            self.recodings, engine.cell_pairs(pair, (link, link), keys), strict=True
        ):
            key, count = recoding.attribute, np.asarray(found["n"], dtype=np.int64)
            shown = _looked_up(
                recoding,
                found["x"].combine_chunks(),
                found["y"].combine_chunks(),
                labelled=key in self.changes,
            )
            bare, moved = np.isnan(shown.share), int(count[shown.moved].sum())
            if bare.any():
                problems.append(f"{key!r} has {count[bare].sum():,} cells that cover no value")
            if moved != self.changes.get(key, 0):
                problems.append(f"{moved:,} cells of {key!r} are coarser, not so many as said")
            lost += float((shown.share * count).sum())
        out = self.before.n - masked.n
        loss = (lost + out * len(keys)) / (self.before.n * len(keys))
        if int(count.sum()) != masked.n:
            problems.append("released records have no initial one")
        if not abs(loss - self.loss) <= _ROUNDING:
            problems.append("the loss is not the one that is said")
        return problems


class _Released(NamedTuple):
    """The loss of each cell, nan where it does not cover its value; and which are not as before."""

    share: Floats
    moved: Bools


def _looked_up(
    recoding: Recoding, initial: pa.Array, released: pa.Array, *, labelled: bool
) -> _Released:
    """Look released cells up among the labels of the initial values, from the lowest level on."""
    place = pc.fill_null(pc.index_in(initial, value_set=recoding.values), -1)
    codes = place.to_numpy().astype(np.int64)
    values = recoding.labels[0] if labelled else recoding.values
    same = _equal(values.take(pa.array(codes, mask=codes < 0)), released) & (codes >= 0)
    share = np.where(same, 0.0, np.nan)
    for level in range(1, recoding.height + 1 if labelled else 1):
        group = recoding.maps[level][codes]
        shown = _equal(recoding.labels[level].take(pa.array(group)), released) & (codes >= 0)
        found = shown & np.isnan(share)
        share[found] = recoding.shares(level)[group[found]]
    return _Released(share, ~same)


def _equal(mine: pa.Array, theirs: pa.Array) -> Bools:
    """Whether cells are equal, or both missing."""
    if mine.type != theirs.type:
        mine, theirs = mine.cast(pa.string()), theirs.cast(pa.string())
    equal = pc.fill_null(pc.equal(mine, theirs), False)
    both = pc.and_(pc.is_null(mine), pc.is_null(theirs))
    return np.asarray(pc.or_(equal, both).to_numpy(zero_copy_only=False))
