"""Risky combinations: the golden file, what is shown, and ugly input."""

import json

import pyarrow.csv as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.errors import DiscreetError
from tests.unit.test_special_uniques import KEYS, survey


def test_the_cells_are_those_of_the_golden_file(reference_data):
    table = pc.read_csv(
        reference_data("golden/sdcmicro_risky_cells_testdata_7keys_threshold3.csv")
    ).to_pylist()
    data = ds.read(reference_data("ihsn_testdata_4580x15.csv"), keys=KEYS)
    found = ds.risky_combinations(data, at_most=3, size=3)
    expected = {
        tuple(row[f"key{i}"] for i in (1, 2, 3) if row[f"key{i}"]): row["unsafe_cells"]
        for row in table
    }
    assert dict(found.cells) == expected
    assert len(expected) == 63


@pytest.fixture(scope="module")
def found():
    return ds.risky_combinations(survey(["ax", "ax", "ay", "bx", "bx"]), at_most=2)


def test_the_result_says_which_sets_have_small_cells(found):
    assert dict(found.cells) == {("k0",): 1, ("k1",): 1, ("k0", "k1"): 3}
    assert dict(found.records) == {("k0",): 2, ("k1",): 1, ("k0", "k1"): 5}
    assert (found.total, found.affected, found.size, found.at_most) == (5, 5, 2, 2)
    assert found.table("arrow").to_pydict()["cells"] == [1, 1, 3]
    assert "5 cells have at most 2 records" in found.explain()
    assert "{k0, k1} with 3" in found.explain()
    assert json.loads(json.dumps(found.to_dict()))["sets"][2] == {
        "keys": ["k0", "k1"], "cells": 3, "records": 5,
    }  # fmt: skip
    assert repr(found).startswith("RiskyCombinations: 3 sets")


def test_a_file_without_small_cells_says_so():
    found = ds.risky_combinations(survey(["ax"] * 4))
    assert (found.total, found.affected) == (0, 0)
    assert "No cell has at most 3 records." in found.explain()


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=20), st.integers(1, 4))
def test_a_record_of_a_small_cell_is_in_one_of_every_larger_set(rows, at_most):
    found = ds.risky_combinations(survey(rows), at_most=at_most)
    for smaller, records in found.records.items():
        for larger in found.records:
            if set(smaller) <= set(larger):
                assert records <= found.records[larger]
    assert found.affected == found.records["k0", "k1", "k2"]


def test_a_missing_key_is_a_value_or_makes_no_cell():
    table = {"a": ["x", "x", None], "b": ["p", "p", "p"]}
    assert ds.risky_combinations(ds.read(table, keys=["a", "b"]), 1).cells["a",] == 1
    blank = ds.risky_combinations(ds.read(table, keys=["a", "b"], missing="wildcard"), 1)
    assert dict(blank.cells) == {("a",): 0, ("b",): 0, ("a", "b"): 0}
    assert "A missing key makes no cell" in blank.explain()


@pytest.mark.parametrize("given", [{"at_most": 0}, {"size": 0}, {"at_most": 2.5}, {"size": "all"}])
def test_arguments_out_of_their_range_are_refused(given):
    with pytest.raises(DiscreetError) as failed:
        ds.risky_combinations(survey(["ab", "cd"]), **given)
    assert next(iter(given)) in str(failed.value)


def test_too_many_sets_are_refused():
    table = {f"k{a}": [1, 2] for a in range(40)}
    with pytest.raises(DiscreetError) as failed:
        ds.risky_combinations(ds.read(table, keys=list(table)), size=8)
    assert failed.value.code == "P50"
    with pytest.raises(DiscreetError):
        ds.risky_combinations({"a": [1]})
