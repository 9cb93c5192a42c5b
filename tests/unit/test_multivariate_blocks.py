import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.kernels.multivariate import balanced_blocks


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 300), size=st.integers(1, 80))
@settings(deadline=None)
def test_blocks_are_the_fewest_and_equal_but_for_one(seed, n, size):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (n, 3)).astype(float)
    blocks = balanced_blocks(points, size)
    sizes = np.bincount(blocks)
    assert len(sizes) == -(-n // size)
    assert sizes.max() <= size
    assert sizes.max() - sizes.min() <= 1
    assert np.array_equal(blocks, balanced_blocks(np.asfortranarray(points), size))


def test_the_first_split_cuts_the_column_of_largest_variance_at_its_median():
    points = np.random.default_rng(1).normal(size=(1000, 3)) * [1.0, 5.0, 2.0]
    halves = balanced_blocks(points, 500)
    assert points[halves == 0, 1].max() <= points[halves == 1, 1].min()


def test_equal_records_are_told_apart_by_their_number():
    assert balanced_blocks(np.zeros((10, 2)), 4).tolist() == [0] * 3 + [1] * 3 + [2] * 4
