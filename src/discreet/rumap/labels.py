"""Labels beside points: placed so that none lies on another one, on a point, or off the chart."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from discreet import font

Spot = tuple[float, float]
_HALF = 6.0  # of a point
_LINE = 13.0  # height of a line of text
SIZE = 11.0  # of the letters
_GAP = 5.0


class Box(NamedTuple):
    """A rectangle in pixels, from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether two rectangles have a pixel in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def place_labels(
    points: Sequence[Spot],
    labels: Sequence[str],
    width: float,
    height: float,
    line: Sequence[Spot] = (),
) -> list[Spot | None]:
    """Where the middle of each label's left edge goes; None where there is no room.

    Labels are placed in the order given: the first ones are served best. They also keep clear of
    a line of steps, which goes across and then down from each of its points to the next.
    """
    taken = [Box(x - _HALF, y - _HALF, x + _HALF, y + _HALF) for x, y in points]
    for (x, y), (to, down) in itertools.pairwise(line):
        taken += [Box(x, y - 1, to, y + 1), Box(to - 1, min(y, down), to + 1, max(y, down))]
    places: list[Spot | None] = []
    for (x, y), label in zip(points, labels, strict=True):
        free = (box for box in _around(x, y, label) if _inside(box, width, height))
        box = next((box for box in free if not any(box.meets(other) for other in taken)), None)
        places.append(None if box is None else (box.left, (box.top + box.bottom) / 2))
        taken += [] if box is None else [box]
    return places


def _around(x: float, y: float, label: str) -> Iterator[Box]:
    """Places around a point: beside, above, below, then further off."""
    wide = font.width(label, SIZE)
    for off in (0.0, 0.75 * _LINE, 1.5 * _LINE, 2.5 * _LINE, 3.5 * _LINE):
        for down in (0.0,) if off == 0 else (-off, off):
            for left in (x + _HALF + _GAP, x - _HALF - _GAP - wide):
                yield _box(left, y + down, wide)
            if off > _LINE:
                yield _box(x - wide / 2, y + down, wide)


def _box(left: float, middle: float, wide: float) -> Box:
    return Box(left, middle - _LINE / 2, left + wide, middle + _LINE / 2)


def _inside(box: Box, width: float, height: float) -> bool:
    return box.left >= 0 and box.top >= 0 and box.right <= width and box.bottom <= height
