"""What is released unchanged: every column listed, flagged where many records are unique on it."""

import json
import re

import pytest
from typer.testing import CliRunner

import discreet as ds
from discreet.cli.commands import app

N = 200
TABLE = {
    "age": [20 + i % 40 for i in range(N)],
    "sex": [1 + i % 2 for i in range(N)],
    "fare": [i * 7 + 3 for i in range(N)],
    "house": [i // 3 for i in range(N)],
    "income": [1000 + i for i in range(N)],
    "town": ["abcd"[i % 4] for i in range(N)],
}
ROLES = {"keys": ["age", "sex"], "confidential": ["income"]}
KEYS = {"age": ds.Hierarchy.intervals([10, 20, 40]), "sex": ds.Hierarchy.suppress()}


def survey(**roles):
    return ds.read(TABLE, **{**ROLES, **roles})


def test_every_column_that_leaves_as_it_was_is_listed_with_its_counts():
    found = ds.unchanged(survey(identifiers=["house"]))
    assert [(one.column, one.role, one.distinct, one.unique) for one in found.columns] == [
        ("age", "key", 40, 0),
        ("sex", "key", 2, 0),
        ("fare", "other", N, N),
        ("income", "confidential", N, N),
        ("town", "other", 4, 0),
    ]
    assert [one.column for one in found.flagged] == ["fare", "income"]


def test_a_masking_takes_the_columns_it_changes_off_the_list():
    masked = ds.microaggregate(survey(), ["fare", "income"], k=5)
    assert [one.column for one in ds.unchanged(masked).columns] == ["age", "sex", "house", "town"]


def test_a_column_of_which_single_cells_were_changed_stays_on_the_list():
    data = ds.read({**TABLE, "town": ["z", *TABLE["town"][1:]]}, **ROLES)
    risk = ds.record_risk(data, known={"fare": 0.1, "town": 0.9}, sensitivity={"income": 1.0})
    few = ds.protect_records(data, risk, at_most=float(sorted(risk.values)[-2]))
    assert few.changes
    assert set(few.changes) <= {one.column for one in ds.unchanged(few).columns}
    assert set(ds.unchanged(few).in_cells) == set(few.changes)
    assert "Only some cells of" in ds.unchanged(few).explain()
    assert "some cells" not in ds.unchanged(data).explain()
    then = ds.generalize(few, KEYS, ds.KAnonymity(5)).best.mask()
    assert set(few.changes) <= {one.column for one in ds.unchanged(then).columns}
    last = ds.microaggregate(then, ["fare"], k=3)
    assert "fare" not in {one.column for one in ds.unchanged(last).columns}


def test_weights_of_a_sample_are_said_to_be_divided_and_stay_on_the_list():
    data = ds.read(
        {"age": [1, 2] * 20, "w": list(range(1, 41))}, keys=["age"], weight="w",
    )  # fmt: skip
    found = ds.unchanged(ds.sample(data, fraction=0.5, seed=1))
    assert found.scaled == ("w",)
    assert [one.column for one in found.flagged] == ["w"]
    said = "The weights in w were divided by the share drawn, and tell records apart as before."
    assert said in found.explain().splitlines()
    assert ds.unchanged(ds.sample(data, fraction=1.0, seed=1)).scaled == ()
    assert ds.unchanged(data).scaled == ()


def test_a_column_that_few_records_share_is_flagged_though_few_are_unique():
    """A household number names groups of a few people."""
    [house] = [one for one in ds.unchanged(survey()).columns if one.column == "house"]
    assert (house.unique, house.flagged) == (0, True)
    assert "on average 3.0 records share a value" in house.explain()


@pytest.mark.parametrize(("unique", "flagged"), [(9, False), (10, True), (11, True)])
def test_five_percent_of_unique_records_are_many(unique, flagged):
    values = [-1 - i for i in range(unique)] + [0] * (N - unique)
    assert ds.unchanged(ds.read({"x": values})).columns[0].flagged is flagged


def test_few_records_with_a_value_each_of_their_own_are_flagged():
    notes = [f"note {i}" for i in range(6)] + [None] * 994
    [one] = ds.unchanged(ds.read({"note": notes})).columns
    assert (one.distinct, one.filled, one.unique, one.flagged) == (6, 6, 6, True)


def test_an_empty_column_is_not_flagged():
    [one, _] = ds.unchanged(ds.read({"a": [None] * 30, "b": [1] * 30})).columns
    assert (one.distinct, one.unique, one.flagged) == (0, 0, False)


def test_what_cannot_be_counted_is_flagged_and_says_so():
    [one] = ds.unchanged(ds.read({"list": [[1], [1, 2]] * 20})).columns
    assert one.flagged
    assert one.unique is None
    assert "not counted" in one.explain()


def test_confidential_columns_get_a_sentence_of_their_own():
    said = {one.column: one.explain() for one in ds.unchanged(survey()).flagged}
    assert "confidential and released on purpose" in said["income"]
    assert "finds the record" in said["fare"]


def test_an_identifier_that_is_written_all_the_same_is_listed(tmp_path):
    data = survey(identifiers=["fare"])
    assert "fare" not in [one.column for one in ds.unchanged(data).columns]
    written = data.write(tmp_path / "t.csv", identifiers=["fare"])
    assert ("fare", "identifier") in [(o.column, o.role) for o in written.unchanged.columns]


def test_writing_tells_what_left(tmp_path):
    masked = ds.sample(survey(), n=100, seed=1)
    written = masked.write(tmp_path / "t.csv")
    assert written.path == tmp_path / "t.csv"
    assert written.columns == tuple(TABLE)
    assert [one.column for one in written.unchanged.flagged] == ["age", "fare", "house", "income"]
    assert "100 records written to t.csv" in repr(written)
    assert json.dumps(written.to_dict())
    assert list(written.table("pandas").columns) == [
        "column", "role", "distinct", "unique", "share", "flagged"
    ]  # fmt: skip


def test_the_list_shows_itself():
    found = ds.unchanged(ds.read({"<b>x</b>": list(range(30))}))
    assert "&lt;b&gt;" in found._repr_html_()
    assert repr(found) == found.explain()
    assert json.dumps(found.to_dict())
    table = found.table("arrow").to_pylist()
    assert table[0]["share"] == 1.0
    empty = ds.unchanged(ds.microaggregate(ds.read({"x": list(range(30))}), ["x"], k=3))
    assert empty.explain() == "No column is released unchanged."
    assert empty.table("arrow").num_rows == 0


def test_only_microdata_are_taken():
    with pytest.raises(ds.DiscreetError, match="P09"):
        ds.unchanged(TABLE)


# -- a public release needs a reason in writing --------------------------------------------------


@pytest.fixture
def plan(tmp_path):
    """A plan that generalizes the keys and writes a public extract."""
    ds.read(TABLE).write(tmp_path / "survey.csv")

    def made(**outputs):
        document = {
            "source": {"file": "survey.csv"},
            "roles": {k: list(v) for k, v in ROLES.items()},
            "hierarchies": {"age": {"intervals": [10, 20, 40]}, "sex": {"suppress": True}},
            "criterion": {"k": 5},
            "steps": [{"do": "generalize", "max_suppressed": 0.02}],
            "outputs": {"masked": "masked.csv", **outputs},
        }
        return ds.Plan.of(document, tmp_path)

    return made


def reasons(**more):
    return {"fare": "it is printed on tickets", "house": "needed", "income": "asked for", **more}


@pytest.mark.parametrize("output", [{"public": "p.json"}, {"public_report": "p.html"}])
def test_a_public_release_without_a_reason_is_refused_by_name(plan, tmp_path, output):
    with pytest.raises(ds.DiscreetError) as caught:
        plan(**output, unique_columns={"house": "needed"}).run()
    assert caught.value.code == "O09"
    said = str(caught.value)
    assert "'fare'" in said
    assert "'income' (confidential)" in said
    assert "'house'" not in said
    assert "unique_columns" in said
    assert not (tmp_path / "masked.csv").exists()


def test_a_release_for_the_house_is_listed_and_not_refused(plan):
    release = plan().run()
    assert release.files
    said = release.explain()
    assert "are released unchanged" in said
    assert "Warning: fare" in said
    assert [one["column"] for one in release.to_dict()["unchanged"]["columns"]][-1] == "town"


def test_reasons_stand_in_the_ledger_and_not_in_the_public_extract(plan, tmp_path):
    plan(public="p.json", unique_columns=reasons()).run()
    ledger = json.loads((tmp_path / "masked.ledger.json").read_text(encoding="utf-8"))
    rows = {one["column"]: one for one in ledger["unchanged"]["columns"]}
    assert rows["fare"]["flagged"]
    assert not rows["town"]["flagged"]
    assert ledger["plan"]["outputs"]["unique_columns"]["fare"] == "it is printed on tickets"
    public = (tmp_path / "p.json").read_text(encoding="utf-8")
    assert "tickets" not in public
    assert json.loads(public)["unchanged"]["columns"][-1] == {"column": "town", "role": "other"}


def test_a_second_run_and_verification_compare_what_left(plan, tmp_path):
    plan(unique_columns=reasons()).run()
    ledger = ds.Ledger.read(tmp_path / "masked.ledger.json")
    again = plan(unique_columns=reasons()).run(overwrite=True, ledger=ledger)
    assert "unchanged" in ledger.compare(again.ledger).agreed
    other = {**ledger.document, "unchanged": {"released": 1, "columns": []}}
    assert not ds.Ledger(other, tmp_path).compare(again.ledger).satisfied


@pytest.mark.parametrize("given", ["needed", {"fare": ""}, {"fare": 5}])
def test_a_reason_is_a_text_by_column(plan, given):
    with pytest.raises(ds.DiscreetError, match="P31"):
        plan(unique_columns=given)


def test_a_reason_for_a_column_that_is_not_there_is_refused(plan):
    with pytest.raises(ds.DiscreetError, match="R01"):
        plan(unique_columns={"fair": "needed"}).run()


def test_the_command_line_takes_a_reason(plan, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan(public="p.json").write(tmp_path / "release.toml")
    run = CliRunner()
    refused = run.invoke(app, ["run", "release.toml"])
    assert isinstance(refused.exception, ds.DiscreetError)
    assert refused.exception.code == "O09"
    given = [f"--unique-column={name}={reason}" for name, reason in reasons().items()]
    done = run.invoke(app, ["run", "release.toml", *given])
    assert done.exit_code == 0
    assert "fare: all 200 records are unique on it" in done.output
    wrong = run.invoke(app, ["run", "release.toml", "--unique-column", "fare"])
    assert wrong.exception.code == "P36"


def test_a_report_for_the_public_needs_a_reason_and_the_internal_one_shows_it(tmp_path):
    data = survey()
    masked = ds.generalize(data, KEYS, ds.KAnonymity(5)).best.mask()
    with pytest.raises(ds.DiscreetError, match="O09"):
        ds.report(data, masked, tmp_path / "p.html", audience="public")
    why = reasons()
    ds.report(data, masked, tmp_path / "p.html", audience="public", unique_columns=why)
    ds.report(data, masked, tmp_path / "i.html", unique_columns=why)
    public, internal = (
        (tmp_path / name).read_text(encoding="utf-8") for name in ("p.html", "i.html")
    )
    assert "What is released unchanged" in internal
    assert "it is printed on tickets" in internal
    assert "it is printed on tickets" not in public
    assert "as they were" in public
    for wrong, code in ((["fare"], "P36"), ({"fare": " "}, "P36"), ({"fair": "x"}, "R01")):
        with pytest.raises(ds.DiscreetError, match=code):
            ds.report(data, masked, tmp_path / "x.html", unique_columns=wrong)


def test_a_key_with_some_blank_cells_is_not_called_unchanged(tmp_path):
    """Neither where it is listed, nor in the reports, nor where a reason is asked for."""
    ages = [20 + i % 40 for i in range(180)] + [70 + i for i in range(20)]
    data = ds.read({"age": ages, "sex": TABLE["sex"], "town": TABLE["town"]}, keys=["age", "sex"])
    masked = ds.suppress_cells(data, ds.KAnonymity(2))
    found = ds.unchanged(masked)
    assert found.in_cells == ("age",)
    assert [one.column for one in found.flagged] == ["age"]  # what is left tells records apart
    said = found.explain().splitlines()
    assert said[0] == "2 of 3 columns are released unchanged: 'sex', 'town'."
    assert said[1] == "Only some cells of 'age' were changed."
    with pytest.raises(ds.DiscreetError, match="O09") as refused:
        ds.report(data, masked, tmp_path / "p.html", audience="public")
    assert "unchanged, or in some cells only, and tells many" in str(refused.value)
    assert "'age' (some cells changed): on average" in str(refused.value)
    why = {"age": "of nobody: simulated"}
    ds.report(data, masked, tmp_path / "p.html", audience="public", unique_columns=why)
    ds.report(data, masked, tmp_path / "i.html", unique_columns=why)
    public, internal = (
        re.sub(r"<[^>]+>", " ", (tmp_path / name).read_text(encoding="utf-8"))
        for name in ("p.html", "i.html")
    )
    assert re.search(r"age\s+key\s+continuous\s+some cells changed", public)
    assert re.search(r"sex\s+key\s+nominal[^a]+as they were", public)
    assert "Only some cells were changed of: age." in internal


def test_no_cell_is_in_what_is_said_of_unchanged_columns(plan, tmp_path):
    table = {"secret": [f"cell-{i}" for i in range(50)], "age": [30] * 50}
    found = ds.unchanged(ds.read(table))
    said = "".join([repr(found), found._repr_html_(), json.dumps(found.to_dict())])
    assert "cell-" not in said


def test_one_record_is_unique_and_two_are():
    for unique, verb in ((1, "is"), (2, "are")):
        rows = [*range(unique), *[90, 91, 92] * 30]
        found = ds.unchanged(ds.read({"grade": rows, "sex": ["f"] * len(rows)}))
        said = found.columns[0].found()
        assert f"{unique} of {len(rows)} records" in said
        assert f" {verb} unique on it" in said
