"""The commands that say what a sample tells of its population."""

import json

import pytest

import discreet as ds

KEYS = ("--keys", "age,sex")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = ds.datasets.patients(200, seed=1)
    ds.read(table, identifiers=["name", "ssn"]).write("people.csv")
    return tmp_path


def test_population_uniqueness(run):
    code, out, err = run("population-uniqueness", "people.csv", *KEYS, "--fraction", "1%", "--json")
    assert code == 0, err
    survey = ds.read("people.csv", keys=["age", "sex"])
    assert json.loads(out)["value"] == ds.population_uniqueness(survey, fraction=0.01).value
    code, out, _ = run("population-uniqueness", "people.csv", *KEYS, "--population", "20000")
    assert code == 0
    assert out.startswith("If the records are a simple random sample of 20,000 people")


@pytest.mark.parametrize(("said", "meant"), [("age+sex", [["age", "sex"]]), ("search", "search")])
def test_model_risk_takes_margins(run, said, meant):
    given = ("--margins", said, "--fraction", "0.1", "--json")
    code, out, err = run("model-risk", "people.csv", *KEYS, *given)
    assert code == 0, err
    found = ds.model_risk(ds.read("people.csv", keys=["age", "sex"]), meant, fraction=0.1)
    assert json.loads(out)["tau2"] == found.tau2
    assert json.loads(out)["margins"] == [list(m) for m in found.margins]


def test_what_is_wrong_is_said_in_the_words_of_a_terminal(run):
    code, _, err = run("model-risk", "people.csv", *KEYS)
    assert code == 2
    assert "--fraction" in err
    code, _, err = run("population-uniqueness", "people.csv", *KEYS, "--population", "10")
    assert code == 2
    assert "P45" in err
    code, _, err = run(
        "model-risk", "people.csv", *KEYS, "--margins", "age+zip", "--fraction", "0.1"
    )
    assert code == 2
    assert "R01" in err
