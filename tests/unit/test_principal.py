"""The first principal component: a known one, its sign, and the same for every order of rows."""

import doctest

import numpy as np
import pytest

import discreet as ds
from discreet.kernels import univariate
from discreet.kernels.univariate import cross_products, first_component, scores


def test_the_examples_hold():
    assert doctest.testmod(univariate).failed == 0


def test_the_largest_loading_is_positive_and_the_first_among_equals():
    x = np.array([0.0, 1.0, 2.0, 5.0])
    assert first_component(np.array([-x, x]))[0] > 0
    assert first_component(np.array([x, -3 * x]))[1] > 0


def test_constant_columns_have_a_component_all_the_same():
    assert first_component(np.full((3, 5), 7.0)).tolist() == [1.0, 0.0, 0.0]


def test_the_component_is_that_of_a_singular_value_decomposition():
    columns = np.random.default_rng(4).normal(size=(5, 200)) * np.array([[1], [2], [3], [1], [5]])
    centred = columns - columns.mean(axis=1, keepdims=True)
    found = first_component(columns)
    expected = np.linalg.svd(centred)[0][:, 0]
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-9)
    np.testing.assert_allclose(cross_products(columns), columns @ columns.T, rtol=1e-12)


def test_the_order_of_the_records_makes_no_difference():
    columns = np.random.default_rng(5).lognormal(size=(4, 1000))
    order = np.random.default_rng(6).permutation(1000)
    loadings = first_component(columns)
    assert first_component(columns[:, order]).tolist() == loadings.tolist()
    assert scores(columns[:, order], loadings).tolist() == scores(columns, loadings)[order].tolist()


def test_groups_lie_one_after_the_other_along_the_component():
    x = np.random.default_rng(7).normal(size=23)
    data = ds.read({"x": x, "y": 2 * x}, keys=["x", "y"])
    both = ds.microaggregate(data, k=4, method="pca", preserve_variance=False).to("arrow")
    alone = ds.microaggregate(data, ["x"], k=4, method="fixed").to("arrow")
    np.testing.assert_allclose(both["x"].to_numpy(), alone["x"].to_numpy())


def test_of_two_opposed_attributes_the_first_has_the_positive_loading():
    rng = np.random.default_rng(3)
    for _ in range(6):
        x = rng.normal(0, 1, 10)
        table = np.column_stack([x, rng.normal(0, 1, 10) - x])
        people = ds.read({"x": table[:, 0], "y": table[:, 1]}, keys=["x", "y"])
        masked = ds.microaggregate(people, k=3, method="pca", preserve_variance=False)
        z = (table - table.mean(axis=0)) / table.std(axis=0, ddof=1)
        expected = np.empty_like(table)
        for group in np.split(np.argsort(z[:, 0] - z[:, 1]), [3, 6]):  # the last takes 4
            expected[group] = table[group].mean(axis=0)
        assert masked.to("pandas").to_numpy() == pytest.approx(expected)
