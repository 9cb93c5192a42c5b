"""What a report says of the population and of households, and where it cannot."""

import re

import pytest

import discreet as ds
from tests.reasons import reasons
from tests.unit.test_report import text_of

PEOPLE = 240


def survey(**more):
    table = ds.datasets.patients(PEOPLE, seed=2, weighted=True)
    homes = [[i // 3 for i in range(PEOPLE)]]
    roles = {"keys": ["age", "sex"], "confidential": ["illness"], "identifiers": ["name", "ssn"]}
    return ds.read(table.append_column("home", homes), **{**roles, **more})


@pytest.fixture(scope="module")
def masked():
    data = survey(weight="weight", household="home")
    return data, ds.microaggregate(data, ["age"], k=8)


def said(data, masked, path, audience="internal"):
    given = {"audience": audience, "unique_columns": reasons(masked)}
    return " ".join(text_of(ds.report(data, masked, path, **given).path).split())


def test_the_range_over_the_models_is_told_to_the_house_and_to_the_public(masked, tmp_path):
    found = ds.population_range(masked[1]).sentences()
    inside = said(*masked, tmp_path / "in.html")
    outside = said(*masked, tmp_path / "out.html", "public")
    for line in (found[0], found[-1]):
        assert line in inside
        assert line in outside
    assert "Another quantity" in inside
    assert "Another quantity" not in outside


def test_households_are_told_to_the_house_alone(masked, tmp_path):
    lines = ds.risk(masked[1], by="household").explain().splitlines()
    assert lines[0] in said(*masked, tmp_path / "in.html")
    assert "compositions" not in said(*masked, tmp_path / "out.html", "public")


def test_without_weights_and_households_nothing_is_said_of_them(tmp_path):
    data = survey()
    page = said(data, ds.microaggregate(data, ["age"], k=8), tmp_path / "r.html")
    assert not re.search("population|compositions", page)


def test_weights_that_stand_for_less_than_a_person_are_said_and_stop_no_report(tmp_path):
    table = ds.datasets.patients(PEOPLE, seed=2)
    part = table.append_column("weight", [[0.5] * PEOPLE])
    data = ds.read(part, keys=["age", "sex"], identifiers=["name", "ssn"], weight="weight")
    masked = ds.microaggregate(data, ["age"], k=8)
    assert "In the population: not measured." in said(data, masked, tmp_path / "r.html")
