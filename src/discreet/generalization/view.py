"""The whole lattice of a search: figures of every node, answered at once for other k and limits."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import frames
from discreet.errors import fail
from discreet.files import write_text
from discreet.frames import FrameKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.masking.generalize import Found, Node


@dataclass(frozen=True, eq=False)
class At:
    """The lattice for one k, p and limit of suppression.

    Attributes
    ----------
    suppressed, classes, loss : arrays
        Per node: records in failing classes, classes left, Iyengar loss.
    feasible : array of bool
    minimal : tuple of dict
        Levels of the feasible nodes with none below them.
    best : dict or None
        Levels of the feasible node of least loss.
    """

    suppressed: NDArray[np.int64]
    classes: NDArray[np.int64]
    loss: NDArray[np.float64]
    feasible: NDArray[np.bool_]
    minimal: tuple[dict[str, int], ...]
    best: dict[str, int] | None


@dataclass(frozen=True, eq=False, repr=False)
class LatticeView:
    """All nodes of the lattice a search went through."""

    found: Found

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.found.task.lattice.nodes

    @property
    def cap(self) -> int:
        """The largest k that can be asked for."""
        return self.found.search.sweep.cap + 1

    def at(self, *, k: int, max_suppressed: float = 0.02, p: int | None = None) -> At:
        """The figures of every node for another k, limit, or p (up to the one searched for)."""
        search, lattice = self.found.search, self.found.task.lattice
        sweep, most = search.sweep, self.found.task.keys.n
        distinct = p or 1
        if not 1 <= k <= self.cap or not 1 <= distinct <= sweep.classes.shape[1]:
            fail(
                "P17",
                f"the lattice was visited for k up to {self.cap} and p up to "
                f"{sweep.classes.shape[1]}.",
                "Search again with the larger criterion.",
            )
        budget = _records(max_suppressed, most)
        suppressed, loss = sweep.suppressed(k, distinct), sweep.iyengar(k, distinct)
        feasible = suppressed <= budget
        best = sweep.best(k, distinct, budget)
        return At(
            suppressed,
            sweep.kept_classes(k, distinct),
            loss,
            feasible,
            tuple(lattice.named(int(node)) for node in lattice.minimal(feasible)),
            None if best is None else lattice.named(best),
        )

    def node(self, levels: dict[str, int]) -> Node:
        """The node with the given levels, which can be masked."""
        lattice = self.found.task.lattice
        known = dict(zip(lattice.keys, lattice.levels, strict=True))
        full = {**dict.fromkeys(lattice.keys, 0), **levels}
        if set(full) != set(known) or any(not 0 <= full[k] < known[k] for k in known):
            fail("P17", "there is no node with these levels.", "Give a level for each key.")
        return self.found.node(lattice.number(full))

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per node: levels, height, suppressed records, classes, loss, feasible."""
        import pyarrow as pa

        search, lattice = self.found.search, self.found.task.lattice
        levels = np.unravel_index(np.arange(lattice.nodes), lattice.levels)
        columns: dict[str, Any] = dict(zip(lattice.keys, levels, strict=True))
        now = self.at(k=search.task.k, max_suppressed=search.task.budget, p=search.swept_p)
        columns |= {
            "height": lattice.heights,
            "suppressed": now.suppressed,
            "classes": now.classes,
            "loss": now.loss,
            "feasible": now.feasible,
        }
        return frames.from_arrow(pa.table(columns), kind or self.found.data.source.kind)

    def chart(self) -> Any:
        """Loss against suppressed records, one point per node (needs the ``charts`` extra)."""
        from discreet.charts import lattice_chart

        rows = self.table("arrow").to_pylist()
        return lattice_chart(rows, self.found.best.number, [n.number for n in self.found.minimal])

    def svg(self) -> str:
        """A drawing of the lattice with feasible, minimal and chosen nodes."""
        from discreet.generalization.drawing import draw

        return draw(self.found)

    def write_svg(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the drawing to a file."""
        write_text(Path(path), self.svg(), overwrite=overwrite)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        keys = ", ".join(self.found.task.lattice.keys)
        return f"Lattice of {self.nodes:,} nodes over {keys}"


def _records(max_suppressed: float, n: int) -> int:
    if isinstance(max_suppressed, float):
        return math.floor(max_suppressed * n + 1e-9)
    return int(max_suppressed)
