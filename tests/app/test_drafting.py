"""Drafting: what is said on a page, as sections of a plan."""

from pathlib import Path

import pytest

import discreet as ds
from discreet.app.forms import draft
from discreet.app.forms.hierarchy import form_of_hierarchy, hierarchy_in
from discreet.app.forms.labels import in_words
from discreet.app.forms.record_risk import weights_in, weights_text
from discreet.app.server.uploads import tame
from discreet.hierarchies.written import built

ORDER = ["name", "age", "zip", "illness", "w"]


@pytest.mark.parametrize("role", draft.ROLES)
def test_a_role_that_was_given_is_the_role_that_is_shown(role):
    document = draft.with_role({"source": {"file": "t.csv"}}, "age", role, ORDER)
    assert draft.role_of(document, "age") == role
    assert draft.role_of(document, "zip") == "other"
    assert document["source"] == {"file": "t.csv"}


def test_keys_keep_the_order_of_the_table_in_whatever_order_they_are_chosen():
    document = {}
    for column in ("illness", "zip", "age"):
        document = draft.with_role(document, column, "key", ORDER)
    assert document["roles"] == {"keys": ["age", "zip", "illness"]}


def test_a_second_weight_takes_the_place_of_the_first():
    document = draft.with_role({}, "w", "weight", ORDER)
    document = draft.with_role(document, "age", "weight", ORDER)
    assert document["roles"] == {"weight": "age"}
    assert draft.role_of(document, "w") == "other"


def test_a_role_taken_away_leaves_no_empty_entry():
    document = draft.with_role({}, "age", "key", ORDER)
    assert draft.with_role(document, "age", "other", ORDER)["roles"] == {}


def test_what_is_said_of_columns_that_are_gone_is_dropped():
    document = {
        "roles": {"keys": ["age", "zip"], "weight": "w"},
        "types": {"zip": "nominal"},
        "hierarchies": {"age": {"suppress": True}},
    }
    assert draft.within(document, ["age"]) == {
        "roles": {"keys": ["age"]},
        "types": {},
        "hierarchies": {"age": {"suppress": True}},
    }


@pytest.mark.parametrize(
    "step",
    [
        {"do": "swap_records", "geography": ["zip"], "keys": ["age"]},
        {"do": "top_code", "top": {"zip": 9}},
        {"do": "shuffle", "columns": ["age"], "given": ["zip"]},
        {"do": "suppress_cells", "record_cost": "zip"},
    ],
)
def test_a_step_goes_with_any_column_that_it_names(step):
    assert "steps" not in draft.within({"steps": [step]}, ["age"])
    assert draft.within({"steps": [step]}, ["age", "zip"])["steps"] == [step]


def test_reading_otherwise_keeps_the_file_and_the_missing_policy():
    document = {"source": {"file": "t.csv", "missing": "wildcard", "separator": ";"}}
    again = draft.with_source(document, {"encoding": "latin-1"})
    assert again["source"] == {"file": "t.csv", "missing": "wildcard", "encoding": "latin-1"}
    assert draft.with_missing(again, "category")["source"] == {
        "file": "t.csv",
        "encoding": "latin-1",
    }


@pytest.mark.parametrize(
    "given",
    [
        {"intervals": [5, 10, 20], "top_code": 90},
        {"intervals": [2.5], "bottom_code": -1.5},
        {"prefixes": [5, 3, 0]},
        {"dates": ["month", "year"]},
        {"by_frequency": True},
        {"by_frequency": [10, 5], "unmapped": "suppress"},
        {"suppress": True},
        {"file": "zip.csv"},
    ],
)
def test_a_hierarchy_goes_through_its_form_and_back(given):
    assert hierarchy_in(form_of_hierarchy(given), given.get("file")) == given


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"builder": "cuts", "cuts": "18, 18"}, "Write “Where intervals begin”: 18, 65."),
        ({"builder": "cuts", "cuts": ""}, "“Where intervals begin” is empty."),
        (
            {"builder": "by_frequency", "kept": "5, 10"},
            "before: “Number of values kept”: 10, 5, 2.",
        ),
        ({"builder": "by_frequency", "kept": "x"}, "“Number of values kept”: not a number."),
        ({"builder": "prefixes", "lengths": "x"}, "“Characters kept”: not a number."),
        (
            {"builder": "intervals", "widths": "5", "bottom_code": "9", "top_code": "5"},
            "“One group of all below” is not below “One group of all from”.",
        ),
        (
            {"builder": "intervals", "widths": "5", "bottom_code": "x"},
            "“One group of all below”: not a number.",
        ),
        (
            {"builder": "intervals", "widths": "5", "top_code": "9,5"},
            "“One group of all from”: not a number. Write a point for decimals",
        ),
    ],
)
def test_what_is_wrong_with_a_hierarchy_is_said_in_the_words_of_its_form(fields, words):
    with pytest.raises(ds.DiscreetError) as caught:
        built(hierarchy_in(form_of_hierarchy(None) | fields, None), Path())
    assert words in in_words(caught.value.problems[0])


def test_no_hierarchy_is_none():
    assert hierarchy_in(form_of_hierarchy(None), None) is None


@pytest.mark.parametrize(
    "table",
    [
        {"flu": 0.2, "a = b": 1.0},
        [{"up_to": 40000.0, "weight": 1.0}, {"above": 40000.0, "up_to": 70000.5, "weight": 0.7}],
        [{"above": -2.0, "weight": 0.0}],
    ],
)
def test_weights_of_values_go_through_their_text_and_back(table):
    assert weights_in(weights_text(table), "x") == (table, [])


@pytest.mark.parametrize("text", ["flu", "= 1", "flu = much", "flu = 0,2", "flu = 1\nflu = 2"])
def test_weights_that_cannot_be_read_are_said_without_quoting_them(text):
    found, problems = weights_in(text, "illness")
    assert found is None
    assert [p.code for p in problems] == ["P60"]
    assert "flu" not in str(problems)


@pytest.mark.parametrize(
    ("name", "tamed"),
    [
        ("survey.csv", "survey.csv"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("/", "t.csv"),
        ("....", "t.csv"),
        (".working", "working"),
        ("-rf.csv", "rf.csv"),
        ("a\nb\0c.csv", "a_b_c.csv"),
        ("$(reboot).csv", "_(reboot).csv"),
        ("survey (1).csv", "survey (1).csv"),
        ("x" * 300 + ".parquet", "x" * 80 + ".parquet"),
    ],
)
def test_names_of_uploads_are_tamed(name, tamed):
    assert tame(name, "t.csv") == tamed
