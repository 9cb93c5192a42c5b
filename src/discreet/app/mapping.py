"""The map of the runs: loss against risk, as places in a picture that the template draws.

Points carry the numbers of their runs. Equal points stand side by side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from discreet.app.runs import Kept

WIDTH, HEIGHT = 460, 280  # of the plane; the template leaves room for the axes
_APART = 28.0  # pixels between equal points
_NEAR = 20.0  # points nearer than this count as equal


@dataclass(frozen=True)
class Spot:
    """A run in the picture."""

    kept: Kept
    x: float
    y: float
    shown: bool


@dataclass(frozen=True)
class Tick:
    """A mark of an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class Map:
    """All that is drawn: the points, the marks, and the risk of the unmasked table."""

    spots: tuple[Spot, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    before: float | None
    width: int = WIDTH
    height: int = HEIGHT


def map_of(runs: Sequence[Kept], shown: Kept | None, base: Kept | None) -> Map | None:
    """The map; None where no run was measured. ``base`` knows the risk of the unmasked table."""
    known = [kept for kept in runs if kept.risk[1] is not None and kept.loss is not None]
    if not known:
        return None
    before = base.risk[0] if base is not None else None
    risks = [kept.risk[1] or 0.0 for kept in known]
    right = _top(max([*risks, before or 0.0]))
    top = _top(max(kept.loss or 0.0 for kept in known))
    places: list[tuple[float, float]] = []
    for kept in known:
        x, y = (kept.risk[1] or 0.0) / right * WIDTH, HEIGHT * (1 - (kept.loss or 0.0) / top)
        places.append(_free(x, y, places))
    return Map(
        tuple(
            Spot(kept, round(x, 1), round(y, 1), shown is not None and kept.slot == shown.slot)
            for kept, (x, y) in zip(known, places, strict=True)
        ),
        tuple(Tick(WIDTH * i / 4, f"{right * i / 4:g}") for i in range(5)),
        tuple(Tick(HEIGHT * (1 - i / 4), f"{top * i / 4:g}") for i in range(5)),
        None if before is None else round(before / right * WIDTH, 1),
    )


def _free(x: float, y: float, taken: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The place, moved aside until no other point is there."""
    while any(math.dist((x, y), other) < _NEAR for other in taken):
        x += _APART
    return x, y


def _top(most: float) -> float:
    """The end of an axis: the next round number, of shares at most 1."""
    if most <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(most))
    top = next(round(step * unit, 12) for step in (1, 2, 4, 6, 8, 10) if step * unit >= most)
    return min(top, 1.0) if most <= 1 else top
