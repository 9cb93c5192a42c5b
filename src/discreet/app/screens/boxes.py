"""Boxes of a drawing: where a text can stand so that it covers nothing else."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

Place = tuple[float, float]
_CELL = 2.0  # pixels
_CLEAR = 2.0  # pixels between two boxes
_PARTS = 8  # of a line that is looked at


@dataclass(frozen=True)
class DrawnBox:
    """A rectangle around its middle."""

    x: float
    y: float
    wide: float
    tall: float

    def is_within(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Whether all of it lies within some ends."""
        across = left <= self.x - self.wide / 2 and self.x + self.wide / 2 <= right
        return across and top <= self.y - self.tall / 2 and self.y + self.tall / 2 <= bottom


class Sheet:
    """What of a drawing is covered, in cells of two pixels.

    Parameters
    ----------
    left, top, right, bottom : float
        Its ends; what lies beyond them is not looked at.
    """

    def __init__(self, left: float, top: float, right: float, bottom: float) -> None:
        self._left, self._top = left, top
        size = int((bottom - top) / _CELL) + 2, int((right - left) / _CELL) + 2
        self._covered = np.zeros(size, dtype=bool)

    def cover(self, box: DrawnBox) -> None:
        """Have a box stand there."""
        self._covered[self._cells(box, 0.0)] = True

    def is_free(self, box: DrawnBox) -> bool:
        """Whether nothing is too near."""
        return not self._covered[self._cells(box, _CLEAR)].any()

    def _cells(self, box: DrawnBox, more: float) -> tuple[slice, slice]:
        x, y = box.x - self._left, box.y - self._top
        return _slice(y, box.tall / 2 + more), _slice(x, box.wide / 2 + more)

    def put(self, places: Iterable[DrawnBox], point: Place, radius: float) -> DrawnBox:
        """Have a text stand in the first place that is free, as is the line to its point.

        Where there is none, the line may cross others; and where no place is free at all, it is
        the first.

        Parameters
        ----------
        places : iterable of DrawnBox
            The best first.
        point : place
            What the text belongs to.
        radius : float
            Of the point.
        """
        found: list[DrawnBox] = []  # the first of all, then the first that is free
        for box in places:
            found = found or [box]
            if self.is_free(box):
                found = found if len(found) > 1 else [*found, box]
                if all(map(self.is_free, _line(box, point, radius))):
                    found.append(box)
                    break
        chosen = found[-1]
        for part in (chosen, *_line(chosen, point, radius)):
            self.cover(part)
        return chosen


def around(
    point: Place, text: tuple[float, float], apart: tuple[float, float], far: range
) -> Iterator[DrawnBox]:
    """Places for a text about a point: up and to the right first, then round, then further off.

    Parameters
    ----------
    point : place
    text : (wide, tall)
    apart : (across, up)
        From the middle of the point to the text, at the least.
    far : range
        How much further it may stand off.
    """
    for more, turn in itertools.product(far, range(16)):
        angle = math.pi * (turn - 2) / 8
        x = point[0] + (apart[0] + more + text[0] / 2) * math.cos(angle)
        y = point[1] + (apart[1] + more + text[1] / 2) * math.sin(angle)
        yield DrawnBox(round(x, 1), round(y, 1), *text)


def _slice(middle: float, half: float) -> slice:
    return slice(max(int((middle - half) // _CELL), 0), max(int((middle + half) // _CELL) + 1, 0))


def _line(box: DrawnBox, point: Place, radius: float) -> Iterator[DrawnBox]:
    """Small boxes along the way from a point to its text, beyond both."""
    for i in range(1, _PARTS):
        x = point[0] + i / _PARTS * (box.x - point[0])
        y = point[1] + i / _PARTS * (box.y - point[1])
        apart = max(abs(x - point[0]), abs(y - point[1])) > radius + 2 * _CLEAR
        beyond = abs(x - box.x) > box.wide / 2 or abs(y - box.y) > box.tall / 2
        if apart and beyond:
            yield DrawnBox(x, y, 1.0, 1.0)
