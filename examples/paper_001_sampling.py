"""The experiment of paper 001: DR_min and DR_max of samples of a billing file against the
sampling factor, for two sets of keys and three file sizes.

Truta, Fotouhi & Barth-Jones find the measures almost linear in the sampling factor, and KA1 =
{Age, Sex, Zip} riskier than KA2 = {Age, Race, Sex}. Both are confirmed, and the lines are
compared with the closed form of ``ds.sampling_risk``.

    python examples/paper_001_sampling.py [--chart sampling.svg]
"""

import argparse
from pathlib import Path

import numpy as np

import discreet as ds

KEYS = {"KA1": ["Age", "Sex", "Zip"], "KA2": ["Age", "Race", "Sex"]}
SIZES = (1000, 5000, 25000)
FACTORS = [i / 10 for i in range(1, 11)]


def experiment(sizes=SIZES, seed=1):
    """One row per file size, set of keys, and sampling factor: measured and predicted."""
    rows = []
    for n in sizes:
        billing = ds.datasets.billing(n, seed=seed)
        for name, keys in KEYS.items():
            initial = ds.read(billing, keys=keys)
            predicted = ds.sampling_risk(initial)
            for sf in FACTORS:
                found = ds.disclosure_risk(initial, ds.sample(initial, fraction=sf, seed=seed))
                expected = predicted.at(sf)
                rows.append(
                    {
                        "n": n,
                        "keys": name,
                        "sf": sf,
                        "DR_min": found.minimal,
                        "DR_max": found.maximal,
                        "E DR_min": expected.minimal,
                        "E DR_max": expected.maximal,
                    }
                )
    return rows


def linearity(rows, measure):
    """R² of a straight line through 0: 1 − Σ(y − b·sf)²/Σ(y − mean)²."""
    sf, y = np.array([r["sf"] for r in rows]), np.array([r[measure] for r in rows])
    slope = (sf * y).sum() / (sf * sf).sum()
    return 1 - ((y - slope * sf) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def chart(rows):
    """Both measures against the sampling factor, one panel per file size."""
    from discreet.charts import altair

    alt = altair()
    values = [
        {"n": r["n"], "keys": r["keys"], "sf": r["sf"], "measure": m, "risk": r[m]}
        for r in rows
        for m in ("DR_min", "DR_max")
    ]
    return (
        alt.Chart(alt.Data(values=values), title="Risk of samples of the billing file")
        .mark_line(point=True)
        .encode(
            x=alt.X("sf:Q", title="sampling factor"),
            y=alt.Y("risk:Q", title="disclosure risk"),
            color=alt.Color("keys:N", title="keys"),
            strokeDash=alt.StrokeDash(
                "measure:N",
                title="measure",
                legend=alt.Legend(symbolType="stroke", symbolStrokeColor="black"),
            ),
            column=alt.Column("n:O", title="records"),
        )
        .properties(width=200, height=200)
    )


def main():
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--chart", type=Path)
    chosen = arguments.parse_args()
    rows = experiment()
    print("     n keys   sf   DR_min expected   DR_max expected")
    for r in rows:
        if r["sf"] in (0.1, 0.5, 1.0):
            print(
                f"{r['n']:>6} {r['keys']:<4} {r['sf']:>4} {r['DR_min']:>8.4f} {r['E DR_min']:>8.4f}"
                f" {r['DR_max']:>8.4f} {r['E DR_max']:>8.4f}"
            )
    for n in SIZES:
        for keys in KEYS:
            line = [r for r in rows if (r["n"], r["keys"]) == (n, keys)]
            fits = ", ".join(f"{m} {linearity(line, m):.4f}" for m in ("DR_min", "DR_max"))
            print(f"n = {n:>6}, {keys}: R² of a line through 0: {fits}")
    if chosen.chart:
        from discreet.charts import svg

        chosen.chart.write_text(svg(chart(rows)), encoding="utf-8")
        print(f"chart written to {chosen.chart.name}")


if __name__ == "__main__":
    main()
