"""Domingo-Ferrer, Torra (paper 004), section 3.2: Table 2 as an R-U map of the Census file."""

import pytest

import discreet as ds
from tests.papers.test_004_microaggregation import TABLE_2


@pytest.fixture(scope="module")
def found(census):
    return ds.ru_map(census, ds.grid(k=[3, 6, 9]), loss="il1", with_score=True)


@pytest.mark.parametrize("k", [3, 6, 9])
def test_the_losses_of_table_2_are_points_of_the_map(found, k):
    assert round(found[f"mdav k={k}"].loss, 3) == TABLE_2[k][0]


def test_larger_groups_have_less_risk_and_more_loss_so_all_are_on_the_frontier(found):
    assert [p.label for p in found.frontier] == ["mdav k=9", "mdav k=6", "mdav k=3"]
    assert [p.risk for p in found.frontier] == sorted(p.risk for p in found.frontier)


def test_the_risk_of_mdav_is_the_number_of_groups_per_record(found):
    for point in found.points:
        groups = ds.risk(point.masked).classes
        assert point.risk == pytest.approx(groups / 1080)


def test_the_best_masking_under_a_limit_is_the_masking_itself(census, found):
    best = found.best(risk_at_most=0.12)
    assert best.label == "mdav k=9"
    again = ds.microaggregate(census, k=9)
    assert best.masked.to("arrow").equals(again.to("arrow"))


def test_the_score_stands_beside_with_all_its_parts(census, found):
    table = found.table("arrow")
    score = ds.score(census, ds.microaggregate(census, k=6))
    row = table.to_pylist()[1]
    assert row["score"] == pytest.approx(score.value)
    assert row["score"] == pytest.approx((row["information_loss"] + row["disclosure_risk"]) / 2)
    assert row["record_linkage"] == pytest.approx(score.record_linkage)
    assert row["interval_disclosure"] == pytest.approx(score.interval_disclosure)
