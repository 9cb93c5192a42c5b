"""Sums in an engine: the same for every order, and as good as exact."""

import math

import numpy as np
import pytest

import discreet as ds
from discreet.engine.summation import ExactSum, totals


def added(values):
    data = ds.read({"v": values}, types={"v": "continuous"})
    table = data.source.table
    column = table[data.source.at("v")]
    return totals(data.source, table, {"v": column, "square": column * column})


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1.0, 1e12, 1e140])
def test_a_sum_in_an_engine_is_the_same_in_any_order_and_nearly_exact(scale):
    rng = np.random.default_rng(3)
    values = rng.normal(size=400) * 10.0 ** rng.integers(-6, 6, size=400) * scale
    found = added(values)
    assert added(rng.permutation(values)) == found
    assert found["v"] == pytest.approx(math.fsum(values), rel=1e-15)
    assert found["square"] == pytest.approx(math.fsum(values * values), rel=1e-15)


def test_missing_values_do_not_count_and_infinite_ones_stay():
    assert added(np.array([1.5, np.nan, -4.0]))["v"] == -2.5
    assert added(np.array([1.0, np.inf]))["v"] == math.inf
    assert added(np.zeros(3))["v"] == 0.0


def test_the_parts_of_a_sum_fit_a_whole_number_of_the_engine():
    for n in (1, 2, 3, 1_000_000, 2**40):
        one = ExactSum(None, 1.0, n)
        each = one._each
        assert n * 2**each < 2**63
        assert each >= 21
    assert ExactSum(None, 1.0, 5).value(None, None) == 0.0


def test_nothing_is_asked_for_no_terms():
    assert totals(None, None, {}) == {}
