import importlib
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.multivariate import mdav
from discreet.kernels.multivariate.brute import brute_groups
from discreet.kernels.multivariate.mdav import pruned_groups
from tests.examples import examples
from tests.multivariate_twin import twin_mdav

_MODULE = importlib.import_module("discreet.kernels.multivariate.mdav")
WAYS = pytest.mark.parametrize("groups", [brute_groups, pruned_groups])


@pytest.fixture(scope="module")
def census():
    path = Path(os.environ.get("DISCREET_DATA", "../shared/data")) / "CASC_census_1080x13.csv"
    if not path.exists():
        pytest.skip(f"reference data {path.name} not found; set DISCREET_DATA to their folder")
    return np.loadtxt(path, delimiter=",", skiprows=1), path.parent / "golden"


def averaged(data, labels):
    sizes = np.bincount(labels)
    return np.stack([np.bincount(labels, column) / sizes for column in data.T], axis=1)[labels]


@WAYS
@pytest.mark.parametrize(("k", "percent"), [(3, 5.692), (5, 9.088), (10, 14.156)])
def test_the_census_file_loses_what_the_literature_prints(census, groups, k, percent):
    data, _ = census
    z = (data - data.mean(axis=0)) / data.std(axis=0, ddof=1)
    loss = ((z - averaged(z, groups(z, k))) ** 2).sum() / (z**2).sum()
    assert round(100 * loss, 3) == percent


@WAYS
@pytest.mark.parametrize("k", [3, 5])
def test_masked_census_values_are_those_of_sdcmicro(census, groups, k):
    # sdcMicro 5.8.1, method "mdav", 13 attributes, no rescaling
    data, golden = census
    z = (data - data.mean(axis=0)) / data.std(axis=0, ddof=1)
    expected = np.loadtxt(golden / f"sdcmicro_mdav_census_k{k}.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(averaged(data, groups(z, k)), expected, rtol=1e-12, atol=1e-9)


def test_every_group_has_k_to_2k_minus_1_records_and_labels_count_up():
    rng = np.random.default_rng(0)
    for k in (1, 2, 3, 7):
        for n in {k, k + 1, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k, 3 * k + 1, 100, 5000}:
            labels = mdav(rng.normal(size=(n, 2)), k)
            sizes = np.bincount(labels)
            assert k <= sizes.min()
            assert sizes.max() <= 2 * k - 1
            assert len(labels) == n


@WAYS
@pytest.mark.parametrize("k", [1, 2, 3, 4, 7])
def test_sizes_around_the_ends_of_the_algorithm_agree_with_the_twin(groups, k):
    rng = np.random.default_rng(k)
    for n in (k, k + 1, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k, 4 * k - 1, 5 * k, 6 * k + 1):
        points = rng.integers(0, 3, (n, 2)).astype(float)
        assert groups(points, k).tolist() == twin_mdav(points, k).tolist()


@WAYS
@given(data=st.data())
@examples(150)
def test_groups_agree_with_the_twin_on_data_full_of_ties(groups, data):
    k = data.draw(st.integers(1, 6))
    n, d = data.draw(st.integers(k, 50)), data.draw(st.integers(1, 4))
    row = st.lists(st.integers(-2, 2), min_size=d, max_size=d)
    scale = data.draw(st.sampled_from([1.0, 0.1, 1 / 3, 1e-120, 1e100]))
    points = np.array(data.draw(st.lists(row, min_size=n, max_size=n)), float) * scale
    assert groups(points, k).tolist() == twin_mdav(points, k).tolist()


@WAYS
@given(data=st.data())
@examples(100)
def test_groups_agree_with_the_twin_on_numbers_of_many_digits(groups, data):
    k = data.draw(st.integers(1, 4))
    n, d = data.draw(st.integers(k, 30)), data.draw(st.integers(1, 3))
    row = st.lists(st.integers(-(2**52), 2**52), min_size=d, max_size=d)
    points = np.array(data.draw(st.lists(row, min_size=n, max_size=n))) / 2.0**45
    assert groups(points, k).tolist() == twin_mdav(points, k).tolist()


@given(data=st.data())
@examples(100)
def test_both_ways_agree_on_numbers_of_any_size(data):
    k = data.draw(st.integers(1, 4))
    n, d = data.draw(st.integers(k, 30)), data.draw(st.integers(1, 3))
    number = st.floats(-1e140, 1e140) | st.sampled_from([0.0, -0.0, 1.0, 1e-300, 5e-324])
    row = st.lists(number, min_size=d, max_size=d)
    points = np.array(data.draw(st.lists(row, min_size=n, max_size=n)))
    assert pruned_groups(points, k).tolist() == brute_groups(points, k).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_MODULE, "_CACHED", 0)
        assert pruned_groups(points, k).tolist() == brute_groups(points, k).tolist()


def tied_sets():
    rng = np.random.default_rng(1)
    grid = np.stack(np.meshgrid(*[np.arange(9.0)] * 4), axis=-1).reshape(-1, 4)
    normal = rng.normal(size=(6000, 6))
    yield "grid", grid[rng.permutation(len(grid))]
    yield "grid in tenths", grid[rng.permutation(len(grid))] * 0.1
    yield "all alike", np.full((3000, 3), 0.1)
    yield "two places", np.repeat([[0.0, 1.0], [1.0, 0.0]], 2000, axis=0)
    yield "circle", np.array([[np.cos(t), np.sin(t)] for t in np.arange(6000) * np.pi / 3000])
    yield "duplicates", normal[rng.integers(0, 700, 6000)]
    yield "constant columns", np.hstack([normal[:, :2], np.ones((6000, 2))])
    yield "rounded", normal.round(1)
    yield "one coarse column", np.hstack([normal[:, :1].round(2)])
    yield "normal", normal
    yield "lognormal", np.exp(2 * normal)
    yield "wide range", np.sign(normal) * 10.0 ** (40 * rng.random(normal.shape) - 20)
    yield "far from zero", normal + 1e9
    yield "thirteen columns", np.hstack([normal, normal[::-1] ** 3, normal[:, :1]])


@pytest.fixture(params=["doubles", "singles"])
def precision(request, monkeypatch):
    """Few records are searched in double precision only; let singles be tried on them, too."""
    if request.param == "singles":
        monkeypatch.setattr(_MODULE, "_CACHED", 0)


@pytest.mark.usefixtures("precision")
@pytest.mark.parametrize("k", [1, 2, 3, 10, 300])
@pytest.mark.parametrize(("name", "points"), list(tied_sets()), ids=[n for n, _ in tied_sets()])
def test_pruned_searches_find_the_groups_of_all_comparisons_to_the_record(name, points, k):
    assert np.array_equal(pruned_groups(points, k), brute_groups(points, k))


@pytest.mark.usefixtures("precision")
def test_random_shapes_agree_with_all_comparisons():
    rng = np.random.default_rng(2)
    for _ in range(60):
        n, d, k = int(rng.integers(50, 9000)), int(rng.integers(1, 9)), int(rng.integers(1, 12))
        points = rng.integers(0, rng.integers(1, 60), (n, d)) * rng.choice([1.0, 0.1, 1 / 3])
        assert np.array_equal(pruned_groups(points, k), brute_groups(points, k))


def test_many_records_agree_with_all_comparisons():
    points = np.random.default_rng(5).normal(size=(30_000, 8)).round(2)
    assert np.array_equal(mdav(points, 3), brute_groups(points, 3))


def test_groups_do_not_depend_on_the_layout_of_the_array():
    points = np.random.default_rng(3).normal(size=(5000, 3))
    assert np.array_equal(mdav(np.asfortranarray(points), 4), mdav(points, 4))
    assert np.array_equal(mdav(points[::2, ::2], 4), mdav(points[::2, ::2].copy(), 4))


def test_the_points_passed_stay_as_they_are():
    points = np.random.default_rng(4).normal(size=(5000, 3))
    for groups in (brute_groups, pruned_groups):
        before = points.copy()
        groups(points, 3)
        assert np.array_equal(points, before)
