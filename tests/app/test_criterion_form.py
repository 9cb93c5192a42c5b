"""The form of what must hold: made from the descriptions, and the same on Roles, Explore, Protect."""

import pytest

from discreet.app.forms import criterion
from discreet.plan.criteria import criteria_in, kinds_in
from discreet.registry import criteria
from tests.app.releases import done, opened, text_of
from tests.app.visitor import Visitor

COLUMNS = ["age", "zip", "ill", "income"]
PLANS = [
    {},
    {"k": 5},
    {"k": 5, "p": 2},
    {"k": 5, "p": 2, "confidential": ["ill"]},
    {"diversity": 3},
    {"diversity": {"l": 3, "kind": "distinct"}},
    {"diversity": {"l": 3, "kind": "entropy", "confidential": ["ill"]}},
    {"diversity": {"l": 3, "kind": "recursive", "c": 2.5}, "closeness": 0.2, "k": 3},
    {"closeness": {"t": 0.1, "distance": "hierarchical", "hierarchy": {"prefixes": [2, 1]}}},
    {"disclosure_risk": 0.05},
    {"likeness": {"beta": 4.0, "kind": "enhanced"}, "delta_disclosure": 2.0},
    {"average_risk": {"at_most": 0.05, "highest": 0.2, "share_above": 0.01}},
    {"k": 3, "disclosure_risk": {"limit": 0.05, "weights": "minimal"}},
    {"disclosure_risk": {"limit": 0.05, "weights": {"threshold": 3}}},
    {"disclosure_risk": {"limit": 0.05, "weights": {"file": "weights.csv"}}},
    [{"k": 5}, {"k": 8, "p": 2, "confidential": ["ill"]}],
]


def made(said, before, folder):
    return criterion.criterion_in(said, before, COLUMNS, folder)


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_that_is_not_changed_stays_as_it_is_written(plan, tmp_path):
    assert made(criterion.said_of(plan, COLUMNS), plan, tmp_path) == (plan, [])


@pytest.mark.parametrize("plan", [p for p in PLANS if isinstance(p, dict) and "file" not in str(p)])
def test_the_fields_stand_for_the_criteria_of_the_plan(plan, tmp_path):
    found, problems = made(criterion.said_of(plan, COLUMNS), {}, tmp_path)
    assert problems == []
    own = {k: v for k, v in plan.items() if k != "diversity" or "confidential" not in str(v)}
    again, _ = made(criterion.said_of(own, COLUMNS), {}, tmp_path)
    assert criteria_in(again, tmp_path) == criteria_in(own, tmp_path)
    assert [kind.name for kind, _ in kinds_in(found)] == [kind.name for kind, _ in kinds_in(plan)]


def test_changing_one_number_leaves_the_rest_as_it_was(tmp_path):
    weights = {"limit": 0.05, "weights": {"file": "weights.csv"}}
    own = {"l": 3, "kind": "entropy", "confidential": ["ill"]}
    plan = {"k": 5, "diversity": own, "disclosure_risk": weights}
    (tmp_path / "weights.csv").write_text("1\n")
    said = criterion.said_of(plan, COLUMNS) | {"k": "6"}
    assert made(said, plan, tmp_path) == ({**plan, "k": 6}, [])


def test_a_register_is_one_of_the_tables_that_were_added(tmp_path):
    plan = {"k": 5, "k_map": {"k": 9, "population": "town.csv"}}
    said = criterion.said_of(plan, COLUMNS)
    assert said["k_map-population"] == "town.csv"
    assert made(said | {"k": "6"}, plan, tmp_path) == ({**plan, "k": 6}, [])
    added = ["town.csv", "region.csv"]
    changed = said | {"k_map-population": "region.csv", "presence-low": "0"}
    changed |= {"presence-high": "20", "presence-population": "town.csv"}
    found, problems = criterion.criterion_in(changed, plan, COLUMNS, tmp_path, added)
    assert problems == []
    assert found["k_map"] == {"k": 9, "population": "region.csv"}
    assert found["presence"] == {"low": 0.0, "high": 0.2, "population": "town.csv"}
    drawn = criterion.drawn(changed, COLUMNS, set(), added)
    fields = {f.name: f for one in drawn.more for f in one.fields}
    offered = [value for value, _ in fields["k_map-population"].choices]
    assert offered == ["", "town.csv", "region.csv"]
    assert fields["k_map-population"].sort == "choose"


@pytest.mark.parametrize(
    ("population", "words"),
    [
        ("/etc/passwd", "is not a table that was added"),
        ("", "“Register of the population” is missing"),
    ],
)
def test_no_other_file_is_ever_named(population, words, tmp_path):
    said = criterion.said_of({}, COLUMNS) | {"k_map-k": "5", "k_map-population": population}
    _, (problem,) = criterion.criterion_in(said, {}, COLUMNS, tmp_path, ["town.csv"])
    assert words in str(problem)
    assert "passwd" not in str(problem)


FIELDED = sorted(criteria)


@pytest.mark.parametrize("name", FIELDED)
def test_every_criterion_has_its_fields_with_title_and_help(name):
    drawn = criterion.drawn(criterion.said_of({}, COLUMNS), COLUMNS, {2, 3})
    found = {one.kind.name: one for one in (*drawn.front, *drawn.more)}
    assert [one.kind.name for one in drawn.front] == ["KAnonymity"]
    for field in found[name].fields:
        assert field.label
        assert field.hint.startswith(field.parameter.doc)
    assert drawn.attributes == ((2, "ill"), (3, "income"))
    assert not drawn.open


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"k": "few"}, ["“k: records that share their keys, at least” must be a whole number"]),
        ({"p": "2"}, ["p needs a k beside it"]),
        ({"k": "2", "p": "3"}, ["p = 3 is larger than k = 2"]),
        ({"k": "0", "diversity-l": "-1", "closeness-t": "2"}, ["“k", "“l", "“t"]),
        ({"diversity-l": "2", "diversity-kind": "recursive"}, ["needs a positive “c of recursive"]),
        ({"diversity-l": "2", "diversity-kind": "other"}, ["“l counts” is not known"]),
        ({"closeness-t": "0.2", "closeness-hierarchy": "[[["}, ["“Hierarchy of the confidential"]),
        ({"closeness-t": "0,2"}, ["Write a point for decimals, not a comma: 0.5."]),
        (
            {"average_risk-at_most": "0.1", "average_risk-share_above": "x"},
            ["“share of the records that may be above it” must be from 0 to 100 %."],
        ),
        ({"disclosure_risk-limit": "5"}, ["“disclosure risk, at most” must be a number from 0"]),
        ({"disclosure_risk-limit": "5 %", "disclosure_risk-weights": "x"}, ["“Weights” cannot be"]),
        (
            {"disclosure_risk-limit": "5 %", "disclosure_risk-weights": '{ file = "/etc/passwd" }'},
            ["“Weights” cannot be read"],
        ),
        (
            {"disclosure_risk-limit": "5 %", "disclosure_risk-weights": "[" * 1900},
            ["“Weights” cannot be read"],
        ),
    ],
)
def test_all_that_is_wrong_is_said_in_the_words_of_the_form(fields, words, tmp_path):
    _, problems = made(criterion.said_of({}, COLUMNS) | fields, {}, tmp_path)
    assert len(problems) == len(words)
    for problem, word in zip(problems, words, strict=True):
        assert word in str(problem)
        assert "passwd" not in str(problem)


OPTIONS = [  # of a criterion, filled in without its first field
    ({"average_risk-highest": "0.2", "average_risk-share_above": "0"}, "“average risk of"),
    ({"average_risk-share_above": "0"}, "“average risk of"),
    ({"presence-high": "20"}, "“δ: share of the people"),
    ({"presence-population": "town.csv"}, "“δ: share of the people"),
    ({"diversity-c": "3"}, "“l: as mixed"),
    ({"diversity-kind": "entropy"}, "“l: as mixed"),
    ({"disclosure_risk-weights": "minimal"}, "“disclosure risk, at most”"),
]


@pytest.mark.parametrize(("fields", "label"), OPTIONS)
def test_an_option_is_never_dropped_because_the_first_field_is_empty(fields, label, tmp_path):
    said = criterion.said_of({}, COLUMNS) | fields
    _, problems = criterion.criterion_in(said, {}, COLUMNS, tmp_path, ["town.csv"])
    words = [str(problem) for problem in problems]
    assert any(label in one and "is missing. Write for example" in one for one in words), words
    assert criterion.drawn(said, COLUMNS, set(), ["town.csv"]).open


def test_weights_are_written_as_in_a_plan(tmp_path):
    fields = {"disclosure_risk-limit": "5 %", "disclosure_risk-weights": "{ threshold = 3 }"}
    found, problems = made(criterion.said_of({}, COLUMNS) | fields, {}, tmp_path)
    assert found == {"disclosure_risk": {"limit": 0.05, "weights": {"threshold": 3}}}
    assert problems == []


# -- on the pages ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def visitor(server):
    return Visitor(server).logged_in()


@pytest.fixture(scope="module")
def workspace(visitor, patients):
    made = opened(visitor, patients)
    visitor.post(f"/w/{made.id}/explore/sweep")
    done(made)
    return made


LIMIT = {"k": "3", "disclosure_risk-limit": "40 %"}


def test_a_limit_of_the_disclosure_risk_is_told_by_a_run(visitor, workspace):
    at = f"/w/{workspace.id}"
    answer = visitor.post(f"{at}/roles/measure", {**LIMIT, "released": "all"})
    assert answer.status == 303, text_of(answer)
    done(workspace)
    words = "disclosure risk of at most 0.4 (weights: maximal)"
    assert f"{words} compares the masked table with this one" in text_of(visitor.get(f"{at}/roles"))
    fields = {"do": "run", "do-0": "generalize", "max_suppressed-0": "10 %", "choice-0": "best"}
    assert visitor.post(f"{at}/protect", {**fields, **LIMIT}).status == 303
    done(workspace)
    assert workspace.document["criterion"] == {"k": 3, "disclosure_risk": 0.4}
    assert f"✓ 3-anonymity and {words}" in text_of(visitor.get(f"{at}/protect"))


def test_explore_asks_for_more_than_its_sliders_and_leaves_those(visitor, workspace):
    at = f"/w/{workspace.id}/explore"
    workspace.change(lambda d: {**d, "criterion": {"k": 3, "p": 2}})
    fields = {"closeness-t": "0.9", "k": "99"}
    answer = visitor.post(f"{at}/wanted", fields, {"HX-Request": "true"})
    assert (answer.status, "Saved." in answer.headers["hx-trigger"]) == (204, True)
    assert workspace.document["criterion"] == {"k": 3, "p": 2, "closeness": 0.9}
    page = visitor.get(at)
    assert "The plan also asks for 0.9-closeness (equal distance)." in text_of(page)
    assert 'id="closeness-t" name="closeness-t" value="0.9"' in page.text
    # the slider, the node that is used, and the three cards
    assert page.text.count('name="p"') <= 5
    assert visitor.post(f"{at}/wanted", {"closeness-t": "9"}).status == 422
    wrong = visitor.post(f"{at}/wanted", {"closeness-t": "9"}, {"HX-Request": "true"})
    assert "Not saved" in wrong.headers["hx-trigger"]
    assert visitor.post(f"{at}/wanted", {}).status == 303
    assert workspace.document["criterion"] == {"k": 3, "p": 2}


# -- registers -------------------------------------------------------------------------------------


def test_a_register_is_added_and_people_are_looked_up_in_it(visitor, patients):
    """From the upload over the form to a masked table."""
    workspace = opened(visitor, patients)
    at = f"/w/{workspace.id}"
    town = ("register", ("town.csv", patients.read_bytes()))
    assert visitor.upload(f"{at}/roles/register", [town]).status == 303
    assert visitor.upload(f"{at}/roles/register", [town]).status == 303
    assert workspace.registers == ["town.csv", "town-2.csv"]
    page = visitor.get(f"{at}/roles").text
    assert '<option value="town-2.csv">' in page
    fields = {"k_map-k": "3", "k_map-population": "town.csv", "released": "all"}
    assert visitor.post(f"{at}/roles/measure", fields).status == 303
    done(workspace)
    assert "3-map in town.csv does not hold" in text_of(visitor.get(f"{at}/roles"))
    steps = {"do": "run", "do-0": "recode", "max_suppressed-0": "0", "method-0": "local"}
    steps |= {"search-0": "quick", "seed-0": "0"}
    asked = {name: value for name, value in fields.items() if name != "released"}
    answer = visitor.post(f"{at}/protect", {**steps, **asked})
    assert answer.status == 303, text_of(answer)
    done(workspace)
    assert workspace.document["criterion"] == {"k_map": {"k": 3, "population": "town.csv"}}
    assert "✓ 3-map in town.csv" in text_of(visitor.get(f"{at}/protect"))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "town.csv",
            b"age,else\n1,2\n",
            "R01 town.csv has no column 'zip', 'sex'. A register has all keys, by the same names.",
        ),
        ("masked.csv", b"age\n1\n", "a release writes a file named masked.csv"),
        ("", b"", "no file was chosen"),
    ],
)
def test_what_is_no_register_is_said(visitor, patients, name, content, words):
    workspace = opened(visitor, patients)
    sent = [("register", (name, content))] if name else []
    answer = visitor.upload(f"/w/{workspace.id}/roles/register", sent)
    assert answer.status == 422
    assert words in text_of(answer)
    assert workspace.registers == []
