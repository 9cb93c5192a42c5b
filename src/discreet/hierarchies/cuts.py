"""Cut points: numbers in bins of unequal width, such as ages 0–17, 18–64 and 65 or more."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from discreet.errors import Problem, fail, raise_all
from discreet.hierarchies.intervals import exact, numbers_of, plain_number, shown, unplaced
from discreet.hierarchies.placement import Placement, everything, placed, present

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, repr=False)
class CutPoints:
    """Bins between cut points, one list of points per level from level 1 on."""

    points: tuple[tuple[Decimal, ...], ...]
    top: str | None

    @classmethod
    def of(cls, cuts: Any, top: str | None) -> CutPoints:
        """Check the points given: one list, or one per level."""
        listed = list(cuts) if np.iterable(cuts) and not isinstance(cuts, str) else [cuts]
        nested = listed if listed and all(np.iterable(one) for one in listed) else [listed]
        levels = [[exact(point) for point in one] for one in nested]
        if not all(level and None not in level for level in levels):
            fail("P20", "a cut point is not a number, or there is none.", "Write cuts=[18, 65].")
        known = [tuple(point for point in level if point is not None) for level in levels]
        raise_all([*_unordered(known), *_unnested(known)])
        return cls(tuple(known), top)

    @property
    def height(self) -> int:
        """Number of levels above the numbers."""
        return len(self.points) + (self.top is not None)

    def describe(self) -> str:
        """The points of each level."""
        levels = "; then ".join(", ".join(map(shown, level)) for level in self.points)
        return f"intervals cut at {levels}" + (f", then {self.top}" if self.top else "")

    def to_dict(self) -> dict[str, Any]:
        """The points: one list where there is one level of them."""
        levels = [[plain_number(point) for point in level] for level in self.points]
        return {"cuts": levels[0] if len(levels) == 1 else levels, "top": self.top}

    def place(
        self,
        attribute: str,
        values: pa.Array,
        texts: pa.Array,  # noqa: ARG002
        counts: NDArray[np.int64] | None,
    ) -> Placement:
        """Put each number into its bin on every level."""
        x, known = numbers_of(attribute, values)
        known = known & np.isfinite(x)
        labels = [_labels(x, level, known) for level in self.points]
        tops: list[str | None] = [None] * len(labels)
        if self.top is not None:
            labels, tops = [*labels, everything(self.top, known)], [*tops, self.top]
        return placed(labels, tops, known, unplaced(attribute, ~known & present(values), counts))


def _labels(x: NDArray[Any], points: Sequence[Decimal], known: NDArray[np.bool_]) -> pa.Array:
    ends = [shown(point) for point in points]
    between = [f"[{low}, {high})" for low, high in itertools.pairwise(ends)]
    names = [f"<{ends[0]}", *between, f"≥{ends[-1]}"]
    at = np.searchsorted(np.array([plain_number(p) for p in points]), x, side="right")
    return pa.array(names).take(pa.array(at, mask=~known))


def _unordered(levels: Sequence[Sequence[Decimal]]) -> list[Problem]:
    return [
        Problem("P20", f"the cut points of level {i} are not in order.", "Write cuts=[18, 65].")
        for i, level in enumerate(levels, 1)
        if list(level) != sorted(set(level))
    ]


def _unnested(levels: Sequence[Sequence[Decimal]]) -> list[Problem]:
    remedy = "Intervals must nest: keep some of the points of the level below."
    return [
        Problem("P20", f"level {i + 1} has cut points that level {i} has not.", remedy)
        for i, (lower, upper) in enumerate(itertools.pairwise(levels), 1)
        if not set(upper) < set(lower)
    ]
