"""Sums of numbers over a table that are the same for every order of the records, on every engine.

Engines add floating-point numbers in the order in which they come, and that depends on the
machine and its threads. Whole numbers add up without rounding: every term is cut into two of
them, a coarse and a fine one, and their sums are put together here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.engine.source import Source, collected
from discreet.kernels.summation import rounded_sum

if TYPE_CHECKING:
    import ibis.expr.types as ir
    from numpy.typing import NDArray

_BITS = 62  # of a sum of whole numbers
_HALF = 31  # bits of one of them that a floating-point number holds for certain
_SMALLEST = -900  # exponent: smaller terms are as good as none


@dataclass(frozen=True)
class ExactSum:
    """The sum of at most ``n`` terms, an expression per record, none of them above ``most``.

    Each of the two parts of a term has 62 − log2 n bits: 84 together for a million records.
    """

    term: Any
    most: float
    n: int

    @property
    def finite(self) -> bool:
        """Whether no term is infinite; otherwise the engine adds them up in its own order."""
        return math.isfinite(self.most)

    def asked(self) -> tuple[Any, Any]:
        """What the engine is to add up: the coarse and the fine parts, as whole numbers."""
        if not self.finite:
            return self.term.sum(), self.term.count()
        scaled = self.term.cast("float64") * math.ldexp(1.0, self._coarse)
        coarse = scaled.floor().cast("int64")
        fine = ((scaled - coarse.cast("float64")) * math.ldexp(1.0, self._each)).floor()
        return coarse.sum(), fine.cast("int64").sum()

    def cut(self, terms: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What the engine would add up, of terms that are here."""
        scaled = terms * math.ldexp(1.0, self._coarse)
        coarse = np.floor(scaled)
        fine = np.floor((scaled - coarse) * math.ldexp(1.0, self._each))
        return coarse.astype(np.int64), fine.astype(np.int64)

    def number(self) -> Any:
        """The sum as a number of the engine, for a mean or a further sum there."""
        coarse, fine = self.asked()
        if not self.finite:
            return coarse
        parts = ((coarse, self._coarse), (fine, self._coarse + self._each))
        large, small = (p.cast("float64") * math.ldexp(1.0, -by) for p, by in parts)
        return large + small

    def value(self, coarse: Any, fine: Any) -> float:
        """The sum, from what the engine added up; 0 for no terms."""
        if coarse is None:
            return 0.0
        if not self.finite:
            return float(coarse)
        whole = int(coarse) * 2**self._each + int(fine)
        power = self._coarse + self._each
        return float(Fraction(whole, 2**power) if power > 0 else Fraction(whole * 2**-power))

    def values(self, coarse: Any, fine: Any) -> NDArray[np.float64]:
        """Many sums, from two columns that the engine added up; equal to :meth:`value` up to the
        last bit, and the same wherever the columns are."""
        if not self.finite:
            return np.asarray(coarse, dtype=np.float64)
        whole, part = (np.asarray(column.cast("int64")) for column in (coarse, fine))
        high, low = (whole >> _HALF).astype(np.float64), (whole & (2**_HALF - 1)).astype(np.float64)
        small = np.ldexp(part.astype(np.float64), -self._each)
        return np.ldexp(rounded_sum(np.ldexp(high, _HALF), low, small), -self._coarse)

    @property
    def _each(self) -> int:
        return _BITS - self.n.bit_length()

    @property
    def _coarse(self) -> int:
        """The power of two by which a term becomes a whole number of ``_each`` bits."""
        exponent = math.frexp(self.most)[1] if self.most else _SMALLEST
        return self._each - max(exponent, _SMALLEST)


def columns_of(sums: Mapping[str, ExactSum]) -> dict[str, Any]:
    """The columns that give some sums, to be asked for in one aggregation or several."""
    found: dict[str, Any] = {}
    for name, one in sums.items():
        found[f"{name}_coarse"], found[f"{name}_fine"] = one.asked()
    return found


def values_of(sums: Mapping[str, ExactSum], row: Mapping[str, Any]) -> dict[str, float]:
    """The sums, from the row that the engine gave."""
    return {
        name: one.value(row[f"{name}_coarse"], row[f"{name}_fine"]) for name, one in sums.items()
    }


def sums_of(source: Source, table: ir.Table, terms: Mapping[str, Any]) -> dict[str, ExactSum]:
    """The sums of some terms, to be asked for; one look at the table finds how large these are."""
    ends: dict[str, Any] = {"n": table.count()}
    for name, term in terms.items():
        ends[f"{name}_low"], ends[f"{name}_high"] = term.min(), term.max()
    row = collected(table.aggregate(**ends), source).to_pylist()[0]

    def most(name: str) -> float:
        return max(abs(float(row[f"{name}_{end}"] or 0)) for end in ("low", "high"))

    return {name: ExactSum(term, most(name), row["n"]) for name, term in terms.items()}


def totals(source: Source, table: ir.Table, terms: Mapping[str, Any]) -> dict[str, float]:
    """The sums of some terms, in two looks at the table."""
    if not terms:
        return {}
    sums = sums_of(source, table, terms)
    row = collected(table.aggregate(**columns_of(sums)), source).to_pylist()[0]
    return values_of(sums, row)
