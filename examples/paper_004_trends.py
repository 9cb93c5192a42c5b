"""The trends of paper 004 on the Adult file: what categorical microaggregation costs.

Domingo-Ferrer & Torra mask a survey file that is not public (their Tables 4 to 7). On a sample of
Adult the same trends are looked for. The loss grows with k and with the number of attributes, as
theirs does. Their third trend, that the convex median costs less than the median on the whole, is
not found on Adult: the median is by its nature the better one for Dist, the tables change more with
the convex median, and only EBIL comes out about even.

    python examples/paper_004_trends.py path/to/adult_48842x15.csv
"""

import argparse
from pathlib import Path

import numpy as np

import discreet as ds

EDUCATION = [str(i) for i in range(1, 17)]
AGES = [str(i) for i in range(17, 91)]
HOURS = [str(i) for i in range(1, 100)]
ORDINAL = {"education-num": EDUCATION, "age": AGES, "hours-per-week": HOURS}
FOUR = ["education-num", "marital-status", "sex", "race"]
EIGHT = [*FOUR, "relationship", "workclass", "income", "occupation"]
KS = range(2, 10)
MEASURES = ("dist", "ctbil", "actbil", "ebil")


def losses(path, keys, ordinal="median", n=1000, seed=1):
    """One row per k: the four categorical measures."""
    adult = ds.read(path, keys=keys, types={k: v for k, v in ORDINAL.items() if k in keys})
    sample = ds.read(
        ds.sample(adult, n=n, seed=seed).to("arrow"),
        keys=keys,
        types={k: v for k, v in ORDINAL.items() if k in keys},
    )
    rows = []
    for k in KS:
        masked = ds.microaggregate(sample, k=k, ordinal=ordinal)
        found = ds.information_loss(sample, masked)
        rows.append({"k": k, **{m: getattr(found, m) for m in MEASURES}})
    return rows


def rank_correlation(rows, measure):
    """Spearman's correlation of a measure with k."""
    values = np.array([r[measure] for r in rows])
    ranks = np.argsort(np.argsort(values))
    return float(np.corrcoef(np.arange(len(rows)), ranks)[0, 1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("path", type=Path)
    path = parser.parse_args().path
    tables = {
        "4 attributes": losses(path, FOUR),
        "8 attributes": losses(path, EIGHT),
        "3 ordinal attributes, median": losses(path, list(ORDINAL)),
        "3 ordinal attributes, convex median": losses(path, list(ORDINAL), "convex-median"),
    }
    for name, rows in tables.items():
        print(f"\n{name}\n k      Dist    CTBIL'  ACTBIL'     EBIL")
        for r in rows:
            print(f" {r['k']} {r['dist']:>9.0f} {r['ctbil']:>9.2f}", end="")
            print(f" {r['actbil']:>8.3f} {r['ebil']:>9.1f}")
        said = ", ".join(f"{m} {rank_correlation(rows, m):.2f}" for m in MEASURES)
        print(f" rank correlation with k: {said}")
    plain, convex = list(tables.values())[2:]
    for m in MEASURES:
        a, b = (sum(r[m] for r in rows) for rows in (plain, convex))
        print(f"{m}: median {a:.1f} in all, convex median {b:.1f} ({b / a - 1:+.1%})")


if __name__ == "__main__":
    main()
