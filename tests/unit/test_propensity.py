"""Propensity: the lemma, a twin, files that can be told apart for certain, and ugly input."""

import json
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.kernels.logistic import logistic
from tests.examples import examples


def fitted_slowly(design, ones, of):
    """Newton's method as it is in the books, on rows written out one by one."""
    rows = np.repeat(np.arange(len(of)), of.astype(int))
    y = np.concatenate([[1.0] * int(a) + [0.0] * int(b - a) for a, b in zip(ones, of, strict=True)])
    x, slopes = design[rows], np.zeros(design.shape[1])
    for _ in range(60):
        p = 1 / (1 + np.exp(-x @ slopes))
        slopes = slopes + np.linalg.solve(x.T @ (x * (p * (1 - p))[:, None]), x.T @ (y - p))
    return 1 / (1 + np.exp(-design @ slopes))


def test_the_fit_is_that_of_newtons_method():
    rng = np.random.default_rng(1)
    design = np.column_stack([np.ones(40), rng.normal(size=(40, 3))])
    of = rng.integers(2, 6, 40).astype(float)
    ones = rng.binomial(of.astype(int), 0.4).astype(float)
    found = logistic(design, ones, of)
    assert found.chances == pytest.approx(fitted_slowly(design, ones, of), abs=1e-7)
    assert found.used.all()
    again = logistic(np.hstack([design, design[:, 1:2] - 2 * design[:, 2:3]]), ones, of)
    assert again.used.sum() == 4
    assert again.chances == pytest.approx(found.chances, abs=1e-7)


@st.composite
def tables(draw):
    n = draw(st.integers(2, 25))
    numbers = st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=n, max_size=n)
    words = st.lists(st.sampled_from("abc"), min_size=n, max_size=n)
    return {"x": pa.array(draw(numbers), "float64"), "y": pa.array(draw(words))}


@examples(20)
@given(tables(), st.booleans(), st.randoms(use_true_random=False))
def test_a_file_that_was_not_changed_has_none(table, interactions, random):
    order = list(range(len(table["x"])))
    random.shuffle(order)
    shuffled = pa.table(table).take(order)
    first, second = (ds.read(one, keys=["x", "y"]) for one in (pa.table(table), shuffled))
    found = ds.propensity(first, second, interactions=interactions)
    assert (found.pmse, found.ks) == (0.0, 0.0)


@examples(20)
@given(tables(), tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter(one, other, random):
    order = list(range(len(other["x"])))
    random.shuffle(order)
    first = ds.read(pa.table(one), keys=["x"])
    found, again = (
        ds.propensity(first, ds.read(table, keys=["x"]))
        for table in (pa.table(other), pa.table(other).take(order))
    )
    assert found.to_dict() == again.to_dict()
    assert 0 <= found.pmse <= found.largest + 1e-12
    assert 0 <= found.ks <= 1


def test_pmse_is_the_mean_square_by_its_definition():
    survey = ds.read(ds.datasets.patients(80, seed=2), keys=["age", "income"])
    masked = ds.microaggregate(survey, k=20, preserve_variance=False)
    x, y = (
        np.column_stack([data.to("arrow")[n].to_numpy() for n in ("age", "income")])
        for data in (survey, masked)
    )
    both = np.vstack([x, y]).astype(float)
    both = (both - both.mean(axis=0)) / both.std(axis=0)
    design = np.column_stack([np.ones(160), both, both**2, both[:, 0] * both[:, 1]])
    p = fitted_slowly(design, np.repeat([0.0, 1.0], 80), np.ones(160))
    found = ds.propensity(survey, masked, columns=["age", "income"])
    assert found.pmse == pytest.approx(np.mean((p - 0.5) ** 2), rel=1e-6)
    assert (found.parameters, found.largest, found.expected) == (6, 0.25, None)
    assert "comes from an original one" in found.explain()


def test_an_independent_file_has_an_expected_value():
    first, second = (ds.read(ds.datasets.patients(300, seed=s), keys=["age"]) for s in (1, 2))
    found = ds.propensity(first, second, columns=["age", "income", "sex"])
    c, k = 0.5, found.parameters
    assert found.expected == pytest.approx((k - 1) * (1 - c) ** 2 * c / 600)
    assert found.deviation == pytest.approx(math.sqrt(2 * (k - 1)) * (1 - c) ** 2 * c / 600)
    assert found.ratio < 5
    assert "drawn independently" in found.explain()


def test_files_that_have_no_value_in_common_are_told_apart_for_certain():
    first = ds.read({"x": [1, 2, 3, 4], "g": list("abab")}, keys=["x"])
    second = ds.read({"x": [11, 12, 13, 14], "g": list("cdcd")}, keys=["x"])
    found = ds.propensity(first, second)
    assert found.pmse == pytest.approx(found.largest, abs=1e-6)
    assert (found.certain, found.ks) == (True, 1.0)
    assert "apart with certainty" in found.explain()


def test_terms_that_follow_from_others_are_left_out():
    rows = {"a": [1.0, 2.0, 4.0, 7.0], "b": [2.0, 4.0, 8.0, 14.0], "c": [5.0, 5.0, 5.0, 5.0]}
    first = ds.read(rows, keys=["a"], types=dict.fromkeys("abc", "continuous"))
    second = ds.read({**rows, "a": [1.0, 2.0, 5.0, 9.0], "b": [2.0, 4.0, 10.0, 18.0]}, keys=["a"])
    found = ds.propensity(first, second, interactions=False)
    assert (found.parameters, found.dropped) == (2, 2)
    assert "follow from others" in found.explain()


def test_many_values_share_a_term():
    names = [f"v{i}" for i in range(80)]
    data = ds.read({"g": names}, keys=["g"])
    found = ds.propensity(data, ds.sample(data, n=70, seed=1))
    assert (found.grouped, found.parameters <= 51) == (("g",), True)


def test_bad_arguments_are_named_at_once():
    data = ds.read({"a": [1, 2], "b": [3, 4]}, keys=["a"])
    other = ds.read({"c": [1, 2]}, keys=["c"])
    with pytest.raises(ds.DiscreetError) as error:
        ds.propensity(data, data, columns=["x", "y"])
    assert len({problem.what for problem in error.value.problems}) == 2
    with pytest.raises(ds.DiscreetError, match="N07"):
        ds.propensity(data, other)
    with pytest.raises(ds.DiscreetError, match="P09"):
        ds.propensity(data, {"a": [1]})
    infinite = ds.read({"a": [1.0, np.inf], "b": [3, 4]}, keys=["a"])
    with pytest.raises(ds.DiscreetError, match="D12"):
        ds.propensity(infinite, infinite, columns=["a"])


def test_products_are_left_out_where_they_are_too_many_and_the_result_says_so():
    rng = np.random.default_rng(1)
    table = {f"g{i}": rng.integers(0, 20, 60).astype(str).tolist() for i in range(40)}
    data = ds.read(table, keys=list(table))
    found = ds.propensity(data, data, columns=["g0", "g1", "g2"])
    assert not found.interactions
    assert "main effects alone" in found.explain()
    with pytest.raises(ds.DiscreetError, match="N13"):
        ds.propensity(data, data)


def test_what_is_found_is_shown_in_full():
    data = ds.read({"a": [1, 2, 3], "b": [3, 4, 9]}, keys=["a"])
    found = ds.propensity(data, data)
    assert found.table("arrow")["figure"].to_pylist()[0] == "pmse"
    assert json.loads(json.dumps(found.to_dict()))["pmse"] == 0
