"""Risk by household: classes of compositions, beside the members one by one."""

import numpy as np
import pytest

import discreet as ds

# two couples alike, a couple like no other, and two who live alone
TABLE = {
    "hid": ["a", "a", "b", "b", "c", "c", "d", "e"],
    "age": [30, 40, 40, 30, 30, 30, 40, 40],
}


def survey(table=TABLE, **roles):
    return ds.read(table, keys=[c for c in table if c != "hid"], household="hid", **roles)


def test_households_alike_are_a_class():
    found = ds.risk(survey(), by="household")
    assert list(found.class_sizes) == [(1, 1, 2), (2, 2, 6)]
    assert (found.n, found.classes, found.k, found.uniques) == (8, 3, 1, 2)
    assert (found.households.number, found.households.alone) == (5, 2)
    assert found.mean_risk == found.households.mean_risk == (2 * 1 + 6 / 2) / 8
    pair, same, single = 1 - (3 / 4) ** 2, 1 - (3 / 4) ** 2, 1 / 4
    assert found.members_risk == pytest.approx((4 * pair + 2 * same + 2 * single) / 8)
    assert found.rarer_together == 8  # 1/2 > 7/16, 1 > 7/16, 1/2 > 1/4
    assert (found.p, found.not_applicable["marketer"][:8]) == ({}, "it needs")


def test_it_explains_itself_and_names_no_value():
    found = ds.risk(survey({**TABLE, "age": [f"secret{a}" for a in TABLE["age"]]}), by="household")
    said = f"{found.explain()}{found!r}{found._repr_html_()}{found.bars()}{found.to_dict()}"
    assert "8 records live in 5 households of 3 compositions by age" in said
    assert "2 records (25.0%) live in a household like no other" in said
    assert "secret" not in said
    assert found.to_dict()["households"]["rarer_together"] == 8


def test_people_who_live_alone_are_the_plain_classes():
    table = {"hid": list(range(8)), "age": [1, 1, 1, 2, 2, 3, 3, 4]}
    alone, plain = ds.risk(survey(table), by="household"), ds.risk(survey(table))
    assert alone.class_sizes == plain.class_sizes
    assert (alone.k, alone.uniques, alone.mean_risk) == (plain.k, plain.uniques, plain.mean_risk)
    assert alone.members_risk == pytest.approx(plain.mean_risk, rel=1e-15)
    assert alone.rarer_together == 0  # the same number, however it is rounded


@pytest.mark.parametrize("f", [2, 3, 7, 49, 1_000_003])
def test_a_tie_is_no_higher_risk(f):
    members = -np.expm1(np.log1p(-1 / f))
    assert not 1 / f > members * (1 + 1e-12)


def test_one_household_of_all():
    found = ds.risk(survey({**TABLE, "hid": [1] * 8}), by="household")
    assert (found.k, found.uniques, found.classes, found.highest_risk) == (1, 8, 1, 1.0)


def test_all_equal_and_all_unique_files():
    equal = ds.risk(survey({"hid": [1, 1, 2, 2, 3, 3], "age": [5] * 6}), by="household")
    assert (equal.k, equal.uniques, equal.classes) == (3, 0, 1)
    unique = ds.risk(survey({"hid": [1, 1, 2], "age": [1, 2, 3]}), by="household")
    assert (unique.k, unique.uniques, unique.members_risk, unique.rarer_together) == (1, 3, 1.0, 0)


def test_how_often_a_member_occurs_matters():
    found = ds.risk(survey({"hid": [1, 1, 2, 2, 2], "age": [5] * 5}), by="household")
    assert (found.classes, found.k) == (2, 1)


def test_a_missing_key_is_a_category_of_its_own():
    found = ds.risk(survey({"hid": [1, 1, 2, 2], "age": [None, 5, 5, None]}), by="household")
    assert (found.classes, found.k) == (1, 2)


def test_wildcards_are_refused():
    with pytest.raises(ds.DiscreetError, match="household needs classes") as caught:
        ds.risk(survey(missing="wildcard"), by="household")
    assert caught.value.code == "N01"


def test_the_household_must_be_named():
    with pytest.raises(ds.DiscreetError, match="no household") as caught:
        ds.risk(ds.read(TABLE, keys=["age"]), by="household")
    assert caught.value.code == "R14"
    with pytest.raises(ds.DiscreetError, match="is not known"):
        ds.risk(survey(), by="family")


def test_a_column_by_any_name_may_be_beside_it():
    """Inside, the number of a combination is a column as well."""
    table = {**TABLE, "number": list("abcdefgh"), "": list("abcdefgh"), "part": [1] * 8}
    data = ds.read(table, keys=["age"], household="hid")
    assert list(ds.risk(data, by="household").class_sizes) == [(1, 1, 2), (2, 2, 6)]


def test_the_order_of_the_rows_does_not_matter():
    order = np.random.default_rng(1).permutation(8)
    mixed = {name: [column[i] for i in order] for name, column in TABLE.items()}
    assert ds.risk(survey(mixed), by="household").to_dict() == (
        ds.risk(survey(), by="household").to_dict()
    )


def test_masked_files_are_measured_too():
    data = survey({**TABLE, "income": list(range(8))})
    masked = ds.microaggregate(data, ["age"], k=4)
    assert ds.risk(masked, by="household").households.number == 5


def test_the_household_survey(reference_data):
    """Nobody has it: the composition beside 1 − Π(1 − 1/f) on the file of IHSN."""
    keys = ["urbrur", "roof", "walls", "relat", "sex"]
    path = reference_data("ihsn_testdata_4580x15.csv")
    data = ds.read(path, keys=keys, household="ori_hid", weight="sampling_weight")
    found = ds.risk(data, by="household")
    assert found.households.number == data.profile["ori_hid"][0]
    assert sum(found.class_sizes.n) == 4580
    assert found.mean_risk > found.members_risk > ds.risk(data).mean_risk
