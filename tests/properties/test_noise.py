"""Noise: exact moments, also where columns follow from others; and the bounds of the other kinds."""

import csv
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as ds
from discreet.kernels import noise, orthogonal
from discreet.kernels.draws import normals, stream
from discreet.kernels.noise import correlated, exact, factors, independent
from discreet.kernels.orthogonal import basis, fresh

SMALL = 1e-10  # of standard deviations


def read(path, **roles):
    with path.open() as file:
        names = next(csv.reader(file))
    return ds.read(path, keys=names, **roles)


def values(data, names):
    table = data.to("arrow")
    return np.array([table[name].to_numpy() for name in names], dtype=float)


def apart(x, y):
    """The largest difference of means and covariances, in standard deviations."""
    width = x.std(axis=1, ddof=1)
    width = np.where(width > 0, width, 1)
    means = np.abs(x.mean(axis=1) - y.mean(axis=1)) / width
    pairs = np.abs(np.cov(x) - np.cov(y)) / np.outer(width, width)
    return max(means.max(), pairs.max())


@pytest.mark.parametrize("amount", [0.1, 0.7, 1.0])
def test_moments_of_the_census_file_stay_though_its_covariance_is_singular(reference_data, amount):
    census = read(reference_data("CASC_census_1080x13.csv"))
    masked = ds.add_noise(census, census.columns, amount, kind="exact-moments", seed=1)
    x, y = (values(data, census.columns) for data in (census, masked))
    assert apart(x, y) < SMALL
    at = {name: i for i, name in enumerate(census.columns)}
    total, parts = y[at["PTOTVAL"]], y[at["POTHVAL"]] + y[at["PEARNVAL"]]
    assert np.abs(total - parts).max() < 1e-9 * np.abs(total).max()  # as it was before
    assert np.abs(x - y).max() > 0


def test_moments_stay_in_every_stratum(reference_data):
    data = read(reference_data("inputs/CASC_with_stratum.csv"), types={"stratum": "nominal"})
    columns = [c for c in data.columns if c != "stratum"]
    masked = ds.add_noise(data, columns, 0.5, kind="exact-moments", by="stratum", seed=2)
    x, y = (values(one, columns) for one in (data, masked))
    strata = data.to("arrow")["stratum"].to_numpy()
    for one in np.unique(strata):
        assert apart(x[:, strata == one], y[:, strata == one]) < SMALL
    plain = ds.add_noise(data, columns, 0.5, kind="correlated", by="stratum", seed=2)
    assert apart(x, values(plain, columns)) > 1e-4


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 4), more=st.integers(0, 20))
@settings(deadline=None)
def test_exact_noise_keeps_moments_for_any_rank(seed, d, more):
    rng = np.random.default_rng(seed)
    n = 2 * d + 1 + more
    x = rng.normal(size=(d, n)) * 10.0 ** rng.integers(-6, 7, (d, 1)) + 10.0 ** rng.integers(0, 3)
    if d > 2:
        x[2] = x[0] - 3 * x[1]
    if d > 3:
        x[3] = 7.5
    found = basis(x)
    made = exact(found, x, float(rng.random()), lambda i: rng.normal(size=n))
    width = x.std(axis=1, ddof=1)
    room = SMALL + 64 * 2.0**-52 * np.abs(x).max(axis=1) / np.where(width > 1e-12, width, np.inf)
    for i, j in itertools.product(range(d), repeat=2):
        old, new = np.cov(x[[i, j]])[0, 1], np.cov(made[[i, j]])[0, 1]
        assert abs(old - new) <= (room[i] + room[j]) * width[i] * width[j] + 1e-25
    np.testing.assert_allclose(made.mean(axis=1), x.mean(axis=1), rtol=1e-9)


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 4), m=st.integers(1, 4))
@settings(deadline=None)
def test_a_basis_and_fresh_columns_are_those_of_numpy(seed, d, m):
    """The twin: Q and R of numpy span the same space; what is left of the noise is orthogonal."""
    rng = np.random.default_rng(seed)
    x, n = rng.normal(size=(d, 1 + d + m)), 1 + d + m
    found = basis(x)
    centred = x - x.mean(axis=1, keepdims=True)
    q = np.linalg.qr(centred.T)[0]
    np.testing.assert_allclose(found.rows.T @ found.rows, q @ q.T, atol=1e-6)
    np.testing.assert_allclose(found.weights.T @ found.weights, centred @ centred.T, atol=1e-9)
    made = fresh(rng.normal(size=(m, n)), found.rows)
    both = np.vstack([np.full(n, n**-0.5), found.rows, made])
    np.testing.assert_allclose(both @ both.T, np.eye(1 + d + m), atol=1e-12)


def test_variances_grow_and_correlations_stay_within_three_standard_errors():
    n, c = 40_000, 0.5
    rng = np.random.default_rng(3)
    hashes = rng.integers(0, 2**64, n, dtype=np.uint64)
    x = rng.normal(size=(2, n))
    x[1] += 2 * x[0]
    draw = lambda i: normals(hashes, stream("test", "", i))  # noqa: E731
    before = np.corrcoef(x)[0, 1]
    alone = np.array([independent(x[j], c, draw(j)) for j in range(2)])
    joint = correlated(basis(x), x, c, draw)
    error = 3 * np.sqrt(2 / n)
    for made in (alone, joint):
        ratio = made.var(axis=1) / x.var(axis=1)
        assert np.abs(ratio / (1 + c * c) - 1).max() < error
        assert np.abs(made.mean(axis=1) - x.mean(axis=1)).max() < 3 * c * 2.3 / np.sqrt(n)
    assert abs(np.corrcoef(joint)[0, 1] - before) < 3 / np.sqrt(n)
    assert abs(np.corrcoef(alone)[0, 1] - before / (1 + c * c)) < 3 / np.sqrt(n)


@given(st.floats(0.001, 0.66), st.integers(0, 2**32 - 1))
def test_factors_are_positive_and_never_near_one(amount, seed):
    rng = np.random.default_rng(seed)
    up, within = rng.random((2, 100))
    within[:2] = 0.0, 1 - 2.0**-53
    found = factors(amount, up, within)
    assert (found > 0).all()
    away = np.abs(found - 1)
    assert (away >= amount / 2 * (1 - 1e-9)).all()
    assert (away <= amount * 1.5 * (1 + 1e-9)).all()
    assert ((found > 1) == (up >= 0.5)).all()


def test_the_examples_hold():
    import doctest

    assert doctest.testmod(noise).failed == 0
    assert doctest.testmod(orthogonal).failed == 0
