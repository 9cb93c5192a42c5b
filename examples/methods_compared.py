"""Which method is best at which risk: R-U maps of the Census file and of Adult over many methods.

The risk is that of an intruder who has the initial values and takes, for each person, the nearest
released record: the share of people who are expected to be linked to their own. It means the same
after every method, perturbing ones too. The loss of the Census file, thirteen amounts of which six
are masked, is the probabilistic one of means, variances, covariances, correlations and quantiles;
that of Adult, categories and numbers, is how well a model with interactions tells released records
from initial ones. Labels of a hierarchy have no distance, so that methods that recode are not here.

    python examples/methods_compared.py DATA FOLDER

DATA holds CASC_census_1080x13.csv and adult/adult_48842x15.csv; the pictures go to FOLDER.
"""

import argparse
from pathlib import Path

import pyarrow.csv

import discreet as ds
from discreet.charts import svg

SIX = ["AGI", "FEDTAX", "STATETAX", "TAXINC", "FICA", "INTVAL"]
ADULT = ["age", "hours-per-week", "education-num", "marital-status", "sex", "race"]
NUMBERS = ["age", "hours-per-week"]
RECORDS = 2000  # of Adult
AMOUNTS = [0.05, 0.1, 0.3, 0.6]


def census(folder):
    """Numbers: groups, noise, swaps and shuffles of six amounts."""
    data = ds.read(folder / "CASC_census_1080x13.csv", keys=SIX)
    recipes = [
        *ds.grid(methods=["mdav", "individual"], columns=SIX, k=[3, 10, 30]),
        *ds.grid(methods=["rank swapping"], columns=SIX, window=[0.02, 0.1, 0.3], seed=1),
        *ds.grid(
            methods=["correlated", "exact-moments", "multiplicative"],
            columns=SIX,
            amount=AMOUNTS,
            seed=1,
        ),
        *ds.grid(methods=["shuffling"], columns=SIX, given=["PEARNVAL", "ERNVAL"], seed=1),
    ]
    asked = {"linkage": {"columns": SIX}}
    return ds.ru_map(data, recipes, risk="linkage.correct_share", loss="pil", measures=asked)


def adult(folder):
    """Categories and numbers: groups of all, PRAM of the former, noise and swaps of the latter."""
    rows = pyarrow.csv.read_csv(folder / "adult" / "adult_48842x15.csv").select(ADULT)
    types = {"education-num": [str(i) for i in range(1, 17)]}
    types |= dict.fromkeys(NUMBERS, "continuous")
    whole = ds.read(rows, keys=ADULT, types=types)
    data = ds.read(ds.sample(whole, n=RECORDS, seed=1).to("arrow"), keys=ADULT, types=types)
    recipes = [
        *ds.grid(methods=["mdav"], k=[3, 10, 30]),
        *ds.grid(methods=["rank swapping"], columns=NUMBERS, window=[0.05, 0.2, 0.5], seed=1),
        *ds.grid(
            methods=["correlated"], columns=NUMBERS, amount=[0.1, 0.5, 1.0], round=True, seed=1
        ),
        *ds.grid(methods=["pram"], columns=ADULT[2:], keep=[0.9, 0.7, 0.5], seed=1),
        *ds.grid(methods=["shuffling"], columns=NUMBERS, given=["education-num"], seed=1),
    ]
    asked = {"linkage": {"columns": ADULT}, "propensity": {"columns": ADULT, "interactions": True}}
    return ds.ru_map(
        data, recipes, risk="linkage.correct_share", loss="propensity.share", measures=asked
    )


def main():
    """Draw both maps, and say what no other masking beats."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    for name, found in (("census", census(asked.data)), ("adult", adult(asked.data))):
        print(f"{name}: {found.explain()}\n")
        (asked.folder / f"{name}.svg").write_text(svg(found.chart()), encoding="utf-8")


if __name__ == "__main__":
    main()
