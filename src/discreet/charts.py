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
