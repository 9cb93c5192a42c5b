"""Fragments: blocks as pieces of HTML, for the report and for any other page.

    from discreet.reports import fragments

    fragments.html(fragments.class_size_figure({"before": risk.class_sizes.binned()}))

A fragment has no script, no style attribute and no id but those with its own prefix. All text in
it is escaped. It is Markup: a Jinja template puts it in as it is.

Of a picture, an SVG text, only what draws is kept. A page with a strict Content-Security-Policy
allows neither style attributes nor scripts, and ids must be unique in it although every chart
begins to count at nought. So elements and attributes that are not known to draw are left out, and
ids get the prefix of their picture.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from discreet import font
from discreet.charts import before_after_chart, svg
from discreet.errors import fail
from discreet.reports.blocks import Block, Figure, Share, Table, shown
from discreet.reports.names import clean

if TYPE_CHECKING:
    from jinja2 import Environment


_TEMPLATES = Path(__file__).parent / "templates"
_COLUMN = 560  # pixels: a wider picture stands above its table, and keeps its size
_ELEMENTS = frozenset(
    ["svg", "g", "path", "line", "rect", "circle", "ellipse", "polygon", "polyline", "text",
     "tspan", "defs", "clipPath", "linearGradient", "radialGradient", "stop"]
)  # fmt: skip
_ATTRIBUTES = frozenset(
    ["id", "d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "width",
     "height", "viewBox", "points", "transform", "fill", "fill-opacity", "stroke", "stroke-width",
     "stroke-opacity", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin",
     "stroke-miterlimit", "opacity", "display", "clip-path", "offset", "stop-color", "stop-opacity",
     "gradientUnits", "gradientTransform", "text-anchor", "dominant-baseline", "font-family",
     "font-size", "font-style", "font-weight"]
)  # fmt: skip
_REFERENCE = re.compile(r"url\(#([\w-]+)\)")
_ELSEWHERE = re.compile(r"url\((?!#[\w-]+\))")


def html(block: Block) -> str:
    """A block as HTML."""
    template = environment().get_template("blocks.html")
    return template.module.block(block)  # type: ignore[attr-defined,unused-ignore]


def figure(
    chart: Any, *, title: str, alt: str, table: Table, note: str = "", drawn: str | None = None
) -> Figure:
    """A chart (or an SVG that is drawn already) with its alternative text and its table.

    The ids in it are unique to the figure: they begin with a digest of the picture.
    """
    text = svg(chart) if drawn is None else drawn
    prefix = "c" + hashlib.sha256(f"{title}\n{text}".encode("utf-8", "replace")).hexdigest()[:10]
    made = picture(text, prefix=prefix, alt=alt)
    wide = float(ET.fromstring(made).get("width", "0")) > _COLUMN  # noqa: S314 - made above
    return Figure(title, alt, made, table, note, fixed=drawn is not None or wide, wide=wide)


def before_after_figure(
    title: str,
    rows: Sequence[tuple[str, Mapping[str, int]]],
    totals: Mapping[str, int],
    *,
    by: str,
    note: str = "",
) -> Figure:
    """Records by category, before and after: rows of (category, records of each file)."""
    files = list(totals)
    chart = before_after_chart(
        [
            (label, file, counts[file] / totals[file] if totals[file] else 0.0)
            for label, counts in rows
            for file in files
        ],
        of="share of the records",
    )
    table = Table(
        f"{title}, numbers",
        (by, *(column for file in files for column in (f"records {file}", f"share {file}"))),
        tuple(
            (
                label,
                *(c for file in files for c in (counts[file], Share(counts[file], totals[file]))),
            )
            for label, counts in rows
        ),
    )
    alt = f"Bar chart of {title}: {_summary(rows, totals)}. The table beside it has the numbers."
    return figure(chart, title=title, alt=alt, table=table, note=note)


def class_size_figure(binned: Mapping[str, Sequence[tuple[str, int]]], note: str = "") -> Figure:
    """Records by size of their class, for each file: {"before": risk.class_sizes.binned(), …}."""
    longest = max(binned.values(), key=len)
    counts = {file: dict(rows) for file, rows in binned.items()}
    rows = [(label, {file: counts[file].get(label, 0) for file in binned}) for label, _ in longest]
    totals = {file: sum(found.values()) for file, found in counts.items()}
    return before_after_figure(
        "Records by size of their class", rows, totals, by="class size", note=note
    )


def _summary(rows: Sequence[tuple[str, Mapping[str, int]]], totals: Mapping[str, int]) -> str:
    """The largest category of each file, in words."""
    said = []
    for file, total in totals.items():
        label, counts = max(rows, key=lambda row: row[1][file])
        said.append(f"{file}, most records are in '{label}' ({shown(Share(counts[file], total))})")
    return "; ".join(said)


@functools.cache
def environment() -> Environment:
    """The templates, which escape all that is put into them."""
    if importlib.util.find_spec("jinja2") is None:
        fail("M01", "jinja2 is not installed.", "Run: pip install 'discreet[charts]'")
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "shown": lambda cell: clean(shown(cell)),
        "kind": lambda b: type(b).__name__,
        "unknown": _unknown,
    }
    return made


def _unknown(block: object) -> NoReturn:
    """A block that no template draws would else be left out unseen."""
    raise TypeError(f"no template for {type(block).__name__}")


def style(faces: str | None = None) -> str:
    """The style sheet of the fragments.

    Parameters
    ----------
    faces : str, optional
        Where the font of the charts is, as ``discreet.font.faces`` says it; by default it stands
        in the sheet.
    """
    sheet = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    given = font.faces(font.every()) if faces is None else faces
    return f"{sheet}svg text {{ font-family: {font.STACK}; {font.EXACT}; }}\n{given}"


def picture(svg: str, *, prefix: str, alt: str) -> str:
    """An SVG as it may stand in a page, with its alternative text.

    Parameters
    ----------
    svg : str
        From a chart or a drawing.
    prefix : str
        Put before every id; different for each picture of a page.
    alt : str
        What the picture shows, for those who do not see it.
    """
    root = ET.fromstring(clean(svg))  # noqa: S314 - made by the renderer, not by others
    kept = _kept(root, prefix)
    kept.attrib.update(
        {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "aria-label": clean(alt)}
    )
    return ET.tostring(kept, encoding="unicode")


def _kept(element: ET.Element, prefix: str) -> ET.Element:
    """The element without namespaces, and without what is not known to draw."""
    kept = ET.Element(_local(element.tag))
    kept.text, kept.tail = element.text, element.tail
    for name, value in element.attrib.items():
        if name in _ATTRIBUTES and not _ELSEWHERE.search(value):
            kept.set(name, _own(name, value, prefix))
    kept.extend(_kept(child, prefix) for child in element if _local(child.tag) in _ELEMENTS)
    return kept


def _own(name: str, value: str, prefix: str) -> str:
    """The value of an attribute; what names an id names that of this picture."""
    if name == "id":
        return f"{prefix}-{value}"
    return _REFERENCE.sub(rf"url(#{prefix}-\1)", value)


def _local(tag: str) -> str:
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
