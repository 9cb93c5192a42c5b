"""Sums in any order: the same bits for every order, and as good as exact."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from discreet.kernels import summation
from discreet.kernels.summation import row_totals, total, totals
from tests.examples import examples

numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)
moderate = st.floats(-1e290, 1e290)


@examples(300)
@given(values=arrays(np.float64, st.integers(0, 60), elements=moderate), seed=st.integers(0, 99))
def test_a_sum_is_the_same_in_any_order_and_nearly_exact(values, seed):
    found = total(values)
    assert total(np.random.default_rng(seed).permutation(values)).hex() == found.hex()
    expected, most = math.fsum(values), float(np.abs(values).max(initial=0.0))
    assert abs(found - expected) <= math.ulp(expected) + most * 2.0**-130


@given(values=arrays(np.float64, st.integers(1, 8), elements=numbers), seed=st.integers(0, 99))
def test_numbers_near_the_largest_are_added_in_an_order_of_their_own(values, seed):
    with np.errstate(over="ignore"):
        found = total(values)
        again = total(np.random.default_rng(seed).permutation(values))
    assert found == again or (math.isnan(found) and math.isnan(again))


def test_blocks_make_no_difference(monkeypatch):
    values = np.random.default_rng(1).lognormal(sigma=9, size=(3, 1000))
    whole = row_totals(values)
    monkeypatch.setattr(summation, "_BLOCK", 7)
    assert row_totals(values).tolist() == whole.tolist()
    assert row_totals(values[:, ::-1]).tolist() == whole.tolist()
    assert whole == pytest.approx([math.fsum(row) for row in values], rel=1e-15)


def test_a_bound_that_is_too_large_costs_no_digit_that_is_asked_for():
    values = np.random.default_rng(2).normal(size=(1, 500))
    found = totals(lambda at: values[:, at].copy(), 500, np.array([1e9]))
    assert found[0] == pytest.approx(math.fsum(values[0]), rel=1e-15)


def test_small_terms_beside_large_ones_are_kept():
    assert total(np.array([2.0**90, 1.0, -(2.0**90)])) == 1.0


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_so(odd):
    for values in ([1.0, odd, 2.0], [odd, 1.0], [1.0, odd]):
        found = total(np.array(values))
        assert found == odd or (math.isnan(odd) and math.isnan(found))
    with np.errstate(invalid="ignore"):
        assert row_totals(np.array([[0.1, 0.2, 1e-30], [1.0, np.inf, 2.0]])).tolist() == [
            pytest.approx(0.3),
            np.inf,
        ]


def test_nothing_adds_up_to_nothing():
    assert total(np.empty(0)) == 0.0
    assert row_totals(np.zeros((2, 0))).tolist() == [0.0, 0.0]
    assert total(np.zeros(5)) == 0.0
    assert total(np.full(3, 5e-324)) == 3 * 5e-324


@pytest.mark.parametrize("n", [*range(1, 20), 31, 32, 33, 63, 64, 65, 127, 128, 1023, 1024])
def test_as_many_large_terms_as_a_grid_allows_are_added_without_rounding(n):
    """Terms next to a power of two fill the room that a grid has for their sum."""
    rng = np.random.default_rng(n)
    large = np.full(n, 1 - 2.0**-53)
    mixed = np.concatenate([large, -large * 2.0 ** -rng.integers(0, 90, n)])
    for values in (large, mixed):
        assert total(values) == math.fsum(values)
        assert total(rng.permutation(values)) == math.fsum(values)
