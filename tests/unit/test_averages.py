"""Averages and the units of a partition: each rule by itself, on numbers worked out by hand."""

import itertools

import numpy as np
import pytest

import discreet as ds
from discreet.masking.aggregation import (
    Points,
    block_size,
    blocks_of,
    group_codes,
    group_means,
    group_ranks,
    standardised,
    unit_of,
)
from discreet.masking.attainable import Attainable, attainable
from discreet.masking.generalize import _frequencies, _least


def test_the_mean_of_a_group_does_not_depend_on_the_order_of_its_records():
    values = np.array([0.1, 0.2, 0.3, 1e9, 0.7])
    found = {
        tuple(np.sort(group_means(values[list(order)], np.zeros(5, dtype=np.int64))))
        for order in itertools.permutations(range(5))
    }
    assert len(found) == 1


def test_large_values_that_differ_little_keep_the_digits_of_their_mean():
    values = 1e15 + np.array([0.125, 0.25, 0.375])
    assert group_means(values, np.zeros(3, dtype=np.int64)).tolist() == [1e15 + 0.25] * 3


def test_groups_are_averaged_apart_in_whatever_order_their_numbers_come():
    groups = np.array([2, 0, 1, 0, 2, 1])
    values = np.array([1.0, 10, 100, 20, 3, 300])
    assert group_means(values, groups).tolist() == [2, 15, 200, 15, 2, 200]
    ranks = np.array([0, 1, 2, 3, 0, 2])
    assert group_ranks(ranks, 4, groups, "median").tolist() == [0, 1, 2, 1, 0, 2]
    assert group_codes(np.array([1, 0, 2, 3, 1, 2]), 4, groups).tolist() == [1, 0, 2, 0, 1, 2]


def test_the_median_and_the_convex_median_differ_between_two_camps():
    ranks, groups = np.array([1, 2, 7]), np.zeros(3, dtype=np.int64)
    assert group_ranks(ranks, 8, groups, "median").tolist() == [2] * 3
    assert group_ranks(ranks, 8, groups, "convex-median").tolist() == [4] * 3


def test_values_are_taken_in_units_of_their_spread_around_their_mean():
    assert standardised(np.array([1.0, 3.0])) == pytest.approx([-(0.5**0.5), 0.5**0.5])
    assert standardised(np.array([4.0, 4.0])).tolist() == [0, 0]
    assert standardised(np.array([7.0]), (5.0, 4.0)).tolist() == [0.5]


def test_units_have_eight_digits_of_the_spread():
    assert unit_of(1 / 3, 2 / 3) == (0.333333333, 0.666666667)
    assert unit_of(1234.56789, 1000 / 3) == (1234.567890, 333.333333)
    assert unit_of(5.0, 0.0) == (5.0, 0.0)


def test_a_block_that_is_halved_leaves_two_groups():
    assert block_size(100, 5) == 100
    assert block_size(7, 5) == 10
    points = Points(np.arange(12.0)[:, None], np.empty((12, 0)), np.empty(0), np.empty((12, 0)))
    assert [b.tolist() for b in blocks_of(points, 12, 2)] == [list(range(12))]
    assert [b.tolist() for b in blocks_of(points, 6, 2)] == [list(range(6)), list(range(6, 12))]
    assert all(len(b) >= 5 for b in blocks_of(points, 1, 5))


def test_ordinal_axes_are_ranks_over_the_steps_of_their_scale():
    points = Points(np.array([[2.0]]), np.array([[3]]), np.array([4.0]), np.array([[1]]))
    assert points.axes().tolist() == [[2.0, 0.75]]
    assert not points.plain


def test_the_sizes_of_values_are_the_largest_and_then_as_few_as_can_be():
    data = ds.read({"a": list("xxxxyyyzzw")}, confidential=["a"])
    assert _frequencies(data, "a", 2).tolist() == [4, 3, 3]
    assert _frequencies(data, "a", 1).tolist() == [4, 4, 2]
    assert _frequencies(data, "a", 9).tolist() == [4, 3, 2, 1]


def test_as_many_values_are_asked_for_as_the_strictest_criterion_needs():
    from discreet.criteria.all_of import AllOf

    both = AllOf((ds.LDiversity(3), ds.PSensitiveKAnonymity(p=2, k=5)))
    assert _least(both, "a", ["a"]) == 3
    assert _least(ds.PSensitiveKAnonymity(p=4, k=5), "a", ["a"]) == 4


def test_few_records_at_once_lead_to_the_same_limit(monkeypatch):
    rng = np.random.default_rng(1)
    table = {name: rng.choice(list("uvwxyz"), 80) for name in "abd"}
    data = ds.read(table)
    risk = ds.record_risk(data, {"a": 0.5, "b": 0.5}, {"d": 1.0})
    limit = float(np.quantile(risk.values, 0.7))
    monkeypatch.setattr("discreet.masking.local_suppression._AT_ONCE", 3)
    masked = ds.protect_records(data, risk, at_most=limit)
    assert ds.record_risk(masked, settings=risk.settings).highest <= limit


def test_where_no_single_blank_helps_the_most_sensitive_cell_goes_first():
    """Each of the two is alone on every attribute, blank or not; only what is sensitive counts."""
    data = ds.read({"a": list("xy"), "d": list("pq"), "e": list("rs")})
    risk = ds.record_risk(data, {"a": 0.9}, {"d": 1.0, "e": 0.1})
    limit = float(risk.values.max()) * 0.2
    masked = ds.protect_records(data, risk, at_most=limit)
    assert masked.changes == {"d": 2}


@pytest.mark.parametrize(
    ("values", "records", "few"), [(20, 200, True), (20, 199, False), (21, 210, False)]
)
def test_few_values_are_at_most_twenty_in_ten_records_each(values, records, few):
    numbers = [7 * (i % values) for i in range(records)]
    data = ds.read({"x": numbers}, keys=["x"], types={"x": "continuous"})
    found = attainable(data, ["x"])["x"]
    assert (found.digits, found.low, found.high) == (0, 0, 7 * (values - 1))
    assert found.few == (tuple(range(0, 7 * values, 7)) if few else None)


def test_the_nearest_attainable_value_is_the_lower_one_of_two():
    can = Attainable(0, 2, 10, (2, 4, 10))
    averages = np.array([-5, 2, 3, 4, 6, 7, 8, 10, 99])
    assert can.nearest(averages).tolist() == [2, 2, 2, 4, 4, 4, 10, 10, 10]
    assert Attainable(0, 2, 10).nearest(averages).tolist() == [2, 2, 3, 4, 6, 7, 8, 10, 10]
    assert Attainable(0, 5, 5, (5,)).nearest(averages).tolist() == [5] * 9
