"""Pictures in a page: an SVG text is taken apart and only what draws is put together again.

A page with a strict Content-Security-Policy allows neither style attributes nor scripts, and ids
must be unique in it although every chart begins to count at nought. So elements and attributes
that are not known to draw are left out, and ids get the prefix of their picture.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from discreet.reports.names import clean

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


def width_of(picture: str) -> float:
    """The width of a picture in pixels."""
    return float(ET.fromstring(picture).get("width", "0"))  # noqa: S314 - made above


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
