"""The app opens files of other programs: an upload goes through the same reader."""

import re

import pandas as pd
import pytest

import discreet as ds
from discreet.app.forms import draft
from discreet.app.forms import source as reading
from discreet.plan.document import SOURCE
from tests.app.visitor import Visitor
from tests.app.waiting import ended

pyreadstat = pytest.importorskip("pyreadstat")


@pytest.fixture(autouse=True)
def room_for_all(server, monkeypatch):
    monkeypatch.setattr(server.workspaces, "most", 20)


def test_decimal_commas_local_dates_and_sheets_are_said_in_the_form(server, tmp_path):
    visitor = Visitor(server).logged_in()
    told = {"decimal": ",", "date_format": "dd/mm/yyyy"}
    workspace = visitor.open("t.csv", b"a;d\n1,5;31/12/1999\n2,5;01/02/2000\n", **told)
    assert workspace.job.state == "done", workspace.job.problems
    assert workspace.document["source"] | told == workspace.document["source"]
    page = visitor.get(f"/w/{workspace.id}/data").text
    assert page.count("continuous") >= 2
    frame = pd.DataFrame({"x": [1, 2]})
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        pd.DataFrame({"a": [1]}).to_excel(writer, sheet_name="first", index=False)
        frame.to_excel(writer, sheet_name="people", index=False)
    workspace = visitor.open("t.xlsx", (tmp_path / "t.xlsx").read_bytes(), sheet="people")
    assert [column.name for column in workspace.columns] == ["x"]


def test_a_sheet_without_a_header_is_read_again_with_names(server, tmp_path):
    sheet = pd.DataFrame({"a": ["Sam", "Ann"], "b": [29, 31]})
    sheet.to_excel(tmp_path / "t.xlsx", index=False, header=False)
    visitor = Visitor(server).logged_in()
    workspace = visitor.open("t.xlsx", (tmp_path / "t.xlsx").read_bytes())
    assert [problem.code for problem in workspace.job.problems] == ["S14"]
    page = visitor.get(f"/w/{workspace.id}/data").text
    assert "Sam" not in page
    told = _sent(page) | {"header": "no", "names": "who, age"}
    assert visitor.post(f"/w/{workspace.id}/data", told).status == 303
    ended(workspace.job)
    assert [column.name for column in workspace.columns] == ["who", "age"]


def test_every_option_of_reading_has_a_field_on_both_pages(server):
    beside = {"file", "missing", "engine"}  # the upload, the page Roles, and not in the app
    assert set(reading.FIELDS) - {"missing_in"} == set(SOURCE) - beside
    visitor = Visitor(server).logged_in()
    workspace = visitor.open("t.csv", b"a\n1\n")
    data = visitor.get(f"/w/{workspace.id}/data").text
    for page, names in ((visitor.get("/").text, set(SOURCE) - beside), (data, reading.FIELDS)):
        assert {name for name in names if f'id="{name}"' not in page} == set()


def test_marks_between_thousands_are_said_in_the_form(server):
    visitor = Visitor(server).logged_in()
    workspace = visitor.open("t.csv", b"a;b\n1.234,5;x\n2.234,5;y\n")
    page = visitor.get(f"/w/{workspace.id}/data").text
    assert "“Mark between thousands”: point and “Decimal sign”: comma" in page
    told = _sent(page) | {"thousands": ".", "decimal": ","}
    assert visitor.post(f"/w/{workspace.id}/data", told).status == 303
    ended(workspace.job)
    assert [column.type for column in workspace.columns] == ["continuous", "nominal"]


def _sent(page):
    """The form of reading as the page has it."""
    chosen = r'<select id="(\w+)".*?<option value="([^"]*)" selected'
    filled = r'<input id="(\w+)" name="\1" value="([^"]*)"'
    lines = r'<textarea id="(\w+)"[^>]*>([^<]*)<'
    form = page.partition("How the file is read")[2]
    return {name: said for one in (chosen, filled, lines) for name, said in re.findall(one, form)}


SOURCES = [
    {"missing_values": [-9, "a, b"], "encoding": "cp1251", "separator": ":"},
    {"missing_values": {"a": ["-9"], "b": ["?"]}, "engine": "spark"},
    {"missing_values": {"a": ["x", "-9"], "b": ["x"]}, "decimal": ","},
    {"date_format": {"a": "dd/mm/yyyy", "b, c": "yyyy-mm-dd"}, "thousands": " "},
    {"labels": False, "sheet": 2, "names": ["a", "b"], "separator": "\t"},
    {"header": True, "date_format": "dd.mm.yyyy", "thousands": "\u202f"},
]


@pytest.mark.parametrize("source", SOURCES)
def test_the_form_says_what_a_plan_says_of_reading(source):
    said = reading.said_of(source, ["a", "b"])
    again = reading.options_in(said, source, ["a", "b"])
    codes = source.get("missing_values")
    plain = {"missing_values": [str(one) for one in codes]} if isinstance(codes, list) else {}
    assert again == {name: one for name, one in (source | plain).items() if name != "engine"}


def test_reading_again_keeps_what_the_form_does_not_ask_for():
    source = {"file": "t.csv", "missing": "wildcard", "engine": "spark", "decimal": ","}
    after = draft.with_source({"source": source}, {"thousands": "."})["source"]
    assert after == {"file": "t.csv", "missing": "wildcard", "engine": "spark", "thousands": "."}


def test_codes_of_one_column_are_said_in_the_form(server):
    visitor = Visitor(server).logged_in()
    workspace = visitor.open("t.csv", b"a;b\n1;x\n-9;-9\n3;y\n")
    told = _sent(visitor.get(f"/w/{workspace.id}/data").text) | {"missing_in": "a = -9"}
    for all_columns, missing in (("", [1, 0]), ("y", [1, 1])):
        told["missing_values"] = all_columns
        assert visitor.post(f"/w/{workspace.id}/data", told).status == 303
        ended(workspace.job)
        assert [column.missing for column in workspace.columns] == missing
        told = _sent(visitor.get(f"/w/{workspace.id}/data").text)
        assert told["missing_in"] == "a = -9"
    for wrong in ({"missing_in": "-9"}, {"thousands": "x"}, {"encoding": "no such"}):
        assert visitor.post(f"/w/{workspace.id}/data", told | wrong).status == 422


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"missing_in": "a"}, "a column and its codes must stand on the two sides of a “=”."),
        ({"missing_in": "a = -9\na = -8"}, "names 'a' twice. Name each column once."),
        ({"date_format": "a = dd/mm/yyyy, a = mm/dd/yyyy"}, "names 'a' twice."),
        ({"date_format": "a ="}, "Write for example dd/mm/yyyy, or born = dd/mm/yyyy."),
    ],
)
def test_what_is_said_of_single_columns_is_refused_in_the_words_of_its_field(told, words):
    said = reading.said_of({}, ["a", "b"]) | told
    with pytest.raises(ds.DiscreetError) as caught:
        reading.options_in(said, {}, ["a", "b"])
    label = reading.FIELDS[next(iter(told))].label
    assert f"“{label}”" in str(caught.value)
    assert words in str(caught.value)


def test_a_format_that_cannot_be_read_is_corrected_or_taken_back(server):
    visitor = Visitor(server).logged_in()
    workspace = visitor.open("t.csv", b"a;b\n1;x\n2;y\n")
    at = f"/w/{workspace.id}/data"
    told = _sent(visitor.get(at).text)
    assert visitor.post(at, told | {"date_format": "nonsense"}).status == 303
    ended(workspace.job)
    assert workspace.job.state == "failed"
    page = visitor.get(at).text
    assert "Write it as &#39;dd/mm/yyyy&#39;, with a day" in page
    assert '<input id="date_format" name="date_format" value="nonsense"' in page
    assert "<button>Undo: how the file is read (" in page
    assert visitor.post(f"/w/{workspace.id}/history", {"place": "0", "here": "data"}).status == 303
    assert [column.name for column in workspace.columns] == ["a", "b"]
    assert "failed" not in visitor.get(at).text


def test_an_spss_file_is_read_with_its_codes(server, tmp_path):
    frame = pd.DataFrame({"sex": [1.0, 2.0] * 30})
    words = {"sex": {1.0: "male", 2.0: "female"}}
    pyreadstat.write_sav(frame, tmp_path / "s.sav", variable_value_labels=words)
    visitor = Visitor(server).logged_in()
    content = (tmp_path / "s.sav").read_bytes()
    read = [visitor.open("s.sav", content, labels=said) for said in ("", "no")]
    assert [one.columns[0].kind for one in read] == ["text", "integer"]


def test_an_spss_file_is_opened_measured_and_offered_with_its_words(server, tmp_path):
    frame = pd.DataFrame({"sex": [1.0, 2.0] * 30, "edu": [1.0, 2.0, 3.0] * 20})
    pyreadstat.write_sav(
        frame, tmp_path / "s.sav", variable_measure={"edu": "ordinal"},
        variable_value_labels={"sex": {1.0: "male", 2.0: "female"},
                               "edu": {1.0: "low", 2.0: "middle", 3.0: "high"}},
    )  # fmt: skip
    visitor = Visitor(server).logged_in()
    workspace = visitor.open("s.sav", (tmp_path / "s.sav").read_bytes())
    assert workspace.job.state == "done", workspace.job.problems
    assert [column.name for column in workspace.columns] == ["sex", "edu"]
    page = visitor.get(f"/w/{workspace.id}/data").text
    assert "ordinal (3 steps)" in page
    assert visitor.post(f"/w/{workspace.id}/data/suggested").status == 303
    assert visitor.post(f"/w/{workspace.id}/roles/measure").status == 303
    ended(workspace.job)
    assert workspace.job.state == "done", workspace.job.problems
