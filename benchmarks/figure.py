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

    def __str__(self) -> str:
        number = f"{self.value:,.0f}" if self.value >= 1000 else f"{self.value:.3g}"
        line = f"  {self.what:<66} {number:>9} {self.unit:<6}"
        if self.at_most is None and self.at_least is None:
            return line.rstrip()
        sign, bound = ("≤", self.at_most) if self.at_least is None else ("≥", self.at_least)
        return f"{line} {sign} {bound:<5g} {'holds' if self.holds else 'MISSED'}"
