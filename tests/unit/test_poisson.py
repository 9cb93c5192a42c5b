"""The mean of 1/(f + X), X Poisson: against a sum in 60 digits, and its bounds."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.fitted_model import mean_reciprocal, reciprocal_variance


def slow(f, m):
    """Σ e^(−m) m^j / (j! (f + j)), term by term."""
    with localcontext() as context:
        context.prec = 60
        mean, term, total, j = Decimal(m), Decimal(1), Decimal(0), 0
        while j <= mean or term > total * Decimal(10) ** -30:
            total += term / (f + j)
            j += 1
            term = term * mean / j
        return float(total * (-mean).exp())


@pytest.mark.parametrize("f", [1, 2, 3, 10, 63, 64, 65, 500, 1000, 1935, 2000, 5000])
@pytest.mark.parametrize("m", [0, 1e-9, 0.5, 1, 10, 64, 65, 500, 1001, 1936, 4000])
def test_it_is_the_sum(f, m):
    assert float(mean_reciprocal(f, m)) == pytest.approx(slow(f, m), rel=5e-15)


def test_a_single_record_has_a_closed_form():
    m = np.array([1e-12, 0.1, 3.0, 700.0, 1e7])
    assert mean_reciprocal(1, m) == pytest.approx(-np.expm1(-m) / m, rel=1e-14)


@given(st.integers(1, 10_000_000), st.floats(0, 1e12))
def test_it_lies_between_its_bounds(f, m):
    """Jensen: 1/(f + m) ≤ E 1/(f + X) ≤ 1/f; no count gives anything else than a number."""
    found = float(mean_reciprocal(f, m))
    assert 1 / (f + m) * (1 - 1e-14) <= found <= 1 / f * (1 + 1e-14)


@given(st.integers(1, 3000), st.floats(0, 3000))
def test_it_falls_with_the_count_and_keeps_the_recurrence(f, m):
    first, second = mean_reciprocal([f, f + 1], m).tolist()
    assert second < first or m == 0
    assert m * second == pytest.approx(1 - f * first, abs=1e-12)


@pytest.mark.parametrize(("f", "m"), [(1, 0.0), (1, 0.3), (1, 4.0), (1, 49.0), (3, 2.0), (40, 9.0)])
def test_the_variance_is_the_sum(f, m):
    assert float(reciprocal_variance(f, m)) == pytest.approx(variance(f, m), rel=1e-8, abs=1e-16)


@pytest.mark.parametrize(("f", "m"), [(1, 60.0), (1, 100.0), (30, 40.0), (1000, 3.0), (2, 49.0)])
def test_the_variance_of_large_classes_is_near(f, m):
    assert float(reciprocal_variance(f, m)) == pytest.approx(variance(f, m), rel=0.03)


def variance(f, m):
    chance = [math.exp(j * math.log(m or 1e-300) - m - math.lgamma(j + 1)) for j in range(400)]
    mean = sum(p / (j + f) for j, p in enumerate(chance))
    return sum(p * (1 / (j + f) - mean) ** 2 for j, p in enumerate(chance))
