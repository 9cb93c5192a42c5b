"""Truta, Vinay: p-sensitive k-anonymity (paper 003), Definitions 1 and 2."""

import discreet as ds
from tests.papers.tables import TABLE_1, TABLE_3


def read_table_3(**changes):
    table = TABLE_3 | changes
    return ds.read(table, keys=["Age", "ZipCode", "Sex"], confidential=["Illness", "Income"])


def test_table_1_is_2_anonymous_and_1_sensitive():
    patients = ds.read(TABLE_1, keys=["Age", "Zip", "Sex"], confidential=["Illness"])
    found = ds.risk(patients)
    assert (found.k, found.p) == (2, {"Illness": 1})
    assert not ds.check(patients, ds.PSensitiveKAnonymity(p=2, k=2)).satisfied


def test_table_3_is_1_sensitive_3_anonymous():
    found = ds.risk(read_table_3())
    assert (found.k, found.p) == (3, {"Illness": 2, "Income": 1})
    assert ds.check(read_table_3(), ds.PSensitiveKAnonymity(p=1, k=3)).satisfied


def test_table_3_fails_2_sensitivity_by_its_income_in_one_class_of_three_records():
    check = ds.check(read_table_3(), ds.PSensitiveKAnonymity(p=2, k=3))
    assert not check.satisfied
    assert (check.violating_classes, check.violating_records) == (1, 3)
    assert {reason: v.records for reason, v in check.by.items()} == {
        "class size": 0,
        "Illness": 0,
        "Income": 3,
    }


def test_changing_the_first_income_of_table_3_to_40000_makes_p_2():
    changed = read_table_3(Income=[40_000, *TABLE_3["Income"][1:]])
    assert min(ds.risk(changed).p.values()) == 2
    assert ds.check(changed, ds.PSensitiveKAnonymity(p=2, k=3)).satisfied


def test_named_attributes_limit_p_sensitivity_to_them():
    only_illness = ds.PSensitiveKAnonymity(p=2, k=3, confidential=("Illness",))
    assert ds.check(read_table_3(), only_illness).satisfied
    words = "2-sensitive 3-anonymity (p counts 'Illness' only) holds"
    assert ds.check(read_table_3(), only_illness).explain().startswith(words)
