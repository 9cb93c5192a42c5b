"""The font of the charts, which comes along with them: the same on every machine.

Whoever lays out a chart must know how wide its text will be, and whoever shows it must take the
same letters. So charts are measured with this font, and carry it: as ``@font-face`` in a page or
an SVG file, cut by script, so that only what is used is there. It is Liberation Sans under
another name, with the widths of Arial (OFL.txt; made by fonts/make.py).

Text that the font has no letters for is shown in a font of the reader. It is measured generously,
by ``Discreet Measure``, which has a width for every character.
"""

from __future__ import annotations

import base64
import functools
import re
import struct
from bisect import bisect_right
from collections.abc import Callable, Iterable
from pathlib import Path

FAMILY, MEASURE = "Discreet Sans", "Discreet Measure"
# after ours, those of the same widths, for a reader that allows no font of a page
STACK = f"{FAMILY}, Arial, Liberation Sans, Helvetica, sans-serif"
EXACT = "text-rendering:geometricPrecision"  # else browsers round each letter to whole pixels
FOLDER = Path(__file__).parent
Ranges = tuple[tuple[int, int], ...]
# – — ‘ ’ ‚ “ ” „ † • … ‰ ′ ″ ‹ › € ™ ← ↑ → ↓ − √ ∞ ≈ ≠ ≤ ≥ ★ ⟨ ⟩ besides the letters
SCRIPTS: dict[str, Ranges] = {
    "latin": (
        (0x20, 0x7E), (0xA0, 0xFF), (0x2010, 0x2010), (0x2012, 0x2014), (0x2018, 0x201A),
        (0x201C, 0x201E), (0x2020, 0x2020), (0x2022, 0x2022), (0x2026, 0x2026), (0x2030, 0x2030),
        (0x2032, 0x2033), (0x2039, 0x203A), (0x20AC, 0x20AC), (0x2122, 0x2122), (0x2190, 0x2193),
        (0x2212, 0x2212), (0x221A, 0x221A), (0x221E, 0x221E), (0x2248, 0x2248), (0x2260, 0x2260),
        (0x2264, 0x2265), (0x2605, 0x2605), (0x27E8, 0x27E9),
    ),
    "latin-ext": ((0x100, 0x17F), (0x218, 0x21B)),
    "greek": ((0x370, 0x3FF),),
    "cyrillic": ((0x400, 0x45F), (0x490, 0x491)),
}  # fmt: skip
WEIGHTS = (400, 700)
FILES = tuple(f"{script}-{weight}.woff2" for script in SCRIPTS for weight in WEIGHTS)


def width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a line of text in pixels; of what the font has not, the room that it gets.

    Examples
    --------
    >>> round(width("information loss", 12), 1), width("年齢", 12)
    (84.0, 24.0)
    """
    starts, found = _advances(700 if bold else 400)
    return size * sum(found[bisect_right(starts, ord(letter)) - 1] for letter in text)


def wrapped(text: str, size: float, room: float) -> list[str]:
    """A text in lines of at most ``room`` pixels, broken between words where that is possible.

    Examples
    --------
    >>> wrapped("levels of age, zip, sex", 12, 80)
    ['levels of age,', 'zip, sex']
    """
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and width(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
            continue
        *whole, last = _pieces(word, size, room)
        lines += [*whole, last]
    return lines[1:]


def _pieces(word: str, size: float, room: float) -> list[str]:
    pieces = [""]
    for letter in word:
        if pieces[-1] and width(pieces[-1] + letter, size) > room:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def carried(drawing: str) -> str:
    """An SVG that carries the letters it is written with: the scripts and weights that it uses."""
    sheet = f"<style>text{{{EXACT}}}{faces_for(drawing)}</style>"
    return _ROOT.sub(lambda root: root[0] + sheet, drawing, count=1)


def faces_for(drawings: str) -> str:
    """The ``@font-face`` rules for one SVG or several."""
    texts = "".join(_TEXT.findall(drawings))
    return faces(texts, WEIGHTS if _BOLD.search(drawings) else WEIGHTS[:1])


_ROOT = re.compile(r"<svg[^<>]*>")
_TEXT = re.compile(r"<t(?:ext|span)[^<>]*>([^<]+)")
_BOLD = re.compile(r'font-weight="(?:bold|[6-9]00)"')


def faces(
    text: str, weights: Iterable[int] = WEIGHTS, where: Callable[[str], str] | None = None
) -> str:
    """The ``@font-face`` rules for a text.

    Parameters
    ----------
    text : str
        All that is to be shown: scripts that do not occur in it are left out.
    weights : iterable of {400, 700}
    where : function, optional
        From the name of a file to its address; by default the files themselves, as data: URIs.
    """
    used = [s for s, ranges in SCRIPTS.items() if any(_has(ranges, letter) for letter in set(text))]
    address = where or _data
    return "".join(
        f'@font-face{{font-family:"{FAMILY}";font-weight:{weight};'
        f'src:url({address(f"{script}-{weight}.woff2")})format("woff2");'
        f"unicode-range:{_css(SCRIPTS[script])}}}"
        for script in used
        for weight in weights
    )


def every() -> str:
    """A text with a letter of each script."""
    return "".join(chr(ranges[0][0] + 0x20) for ranges in SCRIPTS.values())


def _has(ranges: Ranges, letter: str) -> bool:
    return any(first <= ord(letter) <= last for first, last in ranges)


def _css(ranges: Ranges) -> str:
    return ",".join(f"U+{a:X}" if a == b else f"U+{a:X}-{b:X}" for a, b in ranges)


@functools.cache
def _data(name: str) -> str:
    content = base64.b64encode((FOLDER / name).read_bytes()).decode()
    return f"data:font/woff2;base64,{content}"


@functools.cache
def _advances(weight: int) -> tuple[list[int], list[float]]:
    """Where each run of characters of the same width begins, and that width in ems.

    The measuring font has one table of characters, of format 13 (runs that share a glyph).
    """
    data = (FOLDER / f"measure-{weight}.ttf").read_bytes()
    tables = {
        data[at : at + 4]: struct.unpack(">I", data[at + 8 : at + 12])[0]
        for at in range(12, 12 + 16 * struct.unpack(">H", data[4:6])[0], 16)
    }
    (em,) = struct.unpack_from(">H", data, tables[b"head"] + 18)
    (wide,) = struct.unpack_from(">H", data, tables[b"hhea"] + 34)
    widths = [w for w, _ in struct.iter_unpack(">Hh", data[tables[b"hmtx"] :][: 4 * wide])]
    characters = tables[b"cmap"] + struct.unpack_from(">I", data, tables[b"cmap"] + 8)[0]
    (runs,) = struct.unpack_from(">I", data, characters + 12)
    found = list(struct.iter_unpack(">III", data[characters + 16 :][: 12 * runs]))
    return [first for first, _, _ in found], [
        widths[min(glyph, wide - 1)] / em for *_, glyph in found
    ]
