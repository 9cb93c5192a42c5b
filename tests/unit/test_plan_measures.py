"""Measures in a plan: each is taken before and after, and every surface carries what it found."""

import html
import json
import re
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import jsonschema
import numpy as np
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import discreet as ds
from discreet.cli.commands import app
from discreet.registry import measures

KNOWN = {"known": {"age": 0.3, "sex": 0.8}, "sensitivity": {"illness": 1.0}}
GIVEN = {
    "risk": {},
    "disclosure_risk": {},
    "record_risk": {**KNOWN, "alpha": 50},
    "individual_risk": {},
    "model_risk": {"margins": [["age", "income"]], "fraction": 0.1},
    "population_range": {},
    "population_uniqueness": {"population": 5000},
    "readings": {"k": 4},
    "score": {},
    "propensity": {"interactions": True, "columns": ["age", "income"]},
    "attack": {"attacks": 80, "secrets": ["illness"], "seed": 3},
    "linkage": {"columns": ["age", "income"]},
    "interval_disclosure": {"width": 0.1, "sd": "masked"},
    "information_loss": {"scope": ["age", "income"], "dimension": 1},
    "regression_loss": {"formula": "income ~ age + sex"},
    "compare_statistics": {"tables": [["sex", "illness"]]},
    "risky_combinations": {"at_most": 2, "size": 2},
    "suda": {"fraction": 0.1},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(ds.datasets.patients(300, 3, weighted=True), "patients.csv")
    return tmp_path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One release with every measure, and what it was made of."""
    place = tmp_path_factory.mktemp("made")
    pyarrow.csv.write_csv(ds.datasets.patients(300, 3, weighted=True), place / "patients.csv")
    ds.Plan.of(document(GIVEN), place).write(place / "release.toml")
    release = ds.Plan.read(place / "release.toml").run()
    initial = release.plan.open()
    return release, initial, release.plan.mask(initial), place


def document(given=None, **more):
    roles = {
        "identifiers": ["name", "ssn"],
        "keys": ["age", "income"],
        "confidential": ["illness"],
        "weight": "weight",
    }
    return {
        "source": {"file": "patients.csv"},
        "roles": roles,
        "steps": [{"do": "microaggregate", "k": 5}],
        **({} if given is None else {"measures": given}),
        "outputs": {"masked": "m.csv"},
        **more,
    }


def ran(given, **more):
    """A plan that was written, read and run."""
    ds.Plan.of(document(given, **more)).write("release.toml", overwrite=True)
    return ds.Plan.read("release.toml").run(overwrite=True)


def test_every_measure_is_tried_here():
    assert set(GIVEN) == set(measures)


@pytest.mark.parametrize("name", GIVEN)
def test_a_measure_of_a_plan_finds_what_the_function_finds(made, name):
    release, initial, masked, _ = made
    found, call = release.measures[name], measures[name].function
    given = GIVEN[name]
    if measures[name].of == "file":
        before, after = call(initial, **given), call(masked, **given)
        assert found.before.figures == {f: getattr(before, f) for f in measures[name].figures}
    else:
        after = call(initial, masked, **given)
        assert found.before is None
    for figure, value in found.after.figures.items():
        assert value == getattr(after, figure)
    assert any(value is not None for value in found.after.figures.values())
    assert type(found.result) is type(after)
    assert found.explain() in release.explain()
    assert release.to_dict()["measures"][name] == found.to_dict()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()


def test_the_ledger_has_the_figures_and_verification_computes_them_again(made):
    release, _, _, place = made
    ledger = ds.Ledger.read(place / "m.ledger.json")
    assert ledger.document["measures"] == {n: m.to_dict() for n, m in release.measures.items()}
    alone = ledger.verify(place / "m.csv")
    again = ledger.verify(place / "m.csv", initial=place / "patients.csv")
    assert alone.satisfied
    assert again.satisfied
    for name in GIVEN:
        assert f"{name}, made again" in again.agreed
        if measures[name].of == "file":
            assert f"{name} of the masked file" in alone.agreed
        else:
            assert f"{name}, which needs the original" in alone.not_compared


def test_verification_sees_every_figure_that_was_changed(made):
    place = made[-1]
    ledger = ds.Ledger.read(place / "m.ledger.json")
    changed = []
    for name, found in ledger.document["measures"].items():
        for when in found:
            figure = next(f for f, v in found[when].items() if v is not None)
            found[when][figure] += 1
            changed.append(f"{name}, made again, {when}, {figure}")
    again = ledger.verify(place / "m.csv", initial=place / "patients.csv")
    assert {one.what for one in again.differences} >= set(changed)
    alone = {one.what for one in ledger.verify(place / "m.csv").differences}
    assert alone == {
        "risk of the masked file, highest_risk",
        "record_risk of the masked file, mean",
        "risky_combinations of the masked file, total",
        "suda of the masked file, special_uniques",
        "individual_risk of the masked file, expected",
        "population_range of the masked file, low",
        "model_risk of the masked file, tau1",
        "population_uniqueness of the masked file, value",
    }


@pytest.mark.parametrize("name", GIVEN)
def test_the_public_extract_has_what_is_marked_and_of_the_masked_file_only(made, name):
    release, _, _, place = made
    public = release.ledger.public().document
    marked = set(measures[name].public) & set(measures[name].figures)
    assert (name in public["measures"]) == bool(marked)
    if marked:
        assert set(public["measures"][name]) == {"after"}
        assert set(public["measures"][name]["after"]) - {"not_applicable"} == marked
        known = measures[name].parameters
        said = {**public["plan"].get("measures", {}).get(name, {})}
        assert not any(known[p].public for p in said.pop("withheld", ()))
        assert all(known[p].public for p in said)
    assert release.ledger.public().verify(place / "m.csv").satisfied


def test_a_value_that_the_author_wrote_is_in_neither_ledger_nor_verification(folder):
    tables = {"illness": {"flu": 0.2}}
    given = {"record_risk": {**KNOWN, "value_sensitivity": tables, "default": 1.0}}
    release = ran(given)
    assert "flu" not in release.ledger.to_json()
    assert "flu" not in release.explain() + repr(release.measures)
    alone = release.ledger.verify("m.csv")
    assert "record_risk, which needs the original" in alone.not_compared
    again = release.ledger.verify("m.csv", initial="patients.csv")
    assert "record_risk, made again" in again.agreed


def test_a_plan_without_the_section_is_as_before(folder):
    release = ran(None)
    assert release.measures == {}
    assert "measures" not in release.to_dict()
    assert "measures" not in release.ledger.document
    assert release.ledger.verify("m.csv", initial="patients.csv").satisfied


def test_two_runs_are_compared_by_their_measures_too(folder):
    first, second = (ran({"risk": {}}).ledger for _ in range(2))
    assert "measures" in first.compare(second).agreed
    second.document["measures"]["risk"]["after"]["k"] = 4
    assert not first.compare(second).satisfied


# -- what does not apply ---------------------------------------------------------------------------


def test_what_does_not_apply_to_the_masked_file_is_no_number_and_says_why(folder):
    steps = [{"do": "generalize", "levels": {"age": 1, "income": 1}}]
    more = {
        "steps": steps,
        "criterion": {"k": 1},
        "hierarchies": {"age": {"suppress": True}, "income": {"suppress": True}},
    }
    release = ran({"score": {}, "information_loss": {}}, **more)
    score = release.measures["score"]
    assert set(score.after.figures.values()) == {None}
    assert score.result is None
    assert set(score.after.reasons) == set(score.after.figures)
    assert "Score does not apply: no continuous attribute" in release.explain()
    loss = release.measures["information_loss"].after
    assert loss.figures["loss"] == 1
    assert loss.figures["il1"] is None
    assert "none of the attributes compared is a number" in loss.reasons["il1"]
    assert release.ledger.verify("m.csv", initial="patients.csv").satisfied


def test_what_the_initial_file_does_not_allow_is_said_before_the_work_with_the_line(folder):
    given = {
        "risk": {},
        "record_risk": {**KNOWN, "value_sensitivity": {"illness": {"SECRET": 0.2}}},
    }
    ds.Plan.of(document(given, roles={})).write("release.toml")
    with pytest.raises(ds.DiscreetError) as caught:
        ds.Plan.read("release.toml").run()
    said = [f"{p.code} {p}" for p in caught.value.problems]
    assert [line.partition(":")[2][:20] for line in said] == [
        "14 (measures.risk): ",
        "16 (measures.record_",
    ]
    assert not (folder / "m.csv").exists()
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "figure", "reason"),
    [
        (np.float64(0.25), 0.25, None),
        (np.int64(3), 3, None),
        (float("inf"), None, "it is not a finite number."),
        (float("nan"), None, "it is not a finite number."),
        ("SECRET", None, "it is not a number."),
        (True, None, "it is not a number."),
        (None, None, "it does not apply to this masking."),
    ],
)
def test_a_figure_is_a_plain_number_or_none_with_a_reason(value, figure, reason):
    def gives(_):
        return SimpleNamespace(**dict.fromkeys(measures["risk"].figures, value))

    found = replace(measures["risk"], function=gives).taken(None, None, {})
    assert set(found.figures.values()) == {figure}
    assert found.reasons == ({} if reason is None else dict.fromkeys(found.figures, reason))
    json.dumps(found.to_dict(), allow_nan=False)


# -- how it is written -----------------------------------------------------------------------------

WRONG = """\
[source]
file = "patients.csv"

[measures]
score = 5

[measures.recrd_risk]

[measures.record_risk]
known = { agee = 0.3 }
alpha = 0
alfa = 2

[measures.regression_loss]
formula = "income"

[measures.information_loss]
scope = ["incom"]
"""


def test_all_that_is_wrong_is_said_at_once_with_its_line(folder):
    (folder / "release.toml").write_text(WRONG)
    with pytest.raises(ds.DiscreetError) as caught:
        ds.Plan.read("release.toml")
    said = [f"{p.code} {p}" for p in caught.value.problems]
    expected = [
        "P31 release.toml:5 (measures.score): must be a table.",
        "P30 release.toml:7 (measures.recrd_risk): 'recrd_risk' is not a measure. Did you mean 'record_risk'",
        "P31 release.toml:11 (measures.record_risk.alpha): must be a number of at least 1.",
        "P30 release.toml:12 (measures.record_risk.alfa): 'alfa' is not known in this part of a plan. Did you mean 'alpha'?",
        "P32 release.toml:9 (measures.record_risk): 'sensitivity' is missing.",
        "P31 release.toml:15 (measures.regression_loss.formula): must be a formula such as",
        "R01 release.toml:10 (measures.record_risk.known.agee): 'agee' is not a column",
        "R01 release.toml:18 (measures.information_loss.scope): 'incom' is not a column",
    ]
    for start in expected:
        assert any(line.startswith(start) for line in said), start
    assert len(said) == len(expected)


def test_a_formula_that_names_no_column_is_said_with_its_line(folder):
    plan = ds.Plan.of(document({"regression_loss": {"formula": "income ~ aeg"}}))
    plan.write("release.toml")
    with pytest.raises(ds.DiscreetError, match=r"release.toml:\d+ \(measures.*'aeg' is not a col"):
        ds.Plan.read("release.toml").run()


def test_a_plan_with_every_measure_is_written_read_and_valid(folder):
    plan = ds.Plan.of(document(GIVEN))
    plan.write("release.toml")
    again = ds.Plan.read("release.toml")
    assert again.to_dict() == plan.to_dict()
    jsonschema.validate(again.to_dict(), ds.Plan.schema())
    assert "Measure 'risk'" in again.explain()
    wrong = {**document(), "measures": {"record_risk": {"known": {"age": 2}}}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, ds.Plan.schema())


def test_the_schema_has_every_measure_with_its_parameters():
    section = ds.Plan.schema()["properties"]["measures"]["properties"]
    assert set(section) == set(measures)
    for name, table in section.items():
        assert set(table["properties"]) == set(measures[name].own)
        assert table["required"] == list(measures[name].needed)


def test_the_script_measures_the_same(made):
    release, _, _, place = made
    (place / "release.py").write_text(
        release.plan.to_python().replace("m.csv", "script.csv"), encoding="utf-8"
    )
    done = subprocess.run([sys.executable, "-X", "utf8", "release.py"], cwd=place, check=True,
                          capture_output=True, encoding="utf-8")  # fmt: skip
    for name, found in release.measures.items():
        results = [found.before.result] if found.before else []
        for result in (*results, found.result):
            assert result.explain() in done.stdout, name
    assert (place / "script.csv").read_bytes() == (place / "m.csv").read_bytes()


def test_a_plan_made_in_python_says_what_is_measured(folder):
    survey = ds.read("patients.csv", keys=["age", "sex"])
    ranges = {"income": [(None, 40_000, 1.0), (40_000, None, 0.5)]}
    given = {"known": {"age": 0.3}, "sensitivity": {"income": 1.0}, "value_sensitivity": ranges}
    plan = ds.sample(survey, n=200, seed=1).plan(measures={"risk": {}, "record_risk": given})
    found = plan.run().measures
    assert set(found) == {"risk", "record_risk"}
    assert found["record_risk"].before.result.highest == ds.record_risk(survey, **given).highest
    hierarchies = {"age": ds.Hierarchy.suppress(), "sex": ds.Hierarchy.suppress()}
    searched = ds.generalize(survey, hierarchies, ds.KAnonymity(3))
    assert searched.plan(measures={"score": {}}).section("measures") == {"score": {}}


# -- the report ------------------------------------------------------------------------------------


def shown(page):
    """The text of the section of a report that shows measures."""
    text = page.read_text(encoding="utf-8")
    start = text.index('<section id="measures"')
    return re.sub(r"<[^>]+>|\s+", " ", text[start : text.index("</section>", start)])


def test_the_report_shows_all_inside_and_what_is_marked_in_public(folder):
    outputs = {"masked": "m.csv", "report": "in.html", "public_report": "out.html"}
    reasons = {"unique_columns": {"zip": "simulated"}}
    release = ran(GIVEN, outputs={**outputs, **reasons})
    inside, public = shown(folder / "in.html"), shown(folder / "out.html")
    for name, found in release.measures.items():
        for figure, value in found.after.figures.items():
            title = html.escape(measures[name].figures[figure].title).replace("&#x27;", "&#39;")
            assert title in inside, title
            assert (title in public) == (figure in measures[name].public and value is not None)
    risk = release.measures["risk"]
    assert f"{risk.before.figures['uniques']:,}" in inside
    assert "Figures that do not apply to this masking:" in inside
    assert "do not apply" not in public
    assert "before" not in public


def test_a_public_report_does_not_tell_how_small_a_class_is(folder):
    outputs = {"masked": "m.csv", "public_report": "out.html"}
    reasons = {"unique_columns": {"zip": "simulated"}}
    steps = [{"do": "microaggregate", "k": 2}]
    ran({"risk": {}}, steps=steps, outputs={**outputs, **reasons})
    public = shown(folder / "out.html")
    assert "mean prosecutor risk" in public
    assert "1/k" not in public
    assert "smallest class" not in public
    assert "alone" not in public


def test_a_report_takes_measures_by_name_too(folder):
    survey = ds.read("patients.csv", keys=["age", "sex"], identifiers=["name", "ssn"])
    masked = ds.sample(survey, n=150, seed=1)
    asked = {"record_risk": KNOWN}
    ds.report(survey, masked, "r.html", measures=asked)
    assert "mean risk of a record" in shown(folder / "r.html")
    with pytest.raises(ds.DiscreetError, match="record_risk needs sensitivity="):
        ds.report(survey, masked, "s.html", measures={"record_risk": {"known": {"age": 0.3}}})
    assert "What was measured" not in ds.report(survey, masked, "t.html").sections


# -- the commands ----------------------------------------------------------------------------------


def run(*arguments):
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    return done.output


def test_the_commands_take_the_same_measures(folder):
    (folder / "measures.toml").write_text(
        "[measures.record_risk]\nknown = { age = 0.3 }\nsensitivity = { illness = 1.0 }\n"
    )
    read = ("patients.csv", "--keys", "age,income", "--identifiers", "name,ssn")
    chosen = ("--risk", "record_risk.mean", "--loss", "score.information_loss")
    said = run("ru-map", *read, *chosen, "--k", "3,5", "--measures", "measures.toml", "--json")
    found = json.loads(said)
    assert found["risk"]["measure"] == "record_risk.mean"
    assert all(point["failed"] is None for point in found["points"])
    survey = ds.read("patients.csv", keys=["age", "income"])
    ds.microaggregate(survey, k=5).write("masked.csv")
    more = ("--on", "ssn", "-o", "report.html", "--measures", "measures.toml")
    run("report", "patients.csv", "masked.csv", "--keys", "age,income", *more)
    assert "mean risk of a record" in shown(folder / "report.html")
    ds.Plan.of(document({"risk": {}})).write("release.toml")
    released = json.loads(run("run", "release.toml", "--json"))
    assert released["measures"]["risk"]["after"]["k"] >= 5
    assert "risk of the masked file" in run("verify", "m.csv")


def test_what_the_masked_file_does_not_allow_is_no_number_and_no_error(folder):
    """After a generalization, the predictor is a category, and may have too many values."""
    rows = "\n".join(f"{i},{i % 7}" for i in range(120))
    (folder / "wide.csv").write_text(f"age,income\n{rows}\n")
    plan = {
        "source": {"file": "wide.csv"},
        "roles": {"keys": ["age"]},
        "types": {"age": "continuous", "income": "continuous"},
        "hierarchies": {"age": {"intervals": [2, 4]}},
        "criterion": {"k": 2},
        "steps": [{"do": "generalize"}],
        "measures": {"regression_loss": {"formula": "income ~ age"}},
    }
    ds.Plan.of(plan).write("wide.toml")
    release = ds.Plan.read("wide.toml").run()
    taken = release.measures["regression_loss"].after
    assert taken.figures["largest_change"] is None
    assert "'age' are labels in the masked file" in taken.reasons["largest_change"]
    assert (folder / "masked.csv").exists()
    assert release.ledger.verify("masked.csv", initial="wide.csv").satisfied


def test_a_figure_of_a_role_that_is_held_back_needs_the_original(folder):
    table = ds.datasets.patients(300, 3, weighted=True)
    pyarrow.csv.write_csv(
        table.append_column("home", [[i // 3 for i in range(300)]]), "patients.csv"
    )
    made = document({"individual_risk": {}})
    made["roles"]["household"] = "home"
    ds.Plan.of(made).write("release.toml", overwrite=True)
    release = ds.Plan.read("release.toml").run(overwrite=True)
    assert release.measures["individual_risk"].after.figures["household_expected"] > 0
    alone = release.ledger.verify("m.csv")
    assert alone.satisfied
    assert "individual_risk of the masked file" in alone.agreed
    lost = "individual_risk, household_expected, which needs the original"
    assert lost in alone.not_compared
    assert release.ledger.verify("m.csv", initial="patients.csv").satisfied
