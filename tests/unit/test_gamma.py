"""The gamma function and its derivatives, against values printed in tables and their identities."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.superpopulation import digamma, log_gamma_step, trigamma

EULER = 0.577215664901532861
POSITIVE = st.floats(1e-3, 1e9)


def test_values_known_in_closed_form():
    assert digamma(1.0) == pytest.approx(-EULER, rel=1e-15)
    assert digamma(0.5) == pytest.approx(-EULER - 2 * math.log(2), rel=1e-15)
    assert digamma(0.25) == pytest.approx(-math.pi / 2 - 3 * math.log(2) - EULER, rel=1e-15)
    assert trigamma(1.0) == pytest.approx(math.pi**2 / 6, rel=1e-15)
    assert trigamma(0.5) == pytest.approx(math.pi**2 / 2, rel=1e-15)
    assert log_gamma_step(1.0, -0.5) == pytest.approx(math.log(math.pi) / 2, rel=1e-15)


def test_values_of_abramowitz_and_stegun():
    """Table 6.1, with the ten digits that it prints."""
    assert log_gamma_step(1.0, 0.5) == pytest.approx(-0.1207822376, abs=5e-11)
    assert digamma([1.5, 2.0]) == pytest.approx([0.0364899740, 0.4227843351], abs=5e-11)
    assert trigamma([1.5, 2.0]) == pytest.approx([0.9348022005, 0.6449340668], abs=5e-11)


@given(POSITIVE)
def test_they_agree_with_the_gamma_function_of_python(x):
    assert log_gamma_step(1.0, x - 1) == pytest.approx(math.lgamma(x), rel=1e-12, abs=1e-12)


@given(st.floats(1e-3, 1e6))
def test_each_step_adds_its_term(x):
    assert log_gamma_step(x, 1) == pytest.approx(math.log(x), rel=1e-13, abs=1e-13)
    assert digamma(x + 1) - digamma(x) == pytest.approx(1 / x, rel=1e-9, abs=1e-12)
    assert trigamma(x) - trigamma(x + 1) == pytest.approx(1 / x**2, rel=1e-8, abs=1e-15)


@given(st.floats(0.01, 0.99))
def test_they_are_reflected_at_one_half(x):
    assert digamma(1 - x) - digamma(x) == pytest.approx(math.pi / math.tan(math.pi * x), abs=1e-11)
    reflected = (math.pi / math.sin(math.pi * x)) ** 2
    assert trigamma(1 - x) + trigamma(x) == pytest.approx(reflected, rel=1e-13)


@given(st.integers(1, 200), st.floats(0.01, 1e12))
def test_a_difference_keeps_its_digits_where_both_are_large(steps, x):
    product = math.fsum(math.log(x + i) for i in range(steps))
    assert float(log_gamma_step(x, steps)) == pytest.approx(product, rel=1e-13, abs=1e-13)
    back = float(log_gamma_step(x + steps, -steps)) if x < 1e6 else -product
    assert back == pytest.approx(-product, rel=1e-9, abs=1e-9)


def test_arrays_of_any_shape_come_back_in_their_shape():
    x = np.array([[0.5, 1.0], [20.0, 1e8]])
    for function in (lambda y: log_gamma_step(y, 1), digamma, trigamma):
        assert function(x).shape == (2, 2)
        assert function(x)[1, 0] == function(20.0)
