"""Candidates for keys: distinct and separation ratio of sets of attributes."""

import json

import ibis
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
from discreet.errors import InvalidData, InvalidParameter, InvalidRole, NotSupported
from tests.examples import examples
from tests.papers.tables import FIGURE_21, TABLE_1

PEOPLE = {  # worked by hand from the definitions of Motwani & Xu (2007)
    "age": [20, 30, 40, 20, 40],
    "sex": ["F", "F", "F", "M", "M"],
    "state": ["CA", "CA", "TX", "NY", "CA"],
}


@pytest.fixture
def people():
    return ds.key_candidates(ds.read(PEOPLE))


def names_of(candidates):
    return [c.attributes for c in candidates]


# -- the definitions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attributes", "distinct", "separation", "unique"),
    [
        (["age"], 3 / 5, 8 / 10, 1 / 5),  # two pairs have the same age
        (["sex"], 2 / 5, 6 / 10, 0),  # 3 + 1 pairs have the same sex
        (["state"], 3 / 5, 7 / 10, 2 / 5),
        (["sex", "state"], 4 / 5, 9 / 10, 3 / 5),
        (["age", "sex"], 1, 1, 1),
        (["age", "sex", "state"], 1, 1, 1),
    ],
)
def test_the_ratios_follow_their_definitions(people, attributes, distinct, separation, unique):
    found = people.of(attributes)
    assert found.distinct == pytest.approx(distinct)
    assert found.separation == pytest.approx(separation)
    assert found.unique == pytest.approx(unique)


def test_the_classes_are_those_of_figure_22():
    found = ds.key_candidates(ds.read(FIGURE_21, record_id="RecNo")).of(["Age", "Sex"])
    assert (found.n, found.classes, found.uniques) == (10, 6, 3)


def test_the_smallest_sets_that_reach_a_ratio_are_found(people):
    assert names_of(people.minimal(separation=1)) == [("age", "sex"), ("age", "state")]
    assert names_of(people.minimal(separation=0.8)) == [("age",), ("sex", "state")]
    assert names_of(people.minimal(distinct=0.6)) == [("age",), ("state",)]
    assert names_of(people.minimal(separation=0.7, unique=0.4)) == [("state",), ("age", "sex")]


def test_sets_come_by_size_then_from_the_most_separating_down(people):
    assert names_of(people) == [
        ("age",), ("state",), ("sex",),
        ("age", "sex"), ("age", "state"), ("sex", "state"), ("age", "sex", "state"),
    ]  # fmt: skip
    assert people.table("arrow")["attributes"].to_pylist()[3] == "age, sex"


def test_the_ranking_weighs_what_an_attribute_adds_to_the_others(people):
    ranking = people.ranking("arrow").to_pylist()
    assert [row["attribute"] for row in ranking] == ["age", "state", "sex"]
    # age alone 1/5; joining sex 5/5, joining state 3/5; joining both 2/5
    assert ranking[0]["gain"] == pytest.approx((1 / 5 + (5 / 5 + 3 / 5) / 2 + 2 / 5) / 3)


# -- properties ----------------------------------------------------------------------------------

cells = st.sampled_from(["a", "b", "c", None])
tables = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=4)
)


def read(columns):
    return ds.read({f"x{i}": pa.array(c, pa.string()) for i, c in enumerate(columns)})


@examples(15)
@given(tables)
def test_the_counts_are_those_of_the_class_risk_with_these_keys(columns):
    data = read(columns)
    for found in ds.key_candidates(data, up_to=4):
        risk = ds.risk(data.with_roles(keys=found.attributes))
        assert (found.classes, found.uniques) == (risk.classes, risk.uniques)


@given(tables)
def test_no_ratio_falls_when_an_attribute_is_added(columns):
    found = list(ds.key_candidates(read(columns), up_to=4))
    for small in found:
        for large in found:
            if set(small.attributes) < set(large.attributes):
                assert small.distinct <= large.distinct
                assert small.separation <= large.separation
                assert small.unique <= large.unique


@given(tables, st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]))
def test_minimal_sets_reach_the_ratio_and_none_of_their_subsets_does(columns, limit):
    found = ds.key_candidates(read(columns), up_to=4)
    reach = {c.attributes for c in found if c.separation >= limit}
    least = {a for a in reach if not any(set(b) < set(a) for b in reach)}
    assert set(names_of(found.minimal(separation=limit))) == least


@given(tables)
def test_the_order_of_the_records_does_not_matter(columns):
    turned = [c[::-1] for c in columns]
    assert list(ds.key_candidates(read(columns))) == list(ds.key_candidates(read(turned)))


# -- what is combined ----------------------------------------------------------------------------


def test_identifiers_record_id_weight_and_lists_are_left_out_and_named():
    table = pa.table({**FIGURE_21, "Name": ["x"] * 10, "w": [1.0] * 10, "l": [[1]] * 10})
    data = ds.read(table, identifiers="Name", record_id="RecNo", weight="w")
    found = ds.key_candidates(data)
    assert found.attributes == ("Age", "Sex")
    assert found.left_out == ("RecNo", "Name", "w", "l")
    assert "Not looked at: 'RecNo', 'Name', 'w', 'l'." in found.explain()


def test_an_identifier_is_counted_when_it_is_named():
    data = ds.read(FIGURE_21, identifiers="RecNo")
    found = ds.key_candidates(data, ["RecNo", "Sex"])
    assert found.of("RecNo").unique == 1
    assert "'RecNo' differs in every record" in found.explain()


def test_a_missing_value_is_a_value_of_its_own():
    found = ds.key_candidates(ds.read({"a": [1, None, None, 2]}))
    assert (found.of("a").classes, found.of("a").pairs) == (3, 1)


def test_wildcards_are_refused_where_values_are_missing_only():
    whole = ds.read({"a": [1, 1]}, missing="wildcard")
    assert ds.key_candidates(whole).of("a").classes == 1
    with pytest.raises(NotSupported, match="N01"):
        ds.key_candidates(ds.read({"a": [1, None]}, missing="wildcard"))


def test_missing_values_that_shall_be_refused_are_named_with_their_number():
    data = ds.read({"a": [1, None], "b": [None, None], "c": [1, 2]}, missing="refuse")
    with pytest.raises(InvalidData) as error:
        ds.key_candidates(data)
    assert [p.what for p in error.value.problems] == [
        "'a' has 1 missing value.",
        "'b' has 2 missing values.",
    ]
    assert ds.key_candidates(data, ["c"]).of("c").classes == 2


def test_a_table_of_another_engine_needs_neither_an_order_nor_names_of_its_records():
    found = ds.key_candidates(ds.read(ibis.memtable(pa.table(PEOPLE))))
    assert list(found) == list(ds.key_candidates(ds.read(PEOPLE)))


# -- ugly input ----------------------------------------------------------------------------------


def test_all_problems_are_reported_at_once():
    with pytest.raises(InvalidRole) as error:
        ds.key_candidates(ds.read(PEOPLE), ["age", "age", "stat"], up_to=0, limit=True)
    assert [p.code for p in error.value.problems] == ["R01", "R02", "P07", "P07"]


def test_too_many_sets_are_an_error_that_says_how_many():
    data = ds.read({f"x{i}": [1, 2] for i in range(30)})
    with pytest.raises(InvalidParameter, match=r"30 attributes have 4,525 sets of up to 3"):
        ds.key_candidates(data, limit=4000)
    assert len(ds.key_candidates(data, limit=4525)) == 4525


@pytest.mark.parametrize(
    "limits", [{}, {"unique": 1.5}, {"distinct": "much"}, {"separation": True}]
)
def test_a_ratio_to_reach_is_a_number_from_0_to_1(people, limits):
    with pytest.raises(InvalidParameter, match="P51"):
        people.minimal(**limits)


def test_a_set_that_was_not_counted_is_an_error():
    found = ds.key_candidates(ds.read(PEOPLE), up_to=1)
    with pytest.raises(InvalidParameter, match="P50"):
        found.of(["age", "sex"])
    with pytest.raises(InvalidRole, match="Did you mean 'sex'"):
        found.of("sxe")


@pytest.mark.parametrize("columns", [[], None])
def test_no_attribute_at_all_is_an_error(columns):
    data = ds.read({"id": [1, 2]}, record_id="id")
    with pytest.raises(InvalidParameter, match="P04"):
        ds.key_candidates(data, columns)


def test_a_single_record_is_told_apart_from_no_one():
    found = ds.key_candidates(ds.read({"a": [1]})).of("a")
    assert (found.distinct, found.separation, found.unique) == (1, 1, 1)


def test_something_that_is_not_microdata_is_refused():
    with pytest.raises(InvalidParameter, match="P09"):
        ds.key_candidates(PEOPLE)


# -- showing -------------------------------------------------------------------------------------


def test_candidates_become_json_frames_and_html(people):
    plain = json.loads(json.dumps(people.to_dict()))
    assert plain["sets"][3]["attributes"] == ["age", "sex"]
    assert plain["number_of_sets"] == len(people) == 7
    assert len(people.to_dict(most=2)["sets"]) == 2
    assert people.table("pandas").shape == (7, 7)
    assert "<p>7 sets of up to 3 attributes" in people._repr_html_()
    assert repr(people) == "KeyCandidates: 7 sets of up to 3 attributes in 5 records"


def test_the_explanation_names_the_sets_that_single_out_records(people):
    assert "At least half of the records are unique by {age, sex} (100.0%)" in people.explain()
    coarse = ds.key_candidates(ds.read(TABLE_1), ["Age", "Sex"]).explain()
    assert "No set makes half of the records unique; the closest is {Age} with 0.0%." in coarse


def test_progress_is_told():
    seen = []
    with ds.on_progress(seen.append):
        ds.key_candidates(ds.read(PEOPLE))
    assert (seen[-1].stage, seen[-1].done, seen[-1].total) == ("telling records apart", 7, 7)


def test_one_record_and_several_columns_read_well():
    both = ds.read({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    assert "'a', 'b' differ in every record: consider naming them in" in (
        ds.key_candidates(both).explain()
    )
    one = ds.read({"a": [1], "b": ["x"]})
    found = ds.record_risk(one, known={"a": 0.5}, sensitivity={"b": 1.0})
    assert "1 record of 1 (100.0%) has a risk above" in found.explain()
    assert repr(found).startswith("RecordRisk: 1 record, 2 known sets")
    assert repr(ds.suda(one.with_roles(keys=["a"]))).startswith("Suda: 1 record, ")
