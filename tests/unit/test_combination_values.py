"""One number per combination of the keys, looked up for every record; sums of weights."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.engine.summation import ExactSum
from discreet.errors import DiscreetError
from discreet.kernels.summation import group_totals, weighted_total
from discreet.risks.record_level import CombinationValues

WEIGHTS = [0.1, 1e9, 2.5, 0.3, 7.0, 0.1]


def survey(weights=WEIGHTS):
    table = {"age": [20, 10, 20, None, 10, 20], "sex": list("fmfmmf"), "w": weights}
    return ds.read(table, keys=["age", "sex"], weight="w")


def inverse_sizes(data):
    found = data.frequency_set()
    return CombinationValues(data, found, 1 / found.counts)


def test_the_weights_of_a_combination_are_added_up_exactly():
    found = survey().frequency_set(weighted=True)
    assert found.counts.tolist() == [2, 3, 1]
    assert found.weights.tolist() == [1e9 + 7, math.fsum([0.1, 2.5, 0.1]), 0.3]
    assert found != survey().frequency_set()
    assert found.rollup(["sex"]).weights.tolist() == [2.7, math.fsum([1e9, 7, 0.3])]


def test_a_file_without_weights_says_how_to_name_them():
    with pytest.raises(DiscreetError, match="weight") as failed:
        ds.read({"age": [1]}, keys=["age"]).frequency_set(weighted=True)
    assert failed.value.code == "R13"


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-1e12, 1e12)), min_size=1), st.randoms())
def test_sums_of_groups_are_exact_and_the_same_in_any_order(pairs, random):
    owner, values = (np.array(column) for column in zip(*pairs, strict=True))
    found = group_totals(values.astype(float), owner, 4)
    exact = [math.fsum(values[owner == g]) for g in range(4)]
    assert found == pytest.approx(exact, rel=3e-16, abs=1e-30)
    random.shuffle(pairs)
    owner, values = (np.array(column) for column in zip(*pairs, strict=True))
    assert group_totals(values.astype(float), owner, 4).tolist() == found.tolist()


def test_sums_of_groups_with_an_infinite_number_stay_infinite():
    values = np.array([math.inf, 1.0, 2.0])
    assert group_totals(values, np.array([0, 1, 1]), 2).tolist() == [math.inf, 3.0]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 10**9)), min_size=1))
def test_a_number_that_counts_many_times_is_added_as_if_written_out(pairs):
    values, counts = (np.array(column) for column in zip(*pairs, strict=True))
    exact = sum(Fraction(v) * n for v, n in pairs)
    assert weighted_total(values.astype(float), counts) == pytest.approx(float(exact), rel=3e-16)


@given(st.lists(st.tuples(st.integers(-(2**61), 2**61), st.integers(0, 2**61)), min_size=1))
def test_many_sums_of_an_engine_are_those_of_single_ones(parts):
    one = ExactSum(None, 3.0, 1000)
    coarse, fine = (pa.chunked_array([list(column)]) for column in zip(*parts, strict=True))
    single = [one.value(c, f) for c, f in parts]
    assert one.values(coarse, fine) == pytest.approx(single, rel=3e-16)


def test_numbers_of_combinations_are_looked_up_in_the_order_of_the_records():
    found = inverse_sizes(survey())
    third = 1 / 3
    assert found.values().tolist() == [third, 0.5, third, 1.0, 0.5, third]
    assert found.summary() == (math.fsum(found.values()), 1.0)
    assert found.above(0.4).positions.tolist() == [1, 3, 4]
    assert found.above(0.4) == 3
    assert sum(found.histogram().counts) == 6
    assert found.top(2, "arrow").to_pydict() == {"record": [3, 1], "risk": [1.0, 0.5]}


def test_numbers_become_a_column_where_the_records_are():
    found = inverse_sizes(survey()).column("share")
    assert found.columns == ("age", "sex", "w", "share")
    assert found.keys == ("age", "sex")
    assert found.to("arrow")["share"].to_pylist() == inverse_sizes(survey()).values().tolist()


def test_a_column_of_that_name_is_refused():
    with pytest.raises(DiscreetError, match="already"):
        inverse_sizes(survey()).column("sex")


def test_a_number_of_zero_has_no_place_in_the_histogram_and_is_counted():
    data = survey()
    keys = data.frequency_set()
    found = CombinationValues(data, keys, np.array([0.0, 0.5, 0.25]))
    assert found.histogram().zeros == 2
    assert found.summary() == (1.75, 0.5)


def test_a_column_of_any_name_may_stand_beside_the_numbers():
    names = ["number", "value", "0", "1", ""]
    table = {"age": [20, 10, 20], **{name: [7, 8, 9] for name in names}}
    survey = ds.read(table, keys=["age"])
    ages = survey.frequency_set()
    assert CombinationValues(survey, ages, 1 / ages.counts).values().tolist() == [0.5, 1, 0.5]
