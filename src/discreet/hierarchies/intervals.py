"""Intervals: numbers in bins of growing width, with bottom and top coding.

Bins are computed from the exact decimals of width and origin: 0.3 is in [0.3, 0.4) although
0.3 / 0.1 is below 3 in floating point. Each width is a multiple of the one before: the bins nest.

Cut points make bins of unequal width, such as ages 0–17, 18–64 and 65 or more.
"""

from __future__ import annotations

import decimal
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet import frames
from discreet.errors import Problem, argument, fail, raise_all
from discreet.hierarchies.placement import DistinctValues, Placement, placed, present
from discreet.hierarchies.texts import is_number, is_text
from discreet.surface import in_python

if TYPE_CHECKING:
    from numpy.typing import NDArray


_EXACT = 2**50  # bins further from the origin cannot be told apart in floating point
_SAFE = 2**62  # whole numbers up to here are subtracted without overflow
CLOSED = {"labels": "closed"}  # as a plan writes it
_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"


@dataclass(frozen=True, repr=False)
class Intervals:
    """Bins [a, b) of the given widths from level 1 on."""

    widths: tuple[Decimal, ...]
    origin: Decimal
    bottom_code: Decimal | None
    top_code: Decimal | None
    top: str | None
    closed: bool = False

    @classmethod
    def of(
        cls,
        widths: Sequence[Any],
        origin: Any,
        bottom_code: Any,
        top_code: Any,
        top: str | None,
        *,
        closed: bool = False,
    ) -> Intervals:
        """Check the numbers given."""
        several = list(widths) if not isinstance(widths, str) and np.iterable(widths) else [widths]
        known = [exact(width) for width in several]
        start, low, high = exact(origin), exact(bottom_code), exact(top_code)
        problems = [*_width_problems(known), *_order_problems(low, high)]
        given = [("origin", origin, start), ("bottom_code", bottom_code, low)]
        for name, value, number in [*given, ("top_code", top_code, high)]:
            if number is None and (value is not None or name == "origin"):
                problems.append(
                    Problem("P20", f"{argument(name)} is not a number.", "Give a number.")
                )
        raise_all(problems)
        assert start is not None
        return cls(tuple(w for w in known if w is not None), start, low, high, top, closed)

    @property
    def height(self) -> int:
        """Number of levels above the numbers."""
        return len(self.widths) + (self.top is not None)

    def describe(self) -> str:
        """The widths."""
        widths = ", ".join(shown(width) for width in self.widths)
        return f"intervals of {widths}" + (f", then {self.top}" if self.top else "")

    def to_dict(self) -> dict[str, Any]:
        """The widths, and the codes where there are any."""
        ends = {"origin": self.origin, "bottom_code": self.bottom_code, "top_code": self.top_code}
        given = {
            name: plain_number(n)
            for name, n in ends.items()
            if n is not None and (n or name != "origin")
        }
        return {
            "intervals": [plain_number(width) for width in self.widths],
            **given,
            **(CLOSED if self.closed else {}),
            "top": self.top,
        }

    def place(self, values: DistinctValues) -> Placement:
        """Put each number into its bin on every level."""
        x, known = numbers_of(values.attribute, values.array)
        low = known & _below(x, self.bottom_code)
        high = known & ~_below(x, self.top_code) & (self.top_code is not None)
        bins, fit = _bins(np.where(known & ~low & ~high, x, 0), self.origin, self.widths[0])
        known = low | high | (known & fit & np.isfinite(x))
        whole = self.closed and are_whole(x[known])
        labels = [self._labels(bins, width, low, high, known, whole=whole) for width in self.widths]
        return placed(labels, self.top, known, unplaced(values, known))

    def _labels(
        self,
        bins: NDArray[np.int64],
        width: Decimal,
        low: NDArray[np.bool_],
        high: NDArray[np.bool_],
        known: NDArray[np.bool_],
        *,
        whole: bool,
    ) -> pa.Array:
        inside = known & ~low & ~high
        ratio = min(int(Fraction(width) / Fraction(self.widths[0])), _SAFE)
        found, where = np.unique(bins[inside] // ratio, return_inverse=True)
        names = [self._name(int(k), width, whole=whole) for k in found]
        names += [
            f"<{shown(self.bottom_code or Decimal())}",
            f"≥{shown(self.top_code or Decimal())}",
        ]
        at = np.full(len(bins), len(found))
        at[inside], at[high] = where, len(found) + 1
        return frames.texts_of(names).take(frames.array_of(at, known))

    def _name(self, k: int, width: Decimal, *, whole: bool) -> str:
        """The label of a bin, cut at the bottom and the top code."""
        with decimal.localcontext(prec=60):
            lower, upper = self.origin + k * width, self.origin + (k + 1) * width
        lower = lower if self.bottom_code is None else max(lower, self.bottom_code)
        upper = upper if self.top_code is None else min(upper, self.top_code)
        return interval_label(lower, upper, whole=whole)


def interval_label(lower: Decimal, upper: Decimal, *, whole: bool) -> str:
    """[15, 20), or 15–19 where only whole numbers are in it.

    Examples
    --------
    >>> fifteen, twenty = Decimal(15), Decimal(20)
    >>> interval_label(fifteen, twenty, whole=False), interval_label(fifteen, twenty, whole=True)
    ('[15, 20)', '15–19')
    >>> interval_label(Decimal(-5), Decimal(0), whole=True)
    '-5 to -1'
    """
    if not whole or any(end != end.to_integral_value() for end in (lower, upper)):
        return f"[{shown(lower)}, {shown(upper)})"
    if upper - lower == 1:
        return shown(lower)
    return f"{shown(lower)}{'–' if lower >= 0 else ' to '}{shown(upper - 1)}"


def are_whole(x: NDArray[np.int64] | NDArray[np.float64]) -> bool:
    """Whether all numbers are."""
    return bool((x == np.floor(x)).all())


def exact(number: Any) -> Decimal | None:
    """A number as the decimal that it is written as; None when it is no finite number."""
    kinds = (int, float, Decimal, np.integer, np.floating)
    if isinstance(number, bool) or not isinstance(number, kinds):
        return None
    written = Decimal(str(number))
    return written if written.is_finite() else None


def _width_problems(widths: Sequence[Decimal | None]) -> list[Problem]:
    problems = []
    if not widths:
        problems.append(Problem("P20", "no width is given.", "Give the width of level 1."))
    for level, width in enumerate(widths, 1):
        if width is None or width <= 0:
            what = f"the width of level {level} is not a positive number."
            problems.append(Problem("P20", what, "Give a number above 0."))
            continue
        below = widths[level - 2] if level > 1 else None
        if below and below > 0 and (width <= below or Fraction(width) % Fraction(below)):
            what = (
                f"the width of level {level} ({shown(width)}) is not a multiple of the width of "
                f"level {level - 1} ({shown(below)})."
            )
            problems.append(Problem("P20", what, "Intervals must nest: give a larger multiple."))
    return problems


def _order_problems(low: Decimal | None, high: Decimal | None) -> list[Problem]:
    if low is None or high is None or low < high:
        return []
    return [
        Problem(
            "P20",
            f"{argument('bottom_code')} is not below {argument('top_code')}.",
            "Give the lower number first.",
        )
    ]


def numbers_of(
    attribute: str, values: pa.Array
) -> tuple[NDArray[np.int64] | NDArray[np.float64], NDArray[np.bool_]]:
    """The numbers, 0 where there is none, and where there is one."""
    if is_text(values.type):
        values = pc.if_else(pc.match_substring_regex(values, _NUMBER), values, None)
        values = pc.utf8_trim_whitespace(values).cast(pa.float64())
    elif pa.types.is_null(values.type):
        values = values.cast(pa.int64())
    elif not is_number(values.type):
        fail(
            "D22",
            f"{attribute!r} is not stored as numbers and has no intervals.",
            f"Use {in_python('Hierarchy.dates()')} for dates, "
            f"{in_python('a file or a dictionary')} for anything else.",
        )
    known = present(values)
    return _whole(values) if _is_safe(values) else _floating(values), known


def _is_safe(values: pa.Array) -> bool:
    if not pa.types.is_integer(values.type):
        return False
    ends = pc.min_max(values)
    low, high = ends["min"].as_py(), ends["max"].as_py()
    return low is None or max(-low, high) < _SAFE


def _whole(values: pa.Array) -> NDArray[np.int64]:
    return frames.numbers_of(values.cast(pa.int64()), 0)


def _floating(values: pa.Array) -> NDArray[np.float64]:
    if pa.types.is_floating(values.type) and values.type != pa.float64():
        values = values.cast(pa.string())  # 0.7 in single precision is meant as 0.7
    return values.cast(pa.float64(), safe=False).fill_null(0.0).to_numpy(zero_copy_only=False)


def _bins(
    x: NDArray[np.int64] | NDArray[np.float64], origin: Decimal, width: Decimal
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The number of each bin, counted from the origin, and where it is exact."""
    start, step = plain_number(origin), plain_number(width)
    whole = x.dtype.kind == "i" and isinstance(start, int) and isinstance(step, int)
    if whole and max(abs(start), step) < _SAFE:
        return ((x - start) // step).astype(np.int64), np.ones(len(x), dtype=np.bool_)
    x = x.astype(np.float64)
    guess = np.floor((np.where(np.isfinite(x), x, 0.0) - float(origin)) / float(width))
    fit = np.abs(guess) < _EXACT
    bins = np.where(fit, guess, 0).astype(np.int64)
    found, where = np.unique(bins, return_inverse=True)
    with decimal.localcontext(prec=60):
        edges = [[float(origin + (int(k) + i) * width) for k in found] for i in (0, 1)]
    lower, upper = np.array(edges[0])[where], np.array(edges[1])[where]
    return bins + (x >= upper) - (x < lower), fit


def _below(x: NDArray[np.int64] | NDArray[np.float64], limit: Decimal | None) -> NDArray[np.bool_]:
    return np.zeros(len(x), dtype=np.bool_) if limit is None else x < plain_number(limit)


def plain_number(number: Decimal) -> int | float:
    """A number as it stands in a plan."""
    return int(number) if number == number.to_integral_value() else float(number)


def shown(number: Decimal) -> str:
    """A number as it stands in a label."""
    return format(number.normalize(), "f") if number else "0"


def unplaced(values: DistinctValues, known: NDArray[np.bool_]) -> Problem | None:
    """The problem of values that are no numbers."""
    return values.problem(
        ~known & values.there,
        "D21",
        "written as a number that an interval can hold.",
        f"If they mean missing, name them in {argument('missing_values')}. If they are numbers or "
        f"dates in another form, say so with {argument('decimal')} or {argument('date_format')} "
        "when the file is read.",
    )


@dataclass(frozen=True, repr=False)
class CutPoints:
    """Bins between cut points, one list of points per level from level 1 on."""

    points: tuple[tuple[Decimal, ...], ...]
    top: str | None
    closed: bool = False

    @classmethod
    def of(cls, cuts: Any, top: str | None, *, closed: bool = False) -> CutPoints:
        """Check the points given: one list, or one per level."""
        listed = list(cuts) if np.iterable(cuts) and not isinstance(cuts, str) else [cuts]
        nested = listed if listed and all(np.iterable(one) for one in listed) else [listed]
        levels = [[exact(point) for point in one] for one in nested]
        if not all(level and None not in level for level in levels):
            fail(
                "P20",
                "a cut point is not a number, or there is none.",
                f"Write {argument('cuts', '[18, 65]')}.",
            )
        known = [tuple(point for point in level if point is not None) for level in levels]
        raise_all([*_unordered(known), *_unnested(known)])
        return cls(tuple(known), top, closed)

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
        labels = CLOSED if self.closed else {}
        return {"cuts": levels[0] if len(levels) == 1 else levels, **labels, "top": self.top}

    def place(self, values: DistinctValues) -> Placement:
        """Put each number into its bin on every level."""
        x, known = numbers_of(values.attribute, values.array)
        known = known & np.isfinite(x)
        whole = self.closed and are_whole(x[known])
        labels = [_labels(x, level, known, whole=whole) for level in self.points]
        return placed(labels, self.top, known, unplaced(values, known))


def _labels(
    x: NDArray[Any], points: Sequence[Decimal], known: NDArray[np.bool_], *, whole: bool
) -> pa.Array:
    between = [interval_label(*ends, whole=whole) for ends in itertools.pairwise(points)]
    names = [f"<{shown(points[0])}", *between, f"≥{shown(points[-1])}"]
    at = np.searchsorted(np.array([plain_number(p) for p in points]), x, side="right")
    return pa.array(names).take(pa.array(at, mask=~known))


def _unordered(levels: Sequence[Sequence[Decimal]]) -> list[Problem]:
    return [
        Problem(
            "P20",
            f"the cut points of level {i} are not in order.",
            f"Write {argument('cuts', '[18, 65]')}.",
        )
        for i, level in enumerate(levels, 1)
        if list(level) != sorted(set(level))
    ]


def _unnested(levels: Sequence[Sequence[Decimal]]) -> list[Problem]:
    remedy = "Intervals must nest: keep some of the points of the level below."
    return [
        Problem("P20", f"level {i + 1} has cut points that level {i} lacks.", remedy)
        for i, (lower, upper) in enumerate(itertools.pairwise(levels), 1)
        if not set(upper) < set(lower)
    ]
