"""Exchange between groups and nearest neighbours, against twins that try and compare everything."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.kernels.multivariate import exchange as module
from discreet.kernels.multivariate import mdav
from discreet.kernels.multivariate.exchange import exchange
from tests.examples import examples
from tests.multivariate_twin import twin_exchange


def squares(points, labels):
    return sum(
        float(((points[labels == g] - points[labels == g].mean(axis=0)) ** 2).sum())
        for g in np.unique(labels)
    )


def test_the_examples_hold():
    assert doctest.testmod(module).failed == 0
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(("k", "least"), [(3, 0.0758), (5, 0.0949), (10, 0.1299)])
def test_the_sum_of_squares_falls_on_the_census_file(reference_data, k, least):
    path = reference_data("CASC_census_1080x13.csv")
    values = np.loadtxt(path, delimiter=",", skiprows=1)
    points = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    before = mdav(points, k)
    after = exchange(points, before, k)
    assert 1 - squares(points, after) / squares(points, before) >= least
    assert np.bincount(after).min() >= k
    assert np.bincount(after).max() < 2 * k


def test_after_an_exchange_a_second_one_changes_nothing_between_the_same_neighbours():
    points = np.random.default_rng(2).normal(size=(60, 2))
    once = exchange(points, mdav(points, 3), 3)  # 20 groups: all are around each other
    assert exchange(points, once, 3).tolist() == once.tolist()


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 4), more=st.integers(0, 25))
@examples(40)
def test_steps_are_those_of_the_twin_that_tries_them_all(seed, k, more):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(k + more, rng.integers(1, 4)))
    before = mdav(points, k)
    after = exchange(points, before, k)
    assert after.tolist() == twin_exchange(points, before, k).tolist()


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 5), more=st.integers(0, 60))
@settings(deadline=None)
def test_the_sum_never_rises_and_sizes_stay(seed, k, more):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(k + more, rng.integers(1, 4))).round(1) * 10.0 ** rng.integers(-3, 4)
    before = mdav(points, k)
    after = exchange(points, before, k)
    assert squares(points, after) <= squares(points, before) * (1 + 1e-12)
    sizes = np.bincount(after)
    assert sizes.min() >= k
    assert sizes.max() < 2 * k
    assert len(sizes) == before.max() + 1


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 150), number=st.integers(1, 25))
@settings(deadline=None)
def test_neighbours_are_those_of_comparing_all(seed, n, number):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, rng.integers(1, 4))).round(1)  # with ties
    apart = np.zeros((n, n))
    for column in points.T:
        apart += (column[:, None] - column[None, :]) ** 2
    np.fill_diagonal(apart, np.inf)
    expected = np.argsort(apart, axis=1, kind="stable")[:, : min(number, n - 1)]
    assert module.neighbours(points, number).tolist() == expected.tolist()
