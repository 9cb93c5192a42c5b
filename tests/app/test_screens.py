"""Screens 1 and 2: what a steward does, as requests; figures are those of the library."""

import html
import json
import math
import re

import pytest

import discreet as ds
from tests.app.attacks import reading
from tests.app.conftest import running
from tests.app.visitor import Visitor
from tests.app.waiting import ended

SECRET = "Tr0ub4dor"


@pytest.fixture(scope="module")
def visitor(server):
    server.workspaces.most = 100
    return Visitor(server).logged_in()


@pytest.fixture(scope="module")
def opened(visitor, patients):
    """A table that was read, with the suggested roles."""
    workspace = visitor.open(patients)
    assert workspace.job.state == "done", workspace.job.problems
    assert visitor.post(f"/w/{workspace.id}/data/suggested").place == f"/w/{workspace.id}/roles"
    return workspace


def text_of(answer):
    """What is read on a page."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", answer.text)))


def number(workspace, name):
    return [column.name for column in workspace.columns].index(name)


def row(workspace, column, role, kind="", scale=""):
    n = number(workspace, column)
    return {f"role-{n}": role, f"type-{n}": kind, f"scale-{n}": scale}


def measured(visitor, workspace, path="measure", fields=None):
    answer = visitor.post(f"/w/{workspace.id}/roles/{path}", fields)
    assert answer.status == 303, text_of(answer)
    ended(workspace.job)
    assert workspace.job.state == "done", workspace.job.problems


# -- data ----------------------------------------------------------------------------------------


def test_the_page_shows_names_counts_and_suggested_roles_and_no_cell(visitor, opened, patients):
    page = text_of(visitor.get(f"/w/{opened.id}/data"))
    data = ds.read(patients)
    for column in data.columns:
        distinct, missing = data.profile[column]
        badge = " different in every record" if distinct == data.n else ""
        assert f"{column}{badge} {data.types[column]} {distinct:,} {missing:,}" in page
    assert "by its name, health" in page
    assert opened.table.n == data.n


def test_the_suggested_roles_are_those_of_the_library(opened, patients):
    assert opened.document["roles"] == ds.suggest_roles(ds.read(patients)).roles


def test_a_file_that_cannot_be_read_says_why_and_can_be_read_otherwise(visitor):
    workspace = visitor.open("t.csv", b"1,2\n3,4\n5,6\n")
    assert workspace.job.state == "failed"
    page = visitor.get(f"/w/{workspace.id}/data")
    assert "S14" in page.text
    assert visitor.get(f"/w/{workspace.id}/roles").place == f"/w/{workspace.id}/data"
    again = reading(header="no", names="age, income")
    assert visitor.post(f"/w/{workspace.id}/data", again).status == 303
    ended(workspace.job)
    assert [column.name for column in workspace.columns] == ["age", "income"]
    assert workspace.plan.to_dict() == {
        "source": {"file": ".source/t.csv", "names": ["age", "income"]}
    }
    assert 'value="age, income"' in visitor.get(f"/w/{workspace.id}/data").text


def test_a_form_without_a_file_or_names_is_answered_with_the_form(visitor):
    answer = visitor.upload("/open", [], reading(missing_values="?, -9"))
    assert answer.status == 422
    assert "P60" in answer.text
    assert 'value="?, -9"' in answer.text
    answer = visitor.upload("/open", [("file", ("t.csv", b"a\nb\n"))], reading(header="no"))
    assert (answer.status, "P60" in answer.text) == (422, True)


@pytest.mark.parametrize(
    "field", [{"separator": "::"}, {"encoding": "ebcdic"}, {"header": "maybe"}]
)
def test_what_the_form_does_not_offer_is_refused(visitor, field):
    answer = visitor.upload("/open", [("file", ("t.csv", b"a\nb\n"))], reading(**field))
    assert answer.status == 422


def test_nothing_is_opened_by_its_path(visitor, patients):
    answer = visitor.post("/open", {**reading(), "file": str(patients)})
    assert answer.status == 422


def test_the_home_page_lists_no_table(visitor, opened):
    page = visitor.get("/").text
    assert opened.id not in page
    assert "patients" not in page


# -- roles ---------------------------------------------------------------------------------------


def test_a_role_is_saved_and_the_row_comes_back(visitor, opened):
    at = f"/w/{opened.id}/roles/{number(opened, 'sex')}"
    answer = visitor.post(at, row(opened, "sex", "other"))
    assert answer.status == 200
    assert answer.text.startswith(f'<tr id="row-{number(opened, "sex")}" ')
    assert "changed" in answer.headers["hx-trigger"]
    assert opened.document["roles"]["keys"] == ["age", "zip"]
    visitor.post(at, row(opened, "sex", "key"))
    assert opened.document["roles"]["keys"] == ["age", "zip", "sex"]


def test_a_role_or_type_or_column_that_is_not_offered_changes_nothing(visitor, opened):
    before = opened.document
    at = f"/w/{opened.id}/roles/{number(opened, 'sex')}"
    assert visitor.post(at, row(opened, "sex", "owner")).status == 422
    assert visitor.post(at, row(opened, "sex", "key", "continuous")).status == 422
    assert visitor.post(at, {}).status == 422
    assert visitor.post(f"/w/{opened.id}/roles/999", row(opened, "sex", "key")).status == 404
    assert visitor.post(f"/w/{opened.id}/roles/-1", row(opened, "sex", "key")).status == 404
    assert opened.document == before


def test_an_ordinal_type_waits_for_its_scale(visitor, opened):
    at = f"/w/{opened.id}/roles/{number(opened, 'sex')}"
    answer = visitor.post(at, row(opened, "sex", "key", "ordinal"))
    assert "<textarea" in answer.text
    assert "sex" not in opened.document.get("types", {})
    visitor.post(at, row(opened, "sex", "key", "ordinal", "F\r\nM\r\n"))
    assert opened.document["types"] == {"sex": ["F", "M"]}
    visitor.post(at, row(opened, "sex", "key"))
    assert opened.document["types"] == {}


def test_without_scripts_all_rows_are_saved_at_once(visitor, opened):
    before = opened.document
    fields = {}
    for column in opened.columns:
        fields |= row(opened, column.name, column.suggested)
    assert visitor.post(f"/w/{opened.id}/roles", fields).status == 303
    assert opened.document["roles"] == before["roles"]


def test_the_figures_are_those_of_the_library(visitor, opened, patients):
    measured(visitor, opened)
    roles = ds.suggest_roles(ds.read(patients)).roles
    risk = ds.risk(ds.read(patients, **roles))
    page = text_of(visitor.get(f"/w/{opened.id}/roles"))
    assert f"smallest class (k) {risk.k:,}" in page
    assert f"records alone in their class {risk.uniques:,}" in page
    for line in risk.explain().splitlines():
        assert line.removeprefix("Next: ") in page
    for label, records in risk.class_sizes.binned():
        assert re.search(rf"\b{re.escape(label)} {records:,}\b", page)
    assert opened.results["risk"].value.figures["k"] == risk.k
    found = ds.key_candidates(ds.read(patients, **roles), ["age", "zip", "sex"])
    pairs = sorted((c for c in found if len(c.attributes) == 2), key=lambda c: -c.uniques)
    table = page[page.index("The riskiest combinations of keys") :]
    rows = [f"{', '.join(c.attributes)} {c.uniques} {c.unique:.1%}" for c in pairs]
    assert " ".join(rows) in table


NUMBERS = {"k": "3", "p": "2", "diversity-l": "2", "closeness-t": "0.5"}
WANTED = {**NUMBERS, "diversity-kind": "entropy", "released": "sample", "share": "25"}
ASKED = {
    "k": 3,
    "p": 2,
    "diversity": {"l": 2, "kind": "entropy"},
    "closeness": 0.5,
}


def test_what_is_wanted_is_checked_and_stands_in_the_plan(visitor, opened, patients):
    measured(visitor, opened, fields=WANTED)
    assert opened.plan.section("criterion") == ASKED
    data = ds.read(patients, **ds.suggest_roles(ds.read(patients)).roles)
    check = ds.check(
        data,
        [ds.PSensitiveKAnonymity(2, 3), ds.LDiversity(2, kind="entropy"), ds.TCloseness(0.5)],
    )
    at = f"/w/{opened.id}"
    page = text_of(visitor.get(f"{at}/roles"))
    for line in check.explain().splitlines():
        assert line.strip() in page
    drawn = ds.sampling_risk(data).at(0.25)
    assert f"sample of 25% ({drawn.t} records): at most {drawn.maximal:.2%}" in page
    for path in ("roles", "protect"):
        form = visitor.get(f"{at}/{path}").text
        for name, number in NUMBERS.items():
            assert re.search(rf'id="{name}" name="{name}" value="{number}"', form)
        assert '<option value="entropy" selected>' in form
        assert re.search(r"<details[^>]* open>\s*<summary>More requirements", form)
    assert 'value="25"' in visitor.get(f"{at}/roles").text
    measured(visitor, opened, fields={"k": "", "released": "all"})
    assert "criterion" not in opened.plan.document
    assert "random sample of" not in text_of(visitor.get(f"{at}/roles/results"))


def state(page, screen):
    """What the tab of a screen says of it."""
    return re.search(rf"{screen} <span.*?unseen\"> \((.*?)\)", page)[1]


def test_figures_are_out_of_date_when_something_else_must_hold_wherever_it_is_said(visitor, opened):
    at = f"/w/{opened.id}"
    measured(visitor, opened, fields={"k": "3", "released": "all"})
    assert state(visitor.get(f"{at}/roles").text, "Roles &amp; risk") == "done"
    answer = visitor.post(f"{at}/roles/wanted", {"k": "5", "released": "all"})
    assert "changed" in answer.headers["hx-trigger"]
    page = visitor.get(f"{at}/roles").text
    assert (state(page, "Roles &amp; risk"), "does not hold" in page) == ("out of date", True)
    assert "Out of date: computed before the last change." in page
    measured(visitor, opened)
    assert "3-anonymity" not in visitor.get(f"{at}/roles").text
    opened.change(lambda d: {**d, "criterion": [{"k": 9}]})  # as on the page Protect
    assert opened.out_of_date == ("risk",)
    measured(visitor, opened, fields={"k": "", "released": "all"})


def test_the_choice_of_a_sample_is_kept_as_soon_as_its_field_is_left(visitor, opened):
    at = f"/w/{opened.id}/roles"
    visitor.post(f"{at}/wanted", {"released": "sample", "share": "10"})
    page = visitor.get(at).text
    assert 'value="sample" selected' in page
    assert 'name="share" value="10"' in page
    measured(visitor, opened)  # an empty form leaves it
    assert "random sample of 10%" in text_of(visitor.get(f"{at}/results"))
    measured(visitor, opened, fields={"k": "", "released": "all"})
    assert 'value="all" selected' in visitor.get(at).text


@pytest.mark.parametrize(("keys", "most"), [(1, 1), (2, 2), (12, 3), (13, 2), (23, 2), (50, 1)])
def test_no_more_combinations_are_counted_than_take_a_moment(keys, most):
    from discreet.app.jobs import risk

    assert risk._up_to(keys) == most
    assert sum(math.comb(keys, size) for size in range(1, most + 1)) <= risk.MOST_SETS


def test_what_is_wanted_wrongly_is_said_at_once_and_the_form_is_kept(visitor, opened):
    before = opened.document
    wrong = {
        "k": "few",
        "p": "",
        "diversity-l": "0",
        "closeness-t": "2",
        "released": "sample",
        "share": "all",
    }
    answer = visitor.post(f"/w/{opened.id}/roles/measure", wrong)
    assert answer.status == 422
    assert answer.text.count("<code>P60</code>") == 4
    for text in ("few", "all"):
        assert f'value="{text}"' in answer.text
    assert visitor.post(f"/w/{opened.id}/roles/measure", {"k": "5"}).status == 422
    assert opened.document == before


def test_what_is_said_to_be_saved_is_there_again(visitor, opened):
    at = f"/w/{opened.id}/roles"
    number_of_sex = number(opened, "sex")
    before, risk = opened.document, opened.settings["risk"]
    sent = {
        f"{at}/wanted": {"released": "sample", "share": "0.7"},
        f"{at}/missing": {"missing": "wildcard"},
        f"{at}/{number_of_sex}": {f"role-{number_of_sex}": "key", f"type-{number_of_sex}": ""},
    }
    for path, fields in sent.items():
        answer = visitor.post(path, fields, {"HX-Request": "true"})
        assert '"said": "Saved."' in answer.headers["hx-trigger"], path
    page = visitor.get(at).text
    assert 'name="share" value="0.7"' in page
    assert '<option value="sample" selected>' in page
    assert opened.settings["risk"]["share"] == 0.007
    both = {"k": "abc", "released": "sample", "share": "0"}
    said = json.loads(visitor.post(f"{at}/wanted", both).headers["hx-trigger"])["said"]
    assert said.startswith("Not saved: What must hold, k-anonymity: “k: records that share")
    assert "“Share of the records” must be above 0 and up to 100 %. Write for example 10 %." in said
    opened.change(lambda _: before)
    opened.set("risk", risk)


def test_values_cannot_be_asked_for_without_a_confidential_attribute(visitor):
    workspace = visitor.open("t.csv", b"age,sex\n23,F\n37,M\n38,M\n")
    visitor.post(f"/w/{workspace.id}/roles/0", {"role-0": "key", "type-0": ""})
    wanted = {"k": "2", "diversity-l": "2", "released": "all"}
    answer = visitor.post(f"/w/{workspace.id}/roles/measure", wanted)
    assert (answer.status, "no column has that role" in text_of(answer)) == (422, True)


def test_a_change_of_roles_marks_the_figures_out_of_date_until_it_is_taken_back(visitor, opened):
    at = f"/w/{opened.id}/roles/{number(opened, 'zip')}"
    assert opened.out_of_date == ()
    visitor.post(at, row(opened, "zip", "other"))
    assert opened.out_of_date == ("risk",)
    assert "Out of date" in visitor.get(f"/w/{opened.id}/roles/results").text
    assert "risk by classes" in visitor.get(f"/w/{opened.id}/banner").text
    visitor.post(at, row(opened, "zip", "key"))
    assert opened.out_of_date == ()


def test_the_missing_policy_is_part_of_the_plan_and_does_not_read_the_table_again(visitor, opened):
    at = f"/w/{opened.id}/roles/missing"
    assert visitor.post(at, {"missing": "wildcard"}, {"HX-Request": "true"}).status == 204
    assert opened.plan.section("source")["missing"] == "wildcard"
    assert opened.table is not None
    assert "risk" in opened.out_of_date
    assert visitor.post(at, {"missing": "guess"}).status == 422
    assert visitor.post(at, {"missing": "category"}).status == 303
    assert opened.out_of_date == ()


def test_the_record_risk_is_that_of_the_library(visitor, opened, patients):
    n = {column.name: i for i, column in enumerate(opened.columns)}
    fields = {"alpha": "100", "epsilon": "0.01", "default": "0.5"}
    fields |= {f"known-{n['age']}": "0.3", f"known-{n['sex']}": "0.8"}
    fields |= {f"sensitivity-{n['illness']}": "1", f"values-{n['illness']}": "flu = 0.2"}
    fields |= {f"sensitivity-{n['income']}": "0.5", f"values-{n['income']}": "to 40000 = 1"}
    measured(visitor, opened, "record-risk", fields)
    risk = ds.record_risk(
        ds.read(patients),
        known={"age": 0.3, "sex": 0.8},
        sensitivity={"illness": 1.0, "income": 0.5},
        value_sensitivity={"illness": {"flu": 0.2}, "income": [(None, 40000, 1.0)]},
        default=0.5,
    )
    figures = opened.results["record_risk"].value.figures
    assert figures["total"] == risk.total
    assert figures["histogram"] == risk.histogram().to_dict()
    page = visitor.get(f"/w/{opened.id}/roles").text
    assert f"{risk.above(0.01).count:,}" in page
    assert 'value="0.3"' in page
    assert "flu = 0.2</textarea>" in page


def test_settings_that_are_no_numbers_are_all_said_and_the_form_is_kept(visitor, opened):
    answer = visitor.post(
        f"/w/{opened.id}/roles/record-risk", {"known-0": "often", "alpha": "much", "known-1": "0.7"}
    )
    assert answer.status == 422
    assert answer.text.count("P60") == 2
    assert 'value="often"' in answer.text


# -- hierarchies ---------------------------------------------------------------------------------


def test_a_preview_shows_the_levels_and_keeps_nothing(visitor, opened):
    at = f"/w/{opened.id}/hierarchy/{number(opened, 'age')}"
    before = opened.document
    page = text_of(visitor.get(f"{at}/preview?builder=intervals&widths=10,20&unmapped=error"))
    assert "[20, 30)" in page
    assert "[20, 40)" in page
    assert opened.document == before
    wrong = visitor.get(f"{at}/preview?builder=intervals&widths=abc&unmapped=error").text
    assert re.search(r'<div class="words bad" role="alert" tabindex="-1">\s*<p><code>P60', wrong)


def test_smaller_groups_are_not_counted_among_those_of_enough_records(visitor):
    rows = "".join(f"{age}\n" for age in [*[20] * 9, *range(100, 112)])
    workspace = visitor.open("t.csv", f"age\n{rows}".encode())
    visitor.post(f"/w/{workspace.id}/roles/0", {"role-0": "key", "type-0": ""})
    preview = f"/w/{workspace.id}/hierarchy/0/preview"
    page = text_of(
        visitor.get(f"{preview}?builder=intervals&widths=1&labels=closed&unmapped=error")
    )
    assert re.search(r" 1 13 1 20 12 groups of fewer records", page)


def test_the_form_of_labels_stands_below_both_kinds_of_intervals(visitor, opened):
    page = visitor.get(f"/w/{opened.id}/hierarchy/{number(opened, 'age')}").text
    kinds = [page.index(f'value="{one}"') for one in ("intervals", "cuts", "suppress")]
    assert max(kinds) < page.index('name="labels"')


def test_roles_are_counted_in_words(visitor, opened):
    panel = text_of(visitor.get(f"/w/{opened.id}/roles/results"))
    assert re.search(r" 3 keys \d+ confidential attributes? \d+ identifiers? ", panel)
    page = visitor.get(f"/w/{opened.id}/roles").text
    assert "none yet: add one under Registers of the population" in page


def test_a_hierarchy_is_kept_in_the_plan(visitor, opened):
    at = f"/w/{opened.id}/hierarchy/{number(opened, 'zip')}"
    answer = visitor.upload(
        at, [], {"builder": "prefixes", "lengths": "5, 3, 0", "unmapped": "error"}
    )
    assert answer.place == f"/w/{opened.id}/roles"
    assert opened.plan.section("hierarchies") == {"zip": {"prefixes": [5, 3, 0]}}
    assert 'value="5, 3, 0"' in visitor.get(at).text
    assert ">prefixes of codes</a>" in visitor.get(f"/w/{opened.id}/roles").text


def test_a_hierarchy_stays_in_reserve_while_its_column_is_no_key(visitor, opened):
    at = f"/w/{opened.id}/roles/{number(opened, 'zip')}"
    visitor.post(at, row(opened, "zip", "other"))
    assert "hierarchies" not in opened.plan.document
    visitor.post(at, row(opened, "zip", "key"))
    assert "zip" in opened.plan.section("hierarchies")


def test_a_file_as_arx_writes_it_is_uploaded(visitor, opened):
    at = f"/w/{opened.id}/hierarchy/{number(opened, 'sex')}"
    good = [("file", ("sex.csv", b"F;*\nM;*\n"))]
    assert visitor.upload(at, good, {"builder": "file", "unmapped": "error"}).status == 303
    assert opened.plan.section("hierarchies")["sex"] == {"file": "sex.csv"}
    bad = [("file", ("bad.csv", b"F\nM\n"))]
    answer = visitor.upload(at, bad, {"builder": "file", "unmapped": "error"})
    assert (answer.status, "S10" in answer.text) == (422, True)
    assert not (opened.folder / "bad.csv").exists()
    assert opened.plan.section("hierarchies")["sex"] == {"file": "sex.csv"}


def test_a_hierarchy_that_does_not_fit_is_said_and_not_kept(visitor, opened):
    at = f"/w/{opened.id}/hierarchy/{number(opened, 'sex')}"
    before = opened.document
    for fields, code in (
        ({"builder": "intervals", "widths": "5"}, "D2"),
        ({"builder": "intervals", "widths": "ten"}, "P60"),
        ({"builder": "dates"}, "P60"),
        ({"builder": "trees"}, "P60"),
    ):
        answer = visitor.upload(at, [], fields)
        assert (answer.status, code in answer.text) == (422, True), fields
    assert opened.document == before


# -- what no page shows --------------------------------------------------------------------------


def test_a_planted_value_is_on_no_page_and_in_no_header(visitor):
    lines = "\n".join(f"{20 + i % 50},{SECRET if i == 7 else 'flu'}" for i in range(60))
    workspace = visitor.open("t.csv", f"age,illness\n{lines}\n".encode())
    visitor.post(f"/w/{workspace.id}/data/suggested")
    measured(visitor, workspace)
    fields = {"known-0": "0.5", "sensitivity-1": "1", "values-1": "flu = 0.5"}
    visitor.post(f"/w/{workspace.id}/roles/record-risk", fields)
    ended(workspace.job)
    assert workspace.job.problems[0].code == "D40"  # a value without a weight: how many, not which
    at = f"/w/{workspace.id}"
    for path in ("data", "data/results", "roles", "roles/results", "job", "banner", "hierarchy/0"):
        answer = visitor.get(f"{at}/{path}")
        assert answer.status == 200
        assert SECRET not in answer.text
        assert SECRET not in str(answer.headers)


def test_asking_changes_nothing(visitor, opened):
    def state():
        files = sorted(path for path in opened.folder.rglob("*") if path.is_file())
        return opened.document, opened.settings, dict(opened.results), opened.job, files

    before = state()
    for path in (
        "data",
        "roles",
        "roles/measure",
        "roles/0",
        "data/suggested",
        "job/cancel",
        "close",
    ):
        assert visitor.get(f"/w/{opened.id}/{path}").status in (200, 405)
    assert visitor.get("/open").status == 405
    assert state() == before


def test_a_file_of_the_command_line_is_opened_at_once_and_never_changed(tmp_path, patients):
    before = patients.read_bytes()
    with running(tmp_path / "work", patients) as server:
        visitor = Visitor(server)
        landing = re.search(r'url=(/w/[^"]+)', visitor.get(f"/?token={server.known.token}").text)[1]
        workspace = server.workspaces.get(landing.split("/")[2])
        ended(workspace.job)
        assert workspace.table.n == 400
        assert workspace.plan.source.resolve() == patients
        visitor.logged_in().post(f"/w/{workspace.id}/close")
    assert patients.read_bytes() == before


def test_the_library_of_the_pages_is_the_one_that_was_looked_at():
    import hashlib
    from pathlib import Path

    from discreet.app.server import application

    static = Path(application.STATIC)
    digest = hashlib.sha256((static / "htmx.min.js").read_bytes()).hexdigest()
    assert digest == "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"
    licences = (static / "LICENSES.txt").read_text(encoding="utf-8")
    assert "htmx 2.0.11" in licences
    assert "Zero-Clause BSD" in licences
    assert "Discreet Sans" in licences
    assert "SIL Open Font License" in licences
    assert {path.name for path in static.iterdir()} == {
        "LICENSES.txt", "app.css", "app.js", "htmx.min.js", "icon.svg",
    }  # fmt: skip
