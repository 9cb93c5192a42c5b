"""Weights: the papers' rules, their scale, and the triangle that fits the masking."""

import math

import numpy as np
import pytest

import discreet as ds
from tests.papers.tables import FIGURE_4, FIGURE_4_SEX


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1], [2, 1]], r"i = 2, j = 1 breaks the rule w_jj ≥ w_\(j\+1\)j"),
        ([[3], [1, 2]], r"i = 2, j = 2 breaks the rule w_i1 ≥ w_i2"),
        ([[3], [1, 1], [1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 0, 0]], r"i = 5, j = 1"),
        ([[3, 4], [0, 3]], r"i = 1, j = 2 breaks the rule w_jj ≥ w_j\(j\+1\)"),
        ([[3, 2], [0, 1]], r"i = 2, j = 2 breaks the rule w_1j ≤ w_2j"),
        ([[4, 1, 1], [0, 2, 2]], r"i = 2, j = 3 breaks the rule w_1j ≥ w_2\(j\+1\)"),
        ([[0]], "w_11 is not positive"),
        ([[1], [-1]], "i = 2, j = 1 is not a number ≥ 0"),
        ([[float("nan")]], "not a number ≥ 0"),
        ([], "rows of numbers"),
        ([["a"]], "rows of numbers"),
        (5, "rows of numbers"),
    ],
)
def test_a_matrix_that_breaks_a_rule_is_refused_with_the_first_cell_and_the_rule(rows, message):
    with pytest.raises(ds.DiscreetError, match=message):
        ds.Weights.from_matrix(rows)


def test_weights_are_relative_to_w11_and_zero_beyond_the_matrix():
    weights = ds.Weights.from_matrix([[4], [2, 2]])
    assert weights([1, 2, 2, 3], [1, 1, 2, 1]).tolist() == [1, 0.5, 0.5, 0]
    assert "scaled to 1" in weights.explain()


def test_the_other_papers_triangle_is_refused_when_records_lie_in_its_empty_half():
    data = ds.read({"Age": FIGURE_4["IM"], "Sex": FIGURE_4_SEX}, keys=["Age", "Sex"])
    aggregated = ds.disclosure_risk(data, ds.microaggregate(data, ["Age"], k=4, method="fixed"))
    with pytest.raises(ds.DiscreetError, match="upper triangle, for sampling"):
        aggregated.weighted(ds.Weights.from_matrix([[2, 1], [0, 1]]))
    halves = ds.read({"a": [1, 1, 2, 2]}, keys=["a"])
    sampled = ds.disclosure_risk(halves, ds.sample(halves, n=1, seed=1))
    with pytest.raises(ds.DiscreetError, match="lower triangle, for microaggregation"):
        sampled.weighted(ds.Weights.from_matrix([[2], [1, 1]]))


def test_decay_goes_from_the_maximal_to_the_minimal_measure():
    assert ds.Weights.decay(0)([5], [2]).tolist() == [1]
    assert ds.Weights.decay(1)([1, 5], [1, 2]).tolist() == [1, 0]
    assert ds.Weights.decay(0.5)([1, 2, 3], [1, 1, 3]).tolist() == [1, 0.5, 0.25]


def test_a_function_must_keep_the_rules_and_give_numbers():
    falling = ds.Weights.from_function(lambda i, j: 10 / max(i, j))
    assert falling([1, 2], [1, 1]).tolist() == [1, 0.5]
    with pytest.raises(ds.DiscreetError, match="breaks the rule"):
        ds.Weights.from_function(lambda i, j: i)
    with pytest.raises(ds.DiscreetError, match="not a number"):
        ds.Weights.from_function(lambda i, j: -1 if i > 3 else 1)


def test_a_function_is_checked_where_the_records_are_too():
    big = ds.read({"a": np.repeat(np.arange(3), 1300)}, keys=["a"])
    found = ds.disclosure_risk(big, ds.sample(big, fraction=0.99, seed=1))
    odd = ds.Weights.from_function(lambda i, j: 0.1 if i == 1200 else 1.0 if i < 1300 else 2.0)
    with pytest.raises(ds.DiscreetError, match="breaks the rule"):
        found.weighted(odd)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "2"])
def test_a_threshold_is_a_whole_number(wrong):
    with pytest.raises(ds.DiscreetError, match="whole number"):
        ds.Weights.threshold(wrong)


def test_a_matrix_can_come_from_a_csv_file(tmp_path):
    (tmp_path / "w.csv").write_text("4\n2,2\n")
    assert ds.Weights.from_csv(tmp_path / "w.csv").extent == (2, 2)
    (tmp_path / "bad.csv").write_text("i,j\n1,2\n")
    with pytest.raises(ds.DiscreetError, match="no matrix of numbers"):
        ds.Weights.from_csv(tmp_path / "bad.csv")
    with pytest.raises(ds.DiscreetError, match="not a file"):
        ds.Weights.from_csv(tmp_path / "none.csv")


def test_no_weight_may_exceed_w11_even_far_from_it():
    constant = ds.Weights("unchecked", lambda i, j: np.where(np.maximum(i, j) > 1, 1.5, 1.0))
    with pytest.raises(ds.DiscreetError, match="larger than w_11"):
        constant.require_rules(np.array([40]), np.array([39]))
    with pytest.raises(ds.DiscreetError, match="i = 40, j = 39 is larger than w_11"):
        constant.require_rules(np.array([1, 40, 50]), np.array([1, 39, 48]))
    rounded = ds.Weights("unchecked", lambda i, j: np.where(np.maximum(i, j) > 1, 1 + 1e-15, 1.0))
    rounded.require_rules(np.array([1, 40]), np.array([1, 39]))


def test_cells_that_lie_on_one_diagonal_alone_are_compared():
    rising = ds.Weights("unchecked", lambda i, j: np.where(i > 40, 0.5, 0.25) + 0 * j, "lower")
    with pytest.raises(
        ds.DiscreetError, match=r"i = 41, j = 40 breaks the rule w_j1 ≥ w_\(j\+1\)2"
    ):
        rising.require_rules(np.array([2, 41]), np.array([1, 40]))


def test_a_diagonal_matrix_is_one_for_sampling():
    assert ds.Weights.from_matrix([[3, 0], [0, 3]]).triangle == "upper"


def test_contributions_refuse_what_the_measure_refuses():
    halves = ds.read({"a": [1, 1, 2, 2]}, keys=["a"])
    sampled = ds.disclosure_risk(halves, ds.sample(halves, n=1, seed=1))
    with pytest.raises(ds.DiscreetError, match="lower triangle"):
        sampled.contributions(ds.Weights.from_matrix([[2], [1, 1]]))


def test_limits_are_equal_when_their_weights_are():
    one, other = ds.Weights.from_matrix([[2], [1, 1]]), ds.Weights.from_matrix([[4], [2, 2]])
    assert ds.DisclosureRiskAtMost(0.1) == ds.DisclosureRiskAtMost(0.1)
    assert ds.DisclosureRiskAtMost(0.1, ds.Weights.minimal()) != ds.DisclosureRiskAtMost(0.1)
    assert one.given == other.given


@pytest.mark.parametrize("size", [25, 40, 101, 700, 1000])
def test_a_function_that_rises_at_a_far_larger_size_is_refused_at_once(size):
    with pytest.raises(ds.DiscreetError, match="P13"):
        ds.Weights.from_function(lambda i, j: 0.5 if max(i, j) >= size else 1 / max(i, j))


def far_rise(i, j):
    """Falls up to 5,000, then rises: no grid up front can be large enough for every function."""
    return 0.9 if i > 5000 else 1 / max(i, j)


def test_a_function_is_held_to_the_rules_on_the_sizes_that_occur():
    """The cells (i, j) of the records lie on no common row, column or diagonal: the rules that
    join them lead over cells without records."""
    weights = ds.Weights.from_function(far_rise)
    ages = np.repeat([1, 2, 3], [3, 4, 6000])
    data = ds.read({"a": ages, "b": np.arange(len(ages)) % 2}, keys=["a"])
    up = {"a": ds.Hierarchy.suppress()}
    masked = ds.generalize(data, up, ds.KAnonymity(5), max_suppressed=0).best.mask()
    found = ds.disclosure_risk(data, masked)
    assert set(found.classification.i.tolist()) == {6007}
    with pytest.raises(ds.DiscreetError, match="P13"):
        found.weighted(weights)
    with pytest.raises(ds.DiscreetError, match="P13"):
        found.contributions(weights)
    with pytest.raises(ds.DiscreetError, match="P13"):
        ds.check(masked, ds.DisclosureRiskAtMost(0.5, weights))
    with pytest.raises(ds.DiscreetError, match="P13"):
        ds.generalize(data, up, ds.DisclosureRiskAtMost(0.01, weights), max_suppressed=0)


def test_two_cells_on_different_lines_are_compared():
    weights = ds.Weights.from_function(far_rise)
    with pytest.raises(ds.DiscreetError, match="P13"):
        weights.require_fit(np.array([2, 6000]), np.array([2, 7]))
    weights.require_fit(np.array([2, 4000]), np.array([2, 7]))


def test_many_sizes_are_compared_along_the_lines_of_their_cells():
    i = np.arange(1, 2001)
    weights = ds.Weights.from_function(lambda i, j: 0.9 if max(i, j) > 1500 else 1 / max(i, j))
    with pytest.raises(ds.DiscreetError, match="P13"):
        weights.require_fit(i, np.ones_like(i))
    ds.Weights.from_function(lambda i, j: 1 / max(i, j)).require_fit(i, np.ones_like(i))


def test_a_function_that_fails_is_refused_with_the_sizes():
    with pytest.raises(ds.DiscreetError, match=r"P11.*is not a number"):
        ds.Weights.from_function(lambda i, j: 1 / (1 + math.exp(max(i, j))))
