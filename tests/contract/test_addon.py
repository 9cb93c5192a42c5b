"""A package from outside meets the surfaces without a change here: it is installed from a folder,
and used as its users would."""

import json
import os
import subprocess
import sys

import pytest

from tests import template
from tests.contract.addon import NAME, VERSION, install, wheel

ROWS = [f"{i},{20 + i % 4},{1000 + 37 * i},{'flu' if i % 3 else 'cold'}" for i in range(40)]
PLAN = """
[source]
file = "people.csv"

[roles]
record_id = "id"
keys = ["age"]
confidential = ["ill"]
identifiers = []

[criterion]
value_share = 0.9

[[steps]]
do = "to_tens"
columns = ["income"]
base = 100

[measures.changed_numbers]
column = "income"

[measures.spread_of]
column = "age"

[outputs]
masked = "masked.csv"
ledger = "masked.ledger.json"
report = "report.html"
public = "public.json"
unique_columns = { income = "simulated" }
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return install(tmp_path_factory.mktemp("addon"))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text("id,age,income,ill\n" + "\n".join(ROWS) + "\n")
    (tmp_path / "release.toml").write_text(PLAN)
    return tmp_path


@pytest.fixture
def run(site, folder):
    """Python with the package on its path; what it prints."""

    def started(*words, code=0):
        done = template.run(list(words), cwd=folder, path=str(site))
        assert done.returncode == code, done.stderr[-2000:]
        return done.stdout

    return started


def test_it_is_used_from_python(run):
    said = run("-c", """
import discreet as ds
data = ds.read("people.csv", keys=["age"], confidential=["ill"], record_id="id")
masked = ds.to_tens(data, ["income"], base=100)
print(masked.to("arrow")["income"].to_pylist()[:2])
print(bool(ds.check(masked, ds.ValueShare(0.9))), bool(ds.check(masked, ds.ValueShare(0.1))))
print(ds.changed_numbers(data, masked).explain())
print([r.label for r in ds.grid(methods=["tens"], base=[10, 100], columns=["income"])])
""")  # fmt: skip
    lines = said.splitlines()
    assert lines[0] == "[1000.0, 1000.0]"
    assert lines[1] == "True False"
    assert lines[2].endswith("of the numbers changed.")
    assert "100" in lines[3]


def test_it_is_a_command_with_its_own_help(run):
    every = run(template.COMMAND, "--help")
    assert "to-tens" in every
    assert f"{NAME} {VERSION}".replace("_", "-") in every.replace("_", "-")
    own = run(template.COMMAND, "to-tens", "--help")
    assert "--base" in own
    run(template.COMMAND, "to-tens", "people.csv", "--keys", "age", "--columns", "income", "--base", "100",
        "-o", "out.csv")  # fmt: skip
    run(template.COMMAND, "check", "people.csv", "--keys", "age", "--confidential", "ill",
        "--value-share", "0.9")  # fmt: skip
    run(template.COMMAND, "check", "people.csv", "--keys", "age", "--confidential", "ill",
        "--value-share", "0.1", code=1)  # fmt: skip


def test_a_plan_runs_is_verified_and_names_the_package(run, folder):
    run(template.COMMAND, "run", "release.toml")
    ledger = json.loads((folder / "masked.ledger.json").read_text(encoding="utf-8"))
    assert f"{VERSION}" in json.dumps(ledger)
    assert NAME in json.dumps(ledger).replace("-", "_")
    assert "As the ledger says" in run(
        template.COMMAND, "verify", "masked.csv", "--initial", "people.csv"
    )
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "rounded" in report
    schema = json.loads(run(template.COMMAND, "schema"))
    assert "to_tens" in json.dumps(schema)
    assert "value_share" in json.dumps(schema)


def test_its_measures_are_taken_recorded_verified_and_shown(run, folder):
    said = run(template.COMMAND, "run", "release.toml")
    assert "Changed numbers: share of the numbers that changed = 0.9" in said
    found = json.loads((folder / "masked.ledger.json").read_text(encoding="utf-8"))["measures"]
    assert set(found["changed_numbers"]["after"]) == {"share", "kinds", "not_applicable"}
    assert found["changed_numbers"]["after"]["kinds"] is None  # it tried to give a text
    assert set(found["spread_of"]) == {"before", "after"}
    public = json.loads((folder / "public.json").read_text(encoding="utf-8"))["measures"]
    assert set(public) == {"changed_numbers"}
    assert set(public["changed_numbers"]["after"]) == {"share"}
    alone = run(template.COMMAND, "verify", "masked.csv")
    assert "Not compared: changed_numbers, which needs the original" in alone
    again = run(template.COMMAND, "verify", "masked.csv", "--initial", "people.csv")
    (made_again,) = [line for line in again.splitlines() if line.startswith("The same when")]
    assert "changed_numbers" in made_again
    assert "spread_of" in made_again
    assert "share of the numbers that changed" in (folder / "report.html").read_text(
        encoding="utf-8"
    )
    for text in (
        said,
        alone,
        again,
        *(f.read_text(encoding="utf-8") for f in folder.glob("*.json")),
    ):
        assert "SECRET" not in text
    assert "SECRET" not in (folder / "report.html").read_text(encoding="utf-8")
    schema = json.loads(run(template.COMMAND, "schema"))["properties"]["measures"]["properties"]
    assert f"{NAME} {VERSION}".replace("_", "-") in schema["spread_of"]["description"].replace(
        "_", "-"
    )
    script = run("-c", "import discreet as ds; print(ds.Plan.read('release.toml').to_python())")
    assert "ds.changed_numbers(data, masked, column='income')" in script


def test_its_figures_are_axes_of_a_map(run, folder):
    (folder / "measures.toml").write_text("[measures.spread_of]\ncolumn = 'age'\n")
    axes = ("--risk", "spread_of.spread", "--loss", "changed_numbers.share")
    said = run(template.COMMAND, "ru-map", "people.csv", "--keys", "age", "--record-id", "id", "--methods",
               "tens", "--columns", "income", "--base", "10,100", *axes, "--measures",
               "measures.toml", "--json")  # fmt: skip
    found = json.loads(said)
    assert [point["failed"] for point in found["points"]] == [None, None]
    assert found["lower_is_better"] == {"risk": False, "loss": True}
    wrong = run("-c", """
import discreet as ds
data = ds.read("people.csv", keys=["age"], record_id="id")
masked = ds.to_tens(data, ["income"], base=100)
found = ds.ru_map(data, [masked], loss="changed_numbers.share", measures={"changed_numbers": {"column": "ill"}})
print(ascii(found.explain()))
""")  # fmt: skip
    assert "E50" in wrong
    assert "flu" not in wrong


def test_what_a_failing_measure_says_is_withheld(site, folder):
    plan = (folder / "release.toml").read_text(encoding="utf-8")
    (folder / "release.toml").write_text(plan.replace('column = "age"', 'column = "ill"'))
    done = template.run([template.COMMAND, "run", "release.toml"], cwd=folder, path=str(site))
    said = done.stdout + done.stderr
    assert "E50" in said
    assert "release.toml:" in said
    assert "flu" not in said
    assert "Traceback" not in said
    assert not (folder / "masked.csv").exists()


def test_it_has_a_form_in_the_app(run):
    said = run("-c", """
from discreet.app.forms.steps import Known, fields_of, first, shown, steps_in
known = Known(["id", "age", "income"], ["age"])
step = {"do": "to_tens", "columns": ["income"], "base": 100}
fields = fields_of(step, known)
front, further = shown(fields, 0)
print(sorted(one.label for one in (*front, *further)))
print(steps_in([fields], known) == ([step], []))
print(first("to_tens", known))
""")  # fmt: skip
    labels, same, made = said.splitlines()
    assert "Base" in labels
    assert same == "True"
    assert "to_tens" in made


def test_its_criterion_is_in_the_form_of_what_must_hold(run):
    said = run("-c", """
from pathlib import Path
from discreet.app.forms import criterion
columns = ["id", "age", "ill"]
plan = {"k": 5, "value_share": 0.9}
said = criterion.said_of(plan, columns)
drawn = criterion.drawn(said, columns, {2})
print([(one.kind.title, one.kind.about, one.asked) for one in drawn.more][-1])
print(criterion.criterion_in(said, {}, columns, Path()) == (plan, []))
more = said | {"value_share-share": "80 %", "confidential": {2}}
print(criterion.criterion_in(more, plan, columns, Path())[0])
print(len(criterion.criterion_in(said | {"value_share-share": "2"}, plan, columns, Path())[1]))
""")  # fmt: skip
    shown, same, changed, problems = said.splitlines()
    assert shown == "('value share', 'No confidential value fills a class.', True)"
    assert same == "True"
    assert changed == "{'k': 5, 'value_share': 0.8, 'confidential': ['ill']}"
    assert problems == "1"


def test_a_run_that_was_not_made_for_its_criterion_is_not_known_to_meet_it(run):
    said = run("-c", """
from discreet.app.jobs.protection import Run
from discreet.app.server.runs import unmet
def lacking(wanted, made):
    figures = {"risk": {"before": {}, "after": {"k": 9, "p": {}}}}
    made = Run("", {"criterion": made}, True, "", "masked.csv", figures, ())
    return [one.describe() for one in unmet(wanted, made, ("ill",))]
wanted = {"k": 5, "value_share": 0.9}
print(lacking(wanted, {"k": 5}), lacking(wanted, {"value_share": 0.9}))
""")  # fmt: skip
    assert said == "['no value in more than 0.9 of a class'] []\n"


def test_a_name_that_is_taken_is_an_error(tmp_path, folder):
    points = f"[discreet.maskings]\nsample = {NAME}:to_tens\n"
    site = install(tmp_path, points=points)
    call = [sys.executable, "-c", "from discreet.cli import command; command()", "--help"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(site)}, check=False)  # fmt: skip
    assert "N80" in done.stderr
    assert done.returncode == 2
    assert wheel(tmp_path).exists()
