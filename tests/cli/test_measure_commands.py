"""Commands of the measures, made from their descriptions: figures, limits, two files, mistakes."""

import json
import sys

import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import discreet as ds
from discreet.cli import in_terminal
from discreet.cli.commands import app
from discreet.cli.lazy import built
from discreet.registry import measures
from discreet.surface import shown_on

KEYS = ("--keys", "age,income")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("measures")
    table = ds.datasets.patients(120, 3).append_column("rec", pa.array(range(120)))
    averaged = ds.microaggregate(ds.read(table, keys=["age", "income"]), k=3)
    pyarrow.csv.write_csv(table, path / "initial.csv")
    pyarrow.csv.write_csv(averaged.to("arrow"), path / "masked.csv")
    return path


@pytest.fixture
def run(folder, monkeypatch):
    monkeypatch.chdir(folder)

    def started(*words, code=0):
        monkeypatch.setattr(sys, "argv", ["discreet", *words])
        with shown_on(in_terminal):
            done = CliRunner().invoke(app, list(words))
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == code, done.output
        return done.stdout

    return started


OF_TWO = {
    "information-loss": (ds.information_loss, (), {}),
    "compare-statistics": (ds.compare_statistics, (), {}),
    "score": (ds.score, (), {}),
    "propensity": (ds.propensity, ("--columns", "age,income"), {"columns": ["age", "income"]}),
    "linkage": (ds.linkage, ("--columns", "age"), {"columns": ["age"]}),
    "interval-disclosure": (ds.interval_disclosure, ("--width", "0.1"), {"width": 0.1}),
    "regression-loss": (
        ds.regression_loss, ("--formula", "income ~ age"), {"formula": "income ~ age"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("command", OF_TWO)
def test_a_measure_of_two_files_says_on_a_terminal_what_it_says_in_python(run, command):
    function, words, given = OF_TWO[command]
    files = ("initial.csv", "masked.csv", "--on", "rec", *KEYS)
    found = json.loads(run(command, *files, *words, "--json"))
    initial = ds.read("initial.csv", keys=["age", "income"])
    expected = function(initial, ds.read("masked.csv"), on="rec", **given)
    assert found == json.loads(json.dumps(expected.to_dict()))
    said = expected.explain().replace(".not_applicable says why", "--json says why")
    assert said in run(command, *files, *words)


def test_the_help_of_a_measure_names_the_figures_that_may_have_a_limit():
    options = {p.name: p.help for p in built("suda").params}
    assert options["fail_above"] == (
        "Exit with 1 when a figure is above its limit: special_uniques=0.05. "
        "Figures: special_uniques, mean, highest, highest_score, file_dis."
    )


def test_the_four_counts_need_no_column_where_the_rows_correspond(run, folder):
    rows = {"age": [20, 30, 30, 40, 40], "sex": list("FFFMM")}
    blank = {**rows, "age": [20, None, None, 40, 40]}
    pyarrow.csv.write_csv(pa.table(rows), folder / "rows.csv")
    pyarrow.csv.write_csv(pa.table(blank), folder / "blank.csv")
    files = ("readings", "rows.csv", "blank.csv", "--keys", "age,sex", "--k", "2")
    found = json.loads(run(*files, "--json", "--output", "counts.csv", "--force"))
    assert (found["k"], found["source_below"], found["wildcard_below"]) == (2, 1, 0)
    counts = pyarrow.csv.read_csv(folder / "counts.csv").to_pydict()
    assert counts["source"] == [1, 3, 3, 2, 2]
    run(*files, "--fail-above", "wildcard_below=0")
    assert "fit only one of the people" in run(*files, "--fail-above", "source_below=0", code=1)


def test_the_four_counts_take_a_folder_of_hierarchies(run, folder):
    pyarrow.csv.write_csv(pa.table({"age": [21, 25, 30]}), folder / "exact.csv")
    pyarrow.csv.write_csv(pa.table({"age": ["20-29", "20-29", "30"]}), folder / "grouped.csv")
    (folder / "levels").mkdir(exist_ok=True)
    (folder / "levels" / "age.csv").write_text("21;20-29\n25;20-29\n30;30-39\n", encoding="utf-8")
    files = ("readings", "exact.csv", "grouped.csv", "--keys", "age", "--json")
    assert json.loads(run(*files))["least_target"] is None
    found = json.loads(run(*files, "--hierarchies", "levels"))
    assert (found["least_target"], found["category_below"]) == (1, 3)


def test_other_measures_of_two_files_ask_for_the_link(run):
    with pytest.raises(ds.DiscreetError, match="N03"):
        run("score", "initial.csv", "masked.csv", *KEYS)


def test_a_parameter_that_is_more_than_a_word_is_written_as_in_a_plan(run):
    files = ("information-loss", "initial.csv", "masked.csv", "--on", "rec", *KEYS, "--json")
    assert json.loads(run(*files, "--scope", '["age"]'))["scope"] == ["age"]
    assert json.loads(run(*files, "--scope", "file"))["scope"] == "file"
    with pytest.raises(ds.DiscreetError, match="P16"):
        run(*files, "--scope", "[1, 2")


def test_a_figure_above_its_limit_ends_with_1(run):
    run("risk", "initial.csv", *KEYS, "--fail-above", "mean_risk=0.01", code=1)
    run("risk", "initial.csv", *KEYS, "--fail-above", "mean_risk=1,uniques=120")


def test_a_limit_that_is_not_kept_is_named_with_its_figure(run):
    asked = (
        "risk",
        "initial.csv",
        *KEYS,
        "--fail-above",
        "mean_risk=0.01,journalist_mean=1,uniques=120",
    )
    said = run(*asked, code=1)
    assert "mean_risk is 0.9" in said
    assert ", above its limit of 0.01." in said
    assert "journalist_mean has no value here" in said
    above = json.loads(run(*asked, "--json", code=1))["above"]
    assert {name: one["limit"] for name, one in above.items()} == {
        "mean_risk": 0.01, "journalist_mean": 1,
    }  # fmt: skip
    assert json.loads(run(*asked[:-1], "uniques=120", "--json"))["above"] == {}


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ([""], "P16"),
        (["mean_risk=1", ""], "P16"),
        (["mean_risk=nan"], "P10"),
        (["mean_risk=inf"], "P10"),
        (["mean_risk=0.01,mean_risk=1"], "P16"),
        (["mean_risk=0.01", "mean_risk=1"], "P16"),
    ],
)
def test_a_limit_that_would_hold_nothing_back_is_refused(run, limits, code):
    given = [word for one in limits for word in ("--fail-above", one)]
    with pytest.raises(ds.DiscreetError, match=code):
        run("risk", "initial.csv", *KEYS, *given)


def test_what_does_not_apply_is_not_within_a_limit(run):
    files = ("information-loss", "initial.csv", "masked.csv", "--on", "rec", *KEYS)
    assert ds.information_loss(
        ds.read("initial.csv", keys=["age", "income"]), ds.read("masked.csv"), on="rec"
    ).loss is None  # fmt: skip
    run(*files, "--fail-above", "loss=1", code=1)


def test_all_limits_that_cannot_be_read_are_said_at_once(run):
    with pytest.raises(ds.DiscreetError) as error:
        run(
            "risk",
            "initial.csv",
            *KEYS,
            "--fail-above",
            "k=3,mean=2",
            "--fail-above",
            "uniques=few",
        )
    assert [problem.code for problem in error.value.problems] == ["P16", "P16", "P10"]


def test_every_measure_has_a_command_with_an_option_for_each_parameter(run):
    for name in measures:
        said = run(measures[name].entry.command if name != "disclosure_risk" else "compare", "-h")
        if name == "record_risk":
            continue  # a file says it: values do not belong into the history of a shell
        for parameter in measures[name].parameters:
            assert f"--{parameter.replace('_', '-')}" in said, (name, parameter)
