"""The simulated student records of paper 002, and the settings that go with them."""

from __future__ import annotations

import hashlib
import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import discreet as ds
from discreet.datasets import school_records, school_settings, schools
from discreet.errors import InvalidParameter
from discreet.kernels.known_sets.unions import known_sets

NUMBERS = {"age", "first_year", "last_year", "absences", "suspensions", "repeated"}
GAPS = {"birthplace", "home_language", "lunch", "absences", "test_level"}


@pytest.fixture(scope="module")
def students() -> pa.Table:
    return school_records(100_000)


def rate(table: pa.Table, column: str, where: pa.Array | None = None) -> float:
    chosen = table if where is None else table.filter(where)
    return float(pc.mean(pc.equal(chosen[column], "Yes")).as_py())


def test_there_are_1009993_records_of_27_attributes_unless_told_otherwise(students) -> None:
    assert school_records.__defaults__ == (1_009_993, 1)
    assert students.shape == (100_000, 27)
    assert len(set(students.column_names)) == 27


# Made by this module itself (100 rows, seed 7); a change here changes every published example.
def test_the_exact_output_is_pinned() -> None:
    rows = [",".join(map(str, row.values())) for row in school_records(100, seed=7).to_pylist()]
    digest = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    assert digest == "6351d4c2192eab63a473b026669142dd17e6a2599906be623f4497291ae1283c"


def test_the_same_seed_gives_the_same_table_and_another_seed_another() -> None:
    assert school_records(1000, seed=3).equals(school_records(1000, seed=3))
    first, second = school_records(1000, seed=3), school_records(1000, seed=4)
    assert all(first[name] != second[name] for name in first.column_names)


@pytest.mark.parametrize("n", [0, 1.5, None])
def test_n_must_be_a_positive_integer(n) -> None:
    with pytest.raises(InvalidParameter, match="n must be an integer of at least 1"):
        school_records(n)


def test_one_student_is_a_table_too() -> None:
    assert school_records(1).num_rows == 1


def test_numbers_are_numbers_and_some_cells_are_missing(students) -> None:
    for name in students.column_names:
        assert students.schema.field(name).type == (pa.int64() if name in NUMBERS else pa.string())
        gaps = students[name].null_count / students.num_rows
        assert (0.005 < gaps < 0.3) if name in GAPS else gaps == 0


def test_schools_lie_in_their_parish_and_teach_their_grades(students) -> None:
    assert pc.utf8_slice_codeunits(students["school"], 0, 2) == students["parish"]
    last = students.filter(pc.equal(students["grade"], "12"))["school"]
    youngest = students.filter(pc.equal(students["grade"], "K"))["school"]
    assert not set(last.to_pylist()) & set(youngest.to_pylist())
    assert len(set(students["school"].to_pylist())) > 1300


def test_age_and_years_follow_the_grade(students) -> None:
    grade = pc.index_in(students["grade"], value_set=pa.array(schools.GRADES)).to_numpy()
    age, repeated = students["age"].to_numpy(), students["repeated"].to_numpy()
    assert set(np.unique(age - grade - repeated)) == {4, 5}
    first, last = students["first_year"].to_numpy(), students["last_year"].to_numpy()
    assert (first <= last).all()
    assert first.min() == 1999
    assert last.max() == 2011


def test_what_depends_on_what(students) -> None:
    poor, male = pc.equal(students["lunch"], "Free"), pc.equal(students["gender"], "Male")
    often = pc.greater(students["suspensions"], 2)
    assert rate(students, "homeless", poor) > 5 * rate(students, "homeless", pc.invert(poor))
    assert rate(students, "laojj_contact", often) > 5 * rate(students, "laojj_contact")
    assert rate(students, "ladoc_contact", male) > 3 * rate(
        students, "ladoc_contact", pc.invert(male)
    )
    dropped = students.filter(pc.equal(students["dropout"], "Yes"))
    assert 0.02 < dropped.num_rows / students.num_rows < 0.06
    assert pc.mean(dropped["absences"]).as_py() > 1.3 * pc.mean(students["absences"]).as_py()
    assert pc.min(dropped["age"]).as_py() >= 12
    abroad = pc.equal(students["birthplace"], "Abroad")
    assert rate(students, "english_learner", abroad) > 5 * rate(students, "english_learner")


# Orooji & Knapp (2018), section 3: ε = 0.01 leaves 111 subsets; their list starts with the empty one.
def test_111_known_sets_remain_and_the_empty_one_is_among_them() -> None:
    settings = school_settings()
    sets, _ = known_sets(list(settings["known"].values()), settings["epsilon"], limit=1000)
    assert len(sets) == 111
    assert sets[0] == ()


# Orooji & Knapp (2018), Table 3 and the text above it.
def test_what_the_paper_tells_of_its_settings_is_kept() -> None:
    settings = school_settings()
    assert settings["alpha"] == 100
    printed = {"age": 0.05, "gender": 0.8, "dropout": 0.005, "ladoc_contact": 0.001}
    assert printed.items() <= settings["known"].items()
    for flag in ("dropout", "ladoc_contact"):
        assert settings["sensitivity"][flag] == 1
        assert settings["value_sensitivity"][flag] == {"Yes": 1, "No": 0}
    assert set(settings["sensitivity"].values()) <= {0, 1}
    assert not {"age", "gender"} & set(settings["sensitivity"])


def test_the_settings_name_every_attribute_and_every_value(students) -> None:
    settings = school_settings()
    assert list(settings["known"]) == students.column_names
    risk = ds.record_risk(ds.read(students.slice(0, 20_000)), **settings)
    assert len(risk.values) == 20_000
    assert 0.05 < (risk.values > 0).mean() < 0.15
    both = set(settings["sensitivity"]) & {a for a, p in settings["known"].items() if p > 0.01}
    assert both == {"disability"}  # known and sensitive at once


def test_settings_are_made_anew_for_each_caller() -> None:
    school_settings()["known"]["age"] = 1
    assert school_settings()["known"]["age"] == 0.05


def test_a_million_records_take_seconds_not_minutes() -> None:
    start = time.process_time()
    school_records()
    assert time.process_time() - start < 10
