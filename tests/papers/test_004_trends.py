"""The trends of paper 004 on Adult, as the example runs them."""

import importlib.util

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location(
        "trends004", ROOT / "examples/paper_004_trends.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tables(example, reference_data):
    path = reference_data("adult/adult_48842x15.csv")
    return {4: example.losses(path, example.FOUR), 8: example.losses(path, example.EIGHT)}


def test_the_loss_grows_with_k(example, tables):
    for rows in tables.values():
        for measure in example.MEASURES:
            assert example.rank_correlation(rows, measure) > 0.9


def test_the_loss_grows_with_the_number_of_attributes(example, tables):
    for measure in ("dist", "ctbil", "ebil"):
        assert all(a[measure] < b[measure] for a, b in zip(tables[4], tables[8], strict=True))
