"""Least squares: equal to exact rational arithmetic, on any scale; dependent columns are named."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.least_squares import CollinearError, least_squares
from tests.examples import examples


def exact(columns, y):
    """The slow twin: normal equations in fractions, without any rounding."""
    rows = [[Fraction(1), *(Fraction(float(v)) for v in row)] for row in zip(*columns, strict=True)]
    response = [Fraction(float(v)) for v in y]
    p, n = len(rows[0]), len(rows)
    gram = [[sum(row[i] * row[j] for row in rows) for j in range(p)] for i in range(p)]
    right = [sum(row[i] * v for row, v in zip(rows, response, strict=True)) for i in range(p)]
    inverse = inverted(gram)
    beta = [sum(a * b for a, b in zip(line, right, strict=True)) for line in inverse]
    left = sum(
        (v - sum(b * c for b, c in zip(beta, row, strict=True))) ** 2
        for row, v in zip(rows, response, strict=True)
    )
    mean = sum(response) / n
    spread = sum((v - mean) ** 2 for v in response)
    errors = [float(inverse[i][i] * left / (n - p)) ** 0.5 for i in range(p)]
    return [float(b) for b in beta], errors, float(1 - left / spread)


def inverted(matrix):
    """Gauss–Jordan elimination in fractions."""
    p = len(matrix)
    work = [[*row, *(Fraction(int(i == j)) for j in range(p))] for i, row in enumerate(matrix)]
    for i in range(p):
        at = next(j for j in range(i, p) if work[j][i] != 0)
        work[i], work[at] = work[at], work[i]
        work[i] = [v / work[i][i] for v in work[i]]
        for j in range(p):
            if j != i and work[j][i] != 0:
                work[j] = [a - work[j][i] * b for a, b in zip(work[j], work[i], strict=True)]
    return [row[p:] for row in work]


@examples(40)
@given(
    seed=st.integers(0, 10**6),
    scales=st.lists(st.integers(-9, 9), min_size=1, max_size=4),
    far=st.integers(0, 5),
)
def test_a_fit_equals_exact_arithmetic_on_any_scale(seed, scales, far):
    rng = np.random.default_rng(seed)
    columns = np.array([10.0**s * (10.0**far + rng.normal(size=25)) for s in scales])
    y = rng.normal(size=25) * 1e5 + 1e6
    coefficients, errors, r2 = exact(columns, y)
    found = least_squares(columns, y)
    assert found.standard_errors == pytest.approx(errors, rel=1e-8)
    apart = np.abs(found.coefficients - coefficients) / errors  # near 0, only this is meaningful
    assert apart.max() < 1e-8
    assert found.r2 == pytest.approx(r2, abs=1e-9)


def test_strongly_correlated_columns_are_still_told_apart():
    rng = np.random.default_rng(1)
    a = rng.normal(size=30)
    columns = np.array([a, a + 1e-6 * rng.normal(size=30), 1e8 * a + rng.normal(size=30)])
    y = a + rng.normal(size=30)
    coefficients, errors, _ = exact(columns, y)
    found = least_squares(columns, y)
    assert found.standard_errors == pytest.approx(errors, rel=1e-6)
    assert np.abs((found.coefficients - coefficients) / errors).max() < 1e-6


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("far", [0.0, 1e6])
def test_columns_that_follow_from_others_are_named(scale, far):
    rng = np.random.default_rng(2)
    a, b = far + rng.normal(size=(2, 50))
    with pytest.raises(CollinearError) as raised:
        least_squares(np.array([a, b, scale * (a + 2 * b)]), rng.normal(size=50))
    assert len(raised.value.columns) == 1
    with pytest.raises(CollinearError) as raised:
        least_squares(np.array([a, np.full(50, 0.1 * scale), b]), rng.normal(size=50))
    assert raised.value.columns == [1]


def test_indicators_that_add_up_to_the_intercept_are_collinear():
    first = np.array([1.0, 0, 0, 1, 0, 0, 1, 1])
    with pytest.raises(CollinearError):
        least_squares(np.array([first, 1 - first]), np.arange(8.0))


def test_a_response_that_does_not_vary_has_no_r2():
    found = least_squares(np.array([[1.0, 2, 3, 4]]), np.full(4, 0.1))
    assert found.r2 is None
    assert found.coefficients.tolist() == [0.1, 0.0]


def test_a_model_without_predictors_is_the_mean():
    found = least_squares(np.empty((0, 4)), np.array([1.0, 2, 3, 6]))
    assert found.coefficients.tolist() == [3.0]
    assert found.standard_errors == pytest.approx([np.std([1, 2, 3, 6], ddof=1) / 2])


def test_only_the_column_that_says_nothing_new_is_named():
    a, b, c = np.random.default_rng(3).normal(size=(3, 40))
    with pytest.raises(CollinearError) as raised:
        least_squares(np.array([a, b, c, -2 * a]), b)
    assert raised.value.columns in ([0], [3])


def test_what_rounding_leaves_of_large_columns_is_nothing_new():
    a, b = 1e8 + np.random.default_rng(4).normal(size=(2, 40))
    with pytest.raises(CollinearError):
        least_squares(np.array([a, b, a / 3 - b / 3]), np.arange(40.0))


def test_a_fit_is_the_same_in_any_order_of_the_records():
    rng = np.random.default_rng(5)
    columns = rng.lognormal(sigma=3, size=(4, 200))
    columns[3] += columns[0]
    y = rng.normal(size=200)
    first = least_squares(columns, y)
    for _ in range(5):
        order = rng.permutation(200)
        again = least_squares(columns[:, order], y[order])
        assert again.coefficients.tolist() == first.coefficients.tolist()
        assert again.standard_errors.tolist() == first.standard_errors.tolist()
        assert again.r2 == first.r2


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_what_varies_by_rounding_only_does_not_vary(size):
    x = np.arange(6.0)
    flat = np.full(6, size)
    flat[::2] = np.nextafter(size, 2 * size)
    assert least_squares(x[None], flat).r2 is None
    assert least_squares(x[None], size * np.array([1, 1, 1, 1, 1, 1 + 1e-12])).r2 is not None
    perfect = least_squares(x[None], size * x)
    assert 1e-16 * size < perfect.standard_errors[1] < 1e-14 * size
