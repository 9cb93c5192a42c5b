"""What holds for every sample: the models of its population against each other and themselves."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.kernels.superpopulation import SizeCounts, pitman, pitman_exact, zayatz

SIZES = st.lists(st.integers(1, 30), min_size=1, max_size=60)
SHARES = st.sampled_from([0.001, 0.01, 0.1, 0.5, 1.0])
ROWS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=60)


def histogram(sizes):
    return SizeCounts(*np.unique(sizes, return_counts=True))


def survey(rows):
    return ds.read(
        dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True)), keys=list("abc")
    )


@given(SIZES)
def test_uniqueness_falls_with_the_size_of_the_population(sizes):
    found = histogram(sizes)
    people = [found.n * factor for factor in (1, 1.5, 2, 10, 1e3, 1e6)]
    by_zayatz = [zayatz(found, size) for size in people]
    assert by_zayatz == sorted(by_zayatz, reverse=True)
    assert math.isclose(by_zayatz[0], sizes.count(1) / found.n, rel_tol=1e-9)
    fitted = pitman(found)
    if fitted is not None:
        theta, alpha = fitted
        assert 0 <= alpha < 1
        assert theta > -alpha
        by_pitman = [pitman_exact(theta, alpha, size) for size in people]
        assert by_pitman == sorted(by_pitman, reverse=True)
        assert all(0 < value <= 1 for value in by_pitman)


@given(SIZES, SHARES)
def test_the_choice_lies_within_the_spread_of_the_models(sizes, share):
    rows = [i for i, size in enumerate(sizes) for _ in range(size)]
    found = ds.population_uniqueness(ds.read({"a": rows}, keys=["a"]), fraction=share)
    low, high = found.interval
    assert 0 <= low <= found.value <= high
    assert found.value <= 1
    absent = {
        n for n in ("pitman", "pitman_asymptotic", "zayatz", "snb") if getattr(found, n) is None
    }
    assert absent == set(found.not_applicable)


@given(ROWS, SHARES)
def test_tau_is_ordered_and_each_risk_has_its_bounds(rows, share):
    found = ds.model_risk(survey(rows), fraction=share)
    sizes = survey(rows).class_sizes()
    assert 0 <= found.tau1 <= found.tau2 * (1 + 1e-12) <= found.uniques * (1 + 1e-12)
    assert (found.values <= 1 / sizes * (1 + 1e-12)).all()
    assert (found.values > 0).all()
    for name in ("tau1", "tau2"):
        low, high = found.interval(of=name)
        assert 0 <= low <= getattr(found, name) * (1 + 1e-12)
        assert getattr(found, name) <= high * (1 + 1e-12)


@given(ROWS)
def test_a_smaller_share_of_the_people_is_a_smaller_risk(rows):
    found = [ds.model_risk(survey(rows), fraction=share) for share in (1.0, 0.5, 0.1, 0.01)]
    for name in ("tau1", "tau2", "expected"):
        values = [getattr(one, name) for one in found]
        assert values == sorted(values, reverse=True)


@given(ROWS)
def test_the_order_of_keys_and_rows_does_not_matter(rows):
    turned = [row[::-1] for row in reversed(rows)]
    here = ds.model_risk(survey(rows), [("a", "b")], fraction=0.1)
    there = ds.model_risk(survey(turned), [("b", "c")], fraction=0.1)
    assert math.isclose(here.tau1, there.tau1, rel_tol=1e-9, abs_tol=1e-12)
    assert math.isclose(here.tau2, there.tau2, rel_tol=1e-9, abs_tol=1e-12)
