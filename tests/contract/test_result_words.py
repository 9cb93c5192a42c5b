"""What results and reports say, in the words of each surface."""

import functools
import sys

import pytest

import discreet as ds
import discreet.cli.commands
from discreet.app.forms.labels import on_pages
from discreet.cli import in_terminal
from discreet.registry import measures
from discreet.surface import python, shown_on
from tests.python_words import in_python_words, on_the_page


@functools.cache
def survey():
    patients = ds.datasets.patients(200, seed=1)
    patients = patients.append_column("weight", [[10] * 200])
    return ds.read(patients, keys=["age", "income"], weight="weight")


GIVEN = {
    "model_risk": {"fraction": 0.1},
    "population_uniqueness": {"fraction": 0.1},
    "record_risk": {"known": {"age": 0.3}, "sensitivity": {"illness": 1.0}},
    "regression_loss": {"formula": "income ~ age"},
}
SEX = {"sex": ds.Hierarchy.suppress()}
RESULTS = {
    "candidates": lambda: ds.key_candidates(survey(), ["age", "sex"]),
    "ru-map": lambda: ds.ru_map(survey(), ds.grid(methods=["mdav"], k=[3])),
    "recommend": lambda: ds.recommend(survey(), ds.KAnonymity(3)),
    "advise": lambda: ds.advise(survey().with_roles(keys=["sex"]), SEX, ds.KAnonymity(201)),
    "suppress-cells": lambda: ds.suppress_cells(
        survey().with_roles(keys=["age", "sex"]), ds.KAnonymity(2), reading="wildcard"
    ).outcome,
    "check": lambda: ds.check(survey(), ds.KAnonymity(3)),
    **{
        measures[name].entry.command: lambda name=name: taken(name)
        for name in measures
    },
}  # fmt: skip


def taken(name):
    """What a measure finds of a masked file."""
    data = survey()
    return measures[name].taken(data, ds.microaggregate(data, k=5), GIVEN.get(name, {})).result


@pytest.mark.parametrize("command", RESULTS)
def test_a_result_explains_itself_in_the_words_of_its_surface(command, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["discreet", command, "data.csv"])
    found = RESULTS[command]()
    plain = found.to_dict()
    for surface in (in_terminal, on_pages):
        with shown_on(surface):
            text = found.explain()
            assert in_python_words(text) == []
            assert "\x02" not in text
            assert found.to_dict() == plain


def last_line(found, surface):
    with shown_on(surface):
        return found.explain().splitlines()[-1]


def test_advice_says_on_each_surface_where_to_go_on(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["discreet", "record-risk", "data.csv"])
    found, begun = taken("record_risk"), "Next: protect the records above your threshold with "
    call = "ds.protect_records(data, risk, at_most=…), or look at .by_attribute()"
    assert last_line(found, python) == f"{begun}{call}."
    assert last_line(found, in_terminal) == f"{begun}discreet protect-records."
    assert last_line(found, on_pages) == f"{begun}“Targeted suppression”."


def test_advice_names_options_of_the_command_that_says_it(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["discreet", "compare", "a.csv", "b.csv"])
    found = taken("disclosure_risk")
    line = last_line(found, in_terminal)
    assert line.startswith("Next: set a limit with --at-most, ")
    assert "with --weights, " in line
    monkeypatch.setattr(sys, "argv", ["discreet", "risk", "a.csv"])  # it has no such option
    assert not last_line(found, in_terminal).startswith("Next: ")


def test_a_search_that_finds_nothing_leads_to_advice(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["discreet", "protect", "data.csv"])
    data = survey().with_roles(keys=["sex"])
    with pytest.raises(ds.DiscreetError) as error:
        ds.generalize(data, SEX, ds.KAnonymity(201))
    assert str(error.value).endswith("; ds.advise(…) says how far.")
    assert error.value.said(in_terminal).endswith("; discreet advise says how far.")
    assert error.value.said(on_pages).endswith("; the page Explore says how far.")


def test_a_report_says_the_same_on_whatever_surface_it_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["discreet", "report", "a.csv", "b.csv"])
    data = survey()
    masked, pages = ds.microaggregate(data, k=5), []
    for number, surface in enumerate((python, in_terminal, on_pages)):
        file = tmp_path / f"{number}.html"
        with shown_on(surface):
            ds.report(data, masked, file)
        pages.append(file.read_text(encoding="utf-8"))
    assert pages[0] == pages[1] == pages[2]
    assert on_the_page(pages[0]) == []
