"""Weights of values: a table that says how sensitive each value of an attribute is.

Either listed values, matched with the data by their text form, or ranges of numbers with
above < x ≤ up_to.
"""

from __future__ import annotations

import decimal
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import Problem
from discreet.hierarchies.texts import leaf_form, plain, text_form, text_of
from discreet.parameters import is_number
from discreet.words import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.kernels.arrays import Floats


@dataclass(frozen=True, repr=False)
class ListedValues:
    """A weight per value, by its text form."""

    entries: tuple[tuple[str, float], ...]

    def weights(self, values: pa.Array) -> Floats:
        """The weight of each value; NaN where it is not listed."""
        import pyarrow as pa
        import pyarrow.compute as pc

        values = plain(values)
        listed = leaf_form(pa.array([text for text, _ in self.entries], pa.string()), values.type)
        texts = text_form("the attribute", values).cast(pa.string())
        at = pc.fill_null(pc.index_in(texts, value_set=listed), -1).to_numpy(zero_copy_only=False)
        weights = np.array([*(w for _, w in self.entries), math.nan])
        return weights[at]

    def problems(self, name: str, kind: str) -> list[Problem]:
        """Values of any plain kind have a text form."""
        if kind != "other":
            return []
        what = f"{name!r} holds lists, structures or bytes and has no values to weigh."
        return [Problem("D41", what, "Use a column of plain values.")]


@dataclass(frozen=True, repr=False)
class Ranges:
    """A weight per range of numbers; ranges do not overlap."""

    rows: tuple[tuple[float, float, float], ...]

    def weights(self, values: pa.Array) -> Floats:
        """The weight of each number; NaN outside all ranges."""
        import pyarrow as pa

        found = np.full(len(values), math.nan)
        whole = pa.types.is_integer(values.type)
        known = values.is_valid().to_numpy(zero_copy_only=False)
        # a whole number above 2⁵³ is no float: whole numbers are compared with whole bounds
        numbers = values.fill_null(0) if whole else values.cast(pa.float64(), safe=False)
        cells = numbers.to_numpy(zero_copy_only=False)
        for above, up_to, weight in self.rows:
            low, high = (_floor(above), _floor(up_to)) if whole else (above, up_to)
            over = known if above == -math.inf else known & (cells > low)  # open: −∞ too
            found[over & (cells <= high)] = weight
        return found

    def problems(self, name: str, kind: str) -> list[Problem]:
        """Only numbers lie in ranges."""
        if kind in ("integer", "number"):
            return []
        what = f"{name!r} has weights of ranges and is stored as {kind}."
        return [Problem("D41", what, "List its values, or convert the column to numbers.")]


ValueTable = ListedValues | Ranges


def value_table(name: str, given: Any) -> tuple[ValueTable, list[Problem]]:
    """Read ``{value: weight}`` or ``[(above, up_to, weight), …]``, with what is wrong with it."""
    if isinstance(given, Mapping):
        return _listed(name, given)
    if isinstance(given, Sequence) and not isinstance(given, str):
        return _ranges(name, given)
    what = f"the weights of the values of {name!r} are neither a mapping nor a list of ranges."
    remedy = 'Write {"flu": 0.2} or [(None, 40_000, 1.0), (40_000, 70_000, 0.7)].'
    return ListedValues(()), [Problem("P41", what, remedy)]


def _listed(name: str, given: Mapping[Any, Any]) -> tuple[ValueTable, list[Problem]]:
    texts = [text_of(value) for value in given]
    bad = sum(not is_share(weight) for weight in given.values())
    problems = [_bad_weights(name, bad)] if bad else []
    if len(set(texts)) < len(texts) or None in texts:
        what = f"a value of {name!r} is listed twice, or is a missing one."
        problems.append(Problem("P41", what, "List each value once; a missing value weighs 0."))
    entries = zip(texts, given.values(), strict=True)
    return ListedValues(tuple((t or "", float(w)) for t, w in entries if is_share(w))), problems


def _ranges(name: str, given: Sequence[Any]) -> tuple[ValueTable, list[Problem]]:
    rows = []
    for row in given:
        if not (isinstance(row, Sequence) and len(row) == 3 and all(map(_is_bound, row[:2]))):
            what = f"a range of {name!r} is not (above, up_to, weight)."
            return Ranges(()), [
                Problem("P41", what, "Write (40_000, 70_000, 0.7); None for an open end.")
            ]
        above = -math.inf if row[0] is None else _bound(row[0])
        up_to = math.inf if row[1] is None else _bound(row[1])
        rows.append((above, up_to, row[2]))
    bad = sum(not is_share(row[2]) for row in rows)
    problems = [_bad_weights(name, bad)] if bad else []
    rows.sort(key=lambda row: row[:2])
    pairs = itertools.pairwise(rows)
    if any(a >= b for a, b, _ in rows) or any(one[1] > other[0] for one, other in pairs):
        what = f"ranges of {name!r} overlap, or end before they begin."
        problems.append(Problem("P41", what, "Give each number one weight: above < x ≤ up_to."))
    return Ranges(tuple((a, b, float(w)) for a, b, w in rows if is_share(w))), problems


def _bad_weights(name: str, number: int) -> Problem:
    verb = "is" if number == 1 else "are"
    what = f"{counted(number, 'weight')} of values of {name!r} {verb} not between 0 and 1."
    return Problem("P40", what, "Give numbers in between.")


def is_share(value: Any) -> bool:
    """Whether a parameter is a number between 0 and 1."""
    return is_number(value) and bool(0 <= value <= 1)


def _is_bound(value: Any) -> bool:
    decimals = isinstance(value, decimal.Decimal)
    return value is None or ((is_number(value) or decimals) and not math.isnan(value))


def _bound(value: Any) -> float:
    """A bound as a number; a whole one stays whole, since a float may not hold it."""
    return int(value) if isinstance(value, int | np.integer) else float(value)


def _floor(bound: float) -> float:
    """What a whole number above the bound is above, too."""
    return bound if math.isinf(bound) else math.floor(bound)
