"""Key attributes as the lattice kernels see them: compact codes at every level.

A hierarchy may know thousands of leaves of which the data use few.  Here codes are
renumbered to those that occur, which keeps packed keys narrow and tables small, and in
the order of the tree: values that merge at some level are neighbours, so records sorted
by an attribute stay sorted by it at every level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.arrays import Floats, Ints

Codes = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Attribute:
    """One key attribute with its levels.

    Attributes
    ----------
    leaf : declared leaf code → compact code at level 0
    up : per level, compact code at level 0 → compact code at that level
    share : per level, loss share by compact code
    weight : records by compact code at level 0
    """

    leaf: NDArray[np.int32]
    up: tuple[NDArray[np.int32], ...]
    share: tuple[Floats, ...]
    weight: Ints

    @property
    def levels(self) -> int:
        """Number of levels, the ungeneralized one included."""
        return len(self.up)

    @property
    def values(self) -> int:
        """Number of values that occur at level 0."""
        return len(self.weight)

    @property
    def entropy(self) -> float:
        """Shannon entropy of the values at level 0, in nats."""
        p = self.weight[self.weight > 0] / max(self.weight.sum(), 1)
        return float(-(p * np.log(p)).sum())

    def step(self, level: int) -> NDArray[np.int32]:
        """Return compact code at `level` → compact code at `level` + 1."""
        to = np.zeros(len(self.share[level]), np.int32)
        to[self.up[level]] = self.up[level + 1]
        return to

    def mean_share(self, level: int) -> float:
        """Return the mean over the records of the loss share at `level`."""
        return float(self.weight @ self.share[level][self.up[level]] / self.weight.sum())


def attribute(
    codes: Codes, counts: Ints, maps: Sequence[Codes], shares: Sequence[Floats]
) -> Attribute:
    """Renumber one attribute to the codes that occur in `codes`.

    Raises
    ------
    ValueError
        If the levels are not nested.
    """
    present = np.flatnonzero(np.bincount(codes, minlength=len(maps[0])))
    columns = [to[present] for to in maps]
    _check_nesting(columns)
    order = np.lexsort(columns)  # by the highest level first: the order of the tree
    up, share = [], []
    for column, lost in zip(columns, shares, strict=True):
        in_order = column[order]
        starts = np.concatenate(([True], in_order[1:] != in_order[:-1]))
        up.append((np.cumsum(starts) - 1).astype(np.int32))
        share.append(np.ascontiguousarray(lost[in_order[starts]], np.float64))
    leaf = np.zeros(len(maps[0]), np.int32)
    leaf[present[order]] = up[0]
    first = np.unique(up[0], return_index=True)[1]
    weight = np.zeros(len(first), np.int64)
    np.add.at(weight, leaf[codes], counts)
    return Attribute(leaf, tuple(to[first] for to in up), tuple(share), weight)


def attributes(
    codes: Sequence[Codes],
    counts: Ints,
    maps: Sequence[Sequence[Codes]],
    shares: Sequence[Sequence[Floats]],
) -> list[Attribute]:
    """Renumber every key attribute; see `attribute`."""
    if not len(codes) or not len(counts):
        raise ValueError("no key attributes or no records: nothing to generalize")
    if np.min(counts) < 1:
        raise ValueError("a tuple that nobody has is in the frequency set: leave it out")
    return [
        attribute(*each) for each in zip(codes, [counts] * len(codes), maps, shares, strict=True)
    ]


def _check_nesting(columns: Sequence[Codes]) -> None:
    for level, (fine, coarse) in enumerate(pairwise(columns), start=1):
        to = np.zeros(fine.max() + 1, coarse.dtype)
        to[fine] = coarse
        if (to[fine] != coarse).any():
            raise ValueError(
                f"level {level} is not a function of level {level - 1}: merged values "
                "separate again"
            )
