"""A printed figure beside the computed one, and how far apart the two may lie.

A figure is kept as the paper prints it, as text, so that its last digit is known: whether 0.316 is
rounded or cut off cannot be told from a float.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

Value = float | int | str


@dataclass(frozen=True)
class Tolerance:
    """How far a computed number may lie from the printed one; the largest allowance counts.

    Attributes
    ----------
    words : str
        As a reader is told.
    relative : float
        Share of the printed number.
    absolute : float
    units : float
        Units of the last printed digit.
    """

    words: str
    relative: float = 0.0
    absolute: float = 1e-9
    units: float = 0.0

    def allows(self, printed: str) -> float:
        """The largest difference that is let pass."""
        unit = 10.0 ** -decimals(printed)
        return max(
            self.absolute, self.relative * abs(number(printed)), self.units * unit * (1 + 1e-9)
        )


EXACT = Tolerance("exactly")
DIGITS = Tolerance("to every printed digit", units=0.5)
CUT = Tolerance("to the printed digits, which are cut off and not rounded", units=1.0)


def within(share: float) -> Tolerance:
    """Up to a share of the printed number."""
    return Tolerance(f"within {share * 100:g} %", relative=share)


def near(difference: float) -> Tolerance:
    """Up to a difference."""
    return Tolerance(f"to {difference:g}", absolute=difference)


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, as printed and as computed.

    Attributes
    ----------
    paper, place, what : str
        Where it stands, and of what it is the figure; "row: column" within a table.
    printed : str
    computed : float, int, str or None
        None when the data it needs were not found.
    tolerance : Tolerance
    note : str
    """

    paper: str
    place: str
    what: str
    printed: str
    computed: Value | None
    tolerance: Tolerance = EXACT
    note: str = ""

    @property
    def found(self) -> bool:
        """Whether the data were there."""
        return self.computed is not None

    @property
    def agrees(self) -> bool:
        """Whether the two agree; texts must be equal. False, too, when there were no data."""
        if self.computed is None:
            return False
        if isinstance(self.computed, str):
            return self.computed == self.printed
        apart = abs(float(self.computed) - number(self.printed))
        return apart <= self.tolerance.allows(self.printed)

    @property
    def shown(self) -> str:
        """The computed figure, with one digit more than the printed one unless it is whole."""
        if self.computed is None:
            return "data not found"
        if isinstance(self.computed, str):
            return self.computed
        if isinstance(self.computed, int):
            return f"{self.computed:,}" if "," in self.printed else str(self.computed)
        unit = " %" if self.printed.endswith("%") else ""
        return f"{_not_minus_zero(self.computed):.{max(decimals(self.printed), 2) + 1}f}{unit}"


@dataclass(frozen=True)
class Finding:
    """A slip of a paper, or what was found out about it, at the place where it bites."""

    name: str
    text: str


@dataclass(frozen=True)
class Picture:
    """A chart: the name of its file, what it shows in words, and the drawing itself."""

    name: str
    alt: str
    svg: str

    def write(self, folder: Path) -> None:
        """Write the drawing."""
        (folder / f"{self.name}.svg").write_text(self.svg, encoding="utf-8")


@dataclass(frozen=True)
class Part:
    """A part of a paper: a table or an experiment, rebuilt.

    Attributes
    ----------
    title, text : str
    figures : tuple of Figure
    closeness : str
        How close the figures are, where the words of their tolerances do not tell enough.
    grid : bool
        Show the figures as the paper's table, by "row: column", and not as a list.
    findings : tuple of Finding
    table : str
        Results that the paper does not print, as Markdown.
    pictures : tuple of Picture
    """

    title: str
    text: str
    figures: tuple[Figure, ...] = ()
    closeness: str = ""
    grid: bool = False
    findings: tuple[Finding, ...] = ()
    table: str = ""
    pictures: tuple[Picture, ...] = ()


def decimals(printed: str) -> int:
    """Digits after the point."""
    return len(printed.partition(".")[2].rstrip(" %"))


def number(printed: str) -> float:
    """The number that a text stands for."""
    return float(printed.replace(",", "").rstrip(" %"))


def yes(holds: bool) -> str:
    """Of a claim that is made in words."""
    return "yes" if holds else "no"


def _not_minus_zero(value: float) -> float:
    return 0.0 if abs(value) < 1e-12 else float(value)
