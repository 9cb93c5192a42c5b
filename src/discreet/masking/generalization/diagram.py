"""A drawing of the lattice: one row per height, an edge for each step of one key.

Colour is never alone: a feasible node is filled, a minimal one has a thick rim, and the chosen
one a star. Beyond some hundred nodes only the minimal ones, the chosen one and its neighbours are
drawn, and a sentence says so.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

from discreet import font

if TYPE_CHECKING:
    from discreet.masking.found import Found

WHOLE = 500
_WIDE, _HIGH, _RADIUS = 46, 62, 13
_LEAST = 340  # room for the caption
_SMALL = 11


def draw(found: Found, caption: bool = True) -> str:
    """The lattice as SVG, with the legend below it as a caption."""
    lattice, chosen = found.task.lattice, found.best.number
    minimal = {node.number for node in found.minimal}
    shown = set(range(lattice.nodes)) if lattice.nodes <= WHOLE else _some(found, minimal)
    rows = {
        h: sorted(n for n in shown if sum(lattice.levels_of(n)) == h)
        for h in range(lattice.height + 1)
    }
    rows = {h: nodes for h, nodes in rows.items() if nodes}
    width = max(max(len(nodes) for nodes in rows.values()) * _WIDE + 2 * _WIDE, _LEAST)
    height = len(rows) * _HIGH + _HIGH
    at = _places(rows, width)
    edges = [_edge(at[a], at[b]) for a in shown for b in lattice.successors(a) if b in shown]
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


def _some(found: Found, minimal: set[int]) -> set[int]:
    """The chosen node with its neighbours, and minimal nodes while there is room."""
    lattice, chosen = found.task.lattice, found.best.number
    near = {chosen, *lattice.successors(chosen), *lattice.predecessors(chosen)}
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
