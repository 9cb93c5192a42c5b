"""How work grows: ``ds.risk`` on a Parquet file with the number of records and of keys, and MDAV of
six numbers with the number of records and with k; CPU time and peak memory, with drawings."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import data
from figure import Figure
from processes import Outcome, alternately, job

TIMES = 3
IMAGES = Path(__file__).parent.parent / "docs" / "images" / "growth"
RECORDS, KEYS = (100_000, 1_000_000, 10_000_000), len(data.BILLING_KEYS)
MDAV = (10_000, 20_000, 50_000, 100_000)
SIZES = (3, 5, 10, 20, 50)

Point = tuple[int, Outcome]


def run() -> Iterator[Figure]:
    small = str(data.billing(1_000))
    series: dict[str, tuple[str, list[Point]]] = {
        "risk-records": ("records", []),
        "risk-keys": ("keys", []),
        "mdav-records": ("records", []),
        "mdav-k": ("k", []),
    }
    for records in RECORDS:
        found = _taken("risk", str(data.billing(records)), str(KEYS), small)
        series["risk-records"][1].append((records, found))
        yield _figure(f"ds.risk, {records:,} records × {KEYS} keys", found)
    for keys in range(1, KEYS):
        found = _taken("risk", str(data.billing(RECORDS[-1])), str(keys), small)
        series["risk-keys"][1].append((keys, found))
        yield _figure(f"ds.risk, {RECORDS[-1]:,} records × {keys} keys", found)
    series["risk-keys"][1].append((KEYS, series["risk-records"][1][-1][1]))
    for records in MDAV:
        found = _taken("mdav", str(records), "3")
        series["mdav-records"][1].append((records, found))
        yield _figure(f"ds.microaggregate, {records:,} records × 6, k = 3", found)
    for k in SIZES:
        found = _taken("mdav", str(MDAV[-1]), str(k))
        series["mdav-k"][1].append((k, found))
        yield _figure(f"ds.microaggregate, {MDAV[-1]:,} records × 6, k = {k}", found)
    for name, (by, points) in series.items():
        _draw(name, by, points)


def _taken(*arguments: str) -> Outcome:
    start = functools.partial(job, "growth_job.py", *arguments)
    return alternately({"": start}, TIMES)[""]


def _figure(what: str, found: Outcome) -> Figure:
    return Figure(f"{what}, peak {found['megabytes']:.0f} MB", found["cpu"], "s CPU")


def _draw(name: str, by: str, points: list[Point]) -> None:
    """Time and memory side by side, as a drawing of the docs."""
    import altair as alt

    from discreet.charts import svg

    rows = [{by: at, "CPU s": one["cpu"], "peak MB": one["megabytes"]} for at, one in points]
    scale = alt.Scale(type="log" if by != "keys" else "linear", nice=False)
    across = alt.X(f"{by}:Q", scale=scale, axis=alt.Axis(values=[at for at, _ in points]))
    lines = [
        alt.Chart(alt.Data(values=rows), width=260, height=180)
        .mark_line(point=True)
        .encode(across, alt.Y(f"{what}:Q", scale=alt.Scale(type=kind)))
        for what, kind in (("CPU s", "linear" if by == "keys" else "log"), ("peak MB", "linear"))
    ]
    IMAGES.mkdir(parents=True, exist_ok=True)
    (IMAGES / f"{name}.svg").write_text(svg(alt.hconcat(*lines)), encoding="utf-8")
