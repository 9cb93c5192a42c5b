"""What results of two files, searches and advice were computed from."""

import pytest

import discreet as ds

ROLES = {"keys": ["age", "income"], "weight": "weight"}
H = {"age": ds.Hierarchy.intervals([20, 40])}


@pytest.fixture(scope="module")
def files():
    survey = ds.read(ds.datasets.patients(80, seed=1, weighted=True), **ROLES)
    return survey, ds.microaggregate(survey, k=4)


MEASURED = {
    "score": ds.score,
    "statistics": ds.compare_statistics,
    "regression": lambda *files: ds.regression_loss(*files, "income ~ age"),
}


@pytest.mark.parametrize("measure", MEASURED.values(), ids=list(MEASURED))
def test_measures_say_their_source_and_that_weights_do_not_count(files, measure):
    found = measure(*files)
    told = found.to_dict()["computed_from"]
    assert (told["records"], told["version"], told["weight"]) == (80, ds.__version__, "weight")
    assert "the weights in 'weight'; every record counts once" in found.explain()


def test_statistics_and_regressions_need_no_classes():
    table = {"a": ["x", "x", None, "y", "y"], "b": [1, 1, 2, 2, 3], "c": [2.0, 3, 4, 8, 7]}
    types = {"b": "continuous"}
    data = ds.read(table, keys=["a"], missing="wildcard", types=types)
    masked = ds.suppress_cells(data, ds.KAnonymity(2))
    assert ds.regression_loss(data, masked, "c ~ b").largest_change == 0
    again = ds.read(table, keys=["a", "b"], missing="wildcard", types=types)
    rounded = ds.round_values(again, ["b"], base=2, kind="nearest")
    assert ds.compare_statistics(again, rounded).rows[0][:2] == ("b", "mean")


def test_a_search_and_an_advice_say_their_source():
    ages = ds.read({"age": [20, 20, 30, 30]}, keys=["age"])
    found = ds.generalize(ages, H, ds.KAnonymity(2))
    advice = ds.advise(ages, H, ds.KAnonymity(9))
    for one in (found, advice):
        assert one.to_dict()["computed_from"] == one.provenance.to_dict()
        assert one.provenance.records == 4


def test_several_checks_are_a_row_each(files):
    asked = [ds.KAnonymity(3), ds.DisclosureRiskAtMost(0.0001)]
    found = ds.check(files[1], asked)
    rows = found.table("arrow").to_pylist()
    assert rows == [
        {"criterion": one.describe(), "satisfied": part.satisfied}
        for one, part in zip(asked, found.parts, strict=True)
    ]
