"""k-map and δ-presence: populations of every form, what they lack, plans and commands."""

import ibis
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import discreet as ds
from discreet.cli import main
from discreet.plan.criteria import criteria_in, schema, written
from discreet.registry import criteria

TOWN = {"age": [50, 50, 50, 30, 30, 70], "sex": list("MMMFFF")}
FILE = {"age": [50, 30], "sex": list("MF")}
SUPPRESS = {"age": ds.Hierarchy.suppress(), "sex": ds.Hierarchy.suppress()}


def read(table, **more):
    return ds.read(table, keys=["age", "sex"], **more)


@pytest.fixture
def town(tmp_path):
    path = tmp_path / "town.csv"
    pacsv.write_csv(pa.table(TOWN), path)
    return path


def forms(path):
    connection = ibis.duckdb.connect()
    connection.con.register("t", pa.table(TOWN))
    return {
        "columns": TOWN,
        "frame": pa.table(TOWN),
        "microdata": read(TOWN),
        "file": path,
        "text": str(path),
        "table": connection.table("t"),
        "class sizes": read(TOWN).frequency_set(["sex", "age"]),
    }


@pytest.mark.parametrize(
    "form", ["columns", "frame", "microdata", "file", "text", "table", "class sizes"]
)
def test_a_population_of_any_form(form, town):
    given = forms(town)[form]
    assert ds.check(read(FILE), ds.KMap(2, given))
    assert ds.check(read(FILE), ds.KMap(3, given)).violating_records == 1
    assert ds.check(read(FILE), ds.DeltaPresence(0, 0.4, given)).violating_records == 1
    found = ds.generalize(read(FILE), SUPPRESS, ds.KMap(3, given), max_suppressed=0)
    assert found.best.levels == {"age": 1, "sex": 0}
    assert ds.check(found.best.mask(), ds.KMap(3, given))


def test_people_without_a_record_stand_against_a_least_share():
    """A woman of 70 is not in the file; without her age she is one of three."""
    found = ds.check(read(FILE), ds.DeltaPresence(0.1, 1, TOWN))
    assert not found
    assert found.violating_records == 0
    assert "1 combination of keys" in found.explain()
    assert found.to_dict()["by"]["people without a record"] == {"classes": 1, "records": 0}
    best = ds.generalize(read(FILE), SUPPRESS, ds.DeltaPresence(0.1, 1, TOWN)).best
    assert best.levels == {"age": 1, "sex": 0}
    assert ds.check(best.mask(), ds.DeltaPresence(0.1, 1, TOWN))


def test_people_whose_records_were_suppressed_do_not_count_as_absent():
    town = {"age": [1] * 9 + [2], "sex": ["M"] * 10}
    survey = read({"age": [1, 2], "sex": ["M", "M"]})
    criterion = ds.DeltaPresence(0.1, 0.5, town)
    found = ds.generalize(survey, {}, criterion, max_suppressed=1)
    assert found.best.suppressed == 1
    assert ds.check(found.best.mask(), criterion)


def test_a_sample_of_suppressed_records_cannot_be_held_against_a_least_share():
    town = {"age": [1] * 9 + [2], "sex": ["M"] * 10}
    survey = read({"age": [1, 1, 2], "sex": ["M"] * 3})
    masked = ds.generalize(survey, {}, ds.KMap(2, town), max_suppressed=1).best.mask()
    drawn = ds.sample(masked, n=1, seed=1)
    assert ds.check(drawn, ds.KMap(2, town))
    with pytest.raises(ds.DiscreetError, match="N84"):
        ds.check(drawn, ds.DeltaPresence(0.1, 1, town))


@pytest.mark.parametrize("make", [lambda p: ds.KMap(2, p), lambda p: ds.DeltaPresence(0, 1, p)])
def test_a_population_that_lacks_a_combination_is_an_error_with_the_number(make):
    other = {"age": [50], "sex": ["M"]}
    for call in (
        lambda: ds.check(read(FILE), make(other)),
        lambda: ds.generalize(read(FILE), SUPPRESS, make(other)),
    ):
        with pytest.raises(ds.DiscreetError, match=r"D61.*1 record ") as caught:
            call()
        assert "30" not in str(caught.value)


def test_more_records_than_people_are_an_error():
    twice = read({"age": [50] * 4, "sex": ["M"] * 4})
    with pytest.raises(ds.DiscreetError, match="D63"):
        ds.check(twice, ds.KMap(1, TOWN))


def test_values_of_the_population_alone_join_the_groups_of_the_file():
    """50 and 59 are one group of ten years; nobody in the file is 59."""
    town = {"age": [50, 59, 59, 30], "sex": ["M"] * 4}
    survey = read({"age": [50, 30], "sex": ["M", "M"]})
    hierarchies = {"age": ds.Hierarchy.intervals([10, 100])}
    found = ds.generalize(survey, hierarchies, ds.KMap(3, town), max_suppressed=1)
    assert found.lattice.node({"age": 0}).suppressed == 2
    assert found.lattice.node({"age": 1}).suppressed == 1
    assert found.best.levels == {"age": 1, "sex": 0}


@pytest.mark.parametrize("ask", [
    lambda survey, coarser, people: ds.generalize(survey, coarser, ds.KMap(2, population=people)),
    lambda survey, coarser, people: ds.recode(survey, coarser, ds.KMap(2, population=people)),
    lambda survey, coarser, people: ds.check(
        ds.generalize(survey, coarser, ds.KAnonymity(2)).best.mask(), ds.KMap(2, population=people)
    ),
    lambda survey, coarser, people: ds.check(
        ds.recode(survey, coarser, ds.KAnonymity(2)), ds.KMap(2, population=people)
    ),
], ids=["generalize", "recode", "check whole columns", "check single cells"])  # fmt: skip
def test_a_value_that_the_hierarchy_lacks_is_said_to_be_in_the_register(ask):
    survey = ds.read({"a": list("xxyz")}, keys=["a"])
    groups = {"x": ["g", "*"], "y": ["g", "*"], "z": ["h", "*"]}
    with pytest.raises(ds.DiscreetError, match="D20") as told:
        ask(survey, {"a": ds.Hierarchy.from_dict(groups)}, {"a": list("xxyzq")})
    assert "in the register of the population, 'a': 1 of 4 values (1 record) is not" in str(
        told.value
    )


def test_beside_another_criterion_and_with_its_own_population():
    survey = ds.read({**FILE, "s": ["x", "y"]}, keys=["age", "sex"], confidential=["s"])
    wanted = [ds.KMap(2, TOWN), ds.LDiversity(2), ds.DeltaPresence(0, 0.5, pa.table(TOWN))]
    found = ds.generalize(survey, SUPPRESS, wanted, max_suppressed=0)
    assert found.best.levels == {"age": 1, "sex": 1}
    assert ds.check(found.best.mask(), wanted)
    assert ds.check(survey, wanted).by["s"].records == 2


def test_a_missing_key_matches_everybody_under_wildcards():
    survey = read({"age": [50, None], "sex": ["M", "F"]}, missing="wildcard")
    assert ds.check(survey, ds.KMap(3, TOWN))
    assert ds.check(survey, ds.KMap(4, TOWN)).violating_records == 2
    with pytest.raises(ds.DiscreetError, match="N01"):
        ds.check(survey, ds.DeltaPresence(0.1, 1, TOWN))


def test_a_plan_names_a_file_and_nothing_else(town, tmp_path):
    given = {"k_map": {"k": 3, "population": "town.csv"}}
    (one,) = criteria_in(given, tmp_path)
    assert one.population == tmp_path / "town.csv"
    assert written(ds.KMap(3, town)) == {"k_map": {"k": 3, "population": str(town)}}
    with pytest.raises(ds.DiscreetError, match="N20"):
        written(ds.KMap(3, TOWN))
    with pytest.raises(ds.DiscreetError, match="population"):
        criteria_in({"k_map": {"k": 3}}, tmp_path)
    nested = schema()["anyOf"][0]["properties"]["k_map"]["anyOf"]
    assert [one["required"] for one in nested] == [["k", "population"]]


def plan_of(tmp_path, **criterion):
    pacsv.write_csv(pa.table(FILE), tmp_path / "file.csv")
    return ds.Plan.of(
        {
            "source": {"file": "file.csv"},
            "roles": {"keys": ["age", "sex"]},
            "hierarchies": {"age": {"suppress": True}, "sex": {"suppress": True}},
            "criterion": criterion,
            "steps": [{"do": "generalize", "max_suppressed": 0}],
            "outputs": {"masked": "masked.csv"},
        },
        tmp_path,
    )


def test_a_run_reads_the_population_and_keeps_its_digest(town, tmp_path):
    plan = plan_of(tmp_path, k_map={"k": 3, "population": "town.csv"})
    assert town in plan.inputs
    release = plan.run()
    assert release.satisfied
    beside = [one for one in release.ledger.document["inputs"] if one["role"] == "beside"]
    assert [one["file"] for one in beside] == ["town.csv"]
    assert "ds.KMap(k=3, population='town.csv')" in plan.to_python()
    found = ds.Ledger.read(tmp_path / "masked.ledger.json").verify(tmp_path / "masked.csv")
    assert found.satisfied
    assert any("k_map" in one for one in found.not_compared)


def test_a_population_that_is_not_there_is_told_before_the_run(tmp_path):
    with pytest.raises(ds.DiscreetError, match=r"S01.*nowhere\.csv"):
        plan_of(tmp_path, presence={"low": 0, "high": 1, "population": "nowhere.csv"}).run()


def test_an_option_names_the_file_last(town):
    one = criteria["KMap"].from_text("3:population=C:/a:b.csv")
    assert str(one.population) == "C:/a:b.csv"
    two = criteria["DeltaPresence"].from_text(f"0:0.2:population={town}")
    assert (two.low, two.high, two.population) == (0, 0.2, town)
    with pytest.raises(ds.DiscreetError, match="P32"):
        criteria["KMap"].from_text("3")


def test_a_command_checks_against_it_and_never_writes_over_it(town, tmp_path, monkeypatch):
    file = tmp_path / "file.csv"
    pacsv.write_csv(pa.table(FILE), file)
    asked = [str(file), "--keys", "age,sex", "--k-map", f"3:population={town}"]
    before = town.read_bytes()
    for command, code in (
        (["check", *asked], 1),
        (["protect", *asked, "--output", str(town), "--force"], 2),
    ):
        monkeypatch.setattr("sys.argv", ["discreet", *command])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == code
    assert town.read_bytes() == before


def test_a_masked_file_is_not_written_over_the_population(town):
    masked = ds.generalize(read(FILE), SUPPRESS, ds.KMap(3, town)).best.mask()
    with pytest.raises(ds.DiscreetError):
        masked.write(town, overwrite=True)


def test_words_and_reprs_name_the_population_and_show_nothing_of_it():
    criterion = ds.KMap(3, TOWN)
    assert criterion.describe() == "3-map in the population"
    assert "50" not in repr(criterion) + str(criterion.to_dict())
    assert ds.DeltaPresence(0, 0.2, "a/town.csv").describe() == "(0, 0.2)-presence in town.csv"
