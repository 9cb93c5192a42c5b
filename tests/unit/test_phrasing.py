"""Messages in the words of each surface: arguments in Python, options in a terminal, fields on pages."""

import pickle
import re
import sys

import pytest

import discreet.cli.commands  # noqa: F401 - all commands are known
from discreet.app.forms import source as reading
from discreet.app.forms.fields import labelled
from discreet.app.forms.hierarchy import LABELS
from discreet.app.forms.labels import _FIELDS, in_words, on_pages
from discreet.cli import in_terminal
from discreet.errors import InvalidParameter, Problem
from discreet.registry import maskings
from discreet.surface import advice, argument, function, in_python, said, shown_on
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("named", "python", "terminal", "page"),
    [
        (argument("missing_values"), "missing_values=", "--missing-values", "“Codes that mean missing”"),
        (argument("encoding", "latin-1"), 'encoding="latin-1"', "--encoding latin-1", "“Encoding”: Latin-1"),
        (argument("header", True), "header=True", "--header", "“The first line”: holds the names, although there are numbers among them"),
        (argument("thousands", "."), 'thousands="."', "--thousands '.'", "“Mark between thousands”: point"),
        (argument("missing", "refuse"), 'missing="refuse"', "--missing refuse", "“A missing value is”: not allowed"),
        (argument("fraction"), "fraction=", "--fraction", "“Share of the records”"),
        (argument("round", True), "round=True", "round=True", "“whole numbers stay whole”: True"),
        (in_python("Hierarchy.dates()"), "Hierarchy.dates()", "dates = […]", "“parts of dates”"),
        (argument("unheard_of"), "unheard_of=", "unheard_of=", "unheard_of="),
        (argument("keys", written=".with_roles(…)"), ".with_roles(…)", "--keys", "“key (a role)”"),
        (argument("temp_directory", written="ds.settings(…)"), "ds.settings(…)", "--temp-directory",
         "DISCREET_TEMP_DIRECTORY in the environment of the app"),
        (function("advise", "…"), "ds.advise(…)", "discreet advise", "the page Explore"),
        (function("generalize"), "ds.generalize", "discreet protect", "“Generalization”"),
        (function("key_candidates"), "ds.key_candidates", "discreet candidates", "ds.key_candidates"),
        (function("KAnonymity", "3"), "ds.KAnonymity(3)", "--k 3", "“k-anonymity”"),
        (function("TCloseness", "…"), "ds.TCloseness(…)", "--closeness", "“t-closeness”"),
        (function("settings", "…"), "ds.settings(…)", "front of the command", "the environment of the app"),
        (function("grid", "…"), "ds.grid(…)", "ds.grid(…)", "ds.grid(…)"),
    ],
)  # fmt: skip
def test_a_text_names_things_as_its_surface_does(named, python, terminal, page, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["discreet", "sample", "x.csv"])
    problem = Problem("P01", f"Say {named}.", "")
    assert str(problem) == f"Say {python}."
    assert problem.said(in_terminal) == f"Say {terminal}."
    assert in_words(problem) == f"Say {page}."


def test_an_option_that_the_command_lacks_is_said_as_in_python(monkeypatch):
    problem = Problem("D22", f"Give {argument('unmapped', 'suppress', written='x(suppress)')}.", "")
    for command, option in {"protect": "--unmapped suppress", "risk": "x(suppress)"}.items():
        monkeypatch.setattr(sys, "argv", ["discreet", command, "x.csv"])
        assert problem.said(in_terminal) == f"Give {option}."
    assert in_words(problem) == "Give “A value that is not in the hierarchy: is suppressed”."


def test_the_surface_of_the_moment_words_what_is_said_and_never_an_error():
    problem = Problem("P01", f"Ask {function('advise')}.", "")
    with shown_on(in_terminal):
        assert said(problem.text) == problem.said() == "Ask discreet advise."
        with shown_on(on_pages):
            assert problem.said() == "Ask the page Explore."
        assert problem.said() == "Ask discreet advise."
        assert str(problem) == "Ask ds.advise."
        assert InvalidParameter(problem).said() == "InvalidParameter[P01]: Ask discreet advise."
    assert problem.said() == "Ask ds.advise."


def test_advice_is_left_out_where_there_are_no_words_for_a_part_of_it():
    line = f"Next: see {function('advise')}, or {in_python('.table()')}."
    assert advice(line) == ["Next: see ds.advise, or .table()."]
    with shown_on(in_terminal):
        assert advice(line) == []
        assert advice(f"Next: see {function('advise')}.") == ["Next: see discreet advise."]
        assert advice("Next: read it.") == ["Next: read it."]


def test_a_problem_travels_with_its_references():
    problem = pickle.loads(pickle.dumps(Problem("P01", f"Ask {function('advise')}.", "")))
    assert problem.said(in_terminal) == "Ask discreet advise."


def test_a_form_labels_its_own_fields_and_leaves_the_rest_to_the_page():
    told = Problem("P14", f"{argument('fraction')} is missing.", f"Or see {function('advise')}.")
    fields = [maskings["sample"].parameters["fraction"]]
    shown = in_words(labelled(told, "step 1", fields))
    assert shown == "step 1: “Share of the records” is missing. Or see the page Explore."


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
        for name, label in _FIELDS.items()
        if name not in {**reading.FIELDS, **LABELS}  # drawn from these
        and "(a role)" not in label
        and label.partition(":")[0] not in text
    ]
    assert missing == []
