"""The sizes of samples, by exact arithmetic: shares as they are written, largest remainders."""

import decimal
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import discreet as ds
from discreet.masking.sample import allocate
from discreet.parameters import nearest
from tests.examples import examples


def largest_remainders(sizes, total):
    """The twin: whole parts first, then one more for the largest remainders, the first of equals
    first."""
    exact = [Fraction(size) * total / sum(sizes) for size in sizes]
    taken = [math.floor(e) for e in exact]
    while sum(taken) < total:
        left = [e - t for e, t in zip(exact, taken, strict=True)]
        taken[left.index(max(left))] += 1
    return taken


def halves_up(fraction, n):
    """The twin: the decimal number as it is written, times n, rounded with halves up."""
    exact = decimal.Context(prec=100).multiply(decimal.Decimal(repr(fraction)), decimal.Decimal(n))
    return int(exact.to_integral_value(decimal.ROUND_HALF_UP))


def test_equal_remainders_go_to_the_first_stratum():
    assert allocate(np.array([17, 2, 41]), 44).tolist() == [13, 1, 30]


@examples(300)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.data())
def test_strata_get_the_largest_remainders(sizes, data):
    total = data.draw(st.integers(1, sum(sizes)))
    assert allocate(np.array(sizes), total).tolist() == largest_remainders(sizes, total)


@given(st.lists(st.integers(10**17, 2 * 10**17), min_size=2, max_size=5), st.data())
def test_no_number_is_too_large_to_be_split(sizes, data):
    total = data.draw(st.integers(1, sum(sizes)))
    taken = allocate(np.array(sizes), total).tolist()
    assert taken == largest_remainders(sizes, total)
    assert all(0 <= t <= s for t, s in zip(taken, sizes, strict=True))


@examples(300)
@given(st.decimals(0, 1, places=3), st.integers(1, 10**6))
@example(decimal.Decimal("0.29"), 50)
@example(decimal.Decimal("0.145"), 100)
@example(decimal.Decimal("0.005"), 100)
def test_a_share_is_the_number_as_it_is_written(share, n):
    assert nearest(float(share), n) == halves_up(float(share), n)


@given(st.floats(0, 1), st.integers(1, 10**9))
def test_any_share_is_rounded_with_halves_up(share, n):
    assert nearest(share, n) == halves_up(share, n)


@pytest.mark.parametrize("share", [0.29, np.float64(0.29), np.float32(0.29), Fraction(29, 100)])
def test_a_share_of_any_kind_of_number_draws_the_same_records(share):
    data = ds.read({"a": range(50), "s": ["x"] * 50}, keys=["a"])
    assert ds.sample(data, fraction=share, seed=1).n == 15
    assert ds.sample(data, fraction=share, seed=1, by="s").n == 15
