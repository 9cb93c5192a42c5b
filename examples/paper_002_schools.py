"""The experiment of paper 002 on simulated school records, and what targeting saves.

Orooji & Knapp measure 1,009,993 students with 27 attributes; 111 known sets are left at ε = 0.01,
and 15,651 records (1.55 %) have a risk above 0.01. Their file is confidential, so the number for
simulated students differs; the number of known sets does not.

Their outlook is to protect the risky records only. Here this is compared with k-anonymity of the
whole file at the same highest risk: how many cells are lost, a record that is left out losing all
of its cells and a generalized one as much of them as Iyengar's loss says.

    python examples/paper_002_schools.py [--records 1009993] [--at-most 1]
"""

import argparse
import time

import discreet as ds

KEYS = ["gender", "ethnicity", "home_language", "english_learner", "birthplace", "gifted",
        "age", "grade"]  # fmt: skip


def hierarchies():
    """Whole attributes are given up, but for age and grade, which have a level in between."""
    grades = ["PK", "K", *map(str, range(1, 13))]
    stages = {g: ["primary" if i < 7 else "secondary"] for i, g in enumerate(grades)}
    coarse = dict.fromkeys(KEYS, ds.Hierarchy.suppress())
    return coarse | {
        "age": ds.Hierarchy.intervals([4, 8]),
        "grade": ds.Hierarchy.from_dict({g: [*up, "*"] for g, up in stages.items()}),
    }


def cells_lost_by_k_anonymity(table, settings, at_most):
    """The least k whose file has no riskier record, and the share of the cells that it costs."""
    data = ds.read(table, keys=KEYS)
    for k in (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000):
        best = ds.generalize(data, hierarchies(), ds.KAnonymity(k), max_suppressed=0.05).best
        masked = best.mask()
        if ds.record_risk(masked, **settings).highest <= at_most:
            kept = 1 - best.loss * len(KEYS) / len(data.columns)
            gone = (data.n - masked.n) / data.n
            # the loss counts a suppressed record as lost on the keys; its other cells go as well
            return k, 1 - kept + gone * (1 - len(KEYS) / len(data.columns))
    return None, 1.0


def cells_lost_by_targeting(table, settings, at_most, missing):
    """The share of the cells that protecting the risky records only costs."""
    data = ds.read(table, missing=missing)
    risk = ds.record_risk(data, **settings)
    masked = ds.protect_records(data, risk, at_most=at_most)
    return sum(masked.changes.values()) / (data.n * len(data.columns))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=1_009_993)
    parser.add_argument("--at-most", type=float, default=1.0)
    options = parser.parse_args()
    table, settings = ds.datasets.school_records(options.records), ds.datasets.school_settings()
    data = ds.read(table)
    start = time.perf_counter()
    risk = ds.record_risk(data, **settings)
    print(
        f"{data.n:,} records, {len(data.columns)} attributes, {len(risk.sets)} known sets,", end=""
    )
    print(f" {time.perf_counter() - start:.1f} s, the reading of the columns included")
    print(f"{risk.above(0.01)!r} (the paper: 15,651 of 1,009,993, 1.55%)\n")
    print(risk.histogram().bars(), "\n")
    few = table.slice(0, min(options.records, 50_000))
    print(f"No risk above {options.at_most:g}, on {few.num_rows:,} records: cells lost")
    k, lost = cells_lost_by_k_anonymity(few, settings, options.at_most)
    print(f"  k-anonymity of the whole file (k = {k})      {lost:9.4%}")
    for missing in ("category", "wildcard"):
        lost = cells_lost_by_targeting(few, settings, options.at_most, missing)
        print(f"  targeting, a blank is a {missing:<10}          {lost:9.4%}")


if __name__ == "__main__":
    main()
