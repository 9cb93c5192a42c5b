"""Charts: Altair objects made from results (the ``charts`` extra), rendered to static SVG.

Colour is never alone: what was before is hollow and what came after is filled; points differ in
shape, lines in their dashes. All text is measured with the font that the charts carry (see
``discreet.font``), so that it fits wherever they are shown.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec

from discreet import font
from discreet.errors import library

P = ParamSpec("P")
INK, BLUE, RED, QUIET = "#1d3a5f", "#4a6fa5", "#b3261e", "#52606d"
_LOOK = {
    "background": "transparent",
    "aria": False,  # the page says what a chart shows, once
    "padding": 6,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 150,
        "labelColor": "#1f2933", "titleColor": QUIET, "gridColor": "#e4e7eb", "domainColor": QUIET,
        "tickColor": QUIET,
    },
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "orient": "top", "labelColor": "#1f2933"},
    "title": {"fontSize": 13, "color": "#1f2933", "anchor": "start"},
}  # fmt: skip


def altair() -> Any:
    """The chart library, or an error with the install line."""
    return library("altair", "'discreet[charts]'")


def svg(chart: Any) -> str:
    """Render a chart to SVG, offline, in the look of the reports; the font is in it."""
    return _rendered(chart.to_dict(), _LOOK)


_MEASURED = re.compile(rf'(<text[^<>]* font-family="){font.MEASURE}"')


def _rendered(spec: dict[str, Any], look: dict[str, Any]) -> str:
    """A chart as SVG: laid out with the measuring font, and shown in ours.

    A font that the user of a chart asked for stays.
    """
    config = spec.get("config", {})
    if config.get("font", font.STACK) == font.STACK:
        spec = {**spec, "config": {**config, "font": font.MEASURE}}
    drawn = str(_renderer().vegalite_to_svg(spec, config=look, allowed_base_urls=[]))
    return font.carried(_MEASURED.sub(rf'\1{font.STACK}"', drawn))


@functools.cache
def _renderer() -> Any:
    """The renderer, which knows our fonts."""
    renderer = library("vl_convert", "'discreet[charts]'", "vl-convert-python")
    renderer.register_font_directory(str(font.FOLDER))
    return renderer


def in_font(make: Callable[P, Any]) -> Callable[P, Any]:
    """A function that makes a chart: the chart names our font, and carries it when it is saved."""

    @functools.wraps(make)
    def made(*args: P.args, **options: P.kwargs) -> Any:
        chart = make(*args, **options)
        object.__setattr__(chart, "__class__", _carrying(chart.__class__))
        return chart

    return made


@functools.cache
def _carrying(kind: Any) -> Any:
    """A class of charts that differs in its font alone; a font that its user sets stays.

    The font is named when the chart is written down, not in the chart: Altair refuses to put
    charts beside each other that have settings of their own.
    """

    class Carrying(kind):  # type: ignore[misc]
        def to_dict(self, *args: Any, **options: Any) -> dict[str, Any]:
            spec: dict[str, Any] = super().to_dict(*args, **options)
            if (options.get("context") or {}).get("top_level", True):
                spec["config"] = {"font": font.STACK, **spec.get("config", {})}
            return spec

        def save(self, fp: Any, format: str | None = None, **options: Any) -> None:  # noqa: A002
            _renderer()
            name = str(fp) if isinstance(fp, str | Path) else ""
            if (format or Path(name).suffix.removeprefix(".")) != "svg":
                super().save(fp, format=format, **options)
            elif name:
                Path(name).write_text(_rendered(self.to_dict(), {}), encoding="utf-8")
            else:
                fp.write(_rendered(self.to_dict(), {}))

    Carrying.__name__ = Carrying.__qualname__ = kind.__name__
    return Carrying


@in_font
def class_size_chart(binned: list[tuple[str, int]]) -> Any:
    """Records by ranges of class size, as bars; uniques stand out."""
    alt = altair()
    rows = [{"class size": label, "records": records} for label, records in binned]
    order = [label for label, _ in binned]
    return (
        alt.Chart(alt.Data(values=rows), title="Records by size of their class")
        .mark_bar()
        .encode(
            x=alt.X("class size:O", sort=order, title="class size", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("records:Q", title="records"),
            color=alt.condition(
                alt.datum["class size"] == "1", alt.value("#b3261e"), alt.value("#4a6fa5")
            ),
            tooltip=["class size:O", "records:Q"],
        )
        .properties(width=420, height=220)
    )


@in_font
def classification_chart(entries: list[tuple[int, int, int]]) -> Any:
    """The classification matrix as a heat map: class sizes on log axes, records as colour."""
    alt = altair()
    rows = [{"masked": i, "initial": j, "records": c} for i, j, c in entries]
    return (
        alt.Chart(alt.Data(values=rows), title="Records by size of their initial and masked class")
        .mark_square(size=90)
        .encode(
            x=alt.X("initial:Q", scale=alt.Scale(type="log"), title="initial class size j"),
            y=alt.Y("masked:Q", scale=alt.Scale(type="log"), title="masked class size i"),
            color=alt.Color("records:Q", scale=alt.Scale(type="log", scheme="blues")),
            tooltip=["masked:Q", "initial:Q", "records:Q"],
        )
        .properties(width=380, height=300)
    )


@in_font
def sampling_chart(points: list[Any]) -> Any:
    """DR_min and DR_max against the sampling factor, with bands of two standard deviations."""
    alt = altair()
    rows = [
        {
            "measure": label,
            "fraction": point.fraction,
            "risk": getattr(point, name),
            "low": max(getattr(point, name) - 2 * getattr(point, f"{name}_sd"), 0.0),
            "high": getattr(point, name) + 2 * getattr(point, f"{name}_sd"),
        }
        for point in points
        for label, name in (("DR_min", "minimal"), ("DR_max", "maximal"))
    ]
    base = alt.Chart(alt.Data(values=rows), title="Risk of a simple random sample").encode(
        x=alt.X("fraction:Q", title="sampling factor", axis=alt.Axis(format="%")),
        color=alt.Color("measure:N", title=None),
    )
    band = base.mark_area(opacity=0.25).encode(
        y=alt.Y("low:Q", title="disclosure risk"), y2="high:Q"
    )
    return (band + base.mark_line().encode(y="risk:Q")).properties(width=420, height=260)


@in_font
def lattice_chart(rows: list[dict[str, Any]], best: int, minimal: list[int]) -> Any:
    """Loss against suppressed records, one point per node; the chosen one is a star."""
    alt = altair()
    kind = dict.fromkeys(minimal, "minimal") | {best: "chosen"}
    values = [
        {
            "suppressed": row["suppressed"],
            "loss": row["loss"],
            "node": kind.get(number, "feasible" if row["feasible"] else "not feasible"),
        }
        for number, row in enumerate(rows)
        if row["feasible"] or len(rows) <= 5000
    ]
    names = ["chosen", "minimal", "feasible", "not feasible"]
    colours = ["#b3261e", "#1d3a5f", "#6f9fd8", "#b0b0b0"]
    shapes = ["diamond", "square", "circle", "cross"]
    return (
        alt.Chart(alt.Data(values=values), title="Loss and suppressed records by node")
        .mark_point(filled=True, opacity=0.7)
        .encode(
            x=alt.X("suppressed:Q", title="suppressed records"),
            y=alt.Y("loss:Q", title="loss"),
            color=alt.Color("node:N", scale=alt.Scale(domain=names, range=colours), title=None),
            shape=alt.Shape("node:N", scale=alt.Scale(domain=names, range=shapes), title=None),
            size=alt.condition(alt.datum.node == "chosen", alt.value(160), alt.value(30)),
        )
        .properties(width=420, height=300)
    )


@in_font
def quantile_chart(rows: list[tuple[str, str, float, float]]) -> Any:
    """Quantiles of each attribute before and after masking, one small panel per attribute."""
    alt = altair()
    values = [
        {
            "attribute": name,
            "quantile": statistic.removeprefix("quantile "),
            "file": file,
            "value": v,
        }
        for name, statistic, before, after in rows
        for file, v in (("initial", before), ("masked", after))
    ]
    order = list(dict.fromkeys(v["quantile"] for v in values))
    return (
        alt.Chart(alt.Data(values=values))
        .mark_line(point=True)
        .encode(
            x=alt.X("quantile:O", sort=order, title=None, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("value:Q", title=None),
            color=alt.Color("file:N", title=None),
            strokeDash=alt.StrokeDash("file:N", title=None),
        )
        .properties(width=150, height=110)
        .facet(facet=alt.Facet("attribute:N", title=None), columns=4)
        .resolve_scale(y="independent")
    )


@in_font
def before_after_chart(rows: list[tuple[str, str, float]], *, of: str) -> Any:
    """Shares by category, before and after, as pairs of bars: rows of (category, file, share)."""
    alt = altair()
    values = [
        {"category": label, "file": file, "share": share} for label, file, share in rows if share
    ]
    order = list(dict.fromkeys(label for label, _, _ in rows))
    files = list(dict.fromkeys(file for _, file, _ in rows))
    fill = {"before": "#ffffff", "after": BLUE}
    return (
        alt.Chart(alt.Data(values=values))
        .mark_bar(stroke=INK, strokeWidth=1)
        .encode(
            x=alt.X("share:Q", title=of, axis=alt.Axis(format="%", tickCount=5)),
            y=alt.Y("category:N", scale=alt.Scale(domain=order), title=None),
            yOffset=alt.YOffset("file:N", scale=alt.Scale(domain=files)),
            fill=alt.Fill(
                "file:N",
                scale=alt.Scale(domain=files, range=[fill.get(file, BLUE) for file in files]),
                legend=None
                if len(files) == 1
                else alt.Legend(
                    title=None, symbolType="square", symbolStrokeColor=INK, symbolStrokeWidth=1
                ),
            ),
        )
        .properties(width=250, height=alt.Step(11 if len(files) > 1 else 20))
    )


@in_font
def changed_cells_chart(rows: list[tuple[str, int]]) -> Any:
    """Changed cells of each attribute, as bars, in the order given."""
    alt = altair()
    values = [{"attribute": name, "cells": cells} for name, cells in rows]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_bar(fill=BLUE, stroke=INK, strokeWidth=1)
        .encode(
            x=alt.X("cells:Q", title="changed cells", axis=alt.Axis(tickCount=5, tickMinStep=1)),
            y=alt.Y("attribute:N", sort=[name for name, _ in rows], title=None),
        )
        .properties(width=250, height=alt.Step(20))
    )


def _two_kinds(base: Any, field: str, fills: dict[str, str]) -> Any:
    """Points of two kinds, circles and squares, each with its colour."""
    alt, kinds = altair(), list(fills)
    return base.mark_point(stroke=INK, size=70, opacity=1).encode(
        fill=alt.Fill(
            f"{field}:N",
            sort=kinds,
            scale=alt.Scale(domain=kinds, range=list(fills.values())),
            legend=alt.Legend(title=None, symbolStrokeColor=INK, symbolType="circle"),
        ),
        shape=alt.Shape(f"{field}:N", scale=alt.Scale(domain=kinds, range=["circle", "square"])),
    )


@in_font
def correlation_chart(rows: list[tuple[str, float, float]]) -> Any:
    """Correlations before (hollow) and after (filled), one line per pair of attributes."""
    alt = altair()
    values = [
        {"pair": pair, "file": file, "r": r}
        for pair, before, after in rows
        for file, r in (("before", before), ("after", after))
    ]
    y = alt.Y("pair:N", sort=[pair for pair, _, _ in rows], title=None)
    base = alt.Chart(alt.Data(values=values))
    scale, ticks = alt.Scale(domain=[-1, 1]), [-1, -0.5, 0, 0.5, 1]
    moved = base.mark_line(color=QUIET, strokeWidth=1).encode(x="r:Q", y=y, detail="pair:N")
    x = alt.X("r:Q", scale=scale, title="correlation", axis=alt.Axis(values=ticks))
    points = _two_kinds(base, "file", {"before": "#ffffff", "after": BLUE}).encode(x=x, y=y)
    return (moved + points).properties(width=250, height=alt.Step(24))


@in_font
def correlation_scatter_chart(rows: list[tuple[str, float, float]]) -> Any:
    """Correlations after against before, a point per pair of attributes: on the line, unchanged."""
    alt = altair()
    values = [{"pair": pair, "before": before, "after": after} for pair, before, after in rows]
    scale, ticks = alt.Scale(domain=[-1, 1]), [-1, -0.5, 0, 0.5, 1]
    axis = alt.Axis(values=ticks)
    ends = alt.Data(values=[{"before": -1, "after": -1}, {"before": 1, "after": 1}])
    line = alt.Chart(ends).mark_line(color=QUIET, strokeWidth=1, strokeDash=[4, 3])
    points = alt.Chart(alt.Data(values=values)).mark_point(
        fill=BLUE, stroke=INK, size=45, opacity=0.8, shape="circle"
    )
    x = alt.X("before:Q", scale=scale, title="correlation before", axis=axis)
    y = alt.Y("after:Q", scale=scale, title="correlation after", axis=axis)
    return (line.encode(x=x, y=y) + points.encode(x=x, y=y)).properties(width=250, height=250)


@in_font
def difference_chart(rows: list[tuple[str, float, float]]) -> Any:
    """Per attribute the change of the mean (filled) and of the standard deviation (hollow), both in
    original standard deviations."""
    alt = altair()
    values = [
        {"attribute": name, "of": kind, "change": change}
        for name, mean, spread in rows
        for kind, change in (("mean", mean), ("standard deviation", spread))
    ]
    most = max([0.1, *(1.1 * max(abs(mean), abs(spread)) for _, mean, spread in rows)])
    y = alt.Y("attribute:N", sort=[name for name, _, _ in rows], title=None)
    none = alt.Chart(alt.Data(values=[{"change": 0}])).mark_rule(color=QUIET, strokeDash=[4, 3])
    x = alt.X(
        "change:Q",
        scale=alt.Scale(domain=[-most, most]),
        title="change, in original standard deviations",
        axis=alt.Axis(tickCount=5),
    )
    base = alt.Chart(alt.Data(values=values))
    points = _two_kinds(base, "of", {"mean": BLUE, "standard deviation": "#ffffff"})
    points = points.encode(x=x, y=y)
    return (none.encode(x="change:Q") + points).properties(width=250, height=alt.Step(24))


@in_font
def risk_histogram_chart(bins: list[tuple[float, float, int]]) -> Any:
    """Records by bins of a record risk on a log axis: rows of (above, up to, records)."""
    alt = altair()
    values = [{"above": low, "up to": high, "records": records} for low, high, records in bins]
    scale = alt.Scale(type="log", nice=False)
    return (
        alt.Chart(alt.Data(values=values), title="Records by risk")
        .mark_rect(color=BLUE, stroke=INK, strokeWidth=0.5)  # a bar would be drawn as a line
        .encode(
            x=alt.X("above:Q", scale=scale, title="risk", axis=alt.Axis(format="~g", tickCount=5)),
            x2="up to:Q",
            y=alt.Y("records:Q", title="records", scale=alt.Scale(zero=True)),
            y2=alt.datum(0),
            tooltip=["above:Q", "up to:Q", "records:Q"],
        )
        .properties(width=300, height=200)
    )
