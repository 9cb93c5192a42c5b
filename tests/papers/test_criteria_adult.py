"""The criteria of ARX on its Adult file: the node it chooses, and all sixty nodes of the lattice.

Keys are sex, age, race and marital status; the confidential attribute is the occupation.
"""

import csv
import json

import pyarrow.csv as pacsv
import pytest

import discreet as ds

KEYS = ("sex", "age", "race", "marital-status")
DISCLOSED = {"absent": "ignore"}  # ARX does not look at values that a class lacks
TIE = ("delta-presence 0.03..0.08 subset (i*7919)%20==7", 0.0)  # two nodes lose the same
PARTS = {"k-map": "subset (i*7919)%10==3", "delta-presence": "subset (i*7919)%20==7"}
MODELS = {
    "k-anonymity k=2": lambda whole: ds.KAnonymity(2),
    "k-anonymity k=5": lambda whole: ds.KAnonymity(5),
    "k-anonymity k=10": lambda whole: ds.KAnonymity(10),
    **{
        f"average-risk {r}": lambda whole, r=r: ds.AverageRisk(r)
        for r in (0.05, 0.02, 0.005, 0.001)
    },
    **{f"basic-beta {b}": lambda whole, b=b: ds.BetaLikeness(b) for b in (0.5, 1.0, 3.0, 4.0)},
    **{
        f"enhanced-beta {b}": lambda whole, b=b: ds.BetaLikeness(b, "enhanced")
        for b in (0.5, 1.0, 2.0, 4.0)
    },
    **{
        f"k-anonymity k=5 + enhanced-beta {b}": lambda whole, b=b: [
            ds.KAnonymity(5),
            ds.BetaLikeness(b, "enhanced"),
        ]
        for b in (1.0, 4.0)
    },
    **{
        f"k-map k={k} {PARTS['k-map']}": lambda whole, k=k: ds.KMap(k, whole)
        for k in (2, 5, 10, 100)
    },
    **{
        f"delta-presence {low}..{high} {PARTS['delta-presence']}": lambda whole, low=low, high=high: (
            ds.DeltaPresence(low, high, whole)
        )
        for low, high in ((0.0, 0.1), (0.0, 0.2), (0.02, 0.1), (0.03, 0.08))
    },
    **{
        f"delta-disclosure {d}": lambda whole, d=d: ds.DeltaDisclosure(d, **DISCLOSED)
        for d in (1.0, 1.5, 2.0, 3.0)
    },
}


@pytest.fixture(scope="module")
def hierarchies(reference_data):
    return {
        key: ds.Hierarchy.from_csv(reference_data(f"adult/adult_hierarchy_{key}.csv"))
        for key in KEYS
    }


@pytest.fixture(scope="module")
def whole(reference_data):
    return reference_data("adult/adult_30162x9.csv")


@pytest.fixture(scope="module")
def adult(whole):
    """A function that gives the rows of a model: the whole file, or the subset that it names."""
    table = pacsv.read_csv(whole, parse_options=pacsv.ParseOptions(delimiter=";"))
    steps = {"%10==3": (10, 3), "%20==7": (20, 7)}

    def rows(model):
        chosen = next((step for end, step in steps.items() if model.endswith(end)), (1, 0))
        kept = [i for i in range(table.num_rows) if i * 7919 % chosen[0] == chosen[1]]
        return ds.read(table.take(kept), keys=KEYS, confidential=["occupation"])

    return rows


@pytest.fixture(scope="module")
def chosen(reference_data):
    lines = (
        reference_data("golden/arx_criteria_adult_4keys.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    return {(one["model"], one["max_suppressed"]): one for one in map(json.loads, lines)}


@pytest.fixture(scope="module")
def all_nodes(reference_data):
    found = {}
    with reference_data("golden/criteria_adult_4keys_all_nodes.csv").open() as file:
        for row in csv.DictReader(file):
            found.setdefault(row["model"], []).append(row)
    return found


@pytest.mark.parametrize("model", MODELS)
def test_the_node_of_least_loss_is_the_one_arx_finds(model, whole, adult, hierarchies, chosen):
    for limit in (0.0, 0.05):
        found = ds.generalize(adult(model), hierarchies, MODELS[model](whole), max_suppressed=limit)
        golden = chosen[model, limit]
        if (model, limit) != TIE:
            assert found.best.levels == golden["levels"]
        assert found.best.suppressed == golden["suppressed"]
        assert found.best.loss == pytest.approx(golden["loss"], abs=1e-9)
        assert ds.check(found.best.mask(), MODELS[model](whole))


@pytest.mark.parametrize("model", MODELS)
def test_every_node_suppresses_and_loses_what_it_must(model, whole, adult, hierarchies, all_nodes):
    found = ds.generalize(adult(model), hierarchies, MODELS[model](whole), max_suppressed=1.0)
    for row in all_nodes[model]:
        node = found.lattice.node({key: int(row[key]) for key in KEYS})
        assert node.suppressed == int(row["suppressed"]), row
        assert node.loss == pytest.approx(float(row["loss"]), abs=1e-9), row
