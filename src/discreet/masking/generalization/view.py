"""The whole lattice of a search: figures of every node, answered at once for other k and limits."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import frames
from discreet.errors import fail, raise_all
from discreet.files import write_text
from discreet.frames import FrameKind
from discreet.masking.generalization.budget import budget_of, suppression_problems
from discreet.masking.generalization.diagram import draw
from discreet.masking.generalization.figures import Swept
from discreet.parameters import whole_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.masking.found import Found, Node
    from discreet.masking.generalization.lattice import Lattice


@dataclass(frozen=True, eq=False)
class At:
    """The lattice for one k, p and limit of suppression.

    Attributes
    ----------
    suppressed, classes, loss : arrays
        Per node: records that are suppressed, classes left, Iyengar loss.
    feasible : array of bool
    minimal : tuple of dict
        Levels of the feasible nodes with none below them.
    best : dict or None
        Levels of the feasible node of least loss, by the loss that the search minimises.
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
    def shape(self) -> Lattice:
        """The keys and the number of their levels: it can be kept beside figures of the nodes, and
        says which of them are feasible, minimal and best for any limit.
        """
        return self.found.task.lattice

    @property
    def cap(self) -> int:
        """The largest k that can be asked for."""
        return self.found.search.sweep.cap + 1

    def at(self, *, k: int, max_suppressed: float = 0.02, p: int | None = None) -> At:
        """The figures of every node for another k, limit, or p, with the same suppression.

        They are there for every k and limit, with the p that was searched for or with none
        (p = 1). Another p takes one more visit of all nodes, the first time it is asked for.
        """
        self._need_figures_of_all()
        lattice, n = self.found.task.lattice, self.found.task.keys.n
        if not self.found.task.only_sizes_and_distinct:
            fail(
                "N06",
                "the criterion looks at more than class sizes and distinct values.",
                "Search again with another criterion; .table() gives the figures for this one.",
            )
        distinct = 1 if p is None else p
        problems = [*whole_number("k", k, 1), *whole_number("p", distinct, 1)]
        raise_all([*problems, *suppression_problems(max_suppressed, n)])
        found = self._swept(int(k), int(distinct), budget_of(max_suppressed, n))
        best = found.best
        return At(
            found.suppressed,
            found.classes,
            found.loss,
            found.feasible,
            tuple(lattice.named(int(node)) for node in lattice.minimal(found.feasible)),
            None if best is None else lattice.named(best),
        )

    def _swept(self, k: int, p: int, budget: int) -> Swept:
        sweeps = self.found.search.sweeps
        if k > self.cap or (p > 1 and not sweeps.follow_distinct):
            values = "any p" if sweeps.follow_distinct else "p = 1"
            fail(
                "P17",
                f"the lattice can be asked for k up to {self.cap} and {values}.",
                "Search again with the criterion that is meant.",
            )
        return Swept(sweeps, k, p, budget)

    def node(self, levels: dict[str, int]) -> Node:
        """The node with the given levels, which can be masked."""
        lattice = self.found.task.lattice
        known = dict(zip(lattice.keys, lattice.levels, strict=True))
        given = levels if isinstance(levels, Mapping) else {"": 0}
        full = {**dict.fromkeys(lattice.keys, 0), **given}
        if set(full) != set(known) or any(full[k] not in range(known[k]) for k in known):
            fail("P17", "there is no node with these levels.", "Give a level for each key.")
        return self.found.node(lattice.number({key: int(level) for key, level in full.items()}))

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per node: levels, height, suppressed records, classes, loss, feasible."""
        import pyarrow as pa

        lattice = self.found.task.lattice
        figures = self._figures()
        levels = np.unravel_index(np.arange(lattice.nodes), lattice.levels)
        columns: dict[str, Any] = dict(zip(lattice.keys, levels, strict=True))
        columns |= beside(columns, {"height": lattice.heights, **figures})
        return frames.from_arrow(pa.table(columns), kind or self.found.data.source.kind)

    def chart(self) -> Any:
        """Loss against suppressed records, one point per node (needs the ``charts`` extra)."""
        from discreet.charts import lattice_chart

        figures = self._figures()
        each = zip(*(column.tolist() for column in figures.values()), strict=True)
        rows = [dict(zip(figures, row, strict=True)) for row in each]
        return lattice_chart(rows, self.found.best.number, [n.number for n in self.found.minimal])

    def svg(self, *, caption: bool = True) -> str:
        """A drawing of the lattice with feasible, minimal and chosen nodes."""
        return draw(self.found, caption)

    def write_svg(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the drawing to a file."""
        if not isinstance(path, str | os.PathLike) or Path(path).suffix != ".svg":
            fail("O01", "the drawing is written to a .svg file.", "Name it so.")
        inputs = self.found.data.inputs
        write_text(Path(path), self.svg(), overwrite=overwrite, inputs=inputs)

    def _figures(self) -> dict[str, NDArray[Any]]:
        """Per node suppressed records, classes, loss, and whether it is feasible; all exact."""
        self._need_figures_of_all()
        search = self.found.search
        if search.swept:
            assert search.sweep is not None  # once computed, figures come from the sweep
        each = [search.figures(node) for node in range(self.nodes)]
        names = ("suppressed", "classes", "loss", "feasible")
        return {name: np.array([getattr(figures, name) for figures in each]) for name in names}

    def _need_figures_of_all(self) -> None:
        from discreet.masking.generalization import search

        if self.nodes > search.MAX_SWEPT:
            fail(
                "N06",
                f"the lattice has {self.nodes:,} nodes, too many for the figures of each.",
                "Name fewer keys, or give hierarchies with fewer levels.",
            )

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        keys = ", ".join(self.found.task.lattice.keys)
        return f"Lattice of {self.nodes:,} nodes over {keys}"


def beside(keys: Iterable[str], figures: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of figures beside columns of keys; "node loss" where a key is called "loss"."""
    taken = set(keys)
    return {f"node {name}" if name in taken else name: f for name, f in figures.items()}
