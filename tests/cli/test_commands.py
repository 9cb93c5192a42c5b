"""The command line in a process of its own: output, JSON, exit codes."""

import json
import re
import subprocess
import sys

import pyarrow.csv
import pytest

import discreet as ds
from tests import template


def discreet(*arguments, cwd=None):
    if template.POSSIBLE:
        return template.run([template.COMMAND, *arguments], cwd=cwd)
    command = [sys.executable, "-c", "from discreet.cli import command; command()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli")
    pyarrow.csv.write_csv(ds.datasets.patients(500, 3), path / "patients.csv")
    return path


def test_risk_prints_the_explanation_and_a_bar_chart(folder):
    done = discreet(
        "risk", "patients.csv", "--keys", "age,zip,sex", "--confidential", "illness", cwd=folder
    )
    assert done.returncode == 0
    assert "500 records fall into" in done.stdout
    assert re.search("█|##", done.stdout)  # the latter where the terminal has ASCII only


def test_risk_as_json_equals_the_api(folder):
    done = discreet("risk", "patients.csv", "--keys", "age,sex", "--json", cwd=folder)
    found = ds.risk(ds.read(folder / "patients.csv", keys=["age", "sex"]))
    assert json.loads(done.stdout) == json.loads(json.dumps(found.to_dict()))


def test_check_exits_with_1_when_the_criterion_does_not_hold_and_0_when_it_does(folder):
    failed = discreet("check", "patients.csv", "--keys", "age,zip", "--k", "5", cwd=folder)
    passed = discreet("check", "patients.csv", "--keys", "sex", "--k", "5", cwd=folder)
    assert (failed.returncode, passed.returncode) == (1, 0)
    as_json = discreet("check", "patients.csv", "--keys", "age,zip", "--json", cwd=folder)
    assert as_json.returncode == 1
    assert json.loads(as_json.stdout)["satisfied"] is False


def test_check_with_p_tests_p_sensitivity(folder):
    done = discreet(
        "check",
        "patients.csv",
        "--keys",
        "sex",
        "--confidential",
        "illness",
        "--p",
        "2",
        "--k",
        "3",
        cwd=folder,
    )
    assert done.returncode == 0
    assert "2-sensitive 3-anonymity holds" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("risk", "nowhere.csv", "--keys", "age"),
        ("risk", "patients.csv"),
        ("risk", "patients.csv", "--keys", "aeg"),
        ("check", "patients.csv", "--keys", "age", "--k", "0"),
        ("check", "patients.csv", "--keys", "age", "--k", "two"),
        ("risk", "patients.csv", "--keys", "age", "--type", "age"),
        ("nonsense",),
    ],
)
def test_a_mistake_ends_in_a_sentence_and_exit_code_2_without_a_traceback(folder, arguments):
    done = discreet(*arguments, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


def test_names_with_commas_stand_in_quotes_and_options_may_be_repeated(folder):
    (folder / "odd.csv").write_text('"a,b",c,d\n1,2,3\n1,2,4\n')
    done = discreet("risk", "odd.csv", "--keys", '"a,b",c', "--keys", "d", "--json", cwd=folder)
    assert json.loads(done.stdout)["computed_from"]["keys"] == ["a,b", "c", "d"]


def test_the_demo_runs_and_prints_json_when_asked():
    shown = discreet("demo", "--n", "300")
    assert shown.returncode == 0
    assert "See the risk" in shown.stdout
    assert "of 300 people, by two models" in shown.stdout
    assert json.loads(discreet("demo", "--n", "300", "--json").stdout)["risk"]["n"] == 300


def test_help_and_version():
    assert "check" in discreet("--help").stdout
    assert discreet("--version").stdout.strip() == ds.__version__


def test_microaggregate_writes_the_masked_file_and_says_what_it_cost(folder):
    done = discreet(
        "microaggregate",
        "patients.csv",
        "--keys",
        "age,income",
        "--k",
        "5",
        "-o",
        "mdav.csv",
        "--json",
        cwd=folder,
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["information_loss"]["il2"] < 1e-9
    masked = ds.read(folder / "mdav.csv", keys=["age", "income"])
    assert ds.check(masked, ds.KAnonymity(5)).satisfied


def test_protect_takes_every_criterion_and_exits_with_1_when_none_is_feasible(folder):
    (folder / "h").mkdir()
    (folder / "h" / "sex.csv").write_text("F;*\nM;*\n")
    options = ("patients.csv", "--keys", "sex", "--confidential", "illness", "--hierarchies", "h")
    done = discreet(
        "protect", *options, "--k", "3", "--p", "2", "--diversity", "entropy:2", "--closeness", "0.9",
        "--at-most", "0.5", "--suppression", "failing", "-o", "protected.csv", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "entropy 2-diversity" in done.stdout
    refused = discreet("protect", *options, "--k", "500", "--p", "400", "-o", "no.csv", cwd=folder)
    assert refused.returncode == 1
    assert not (folder / "no.csv").exists()
    wrong = discreet("protect", *options, "--diversity", "x:y", "-o", "no.csv", cwd=folder)
    assert wrong.returncode == 2


def test_the_risk_of_households_and_against_a_register(tmp_path):
    (tmp_path / "survey.csv").write_text("hid,sex\n1,M\n1,F\n2,M\n3,F\n")
    (tmp_path / "register.csv").write_text("sex,x\nM,1\nM,2\nM,3\nM,4\nF,5\nF,6\n")
    risk = ("risk", "survey.csv", "--keys", "sex", "--household", "hid")
    done = discreet(*risk, "--by", "household", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["households"]["rarer_together"] == 4
    done = discreet(*risk, "--population", "register.csv", cwd=tmp_path)
    assert "Against the 6 people of register.csv" in done.stdout
    done = discreet(*risk, "--by", "family", cwd=tmp_path)
    assert done.returncode != 0
    assert "Use one of household, subject." in done.stderr


def test_a_check_counts_people_where_a_person_has_several_records(tmp_path):
    (tmp_path / "visits.csv").write_text("patient,sex\n1,M\n1,M\n2,F\n3,F\n")
    asked = ("check", "visits.csv", "--keys", "sex", "--k", "2")
    assert discreet(*asked, cwd=tmp_path).returncode == 0
    done = discreet(*asked, "--subject", "patient", cwd=tmp_path)
    assert done.returncode == 1
    assert "records of too few different people" in done.stdout
