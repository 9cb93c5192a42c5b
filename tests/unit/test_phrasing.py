"""Messages in the words of each surface: arguments in Python, options in a terminal, fields on pages."""

import re
import sys

import pytest

import discreet.cli.commands  # noqa: F401 - all commands are known
from discreet.app.forms.labels import _FIELDS, in_words
from discreet.cli import in_terminal
from discreet.errors import Problem
from discreet.surface import argument, in_python
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("said", "python", "terminal", "page"),
    [
        (argument("missing_values"), "missing_values=", "--missing-values", "“Codes that mean missing”"),
        (argument("encoding", "latin-1"), 'encoding="latin-1"', "--encoding latin-1", "“Encoding”: latin-1"),
        (argument("header", True), "header=True", "--header", "“The first line: column names”"),
        (argument("fraction"), "fraction=", "--fraction", "“Share of the records”"),
        (argument("round", True), "round=True", "round=True", "“whole numbers stay whole”: True"),
        (in_python("Hierarchy.dates()"), "Hierarchy.dates()", "Hierarchy.dates()", "“parts of dates”"),
        (argument("unheard_of"), "unheard_of=", "unheard_of=", "unheard_of="),
    ],
)  # fmt: skip
def test_an_argument_is_named_as_its_surface_names_it(said, python, terminal, page, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["discreet", "sample", "x.csv"])
    problem = Problem("P01", f"Say {said}.", "")
    assert str(problem) == f"Say {python}."
    assert problem.said(in_terminal) == f"Say {terminal}."
    assert in_words(problem) == f"Say {page}."


@pytest.mark.parametrize("name", ["keys=", "a'keys=b", 'x"keys="y', "header=True"])
def test_the_name_of_a_column_stays_as_it_is(name):
    problem = Problem("R01", f"unknown attribute {name!r}.", "")
    assert problem.said(in_terminal) == in_words(problem) == str(problem)


def test_every_label_stands_on_a_page():
    """A field that is renamed is renamed here, too."""
    templates = (ROOT / "src/discreet/app/templates").glob("*.html")
    text = "".join(re.sub(r"<[^>]*>", " ", t.read_text("utf-8")) for t in templates)
    text = re.sub(r"[“”]", "", text)
    missing = [
        label
        for label in _FIELDS.values()
        if "(a role)" not in label and label.partition(":")[0] not in text
    ]
    assert missing == ["the steps"]
