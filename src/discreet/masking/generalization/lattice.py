"""The generalization lattice: a node gives every key attribute a level of its hierarchy.

Nodes are numbered with the level of the first key most significant, so that the order of the
numbers is the lexicographic order of the levels. Samarati (2001); Truta & Vinay (2006), section 3.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Lattice:
    """The nodes of the lattice.

    Parameters
    ----------
    keys : tuple of str
    levels : tuple of int
        Number of levels of each key, the ungeneralized one included.

    Examples
    --------
    >>> lattice = Lattice(("sex", "zip"), (2, 3))
    >>> lattice.nodes, lattice.height, lattice.levels_of(4)
    (6, 3, (1, 1))
    """

    keys: tuple[str, ...]
    levels: tuple[int, ...]

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return math.prod(self.levels)

    @property
    def height(self) -> int:
        """Height of the top node."""
        return sum(self.levels) - len(self.levels)

    @functools.cached_property
    def heights(self) -> NDArray[np.int64]:
        """Height of every node: the sum of its levels."""
        total = np.zeros((1,) * len(self.levels), dtype=np.int64)
        for axis, number in enumerate(self.levels):
            shape = [1] * len(self.levels)
            shape[axis] = number
            total = total + np.arange(number).reshape(shape)
        return total.ravel()

    def levels_of(self, node: int) -> tuple[int, ...]:
        """The levels of a node, in the order of the keys."""
        found, node = [], int(node)
        for number in reversed(self.levels):  # whole numbers of Python: 2^500 nodes are possible
            node, level = divmod(node, number)
            found.append(level)
        return tuple(reversed(found))

    def named(self, node: int) -> dict[str, int]:
        """The levels of a node by key."""
        return dict(zip(self.keys, self.levels_of(node), strict=True))

    def number(self, levels: Mapping[str, int]) -> int:
        """The node with the given levels."""
        strides = zip(self.keys, self._strides, strict=True)
        return sum(levels[key] * stride for key, stride in strides)

    def minimal(self, feasible: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The feasible nodes with no feasible node below them."""
        grid = feasible.reshape(self.levels)
        reached = grid
        for axis in range(grid.ndim):
            reached = np.logical_or.accumulate(reached, axis=axis)
        below = np.zeros_like(grid)
        for axis in range(grid.ndim):
            upper, lower = [slice(None)] * grid.ndim, [slice(None)] * grid.ndim
            upper[axis], lower[axis] = slice(1, None), slice(None, -1)
            below[tuple(upper)] |= reached[tuple(lower)]
        return np.flatnonzero(grid & ~below)

    def successors(self, node: int) -> list[int]:
        """The nodes one level higher in one key."""
        levels = zip(self.levels_of(node), self.levels, self._strides, strict=True)
        return [node + stride for level, top, stride in levels if level + 1 < top]

    def predecessors(self, node: int) -> list[int]:
        """The nodes one level lower in one key."""
        levels = zip(self.levels_of(node), self._strides, strict=True)
        return [node - stride for level, stride in levels if level > 0]

    @functools.cached_property
    def _strides(self) -> list[int]:
        return [math.prod(self.levels[a + 1 :]) for a in range(len(self.levels))]
