"""A measured number, with the bound it must keep where there is one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    what: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def holds(self) -> bool:
        low = self.at_least is None or self.value >= self.at_least
        return low and (self.at_most is None or self.value <= self.at_most)

    @property
    def row(self) -> str:
        """As cells of a table: what, measured, and the bound with whether it holds."""
        return f"{self.what} | {self._number} {self.unit} | {' '.join(self._bound.split())}"

    def __str__(self) -> str:
        line = f"  {self.what:<66} {self._number:>9} {self.unit:<6}"
        return f"{line} {self._bound}".rstrip()

    @property
    def _number(self) -> str:
        return f"{self.value:,.0f}" if self.value >= 1000 else f"{self.value:.3g}"

    @property
    def _bound(self) -> str:
        if self.at_most is None and self.at_least is None:
            return ""
        sign, bound = ("≤", self.at_most) if self.at_least is None else ("≥", self.at_least)
        return f"{sign} {bound:<5g} {'holds' if self.holds else 'MISSED'}"
