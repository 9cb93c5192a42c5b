"""Tables that a user names: differences of their counts, before and after."""

import json
import math

import pytest

import discreet as ds

BEFORE = {"rec": [1, 2, 3, 4, 5, 6], "sex": list("FFFMMM"), "ill": list("aabbbb")}
AFTER = {**BEFORE, "ill": list("aabbab")}


def compared(**given):
    first, second = (ds.read(t, keys=["sex", "ill"]) for t in (BEFORE, AFTER))
    return ds.compare_statistics(first, second, on="rec", **given)


def test_differences_of_counts_by_hand():
    """Before Fa 2, Fb 1, Mb 3; after Fa 2, Fb 1, Ma 1, Mb 2."""
    [found] = compared(tables=[["sex", "ill"]]).tables
    assert (found.cells, found.new, found.absolute) == (4, 1, 0.5)
    assert found.relative == pytest.approx(1 / 9)
    assert found.root == pytest.approx((1 + math.sqrt(3) - math.sqrt(2)) / 4)


def test_what_was_not_changed_has_no_difference():
    found = compared(tables=["sex"])
    assert found.table("arrow").num_rows == 0
    assert found.tables[0].to_dict() == {
        "attributes": ["sex"], "cells": 2, "absolute": 0, "relative": 0, "root": 0, "new": 0
    }  # fmt: skip
    assert found.table_change == 0


def test_a_sample_is_scaled_to_as_many_records():
    survey = ds.read({"sex": list("FFFFMMMM")}, keys=["sex"])
    found = ds.compare_statistics(survey, ds.sample(survey, n=4, seed=1, by="sex"), tables=["sex"])
    assert found.tables[0].absolute == 0


def test_numbers_and_tables_stand_side_by_side():
    survey = ds.read(ds.datasets.patients(100, seed=1), keys=["age", "sex"])
    masked = ds.microaggregate(survey, ["age"], k=5, method="fixed")
    plain = ds.compare_statistics(survey, masked)
    found = ds.compare_statistics(survey, masked, tables=[["sex", "illness"], ["age"]])
    assert found.rows == plain.rows
    assert (plain.tables, plain.table_change) == ((), None)
    assert found.table_differences("arrow")["attributes"].to_pylist() == ["sex × illness", "age"]
    assert "Table sex × illness" in found.explain()
    assert json.loads(json.dumps(found.to_dict()))["tables"][0]["relative"] == 0


def test_all_unknown_columns_of_tables_are_named_at_once():
    with pytest.raises(ds.DiscreetError) as error:
        compared(tables=[["sx"], ["sex", "il"]])
    assert len(error.value.problems) == 4
    with pytest.raises(ds.DiscreetError, match="P16"):
        compared(tables=[[]])
    with pytest.raises(ds.DiscreetError, match="N07"):
        compared()
