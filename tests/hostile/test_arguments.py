"""Wrong arguments: each is refused with a code, none ends in the traceback of a library."""

import numpy as np
import pandas as pd
import pytest

import discreet as ds

TABLE = {"age": [30, 30, 40], "sex": ["f", "f", "m"], "w": [1.0, 2.0, 3.0]}


def data(**roles):
    return ds.read(TABLE, **{"keys": ["age", "sex"], **roles})


READ = {
    "keys: an object": ({"keys": object()}, "R01"),
    "keys: a list in a list": ({"keys": [["age"]]}, "R01"),
    "keys: None in a list": ({"keys": [None]}, "R01"),
    "keys: a number": ({"keys": 5}, "R01"),
    "keys: twice": ({"keys": ["age", "age"]}, "R02"),
    "weight: a list": ({"weight": ["w"]}, "R08"),
    "weight: a number": ({"weight": 5}, "R01"),
    "types: a list": ({"types": ["age"]}, "P05"),
    "types: a text": ({"types": "continuous"}, "P05"),
    "types: a number": ({"types": {"age": 5}}, "P05"),
    "types: None": ({"types": {"age": None}}, "P05"),
    "types: a set": ({"types": {"sex": {"f", "m"}}}, "P05"),
    "types: nothing": ({"types": {"sex": []}}, "P05"),
    "types: a value twice": ({"types": {"sex": ["f", "m", "f"]}}, "P05"),
    "types: a misspelt type": ({"types": {"age": "Nominal"}}, "P05"),
    "types: an ordinal without scale": ({"types": {"sex": "ordinal"}}, "P05"),
    "types: a continuous text": ({"types": {"sex": "continuous"}}, "D02"),
    "types: a column not there": ({"types": {"agee": "nominal"}}, "R01"),
    "missing: misspelt": ({"missing": "wild"}, "P06"),
    "missing: None": ({"missing": None}, "P06"),
    "missing: a list": ({"missing": ["category"]}, "P06"),
    "missing_values: a column not there": ({"missing_values": {"agee": [1]}}, "R01"),
}


@pytest.mark.parametrize(("roles", "code"), READ.values(), ids=READ.keys())
def test_a_wrong_argument_of_read_is_refused(roles, code):
    with pytest.raises(ds.DiscreetError, match=code):
        data(**roles)


@pytest.mark.parametrize("k", [True, np.True_, 2.5, 5.0, "5", None, [5], 0, -1, float("nan")])
def test_k_is_a_whole_number_of_at_least_1(k):
    for make in (ds.KAnonymity, lambda k: ds.PSensitiveKAnonymity(1, k)):
        with pytest.raises(ds.DiscreetError, match="P07"):
            make(k)


@pytest.mark.parametrize("number", [np.int64, np.int8, np.uint64])
def test_an_integer_of_numpy_is_a_whole_number(number):
    assert ds.KAnonymity(number(5)) == ds.KAnonymity(5)
    criterion = ds.PSensitiveKAnonymity(number(2), number(5))
    assert all(type(value) is int for value in (criterion.p, criterion.k))


def test_p_may_not_exceed_k():
    with pytest.raises(ds.DiscreetError, match="P08"):
        ds.PSensitiveKAnonymity(p=3, k=2)
    assert ds.PSensitiveKAnonymity(p=2, k=2).p == 2


def test_both_parameters_are_reported_at_once():
    with pytest.raises(ds.DiscreetError) as error:
        ds.PSensitiveKAnonymity(p="x", k=0)
    assert [problem.code for problem in error.value.problems] == ["P07", "P07"]


def test_k_1_always_holds_and_k_above_n_never_does():
    assert ds.check(data(), ds.KAnonymity(1)).satisfied
    found = ds.check(data(), ds.KAnonymity(4))
    assert (found.satisfied, found.violating_records, found.violating_classes) == (False, 3, 2)


CALLS = {
    "risk of a frame": (lambda: ds.risk(pd.DataFrame(TABLE)), "P09"),
    "risk of nothing": (lambda: ds.risk(None), "P09"),
    "risk without keys": (lambda: ds.risk(data(keys=())), "R05"),
    "check without keys": (lambda: ds.check(data(keys=()), ds.KAnonymity(2)), "R05"),
    "check the wrong way round": (lambda: ds.check(ds.KAnonymity(2), data()), "P09"),
    "check a class": (lambda: ds.check(data(), ds.KAnonymity), "P09"),
    "check a number": (lambda: ds.check(data(), 5), "P09"),
    "p without confidential": (lambda: ds.check(data(), ds.PSensitiveKAnonymity(1, 2)), "R06"),
    "p of a column not there": (
        lambda: ds.check(data(), ds.PSensitiveKAnonymity(1, 2, "zip")), "R01",
    ),
    "p of a number": (lambda: ds.check(data(), ds.PSensitiveKAnonymity(1, 2, 5)), "R01"),
    "a frame of Excel": (lambda: data().to("excel"), "P01"),
    "a frame of None": (lambda: data().to(None), "P01"),
    "a role not there": (lambda: data().with_roles(key="age"), "P04"),
    "sizes of wildcards": (lambda: data(missing="wildcard").class_sizes(), "N01"),
    "write nowhere": (lambda: data().write(None), "O01"),
    "write Word": (lambda: data().write("t.docx"), "O01"),
    "write into no folder": (lambda: data().write("no folder/t.csv"), "O02"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "code"), CALLS.values(), ids=CALLS.keys())
def test_a_wrong_call_is_refused(call, code):
    with pytest.raises(ds.DiscreetError, match=code):
        call()
