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

from discreet.errors import Problem, argument
from discreet.parameters import is_whole

if TYPE_CHECKING:
    from discreet.kernels.arrays import Bools, Floats, Ints


TIE = 1e-12  # losses that differ by less are equal
RELAX = (  # what helps where a criterion cannot be met
    f"Raise {argument('max_suppressed')}, lower the criterion, or give hierarchies that end in '*'"
)
_ROUNDING = 1e-12  # of a share that was worked out, such as 1 - 0.9


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
    def heights(self) -> Ints:
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

    def minimal(self, feasible: Bools) -> Ints:
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

    def figures(self, suppressed: Ints, loss: Floats, max_suppressed: float, n: int) -> NodeFigures:
        """Figures of all nodes that were kept, for a share or number of ``n`` records that may go.

        Examples
        --------
        >>> lattice = Lattice(("sex", "zip"), (2, 2))
        >>> found = lattice.figures(np.array([9, 2, 3, 0]), np.array([0, 0.2, 0.1, 0.3]), 0.3, 10)
        >>> found.feasible.tolist(), found.minimal.tolist(), found.best
        ([False, True, True, True], [1, 2], 2)
        """
        return NodeFigures(self, suppressed, loss, budget_of(max_suppressed, n))

    def above(self, node: int) -> dict[int, int]:
        """By the place of a key, the node with that key one level higher."""
        levels = zip(self.levels_of(node), self.levels, self._strides, strict=True)
        each = enumerate(levels)
        return {i: node + stride for i, (level, top, stride) in each if level + 1 < top}

    def below(self, node: int) -> dict[int, int]:
        """By the place of a key, the node with that key one level lower."""
        levels = zip(self.levels_of(node), self._strides, strict=True)
        return {i: node - stride for i, (level, stride) in enumerate(levels) if level > 0}

    @functools.cached_property
    def _strides(self) -> list[int]:
        return [math.prod(self.levels[a + 1 :]) for a in range(len(self.levels))]


@dataclass(frozen=True, eq=False)
class NodeFigures:
    """Figures of all nodes that are at hand, and which nodes they leave to choose from.

    Parameters
    ----------
    lattice : Lattice
    suppressed : array
        Per node, records in classes that fail.
    loss : array
        Per node.
    budget : int
        How many records may be suppressed.
    """

    lattice: Lattice
    suppressed: Ints
    loss: Floats
    budget: int

    @functools.cached_property
    def feasible(self) -> Bools:
        """Per node, whether few enough records go."""
        return self.suppressed <= self.budget

    @functools.cached_property
    def minimal(self) -> Ints:
        """The feasible nodes with no feasible node below them."""
        return self.lattice.minimal(self.feasible)

    @functools.cached_property
    def best(self) -> int | None:
        """The feasible node of least loss; ties go to the smallest levels."""
        return least(self.feasible, self.loss)


def least(feasible: Bools, loss: Floats) -> int | None:
    """The feasible node of least loss; ties go to the smallest levels."""
    nodes = np.flatnonzero(feasible)
    if not len(nodes):
        return None
    losses = loss[nodes]
    return int(nodes[np.flatnonzero(losses <= losses.min() + TIE)[0]])


# -- How many records may be suppressed: given as a share of the records, or as their number -------


def suppression_problems(max_suppressed: object, n: int) -> list[Problem]:
    """What is wrong with a share (a float, 1.0 = all) or number (an int) of ``n`` records."""
    if isinstance(max_suppressed, float | np.floating) and 0 <= max_suppressed <= 1:
        return []
    if is_whole(max_suppressed) and 0 <= max_suppressed <= n:  # type: ignore[operator]
        return []
    what = f"{argument('max_suppressed')} is neither a share (0.0 to 1.0) nor a number of records"
    remedy = "Give for example 0.02, or 20."
    return [Problem("P14", f"{what} (0 to {n:,}).", remedy)]


def budget_of(max_suppressed: float, n: int) -> int:
    """The number of records that may be suppressed; a share is rounded down.

    0.29 of 100 records are 29, though their product is a little less in binary numbers; what it
    lacks grows with n.

    Examples
    --------
    >>> budget_of(0.29, 100), budget_of(0.29, 100_000_000), budget_of(0.299, 100), budget_of(7, 100)
    (29, 29000000, 29, 7)
    """
    if isinstance(max_suppressed, float | np.floating):
        return math.floor(float(max_suppressed) * n * (1 + _ROUNDING))
    return int(max_suppressed)
