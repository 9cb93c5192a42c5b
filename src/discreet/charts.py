"""Charts: Altair objects made from results (the ``charts`` extra), rendered to static SVG."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from discreet.errors import fail


def altair() -> Any:
    """The chart library, or an error with the install line."""
    if importlib.util.find_spec("altair") is None:
        fail("M01", "altair is not installed.", "Run: pip install 'discreet[charts]'")
    return importlib.import_module("altair")


def svg(chart: Any) -> str:
    """Render a chart to SVG, offline."""
    if importlib.util.find_spec("vl_convert") is None:
        fail("M01", "vl-convert-python is not installed.", "Run: pip install 'discreet[charts]'")
    return str(importlib.import_module("vl_convert").vegalite_to_svg(chart.to_dict()))


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
