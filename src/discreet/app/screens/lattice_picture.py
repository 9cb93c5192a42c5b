"""The lattice as a drawing with links: a row per height, the most general node on top.

A row that is too long goes on below. Colour is never alone: what is not feasible is hollow, a
minimal node has a star, the selected one a thick rim. Only the selected node is a stop of the
tab key; from there arrow keys lead on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from discreet.app.screens.lattice_figures import LatticeFigures

Place = tuple[float, float]
WIDE = 620
_LEAST = 360  # a few nodes are drawn narrower, so that a small screen need not shrink them
_GUTTER = 40  # for the height of a row
_HIGH = 64  # between rows of nodes with their levels written in them
_DOT, _LINE, _GAP = 25, 25, 12  # dots, their lines, and the space between two heights
_ALL_EDGES = 60  # nodes; more edges than theirs are a grey sheet


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
        f'aria-label="LatticeFigures: {len(lattice.drawn):,} of {lattice.nodes:,} nodes">'
        f'<text class="height" x="4" y="12">height</text>{heights}'
        f"{_edges(lattice, at)}{nodes}</svg>"
    )


def _pill(lattice: LatticeFigures) -> int:
    """The width of nodes with their levels in them; 0 where they do not fit."""
    wide = 34 + 11 * len(lattice.explored.levels)
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
