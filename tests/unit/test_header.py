"""The first line of a file: a header is read, a record is refused, and what may be one is told."""

import random

import pytest

import discreet as ds
from discreet.errors import ReadHint
from discreet.header import verdict


def lines(number, *columns):
    """Lines drawn from the values of each column."""
    draw = random.Random(1)
    return [[str(draw.choice(values)) for values in columns] for _ in range(number)]


YES, AGES, SEX = ["yes", "no"], range(20, 90), ["M", "F"]


@pytest.mark.parametrize(
    ("first", "below"),
    [
        ("smoker,age", lines(3, ["smoker", "none"], AGES)),
        ("sex,smoker,region", lines(40, SEX, ["smoker", "none"], ["north", "south"])),
        ("urban,employed,age,income", lines(40, ["urban", "rural"], ["employed"], AGES, AGES)),
        ("a,b,c", lines(40, ["a", "b", "c"], range(5), range(9))),
        ("q1,q2,q3", lines(9, YES, YES, YES)),
        ("yes,no", lines(9, range(2), range(2))),
        ("answer", lines(9, YES)),
        ("2018,2019,2020", lines(9, AGES, AGES, AGES)),
        ("id,1,2,3,4,5", lines(40, AGES, *[range(1, 6)] * 5)),
        ("1,2,3,4,5", lines(40, *[YES] * 5)),
        ("sex,1,2", lines(40, SEX, YES, YES)),
        ("id,age,3", lines(40, AGES, AGES, AGES)),
        ("0-4,5-9,10-14,65+", lines(9, AGES, AGES, AGES, AGES)),
        ("id,age", [["1", "NA"], ["2", "44"], ["3", "unknown"]]),
        (",a,b", [["0", "x", "y"], ["1", "z", "w"]]),
        ("D1000,E2000", lines(9, YES, ["A10", "B20"])),
    ],
)
def test_a_header_is_read_though_its_words_may_stand_below_it(first, below):
    assert verdict(first.split(","), below, frozenset()) is None


@pytest.mark.parametrize(
    ("first", "below", "why"),
    [
        ("Sam,29,flu", lines(3, ["Ann", "Eve"], AGES, ["flu"]), "numbers"),
        ("over 85,M,1234", lines(40, AGES, SEX, range(3000)), "numbers"),
        ("NA,M,12", lines(40, AGES, SEX, AGES), "numbers"),
        ("Sam,1980-05-01", [["Ann", "1975-01-31"]], "dates"),
        ("M,north,single", lines(40, SEX, ["north", "south"], ["single"]), "again"),
        ("M,north,rare", lines(40, SEX, ["north", "south"], ["single"]), "again"),
        ("refused,M", lines(40, AGES, SEX), "again"),
        ("yes", lines(9, YES), "again"),
        ("1980", [["1975"], ["1980"]], "again"),
    ],
)
def test_a_record_is_refused_with_the_reason(first, below, why):
    found = verdict(first.split(","), below, frozenset())
    assert found is not None
    assert found.refused
    assert why in found.why


@pytest.mark.parametrize(
    ("first", "below", "why"),
    [
        ("Sam,1980", [["Ann", "1975"]], "years"),
        ("Sam;1.234,50", [["Ann", "1.500,00"]], "marks between thousands"),
        ("Sam;1e5", [["Ann", "2e5"]], "exponent"),
        ("Sam;sam@mail.example", [["Ann", "ann@mail.example"]], "addresses"),
        ("P0001;Main", [["P0002", "Side"], ["P0003", "Way"]], "codes of the same form"),
        ("12:30;Main", [["13:45", "Side"]], "codes of the same form"),
        ("A survey;;", [["name", "age", "sex"], ["Ann", "31", "F"]], "as a title does"),
    ],
)
def test_what_may_be_a_record_is_told(first, below, why):
    found = verdict(first.split(";" if ";" in first else ","), below, frozenset())
    assert found is not None
    assert not found.refused
    assert why in found.why


def test_a_doubt_is_dropped_where_the_other_columns_have_names():
    below = [["2001", "1975", "3"], ["2002", "1980", "4"], ["2003", "1981", "5"]]
    assert verdict(["id", "1990", "age"], below, frozenset()) is None


@pytest.mark.parametrize("first", ["age,1,2", "age,1980-05-01,yes", "age,yes,no"])
def test_a_line_with_a_column_that_was_named_is_a_header(first):
    assert verdict(first.split(","), lines(9, AGES, YES, YES), frozenset({"age"})) is None


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_first_line_that_may_be_a_record_is_a_hint_without_its_cells(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    rows = [("P0001", "Smith"), ("P0002", "Jones"), ("P0003", "Brown")]
    if kind == "csv":
        path.write_text("".join(f"{','.join(row)}\n" for row in rows))
    else:
        book = pytest.importorskip("openpyxl").Workbook()
        for row in rows:
            book.active.append(row)
        book.save(path)
    with pytest.warns(ReadHint, match=r"codes of the same form.*names=.*header=True") as told:
        ds.read(path)
    assert told[0].filename == __file__
    assert "Smith" not in str(told[0].message)
    assert ds.read(path, names=["id", "name"]).n == 3
    assert ds.read(path, header=True).n == 2
