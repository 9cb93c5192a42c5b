"""PIL: sampling errors of moments, also where a moment is exactly 0, and against simulation."""

import math

import numpy as np
import pytest

from discreet.kernels.moments import QUANTILES, Summary, around
from discreet.kernels.summation import spreads
from discreet.loss.continuous import _Moments
from tests.loss_of_arrays import continuous_loss


def cross(covariance=0.0):
    """Two attributes of mean 0 whose covariance is as given, exactly 0 for 0."""
    a = np.array([-3.0, -1, 0, 1, 3, -2, 2, -2, 2, 0])
    b = np.array([-1.0, 2, -4, 2, -1, 1, 1, -2, -2, 4])
    assert (a * b).sum() == 0
    b = b + covariance * a
    return np.column_stack([a, b])


def moved(x, by):
    """The same with a correlation that is a little larger."""
    return np.column_stack([x[:, 0], x[:, 1] + by * x[:, 0]])


def errors(x):
    return _Moments(Summary.of(x, x))


def test_pil_of_a_correlation_of_exactly_0_is_small_for_a_small_change():
    x = cross()
    found = continuous_loss(x, moved(x, 1e-6))
    assert 0 < found.pil_r < 1e-4
    assert 0 < found.pil_m11 < 1e-4
    assert found.pil < 1


def test_pil_of_a_correlation_is_continuous_where_the_covariance_is_0():
    at_zero = errors(cross()).sd_of_correlations()[0, 1]
    for tiny in (1e-3, -1e-3, 1e-6, -1e-6, 1e-9, 1e-12):
        near = errors(cross(tiny)).sd_of_correlations()[0, 1]
        assert near == pytest.approx(at_zero, rel=10 * abs(tiny) + 1e-9)


def test_the_error_of_a_correlation_of_0_is_the_limit():
    x = cross()
    a, b = (x - x.mean(axis=0)).T
    m22, m20, m02 = (a**2 * b**2).mean(), (a**2).mean(), (b**2).mean()
    expected = math.sqrt(m22 / (m20 * m02) / len(x))
    assert errors(x).sd_of_correlations()[0, 1] == pytest.approx(expected)


def textbook(x):
    """Kendall & Stuart's variance of r as it is printed, for a covariance that is not 0."""
    a, b = (x - x.mean(axis=0)).T
    m = {(i, j): (a**i * b**j).mean() for i in range(5) for j in range(5)}
    r = m[1, 1] / math.sqrt(m[2, 0] * m[0, 2])
    inner = (
        m[2, 2] / m[1, 1] ** 2
        + (m[4, 0] / m[2, 0] ** 2 + m[0, 4] / m[0, 2] ** 2) / 4
        + m[2, 2] / (m[2, 0] * m[0, 2]) / 2
        - m[3, 1] / (m[1, 1] * m[2, 0])
        - m[1, 3] / (m[1, 1] * m[0, 2])
    )
    return math.sqrt(r**2 * inner / len(x))


def test_errors_are_those_of_the_textbook():
    rng = np.random.default_rng(1)
    x = rng.lognormal(size=(50, 2))
    x[:, 1] += 0.7 * x[:, 0]
    a, b = (x - x.mean(axis=0)).T
    found = errors(x)
    assert found.sd_of_correlations()[0, 1] == pytest.approx(textbook(x))
    assert found.sd_of_means() == pytest.approx(x.std(axis=0) / math.sqrt(50))
    variance_of_variances = ((a**4).mean() - (a**2).mean() ** 2) / 50
    assert found.sd_of_variances()[0] == pytest.approx(math.sqrt(variance_of_variances))
    variance_of_covariance = ((a**2 * b**2).mean() - (a * b).mean() ** 2) / 50
    assert found.sd_of_covariances()[0, 1] == pytest.approx(math.sqrt(variance_of_covariance))


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_errors_are_those_of_repeated_samples(slope):
    """Samples from a population: the spread of each statistic is what one sample predicts."""
    rng = np.random.default_rng(2)
    n, times = 400, 3000
    a = rng.gamma(3.0, size=(times, n))
    b = rng.uniform(size=(times, n)) * 3 + slope * a
    drawn = {
        "mean": a.mean(axis=1),
        "variance": a.var(axis=1, ddof=1),
        "covariance": [np.cov(x, y)[0, 1] for x, y in zip(a, b, strict=True)],
        "correlation": [np.corrcoef(x, y)[0, 1] for x, y in zip(a, b, strict=True)],
    }
    whole = np.column_stack([a.ravel(), b.ravel()])
    moments = errors(whole)
    predicted = {
        "mean": moments.sd_of_means()[0],
        "variance": moments.sd_of_variances()[0],
        "covariance": moments.sd_of_covariances()[0, 1],
        "correlation": moments.sd_of_correlations()[0, 1],
    }
    for name, values in drawn.items():
        assert predicted[name] * math.sqrt(times) == pytest.approx(np.std(values), rel=0.06), name


def test_a_statistic_without_error_is_not_lost_to_rounding():
    a = np.array([0.1, 0.4, 0.7, 1.1, 2.3])
    x = np.column_stack([a, 2 * a])
    same = np.column_stack([a * (1 + 2e-16), 2 * a])
    assert continuous_loss(x, same).pil_r < 1e-6
    assert continuous_loss(x, np.column_stack([a, [0.2, 0.8, 1.4, 2.2, 4.7]])).pil_r == 1
    constant = np.full((6, 1), 0.1)
    assert continuous_loss(constant, constant + 1e-17).pil == 0
    assert continuous_loss(constant, constant + 1e-3).pil_m1 == 1


def test_two_values_as_often_have_a_variance_without_error():
    balanced = np.array([[-1.0], [1.0]] * 10)
    assert errors(balanced).sd_of_variances()[0] == 0
    assert continuous_loss(balanced, balanced * 1.01).pil_m2 == 1
    assert continuous_loss(balanced / 10, balanced * 0.1).pil_m2 == 0


def test_a_covariance_of_0_is_left_out_whatever_rounding_makes_of_it():
    a, b = [0.0, 4, -6, 3, -5, 0], [-3.0, -4, -3, 6, 4, 0]  # means that no double holds
    x = np.column_stack([a, b])
    found = continuous_loss(x, np.column_stack([a, a]))
    assert found.il4 is None  # the only covariance is 0: no relative change is defined
    assert found.il5 == pytest.approx(1)


def test_the_sums_behind_the_losses_are_the_same_in_any_order_of_the_records():
    rng = np.random.default_rng(4)
    x = rng.lognormal(sigma=4, size=(300, 3))
    y = x * rng.normal(1, 0.1, size=x.shape)
    whole = Summary.of(x, y)
    for _ in range(5):
        order = rng.permutation(300)
        again = Summary.of(x[order], y[order])
        for name, value in vars(whole).items():
            assert np.array_equal(value, getattr(again, name)), name
    for moments in (whole.cov_x, whole.cov_y, whole.m22):
        assert np.array_equal(moments, moments.T)
    assert whole.m31 == pytest.approx(((x - x.mean(axis=0)) ** 3).T @ (x - x.mean(axis=0)) / 300)


def test_densities_of_many_records_are_taken_between_nearer_quantiles():
    low, high = around(1000)
    assert (low[0], high[-1]) == (0.0, 1.0)
    assert high - QUANTILES == pytest.approx(np.full(19, 0.05))
    low, high = around(10**6)
    assert QUANTILES - low == pytest.approx(np.full(19, 10**-1.2 / 4))
    assert high - QUANTILES == pytest.approx(np.full(19, 10**-1.2 / 4))


def test_a_constant_attribute_has_no_part_in_sse_and_small_numbers_have():
    rng = np.random.default_rng(5)
    x = np.column_stack([rng.normal(size=20), np.full(20, 0.1)])
    y = np.column_stack([x[:, 0] + 0.1, np.full(20, 0.2)])
    alone = continuous_loss(x[:, :1], y[:, :1]).sse_ratio
    assert alone == pytest.approx(20 * 0.01 / ((x[:, 0] - x[:, 0].mean()) ** 2).sum())
    assert continuous_loss(x, y).sse_ratio == pytest.approx(alone)
    assert continuous_loss(1e-6 * x, 1e-6 * y).sse_ratio == pytest.approx(alone)


def test_spreads_of_one_and_of_two_records():
    assert spreads(np.array([[1.0, 5.0]])).tolist() == [0.0, 0.0]
    assert spreads(np.array([[1.0, 5.0], [3.0, 5.0]])) == pytest.approx([math.sqrt(2), 0])


def test_two_records_have_variances_and_one_has_none():
    two, other = np.array([[1.0], [4.0]]), np.array([[1.0], [3.0]])
    found = Summary.of(two, other)
    assert (found.cov_x[0, 0], found.cov_y[0, 0]) == (4.5, 2.0)
    assert errors(two).m2.tolist() == [2.25]
    assert continuous_loss(two, other).sse_ratio == pytest.approx(1 / 4.5)
    one = continuous_loss(np.array([[2.0]]), np.array([[3.0]]))
    assert (one.il1, one.il2, one.il3, one.sse_ratio, one.zeros) == (0.5, 0.5, None, None, 0)
    assert continuous_loss(np.array([[0.0], [2.0]]), np.array([[1.0], [2.0]])).zeros == 1
