"""The risk-utility map of the nodes: information loss to the right, what is at risk upwards.

The way up is drawn by its square root, for what matters lies near zero. Points that would hide
each other are moved apart a little, and never across the line of the limit; where too many fall
together, some are left out. Beyond some dozens of nodes a ground of grey cells counts them all.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from discreet.app.lattice_svg import link
from discreet.app.lattices import MAPS

if TYPE_CHECKING:
    from discreet.app.lattices import Lattice

Place = tuple[float, float]
WIDE, HIGH = 620, 400
LEFT, RIGHT, TOP, BOTTOM = 58, 604, 42, 344
_TICKS = (0.0, 0.01, 0.05, 0.2, 0.5, 1.0)
_FEW = 60  # points that are kept in their very place where it is free
_CELLS = (42, 26)


def drawing(lattice: Lattice, address: str) -> Markup:
    """The map as SVG; ``address`` is that of the page."""
    few = len(lattice.drawn) <= _FEW
    size, gap = (6.5, 15.0) if few else (4.2, 10.0)
    line = _y(lattice.most / lattice.explored.n) if lattice.asked.map == "suppressed" else None
    ends = _ends(lattice)
    at = _spread_out(lattice, ends, gap, line, exact=few)
    points = "".join(
        link(lattice, n, "m", _point(at[n], size, minimal=lattice.node(n).minimal), address)
        for n in reversed(at)  # the selected one last, on top
    )
    return Markup(  # noqa: S704 - numbers and our own words only
        f'<svg class="nodes map" data-name="m" viewBox="0 0 {WIDE} {HIGH}" role="group" '
        f'aria-label="Map of loss and {MAPS[lattice.asked.map]}: {len(at):,} nodes">'
        f"{'' if few and lattice.is_whole else _ground(lattice, ends)}"
        f"{_axes(lattice, ends)}{_limit(lattice, line)}{points}"
        f"{_selected(lattice, at[lattice.selected], size, named=few)}</svg>"
    )


def _ends(lattice: Lattice) -> Place:
    """The losses at the left and the right, in steps of a tenth: they seldom move with a slider."""
    least, most = float(lattice.loss.min()), float(lattice.loss.max())
    low = min(math.floor(10 * least), 8)
    return low / 10, max(math.ceil(10 * most - 1e-9), low + 2) / 10


def _spread_out(
    lattice: Lattice, ends: Place, gap: float, line: float | None, *, exact: bool
) -> dict[int, Place]:
    """Places of the drawn nodes: the selected one comes first, then minimal and feasible ones."""
    here, nodes = lattice.selected, lattice.drawn
    first = sorted(nodes, key=lambda n: (n != here, _ORDER[lattice.node(n).word], n))
    places = spread(_places(lattice, first, ends), gap, line, exact=exact)
    return {node: place for node, place in zip(first, places, strict=True) if place is not None}


def _up(lattice: Lattice) -> Any:
    """Per node, what is drawn upwards, from 0 to 1."""
    if lattice.asked.map == "risk":
        return lattice.mean_risk
    return lattice.suppressed / lattice.explored.n


def _places(lattice: Lattice, nodes: list[int], ends: Place) -> list[Place]:
    pairs = zip(lattice.loss[nodes].tolist(), _up(lattice)[nodes].tolist(), strict=True)
    return [(_x(loss, ends), _y(up)) for loss, up in pairs]


def _x(loss: float, ends: Place) -> float:
    return LEFT + (RIGHT - LEFT) * (loss - ends[0]) / (ends[1] - ends[0])


def _y(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * math.sqrt(share)


def spread(
    points: list[Place], gap: float, line: float | None, *, exact: bool
) -> list[Place | None]:
    """Places near the points, no two nearer than ``gap``; earlier points come first.

    Parameters
    ----------
    points : list of places
    gap : float
        Twice the radius of a point, and a little.
    line : float, optional
        A height that no point crosses.
    exact : bool
        Leave a point where it is when it is free there; else all take places of a grid, which is
        faster for many, and None where those nearby are taken.
    """
    taken: set[Place] = set()
    found: list[Place | None] = []
    for point in points:
        start = point if exact else _cell(point, gap, line or BOTTOM)
        tries = ((round(start[0] + i * gap, 2), round(start[1] + j * gap, 2)) for i, j in _AROUND)
        free = (place for place in tries if _is_free(place, taken, gap, exact=exact))
        place = next((one for one in free if _is_inside(one, point, line)), None)
        found.append(point if exact and place is None else place)
        taken |= set() if found[-1] is None else {found[-1]}
    return found


def _cell(point: Place, gap: float, line: float) -> Place:
    """The middle of the cell of a grid, which begins at the line."""
    column, row = (point[0] - LEFT) // gap, (point[1] - line) // gap
    return LEFT + (column + 0.5) * gap, line + (row + 0.5) * gap


def _is_free(place: Place, taken: set[Place], gap: float, *, exact: bool) -> bool:
    if exact:
        return all(math.dist(place, other) >= gap for other in taken)
    return place not in taken


def _is_inside(place: Place, point: Place, line: float | None) -> bool:
    x, y = place
    within = LEFT - 6 <= x <= RIGHT + 6 and TOP - 6 <= y <= BOTTOM + 8
    return within and (line is None or (y >= line) == (point[1] >= line))


_ORDER = {"minimal": 0, "feasible": 1, "not feasible": 2}
# steps to places nearby, the nearest first
_AROUND = sorted(
    ((i, j) for i in range(-3, 4) for j in range(-3, 4)),
    key=lambda step: (step[0] ** 2 + step[1] ** 2, abs(step[1]), step),
)


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


def _selected(lattice: Lattice, at: Place, size: float, *, named: bool) -> str:
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


def _axes(lattice: Lattice, ends: Place) -> str:
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
        f"information loss (0: as it was) →</text>"
        f'<text class="axis" x="4" y="16">↑ {MAPS[lattice.asked.map]}</text>'
    )


def _limit(lattice: Lattice, line: float | None) -> str:
    if line is None:
        return ""
    above = line - 7 if line - 7 > TOP + 12 else line + 16
    return (
        f'<rect class="accepted" x="{LEFT}" y="{line:.1f}" width="{RIGHT - LEFT}" '
        f'height="{BOTTOM - line + 8:.1f}"/><path class="limit" d="M{LEFT} {line:.1f}H{RIGHT}"/>'
        f'<text class="limit" x="{RIGHT}" y="{above:.1f}" text-anchor="end">'
        f"limit {lattice.asked.limit:g} %</text>"
    )


def _ground(lattice: Lattice, ends: Place) -> str:
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
