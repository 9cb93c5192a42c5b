"""Screens 4 to 6: from a chain of maskings to files that anyone can make again."""

import json
import re
import stat
import sys
import tomllib
import zipfile

import pytest

import discreet as ds
from discreet.app.forms import draft
from discreet.app.forms import steps as chain_form
from discreet.app.jobs.plan_run import folder_of
from discreet.registry import maskings
from tests.app.inside import hostile_table
from tests.app.releases import (
    CHAIN,
    GENERALIZE,
    done,
    downloaded,
    number,
    opened,
    protected,
    released,
    text_of,
)
from tests.app.test_jobs import endless, is_alive  # noqa: F401 - a fixture
from tests.app.visitor import Visitor
from tests.app.waiting import PATIENCE, ended, until
from tests.processes import run

SECRET = "Tr0ub4dor"
ROLES = {
    "identifiers": ["name", "ssn"],
    "keys": ["age", "zip", "sex"],
    "confidential": ["illness", "income"],
}


@pytest.fixture(scope="module")
def visitor(server):
    server.workspaces.most = 50
    return Visitor(server).logged_in()


@pytest.fixture(scope="module")
def ready(visitor, patients):
    """A table with two runs, the first of which was released."""
    workspace = opened(visitor, patients)
    protected(visitor, workspace, GENERALIZE)
    protected(visitor, workspace, CHAIN)
    released(visitor, workspace, 1, remark="Checked twice.")
    return workspace


@pytest.fixture(scope="module")
def idle(visitor, patients):
    """A table whose chain changes with every test."""
    return opened(visitor, patients)


def text_of_file(file):
    return re.sub(r"<[^>]*>", " ", file.read_text(encoding="utf-8"))


def last(workspace):
    """The last run, and its folder."""
    slot = [slot for slot in workspace.results if slot.startswith("run-")][-1]
    return workspace.results[slot].value, folder_of(workspace.folder, slot)


# -- the chain -----------------------------------------------------------------------------------


def test_steps_are_added_moved_and_removed_and_nothing_that_was_written_is_lost(visitor, idle):
    at = f"/w/{idle.id}/protect"
    assert visitor.post(at, {"do": "add-generalize"}).status == 303
    assert idle.plan.section("steps") == [{"do": "generalize", "max_suppressed": 0.02}]
    assert idle.plan.section("criterion") == {"k": 5}
    changed = {**GENERALIZE, "max_suppressed-0": "7", "k": "6", "p": "2"}
    assert visitor.post(at, {**changed, "do": "add-microaggregate"}).status == 303
    first, second = idle.plan.section("steps")
    assert first == {"do": "generalize", "max_suppressed": 7}
    assert second["columns"] == ["age", "zip", "sex"]
    assert (second["k"], idle.plan.section("criterion")) == (6, {"k": 6, "p": 2})
    both = {
        **changed,
        "do-1": "microaggregate",
        "k-1": "6",
        "method-1": "fixed",
        "columns-1": ["2"],
    }
    assert visitor.post(at, {**both, "do": "up-1"}).status == 303
    assert [step["do"] for step in idle.plan.section("steps")] == ["microaggregate", "generalize"]
    turned = {
        "do-0": "microaggregate",
        "k-0": "6",
        "method-0": "fixed",
        "columns-0": ["2"],
        "k": "6",
    }
    assert (
        visitor.post(
            at, {**turned, "do-1": "generalize", "max_suppressed-1": "7", "do": "remove-1"}
        ).status
        == 303
    )
    assert idle.plan.section("steps") == [
        {"do": "microaggregate", "columns": ["age"], "k": 6, "method": "fixed"}
    ]
    assert 'value="fixed" selected' in visitor.get(at).text


@pytest.mark.parametrize("kind", sorted(maskings))
def test_every_masking_shows_its_form_when_it_is_added(visitor, idle, kind):
    before, at = idle.document, f"/w/{idle.id}/protect"
    if maskings[kind].measures:  # which the page Roles is asked for first
        role = {"weight": "income"}
        idle.change(lambda d: {**d, "roles": {**d["roles"], "confidential": [], **role}})
    answer = visitor.post(at, {"do": f"add-{kind}", "k": "", "p": ""})
    assert answer.status == 303, text_of(answer)
    page = visitor.get(answer.place)
    assert f'<input type="hidden" name="do-0" value="{kind}">' in page.text
    assert f"1. {maskings[kind].title}" in text_of(page)
    idle.change(lambda _: before)


def test_a_step_that_lacks_something_waits_on_the_page_and_says_what_on_a_run(visitor, idle):
    before, at = idle.document, f"/w/{idle.id}/protect"
    there = visitor.post(at, {"do": "add-swap_records", "k": "4", "p": ""}).headers["location"]
    assert there == f"{at}?add=swap_records#last"
    assert "steps" not in idle.plan.document
    assert idle.plan.section("criterion") == {"k": 4}
    empty = {"do-0": "swap_records", "k-0": "3", "rate-0": "0.7", "seed-0": "1", "k": "4"}
    said = text_of(visitor.post(at, {**empty, "do": "run"}))
    assert "Step 1 (Targeted record swapping): “Geography”: no column is chosen." in said
    filled = {**empty, "geography-0": [str(number(idle, "zip"))], "do": "save"}
    assert visitor.post(at, filled).status == 303
    (step,) = idle.plan.section("steps")
    assert (step["geography"], step["rate"]) == (["zip"], 0.007)
    idle.change(lambda _: before)


def test_a_first_step_is_recommended_by_what_the_keys_have_and_added_by_a_click(visitor, idle):
    before = idle.document
    bare = {name: part for name, part in before.items() if name not in ("steps", "hierarchies")}
    for with_hierarchies, (title, why, kind) in {
        True: ("Generalization", "It makes the keys coarser", "generalize"),
        False: ("Local suppression", "No key has a hierarchy", "suppress_cells"),
    }.items():
        given = {"hierarchies": before["hierarchies"]} if with_hierarchies else {}
        idle.change(lambda _, given=given: {**bare, **given})
        page = visitor.get(f"/w/{idle.id}/protect")
        assert f"Recommended first step: {title} {why}" in text_of(page)
        first = re.search(r'class="primary" name="do" value="([\w-]+)">Add it', page.text)[1]
        assert first == f"add-{kind}"
        added = visitor.post(f"/w/{idle.id}/protect", {"do": first, "k": "5", "p": ""})
        after = text_of(visitor.get(added.place) if added.status == 303 else added)
        assert "Recommended first step" not in after
        assert f"1. {title}" in after
    idle.change(lambda _: before)


def test_all_that_is_wrong_is_said_at_once_and_the_form_is_kept(visitor, idle):
    before = idle.document
    wrong = {
        "do-0": "sample", "fraction-0": "all", "seed-0": "x",
        "do-1": "microaggregate", "k-1": "0", "method-1": "magic",
        "do-2": "generalize", "max_suppressed-2": "200 %", "choice-2": "levels",
        "do-3": "protect_records", "at_most-3": "-1", "k": "five",
    }  # fmt: skip
    answer = visitor.post(f"/w/{idle.id}/protect", {"do": "run", **wrong})
    assert answer.status == 422
    assert answer.text.count("<code>P60</code>") == 10
    assert 'value="all"' in answer.text
    assert idle.document == before
    assert idle.job.name == "open"


@pytest.mark.parametrize("do", ["erase", "add-magic", "remove-0", "up-9", "remove-x", "run-1-2"])
def test_what_the_page_does_not_offer_is_refused(visitor, idle, do):
    assert visitor.post(f"/w/{idle.id}/protect", {"do": do}).status == 422


def test_a_generalization_needs_something_to_reach(visitor, idle):
    answer = visitor.post(f"/w/{idle.id}/protect", {**GENERALIZE, "k": "", "do": "run"})
    assert (answer.status, "needs a requirement" in answer.text) == (422, True)


def test_a_node_that_was_chosen_in_the_lattice_is_shown_and_run(visitor, idle):
    levels = {"age": 2, "zip": 2, "sex": 0}
    idle.change(lambda d: draft.with_node({**d, "criterion": {}}, {"k": 3}, 0.1, levels))
    page = visitor.get(f"/w/{idle.id}/protect").text
    assert 'value="levels" checked' in page
    _, _, after = page.partition(f'name="level-0-{number(idle, "age")}">')
    assert '<option value="2" selected>intervals of 20, ' in after.partition("</select>")[0]
    fields = {f"level-0-{number(idle, name)}": str(level) for name, level in levels.items()}
    chosen = {**GENERALIZE, "choice-0": "levels", "max_suppressed-0": "10 %", "k": "3", **fields}
    protected(visitor, idle, chosen)
    run, folder = last(idle)
    assert run.document["steps"] == [{"do": "generalize", "max_suppressed": 0.1, "levels": levels}]
    ledger = json.loads((folder / "masked.ledger.json").read_text(encoding="utf-8"))
    assert ledger["steps"][0]["parameters"]["levels"] == levels


def test_targeted_suppression_takes_its_settings_from_the_page_of_roles(visitor, idle):
    at = f"/w/{idle.id}/protect"
    visitor.post(at, {"do": "save"})
    answer = visitor.post(at, {"do": "add-protect_records"})
    assert (answer.status, "measure every record first" in answer.text) == (422, True)
    asked = {"known": {"age": 0.4, "sex": 0.7}, "sensitivity": {"illness": 1.0}, "alpha": 100.0}
    given = {f"known-{number(idle, n)}": str(p) for n, p in asked["known"].items()}
    given |= {f"sensitivity-{number(idle, 'illness')}": "1", "alpha": "100"}
    assert visitor.post(f"/w/{idle.id}/roles/record-risk", given).status == 303
    done(idle)
    assert visitor.post(at, {"do": "add-protect_records"}).status == 303
    assert "known: age 0.4, sex 0.7" in text_of(visitor.get(at))
    protected(visitor, idle, {"do-0": "protect_records", "at_most-0": "10", "k": "", "p": ""})
    run, _ = last(idle)
    assert run.document["steps"][0] == {"do": "protect_records", "at_most": 10.0, **asked}
    plan = ds.Plan.of({**idle.sections, "steps": run.document["steps"]}, idle.folder)
    initial = plan.open()
    mine = ds.information_loss(initial, plan.mask(initial)).to_dict()
    shown = run.figures["information_loss"]
    assert shown["ebil_share"] == pytest.approx(mine["ebil_share"])


def test_columns_that_may_be_left_empty_are_empty_at_first(visitor, idle):
    """Nothing is given in shuffling unless someone chooses it, and so the step runs as it comes."""
    before, at = idle.document, f"/w/{idle.id}/protect"
    assert visitor.post(at, {"do": "add-shuffle", "k": "", "p": ""}).status == 303
    (step,) = idle.plan.section("steps")
    assert step["columns"]
    assert not step["given"]
    page = visitor.get(at).text
    assert 'name="columns-0" value="2" checked' in page
    assert 'name="given-0" value="2" checked' not in page
    chain = {"do-0": "shuffle", "columns-0": ["2"], "seed-0": "1", "k": "", "p": ""}
    protected(visitor, idle, chain)
    idle.change(lambda _: before)


# -- runs ----------------------------------------------------------------------------------------


def test_each_run_lies_in_a_private_folder_with_its_files(ready):
    for slot in ("run-1", "run-2"):
        folder = folder_of(ready.folder, slot)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {path.name for path in folder.iterdir()} == {
            "masked.csv", "masked.ledger.json", "figures.json", "release.toml",
        }  # fmt: skip
        assert ds.Plan.read(folder / "release.toml").section("steps")
    assert not (ready.folder / ".working" / "job").exists()


def test_the_figures_of_a_run_are_those_of_the_library(visitor, ready, patients, tmp_path):
    data = ds.read(patients, **ROLES)
    masked = ds.microaggregate(ds.sample(data, fraction=0.8, seed=7), ["age", "zip", "sex"], k=4)
    before, after = ds.risk(data), ds.risk(masked)
    disclosure, loss = ds.disclosure_risk(data, masked), ds.information_loss(data, masked)
    figures = json.loads(
        (folder_of(ready.folder, "run-2") / "figures.json").read_text(encoding="utf-8")
    )
    assert figures["risk"]["before"]["k"] == before.k
    assert figures["risk"]["after"]["class_sizes"] == after.to_dict()["class_sizes"]
    assert figures["disclosure_risk"]["after"]["maximal"] == disclosure.maximal
    assert figures["information_loss"]["il1"] is loss.il1 is None  # the sexes were changed too
    assert figures["information_loss"]["not_applicable"] == loss.not_applicable
    unmasked = ds.ru_map(data, [masked]).unmasked.risk
    assert figures["disclosure_risk"]["before"]["maximal"] == pytest.approx(unmasked)
    page = text_of(visitor.get(f"/w/{ready.id}/compare/2"))
    from discreet.reports.blocks import shown

    row = (masked.n, after.k, after.uniques, disclosure.maximal, "does not apply", loss.ebil_share)
    assert (
        f"2. Sampling (share of the records = 80 %); Microaggregation of age, zip, sex (k = 4) {' '.join(map(shown, row))}"
        in page
    )
    assert f"Unprotected 400 {before.k} {before.uniques} {shown(unmasked)} 0 0" in page
    for name, statistic, was, now in ds.compare_statistics(data, masked).rows:
        if statistic == "mean":
            assert f"{name} mean {shown(was)} {shown(now)}" in page
    assert "quantile" not in (folder_of(ready.folder, "run-2") / "figures.json").read_text(
        encoding="utf-8"
    )


def test_what_is_left_of_each_attribute_is_told_by_a_light(visitor, ready):
    rows = {row["attribute"]: row for row in ready.results["run-1"].value.figures["left"]}
    assert list(rows) == sorted(rows, key=lambda name: -(rows[name]["lost"] or 0))
    for name, row in rows.items():
        words = {
            "good": ("as it was", "mostly kept"),
            "late": ("partly kept",),
            "bad": ("little left", f"nothing left of {name}"),
        }[row["light"]]
        assert row["words"] in words, row
    assert rows["sex"]["words"] == "mostly kept"  # it went with the records that were left out
    page = text_of(visitor.get(f"/w/{ready.id}/compare/1"))
    assert "● sex mostly kept" in page


def test_a_generalization_has_the_loss_on_compare_that_explore_shows_by_the_same_name(
    visitor, ready
):
    from discreet.app.server.pages import environment
    from discreet.reports.blocks import shown

    run = ready.results["run-1"].value
    ledger = json.loads(
        (folder_of(ready.folder, "run-1") / "masked.ledger.json").read_text(encoding="utf-8")
    )
    of_node = ledger["steps"][0]["parameters"]["loss"]
    figures = run.figures["information_loss"]
    assert figures["loss"] == of_node
    assert (figures["dist"], figures["ctbil"], figures["il"]) == (None, None, None)
    page = text_of(visitor.get(f"/w/{ready.id}/compare/1"))
    assert "Risk, DR_max Iyengar's loss EBIL, share" in page
    assert "nothing left of zip" in page
    assert f" {shown(of_node)} {shown(figures['ebil_share'])} " in page
    explore = environment().loader.get_source(environment(), "explore_found.html")[0]
    assert explore.count("{{ node_loss_name }}") == 4
    assert environment().globals["node_loss_name"] == "Iyengar's loss"


def test_a_run_that_the_loss_of_the_map_does_not_apply_to_says_so_and_is_not_drawn(visitor, idle):
    income = str(number(idle, "income"))
    chain = {"do-0": "microaggregate", "k-0": "3", "method-0": "mdav", "columns-0": [income]}
    protected(visitor, idle, {**chain, "k": "", "p": ""})
    run, folder = last(idle)
    at = folder.name.removeprefix("run-")
    assert run.figures["information_loss"]["ebil_share"] is None
    page = visitor.get(f"/w/{idle.id}/compare/{at}")
    said = (
        "EBIL, share does not apply: 'income' was changed, and this measure looks at the keys only."
    )
    assert f"Run {at} is not on the map. {said}" in text_of(page)
    assert f'aria-label="Run {at}: ' not in page.text


def test_a_run_whose_criterion_does_not_hold_keeps_no_table_and_cannot_be_chosen(visitor, idle):
    protected(visitor, idle, {"do-0": "sample", "fraction-0": "50", "seed-0": "1", "k": "5"})
    _, folder = last(idle)
    run = folder.name.removeprefix("run-")
    assert {path.name for path in folder.iterdir()} == {"figures.json", "release.toml"}
    page = visitor.get(f"/w/{idle.id}/compare")
    assert "5-anonymity does not hold; no result was kept" in text_of(page)
    answer = visitor.post(f"/w/{idle.id}/compare/{run}/choose")
    assert (answer.status, "N64" in answer.text) == (409, True)
    assert visitor.post(f"/w/{idle.id}/release", {"format": ".csv"}).status == 409


def test_a_cancelled_run_leaves_no_process_no_file_and_no_result(visitor, idle, endless):  # noqa: F811
    endless("import os, tempfile; tempfile.mkdtemp()")
    visitor.post(f"/w/{idle.id}/protect", {"do": "run", **GENERALIZE})
    job, before = idle.job, dict(idle.results)
    until(lambda: job.progress.stage == "on")
    assert list((idle.folder / ".working" / "job").iterdir())
    busy = visitor.post(f"/w/{idle.id}/protect", {"do": "run", **GENERALIZE})
    assert (busy.status, "N62" in busy.text) == (422, True)
    assert visitor.post(f"/w/{idle.id}/job/cancel", {"here": "protect"}).place.endswith("/protect")
    assert not is_alive(job.pid)
    assert not (idle.folder / ".working" / "job").exists()
    assert dict(idle.results) == before
    page = text_of(visitor.get(f"/w/{idle.id}/protect"))
    assert "Protecting the table: cancelled. No result was kept." in page


def test_a_run_that_fails_says_code_and_sentence(visitor, idle):
    before = dict(idle.results)
    visitor.post(
        f"/w/{idle.id}/protect", {**GENERALIZE, "do": "run", "k": "400", "max_suppressed-0": "0"}
    )
    ended(idle.job)
    page = text_of(visitor.get(f"/w/{idle.id}/protect"))
    assert "Protecting the table: failed." in page
    assert re.search(r"\bD31\b", page)
    assert dict(idle.results) == before


def test_runs_are_bounded_removed_with_their_files_and_erased_with_the_table(
    visitor, patients, monkeypatch
):
    fresh = opened(visitor, patients)
    chain = {"do-0": "sample", "fraction-0": "50", "seed-0": "1"}
    protected(visitor, fresh, chain)
    monkeypatch.setattr("discreet.app.server.runs.MOST", 1)
    answer = visitor.post(f"/w/{fresh.id}/protect", {"do": "run", **chain})
    assert (answer.status, "N63" in answer.text) == (422, True)
    visitor.post(f"/w/{fresh.id}/compare/1/choose")
    assert visitor.post(f"/w/{fresh.id}/compare/1/remove").status == 303
    assert not folder_of(fresh.folder, "run-1").exists()
    assert "no run is chosen" in visitor.get(f"/w/{fresh.id}/release").text
    assert visitor.get(f"/w/{fresh.id}/compare/1").status == 404
    assert visitor.post(f"/w/{fresh.id}/compare/1/choose").status == 404
    monkeypatch.undo()
    ssn = number(fresh, "ssn")
    visitor.post(f"/w/{fresh.id}/roles/{ssn}", {f"role-{ssn}": "other", f"type-{ssn}": ""})
    protected(visitor, fresh, chain)
    visitor.post(f"/w/{fresh.id}/compare/1/choose")
    page = text_of(visitor.get(f"/w/{fresh.id}/release"))
    assert "✗ Direct identifiers are removed Released, though it looks like an identifier" in page
    assert visitor.post(f"/w/{fresh.id}/close").status == 200
    assert not fresh.folder.exists()
    assert patients.exists()


# -- the release ---------------------------------------------------------------------------------


def test_what_is_not_met_must_be_acknowledged_in_writing(visitor, ready):
    page = text_of(visitor.get(f"/w/{ready.id}/release"))
    assert "✓ Direct identifiers are removed Not in the masked file: name, ssn." in page
    assert "✓ A criterion holds 5-anonymity holds." in page
    assert "✓ No record is in a group of fewer than 5" in page
    assert "✗ No group discloses a confidential value" in page
    before = ready.settings
    answer = visitor.post(f"/w/{ready.id}/release", {"format": ".csv", "remark": "kept"})
    assert answer.status == 422
    assert answer.text.count("<code>P61</code>") == 2  # a group tells, and a column is unique
    assert "kept</textarea>" in answer.text
    assert ready.settings == before


def test_the_acknowledgement_stands_in_the_internal_report_alone(visitor, ready, tmp_path):
    files = downloaded(visitor, ready, tmp_path, "report", "public_report", "ledger", "public")
    inside = files["report"].read_text(encoding="utf-8")
    assert "Checked twice." in inside
    assert "Not met, and acknowledged: No group discloses a confidential value." in inside
    assert "accepted: told" in inside
    for role in ("public_report", "public"):
        assert "accepted" not in files[role].read_text(encoding="utf-8")
    assert "accepted: told" not in files["ledger"].read_text(encoding="utf-8")


def test_a_column_that_makes_many_records_unique_needs_a_reason_that_is_kept(
    visitor, ready, tmp_path
):
    page = text_of(visitor.get(f"/w/{ready.id}/release"))
    assert "✗ No unchanged column makes many records unique" in page
    assert "income is confidential and released on purpose" in page
    files = downloaded(visitor, ready, tmp_path, "plan", "ledger", "report")
    plan = ds.Plan.of(tomllib.loads(files["plan"].read_text(encoding="utf-8")), tmp_path)
    assert plan.section("outputs")["unique_columns"] == {"income": "accepted: unique"}
    ledger = json.loads(files["ledger"].read_text(encoding="utf-8"))
    assert ledger["plan"]["outputs"]["unique_columns"] == {"income": "accepted: unique"}
    assert "What is released unchanged" in text_of_file(files["report"])


def test_the_roles_say_on_which_columns_many_records_are_unique(visitor, ready):
    page = text_of(visitor.get(f"/w/{ready.id}/roles"))
    assert re.search(r"income suggested: confidential · values [\d,]+ of [\d,]+ records", page)
    assert "sex suggested: key · values 2" in page


def test_the_plan_makes_the_same_files_again(visitor, ready, patients, tmp_path):
    mine, again = tmp_path / "mine", tmp_path / "again"
    mine.mkdir()
    again.mkdir()
    files = downloaded(visitor, ready, mine, "masked", "report", "public_report", "plan", "ledger")
    (again / "patients.csv").write_bytes(patients.read_bytes())
    (again / "release.toml").write_bytes(files["plan"].read_bytes())
    discreet = [sys.executable, "-c", "from discreet.cli import command; command()"]
    plan = [*discreet, "run", "release.toml"]
    assert run(plan, PATIENCE, cwd=again).returncode == 0
    for role in ("masked", "report", "public_report"):
        assert (again / files[role].name).read_bytes() == files[role].read_bytes(), role
    verify = [*discreet, "verify", "masked.csv", "--initial", "patients.csv"]
    more = ["--ledger", files["ledger"]]
    assert run([*verify, *more], PATIENCE, cwd=again).returncode == 0


def test_the_script_makes_the_same_table_again(visitor, ready, patients, tmp_path):
    files = downloaded(visitor, ready, tmp_path, "script")
    (tmp_path / "patients.csv").write_bytes(patients.read_bytes())
    assert run([sys.executable, files["script"]], PATIENCE, cwd=tmp_path).returncode == 0
    masked = visitor.ask("GET", f"/w/{ready.id}/release/file/masked").raw
    assert (tmp_path / "masked.csv").read_bytes() == masked


def test_the_downloaded_table_measured_again_gives_the_figures_shown(visitor, ready, tmp_path):
    files = downloaded(visitor, ready, tmp_path, "masked")
    keys = {"keys": ROLES["keys"], "confidential": ROLES["confidential"]}
    nominal = dict.fromkeys([*keys["keys"], *keys["confidential"]], "nominal")
    risk = ds.risk(ds.read(files["masked"], **keys, types=nominal))
    page = text_of(visitor.get(f"/w/{ready.id}/compare/1"))
    assert f"1. Generalization for 5-anonymity {risk.n} {risk.k} {risk.uniques}" in page
    assert f"smallest class (k) {risk.k} highest risk of recognition 1 in {risk.k}" in page
    shown = ready.results["run-1"].value.figures["risk"]["after"]
    assert shown["class_sizes"] == risk.to_dict()["class_sizes"]
    assert shown["p"] == risk.p
    columns = files["masked"].read_text(encoding="utf-8").splitlines()[0].split(",")
    assert columns == ["age", "zip", "sex", "illness", "income"]


def test_the_release_is_verified_by_a_second_run(visitor, ready):
    made = ready.results["release"].value
    assert made.verified
    page = text_of(visitor.get(f"/w/{ready.id}/release"))
    assert "Verified: made a second time from the plan" in page
    assert "The same when the plan is run again: digest of the masked file" in page


def test_parquet_and_formulas_are_as_asked(visitor, patients):
    lines = ["job,age", *(f"{'=1+1' if i % 2 else 'cook'},{20 + i % 3}" for i in range(60)), ""]
    workspace = visitor.open("masked.csv", "\n".join(lines).encode())  # a name of our own
    visitor.post(f"/w/{workspace.id}/roles/1", {"role-1": "key", "type-1": ""})
    protected(visitor, workspace, {"do-0": "sample", "fraction-0": "50", "seed-0": "3"})
    other = {"do": "save", "do-0": "sample", "fraction-0": "10", "seed-0": "4", "k": "50"}
    visitor.post(f"/w/{workspace.id}/protect", other)  # a chain to come is not the one released
    released(visitor, workspace, 1, escape="yes")
    answer = visitor.ask("GET", f"/w/{workspace.id}/release/file/masked")
    assert answer.headers["content-disposition"] == 'attachment; filename="new-masked.csv"'
    assert b"'=1+1" in answer.raw
    released(visitor, workspace, 1, format=".parquet", escape="yes")
    answer = visitor.ask("GET", f"/w/{workspace.id}/release/file/masked")
    assert answer.headers["content-disposition"] == 'attachment; filename="new-masked.parquet"'
    assert answer.raw.startswith(b"PAR1")
    assert visitor.post(f"/w/{workspace.id}/release", {"format": ".exe"}).status == 422


def test_a_change_of_roles_or_hierarchies_blocks_the_release_until_it_is_taken_back(visitor, ready):
    at, sex = f"/w/{ready.id}", number(ready, "sex")
    zip_ = number(ready, "zip")
    prefixes = {"builder": "prefixes", "lengths": "5, 3, 1, 0", "unmapped": "error"}

    def blocked():
        page = visitor.get(f"{at}/release")
        assert page.status == 200
        assert "out of date" in text_of(page)
        make = visitor.post(f"{at}/release", {"format": ".csv", "ack-told": "x"})
        get = visitor.get(f"{at}/release/file/masked")
        for answer in (make, get):
            assert answer.status == 409
            assert "it is out of date. Run it again" in text_of(answer)
        choose = visitor.post(f"{at}/compare/2/choose")
        assert (choose.status, "N64" in choose.text) == (409, True)
        assert "out of date" in text_of(visitor.get(f"{at}/protect"))

    visitor.post(f"{at}/roles/{sex}", {f"role-{sex}": "other", f"type-{sex}": ""})
    blocked()
    visitor.post(f"{at}/roles/{sex}", {f"role-{sex}": "key", f"type-{sex}": ""})
    assert visitor.get(f"{at}/release/file/masked").status == 200
    visitor.upload(f"{at}/hierarchy/{zip_}", [], {**prefixes, "lengths": "5, 2, 0"})
    blocked()
    visitor.upload(f"{at}/hierarchy/{zip_}", [], prefixes)
    assert visitor.get(f"{at}/release/file/masked").status == 200


def test_another_candidate_makes_the_files_void(visitor, ready):
    at = f"/w/{ready.id}"
    before = ready.settings
    assert visitor.post(f"{at}/compare/2/choose", {"onward": "release"}).place == f"{at}/release"
    answer = visitor.get(f"{at}/release/file/masked")
    assert (answer.status, "has not been made, or something has changed" in answer.text) == (
        409,
        True,
    )
    page = text_of(visitor.get(f"{at}/release"))
    assert "the release: something else was chosen since" in page
    assert "plan has changed" not in page
    assert "✗ A criterion holds No criterion was set" in page
    assert "✗ No record is in a group of fewer than 5" in page
    ready.settings = before
    assert visitor.get(f"{at}/release/file/masked").status == 200


def test_what_is_out_of_date_is_named_once_with_its_reason(visitor, ready):
    column = number(ready, "sex")
    change = {f"role-{column}": "other", f"type-{column}": ""}
    visitor.post(f"/w/{ready.id}/roles/{column}", change)
    try:
        banner = text_of(visitor.get(f"/w/{ready.id}/banner"))
    finally:
        visitor.post(f"/w/{ready.id}/roles/{column}", {**change, f"role-{column}": "key"})
    assert banner.count("protected tables: the plan has changed since") == 1
    assert banner.count("protected tables") == 1


@pytest.mark.parametrize(
    "path",
    ["figures.json", "../run-1/masked", "..%2f..%2fpatients.csv", "patients.csv", "masked.csv", ""],
)
def test_no_address_names_a_file(visitor, ready, path):
    assert visitor.get(f"/w/{ready.id}/release/file/{path}").status == 404


def test_where_risk_cannot_be_measured_the_table_is_released_without_a_report(visitor):
    rows = "\n".join(f"{i % 4 if i % 7 else ''},{'xy'[i % 2]}" for i in range(80))
    workspace = visitor.open("t.csv", f"age,sex\n{rows}\n".encode())
    for n in (0, 1):
        visitor.post(f"/w/{workspace.id}/roles/{n}", {f"role-{n}": "key", f"type-{n}": ""})
    visitor.post(f"/w/{workspace.id}/roles/missing", {"missing": "wildcard"})
    protected(visitor, workspace, {"do-0": "sample", "fraction-0": "50", "seed-0": "1"})
    assert "Not measured" in visitor.get(f"/w/{workspace.id}/compare").text
    released(visitor, workspace, 1)
    assert "There is no report" in visitor.get(f"/w/{workspace.id}/release").text
    assert visitor.get(f"/w/{workspace.id}/release/file/report").status == 404
    assert visitor.get(f"/w/{workspace.id}/release/file/masked").status == 200


# -- what no page shows --------------------------------------------------------------------------


def test_a_planted_value_is_on_no_page_and_in_no_figure(visitor, tmp_path):
    lines = "\n".join(
        f"{20 + i % 40},{'MF'[i % 2]},{SECRET if i == 7 else 'flu'}" for i in range(160)
    )
    workspace = visitor.open("t.csv", f"age,sex,illness\n{lines}\n".encode())
    visitor.post(f"/w/{workspace.id}/data/suggested")
    chain = {"do-0": "sample", "fraction-0": "90", "seed-0": "2", "do-1": "microaggregate"}
    chain |= {"k-1": "3", "method-1": "mdav", "columns-1": ["0", "2"]}
    protected(visitor, workspace, chain)
    released(visitor, workspace, 1)
    at = f"/w/{workspace.id}"
    pages = ("protect", "protect/results", "compare", "compare/1", "release")
    for path in (*pages, "release/results", "job", "banner"):
        answer = visitor.get(f"{at}/{path}")
        assert answer.status == 200
        assert SECRET not in answer.text + str(answer.headers)
    for role in ("report", "public_report", "ledger", "public", "plan", "script"):
        assert SECRET not in visitor.get(f"{at}/release/file/{role}").text
    for path in (workspace.folder / ".runs").rglob("*"):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                names = [name for name in archive.namelist() if name != "masked.csv"]
                assert all(SECRET.encode() not in archive.read(name) for name in names)
        elif path.name not in ("masked.csv", "t.csv") and path.is_file():
            assert SECRET not in path.read_text(encoding="utf-8"), path.name


def test_hostile_names_stay_text_on_every_page(visitor):
    workspace = visitor.open("hostile.csv", hostile_table())
    for n in range(len(workspace.columns)):
        role = "confidential" if n == 0 else "key"
        visitor.post(f"/w/{workspace.id}/roles/{n}", {f"role-{n}": role, f"type-{n}": ""})
    chain = {"do-0": "microaggregate", "k-0": "3", "method-0": "mdav", "columns-0": ["1", "2", "6"]}
    protected(visitor, workspace, chain)
    visitor.post(f"/w/{workspace.id}/compare/1/choose")
    for path in ("protect", "compare", "release"):
        text = visitor.get(f"/w/{workspace.id}/{path}").text
        for sign in ("<script>window", "<img", "<svg onload", "a" * 200):
            assert sign not in text


def test_asking_changes_nothing(visitor, ready):
    def state():
        files = sorted(path for path in ready.folder.rglob("*") if path.is_file())
        return ready.document, ready.settings, dict(ready.results), ready.job, files

    before = state()
    for path in (
        "protect",
        "protect/results",
        "compare",
        "compare/1",
        "compare/1/choose",
        "compare/1/remove",
        "release",
        "release/results",
        "release/file/masked",
    ):
        assert visitor.get(f"/w/{ready.id}/{path}").status in (200, 405)
    assert state() == before


def test_columns_that_are_gone_leave_the_chain():
    chain = [
        {"do": "sample", "fraction": 0.5, "seed": 1},
        {"do": "microaggregate", "columns": ["a"]},
    ]
    assert draft.within({"steps": chain, "criterion": {"k": 5}}, ["b"]) == {
        "types": {}, "hierarchies": {}, "roles": {}, "criterion": {"k": 5}, "steps": chain[:1],
    }  # fmt: skip


@pytest.mark.parametrize(
    "step",
    [
        {"do": "sample", "fraction": 0.125, "seed": 9},
        {"do": "generalize", "max_suppressed": 0.02},
        {"do": "generalize", "max_suppressed": 20, "levels": {"a": 1, "b": 0}},
        {"do": "microaggregate", "columns": ["a", "c"], "k": 4, "method": "v-mdav", "round": True},
        {"do": "protect_records", "at_most": 0.5, "known": {"a": 0.1}, "sensitivity": {"c": 1.0}},
    ],
)
def test_a_step_survives_its_form(step):
    weights = {"known": {"a": 0.1}, "sensitivity": {"c": 1.0}}
    known = chain_form.Known(["a", "b", "c"], ["a", "b"], {"record_risk": weights})
    assert chain_form.steps_in([chain_form.fields_of(step, known)], known) == ([step], [])


def test_the_checklist_calls_a_column_what_it_looks_like_and_a_weight_no_identifier(visitor):
    rows = [f"{1.5 + i / 7:.6f},{i // 3},{20 + i % 5}" for i in range(60)]
    workspace = visitor.open("people.csv", "\n".join(["w,hh,age", *rows]).encode())
    assert [one.suggested for one in workspace.columns] == ["identifier", "household", "key"]
    roles = {"weight": "w", "keys": ["hh", "age"]}
    workspace.change(lambda d: {**d, "roles": roles})
    chain = {"do-0": "sample", "fraction-0": "80", "seed-0": "7", "k": "", "p": ""}
    protected(visitor, workspace, chain)
    visitor.post(f"/w/{workspace.id}/compare/1/choose")
    page = text_of(visitor.get(f"/w/{workspace.id}/release"))
    title = "Direct identifiers are removed"
    assert f"{title} Released, though it looks like the number of a household: hh." in page
    assert "looks like an identifier" not in page
    workspace.change(lambda d: {**d, "roles": {"weight": "w", "household": "hh", "keys": ["age"]}})
    protected(visitor, workspace, chain)
    visitor.post(f"/w/{workspace.id}/compare/2/choose")
    page = text_of(visitor.get(f"/w/{workspace.id}/release"))
    assert f"✓ {title} Not in the masked file: hh." in page
