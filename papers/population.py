"""What samples of Adult say of the whole file, whose uniques are known: the picture and the tables
of docs/population-uniqueness.md and docs/model-risk.md.

python -m papers.population
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv

import discreet as ds
from discreet.charts import BLUE, INK, RED, altair, in_font, svg
from papers.material import ROOT

DATA = Path(os.environ.get("DISCREET_DATA", ROOT.parent / "shared" / "data"))
FILE = "adult/adult_48842x15.csv"
PICTURE = ROOT / "docs" / "images" / "population" / "adult.svg"
KEYS = {
    "4 keys": ["sex", "age", "race", "marital-status"],
    "8 keys": ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
               "income"],
}  # fmt: skip
SHARES = (0.01, 0.1, 0.5)
MODELS = {"pitman": "Pitman", "zayatz": "Zayatz", "snb": "SNB", "value": "Dankar's rule"}
SAMPLES = 10


def coded(table: Any, names: list[str]) -> dict[str, np.ndarray]:
    """The values of the columns as numbers."""
    found = (table[name].to_numpy(zero_copy_only=False) for name in names)
    return {n: np.unique(v, return_inverse=True)[1] for n, v in zip(names, found, strict=True)}


def class_of(codes: dict[str, np.ndarray]) -> np.ndarray:
    """The number of each record's class."""
    cell = np.zeros(len(next(iter(codes.values()))), dtype=np.int64)
    for values in codes.values():
        cell = np.unique(cell * (values.max() + 1) + values, return_inverse=True)[1]
    return cell


def samples(codes: dict[str, np.ndarray], share: float) -> Iterator[tuple[np.ndarray, Any]]:
    """Which records are drawn, and the sample as microdata."""
    n = len(next(iter(codes.values())))
    for seed in range(SAMPLES):
        drawn = np.sort(np.random.default_rng(seed).permutation(n)[: round(share * n)])
        table = {name: values[drawn] for name, values in codes.items()}
        yield drawn, ds.read(table, keys=list(codes))


def uniqueness(codes: dict[str, np.ndarray], share: float) -> list[dict[str, float]]:
    """Per sample, the estimates as multiples of the truth."""
    cell = class_of(codes)
    truth = _uniques(cell)
    rows = []
    for _, survey in samples(codes, share):
        found = ds.population_uniqueness(survey, population=len(cell))
        told = {name: getattr(found, name) for name in MODELS}
        rows.append({n: v * len(cell) / truth for n, v in told.items() if v is not None})
    return rows


def _uniques(cell: np.ndarray) -> int:
    return int((np.bincount(cell) == 1).sum())


def right_matches(codes: dict[str, np.ndarray], share: float) -> dict[str, float]:
    """Mean over the samples of the true Σ 1/F and of what the models say."""
    cell = class_of(codes)
    people = np.bincount(cell)
    rows = []
    for drawn, survey in samples(codes, share):
        models = ds.population_range(survey, fraction=share).models
        row = {
            "truth": float((1 / people[cell[drawn]]).sum()),
            "individual": models["individual risk"],
            "independent": models["log-linear"],
        }
        if len(codes) == 4:
            row["search"] = ds.model_risk(survey, "search", fraction=share).expected
        rows.append(row)
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


@in_font
def chart(rows: list[dict[str, Any]]) -> Any:
    """Estimates over the truth: the mean of the samples, and how far they spread."""
    alt = altair()
    order = list(MODELS.values())
    base = alt.Chart().encode(
        x=alt.X("share:O", title="share of the file that was drawn", sort=["1%", "10%", "50%"],
                axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("model:N", sort=order),
        color=alt.Color("model:N", title=None, sort=order,
                        scale=alt.Scale(domain=order, range=[INK, BLUE, "#7d8fa3", RED])),
    )  # fmt: skip
    axis = alt.Axis(values=[0.25, 0.5, 1, 2, 4, 8, 16], format="~g")
    y = alt.Y("mean:Q", title="estimate / truth", scale=alt.Scale(type="log"), axis=axis)
    spread = base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q").scale(type="log"), y2="high:Q")
    point = base.mark_point(filled=True, size=60, opacity=1).encode(
        y=y, shape=alt.Shape("model:N", title=None, sort=order, scale=alt.Scale(domain=order))
    )
    truth = alt.Chart().mark_rule(color="#52606d", strokeDash=[4, 3]).encode(y=alt.datum(1))
    panel = alt.layer(truth, spread, point, data=alt.Data(values=rows))
    return panel.properties(width=230, height=220).facet(column=alt.Column("keys:N", title=None))


def figures(table: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Per set of keys and share: the models of uniqueness, and the right matches."""
    models, matches = [], []
    for keys, names in KEYS.items():
        codes = coded(table, names)
        for share in SHARES:
            case = {"keys": keys, "share": f"{share:.0%}"}
            found = uniqueness(codes, share)
            for name, model in MODELS.items():
                values = [one[name] for one in found if name in one]
                ends = {"mean": float(np.mean(values)), "low": min(values), "high": max(values)}
                models.append({**case, "model": model, **ends})
            matches.append({**case, **right_matches(codes, share)})
    return models, matches


def uniqueness_table(rows: list[dict[str, Any]]) -> str:
    """One line per set of keys and share, a column per model."""
    cases = dict.fromkeys((row["keys"], row["share"]) for row in rows)
    head = ["Keys", "Drawn", *MODELS.values()]
    lines = [head, ["---"] * len(head)]
    for keys, share in cases:
        found = [row for row in rows if (row["keys"], row["share"]) == (keys, share)]
        told = [f"{r['mean']:.2f} ({r['low']:.2f} to {r['high']:.2f})" for r in found]
        lines.append([keys, share, *told])
    return _written(lines)


def matches_table(rows: list[dict[str, Any]]) -> str:
    """One line per set of keys and share: the truth, and what the models say."""
    head = ["Keys", "Drawn", "Truth", "Individual risk", "Independent keys", "Search"]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        names = ("truth", "individual", "independent", "search")
        told = [f"{row[name]:,.0f}" if name in row else "–" for name in names]
        lines.append([row["keys"], row["share"], *told])
    return _written(lines)


def _written(lines: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def put(page: str, table: str) -> None:
    """Write a table where the page says that it goes."""
    file = ROOT / "docs" / page
    begin, end = (f"<!-- samples of Adult: {word} -->\n" for word in ("begin", "end"))
    before, _, rest = file.read_text("utf-8").partition(begin)
    file.write_text(f"{before}{begin}\n{table}\n{end}{rest.partition(end)[2]}", "utf-8")


def main() -> None:
    """Draw the picture and write the tables."""
    models, matches = figures(pyarrow.csv.read_csv(DATA / FILE))
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(svg(chart(models)), encoding="utf-8")
    put("population-uniqueness.md", uniqueness_table(models))
    put("model-risk.md", matches_table(matches))


if __name__ == "__main__":
    main()
