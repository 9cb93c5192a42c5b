"""The charts of the page. Printed figures are hollow, computed ones filled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.charts import BLUE, INK, RED, altair, svg
from papers.figures import Figure, Picture, number

Row = Mapping[str, Any]


def picture(name: str, alt: str, chart: Any) -> Picture:
    """A chart as a picture, drawn offline."""
    return Picture(name, alt, svg(chart))


def bars(rows: Sequence[Row], *, x: str, y: str, by: str, title: str) -> Any:
    """Bars side by side, one panel for each value of `by`."""
    alt = altair()
    return (
        alt.Chart(alt.Data(values=list(rows)), title=title)
        .mark_bar(color=BLUE, stroke=INK)
        .encode(
            x=alt.X(f"{x}:N", title=None, axis=alt.Axis(labelAngle=0)),
            y=alt.Y(f"{y}:Q", title=y),
            column=alt.Column(f"{by}:N", title=None, spacing=24),
        )
        .properties(width=120, height=150)
    )


def printed_and_computed(figures: Sequence[Figure], x: str, title: str) -> Any:
    """Figures with `what` = "series, x = 3: measure": points as printed, lines as computed."""
    alt = altair()
    values = [value for figure in figures for value in _points(figure, x)]
    base = alt.Chart(alt.Data(values=values))
    shared = {
        "x": alt.X("x:O", title=x, axis=alt.Axis(labelAngle=0)),
        "y": alt.Y("value:Q", title=None),
        "shape": alt.Shape("series:N", title=None),
    }
    line = base.transform_filter("datum.kind == 'computed'").mark_line(color=BLUE)
    line = line.encode(
        x=shared["x"], y=shared["y"], strokeDash=alt.StrokeDash("series:N", legend=None)
    )
    point = base.mark_point(stroke=INK, opacity=1).encode(
        **shared,
        fill=alt.Fill(
            "kind:N",
            title=None,
            scale=alt.Scale(domain=["printed", "computed"], range=["#ffffff", BLUE]),
            legend=alt.Legend(symbolStrokeColor=INK),
        ),
        size=alt.Size(
            "kind:N",
            scale=alt.Scale(domain=["printed", "computed"], range=[150, 40]),
            legend=None,
        ),
    )
    order = list(dict.fromkeys(value["measure"] for value in values))
    return (
        (line + point)
        .properties(width=150, height=150)
        .facet(facet=alt.Facet("measure:N", title=None, sort=order), columns=3)
        .resolve_scale(y="independent")
        .properties(title=title)
    )


def _points(figure: Figure, x: str) -> list[Row]:
    row, _, measure = figure.what.partition(": ")
    series, _, at = row.partition(f", {x} = ")
    same = {"series": series, "x": int(at), "measure": measure}
    return [
        {**same, "kind": "printed", "value": number(figure.printed)},
        {**same, "kind": "computed", "value": figure.computed},
    ]


def lines(rows: Sequence[Row], *, x: str, series: str, title: str) -> Any:
    """Values against `x`, a line for each series, a panel for each measure."""
    alt = altair()
    order = list(dict.fromkeys(row["measure"] for row in rows))
    return (
        alt.Chart(alt.Data(values=list(rows)))
        .mark_line(point=True, color=INK)
        .encode(
            x=alt.X(f"{x}:O", title=x, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("value:Q", title=None),
            strokeDash=alt.StrokeDash(
                f"{series}:N", title=None, legend=alt.Legend(symbolType="stroke")
            ),
            color=alt.Color(f"{series}:N", title=None, scale=alt.Scale(range=[INK, RED])),
        )
        .properties(width=180, height=140)
        .facet(facet=alt.Facet("measure:N", title=None, sort=order), columns=2)
        .resolve_scale(y="independent")
        .properties(title=title)
    )
