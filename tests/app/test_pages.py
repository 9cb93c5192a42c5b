"""Pages: what addresses and forms may hold, whose end a page tells, and roles that were given."""

from pathlib import Path

import pytest

from discreet.app.forms import draft
from discreet.app.forms.labels import TERMS
from tests.app.visitor import Visitor
from tests.app.waiting import ended

LONG = "9" * 5_000


@pytest.fixture(scope="module")
def visitor(server):
    return Visitor(server).logged_in()


@pytest.fixture(scope="module")
def opened(visitor, patients):
    workspace = visitor.open(patients)
    visitor.post(f"/w/{workspace.id}/data/suggested")
    return workspace


@pytest.mark.parametrize("path", ["hierarchy/{}", "hierarchy/{}/preview", "compare/{}"])
def test_a_number_of_thousands_of_digits_is_no_page(visitor, opened, path):
    assert visitor.get(f"/w/{opened.id}/{path.format(LONG)}").status == 404


@pytest.mark.parametrize(
    "path", ["hierarchy/{}", "roles/{}", "compare/{}/choose", "compare/{}/remove"]
)
def test_a_number_of_thousands_of_digits_is_no_address_of_a_form(visitor, opened, path):
    assert visitor.post(f"/w/{opened.id}/{path.format(LONG)}").status in (404, 405)


@pytest.mark.parametrize(
    "fields",
    [
        {"do": f"up-{LONG}"},
        {"do": f"remove-{LONG}"},
        {"k": LONG},
        {"k": LONG[:4_000]},
        {"closeness-t": LONG},
        {"do-0": "generalize", "max_suppressed-0": LONG, "choice-0": "best", "k": "5"},
        {"do-0": "sample", "fraction-0": "50", "seed-0": LONG},
    ],
)
def test_a_number_of_thousands_of_digits_is_refused_in_a_field(visitor, opened, fields):
    before = opened.document
    assert visitor.post(f"/w/{opened.id}/protect", fields).status == 422
    assert opened.document == before


def test_a_job_that_failed_is_said_on_its_own_page_alone(visitor, patients):
    workspace = visitor.open(patients)
    visitor.post(f"/w/{workspace.id}/data/suggested")
    fields = {"known-2": "0.5", "sensitivity-5": "1", "alpha": "0.5"}
    visitor.post(f"/w/{workspace.id}/roles/record-risk", fields)
    ended(workspace.job)
    assert workspace.job.state == "failed"
    said = {
        path: "Measuring the risk of every record: failed" in visitor.get(f"/w/{workspace.id}/{path}").text
        for path in ("data", "roles", "explore", "protect", "compare", "release", "hierarchy/2")
    }  # fmt: skip
    assert [path for path, is_said in said.items() if is_said] == ["roles"]
    # who watched it elsewhere hears of its end there
    assert "failed" in visitor.get(f"/w/{workspace.id}/job?here=protect").text


def test_roles_that_were_given_stay_unless_it_is_said(visitor, patients):
    workspace = visitor.open(patients)
    at = f"/w/{workspace.id}"
    names = [column.name for column in workspace.columns]
    sex, zip_ = names.index("sex"), names.index("zip")
    assert "Replace all roles" not in visitor.get(f"{at}/data").text
    visitor.post(f"{at}/roles/{sex}", {f"role-{sex}": "confidential", f"type-{sex}": ""})
    assert "Replace all roles" in visitor.get(f"{at}/data").text
    visitor.post(f"{at}/data/suggested")
    roles = workspace.document["roles"]
    assert "sex" in roles["confidential"]
    assert names[zip_] in roles["keys"]
    visitor.post(f"{at}/data/suggested", {"roles": "all"})
    assert "sex" in workspace.document["roles"]["keys"]
    assert "sex" not in workspace.document["roles"]["confidential"]


def test_a_suggested_weight_does_not_take_the_place_of_one_that_was_given():
    given = {"roles": {"weight": "a"}}
    suggested = {"a": "other", "b": "weight", "c": "key"}
    kept = draft.with_suggested(given, suggested, every=False)
    assert kept["roles"] == {"weight": "a", "keys": ["c"]}
    replaced = draft.with_suggested(given, suggested, every=True)
    assert replaced["roles"] == {"weight": "b", "keys": ["c"]}


def test_terms_are_explained_in_the_words_of_the_glossary():
    rows = (Path(__file__).parents[2] / "docs/glossary.md").read_text(encoding="utf-8").splitlines()
    for row, words in TERMS.values():
        assert any(line.startswith(f"| {row} | {words}") for line in rows), row
