"""Messages in the words of a terminal and of a page: options and fields instead of arguments."""

import re

import pytest

from discreet.app.labels import _FIELDS, in_words
from discreet.cli import _options
from discreet.phrasing import for_terminal
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("said", "terminal", "page"),
    [
        ("Give missing_values=.", "Give --missing-values.", "Give “Codes that mean missing”."),
        ('Try encoding="latin-1".', "Try --encoding latin-1.", "Try “Encoding”: latin-1."),
        ("Use overwrite=True.", "Use --force.", "Use overwrite=True."),
        ("Or names=[…], or not.", "Or --names, or not.", "Or “Names, if the first line is a record”, or not."),
        ("Lower threads=, in ds.settings(…).", "Lower --threads.", "Lower threads=, in ds.settings(…)."),
        ('Choose missing="category".', "Choose --missing category.", "Choose “a missing value is a category”."),
        ("Use Hierarchy.dates() for dates.", "Use Hierarchy.dates() for dates.", "Use “parts of dates” for dates."),
        ("unknown_thing= is wrong.", "unknown_thing= is wrong.", "unknown_thing= is wrong."),
    ],
)  # fmt: skip
def test_arguments_become_options_and_fields(said, terminal, page):
    assert for_terminal(said, _options()) == terminal
    assert in_words(said) == page


@pytest.mark.parametrize("name", ["keys=", "a'keys=b", 'x"keys="y', "header=True"])
def test_the_name_of_a_column_stays_as_it_is(name):
    said = f"unknown attribute {name!r}."
    assert for_terminal(said, _options()) == said
    assert in_words(said) == said


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
