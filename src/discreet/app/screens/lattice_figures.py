"""The lattice as the page shows it: figures of all nodes for a k, a p and a limit, and a selection.

The figures were swept by a job and are looked up; which nodes are feasible, minimal and best is
asked of the library.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

from discreet.app.jobs.lattice import ALL, FIGURES, MOST_K, Explored
from discreet.app.jobs.task import WORKING

if TYPE_CHECKING:
    import numpy as np
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
        import numpy as np

        place = self.folder / WORKING / self.explored.folder
        return {name: np.load(place / f"{name}.npy", mmap_mode="r") for name in FIGURES}

    def _figure(self, name: str) -> NDArray[Any]:
        import numpy as np

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
        import numpy as np

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
        import numpy as np

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
        import numpy as np

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
        import numpy as np

        wanted = {"feasible": self.feasible, "minimal": self.minimal}.get(self.asked.show)
        there = np.arange(self.nodes) if wanted is None else np.flatnonzero(wanted)
        by = (there, self.loss[there], np.maximum(self.suppressed[there], self.most))
        return [self.node(int(one)) for one in there[np.lexsort(by)[:most]]]


def ranges(explored: Explored) -> dict[str, tuple[int, int]]:
    """The ends of the sliders."""
    return {"k": (LEAST_K, MOST_K), "p": (1, explored.most_p), "limit": (0, MOST_LIMIT)}
