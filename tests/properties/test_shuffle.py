"""Data shuffling: margins stay exactly, rank correlations nearly, and given S nothing of X does."""

import csv
import doctest
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as ds
from discreet.kernels import shuffle
from discreet.kernels.draws import normal_quantiles
from discreet.kernels.shuffle import correlations, mean_ranks, ordered, shuffled
from tests.examples import examples

CASES = [
    (["RESREVENUE"], ["RESSALES"]),
    (["TOTREVENUE", "TOTSALES"], ["RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES"]),
    (["COMREVENUE", "RESREVENUE"], ["OTHREVENUE", "COMSALES", "INDREVENUE", "TOTSALES"]),
    (["INDREVENUE", "INDSALES", "OTHREVENUE"], ["OTHRSALES", "TOTREVENUE", "TOTSALES"]),
    (
        ["TOTREVENUE", "OTHRSALES", "COMSALES", "INDSALES", "OTHREVENUE"],
        ["RESSALES", "TOTSALES", "RESREVENUE", "COMREVENUE", "INDREVENUE"],
    ),
    (["RESREVENUE", "COMREVENUE", "INDREVENUE"], []),
]


def slow_ranks(values):
    """Mean ranks by their definition."""
    return np.array([np.sum(values < v) + (np.sum(values == v) + 1) / 2 for v in values])


@pytest.fixture(scope="module")
def eia(reference_data):
    path = reference_data("CASC_eia_4092x15.csv")
    with path.open() as file:
        names = next(csv.reader(file))
    return ds.read(path, keys=["STATE", "YEAR"], types=dict.fromkeys(names[5:], "continuous"))


@pytest.mark.parametrize(("columns", "given"), CASES, ids=str)
def test_on_the_eia_file_margins_are_equal_and_rank_correlations_within_3_hundredths(
    eia, columns, given
):
    masked = ds.shuffle(eia, columns, given=given, seed=1)
    x, y = (data.to("arrow") for data in (eia, masked))
    for name in columns:
        assert y[name].type == x[name].type
        assert sorted(y[name].to_pylist()) == sorted(x[name].to_pylist())
        assert y[name].to_pylist() != x[name].to_pylist()
    rows = [
        np.array([_ranks(table[name].to_numpy()) for name in [*columns, *given]])
        for table in (x, y)
    ]
    before, after = (np.atleast_2d(np.corrcoef(one)) for one in rows)
    assert np.abs(before - after).max() < 0.03
    if masked.outcome.pairs:
        assert masked.outcome.largest_change == pytest.approx(
            np.abs(before - after).max(), abs=1e-9
        )


def _ranks(values):
    return mean_ranks(values, np.argsort(values, kind="stable"))


@given(seed=st.integers(0, 2**32 - 1), p=st.integers(1, 3), q=st.integers(0, 3))
@settings(deadline=None)
def test_a_deal_is_that_of_the_formulas_written_down(seed, p, q):
    """The twin: without corrections, Muralidhar & Sarathy's steps in plain numpy."""
    rng = np.random.default_rng(seed)
    n = 40
    x, s = rng.normal(size=(p, n)), rng.normal(size=(q, n))
    if q:
        x += s[0]
    z = rng.normal(size=(p, n))
    ranks = np.array([slow_ranks(row) for row in (*x, *s)])
    rho = 2 * np.sin(np.pi / 6 * np.atleast_2d(np.corrcoef(ranks)))
    np.fill_diagonal(rho, 1)
    scores = normal_quantiles(((ranks[p:] - 0.5) / n).ravel()).reshape(q, n)
    scores /= math.sqrt(np.mean(normal_quantiles((np.arange(n) + 0.5) / n) ** 2))
    slopes = rho[:p, p:] @ np.linalg.inv(rho[p:, p:]) if q else np.empty((p, 0))
    values, vectors = np.linalg.eigh(rho[:p, :p] - slopes @ rho[p:, :p])
    y = slopes @ scores + (vectors * np.sqrt(np.maximum(values, 0))) @ z
    expected = [np.sort(x[j])[np.argsort(np.argsort(y[j]))] for j in range(p)]
    before = shuffle._CORRECTIONS
    try:
        shuffle._CORRECTIONS = 0
        found = shuffled(x, s, lambda i: z[i])
    finally:
        shuffle._CORRECTIONS = before
    for j in range(p):
        np.testing.assert_array_equal(x[j][found.source[j]], expected[j])


@given(st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=30))
def test_mean_ranks_are_those_of_the_definition(values):
    x = np.array(values)
    assert mean_ranks(x, ordered(x)).tolist() == slow_ranks(x).tolist()


@given(seed=st.integers(0, 2**32 - 1), digits=st.integers(0, 6))
@examples(20)
def test_an_order_is_the_stable_one(seed, digits):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=5000) * 10.0 ** rng.integers(-300, 300), digits)
    x[:100] = rng.choice([0.0, -0.0, np.inf, -np.inf], 100)
    assert ordered(x).tolist() == np.argsort(x, kind="stable").tolist()


def test_correlations_of_columns_with_gaps_are_over_what_both_have():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(3, 50))
    rows[0, :10], rows[1, 5:20] = np.nan, np.nan
    both = ~np.isnan(rows[0]) & ~np.isnan(rows[1])
    found = correlations(rows)
    assert found[0, 1] == pytest.approx(np.corrcoef(rows[:2, both])[0, 1])
    assert found[1, 2] == pytest.approx(np.corrcoef(rows[1:, ~np.isnan(rows[1])])[0, 1])
    assert correlations(np.array([[1.0, 1.0], [1.0, 2.0]]))[0, 1] == 0.0


def test_given_the_other_columns_nothing_of_the_value_is_left():
    """Rank correlation of old and new values, once what S says of both is taken out: none."""
    rng = np.random.default_rng(5)
    n = 20_000
    s = rng.normal(size=(1, n))
    x = s + rng.normal(size=(1, n))
    deal = shuffled(x, s, lambda _: rng.normal(size=n))
    old, new = x[0], x[0][deal.source[0]]
    slope = np.polyfit(s[0], old, 1)[0]
    rest = np.corrcoef(old - slope * s[0], new - slope * s[0])[0, 1]
    assert abs(rest) < 3 / math.sqrt(n)


def test_the_examples_hold():
    assert doctest.testmod(shuffle).failed == 0
