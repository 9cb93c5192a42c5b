"""SPSS and Stata files and spreadsheets on the command line, in plans, reports and the app."""

import datetime as dt
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import discreet as ds

pyreadstat = pytest.importorskip("pyreadstat")
pytest.importorskip("python_calamine")
pytest.importorskip("xlsxwriter")

LABELS = {"sex": {1: "male", 2: "female"}}


@pytest.fixture
def survey(folder):
    frame = pd.DataFrame({"sex": [1, 2] * 30, "age": [20 + i % 7 for i in range(60)]})
    pyreadstat.write_dta(
        frame.astype("int32"), folder / "s.dta", column_labels={"sex": "Sex at birth"},
        variable_value_labels=LABELS, file_label="by Jane",
    )  # fmt: skip
    frame.to_excel(folder / "s.xlsx", sheet_name="people", index=False)
    return folder


def test_commands_read_and_write_them(run, survey):
    assert run("risk", "s.dta", "--keys", "sex,age")[0] == 0
    assert run("risk", "s.xlsx", "--sheet", "people", "--keys", "sex,age")[0] == 0
    code, out, _ = run("sample", "s.dta", "--keys", "sex", "--fraction", "0.5", "--seed", "1",
                       "-o", "m.sav", "--json")  # fmt: skip
    assert code == 0
    assert json.loads(out)["dropped"] == ["file_label", "creation_time"]
    meta = pyreadstat.read_sav(survey / "m.sav", metadataonly=True)[1]
    assert meta.variable_value_labels["sex"] == LABELS["sex"]
    assert meta.file_label is None
    codes = run("check", "s.dta", "--codes", "--keys", "sex", "--k", "2", "--type", "sex=1<2")
    assert codes[0] == 0


def test_a_plan_reads_and_writes_them_and_the_ledger_says_what_was_dropped(survey):
    data = ds.read("s.dta", keys=["sex"])
    plan = ds.sample(data, fraction=0.5, seed=1).plan("m.dta")
    release = plan.run()
    masked = release.ledger.output("masked")
    assert masked["dropped_metadata"] == ["file_label", "creation_time"]
    assert pyreadstat.read_dta("m.dta")[1].variable_value_labels["sex"] == LABELS["sex"]
    assert release.ledger.verify("m.dta", initial="s.dta").differences == ()
    assert (
        ds.Plan.of({"source": {"file": "s.xlsx", "sheet": 1}, "roles": {"keys": ["sex"]}}).open().n
        == 60
    )


def test_a_report_has_the_labels_of_variables(survey):
    data = ds.read("s.dta", keys=["sex"])
    ds.report(data, ds.sample(data, fraction=0.5, seed=1), "r.html")
    page = (survey / "r.html").read_text(encoding="utf-8")
    assert "Sex at birth" in page
    assert "Jane" not in page


def test_a_first_plan_writes_what_it_reads(survey):
    from discreet.plan.first_plan import first_plan

    assert first_plan(ds.read("s.dta"), None).section("outputs")["masked"] == "s.masked.dta"


def test_a_column_that_a_sheet_cannot_hold_is_named_before_it_is_written(run, folder):
    seen = pa.array([None, dt.datetime.now(dt.UTC)], pa.timestamp("us", "UTC"))
    pyarrow.parquet.write_table(pa.table({"k": ["a", "b"], "seen": seen}), "t.parquet")
    code, out, error = run("sample", "t.parquet", "--fraction", "0.9999", "--seed", "1",
                           "-o", "o.xlsx")  # fmt: skip
    assert (code, out) == (2, "")
    assert "O10" in error
    assert "'seen': it has times with a time zone" in error
    assert not [file for file in folder.iterdir() if file.name.startswith((".", "o"))]


def test_a_sheet_without_a_header_is_read_with_names(run, folder):
    pd.DataFrame({"a": ["Sam", "Ann"], "b": [29, 31]}).to_excel("n.xlsx", index=False, header=False)
    code, _, error = run("risk", "n.xlsx", "--keys", "age")
    assert code == 2
    assert "--names, or say --header" in error
    assert "Sam" not in error
    assert run("risk", "n.xlsx", "--names", "who,age", "--keys", "age")[0] == 0
    assert ds.Plan.of({"source": {"file": "n.xlsx", "header": True}}, folder).open().n == 1
