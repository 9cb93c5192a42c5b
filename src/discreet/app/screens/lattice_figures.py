"""The lattice as the page shows it: figures of all nodes for a k, a p and a limit, and a selection.

The figures were swept by a job and are looked up; which nodes are feasible, minimal and best is
asked of the library.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

import numpy as np
from markupsafe import Markup

from discreet.app.jobs.lattice import ALL, FIGURES, MOST_K, Explored
from discreet.app.jobs.task import WORKING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.masking.generalization.lattice import Lattice, NodeFigures


Show = Literal["all", "feasible", "minimal"]
SHOWS = {"all": "all nodes", "feasible": "feasible", "minimal": "minimal"}
MAPS = {"suppressed": "records to suppress", "risk": "mean risk of those left"}
WAYS = {"Keeps most": 1, "Balanced": 2, "Safest": 4}  # and how much larger classes may have to be
LEAST_K = 2
MOST_LIMIT = 20  # per cent of the records, the end of the slider
WHOLE = 500  # nodes up to which all are drawn
BAND = 120  # nodes that are drawn of a larger lattice
Place = tuple[float, float]
WIDE = 620
_LEAST = 360  # a few nodes are drawn narrower, so that a small screen need not shrink them
_GUTTER = 40  # for the height of a row
_HIGH = 64  # between rows of nodes with their levels written in them
_DOT, _LINE, _GAP = 25, 25, 12  # dots, their lines, and the space between two heights
_ALL_EDGES = 60  # nodes; more edges than theirs are a grey sheet


@dataclass(frozen=True)
class State:
    """What is asked for: it stands in the address of the page."""

    k: int = 5
    p: int = 1
    limit: float = 2.0  # per cent of the records
    show: str = "all"
    map: str = "suppressed"
    node: int | None = None

    def query(self, node: int | None = None) -> str:
        """The part of an address after the question mark, for this or another node."""
        chosen = self.node if node is None else node
        given = {"k": self.k, "p": self.p, "limit": f"{self.limit:g}"}
        given |= {} if self.show == "all" else {"show": self.show}
        given |= {} if self.map == "suppressed" else {"map": self.map}
        return urlencode(given | ({} if chosen is None else {"node": chosen}))


@dataclass(frozen=True)
class FigureNode:
    """A node as the panel shows it."""

    number: int
    levels: tuple[int, ...]
    suppressed: int
    classes: int
    loss: float
    mean_risk: float
    feasible: bool
    minimal: bool

    @property
    def label(self) -> str:
        """Its levels in short."""
        return f"⟨{','.join(map(str, self.levels))}⟩"

    @property
    def word(self) -> str:
        """What it is."""
        return "minimal" if self.minimal else "feasible" if self.feasible else "not feasible"


@dataclass(frozen=True)
class Way:
    """A node that is recommended, in words.

    Attributes
    ----------
    titles : tuple of str
        What it is good for; several where one node is good for several things.
    node : FigureNode
    keys : tuple of str
        What becomes of each key, in words.
    smallest : int or None
        Records of the smallest class that is left; None where that is larger than was swept.
    """

    titles: tuple[str, ...]
    node: FigureNode
    keys: tuple[str, ...]
    smallest: int | None


@dataclass(frozen=True, eq=False)
class LatticeFigures:
    """All nodes for a state.

    Parameters
    ----------
    explored : Explored
    folder : Path
        Of the workspace.
    asked : State
        A k below p is taken for p, as p values need p records. Without a node, the best is
        selected.
    """

    explored: Explored
    folder: Path
    asked: State

    @functools.cached_property
    def ways(self) -> tuple[Way, ...]:
        """Three ways at most: what loses least for this k, for twice as much and for four times."""
        found: dict[int, list[str]] = {}
        for title, factor in WAYS.items():
            k = min(self.k * factor, ranges(self.explored)["k"][1])
            wider = replace(self, asked=replace(self.asked, k=k, node=None))
            if wider.best is not None and wider.node(wider.best).classes:
                found.setdefault(wider.best, []).append(title)
        return tuple(
            Way(tuple(titles), self.node(n), self._said(n), self.smallest(n, left=True))
            for n, titles in found.items()
        )

    def _said(self, number: int) -> tuple[str, ...]:
        """What becomes of the keys: those that change first, the others together."""
        keys = list(zip(self.explored.keys, self.node(number).levels, strict=True))
        changed = [
            f"{key.label} removed"
            if key.levels[level] == ALL
            else f"{key.label}: {key.levels[level]}"
            for key, level in keys
            if level
        ]
        stay = [key.label for key, level in keys if not level]
        words = "as it is" if len(stay) == 1 else "as they are"
        return (*changed, *([f"{', '.join(stay)} {words}"] if stay else []))

    # -- figures ---------------------------------------------------------------------------------

    @property
    def lattice(self) -> Lattice:
        """The nodes and their levels."""
        return self.explored.lattice

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.lattice.nodes

    @functools.cached_property
    def p(self) -> int:
        """Distinct values that are asked for, as far as they can be followed."""
        return min(self.asked.p, self.explored.most_p)

    @property
    def k(self) -> int:
        """Records of a class that are asked for."""
        return max(self.asked.k, self.p)

    @property
    def share(self) -> float:
        """The share of the records that may be suppressed, as a plan has it."""
        return round(self.asked.limit / 100, 8)

    @property
    def most(self) -> int:
        """Records that may be suppressed."""
        return self._chosen.budget

    @functools.cached_property
    def _files(self) -> Mapping[str, Any]:
        place = self.folder / WORKING / self.explored.folder
        return {name: np.load(place / f"{name}.npy", mmap_mode="r") for name in FIGURES}

    def _figure(self, name: str) -> NDArray[Any]:
        return np.array(self._files[name][self.p - 1, self.k - 1])  # reading it is faster

    @functools.cached_property
    def suppressed(self) -> NDArray[np.int64]:
        """Per node, records in classes that fail."""
        return self._figure("suppressed")

    @functools.cached_property
    def classes(self) -> NDArray[np.int32]:
        """Per node, classes that are left."""
        return self._figure("classes")

    @functools.cached_property
    def loss(self) -> NDArray[np.float64]:
        """Per node, Iyengar's loss."""
        return self._figure("loss")

    @functools.cached_property
    def mean_risk(self) -> NDArray[np.float64]:
        """Per node, classes per record of those left: the mean of 1 / class size."""
        left = self.explored.n - self.suppressed
        return np.where(left > 0, self.classes / np.maximum(left, 1), 0.0)

    @functools.cached_property
    def _chosen(self) -> NodeFigures:
        return self.lattice.figures(self.suppressed, self.loss, self.share, self.explored.n)

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """Per node, whether few enough records go."""
        return self._chosen.feasible

    @functools.cached_property
    def minimal(self) -> NDArray[np.bool_]:
        """Per node, whether it is feasible and no node below it is."""
        found = np.zeros(self.nodes, dtype=bool)
        found[self._chosen.minimal] = True
        return found

    @property
    def best(self) -> int | None:
        """The feasible node of least loss; ties by the smallest levels."""
        return self._chosen.best

    # -- nodes -----------------------------------------------------------------------------------

    @functools.cached_property
    def selected(self) -> int:
        """The node that is asked for, or the best, or the most general one."""
        if self.asked.node is not None and self.asked.node < self.nodes:
            return self.asked.node
        return self.nodes - 1 if self.best is None else self.best

    @property
    def state(self) -> State:
        """What is shown: what was asked for, with the node."""
        return replace(self.asked, k=self.k, p=self.p, node=self.selected)

    @functools.cached_property
    def asked_before_node(self) -> str:
        """The start of an address of any node, as an attribute holds it; its number goes last."""
        return self.state.query(0).removesuffix("0").replace("&", "&amp;")

    def levels_of(self, node: int) -> tuple[int, ...]:
        """The level of each key."""
        return self.lattice.levels_of(node)

    def number(self, levels: Mapping[str, Any]) -> int | None:
        """The node of levels by the names of the keys; None where there is none."""
        keys = self.explored.keys
        if set(levels) != {key.name for key in keys}:
            return None
        if any(levels[key.name] not in range(len(key.levels)) for key in keys):
            return None
        return self.lattice.number(levels)

    def above(self, node: int) -> dict[int, int]:
        """By the place of a key, the node with that key one level higher."""
        return self.lattice.above(node)

    def below(self, node: int) -> dict[int, int]:
        """By the place of a key, the node with that key one level lower."""
        return self.lattice.below(node)

    def node(self, number: int) -> FigureNode:
        """The figures of a node."""
        if number not in self._known:
            self._known[number] = self._node(number)
        return self._known[number]

    @functools.cached_property
    def _known(self) -> dict[int, FigureNode]:
        return {}

    def _node(self, number: int) -> FigureNode:
        return FigureNode(
            number,
            self.levels_of(number),
            int(self.suppressed[number]),
            int(self.classes[number]),
            float(self.loss[number]),
            float(self.mean_risk[number]),
            bool(self.feasible[number]),
            bool(self.minimal[number]),
        )

    def smallest(self, node: int, *, left: bool) -> int | None:
        """The size of the smallest class, of all or of those left; None beyond the largest k."""
        p, first = (self.p, self.k) if left else (1, 1)
        gone = self._files["suppressed"][p - 1, first - 1 :, node]
        larger = (gone > gone[0]).nonzero()[0]  # at this size a class more fails
        return first + int(larger[0]) - 1 if len(larger) else None

    # -- what is drawn ---------------------------------------------------------------------------

    @property
    def is_whole(self) -> bool:
        """Whether all nodes are drawn."""
        return self.nodes <= WHOLE

    @functools.cached_property
    def drawn(self) -> list[int]:
        """The nodes that are drawn, in their order; the selected one is always among them."""
        wanted = {"all": None, "feasible": self.feasible, "minimal": self.minimal}[self.asked.show]
        if self.is_whole:
            found = set(range(self.nodes))
        else:
            near = {*self.above(self.selected).values(), *self.below(self.selected).values()}
            least = np.flatnonzero(self.minimal)
            order = least[np.argsort(self.loss[least], kind="stable")]
            found = near | set(order[: BAND - len(near)].tolist())
        kept = found if wanted is None else {node for node in found if wanted[node]}
        return sorted(kept | {self.selected})

    @functools.cached_property
    def rows(self) -> list[list[int]]:
        """The drawn nodes by their height, the most general first."""
        found: dict[int, list[int]] = {}
        for node in self.drawn:
            found.setdefault(sum(self.levels_of(node)), []).append(node)
        return [found[height] for height in sorted(found, reverse=True)]

    @property
    def moves(self) -> dict[str, int]:
        """Where the arrow keys lead: up and down along the edge of least loss, or along the row."""
        here = self.selected
        row = next(row for row in self.rows if here in row)
        place = row.index(here)
        ends = {
            "up": self._least(self.above(here)),
            "down": self._least(self.below(here)),
            "left": row[place - 1] if place else None,
            "right": row[place + 1] if place + 1 < len(row) else None,
        }
        return {way: node for way, node in ends.items() if node is not None}

    def _least(self, found: Mapping[int, int]) -> int | None:
        return min(found.values(), key=lambda node: (float(self.loss[node]), node), default=None)

    def listed(self, most: int) -> list[FigureNode]:
        """The nodes of the table: feasible ones by their loss, then by the records to suppress."""
        wanted = {"feasible": self.feasible, "minimal": self.minimal}.get(self.asked.show)
        there = np.arange(self.nodes) if wanted is None else np.flatnonzero(wanted)
        by = (there, self.loss[there], np.maximum(self.suppressed[there], self.most))
        return [self.node(int(one)) for one in there[np.lexsort(by)[:most]]]


def ranges(explored: Explored) -> dict[str, tuple[int, int]]:
    """The ends of the sliders."""
    return {"k": (LEAST_K, MOST_K), "p": (1, explored.most_p), "limit": (0, MOST_LIMIT)}


# -- The lattice as a drawing with links: a row per height, the most general node on top -----------
#
# A row that is too long goes on below. Colour is never alone: what is not feasible is hollow, a
# minimal node has a star, the selected one a thick rim. Only the selected node is a stop of the
# tab key; from there arrow keys lead on.


def drawing(lattice: LatticeFigures, address: str) -> Markup:
    """The lattice as SVG; ``address`` is that of the page."""
    pill = _pill(lattice)
    wide = max(_LEAST, _room(lattice, pill)) if pill else WIDE
    at, marks, high = _pills(lattice, wide) if pill else _dots(lattice)
    nodes = "".join(_node(lattice, node, at[node], pill, address) for node in lattice.drawn)
    heights = "".join(
        f'<text class="height" x="4" y="{y + 4:g}">{height}</text>' for height, y in marks
    )
    return Markup(  # noqa: S704 - numbers and our own words only
        f'<svg class="nodes{" few" if pill else ""}" data-name="n" '
        f'viewBox="0 0 {wide} {high:g}" role="group" '
        f'aria-label="Lattice: {len(lattice.drawn):,} of {lattice.nodes:,} nodes">'
        f'<text class="height" x="4" y="12">height</text>{heights}'
        f"{_edges(lattice, at)}{nodes}</svg>"
    )


def _pill(lattice: LatticeFigures) -> int:
    """The width of nodes with their levels in them; 0 where they do not fit."""
    wide = 34 + 11 * len(lattice.explored.keys)
    return wide if _room(lattice, wide) <= WIDE else 0


def _room(lattice: LatticeFigures, pill: int) -> int:
    return _GUTTER + max(len(row) for row in lattice.rows) * (pill + 12)


def _pills(
    lattice: LatticeFigures, wide: int
) -> tuple[dict[int, Place], list[tuple[int, float]], float]:
    at: dict[int, Place] = {}
    marks: list[tuple[int, float]] = []
    for line, row in enumerate(lattice.rows):
        step, y = (wide - _GUTTER) / len(row), 42.0 + line * _HIGH
        marks.append((sum(lattice.levels_of(row[0])), y))
        at |= {node: (_GUTTER + (i + 0.5) * step, y) for i, node in enumerate(row)}
    return at, marks, 42.0 + len(lattice.rows) * _HIGH - 32


def _dots(lattice: LatticeFigures) -> tuple[dict[int, Place], list[tuple[int, float]], float]:
    """Rows of dots in lines of equal length, each in the middle."""
    at: dict[int, Place] = {}
    marks: list[tuple[int, float]] = []
    y, fits = 32.0, (WIDE - _GUTTER) // _DOT
    for row in lattice.rows:
        marks.append((sum(lattice.levels_of(row[0])), y))
        lines = -(-len(row) // fits)
        each = -(-len(row) // lines)
        for start in range(0, len(row), each):
            part = row[start : start + each]
            left = _GUTTER + (WIDE - _GUTTER - (len(part) - 1) * _DOT) / 2
            at |= {node: (left + i * _DOT, y) for i, node in enumerate(part)}
            y += _LINE
        y += _GAP
    return at, marks, y - _GAP


def _edges(lattice: LatticeFigures, at: dict[int, Place]) -> str:
    here = lattice.selected
    near = [(here, there) for there in lattice.above(here).values()]
    near += [(there, here) for there in lattice.below(here).values()]
    others: list[tuple[int, int]] = []
    if len(at) <= _ALL_EDGES:
        others = [(node, up) for node in at for up in lattice.above(node).values()]
    return _lines("edges", others, at) + _lines("edges near", near, at)


def _lines(name: str, edges: Iterable[tuple[int, int]], at: dict[int, Place]) -> str:
    lines = [
        f"M{at[a][0]:g} {at[a][1]:g}L{at[b][0]:g} {at[b][1]:g}"
        for a, b in edges
        if a in at and b in at
    ]
    return f'<path class="{name}" d="{"".join(lines)}"/>' if lines else ""


def _node(lattice: LatticeFigures, number: int, at: Place, pill: int, address: str) -> str:
    node = lattice.node(number)
    x, y = at
    star = " ★" if node.minimal else ""
    if pill:
        shape = (
            f'<rect x="{x - pill / 2:g}" y="{y - 17:g}" width="{pill}" height="34" rx="9"/>'
            f'<text x="{x:g}" y="{y + 5:g}">{node.label}{star}</text>'
        )
    else:
        shape = f'<circle cx="{x:g}" cy="{y:g}" r="9"/>'
        shape += f'<text x="{x:g}" y="{y + 4:g}">★</text>' if node.minimal else ""
    return link(lattice, number, "n", shape, address)


def link(
    lattice: LatticeFigures,
    number: int,
    name: str,
    shape: str,
    address: str,
    *,
    onward: int | None = None,
    others: Iterable[int] = (),
) -> str:
    """A shape that selects a node: a plain link, which scripts take over.

    ``others`` lie at the same place; it leads to the node ``onward``, where that is another one.
    """
    node = lattice.node(number)
    here = number == lattice.selected
    said = f"{node.label} {node.word}: {node.suppressed:,} to suppress, loss {node.loss:.3f}"
    also = ", ".join(f"{one.label} {one.word}" for one in map(lattice.node, others))
    said += f"; at the same place {also}" if also else ""
    kind = {"minimal": "minimal feasible", "feasible": "feasible"}.get(node.word, "")
    current = ' aria-current="true"' if here else ' tabindex="-1"'
    to = number if onward is None else onward
    place = f"{address}?{lattice.asked_before_node}{to}"
    return (
        f'<a id="{name}{number}" class="node {kind}" href="{place}" '
        f'data-node="{to}" aria-label="{said}"{current}><title>{said}</title>{shape}</a>'
    )
