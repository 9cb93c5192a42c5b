"""Microdata: roles, weights, the missing-value policy, and how they show themselves."""

import pandas as pd
import pyarrow as pa
import pytest

import discreet as ds

TABLE = {
    "name": ["Ann", "Bob", "Cid", "Dan"],
    "age": [30, 30, None, 40],
    "sex": ["f", "f", "m", "m"],
    "illness": ["flu", "cold", "flu", None],
    "w": [1.5, 2.0, 1.0, 3.0],
    "rec": [4, 3, 2, 1],
}


def read(**roles):
    return ds.read(TABLE, **roles)


def codes(error):
    return [problem.code for problem in error.value.problems]


def test_roles_are_those_given_and_all_else_is_other():
    data = read(identifiers="name", keys=["age", "sex"], confidential="illness", weight="w")
    assert (data.identifiers, data.keys, data.confidential) == (
        ("name",),
        ("age", "sex"),
        ("illness",),
    )
    assert (data.weight, data.record_id) == ("w", None)
    assert data.table("arrow")["role"].to_pylist() == [
        "identifier", "key", "key", "confidential", "weight", "other",
    ]  # fmt: skip


def test_a_column_may_be_key_and_confidential_at_once():
    data = read(keys=["age"], confidential=["age"])
    assert data.roles.of("age") == "key + confidential"
    assert ds.risk(data).p == {"age": 1}


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ({"identifiers": ["name"], "keys": ["name"]}, ["R03"]),
        ({"identifiers": ["name"], "confidential": ["name"]}, ["R03"]),
        ({"keys": ["w"], "weight": "w"}, ["R04"]),
        ({"keys": ["rec"], "record_id": "rec"}, ["R04"]),
        ({"weight": "rec", "record_id": "rec"}, ["R04"]),
        ({"identifiers": ["w"], "weight": "w"}, ["R04"]),
        ({"keys": ["age", "age"]}, ["R02"]),
        ({"keys": ["agee"]}, ["R01"]),
        ({"weight": ["w"]}, ["R08"]),
        ({"record_id": {"rec"}}, ["R08"]),
        ({"keys": ["agee", "SEX"], "confidential": ["ill"], "weight": "ww", "record_id": "r",
          "types": {"zip": "nominal", "sex": "ordinal"}, "missing": "skip",
          "missing_values": {"nam": ["?"]}},
         ["R01"] * 5 + ["R01", "P05", "R01", "P06"]),
    ],
)  # fmt: skip
def test_all_that_contradicts_the_table_is_said_at_once(roles, expected):
    with pytest.raises(ds.DiscreetError) as error:
        read(**roles)
    assert sorted(codes(error)) == sorted(expected)


def test_an_identifier_may_name_the_records():
    assert read(identifiers=["name"], record_id="name").released == (
        "age",
        "sex",
        "illness",
        "w",
        "rec",
    )


def test_near_names_are_suggested():
    with pytest.raises(ds.DiscreetError, match="Did you mean 'age'"):
        read(keys=["agee"])


@pytest.mark.parametrize(
    ("given", "keys"),
    [
        ("age", ("age",)),
        (["age"], ("age",)),
        (("sex", "age"), ("sex", "age")),
        ({"sex", "age"}, ("age", "sex")),
        ({"sex": 1, "age": 2}, ("sex", "age")),
        (pd.Index(["age"]), ("age",)),
        ((name for name in ["age"]), ("age",)),
        (None, ()),
    ],
)
def test_names_are_taken_from_anything_that_holds_them(given, keys):
    assert read(keys=given).keys == keys


@pytest.mark.parametrize("bad", [0, -1, None, float("nan"), float("inf")])
def test_weights_are_positive_and_not_missing(bad):
    with pytest.raises(ds.DiscreetError, match=r"D05.*'w' .* in 1 record"):
        ds.read({"a": [1, 2], "w": [1.0, bad]}, weight="w")


def test_a_weight_is_a_number():
    with pytest.raises(ds.DiscreetError, match="D05"):
        read(weight="sex")


def test_missing_values_may_be_refused_in_keys_and_confidential_attributes():
    with pytest.raises(ds.DiscreetError) as error:
        read(keys=["age", "sex"], confidential=["illness"], missing="refuse")
    assert codes(error) == ["D03", "D03"]
    assert read(keys=["sex"], missing="refuse").n == 4


def test_with_roles_changes_the_roles_and_nothing_else():
    data = read(keys=["age"], types={"age": "nominal"}, missing="wildcard")
    other = data.with_roles(keys="sex", weight="w")
    assert (data.keys, other.keys, other.weight) == (("age",), ("sex",), "w")
    assert (other.types, other.missing) == (data.types, "wildcard")
    with pytest.raises(ds.DiscreetError, match=r"'kyes' is not a role. Did you mean 'keys'"):
        data.with_roles(kyes=["age"])
    with pytest.raises(ds.DiscreetError, match="R08"):
        data.with_roles(weight=["w"])


def test_the_columns_show_their_numbers_of_distinct_and_missing_values():
    data = read(keys=["age", "sex"])
    assert data.profile["age"] == (2, 1)
    assert data.profile["name"] == (4, 0)
    assert data.table("pandas")["missing"].tolist() == [0, 1, 0, 1, 0, 0]
    for shown in (repr(data), data._repr_html_()):
        assert "4 records of the arrow frame" in shown
        assert all(column in shown for column in TABLE)


def test_html_is_escaped():
    shown = ds.read({"<script>": [1]})._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_identifiers_and_the_record_id_are_never_given_out():
    data = read(identifiers=["name"], record_id="rec")
    assert data.to("arrow").column_names == ["age", "sex", "illness", "w"]


def test_records_come_out_in_the_order_they_went_in(tmp_path):
    table = pa.table({"a": list(range(5000, 0, -1))})
    assert ds.read(table).to("arrow").equals(table)


def test_an_attribute_must_be_there_and_hold_plain_values():
    data = ds.read({"a": [1], "l": [[1]]})
    for names, code in ([["b"], "R01"], [["l"], "D01"], [[], "P04"]):
        with pytest.raises(ds.DiscreetError, match=code):
            data.frequency_set(names)
    assert len(data.frequency_set("a")) == 1
