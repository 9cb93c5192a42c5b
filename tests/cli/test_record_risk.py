"""The commands about single records."""

import json

import pyarrow.parquet as pq
import pytest

import discreet as ds

SETTINGS = """
[known]
age = 0.3
sex = 0.8
[sensitivity]
illness = 1.0
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(
        "age,sex,illness\n30,M,flu\n30,M,flu\n30,M,flu\n30,F,flu\n71,M,rare\n"
    )
    (tmp_path / "risk.toml").write_text(SETTINGS)
    return tmp_path


def test_record_risk_shows_the_risky_records_and_writes_them(run, folder):
    code, out, err = run("record-risk", "people.csv", "--settings", "risk.toml", "-o", "r.parquet")
    assert code == 0, err
    assert "above 0.01" in out
    data = ds.read(folder / "people.csv")
    expected = ds.record_risk(data, {"age": 0.3, "sex": 0.8}, {"illness": 1.0})
    assert pq.read_table(folder / "r.parquet")["risk"].to_pylist() == expected.values.tolist()


def test_record_risk_as_json(run):
    _, out, _ = run(
        "record-risk", "people.csv", "--settings", "risk.toml", "--above", "100", "--json"
    )
    found = json.loads(out)
    assert found["threshold"] == 100
    assert found["records_above"] == 1
    assert "rare" not in out


def test_a_limit_gates_a_pipeline(run):
    command = ["record-risk", "people.csv", "--settings", "risk.toml", "--at-most"]
    assert run(*command, "1000")[0] == 0
    assert run(*command, "1")[0] == 1


def test_protect_records_writes_a_file_below_the_limit(run, folder):
    code, out, err = run(
        "protect-records", "people.csv", "--settings", "risk.toml", "--at-most", "60",
        "-o", "masked.csv",
    )  # fmt: skip
    assert code == 0, err
    assert "none has now" in out
    masked = ds.read(folder / "masked.csv")
    assert ds.record_risk(masked, {"age": 0.3, "sex": 0.8}, {"illness": 1.0}).highest <= 60


def test_a_wrong_settings_file_is_said(run, folder):
    (folder / "risk.toml").write_text("[known]\nage = 7\n")
    code, _, err = run("record-risk", "people.csv", "--settings", "risk.toml")
    assert code == 2
    assert "P40" in err


def test_the_measure_that_is_brought_down_is_named(run, folder):
    rows = [f"{age},{sex},{i % 7 + 2}" for i in range(40) for age, sex in [(i % 9, "MF"[i % 2])]]
    (folder / "sample.csv").write_text("\n".join(["age,sex,w", *rows]))
    asked = ["protect-records", "sample.csv", "--keys", "age,sex", "--weight", "w"]
    asked += ["--measure", "individual_risk", "--at-most", "0.2", "-o", "out.csv"]
    code, out, err = run(*asked)
    assert code == 0, err
    assert "above 0.2" in out
    masked = ds.read(folder / "out.csv", keys=["age", "sex"], weight="w")
    assert ds.individual_risk(masked).highest <= 0.2
    code, _, err = run(*asked, "--settings", "risk.toml", "--force")
    assert code != 0
    assert "does not belong to the measure" in err
