"""The risk-utility map of the nodes: information loss to the right, what is at risk upwards.

The way up is drawn by its square root, for what matters lies near zero. Every node is drawn where
it is; those at one place are one point, with their number. Beyond some dozens of points a ground
of grey cells counts all nodes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from discreet.app.forms.labels import NODE_LOSS
from discreet.app.screens.boxes import DrawnBox, Place, Sheet, around
from discreet.app.screens.lattice_figures import MAPS, link
from discreet.reports.sentences import short

if TYPE_CHECKING:
    from discreet.app.screens.lattice_figures import LatticeFigures

WIDE, HIGH = 620, 400
LEFT, RIGHT, TOP, BOTTOM = 58, 604, 42, 344
_TICKS = (0.0, 0.01, 0.05, 0.2, 0.5, 1.0)
_FEW = 60  # points that are large, and the selected one named
_ORDER = {"minimal": 0, "feasible": 1, "not feasible": 2}
_CELLS = (42, 26)
_LETTER, _LINE = 8.0, 12.0  # of a number, in the widest of usual fonts


def drawing(lattice: LatticeFigures, address: str) -> Markup:
    """The map as SVG; ``address`` is that of the page."""
    found, ends = places(lattice), _ends(lattice)
    few = len(found) <= _FEW
    size = 6.5 if few else 4.2
    line = _y(lattice.most / lattice.explored.n) if lattice.asked.map == "suppressed" else None
    numbers = _numbers(found, size)
    points = "".join(
        _together(lattice, nodes, _Point(at, size, numbers.get(at)), address)
        for at, nodes in sorted(found.items(), key=lambda one: _depth(lattice, one[1]))
    )
    here = next(at for at, nodes in found.items() if lattice.selected in nodes)
    return Markup(  # noqa: S704 - numbers and our own words only
        f'<svg class="nodes map" data-name="m" viewBox="0 0 {WIDE} {HIGH}" role="group" '
        f'aria-label="Map of loss and {MAPS[lattice.asked.map]}: {len(lattice.drawn):,} nodes at '
        f'{len(found):,} points">'
        f"{'' if few and lattice.is_whole else _ground(lattice, ends)}"
        f"{_axes(lattice, ends)}{_limit(lattice, line)}{points}"
        f"{_selected(lattice, here, size, named=few)}</svg>"
    )


def places(lattice: LatticeFigures) -> dict[Place, list[int]]:
    """The drawn nodes by their places, to a tenth of a pixel; equal ones lie in one."""
    ends, up, found = _ends(lattice), _up(lattice), dict[Place, list[int]]()
    for node in lattice.drawn:
        x, y = _x(float(lattice.loss[node]), ends), _y(float(up[node]))
        found.setdefault((round(x, 1), round(y, 1)), []).append(node)
    return found


def beside(lattice: LatticeFigures) -> list[int]:
    """The nodes that lie where the selected one does, and it."""
    return next(nodes for nodes in places(lattice).values() if lattice.selected in nodes)


def _depth(lattice: LatticeFigures, nodes: list[int]) -> tuple[bool, int, int]:
    """What is drawn first lies below: the selected node is on top, then minimal ones."""
    first = _leading(lattice, nodes)
    return first == lattice.selected, -_ORDER[lattice.node(first).word], -first


def _leading(lattice: LatticeFigures, nodes: list[int]) -> int:
    """The node whose look the point of several has."""
    return min(nodes, key=lambda n: (n != lattice.selected, _ORDER[lattice.node(n).word], n))


@dataclass(frozen=True)
class _Point:
    """How a point is drawn; with a box for its number where it stands for several nodes."""

    at: Place
    size: float
    number: DrawnBox | None


def _numbers(found: dict[Place, list[int]], size: float) -> dict[Place, DrawnBox]:
    """Where the numbers of nodes stand, beside their points and not on others."""
    sheet = Sheet(0, 0, WIDE, HIGH)
    boxes: dict[Place, DrawnBox] = {}
    for at in found:
        sheet.cover(DrawnBox(*at, 2 * size, 2 * size))
    for at, nodes in sorted(found.items(), key=lambda one: -len(one[1])):
        if len(nodes) > 1:
            wide = _LETTER * len(f"×{len(nodes)}")
            boxes[at] = sheet.put(_around(at, wide, size), at, size)
    return boxes


def _around(at: Place, wide: float, size: float) -> Iterator[DrawnBox]:
    """Places for a number: beside the point and above it, then further off."""
    for box in around(at, (wide, _LINE), (size + 2, size + 1), range(0, 60, 5)):
        if box.is_within(LEFT, TOP - _LINE, WIDE, BOTTOM + 10):
            yield box


def _together(lattice: LatticeFigures, nodes: list[int], point: _Point, address: str) -> str:
    """A point of one node, or of several, with their number; a click leads from one to the next."""
    first = _leading(lattice, nodes)
    shape = _point(point.at, point.size, minimal=lattice.node(first).minimal)
    if point.number is None:
        return link(lattice, first, "m", shape, address)
    (x, y), box = point.at, point.number
    far = math.dist(point.at, (box.x, box.y)) > box.wide / 2 + 3 * point.size
    lead = f'<path class="lead" d="M{x} {y}L{box.x} {box.y}"/>' if far else ""
    text = f'<text class="number" x="{box.x}" y="{box.y + 4:.1f}">×{len(nodes)}</text>'
    turn = nodes[nodes.index(first) :] + nodes[: nodes.index(first)]
    onward = turn[1] if first == lattice.selected else first
    return link(lattice, first, "m", lead + shape + text, address, onward=onward, others=turn[1:])


def _ends(lattice: LatticeFigures) -> Place:
    """The losses at the left and the right, in steps of a tenth: they seldom move with a slider."""
    least, most = float(lattice.loss.min()), float(lattice.loss.max())
    low = min(math.floor(10 * least), 8)
    return low / 10, max(math.ceil(10 * most - 1e-9), low + 2) / 10


def _up(lattice: LatticeFigures) -> Any:
    """Per node, what is drawn upwards, from 0 to 1."""
    if lattice.asked.map == "risk":
        return lattice.mean_risk
    return lattice.suppressed / lattice.explored.n


def _x(loss: float, ends: Place) -> float:
    return LEFT + (RIGHT - LEFT) * (loss - ends[0]) / (ends[1] - ends[0])


def _y(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * math.sqrt(share)


def _point(at: Place, size: float, *, minimal: bool) -> str:
    x, y = at
    if not minimal:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}"/>'
    corners = "".join(
        f"{'L' if i else 'M'}{x + r * math.sin(i * math.pi / 5):.1f} "
        f"{y - r * math.cos(i * math.pi / 5):.1f}"
        for i in range(10)
        for r in [size * (1.35 if i % 2 == 0 else 0.62)]
    )
    return f'<path d="{corners}Z"/>'


def _selected(lattice: LatticeFigures, at: Place, size: float, *, named: bool) -> str:
    """A ring around the selected node, and its levels beside it where there is room."""
    ring = f'<circle class="ring" cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{2 * size:g}"/>'
    if not named:
        return ring
    right = at[0] < WIDE / 2
    x = at[0] + (2 * size + 5 if right else -2 * size - 5)
    anchor = "start" if right else "end"
    label = lattice.node(lattice.selected).label
    return (
        f'{ring}<text class="label" x="{x:.1f}" y="{at[1] - 6:.1f}" text-anchor="{anchor}">'
        f"{label}</text>"
    )


def _axes(lattice: LatticeFigures, ends: Place) -> str:
    lines = "".join(
        f'<path class="grid" d="M{LEFT} {_y(t):.1f}H{RIGHT}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{_y(t) + 4:.1f}" text-anchor="end">{t:.0%}</text>'
        for t in _TICKS
    )
    losses = [ends[0] + (ends[1] - ends[0]) * i / 4 for i in range(5)]
    lines += "".join(
        f'<text class="tick" x="{_x(t, ends):.1f}" y="{BOTTOM + 24}" text-anchor="middle">'
        f"{t:.3g}</text>"
        for t in losses
    )
    return (
        f"{lines}"
        f'<text class="axis" x="{RIGHT}" y="{HIGH - 8}" text-anchor="end">'
        f"{short(NODE_LOSS)} (0: as it was) →</text>"
        f'<text class="axis" x="4" y="16">↑ {MAPS[lattice.asked.map]}</text>'
    )


def _limit(lattice: LatticeFigures, line: float | None) -> str:
    if line is None:
        return ""
    above = line - 7 if line - 7 > TOP + 12 else line + 16
    return (
        f'<rect class="accepted" x="{LEFT}" y="{line:.1f}" width="{RIGHT - LEFT}" '
        f'height="{BOTTOM - line + 8:.1f}"/><path class="limit" d="M{LEFT} {line:.1f}H{RIGHT}"/>'
        f'<text class="limit" x="{RIGHT}" y="{above:.1f}" text-anchor="end">'
        f"limit {lattice.asked.limit:g} %</text>"
    )


def _ground(lattice: LatticeFigures, ends: Place) -> str:
    """All nodes, counted in cells."""
    import numpy as np

    columns, rows = _CELLS
    along = (lattice.loss - ends[0]) / (ends[1] - ends[0])
    across = np.minimum((along * columns).astype(int), columns - 1)
    upward = np.minimum((np.sqrt(_up(lattice)) * rows).astype(int), rows - 1)
    counts = np.bincount(across * rows + upward, minlength=columns * rows)
    wide, high = (RIGHT - LEFT) / columns, (BOTTOM - TOP) / rows
    most = math.log1p(int(counts.max()))
    cells = [
        f'<rect x="{LEFT + c * wide:.1f}" y="{BOTTOM - (r + 1) * high:.1f}" '
        f'opacity="{0.15 + 0.6 * math.log1p(int(counts[c * rows + r])) / most:.2f}"'
        f' width="{wide:.1f}" height="{high:.1f}"/>'
        for c in range(columns)
        for r in range(rows)
        if counts[c * rows + r]
    ]
    return f'<g class="ground">{"".join(cells)}</g>'
