"""Criteria: what a check takes, and how one is written as an option."""

import ibis
import pyarrow as pa
import pytest

import discreet as ds
from discreet.plan.criteria import kind_of
from discreet.registry import criteria

TABLE = {"a": [1, 1, 2, 2], "s": ["x", "y", "x", "x"]}


def fails_with(code, message, verb, *arguments):
    with pytest.raises(ds.DiscreetError, match=message) as caught:
        verb(*arguments)
    assert [problem.code for problem in caught.value.problems] == [code]


@pytest.mark.parametrize("files", [[None], [TABLE], ["data", TABLE], [TABLE, "data"]])
def test_every_file_of_a_check_must_be_microdata(files):
    data = ds.read(TABLE, keys=["a"])
    given = [data if file == "data" else file for file in files]
    limit = ds.DisclosureRiskAtMost(0.5)
    fails_with("P09", "a file to check is not microdata", ds.check, *given, limit)


def test_a_file_without_keys_is_told_so_before_anything_else_it_lacks():
    data = ds.read(TABLE)
    for criterion in (ds.KAnonymity(2), ds.LDiversity(2), ds.TCloseness(0.2)):
        fails_with("R05", "no key attribute", ds.check, data, criterion)


def test_only_the_disclosure_risk_takes_two_files():
    data = ds.read(TABLE, keys=["a"])
    fails_with("P09", "checked on one file", ds.check, data, data, ds.KAnonymity(2))
    fails_with("P09", "two files and one", ds.check, data, ds.DisclosureRiskAtMost(0.5))


def test_the_criterion_of_a_check_may_be_named():
    data, two, limit = ds.read(TABLE, keys=["a"]), ds.KAnonymity(2), ds.DisclosureRiskAtMost(0.5)
    assert ds.check(data, criterion=two).to_dict() == ds.check(data, two).to_dict()
    masked = ds.sample(data, n=2, seed=1)
    named = ds.check(data, masked, criterion=limit)
    assert named.to_dict() == ds.check(data, masked, limit).to_dict()


def test_a_check_without_a_file_or_a_criterion_says_which_is_missing():
    data, two = ds.read(TABLE, keys=["a"]), ds.KAnonymity(2)
    fails_with("P09", "criterion= is not a criterion", ds.check)
    fails_with("P09", "criterion= is not a criterion", ds.check, data)
    fails_with("P09", "criterion= is not a criterion", ds.check, data, 2)
    fails_with("P09", "a file to check is not microdata", ds.check, two)
    fails_with("P09", "a file to check is not microdata", ds.check, data, data, data, two)


@pytest.mark.parametrize(
    ("text", "criterion"),
    [
        ("3", ds.LDiversity(3)),
        ("entropy:3", ds.LDiversity(3, "entropy")),
        ("3:entropy", ds.LDiversity(3, "entropy")),
        ("recursive:3:4", ds.LDiversity(3, "recursive", 4)),
        ("recursive:3:0.5", ds.LDiversity(3, "recursive", 0.5)),
        ("3:confidential=s+t", ds.LDiversity(3, confidential=("s", "t"))),
        ("recursive:3:c=4", ds.LDiversity(3, "recursive", 4)),
        ("0.2", ds.TCloseness(0.2)),
        ("0.2:ordered", ds.TCloseness(0.2, "ordered")),
        ("confidential=s:0.2", ds.TCloseness(0.2, confidential=("s",))),
    ],
)
def test_the_text_of_an_option_is_read_part_by_part(text, criterion):
    assert kind_of(criterion).from_text(text) == criterion


@pytest.mark.parametrize("text", ["", "many", "3:4:5:6", "entropy:distinct:3", "3:hierarchy"])
def test_a_part_of_an_option_that_fits_nothing_is_refused(text):
    fails_with("P18", "cannot be read", kind_of(ds.LDiversity(3)).from_text, text)


@pytest.mark.parametrize("kind", criteria.all(), ids=lambda kind: kind.key)
def test_every_example_of_a_criterion_in_a_help_text_can_be_read(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("population", "hierarchy"):
        (tmp_path / f"{name}.csv").write_text("x;*\n")
    for text in kind.examples.removesuffix(".").split(", "):
        assert kind.from_text(text).problems() == []


def test_a_number_of_an_option_that_is_out_of_range_is_told_so():
    fails_with("P10", "at_most must be a number above 0", criteria["AverageRisk"].from_text, "0")
    fails_with("P07", "l must be a whole number", criteria["LDiversity"].from_text, "entropy:1.5")


@pytest.mark.parametrize("kind", [("distinct",), ("entropy",), ("recursive", 2)])
def test_an_engine_of_its_own_finds_the_same_classes_diverse(kind):
    """One class of x and y in equal parts, one of x alone, one with more x than twice y."""
    table = {"a": [1, 1, 2, 2, *[3] * 4], "s": list("xyxxxxxy")}
    connection = ibis.duckdb.connect()
    connection.con.register("t", pa.table(table))
    violating = 2 if kind == ("distinct",) else 6
    for source in (table, connection.table("t")):
        data = ds.read(source, keys=["a"], confidential=["s"])
        assert ds.check(data, ds.LDiversity(2, *kind)).violating_records == violating


def test_the_more_frequent_value_stays_below_c_times_the_rest():
    """Of x, x, x and y the most frequent has 3 records and the rest 1: 3 < c holds above 3."""
    data = ds.read({"a": [1] * 4, "s": list("xxxy")}, keys=["a"], confidential=["s"])
    held = {c: ds.check(data, ds.LDiversity(2, "recursive", c)).satisfied for c in (1, 3, 3.1)}
    assert held == {1: False, 3: False, 3.1: True}


def test_a_check_says_of_values_that_they_do_not_meet_the_criterion():
    table = {"age": [1, 1, 1], "ill": ["a", "a", "b"]}
    data = ds.read(table, keys=["age"], confidential=["ill"])
    said = ds.check(data, ds.LDiversity(2, "entropy")).explain()
    assert "3 records: the values of 'ill' do not meet it." in said
