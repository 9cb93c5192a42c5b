"""Journalist risk: the combinations of a file looked up in a register of the population."""

import csv
import datetime as dt
import decimal
import json

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import discreet as ds

KEYS = ["sex", "age", "race", "marital-status"]
FILE = {"age": [30, 40, 40], "sex": ["M", "F", "F"]}
REGISTER = {"age": [30, 30, 40, 40, 40, 50], "sex": ["M", "M", "F", "F", "F", "F"]}


def survey(table=FILE, **more):
    return ds.read(table, keys=list(table), **more)


@pytest.fixture(scope="module")
def adult(reference_data):
    path = reference_data("adult/adult_30162x9.csv")
    hierarchies = {
        key: ds.Hierarchy.from_csv(reference_data(f"adult/adult_hierarchy_{key}.csv"))
        for key in KEYS
    }
    return ds.read(path, keys=KEYS, separator=";"), hierarchies


def golden(path):
    """The lines of ARX without suppression; where it calls all records suppressed it holds 0."""
    for line in path.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        if (
            not one["suppressed"]
            and one.get("risk above 0.05", {"prosecutor": [0, 0]})["prosecutor"][1]
        ):
            yield one


def rows_of(model):
    if "subset" not in model:
        return list(range(30_162))
    every, rest = (int(part) for part in model.split("%")[1].split("=="))
    return [i for i in range(30_162) if (i * 7919) % every == rest]


def test_prosecutor_journalist_and_marketer_are_those_of_arx(adult, reference_data):
    population, hierarchies = adult
    frame, seen = population.to("arrow"), 0
    for one in golden(reference_data("golden/arx_criteria_adult_4keys.jsonl")):
        data = ds.read(frame.take(pa.array(rows_of(one["model"]))), keys=KEYS)
        masked = ds.generalize(data, hierarchies, ds.KAnonymity(1)).mask(levels=one["levels"])
        found = ds.risk(masked, population=population)
        for threshold in (0.05, 0.2):
            expected = one[f"risk above {threshold}"]
            for name in ("prosecutor", "journalist"):
                intruder = getattr(found, name)
                shown = [intruder.share_above(threshold), intruder.highest, intruder.mean]
                assert shown == pytest.approx(expected[name], rel=1e-12, abs=1e-14), one["model"]
            assert found.marketer == pytest.approx(expected["marketer"], rel=1e-12)
        seen += 1
    assert seen > 20


def test_the_risk_of_a_file_is_that_of_arx(adult, reference_data):
    population, hierarchies = adult
    with reference_data("golden/arx_sample_risk_adult_q4.csv").open() as file:
        for row in csv.DictReader(file):
            levels = {key: int(row["age_level"]) if key == "age" else 0 for key in KEYS}
            masked = ds.generalize(population, hierarchies, ds.KAnonymity(1)).mask(levels=levels)
            for intruder in (ds.risk(masked).prosecutor,
                             ds.risk(masked, population=population).journalist):  # fmt: skip
                above = intruder.share_above(float(row["threshold"]))
                assert above == pytest.approx(float(row["share_above"]), rel=1e-12)
                assert intruder.highest == float(row["highest"])
                assert intruder.mean == pytest.approx(float(row["mean"]), rel=1e-12)
            found = ds.risk(masked)
            assert found.classes == int(row["classes"])
            assert found.uniques / found.n == pytest.approx(float(row["share_unique"]), rel=1e-12)


def test_a_small_file_by_hand():
    found = ds.risk(survey(), population=REGISTER)
    assert (found.prosecutor.highest, found.journalist.highest) == (1.0, 0.5)
    assert found.marketer == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert found.journalist.mean == pytest.approx(2 / 5)  # two classes of five people: the larger
    assert found.journalist.share_above(0.4) == pytest.approx(1 / 3)
    assert (found.journalist_highest, found.population.records) == (0.5, 6)
    assert "Against the 6 people of the dict" in found.explain() or "6 people" in found.explain()
    assert found.to_dict()["journalist"]["highest"] == 0.5


def test_without_a_register_there_is_no_journalist():
    found = ds.risk(survey())
    assert (found.journalist, found.marketer, found.journalist_mean) == (None, None, None)
    assert set(found.not_applicable) == {"journalist_highest", "journalist_mean", "marketer",
                                         "members_risk", "rarer_together", "people",
                                         "people_k"}  # fmt: skip
    assert "journalist" not in found.to_dict()


def test_the_file_itself_as_register_gives_the_prosecutor():
    found = ds.risk(survey(), population=survey())
    assert found.journalist == found.prosecutor
    assert found.marketer == found.prosecutor.mean


def test_a_sample_against_the_file_it_was_drawn_from():
    whole = ds.read(ds.datasets.patients(400, seed=1), keys=["age", "sex"])
    drawn = ds.sample(whole, fraction=0.2, seed=2)
    found = ds.risk(drawn, population=whole)
    assert found.journalist.highest <= found.prosecutor.highest
    assert found.marketer < found.mean_risk


@pytest.mark.parametrize("form", ["microdata", "csv", "parquet", "pandas", "polars", "masked"])
def test_a_register_of_any_form(form, tmp_path):
    table = pa.table(REGISTER)
    pyarrow.csv.write_csv(table, tmp_path / "register.csv")
    pyarrow.parquet.write_table(table, tmp_path / "register.parquet")
    microdata = ds.read(table)
    given = {
        "microdata": microdata,
        "csv": tmp_path / "register.csv",
        "parquet": str(tmp_path / "register.parquet"),
        "pandas": microdata.to("pandas"),
        "polars": microdata.to("polars"),
        "masked": ds.sample(ds.read(table, keys=["age"]), fraction=1.0, seed=1),
    }[form]
    assert ds.risk(survey(), population=given).marketer == pytest.approx((1 / 2 + 2 / 3) / 3)


def test_roles_of_a_register_do_not_matter():
    register = ds.read({**REGISTER, "id": list("abcdef")}, identifiers=["sex"], record_id="id")
    assert ds.risk(survey(), population=register).journalist.highest == 0.5


@pytest.mark.parametrize("mine", [pa.int8(), pa.float64(), pa.decimal128(7, 2), pa.string()])
@pytest.mark.parametrize("theirs", [pa.int64(), pa.float32(), pa.decimal128(9, 1), pa.string()])
def test_numbers_are_matched_by_value_however_they_are_stored(mine, theirs):
    file = pa.table({"age": pa.array([30, 40], pa.int16()).cast(mine)})
    register = pa.table({"age": pa.array([30, 40, 40], pa.int16()).cast(theirs)})
    assert ds.risk(ds.read(file, keys=["age"]), population=register).marketer == 0.75


def test_halves_are_matched_too():
    register = {"x": [decimal.Decimal("0.50"), decimal.Decimal("1.25")]}
    assert ds.risk(ds.read({"x": [0.5, 1.25]}, keys=["x"]), population=register).marketer == 1.0


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ([1, 2], [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]),
        ([True, False], [1, 0]),
        ([dt.date(2020, 1, 1)], [dt.time(1, 2)]),
    ],
)
def test_what_cannot_be_the_same_is_refused_by_name(mine, theirs):
    with pytest.raises(ds.DiscreetError, match="'x' is stored as") as caught:
        ds.risk(ds.read({"x": mine}, keys=["x"]), population={"x": theirs})
    assert caught.value.code == "D62"


def test_a_combination_that_the_register_lacks_is_an_error_with_their_number():
    file = {"age": [30, 77, 77, 88], "sex": ["M", "F", "F", "F"]}
    with pytest.raises(ds.DiscreetError, match=r"of 3 records of .* \(2 combinations\)") as caught:
        ds.risk(survey(file), population=REGISTER)
    assert caught.value.code == "D61"
    assert "77" not in str(caught.value)


def test_a_register_smaller_than_the_file_is_an_error_with_their_number():
    file = {"age": [30] * 5 + [40], "sex": ["M"] * 5 + ["F"]}
    with pytest.raises(ds.DiscreetError, match=r"for 5 records \(1 combination\)") as caught:
        ds.risk(survey(file), population=REGISTER)
    assert caught.value.code == "D63"


def test_all_problems_come_at_once():
    file = {"age": [30] * 5 + [99], "sex": ["M"] * 5 + ["F"]}
    with pytest.raises(ds.DiscreetError) as caught:
        ds.risk(survey(file), population=REGISTER)
    assert [p.code for p in caught.value.problems] == ["D61", "D63"]


def test_a_register_without_the_keys_is_an_error_that_names_them_all():
    with pytest.raises(ds.DiscreetError) as caught:
        ds.risk(survey(), population={"Age": [30], "gender": ["M"]})
    assert [p.code for p in caught.value.problems] == ["R01", "R01"]


@pytest.mark.parametrize("given", [1_000_000, 0.5])
def test_a_number_is_no_register(given):
    with pytest.raises(ds.DiscreetError, match="is a number"):
        ds.risk(survey(), population=given)


def test_an_empty_register_is_refused():
    with pytest.raises(ds.DiscreetError, match="no records"):
        ds.risk(survey(), population={"age": pa.array([], pa.int64()), "sex": []})


def test_a_register_that_is_not_there():
    with pytest.raises(ds.DiscreetError, match="does not exist"):
        ds.risk(survey(), population="nowhere.csv")


def test_the_register_follows_a_generalization_made_here():
    data = ds.read({"age": [31, 32, 45], "sex": ["M", "M", "F"]}, keys=["age", "sex"])
    found = ds.generalize(data, {"age": ds.Hierarchy.intervals([10, 20])}, ds.KAnonymity(1))
    masked = found.mask(levels={"age": 1, "sex": 0})
    register = {"age": [31, 32, 33, 45, 46, 60], "sex": ["M", "M", "M", "F", "F", "F"]}
    risk = ds.risk(masked, population=register)
    assert risk.marketer == pytest.approx((2 / 3 + 1 / 2) / 3)
    pa_register = ds.read(register, keys=["age", "sex"])
    done = ds.generalize(pa_register, {"age": ds.Hierarchy.intervals([10, 20])}, ds.KAnonymity(1))
    again = ds.risk(masked, population=done.mask(levels={"age": 1, "sex": 0}))
    assert again.journalist == risk.journalist


def test_it_does_not_follow_other_maskings_and_says_so():
    masked = ds.microaggregate(survey({"age": [30, 40, 41]}), ["age"], k=3)
    with pytest.raises(ds.DiscreetError, match="masking changed 'age'") as caught:
        ds.risk(masked, population={"age": [30, 40, 41]})
    assert caught.value.code == "D61"


def test_a_hierarchy_by_frequency_that_groups_the_register_otherwise_is_refused():
    data = ds.read({"job": ["a"] * 5 + ["b"] * 3 + ["c"]}, keys=["job"])
    found = ds.generalize(data, {"job": ds.Hierarchy.by_frequency()}, ds.KAnonymity(1))
    masked = found.mask(levels={"job": 1})
    register = {"job": ["c"] * 9 + ["b"] * 5 + ["a"] * 6}
    with pytest.raises(ds.DiscreetError) as caught:
        ds.risk(masked, population=register)
    assert caught.value.code == "N83"


def test_codes_for_missing_hold_in_the_register_as_in_the_file(tmp_path):
    (tmp_path / "file.csv").write_text("age,zip\n30,07\n-9,08\n")
    (tmp_path / "register.csv").write_text("zip,age\n07,30\n08,-9\n08,-9\n")
    data = ds.read(tmp_path / "file.csv", keys=["age", "zip"], missing_values=[-9],
                   types={"zip": "nominal"})  # fmt: skip
    assert ds.risk(data, population=tmp_path / "register.csv").marketer == 0.75


def test_a_missing_key_matches_everybody_under_wildcards():
    data = ds.read({"age": [30, None]}, keys=["age"], missing="wildcard")
    found = ds.risk(data, population={"age": [30, 40, None, 50]})
    assert found.journalist.highest == 0.5  # 30: itself and the unknown one
    assert found.marketer == (1 / 2 + 1 / 4) / 2


def test_households_and_a_register_are_measured_one_by_one():
    data = ds.read({**FILE, "hid": [1, 2, 2]}, keys=["age", "sex"], household="hid")
    with pytest.raises(ds.DiscreetError, match="one at a time") as caught:
        ds.risk(data, by="household", population=REGISTER)
    assert caught.value.code == "N82"


def test_all_equal_and_all_unique_files():
    equal = ds.risk(survey({"x": [1] * 4}), population={"x": [1] * 9})
    assert (equal.marketer, equal.journalist.highest) == (1 / 9, 1 / 9)
    unique = ds.risk(survey({"x": [1, 2]}), population={"x": [1, 2, 2, 3]})
    assert (unique.journalist.highest, unique.marketer) == (1.0, 0.75)


# -- surfaces --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hidden = tmp_path / "very-secret"
    hidden.mkdir()
    pyarrow.csv.write_csv(pa.table({**FILE, "hid": [1, 2, 2], "w": [1, 2, 3]}), "survey.csv")
    pyarrow.csv.write_csv(pa.table(REGISTER), hidden / "register.csv")
    (tmp_path / "release.toml").write_text(
        """
        source = { file = "survey.csv" }
        roles = { keys = ["age", "sex"], household = "hid" }
        measures = { risk = { population = "very-secret/register.csv" } }
        steps = [{ do = "sample", n = 2, seed = 1 }]
        [outputs]
        masked = "masked.csv"
        public = "public.json"
        unique_columns = { age = "small", sex = "small", w = "small" }
        """
    )
    return tmp_path


def test_a_plan_measures_against_a_register(folder):
    release = ds.Plan.read("release.toml").run()
    figures = release.ledger.document["measures"]["risk"]
    assert figures["before"]["marketer"] == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert figures["after"]["journalist_highest"] in (0.5, 1 / 3)
    beside = [one for one in release.ledger.document["inputs"] if one["role"] == "beside"]
    assert [one["file"] for one in beside] == ["register.csv"]
    assert len(beside[0]["sha256"]) == 64
    text = release.ledger.to_json()
    assert "very-secret" not in text
    public = json.loads((folder / "public.json").read_text(encoding="utf-8"))
    assert public["plan"]["measures"]["risk"] == {"withheld": ["population"]}
    assert "register.csv" not in (folder / "public.json").read_text(encoding="utf-8")
    assert public["measures"]["risk"]["after"]["marketer"] is not None


def test_a_release_with_a_register_is_verified(folder):
    release = ds.Plan.read("release.toml").run()
    for ledger in (release.ledger, ds.Ledger.read(folder / "public.json")):
        found = ledger.verify(folder / "masked.csv")
        assert not found.differences
        assert any("risk" in one for one in found.not_compared)
    found = release.ledger.verify(folder / "masked.csv", initial=folder / "survey.csv")
    assert not found.differences
    assert "risk, made again" in found.agreed


def test_the_script_of_a_plan_names_the_register(folder):
    script = ds.Plan.read("release.toml").to_python()
    assert "population='very-secret/register.csv'" in script
    exec(compile(script, "script", "exec"), {})


def test_a_register_is_an_input_and_never_written_to(folder):
    text = (folder / "release.toml").read_text(encoding="utf-8")
    (folder / "release.toml").write_text(text.replace("masked.csv", "very-secret/register.csv"))
    with pytest.raises(ds.DiscreetError):
        ds.Plan.read("release.toml").run(overwrite=True)
    (folder / "release.toml").write_text(text.replace("/register.csv", "/nowhere.csv"))
    with pytest.raises(ds.DiscreetError, match=r"nowhere.csv does not exist") as caught:
        ds.Plan.read("release.toml").run()
    assert "very-secret" not in str(caught.value)


def test_a_plan_measures_by_household(folder):
    text = (folder / "release.toml").read_text(encoding="utf-8")
    text = text.replace('population = "very-secret/register.csv"', 'by = "household"')
    (folder / "release.toml").write_text(text)
    release = ds.Plan.read("release.toml").run()
    assert release.ledger.document["measures"]["risk"]["before"]["rarer_together"] is not None
    assert not release.ledger.verify(folder / "masked.csv").differences
    assert not release.ledger.verify(
        folder / "masked.csv", initial=folder / "survey.csv"
    ).differences


def test_calls_become_a_plan_with_the_register(folder):
    data = ds.read("survey.csv", keys=["age", "sex"])
    asked = {"risk": {"population": folder / "very-secret" / "register.csv"}}
    plan = ds.sample(data, n=2, seed=1).plan("masked.csv", measures=asked)
    assert plan.section("measures")["risk"]["population"] == "very-secret/register.csv"
    with pytest.raises(ds.DiscreetError, match="a plan cannot name a register"):
        data.plan(measures={"risk": {"population": ds.read(REGISTER)}})
