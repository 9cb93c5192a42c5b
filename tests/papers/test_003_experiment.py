"""The experiment of paper 003, as the example runs it."""

import importlib.util

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("adult003", ROOT / "examples/paper_003_adult.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def path(reference_data):
    return reference_data("adult/adult_48842x15.csv")


def test_k_anonymity_leaves_attribute_disclosures_that_2_sensitivity_removes(example, path):
    rows = example.experiment(path)
    assert [(r["size"], r["k"]) for r in rows] == list(example.TABLE_8)
    assert all(0 < r["disclosures"] < 50 for r in rows)  # the paper's order of magnitude: 0 to 6
    assert all(r["left"] == 0 for r in rows)
    by_k = {(r["size"], r["k"]): r["disclosures"] for r in rows}
    assert all(by_k[size, 3] <= by_k[size, 2] for size in (400, 4000))


def test_the_nodes_are_near_those_of_table_8(example, path):
    for row in example.experiment(path):
        levels = [int(part[1]) for part in row["node"].split()]
        paper = [int(part[1]) for part in example.TABLE_8[row["size"], row["k"]][0].split()]
        assert abs(sum(levels) - sum(paper)) <= 2


def test_the_table_7_lattice_has_96_nodes_and_height_9(example, path):
    nodes, tally, spent = example.savings(path, p=2, budget=0.2)
    assert nodes == 96
    assert tally.excluded_by_size == 2
    assert tally.excluded_by_condition_2 == 0  # on this sample the class sizes exclude all there is
    assert set(spent) == {"with", "without"}
