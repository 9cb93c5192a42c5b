"""The whole lattice of a search: figures of every node, answered at once for other k and limits.

In its drawing, a row per height and an edge for each step of one key, colour is never alone: a
feasible node is filled, a minimal one has a thick rim, and the chosen one a star. Beyond some
hundred nodes only the minimal ones, the chosen one and its neighbours are drawn, and a sentence
says so.
"""

from __future__ import annotations

import functools
import html
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from discreet import font, frames
from discreet.criteria.k_anonymity import KAnonymity
from discreet.criteria.p_sensitive import PSensitiveKAnonymity
from discreet.errors import fail, raise_all
from discreet.files import write_text
from discreet.frames import FrameKind
from discreet.masking.generalization.figures import Swept
from discreet.masking.generalization.lattice import budget_of, suppression_problems
from discreet.masking.generalization.search import Search
from discreet.parameters import whole_number
from discreet.results import Result
from discreet.surface import in_python
from discreet.words import counted, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.masking.found import Found, Node
    from discreet.masking.generalization.lattice import Lattice
WHOLE = 500
_WIDE, _HIGH, _RADIUS = 46, 62, 13
_LEAST = 340  # room for the caption
_SMALL = 11


@dataclass(frozen=True, eq=False, repr=False)
class At(Result):
    """The lattice for one k, p and limit of suppression. Made by ``found.lattice.at(k=…)``.

    Attributes
    ----------
    k, p : int
        Records, and distinct values of each confidential attribute, that a class must have.
    budget : int
        How many records may be suppressed.
    nodes : Swept
        Figures of all nodes as arrays: ``.suppressed``, ``.classes``, ``.loss``, ``.feasible``.
    """

    view: LatticeView
    k: int
    p: int
    budget: int
    nodes: Swept

    @functools.cached_property
    def best(self) -> Node | None:
        """The feasible node of least loss, by the loss that the search minimises, which can be
        masked; None where no node is feasible.
        """
        number = self.nodes.best
        return None if number is None else self._found.node(number)

    @functools.cached_property
    def minimal(self) -> tuple[Node, ...]:
        """The feasible nodes with none below them."""
        lattice = self.view.found.task.lattice
        return tuple(self._found.node(int(n)) for n in lattice.minimal(self.nodes.feasible))

    @property
    def loss(self) -> float | None:
        """The loss of the best node."""
        return self._of_best(self.nodes.loss)

    @property
    def suppressed(self) -> int | None:
        """The records that the best node suppresses."""
        return self._of_best(self.nodes.suppressed)

    @property
    def classes(self) -> int | None:
        """The classes that the best node leaves."""
        return self._of_best(self.nodes.classes)

    def _of_best(self, figures: NDArray[Any]) -> Any:
        return None if self.nodes.best is None else figures[self.nodes.best].item()

    @functools.cached_property
    def _found(self) -> Found:
        return self.view.found_for(self.k, self.p, self.budget)

    def explain(self) -> str:
        """The best node in words, or that there is none."""
        asked = self._found.task.words
        if self.best is None:
            what = f"No node satisfies {asked} with {counted(self.budget, 'record')} suppressed."
            return f"{what} Try a smaller k, or let more records be suppressed."
        return f"For {asked}:\n{self.best.explain()}"

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per minimal node: levels, suppressed records, classes, loss."""
        rows = [
            {**n.levels, **beside(n.levels, {"suppressed": n.suppressed, "classes": n.classes,
             "loss": n.loss})}
            for n in self.minimal
        ]  # fmt: skip
        return self._frame(rows, kind or self.view.found.data.source.kind)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        asked = {"k": self.k, "p": self.p, "max_suppressed": self.budget}
        return {**asked, **self._plain("best", "minimal")}

    def __repr__(self) -> str:
        asked = f"k = {self.k}" + (f", p = {self.p}" if self.p > 1 else "")
        best = "no node is feasible" if self.nodes.best is None else f"best {self.best}"
        return f"At {asked}, at most {self.budget:,} suppressed: {best}"


@dataclass(frozen=True, eq=False, repr=False)
class ByK(Result):
    """What larger classes cost: the best node for each k. Made by ``found.by_k([3, 5, 10])``.

    Attributes
    ----------
    answers : tuple of At
        One for each k.
    """

    answers: tuple[At, ...]
    n: int
    kind: FrameKind

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per k: loss, suppressed records and their share, classes, levels of the keys."""
        rows = self.to_dict()["by_k"]
        none = dict.fromkeys(self.answers[0].view.found.task.lattice.keys)
        levels = [row.pop("levels") or none for row in rows]
        flat = [{**row, **own} for row, own in zip(rows, levels, strict=True)]
        return self._frame(flat, kind)

    def explain(self) -> str:
        """One line per k."""
        return "\n".join(self._line(at) for at in self.answers)

    def _line(self, at: At) -> str:
        if at.suppressed is None or at.loss is None:
            return f"k = {at.k}: no node is feasible."
        gone = f"{counted(at.suppressed, 'record')} suppressed ({share(at.suppressed, self.n)})"
        return f"k = {at.k}: loss {at.loss:.4f}, {gone}."

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "by_k": [
                {
                    "k": at.k,
                    "loss": at.loss,
                    "suppressed": at.suppressed,
                    "suppressed_share": None if at.suppressed is None else at.suppressed / self.n,
                    "classes": at.classes,
                    "levels": None if at.nodes.best is None else at.view.levels(at.nodes.best),
                }
                for at in self.answers
            ]
        }

    def __repr__(self) -> str:
        return self.explain()


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
        """The best and the minimal nodes for another k, limit, or p, with the same suppression.

        Figures are there for every k and limit, with the p that was searched for or with none
        (p = 1). Another p takes one more visit of all nodes, the first time it is asked for.
        """
        self._need_figures_of_all()
        n = self.found.task.keys.n
        if not self.found.task.only_sizes_and_distinct:
            fail(
                "N06",
                "the criterion looks at more than class sizes and distinct values.",
                "Search again with another criterion; "
                f"{in_python('.table()')} gives the figures for this one.",
            )
        if self.found.data.subject is not None:
            fail(
                "N06",
                f"these figures count records, and {self.found.data.subject!r} counts people.",
                "Search again with the criterion that you mean.",
            )
        distinct = 1 if p is None else p
        problems = [*whole_number("k", k, 1), *whole_number("p", distinct, 1)]
        raise_all([*problems, *suppression_problems(max_suppressed, n)])
        budget = budget_of(max_suppressed, n)
        swept = self._swept(int(k), int(distinct), budget)
        return At(self, int(k), int(distinct), budget, swept)

    def levels(self, number: int) -> dict[str, int]:
        """The levels of a node, by key."""
        return self.found.task.lattice.named(number)

    def found_for(self, k: int, p: int, budget: int) -> Found:
        """The same search asked for another k, p and limit, so that its nodes can be masked."""
        found, task = self.found, self.found.task
        criterion: Any = KAnonymity(k)
        if p > 1:
            criterion = PSensitiveKAnonymity(p, max(k, p), tuple(task.pairs))
        other = replace(task, criterion=criterion, asked=(criterion,), budget=budget)
        asked = {**found.asked, "criterion": criterion, "max_suppressed": budget}
        return replace(found, task=other, search=Search(other), asked=asked, complete=False)

    def _swept(self, k: int, p: int, budget: int) -> Swept:
        sweeps = self.found.search.sweeps
        if k > self.cap or (p > 1 and not sweeps.follow_distinct):
            values = "any p" if sweeps.follow_distinct else "p = 1"
            fail(
                "P17",
                f"the lattice can be asked for k up to {self.cap} and {values}.",
                "Search again with the criterion that you mean.",
            )
        return Swept(sweeps, k, p, budget)

    def node(self, levels: dict[str, int]) -> Node:
        """The node with the given levels, which can be masked."""
        lattice = self.found.task.lattice
        known = dict(zip(lattice.keys, lattice.levels, strict=True))
        given = levels if isinstance(levels, Mapping) else {"": 0}
        full = {**dict.fromkeys(lattice.keys, 0), **given}
        if set(full) != set(known) or any(full[k] not in range(known[k]) for k in known):
            up_to = ", ".join(f"{key} up to {number - 1}" for key, number in known.items())
            fail(
                "P17",
                "there is no node with these levels.",
                f"Give whole numbers for keys: {up_to}. A key that is left out stays at level 0.",
            )
        return self.found.node(lattice.number({key: int(level) for key, level in full.items()}))

    def table(self, kind: FrameKind | None = None) -> Any:
        """One row per node: levels, height, suppressed records, classes, loss, feasible."""
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

    def svg(self, *, caption: bool = True, chosen: Node | None = None) -> str:
        """A drawing of the lattice with feasible, minimal and chosen nodes: the best one, unless
        another was chosen."""
        return draw(self.found, caption, self.found.best if chosen is None else chosen)

    def write_svg(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the drawing to a file."""
        if not isinstance(path, str | os.PathLike) or Path(path).suffix != ".svg":
            fail("O01", "the drawing is written to a .svg file.", "Change the ending.")
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


def draw(found: Found, caption: bool, node: Node) -> str:
    """The lattice as SVG with a node that was chosen, and the legend below it as a caption."""
    lattice, chosen = found.task.lattice, node.number
    minimal = {one.number for one in found.minimal}
    shown = set(range(lattice.nodes)) if lattice.nodes <= WHOLE else _some(found, minimal, chosen)
    rows = {
        h: sorted(n for n in shown if sum(lattice.levels_of(n)) == h)
        for h in range(lattice.height + 1)
    }
    rows = {h: nodes for h, nodes in rows.items() if nodes}
    width = max(max(len(nodes) for nodes in rows.values()) * _WIDE + 2 * _WIDE, _LEAST)
    height = len(rows) * _HIGH + _HIGH
    at = _places(rows, width)
    edges = [_edge(at[a], at[b]) for a in shown for b in lattice.above(a).values() if b in shown]
    nodes = [
        _node(
            at[n],
            lattice.levels_of(n),
            found.search.figures(n).feasible,
            n in minimal,
            n == chosen,
        )
        for n in sorted(shown)
    ]
    said = [
        f"{lattice.nodes:,} nodes; levels of {', '.join(lattice.keys)}",
        "filled: feasible · thick: minimal · ★ chosen",
    ]
    if len(shown) < lattice.nodes:
        said.append(f"only {len(shown):,} nodes are drawn: minimal, chosen and its neighbours")
    lines = [line for text in said for line in font.wrapped(text, _SMALL, width - 20)]
    high = height + 16 * len(lines) * caption
    return font.carried(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {high}" '
        f'width="{width}" height="{high}" role="img" font-family="{font.STACK}">'
        f"<title>Generalization lattice</title><desc>{html.escape('; '.join(said))}</desc>"
        f"{''.join(edges)}{''.join(nodes)}{_caption(lines, height) if caption else ''}</svg>"
    )


def _caption(lines: list[str], top: int) -> str:
    return "".join(
        f'<text x="10" y="{top + 16 * i}" font-size="{_SMALL}" fill="#333">'
        f"{html.escape(line)}</text>"
        for i, line in enumerate(lines)
    )


def _some(found: Found, minimal: set[int], chosen: int) -> set[int]:
    """The chosen node with its neighbours, and minimal nodes while there is room."""
    lattice = found.task.lattice
    near = {chosen, *lattice.above(chosen).values(), *lattice.below(chosen).values()}
    rest = sorted(minimal - near, key=lambda n: found.search.figures(n).objective)
    return near | set(rest[: WHOLE - len(near)])


def _places(rows: dict[int, list[int]], width: int) -> dict[int, tuple[float, float]]:
    """Rows from the top of the lattice down, nodes spread evenly."""
    at = {}
    for line, height in enumerate(sorted(rows, reverse=True)):
        step = width / (len(rows[height]) + 1)
        for place, node in enumerate(rows[height], 1):
            at[node] = (round(place * step, 1), float(line * _HIGH + _HIGH / 2))
    return at


def _edge(one: tuple[float, float], other: tuple[float, float]) -> str:
    return f'<line x1="{one[0]}" y1="{one[1]}" x2="{other[0]}" y2="{other[1]}" stroke="#ccc"/>'


def _node(
    at: tuple[float, float], levels: tuple[int, ...], feasible: bool, minimal: bool, chosen: bool
) -> str:
    fill, rim = ("#bcd4ee" if feasible else "#ffffff"), ("3" if minimal else "1")
    label = "".join(str(np.base_repr(level, 36)) for level in levels)
    star = f'<text x="{at[0]}" y="{at[1] - 16}" text-anchor="middle" font-size="15">★</text>'
    return (
        f'<g><circle cx="{at[0]}" cy="{at[1]}" r="{_RADIUS + len(label)}" fill="{fill}" '
        f'stroke="#1d3a5f" stroke-width="{rim}"/><text x="{at[0]}" y="{at[1] + 4}" '
        f'text-anchor="middle" font-size="10">{label}</text>{star if chosen else ""}</g>'
    )
