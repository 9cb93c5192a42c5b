"""Attainable values: those that a rounded average may take, in whole numbers of any size.

Whole numbers are counted in ones, decimals of a fixed number of digits in units of their last one.
A rounded average lies within the range of the attribute; where the attribute has few values, as
codes and steps do, it is one of them.
"""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from discreet import engine
from discreet.data.microdata import Microdata
from discreet.frames import array_of, numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Wholes = NDArray[Any]  # int64, or whole numbers of Python where these may overflow

_FEW = 20  # values, each in so many records or more on average:
_RECORDS_EACH = 10
_SAFE = 2**62  # sums below it fit into int64


@dataclass(frozen=True)
class Attainable:
    """The values that an attribute can take.

    Attributes
    ----------
    digits : int
        After the decimal point; 0 for whole numbers.
    low, high : int
        The range that was observed, in units of the last digit.
    few : tuple of int or None
        All values, where they are few.
    """

    digits: int
    low: int
    high: int
    few: tuple[int, ...] | None = None

    def nearest(self, averages: Wholes) -> Wholes:
        """The attainable value next to each whole number; the lower one of two."""
        inside = np.minimum(np.maximum(averages, self.low), self.high)
        if self.few is None:
            return inside
        few = np.array(self.few, dtype=inside.dtype)
        above = np.clip(np.searchsorted(few, inside), 1, max(len(few) - 1, 1))
        lower, upper = few[above - 1], few[np.minimum(above, len(few) - 1)]
        return np.where(inside - lower <= upper - inside, lower, upper)


def attainable(data: Microdata, names: Sequence[str]) -> dict[str, Attainable]:
    """What the attributes among these can take that are stored in whole numbers or decimals."""
    found = {}
    for name, (digits, low, high, number) in engine.extents(data.source, names).items():
        few = number <= _FEW and data.n >= _RECORDS_EACH * number
        values = data.frequency_set([name]).values[0].to_pylist() if few else ()
        found[name] = Attainable(
            digits,
            units(low, digits),
            units(high, digits),
            tuple(sorted(units(value, digits) for value in values)) or None,
        )
    return found


def units(value: Any, digits: int) -> int:
    """A whole number or a decimal in units of its last digit."""
    with decimal.localcontext(prec=100):
        return int(decimal.Decimal(value).scaleb(digits))


def wholes(column: pa.ChunkedArray) -> Wholes | None:
    """Exact values in units of the last digit; None where they are binary fractions."""
    if pa.types.is_decimal(column.type):
        found: Wholes = np.array(
            [units(v, column.type.scale) for v in column.to_pylist()], dtype=object
        )
    elif pa.types.is_integer(column.type):
        found = numbers_of(column)
    else:
        return None
    low, high = int(found.min()), int(found.max())
    safe = max(-low, high, (high - low) * len(found)) < _SAFE
    return found.astype(np.int64 if safe else object)


def column_of(values: Wholes, kind: pa.DataType) -> pa.Array:
    """Values in units of the last digit as a column of the type they came from."""
    if not pa.types.is_decimal(kind):
        small = values.dtype == np.int64
        return array_of(values).cast(kind) if small else pa.array(values.tolist(), kind)
    with decimal.localcontext(prec=100):
        return pa.array([decimal.Decimal(v).scaleb(-kind.scale) for v in values.tolist()], kind)
