import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.multivariate import v_mdav
from tests.examples import examples
from tests.multivariate_twin import twin_variable


def test_groups_follow_clusters_when_gamma_is_above_one():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0]])
    clusters = np.repeat([0, 1, 2], [4, 5, 3])
    points = centres[clusters] + rng.random((12, 2))
    labels = v_mdav(points, 3, gamma=1.5)
    assert len({(a, b) for a, b in zip(clusters, labels, strict=True)}) == 3


def test_with_gamma_zero_only_the_last_records_make_groups_larger_than_k():
    labels = v_mdav(np.random.default_rng(1).normal(size=(103, 3)), 5, gamma=0.0)
    assert np.maximum(np.bincount(labels) - 5, 0).sum() == 3


@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(1, 5),
    more=st.integers(0, 30),
    gamma=st.sampled_from([0.0, 0.2, 0.9, 1.1, 3.0]),
    coarse=st.booleans(),
)
@examples(200)
def test_groups_agree_with_the_twin_and_keep_their_size(seed, k, more, gamma, coarse):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(k + more, rng.integers(1, 4)))
    points = (points * 2).round() if coarse else points
    labels = v_mdav(points, k, gamma=gamma)
    assert labels.tolist() == twin_variable(points, k, gamma).tolist()
    sizes = np.bincount(labels)
    assert k <= sizes.min()
    assert sizes.max() <= 2 * k - 1
