"""Builders of hierarchies: intervals, prefixes, dates, frequent categories."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from discreet.errors import InvalidData, InvalidParameter
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.hierarchies.texts import text_form
from tests.fitted_hierarchies import error_codes, moments, rows


def test_intervals_show_whole_numbers_as_whole_numbers():
    fitted = Hierarchy.intervals([10, 20], top="*").fit("age", pa.array([-1, 0, 25.5, 30]))
    assert rows(fitted, 1) == ["[-10, 0)", "[0, 10)", "[20, 30)", "[30, 40)"]
    assert rows(fitted, 2) == ["[-20, 0)", "[0, 20)", "[20, 40)", "[20, 40)"]
    assert fitted.height == 3


def test_intervals_put_a_decimal_where_it_is_written():
    for values in (
        pa.array([0.3, 0.7]),
        pa.array([0.3, 0.7], pa.float32()),
        pa.array(["0.3", "0.7"]),
    ):
        fitted = Hierarchy.intervals([0.1]).fit("x", values)
        assert rows(fitted, 1) == ["[0.3, 0.4)", "[0.7, 0.8)"]


def test_intervals_of_fractions_hold_whole_numbers():
    fitted = Hierarchy.intervals([2.5, 5], origin=0.5).fit("x", pa.array([0, 3, 4]))
    assert rows(fitted, 1) == ["[-2, 0.5)", "[3, 5.5)", "[3, 5.5)"]
    assert rows(fitted, 2) == ["[-4.5, 0.5)", "[0.5, 5.5)", "[0.5, 5.5)"]


def test_intervals_of_very_large_numbers_are_exact():
    large = 2**61 + 1
    assert rows(Hierarchy.intervals([2]).fit("x", pa.array([large])), 1) == [
        f"[{large - 1}, {large + 1})"
    ]
    unsigned = pa.array([2**63 + 2**20], pa.uint64())
    with pytest.raises(InvalidData, match="D21"):
        Hierarchy.intervals([2]).fit("x", unsigned)
    assert rows(Hierarchy.intervals([2], top_code=100).fit("x", unsigned), 1) == ["≥100"]


def test_bottom_and_top_codes_cut_the_intervals_beside_them():
    ages = Hierarchy.intervals([10, 20], bottom_code=18, top_code=90)
    fitted = ages.fit("age", pa.array([2, 17, 18, 25, 89, 90, float("inf"), None]))
    assert rows(fitted, 1) == ["<18", "<18", "[18, 20)", "[20, 30)", "[80, 90)", "≥90", "≥90", None]
    assert rows(fitted, 2) == ["<18", "<18", "[18, 20)", "[20, 40)", "[80, 90)", "≥90", "≥90", None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"widths": []}, "no width"),
        ({"widths": [10, 25]}, r"width of level 2 \(25\) is not a multiple .* level 1 \(10\)"),
        ({"widths": [10, 20, 20]}, "width of level 3"),
        ({"widths": [20, 10]}, "width of level 2"),
        ({"widths": [0]}, "level 1 is not a positive number"),
        ({"widths": [-5]}, "level 1 is not a positive number"),
        ({"widths": [float("nan")]}, "level 1 is not a positive number"),
        ({"widths": [True]}, "level 1 is not a positive number"),
        ({"widths": "10"}, "level 1 is not a positive number"),
        ({"widths": [10], "origin": "0"}, "origin= is not a number"),
        ({"widths": [10], "origin": None}, "origin= is not a number"),
        ({"widths": [10], "top_code": "90"}, "top_code= is not a number"),
        ({"widths": [10], "bottom_code": 90, "top_code": 18}, "bottom_code= is not below"),
    ],
)
def test_wrong_intervals_are_refused(arguments, message):
    with pytest.raises(InvalidParameter, match=message) as error:
        Hierarchy.intervals(**arguments)
    assert error_codes(error) == ["P20"]


def test_all_problems_of_intervals_are_told_at_once():
    with pytest.raises(InvalidParameter) as error:
        Hierarchy.intervals([10, 25, -1], origin="x", top_code="y")
    assert error_codes(error) == ["P20"] * 4


def test_decimal_widths_nest_as_they_are_written():
    assert Hierarchy.intervals([0.1, 0.3]).height == 3  # 0.3 % 0.1 is not 0 in floating point


@pytest.mark.parametrize("values", [pa.array([True]), pa.array([dt.date(2024, 1, 1)])])
def test_intervals_are_for_numbers(values):
    with pytest.raises(InvalidData, match="D22"):
        Hierarchy.intervals([10]).fit("x", values)


def test_prefixes_keep_the_length_of_the_code():
    fitted = Hierarchy.prefixes([5, 3, 1]).fit(
        "zip", pa.array(["41076", "4107", "41", "", "ñandú"])
    )
    assert rows(fitted, 1) == ["410**", "410*", "41", "", "ñan**"]
    assert rows(fitted, 2) == ["4****", "4***", "4*", "", "ñ****"]
    assert rows(fitted, 3) == ["*"] * 5


def test_prefixes_work_on_whole_numbers_by_their_text():
    for values in (pa.array([41076, 41099]), pa.array([41076.0, 41099.0])):
        assert rows(Hierarchy.prefixes([5, 3]).fit("zip", values), 1) == ["410**", "410**"]


@pytest.mark.parametrize(
    ("lengths", "top", "height"),
    [
        ([5, 3, 0], "*", 2),
        ([5, 3], "*", 2),
        ([5, 3], None, 1),
        ([5, 3, 0], None, 2),
        ([5], "*", 1),
        ([0], "*", 1),
    ],
)
def test_prefixes_end_in_one_group_unless_told_otherwise(lengths, top, height):
    hierarchy = Hierarchy.prefixes(lengths, top=top)
    assert hierarchy.height == height
    assert hierarchy.fit("x", pa.array(["abcde"])).height == height


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([], "no length"),
        ([5, 5], "level 1 is not shorter than that of level 0"),
        ([5, 3, 4], "level 2 is not shorter"),
        ([5, -1], "level 1 is not a whole number"),
        ([5, 2.5], "level 1 is not a whole number"),
        ([True], "level 0 is not a whole number"),
        ("53", "level 0 is not a whole number"),
    ],
)
def test_wrong_prefixes_are_refused(lengths, message):
    with pytest.raises(InvalidParameter, match=message) as error:
        Hierarchy.prefixes(lengths)
    assert set(error_codes(error)) == {"P21"}


def test_prefixes_without_a_level_are_refused():
    with pytest.raises(InvalidParameter, match="no level above"):
        Hierarchy.prefixes([5], top=None)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([dt.date(2024, 5, 17), dt.date(1999, 12, 31)]),
        pa.array([dt.date(2024, 5, 17), dt.date(1999, 12, 31)], pa.date64()),
        moments("2024-05-17T08", "1999-12-31"),
        pa.array(["2024-05-17", "1999-12-31T23:59:59"]),
    ],
)
def test_dates_go_from_month_to_decade(values):
    fitted = Hierarchy.dates().fit("born", values)
    found = [rows(fitted, level) for level in range(1, 6)]
    assert [labels[0] for labels in found] == ["2024-05", "2024-Q2", "2024", "2020s", "*"]
    assert [labels[1] for labels in found] == ["1999-12", "1999-Q4", "1999", "1990s", "*"]


def test_times_may_have_a_level_of_days_and_are_local():
    zone = dt.timezone(dt.timedelta(hours=2))
    times = pa.array([dt.datetime(2024, 1, 1, 0, 30, tzinfo=zone)], pa.timestamp("us", "+02:00"))
    assert rows(Hierarchy.dates(["day", "year"]).fit("t", times), 1) == ["2024-01-01"]


@pytest.mark.parametrize("zone", ["+02:00", "-05:30", "UTC"])
def test_zones_that_are_offsets_have_the_text_of_named_ones(zone):
    times = pa.array([dt.datetime(2024, 1, 1, 0, 30, tzinfo=dt.UTC), None], pa.timestamp("s", zone))
    shown = {"+02:00": "2024-01-01T02:30:00+0200", "-05:30": "2023-12-31T19:00:00-0530"}
    assert text_form("t", times).to_pylist() == [shown.get(zone, "2024-01-01T00:30:00Z"), None]


@pytest.mark.parametrize("levels", [[], ["week"], ["year", "month"], ["year", "year"], "yearly"])
def test_wrong_parts_of_the_calendar_are_refused(levels):
    with pytest.raises(InvalidParameter, match="P24"):
        Hierarchy.dates(levels)


def test_dates_are_not_numbers():
    with pytest.raises(InvalidData, match="D22"):
        Hierarchy.dates().fit("x", pa.array([20240517]))


def test_the_rarest_categories_are_merged_first_and_ties_go_by_value():
    values, counts = pa.array(["a", "b", "c", "d", "e", None]), [5, 9, 5, 5, 1, 50]
    fitted = Hierarchy.by_frequency([3, 1]).fit("job", values, counts)
    assert rows(fitted, 1) == ["a", "b", "c", "other", "other", None]
    assert rows(fitted, 2) == ["other", "b", "other", "other", "other", None]
    assert rows(fitted, 3) == ["*"] * 6


def test_the_number_of_categories_is_halved_unless_told_otherwise():
    values, counts = pa.array(list("abcdefgh")), np.arange(8, 0, -1)
    assert Hierarchy.by_frequency().fit("x", values, counts).groups == (8, 5, 3, 2, 1)
    assert Hierarchy.by_frequency(1).fit("x", values, counts).groups == (8, 5, 1)
    assert Hierarchy.by_frequency().fit("x", values[:2], counts[:2]).groups == (2, 1)
    assert Hierarchy.by_frequency().height is None
    assert Hierarchy.by_frequency([4, 2]).height == 3


@pytest.mark.parametrize("steps", [[], 0, [2, 2], [2, 3], [1.5], "3", True, [0]])
def test_wrong_steps_are_refused(steps):
    with pytest.raises(InvalidParameter, match="P22"):
        Hierarchy.by_frequency(steps)


def test_frequency_needs_counts_and_one_per_value():
    for counts in (None, [1], [1.5, 2], ["a", "b"]):
        with pytest.raises(InvalidParameter, match="P24"):
            Hierarchy.by_frequency().fit("x", pa.array(["a", "b"]), counts)


@pytest.mark.parametrize("top", ["", 3])
def test_a_label_is_a_text(top):
    for make in (
        lambda: Hierarchy.suppress(top=top),
        lambda: Hierarchy.intervals([1], top=top),
        lambda: Hierarchy.by_frequency(other=top),
    ):
        with pytest.raises(InvalidParameter, match="is not a label"):
            make()
