"""The record risk as users meet it: settings, results, and what is refused."""

import json

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.errors import DiscreetError

TOML = """
alpha = 10
epsilon = 0.001

[known]
age = 0.3
sex = 0.8

[sensitivity]
illness = 1.0
income = 0.5

[value_sensitivity.illness]
flu = 0.2
cancer = 1.0

[[value_sensitivity.income]]
up_to = 40000
weight = 1.0

[[value_sensitivity.income]]
above = 40000
up_to = 70000
weight = 0.7
"""


@pytest.fixture
def people():
    return ds.read(
        {
            "age": [30, 30, 40, 40, 50],
            "sex": list("MFMFM"),
            "illness": ["flu", "flu", "cancer", "flu", None],
            "income": [20_000, 50_000, 40_000, 70_000, None],
            "town": list("aabbc"),
        }
    )


@pytest.fixture
def risk(people):
    return ds.record_risk(people, {"age": 0.3, "sex": 0.8}, {"illness": 1.0, "income": 0.5})


# -- settings ------------------------------------------------------------------------------------


def test_settings_come_from_a_toml_file(people, tmp_path):
    (tmp_path / "risk.toml").write_text(TOML)
    found = ds.record_risk(people, settings=tmp_path / "risk.toml")
    given = ds.record_risk(
        people,
        {"age": 0.3, "sex": 0.8},
        {"illness": 1.0, "income": 0.5},
        {"illness": {"flu": 0.2, "cancer": 1.0},
         "income": [(None, 40_000, 1.0), (40_000, 70_000, 0.7)]},
        alpha=10,
        epsilon=0.001,
    )  # fmt: skip
    assert found.values.tolist() == given.values.tolist()


def test_ranges_weigh_whole_numbers_that_no_float_holds():
    exact = 2**53
    table = ds.read({"id": [exact - 1, exact, exact + 1, None], "a": list("xyzv")})
    ranges = {"id": [(None, exact, 0.25), (exact, None, 1.0)]}
    found = ds.record_risk(table, {}, {"id": 1.0}, ranges, alpha=4)
    assert found.values.tolist() == [0.25, 0.25, 1.0, 0.0]


def test_a_range_takes_in_its_upper_end_and_not_its_lower(people):
    ranges = {"income": [(None, 40_000, 1.0), (40_000, 70_000, 0.5)]}
    found = ds.record_risk(people, {}, {"income": 1.0}, ranges, alpha=1)
    assert (found.values * 5).tolist() == [1.0, 0.5, 1.0, 0.5, 0.0]


def test_a_missing_value_has_no_sensitivity(people):
    found = ds.record_risk(people, {"age": 0.3}, {"illness": 1.0, "income": 1.0})
    assert found.values[4] == 0


def test_values_match_by_their_text_form():
    data = ds.read({"code": [1.0, 2.5, 2.5], "flag": [True, False, True]})
    found = ds.record_risk(
        data, {}, {"code": 1.0, "flag": 1.0},
        {"code": {1: 0.5, "2.5": 0.25}, "flag": {True: 1, "false": 0}}, alpha=1,
    )  # fmt: skip
    assert (found.values * 3).tolist() == [1.5, 0.25, 1.25]


def test_values_that_a_table_does_not_list_are_an_error_by_attribute_and_count(people):
    with pytest.raises(
        DiscreetError, match=r"D40.*'illness' has no weight, in 3 records"
    ) as caught:
        ds.record_risk(people, {}, {"illness": 1.0}, {"illness": {"cancer": 1.0}})
    assert "flu" not in str(caught.value)


def test_a_default_stands_in_for_values_that_are_not_listed(people):
    found = ds.record_risk(
        people, {}, {"illness": 1.0}, {"illness": {"cancer": 1.0}}, alpha=1, default=0.5
    )
    assert (found.values * 5).round(12).tolist() == [0.5, 0.5, 1.0, 0.5, 0.0]


def test_all_problems_are_told_at_once(people):
    with pytest.raises(DiscreetError) as caught:
        ds.record_risk(
            people, {"age": 1.2, "sex": -0.1}, {"illness": float("nan")}, alpha=0.5, epsilon=2
        )
    assert len(caught.value.problems) == 5
    assert {p.code for p in caught.value.problems} == {"P40"}


def test_wrong_numbers_and_unknown_attributes_are_told_together(people, tmp_path):
    (tmp_path / "risk.toml").write_text("[known]\nagee = 1.4\n[sensitivity]\nillness = 1.0\n")
    for ask in (
        lambda: ds.record_risk(people, {"agee": 1.4}, {"illness": 1.0}),
        lambda: ds.record_risk(people, settings=tmp_path / "risk.toml"),
    ):
        with pytest.raises(DiscreetError) as caught:
            ask()
        assert [p.code for p in caught.value.problems] == ["P40", "R01"]


@pytest.mark.parametrize(
    ("known", "sensitivity", "values", "code"),
    [
        ({"agee": 0.1}, {"illness": 1}, {}, "R01"),
        ({}, {}, {}, "P40"),
        ({}, {"illness": 0}, {}, "P40"),
        ({}, {"illness": True}, {}, "P40"),
        ([("age", 0.1)], {"illness": 1}, {}, "P40"),
        ({}, {"illness": 1}, {"income": {"1": 1}}, "P41"),
        ({}, {"illness": 1}, {"illness": 3}, "P41"),
        ({}, {"illness": 1}, {"illness": {"flu": 2}}, "P40"),
        ({}, {"illness": 1}, {"illness": {None: 1}}, "P41"),
        ({}, {"illness": 1}, {"illness": [(0, 1, 1)]}, "D41"),
        ({}, {"income": 1}, {"income": [(0, 10, 1), (5, 20, 1)]}, "P41"),
        ({}, {"income": 1}, {"income": [(10, 0, 1)]}, "P41"),
        ({}, {"income": 1}, {"income": [(0, 10)]}, "P41"),
        ({}, {"income": 1}, {"income": [("0", 10, 1)]}, "P41"),
    ],
)
def test_wrong_settings_are_refused(people, known, sensitivity, values, code):
    with pytest.raises(DiscreetError, match=code):
        ds.record_risk(people, known, sensitivity, values)


def test_settings_given_twice_are_refused(people):
    settings = ds.RiskSettings({"age": 0.1}, {"illness": 1.0})
    with pytest.raises(DiscreetError, match="P09"):
        ds.record_risk(people, {"age": 0.1}, {"illness": 1.0}, settings=settings)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("known = [", "S40"),
        ("knwon = 1", "P41"),
        ("value_sensitivity = 3", "P41"),
        ("[[value_sensitivity.income]]\nfrom = 3\nweight = 1", "P41"),
    ],
)
def test_a_settings_file_that_cannot_be_read_is_refused(people, tmp_path, text, code):
    (tmp_path / "risk.toml").write_text(text)
    with pytest.raises(DiscreetError, match=code):
        ds.record_risk(people, settings=tmp_path / "risk.toml")


def test_a_settings_file_that_is_not_there_is_refused(people):
    with pytest.raises(DiscreetError, match="S01"):
        ds.record_risk(people, settings="nowhere.toml")


def test_too_many_known_sets_are_refused_and_the_limit_can_be_raised():
    names = [f"c{i}" for i in range(8)]
    data = ds.read({name: [1, 2] for name in names})
    known = dict.fromkeys(names, 1.0)
    with pytest.raises(DiscreetError, match="P42"):
        ds.record_risk(data, known, {"c0": 1.0}, most_sets=100)
    found = ds.record_risk(data, known, {"c0": 1.0}, most_sets=256)
    assert len(found.known_sets) == 256


def test_many_known_sets_are_warned_of_with_their_number():
    names = [f"c{i}" for i in range(13)]
    data = ds.read({name: [1, 2] for name in names})
    with pytest.warns(UserWarning, match="8,192 known sets"):
        ds.record_risk(data, dict.fromkeys(names, 1.0), {"c0": 1.0})


# -- results -------------------------------------------------------------------------------------


def test_what_is_not_listed_is_said(risk):
    assert risk.unlisted == ("town",)
    assert "'town'" in risk.explain()


def test_records_above_a_threshold_are_a_number_and_positions(risk):
    above = risk.above(30)
    expected = np.flatnonzero(risk.values > 30)
    assert above == len(above) == int(above) == len(expected)
    assert list(above) == np.asarray(above).tolist() == expected.tolist()
    assert repr(above).endswith("above 30")


@pytest.mark.parametrize("wrong", [-1, "high", float("nan")])
def test_a_threshold_that_is_no_number_is_refused(risk, wrong):
    with pytest.raises(DiscreetError, match="P10"):
        risk.above(wrong)


def test_the_top_shows_positions_and_risks_only(risk):
    top = risk.top(2, "arrow")
    assert top.column_names == ["record", "risk"]
    assert top["risk"].to_pylist() == sorted(risk.values, reverse=True)[:2]


def test_the_histogram_counts_every_record_once(risk):
    histogram = risk.histogram()
    assert sum(histogram.counts) + histogram.zeros == 5
    for low, high, n in histogram.table("arrow").to_pandas().itertuples(index=False):
        assert n == ((risk.values > low * (1 + 1e-9)) & (risk.values <= high * (1 + 1e-9))).sum()
    assert histogram.bars().count("\n") == len(histogram.counts)


def test_a_histogram_of_nothing_but_zeros_has_no_bins():
    data = ds.read({"a": [1, 2], "b": pa.array([None, None], pa.string())})
    histogram = ds.record_risk(data, {"a": 0.1}, {"b": 1.0}).histogram()
    assert (histogram.edges, histogram.counts, histogram.zeros) == ((), (), 2)


def test_the_result_can_be_written_as_json_without_a_cell(risk):
    text = json.dumps(risk.to_dict())
    assert "flu" not in text
    assert "20000" not in text
    assert risk.to_dict()["n"] == 5


def test_the_risks_can_be_written_whole_or_not_at_all(risk, tmp_path):
    risk.write(tmp_path / "risk.parquet")
    risk.write(tmp_path / "risk.csv")
    found = ds.read(tmp_path / "risk.parquet").to("arrow")
    assert found["risk"].to_pylist() == risk.values.tolist()
    with pytest.raises(DiscreetError, match="O03"):
        risk.write(tmp_path / "risk.csv")


def test_attributes_show_what_drives_the_risk(risk):
    rows = risk.by_attribute("arrow").to_pylist()
    assert [r["attribute"] for r in rows] == ["age", "sex", "illness", "income"]
    assert rows[0]["as_sensitive"] == 0
    assert rows[2]["as_known"] == 0
    assert rows[1]["as_known"] > 0.5


def test_no_cell_shows_in_repr_or_explanation(risk):
    for text in (repr(risk), risk.explain(), risk._repr_html_(), repr(risk.settings)):
        assert "flu" not in text
        assert "cancer" not in text
