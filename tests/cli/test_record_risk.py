"""The commands about single records."""

import json

import pyarrow.parquet as pq
import pytest

import discreet as ds
from tests.cli.test_commands import discreet as run

SETTINGS = """
[known]
age = 0.3
sex = 0.8
[sensitivity]
illness = 1.0
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text(
        "age,sex,illness\n30,M,flu\n30,M,flu\n30,M,flu\n30,F,flu\n71,M,rare\n"
    )
    (tmp_path / "risk.toml").write_text(SETTINGS)
    return tmp_path


def test_record_risk_shows_the_risky_records_and_writes_them(folder):
    done = run(
        "record-risk", "people.csv", "--settings", "risk.toml", "-o", "r.parquet", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert "above 0.01" in done.stdout
    data = ds.read(folder / "people.csv")
    expected = ds.record_risk(data, {"age": 0.3, "sex": 0.8}, {"illness": 1.0})
    assert pq.read_table(folder / "r.parquet")["risk"].to_pylist() == expected.values.tolist()


def test_record_risk_as_json(folder):
    done = run(
        "record-risk",
        "people.csv",
        "--settings",
        "risk.toml",
        "--above",
        "100",
        "--json",
        cwd=folder,
    )
    found = json.loads(done.stdout)
    assert found["threshold"] == 100
    assert found["records_above"] == 1
    assert "rare" not in done.stdout


def test_a_limit_gates_a_pipeline(folder):
    command = ["record-risk", "people.csv", "--settings", "risk.toml", "--at-most"]
    assert run(*command, "1000", cwd=folder).returncode == 0
    assert run(*command, "1", cwd=folder).returncode == 1


def test_protect_records_writes_a_file_below_the_limit(folder):
    done = run(
        "protect-records", "people.csv", "--settings", "risk.toml", "--at-most", "60",
        "-o", "masked.csv", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "none has now" in done.stdout
    masked = ds.read(folder / "masked.csv")
    assert ds.record_risk(masked, {"age": 0.3, "sex": 0.8}, {"illness": 1.0}).highest <= 60


def test_a_wrong_settings_file_is_said(folder):
    (folder / "risk.toml").write_text("[known]\nage = 7\n")
    done = run("record-risk", "people.csv", "--settings", "risk.toml", cwd=folder)
    assert done.returncode == 2
    assert "P40" in done.stderr
