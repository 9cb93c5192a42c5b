"""Pictures of what a masking did to statistics: standardised differences, and all correlations."""

import numpy as np
import pytest

import discreet as ds

pytest.importorskip("altair")

from discreet.charts import correlation_scatter_chart, difference_chart, svg
from discreet.reports import cost
from discreet.reports.blocks import Figure, Table
from discreet.reports.facts import ReportInput, gather


def figures(initial, masked, audience="internal"):
    facts = gather(initial, masked, ReportInput(), on=None, audience=audience, threshold=None)
    return {b.title: b for b in cost.section(facts).blocks if isinstance(b, Figure)}


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(1)
    table = {name: rng.normal(50, 9, 60).round(1) for name in "abcd"}
    return ds.read(table, keys=list("abcd"))


@pytest.fixture(scope="module")
def masked(survey):
    return ds.microaggregate(survey, k=12, preserve_variance=False)


def test_differences_are_in_original_standard_deviations(survey, masked):
    found = figures(survey, masked)["Standardised differences"]
    first = {row[0]: row for row in found.table.rows}
    before, after = (np.std(data.to("arrow")["a"].to_numpy(), ddof=1) for data in (survey, masked))
    assert first["a"][1] == "0.000"
    assert first["a"][2] == f"{(after - before) / before:.3f}".replace("-", "−")
    largest = [abs(float(row[2].replace("−", "-"))) for row in found.table.rows]
    assert largest == sorted(largest, reverse=True)


def test_every_pair_of_attributes_is_a_point(survey, masked):
    found = figures(survey, masked)["All correlations, after against before"]
    assert found.table.rows[-1][:2] == ("any", 6)
    assert "6 pairs" in found.alt


def test_two_attributes_need_no_picture_of_all_correlations(survey):
    pair = survey.with_roles(keys=["a", "b"])
    found = figures(pair, ds.microaggregate(pair, k=12))
    assert "Standardised differences" in found
    assert not [title for title in found if title.startswith("All correlations")]


def test_the_public_report_shows_neither(survey, masked):
    assert figures(survey, masked, "public") == {}


def test_the_table_of_losses_names_each_measure_once(survey, masked):
    facts = gather(survey, masked, ReportInput(), on=None, audience="internal", threshold=None)
    tables = [b for b in cost.section(facts).blocks if isinstance(b, Table)]
    names = [row[0] for t in tables if t.caption == "Information loss" for row in t.rows]
    assert len(names) == len(set(names)) > 10


def told(initial, masked, audience):
    facts = gather(initial, masked, ReportInput(), on=None, audience=audience, threshold=None)
    return cost.section(facts).blocks


def coarser():
    rows = {"age": [*range(20, 50)] * 3, "sex": ["m", "f", "f"] * 30}
    ages = ds.read(rows, keys=["age", "sex"])
    levels = {"age": ds.Hierarchy.intervals([7], top="*")}
    return ages, ds.generalize(ages, levels, ds.KAnonymity(5)).best.mask()


def test_a_share_has_no_digits_that_were_rounded_away():
    """In public 0.32 is 32 %, and not 32.0 % where it is 32.4 %."""
    initial, masked = coarser()
    loss = ds.information_loss(initial, masked)
    (table,) = [b for b in told(initial, masked, "public") if isinstance(b, Table)]
    said = {row[0]: row[2] for row in table.rows}["Iyengar's loss"]
    assert f"stands for {100 * loss.loss:.2g}% of" in said


def test_measures_that_say_nothing_of_any_attribute_have_no_column():
    blocks = told(*coarser(), "internal")
    (table,) = [b for b in blocks if getattr(b, "caption", "") == "Information loss by attribute"]
    for column in zip(*table.rows, strict=True):
        assert any(cell is not None for cell in column)
    assert table.columns == ("attribute", "EBIL, share")


def test_the_pictures_can_be_drawn():
    rows = [("a, b", -0.2, 0.1), ("a, c", 0.9, 0.8)]
    assert "<svg" in svg(correlation_scatter_chart(rows))
    assert "<svg" in svg(difference_chart([("a", 0.0, -0.3), ("b", 0.01, 0.0)]))
