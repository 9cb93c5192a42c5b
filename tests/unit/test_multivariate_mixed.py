import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.kernels.multivariate import convex_median, mdav, mdav_mixed, median, plurality
from tests.examples import examples
from tests.multivariate_twin import twin_convex_median, twin_mixed


def test_medians_of_the_paper():
    # paper 004, Figure 2 and the text of Section 5.3
    figure = np.bincount([1, 2, 2, 5, 6], minlength=8)
    assert (median(figure), convex_median(figure)) == (2, 3)
    text = np.bincount([1, 2, 7])
    assert (median(text), convex_median(text)) == (2, 4)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=40))
@settings(deadline=None)
def test_the_convex_median_is_the_median_of_the_convex_frequencies(values):
    for extra in (0, 3):
        counts = np.bincount(values, minlength=max(values) + 1 + extra)
        assert convex_median(counts) == twin_convex_median(values)
        assert median(counts) == sorted(values)[(len(values) - 1) // 2]


def test_the_most_frequent_category_with_the_smallest_code_is_the_plurality():
    assert plurality(np.array([0, 2, 5, 5])) == 2


def drawn(rng, n):
    d, o, c = rng.integers(0, 3, 3)
    scale = rng.choice([1.0, 0.1, 1 / 3])
    return (
        rng.integers(-2, 3, (n, d)) * scale,
        rng.integers(0, 5, (n, o)),
        rng.choice([4.0, 5.0, 7.0], o),
        rng.integers(0, 4, (n, c)),
    )


@pytest.mark.parametrize("average", ["median", "convex"])
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 5), more=st.integers(0, 45))
@examples(150)
def test_mixed_records_agree_with_the_twin(average, seed, k, more):
    columns = drawn(np.random.default_rng(seed), k + more)
    labels = mdav_mixed(*columns, k, average=average)
    assert labels.tolist() == twin_mixed(*columns, k, average).tolist()
    sizes = np.bincount(labels)
    assert k <= sizes.min()
    assert sizes.max() <= 2 * k - 1


def test_without_categories_the_groups_are_those_of_mdav():
    points = np.random.default_rng(1).normal(size=(3000, 4)).round(1)
    none = np.empty((3000, 0), np.int64)
    assert np.array_equal(mdav_mixed(points, none, np.empty(0), none, 3), mdav(points, 3))


def test_larger_mixed_records_agree_with_the_twin():
    rng = np.random.default_rng(2)
    columns = (
        rng.normal(size=(2500, 2)),
        rng.integers(0, 9, (2500, 2)),
        np.array([8.0, 9.0]),
        rng.integers(0, 30, (2500, 2)),
    )
    for average in ("median", "convex"):
        labels = mdav_mixed(*columns, 20, average=average)
        assert labels.tolist() == twin_mixed(*columns, 20, average).tolist()
