"""Forms that lead on: columns that can be averaged, files that are replaced, limits that fit."""

import json
import re
import sys
import tomllib

import pytest

from discreet.app.forms import fields, record_risk, steps
from discreet.app.jobs.plan_run import folder_of
from discreet.app.jobs.protection import label_of
from discreet.app.jobs.table import TableColumn
from discreet.app.screens.roles import types_for
from discreet.masking.microaggregate import averageable
from discreet.registry import criteria, maskings, measures
from tests.app.releases import (
    GENERALIZE,
    done,
    downloaded,
    number,
    opened,
    protected,
    released,
    text_of,
)
from tests.app.test_jobs import endless  # noqa: F401 - a fixture
from tests.app.visitor import Visitor
from tests.app.waiting import PATIENCE, ended
from tests.processes import run

EDU = b"".join(
    b"%s;%s;*\n" % pair for pair in [(b"low", b"some"), (b"mid", b"some"), (b"top", b"all")]
)
OTHER = EDU.replace(b"mid;some", b"mid;all")


def survey(rows=60):
    """A date, a number and a category with missing values, and two columns without."""
    lines = ["born,income,job,edu,age"]
    for i in range(rows):
        income = "" if i % 9 == 0 else 1000 + 37 * i
        job = "" if i % 7 == 0 else ("cook", "clerk")[i % 2]
        edu = ("low", "mid", "top")[i % 3]
        lines.append(f"19{50 + i % 40}-0{1 + i % 9}-1{i % 10},{income},{job},{edu},{20 + i % 5}")
    return ("\n".join(lines) + "\n").encode()


@pytest.fixture(scope="module")
def visitor(server):
    server.workspaces.most = 50
    return Visitor(server).logged_in()


@pytest.fixture
def table(visitor):
    """A table all columns of which are keys."""
    return with_keys(visitor)


@pytest.fixture(scope="module")
def untouched(visitor):
    """One for tests that change nothing."""
    return with_keys(visitor)


def with_keys(visitor):
    workspace = visitor.open("survey.csv", survey())
    assert workspace.job.state == "done", workspace.job.problems
    for i in range(len(workspace.columns)):
        sent = visitor.post(f"/w/{workspace.id}/roles/{i}", {f"role-{i}": "key", f"type-{i}": ""})
        assert sent.status == 200
    return workspace


def uploaded(visitor, workspace, column, name, content, **fields):
    at = f"/w/{workspace.id}/hierarchy/{number(workspace, column)}"
    sent = {"builder": "file", "unmapped": "error", **fields}
    return visitor.upload(at, [("file", (name, content))], sent)


def box(page, workspace, name):
    """The field of a column in the first step."""
    at = number(workspace, name)
    return re.search(rf'<input type="checkbox" name="columns-0" value="{at}"[^>]*>', page)[0]


# -- what is written in a field ------------------------------------------------------------------


def read_of(parameter, text):
    """The value that a text in a field stands for, and what is wrong with it."""
    problems = []
    value = fields.Reading("Here", ["age"], problems).value(parameter, text)
    return value, [str(problem) for problem in problems]


ASKED = {
    f"{entry.name}.{p.name}": p
    for every in (maskings, criteria, measures)
    for entry in every.all()
    for p in entry.parameters.values()
    if p.kind in ("whole", "number", "amount", "table") and not (p.shared or p.python_only)
}
SHARES = [name for name, p in ASKED.items() if "Share" in p.marks]


@pytest.mark.parametrize("name", SHARES)
def test_a_share_is_in_percent_wherever_it_is_asked_for(name):
    one = ASKED[name]
    assert fields.field_of(one, "x", "").unit == "%"
    for text, share in (("1", 0.01), ("0.5", 0.005), ("2", 0.02), ("0.7", 0.007), ("0.1 %", 0.001)):
        assert read_of(one, text) == (share, []), text
        assert read_of(one, fields.shown(one, share)) == (share, [])
    assert fields.shown(one, 0.007) == "0.7"
    assert "100 %" in read_of(one, "101")[1][0]


def test_what_is_called_a_share_is_one():
    called = [n for n, p in ASKED.items() if p.high <= 1 and "share" in p.label.lower()]
    assert set(called) - set(SHARES) == set()


@pytest.mark.parametrize("name", ASKED)
def test_what_is_no_number_is_told_with_an_example_that_is_one(name):
    one = ASKED[name]
    _, (said,) = read_of(one, "many")
    assert said.startswith(f"P60: Here: “{one.label}” must be ") or f"“{one.label}”" in said
    example = re.search(r"Write for example (.+)\.$", said)[1]
    assert read_of(one, example)[1] == []


@pytest.mark.parametrize("name", ["rank_swap.window", "top_code.top", "TCloseness.t"])
def test_a_decimal_comma_is_told_of(name):
    text = {"top_code.top": "age = 0,9"}.get(name, "0,5")
    assert "Write a point for decimals, not a comma: 0.5." in read_of(ASKED[name], text)[1][0]


def test_a_secret_seed_has_no_example():
    known = steps.Known(["age"], ["age"])
    sent = steps.fields_of({"do": "sample", "fraction": 0.1, "seed": 1}, known) | {"seed": "x"}
    _, (problem,) = steps.steps_in([sent], known)
    assert "“Seed (keep it secret)” must be a whole number. Leave it empty" in str(problem)


def test_records_that_may_be_left_out_are_a_number_or_percent():
    one = ASKED["generalize.max_suppressed"]
    assert [read_of(one, text)[0] for text in ("2 %", "0.5 %", "7", "1")] == [0.02, 0.005, 7, 1]
    assert "written with its sign" in read_of(one, "0.5")[1][0]


def test_a_column_that_has_two_lines_is_named():
    _, (said,) = read_of(ASKED["top_code.top"], "age = 0.99\nage = 5")
    assert "“Top: code from here on” names 'age' twice." in said


def test_every_choice_of_a_field_has_words_of_its_own():
    bare = {
        f"{entry.name}.{p.name}": words
        for every in (maskings, criteria, measures)
        for entry in every.all()
        for p in entry.parameters.values()
        if p.kind == "choice" and (words := [c for c in p.choices if c not in p.choice_labels])
    }
    assert bare == {}


# -- columns that can be averaged ----------------------------------------------------------------


def test_only_columns_that_have_an_average_are_ticked_and_the_others_say_why_not(visitor, table):
    at = f"/w/{table.id}/protect"
    assert visitor.post(at, {"do": "add-microaggregate"}).status == 303
    (step,) = table.plan.section("steps")
    assert step["columns"] == ["job", "edu", "age"]
    assert step["missing"] == "category"
    page = visitor.get(at).text
    for name in ("born", "income"):
        assert " disabled" in box(page, table, name)
        assert " checked" not in box(page, table, name)
    for name in ("job", "edu", "age"):
        assert box(page, table, name).endswith(" checked>")
    words = text_of(visitor.get(at))
    assert "born It is stored as date and has no mean." in words
    assert "income It has 7 missing values." in words
    assert "job It has 9 missing values." in words
    ticked = [str(number(table, name)) for name in step["columns"]]
    fields = {"do-0": "microaggregate", "k-0": "3", "method-0": "mdav", "missing-0": "category"}
    protected(visitor, table, {**fields, "columns-0": ticked, "k": "", "p": ""})


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        ("born", {}, "'born' is stored as date and has no mean. Leave it out."),
        ("income", {"missing-0": "category"}, "'income' has 7 missing values. Leave it out."),
        ("job", {}, "9 missing values. Choose “a missing value is a category” under “Missing"),
        ("edu", {"method-0": "fixed"}, "and has no mean, which this method needs. Choose “MDAV"),
    ],
)
def test_a_column_without_an_average_is_refused_before_the_run(
    visitor, untouched, name, fields, words
):
    chain = {"do-0": "microaggregate", "k-0": "3", "method-0": "mdav", "k": "", "p": ""}
    chain |= {"columns-0": [str(number(untouched, name))]} | fields
    answer = visitor.post(f"/w/{untouched.id}/protect", {"do": "run", **chain})
    assert (answer.status, words in text_of(answer)) == (422, True), text_of(answer)
    assert untouched.job.name == "open"


def test_a_date_that_is_made_coarser_before_can_be_averaged(visitor, table):
    at = f"/w/{table.id}/hierarchy/{number(table, 'born')}"
    assert visitor.upload(at, [], {"builder": "dates", "dates": "year"}).status == 303
    coarser = {
        "do-0": "generalize",
        "max_suppressed-0": "100 %",
        "choice-0": "levels",
        "k": "2",
        "p": "",
    }
    coarser |= {f"level-0-{number(table, 'born')}": "1"}
    assert (
        visitor.post(f"/w/{table.id}/protect", {"do": "add-microaggregate", **coarser}).status
        == 303
    )
    assert "born" in table.plan.section("steps")[1]["columns"]


def test_a_declared_type_counts_more_than_how_a_column_is_stored():
    def unless(column, declared=None):
        return [dict(one.unless) for one in averageable(column.facts(declared))]

    mdav = [{"method": ("mdav",)}, {"exchange": (False, None)}]
    category = {"missing": ("category",)}
    born = TableColumn("born", "continuous", 9, 0, "", "", "date")
    assert unless(born) == [{}]
    assert unless(born, "nominal") == mdav
    income = TableColumn("income", "continuous", 9, 4, "", "", "number")
    assert unless(income, ["1", "2"]) == [*mdav, {}]
    assert unless(income, "nominal") == [*mdav, category]
    assert unless(TableColumn("age", "continuous", 9, 0, "", "", "integer")) == []
    codes = TableColumn("sex", "nominal (codes)", 2, 0, "", "", "integer", why="codes")
    assert unless(codes) == mdav
    assert unless(codes, "continuous") == []
    assert types_for(codes) == ("continuous", "ordinal")


# -- hierarchies from a file ---------------------------------------------------------------------


def test_a_file_that_is_not_saved_has_no_preview_and_no_old_groups(visitor, table):
    at = f"/w/{table.id}/hierarchy/{number(table, 'edu')}"
    for _ in range(2):  # before any file, and beside the groups of another one
        answer = visitor.get(f"{at}/preview?builder=file&unmapped=error")
        assert answer.status == 200
        assert "Save to see the groups of this file." in answer.text
        assert "some" not in answer.text
        assert "P60" not in answer.text
        saved = uploaded(visitor, table, "edu", "edu.csv", EDU)
        assert saved.place == at
    page = visitor.get(at)
    assert "What edu.csv does with the values" in page.text
    assert '<span class="tag">some</span>' in page.text
    field = re.search(r'<input id="file"[^>]*>', page.text)[0]
    assert f'hx-get="{at}/preview?builder=file"' in field
    assert 'hx-trigger="change"' in field


def test_a_file_of_the_same_name_is_replaced_and_puts_runs_out_of_date(visitor, table):
    uploaded(visitor, table, "edu", "edu.csv", EDU)
    chain = {"do-0": "sample", "fraction-0": "50", "seed-0": "1", "k": "", "p": ""}
    protected(visitor, table, chain)
    assert uploaded(visitor, table, "edu", "edu.csv", EDU).status == 303
    assert table.out_of_date == ()
    assert uploaded(visitor, table, "edu", "edu.csv", OTHER).status == 303
    assert table.plan.section("hierarchies")["edu"] == {"file": "edu.csv"}
    assert (table.folder / "edu.csv").read_bytes() == OTHER
    assert table.out_of_date == ("run-1",)
    assert (folder_of(table.folder, "run-1") / "edu.csv").read_bytes() == EDU
    assert visitor.post(f"/w/{table.id}/compare/1/choose").status == 409
    uploaded(visitor, table, "edu", "edu.csv", EDU)
    assert table.out_of_date == ()
    assert sorted(path.name for path in table.folder.glob("*.csv")) == ["edu.csv"]


def test_levels_that_were_chosen_for_another_file_are_out_of_use(visitor, table):
    uploaded(visitor, table, "edu", "edu.csv", EDU)
    levels = {f"level-0-{number(table, 'edu')}": "1"}
    chain = {
        "do-0": "generalize",
        "max_suppressed-0": "5",
        "choice-0": "levels",
        "k": "2",
        **levels,
    }
    assert visitor.post(f"/w/{table.id}/protect", {"do": "save", **chain}).status == 303
    assert table.levels_fit
    uploaded(visitor, table, "edu", "edu.csv", OTHER)
    assert not table.levels_fit


def test_a_file_that_does_not_fit_leaves_the_old_one(visitor, table):
    uploaded(visitor, table, "edu", "edu.csv", EDU)
    assert uploaded(visitor, table, "edu", "edu.csv", b"low;*\n").status == 422
    assert (table.folder / "edu.csv").read_bytes() == EDU
    assert list((table.folder / ".working").glob("upload-*")) == []


def test_a_file_is_not_replaced_while_a_job_may_read_it(visitor, table, endless):  # noqa: F811
    uploaded(visitor, table, "edu", "edu.csv", EDU)
    endless("")
    visitor.post(f"/w/{table.id}/roles/measure")
    answer = uploaded(visitor, table, "edu", "edu.csv", OTHER)
    assert (answer.status, "N62" in answer.text) == (422, True)
    assert (table.folder / "edu.csv").read_bytes() == EDU
    assert uploaded(visitor, table, "edu", "edu2.csv", OTHER).status == 303
    table.cancel()


def test_files_of_two_columns_never_take_each_others_place(visitor, table):
    uploaded(visitor, table, "edu", "h.csv", EDU)
    jobs = b"cook;*\nclerk;*\n"
    for _ in range(2):
        assert uploaded(visitor, table, "job", "h.csv", jobs, unmapped="suppress").status == 303
        assert table.plan.section("hierarchies")["job"]["file"] == "h-2.csv"
    assert (table.folder / "h.csv").read_bytes() == EDU
    uploaded(visitor, table, "edu", "survey.csv", EDU)
    assert table.plan.section("hierarchies")["edu"]["file"] == "survey-2.csv"
    assert (table.folder / ".source" / "survey.csv").read_bytes() == survey()


@pytest.mark.parametrize(
    "name",
    ["report.html", "public-report.html", "Release.toml", "release.py", "figures.json",
     "masked.csv", "masked.parquet", "masked.ledger.json", "masked.public.json"],
)  # fmt: skip
def test_a_file_named_like_one_of_the_release_is_refused_with_a_sentence(visitor, untouched, name):
    answer = uploaded(visitor, untouched, "edu", name, EDU)
    assert answer.status == 422
    assert f"a release writes a file named {name}" in text_of(answer)
    assert "hierarchies" not in untouched.plan.document
    assert not (untouched.folder / name).exists()


def test_the_release_holds_all_that_its_plan_reads_beside_the_original(visitor, table, tmp_path):
    uploaded(visitor, table, "edu", "edu.csv", EDU)
    chain = {"do-0": "sample", "fraction-0": "50", "seed-0": "", "k": "", "p": ""}
    protected(visitor, table, chain)
    released(visitor, table, 1)
    page = text_of(visitor.get(f"/w/{table.id}/release"))
    assert "Hierarchy of edu edu.csv" in page
    files = downloaded(visitor, table, tmp_path, "plan", "hierarchy-1", "script")
    assert files["hierarchy-1"].name == "edu.csv"
    (tmp_path / "survey.csv").write_bytes(survey())
    discreet = [sys.executable, "-c", "from discreet.cli import command; command()"]
    assert run([*discreet, "run", "release.toml"], PATIENCE, cwd=tmp_path).returncode == 0
    masked = visitor.get(f"/w/{table.id}/release/file/masked").raw
    assert (tmp_path / "masked.csv").read_bytes() == masked
    assert visitor.get(f"/w/{table.id}/release/file/hierarchy-2").status == 404
    uploaded(visitor, table, "edu", "edu.csv", OTHER)
    assert visitor.get(f"/w/{table.id}/release/file/hierarchy-1").status == 409


# -- a limit of the record risk ------------------------------------------------------------------


def test_a_first_limit_leaves_few_records_above_and_is_no_record_of_its_own():
    edges = [10 ** (step / 4) for step in range(6, 11)]  # 31.6 … 316
    even = {"n": 1000, "histogram": {"edges": edges, "counts": [500, 300, 195, 5], "zeros": 0}}
    assert record_risk.limit_for(even) == record_risk.Limit(178.0, 5)
    steep = {"n": 1000, "histogram": {"edges": edges, "counts": [100, 100, 100, 700], "zeros": 0}}
    assert record_risk.limit_for(steep) == record_risk.Limit(178.0, 700)
    none = {"n": 9, "histogram": {"edges": [], "counts": [], "zeros": 9}}
    assert record_risk.limit_for(none) == record_risk.Limit(0.0, 0)
    assert record_risk._short(100.0) == 100.0


def test_a_limit_is_proposed_on_the_scale_that_was_measured(visitor, patients):
    workspace = opened(visitor, patients)
    fields = {"alpha": "100", f"sensitivity-{number(workspace, 'income')}": "1"}
    fields |= {f"known-{number(workspace, name)}": "0.8" for name in ("age", "sex", "zip")}
    visitor.post(f"/w/{workspace.id}/roles/record-risk", fields)
    done(workspace)
    at = f"/w/{workspace.id}/protect"
    assert visitor.post(at, {"do": "add-protect_records"}).status == 303
    (step,) = workspace.plan.section("steps")
    figures = workspace.results["record_risk"].value.figures
    assert figures["mean"] / 2 < step["at_most"] < figures["highest"]
    page = text_of(visitor.get(at))
    assert f"highest {figures['highest']:.4g}, mean {figures['mean']:.4g}" in page
    assert "alpha (100) × the chance of being recognised" in page
    empty = {"do-0": "protect_records", "at_most-0": "", "k": "", "p": ""}
    assert visitor.post(at, {"do": "save", **empty}).status == 422
    sex = number(workspace, "sex")
    ordinal = {f"role-{sex}": "key", f"type-{sex}": "ordinal", f"scale-{sex}": "F\nM"}
    visitor.post(f"/w/{workspace.id}/roles/{sex}", ordinal)
    answer = visitor.post(at, {"do": "add-protect_records"})
    assert (answer.status, "not measured or out of date" in answer.text) == (422, True)
    assert "there is nothing to compare a limit with" in text_of(visitor.get(at))


def test_a_chain_that_leaves_no_complete_record_runs_and_names_the_step(visitor, patients):
    workspace = opened(visitor, patients)
    asked = {"known": {"age": 0.5, "sex": 0.5}, "sensitivity": {"income": 1.0}}
    workspace.set("record_risk", asked)
    chain = {"do-0": "sample", "fraction-0": "50", "seed-0": "3"}
    chain |= {"do-1": "protect_records", "at_most-1": "0.01", "k": "", "p": ""}
    protected(visitor, workspace, chain)
    page = text_of(visitor.get(f"/w/{workspace.id}/compare/1"))
    assert "No released record has all of its numbers" in page
    assert "Step 2 (Targeted suppression) emptied 200 cells: raise its limit." in page
    released(visitor, workspace, 1)
    report = visitor.get(f"/w/{workspace.id}/release/file/report").text
    assert "No released record has all of its numbers" in report


# -- seeds and names -----------------------------------------------------------------------------


def test_a_seed_that_only_breaks_ties_is_a_further_option_with_its_usual_value():
    known = steps.Known(["a", "b"], ["a", "b"])
    assert "seed" not in steps.first("suppress_cells", known)
    assert steps.first("sample", known)["seed"] > 0


def test_a_seed_cannot_be_tried_out_and_goes_through_plan_ledger_and_script(
    visitor, table, tmp_path, monkeypatch
):
    bits = {steps.new_seed().bit_length() for _ in range(200)}
    assert 56 < max(bits) <= 63
    monkeypatch.setattr("secrets.randbelow", lambda most: most - 1)  # the largest there is
    seed = 2**63 - 1
    assert visitor.post(f"/w/{table.id}/protect", {"do": "add-sample"}).status == 303
    assert f'value="{seed}"' in visitor.get(f"/w/{table.id}/protect").text
    protected(visitor, table, {"do-0": "sample", "fraction-0": "50", "seed-0": str(seed), "k": ""})
    released(visitor, table, 1)
    files = downloaded(visitor, table, tmp_path, "plan", "ledger", "script")
    assert tomllib.loads(files["plan"].read_text(encoding="utf-8"))["steps"][0]["seed"] == seed
    assert str(seed) in files["ledger"].read_text(encoding="utf-8")
    assert str(seed) in files["script"].read_text(encoding="utf-8")
    large = {"do-0": "sample", "fraction-0": "50", "seed-0": str(2**63), "k": ""}
    assert visitor.post(f"/w/{table.id}/protect", {"do": "save", **large}).status == 422


def test_what_is_wrong_with_a_step_stands_there_and_its_field_is_marked(visitor, table):
    steps = {"do-0": "sample", "fraction-0": "50", "do-1": "microaggregate", "k-1": "few"}
    sent = {"do": "save", **steps, "columns-1": ["2"], "k": "x"}
    page = visitor.post(f"/w/{table.id}/protect", sent).text
    top, first, second = page.index("<h1>"), page.index("1. Sampling"), page.index("2. Microagg")
    assert page.count('role="alert" tabindex="-1"') == 2
    assert top < page.index('role="alert" tabindex="-1">') < first  # that of no step
    assert second < page.index('role="alert" tabindex="-1" id="wrong-1"')
    field = re.search(r'<input id="k-1"[^>]*>', page)[0]
    assert 'aria-describedby="wrong-1" aria-invalid="true"' in field
    assert page.count("aria-invalid") == 1


def test_runs_of_the_same_method_are_told_apart_by_their_columns():
    def named(*columns):
        return label_of({"steps": [{"do": "microaggregate", "k": 5, "columns": list(columns)}]})

    assert named("age") == "Microaggregation of age (k = 5)"
    assert named("age", "zip") == "Microaggregation of age, zip (k = 5)"
    assert named(*"abcdef") == "Microaggregation of a, b, c, d and 2 more (k = 5)"
    assert len(named("x" * 10_000)) < 80


def test_what_is_wrong_names_the_step_and_the_field_as_pages_do(visitor, patients):
    workspace = opened(visitor, patients)
    at = f"/w/{workspace.id}"
    assert visitor.post(f"{at}/protect", {"do": "save", **GENERALIZE}).status == 303
    nothing = {"k": "", "p": "", "released": "all", "share": ""}
    said = json.loads(visitor.post(f"{at}/roles/wanted", nothing).headers["hx-trigger"])["said"]
    assert said == (
        "Not saved: Step 1 (Generalization): it needs a criterion, and none is given. "
        "Under “What must hold”, write for example k = 5."
    )
    many = {"do-0": "microaggregate", "k-0": "999", "method-0": "mdav", "columns-0": ["2"]}
    visitor.post(f"{at}/protect", {"do": "run", **many, "k": "", "p": ""})
    ended(workspace.job)
    assert workspace.job.state == "failed"
    page = text_of(visitor.get(f"{at}/protect"))
    assert "Step 1 (Microaggregation): " in page
    assert "steps[0]" not in page
    assert "release.toml" not in page


def test_a_failure_is_told_until_the_plan_has_changed(visitor, patients):
    workspace = opened(visitor, patients)
    at = f"/w/{workspace.id}"
    many = {"do-0": "microaggregate", "k-0": "999", "method-0": "mdav", "columns-0": ["2"]}
    visitor.post(f"{at}/protect", {"do": "run", **many, "k": "", "p": ""})
    ended(workspace.job)
    failed = "Protecting the table: failed."
    visitor.post(f"{at}/protect", {"do": "save", **many, "k": "", "p": ""})  # as it was
    assert failed in text_of(visitor.get(f"{at}/protect"))
    card = visitor.get(f"{at}/job?here=protect")
    assert failed in text_of(card)
    assert "hx-trigger" not in card.headers  # it would ask again, for ever
    visitor.post(f"{at}/protect", {"do": "save", **many, "k-0": "9", "k": "", "p": ""})
    assert failed not in text_of(visitor.get(f"{at}/protect"))
    assert failed not in text_of(visitor.get(f"{at}/job?here=protect"))
