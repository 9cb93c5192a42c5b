"""Individual ranking, principal component and exchange on the Census file.

Goldens: sdcMicro 5.8.1, ``microaggregation(Census, method = "onedims" | "pca", aggr = 3)``; MDAV
5.692 % of the variance is lost with 13 attributes and k = 3.
"""

import numpy as np
import pytest

import discreet as ds


def values(data):
    table = data.to("arrow")
    return np.column_stack([table[name].to_numpy() for name in table.column_names])


def test_individual_ranking_loses_what_it_does_in_sdcmicro(census, reference_data):
    path = reference_data("golden/sdcmicro_individual_ranking_census_k3.csv")
    golden = np.loadtxt(path, delimiter=",", skiprows=1)
    masked = ds.microaggregate(census, k=3, method="individual")
    found = values(masked)
    assert 100 * ds.information_loss(census, masked).sse_ratio == pytest.approx(
        0.107343475392766, rel=1e-9
    )
    np.testing.assert_allclose(found.mean(axis=0), golden.mean(axis=0), rtol=1e-9)
    for ours, theirs in zip(found.T, golden.T, strict=True):  # ties: who gets which mean
        np.testing.assert_allclose(np.sort(ours), np.sort(theirs), rtol=1e-9)


def test_equal_values_kept_together_lose_twice_as_much(census):
    masked = ds.microaggregate(census, k=3, method="individual", ties="together")
    assert 100 * ds.information_loss(census, masked).sse_ratio == pytest.approx(0.227, abs=5e-4)
    for before, after in zip(values(census).T, values(masked).T, strict=True):
        pairs = set(zip(before.tolist(), after.tolist(), strict=True))
        assert len(pairs) == len(set(before.tolist()))


OPTIMAL = {3: 14464579257, 5: 19644630708.6988, 10: 30128636172.0384}


@pytest.mark.parametrize("k", OPTIMAL)
def test_the_least_squared_error_of_one_attribute_is_that_of_sdcmicro(census, k):
    masked = ds.microaggregate(
        census, ["AFNLWGT"], k, method="optimal-univariate", preserve_variance=False
    )
    before, after = (d.to("arrow")["AFNLWGT"].to_numpy() for d in (census, masked))
    assert float(((before - after) ** 2).sum()) == pytest.approx(OPTIMAL[k], rel=1e-11)


def test_the_groups_along_the_first_component_are_those_of_sdcmicro(census, reference_data):
    path = reference_data("golden/sdcmicro_pca_census_k3_groups.csv")
    golden = np.loadtxt(path, delimiter=",", skiprows=1, dtype=int)[:, 1]
    masked = ds.microaggregate(census, k=3, method="pca", preserve_variance=False)
    ours = np.unique(values(masked), axis=0, return_inverse=True)[1].ravel()
    assert len(set(zip(ours.tolist(), golden.tolist(), strict=True))) == 360 == ours.max() + 1
    assert 100 * ds.information_loss(census, masked).sse_ratio == pytest.approx(
        26.7161008068775, rel=1e-9
    )


def test_an_exchange_after_mdav_lowers_the_loss_by_far_more_than_three_percent(census):
    masked = ds.microaggregate(census, k=3, exchange=True, preserve_variance=False)
    found = ds.information_loss(census, masked).sse_ratio
    assert found == pytest.approx(0.052606, abs=5e-7)
    assert found <= 0.05692 * 0.97
    assert ds.check(masked, ds.KAnonymity(3)).satisfied


def test_individual_ranking_says_that_it_is_not_k_anonymous(census):
    masked = ds.microaggregate(census, k=3, method="individual")
    assert masked.outcome.below == 1080 - int(np.sum(_sizes(values(masked)) >= 3))
    assert masked.outcome.smallest == 1
    assert "not 3-anonymous" in masked.explain()


def _sizes(rows):
    _, which, sizes = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return sizes[which.ravel()]
