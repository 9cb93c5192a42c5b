"""Record linkage and interval disclosure of the Census file after MDAV with groups of three.

Interval disclosure: ``dRisk(Census, MDAV k = 3, k = width)`` of sdcMicro 5.8.1, which takes the
standard deviation of the masked values. Linkage: recomputed by separate code.
"""

import csv

import pytest

import discreet as ds


@pytest.fixture(scope="module")
def masked(census):
    return ds.microaggregate(census, k=3, preserve_variance=False)


def test_the_share_linked_to_the_right_group_and_the_expected_right_links(census, masked):
    found = ds.linkage(census, masked, list(census.columns))
    assert found.group_share == pytest.approx(0.87962962963, abs=1e-9)
    assert found.expected_correct == pytest.approx(316.666666667, abs=1e-9)
    assert dict(found.sizes) == {3: 950}


def test_the_total_distance_of_the_best_assignment(census, masked):
    """Of sdcMicro; how many of its links are right is a matter of the order of equal records."""
    found = ds.linkage(census, masked, method="assignment")
    assert found.total_distance == pytest.approx(815.08847074162, rel=1e-9)
    assert 300 < found.expected_correct <= 360


def test_who_knows_the_groups_links_one_of_each(census, masked):
    found = ds.linkage(census, masked, knows_method=True)
    assert (found.expected_correct, found.group_share) == (pytest.approx(360), 1.0)


def test_every_share_of_interval_disclosure(census, masked, reference_data):
    with reference_data("golden/sdcmicro_drisk_census_mdav_k3.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 51
    for row in rows:
        of_all = row["variables"] == "all13"
        columns = list(census.columns) if of_all else row["variables"].split("+")
        found = ds.interval_disclosure(
            census, masked, width=float(row["width"]), columns=columns, sd="masked"
        )
        assert found.share == pytest.approx(float(row["share"]), abs=1e-12), row


@pytest.mark.parametrize("k", [3, 5, 10])
def test_il1s_is_that_of_sdcmicro(census, reference_data, k):
    """``dUtility``: the sum over all cells; ours is the mean."""
    with reference_data("golden/sdcmicro_utility_census_mdav.csv").open() as file:
        expected = {int(row["k"]): float(row["IL1s"]) for row in csv.DictReader(file)}
    found = ds.information_loss(census, ds.microaggregate(census, k=k, preserve_variance=False))
    assert found.il1s * 1080 * 13 == pytest.approx(expected[k], rel=1e-9)
