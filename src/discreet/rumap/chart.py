"""The R-U map as a chart: loss against risk, methods by colour and shape, the frontier a line."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet import font
from discreet.charts import altair, in_font
from discreet.rumap.point import by_place

if TYPE_CHECKING:
    from discreet.rumap.point import Point
    from discreet.rumap.result import RUMap


_WIDTH, _HEIGHT = 520, 340
_COLOURS = ("#1d3a5f", "#b3261e", "#2f7d4f", "#8a5a00", "#5b3f8c", "#52606d")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
Spot = tuple[float, float]
_HALF = 6.0  # of a point
_LINE = 13.0  # height of a line of text
SIZE = 11.0  # of the letters
_GAP = 5.0


class _Frame:
    """From figures to pixels and back; both axes begin at 0, with room for half a point."""

    def __init__(self, points: list[Point]) -> None:
        self.risk = 1.08 * max([p.risk or 0.0 for p in points], default=0.0) or 1.0
        self.loss = 1.08 * max([p.loss or 0.0 for p in points], default=0.0) or 1.0

    def pixels(self, risk: float, loss: float) -> Spot:
        return risk / self.risk * _WIDTH, _HEIGHT * (1 - loss / self.loss)

    def figures(self, x: float, y: float) -> Spot:
        return x / _WIDTH * self.risk, (1 - y / _HEIGHT) * self.loss


@in_font
def ru_chart(found: RUMap) -> Any:
    """Loss against risk; points of the frontier are filled, equal ones are one, with their
    number.
    """
    alt = altair()
    first = set(map(id, found.frontier))
    known = [*found.frontier, *(p for p in found.points if not p.failed and id(p) not in first)]
    frame = _Frame(known)
    groups = by_place(known)  # those of the frontier first
    spots = [frame.pixels(*place) for place in groups]
    axes = {
        "x": alt.X("risk:Q", title=f"risk: {found.risk[1]}", scale=_scale(alt, frame.risk)),
        "y": alt.Y("loss:Q", title=f"loss: {found.loss[0]}", scale=_scale(alt, frame.loss)),
    }
    layers = [
        _line(alt, found).encode(**axes),
        _points(alt, groups, first).encode(**axes),
        _labels(alt, groups, spots, frame, [p.place for p in found.frontier]).encode(**axes),
    ]
    said = [f"{found.loss[0]}: {found.loss[1]}"]
    if found.unmasked.risk is not None:
        said.append(f"Unmasked: risk {found.unmasked.risk:.4g}. Filled: the best trade-offs.")
    if found.failed:
        said.append(f"Not shown: {len(found.failed)} that failed or a measure does not apply to.")
    title = alt.Title("Risk and loss of the maskings", subtitle=said)
    return alt.layer(*layers, title=title).properties(width=_WIDTH, height=_HEIGHT)


def _scale(alt: Any, top: float) -> Any:
    return alt.Scale(domain=[0, top], nice=False)


def _said(equal: list[Point]) -> str:
    """The label of a point: its masking, and how many more are there."""
    more = f" (×{len(equal)})" if len(equal) > 1 else ""
    return f"{equal[0].label}{more}"


def _line(alt: Any, found: RUMap) -> Any:
    """For each limit of the risk, the least loss."""
    rows = [{"risk": p.risk, "loss": p.loss} for p in found.frontier]
    look = {"interpolate": "step-after", "strokeDash": [4, 3], "color": "#52606d"}
    return alt.Chart(alt.Data(values=rows)).mark_line(**look)


def _points(alt: Any, groups: Mapping[Spot, list[Point]], first: set[int]) -> Any:
    rows = [
        {
            "risk": risk,
            "loss": loss,
            "method": equal[0].method,
            "masking": ", ".join(point.label for point in equal),
            "filled": 1 if any(id(point) in first for point in equal) else 0,
        }
        for (risk, loss), equal in groups.items()
    ]
    methods = sorted({equal[0].method for equal in groups.values()})
    colours = [_COLOURS[i % len(_COLOURS)] for i in range(len(methods))]
    # a colour that comes again has another shape
    shapes = [_SHAPES[(i + i // len(_COLOURS)) % len(_SHAPES)] for i in range(len(methods))]
    colour = alt.Scale(domain=methods, range=colours)
    legend = alt.Legend(title=None, orient="top", labelLimit=300)
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_point(size=70, opacity=1, strokeWidth=1.5)
        .encode(
            stroke=alt.Stroke("method:N", scale=colour, legend=legend),
            fill=alt.Fill("method:N", scale=colour, legend=legend),
            shape=alt.Shape(
                "method:N", scale=alt.Scale(domain=methods, range=shapes), legend=legend
            ),
            fillOpacity=alt.FillOpacity("filled:Q", scale=None, legend=None),
            tooltip=["masking:N", "risk:Q", "loss:Q"],
        )
    )


def _labels(
    alt: Any,
    groups: Mapping[Spot, list[Point]],
    spots: list[Spot],
    frame: _Frame,
    frontier: list[Spot],
) -> Any:
    labels = [_said(equal) for equal in groups.values()]
    line = [frame.pixels(*place) for place in frontier]
    rows = []
    places = place_labels(spots, labels, _WIDTH, _HEIGHT, line)
    for label, place in zip(labels, places, strict=True):
        if place is not None:
            risk, loss = frame.figures(*place)
            rows.append({"risk": risk, "loss": loss, "label": label})
    look = {"align": "left", "baseline": "middle", "fontSize": SIZE, "limit": 0, "color": "#1f2933"}
    return alt.Chart(alt.Data(values=rows)).mark_text(**look).encode(text="label:N")


class Box(NamedTuple):
    """A rectangle in pixels, from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether two rectangles have a pixel in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def place_labels(
    points: Sequence[Spot],
    labels: Sequence[str],
    width: float,
    height: float,
    line: Sequence[Spot] = (),
) -> list[Spot | None]:
    """Where the middle of each label's left edge goes; None where there is no room.

    Labels are placed in the order given: the first ones are served best. They also keep clear of
    a line of steps, which goes across and then down from each of its points to the next.
    """
    taken = [Box(x - _HALF, y - _HALF, x + _HALF, y + _HALF) for x, y in points]
    for (x, y), (to, down) in itertools.pairwise(line):
        taken += [Box(x, y - 1, to, y + 1), Box(to - 1, min(y, down), to + 1, max(y, down))]
    places: list[Spot | None] = []
    for (x, y), label in zip(points, labels, strict=True):
        free = (box for box in _around(x, y, label) if _inside(box, width, height))
        box = next((box for box in free if not any(box.meets(other) for other in taken)), None)
        places.append(None if box is None else (box.left, (box.top + box.bottom) / 2))
        taken += [] if box is None else [box]
    return places


def _around(x: float, y: float, label: str) -> Iterator[Box]:
    """Places around a point: beside, above, below, then further off."""
    wide = font.width(label, SIZE)
    for off in (0.0, 0.75 * _LINE, 1.5 * _LINE, 2.5 * _LINE, 3.5 * _LINE):
        for down in (0.0,) if off == 0 else (-off, off):
            for left in (x + _HALF + _GAP, x - _HALF - _GAP - wide):
                yield _box(left, y + down, wide)
            if off > _LINE:
                yield _box(x - wide / 2, y + down, wide)


def _box(left: float, middle: float, wide: float) -> Box:
    return Box(left, middle - _LINE / 2, left + wide, middle + _LINE / 2)


def _inside(box: Box, width: float, height: float) -> bool:
    return box.left >= 0 and box.top >= 0 and box.right <= width and box.bottom <= height
