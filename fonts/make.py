"""Make the font files of the package out of Liberation Sans 2.1.5 (SIL Open Font License).

    pip install 'fonttools[woff]'
    python -m fonts.make FOLDER_OF_LIBERATION_SANS

Three kinds, each in two weights: `Discreet Sans` cut by script for browsers (woff2), the same in
one piece for renderers (ttf), and `Discreet Measure`, which has a width for every character there
is, for those who lay out (ttf). The name is ours, for a changed font may not keep a reserved one,
and so that no font of a machine is taken for it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from discreet.font import FAMILY, MEASURE, SCRIPTS

FOLDER = Path(__file__).parent.parent / "src" / "discreet" / "font"
WEIGHTS = {400: "Regular", 700: "Bold"}
_LICENCE = ("SIL Open Font License, Version 1.1", "https://openfontlicense.org")
_DROPPED = ["kern", "GPOS", "GSUB", "GDEF", "FFTM", "DSIG", "gasp"]  # a width is a sum of letters
# characters that the font has not, by the room they get in ems; letters of most scripts are
# narrower than one em, those of some are wider, and so are emoji
_ROOM: tuple[tuple[int, int, float], ...] = (
    (0x0000, 0x001F, 0.0), (0x0300, 0x036F, 0.0), (0x0B80, 0x0DFF, 1.5), (0x1000, 0x109F, 1.5),
    (0x1AB0, 0x1AFF, 0.0), (0x1DC0, 0x1DFF, 0.0), (0x200B, 0x200F, 0.0), (0x202A, 0x202E, 0.0),
    (0x2060, 0x2064, 0.0), (0x20D0, 0x20FF, 0.0), (0x2600, 0x27BF, 1.5), (0x2B00, 0x2BFF, 1.5),
    (0xFE00, 0xFE0F, 0.0), (0xFE20, 0xFE2F, 0.0), (0xFEFF, 0xFEFF, 0.0), (0x1F000, 0x1FAFF, 1.5),
    (0xE0000, 0xE0FFF, 0.0),
)  # fmt: skip


def main(source: Path) -> None:
    """Write all files anew."""
    for old in (*FOLDER.glob("*.woff2"), *FOLDER.glob("*.ttf")):
        old.unlink()
    for weight, style in WEIGHTS.items():
        given = source / f"LiberationSans-{style}.ttf"
        for script, ranges in SCRIPTS.items():
            cut = _cut(given, style, ranges)
            cut.flavor = "woff2"
            cut.save(FOLDER / f"{script}-{weight}.woff2")
        whole = [pair for ranges in SCRIPTS.values() for pair in ranges]
        _cut(given, style, whole).save(FOLDER / f"sans-{weight}.ttf")
        _measuring(_cut(given, style, whole), style).save(FOLDER / f"measure-{weight}.ttf")


def _cut(given: Path, style: str, ranges: Iterable[tuple[int, int]]) -> Any:
    """The font with some characters, without hints and kerning, under our name."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    font = TTFont(given, recalcTimestamp=False)
    _add_symbols(font, stroke=0.08 if style == "Regular" else 0.13)
    wanted = {code for first, last in ranges for code in range(first, last + 1)}
    options = Options(hinting=False, layout_features=[], notdef_outline=True, name_IDs=[0])
    options.drop_tables += _DROPPED
    cutting = Subsetter(options)
    cutting.populate(unicodes=wanted)
    cutting.subset(font)
    _name(font, FAMILY, style)
    return font


def _add_symbols(font: Any, stroke: float) -> None:
    """Signs of ours that Liberation Sans has not, by their corners in ems."""
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    em = font["head"].unitsPerEm
    for code, (width, corners) in _symbols(stroke).items():
        pen, name = TTGlyphPen(None), f"sign{code:X}"
        points = [(round(x * em), round(y * em)) for x, y in corners]
        pen.moveTo(points[0])
        for point in points[1:]:
            pen.lineTo(point)
        pen.closePath()
        font.setGlyphOrder([*font.getGlyphOrder(), name])
        font["glyf"][name] = pen.glyph()
        font["hmtx"][name] = (round(width * em), min(x for x, _ in points))
        for table in font["cmap"].tables:
            if table.isUnicode():
                table.cmap[code] = name


def _symbols(stroke: float) -> dict[int, tuple[float, list[tuple[float, float]]]]:
    """A star, and angle brackets of a stroke: width, and corners clockwise."""
    star = [
        (0.42 + r * math.sin(i * math.pi / 5), 0.36 + r * math.cos(i * math.pi / 5))
        for i in range(10)
        for r in [0.4 if i % 2 == 0 else 0.4 * 0.382]
    ]
    left, right, top, bottom = 0.07, 0.31, 0.73, -0.21
    middle, width = (top + bottom) / 2, right + 0.02
    left_bracket = [
        (left, middle), (right - stroke, top), (right, top), (left + stroke, middle),
        (right, bottom), (right - stroke, bottom),
    ]  # fmt: skip
    right_bracket = [(width - x, y) for x, y in reversed(left_bracket)]
    return {0x2605: (0.84, star), 0x27E8: (width, left_bracket), 0x27E9: (width, right_bracket)}


def _measuring(font: Any, style: str) -> Any:
    """The same widths with specks for outlines, and room for all that the font has not."""
    from fontTools.ttLib.tables._c_m_a_p import cmap_format_13

    em = font["head"].unitsPerEm
    own = font.getBestCmap()
    rooms = {f"room{round(10 * width)}": width for width in (0.0, 1.0, 1.5)}
    font.setGlyphOrder([*font.getGlyphOrder(), *rooms])
    for name in font.getGlyphOrder():
        font["glyf"][name] = _speck()
        width = round(rooms[name] * em) if name in rooms else font["hmtx"][name][0]
        font["hmtx"][name] = (width, 0)
    table = cmap_format_13(13)
    table.platformID, table.platEncID, table.language, table.format = 3, 10, 0, 13
    table.cmap = {code: own.get(code, "room10") for code in range(0x110000)}
    for first, last, width in _ROOM:
        for code in range(first, last + 1):
            table.cmap[code] = own.get(code, f"room{round(10 * width)}")
    font["cmap"].tables = [table]
    _name(font, MEASURE, style)
    return font


def _speck() -> Any:
    """The least outline: text that draws nothing at all is not measured by renderers."""
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((0, 1))
    pen.lineTo((1, 0))
    pen.closePath()
    return pen.glyph()


def _name(font: Any, family: str, style: str) -> None:
    """Our name in place of the reserved one; the copyright stays, and where the licence stands."""
    names = font["name"]
    notice = names.getDebugName(0)
    short = f"{family.replace(' ', '')}-{style}"
    said = {0: notice, 1: family, 2: style, 4: f"{family} {style}", 6: short, 13: _LICENCE[0],
            14: _LICENCE[1]}  # fmt: skip
    names.names = []
    for number, text in said.items():
        names.setName(text, number, 3, 1, 0x409)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
