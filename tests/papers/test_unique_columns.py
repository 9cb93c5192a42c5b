"""Real files: the columns that must not leave unseen are flagged by every surface."""

import pytest

import discreet as ds


def test_the_household_survey_flags_amounts_and_the_household_number(reference_data):
    data = ds.read(reference_data("ihsn_testdata_4580x15.csv"))
    flagged = {one.column: one.unique for one in ds.unchanged(data).flagged}
    assert flagged == {"expend": 4580, "income": 501, "savings": 4578, "ori_hid": 55}


def test_the_household_survey_gets_safe_roles(reference_data):
    found = ds.suggest_roles(ds.read(reference_data("ihsn_testdata_4580x15.csv"))).roles
    assert "identifiers" not in found
    assert found["household"] == "ori_hid"
    assert found["keys"] == ["sex", "age"]
    assert found["weight"] == "sampling_weight"


def test_the_codes_of_the_household_survey_are_nominal(reference_data):
    data = ds.read(reference_data("ihsn_testdata_4580x15.csv"))
    assert data.types.codes() == [
        "urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "hhcivil",
        "sampling_weight",
    ]  # fmt: skip
    assert data.types["age"].measure == "continuous"


def test_the_final_weight_of_adult_is_flagged(reference_data):
    data = ds.read(reference_data("adult/adult_48842x15.csv"))
    assert {o.column: (o.unique, o.n) for o in ds.unchanged(data).flagged} == {
        "fnlwgt": (18_314, 48_842)
    }


@pytest.mark.parametrize("name", ["ihsn_testdata_4580x15.csv", "adult/adult_48842x15.csv"])
def test_a_first_plan_runs_as_it_is(reference_data, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    data = ds.read(reference_data(name))
    plan = ds.Plan.first(data)
    plan.write(tmp_path / "release.toml")
    opened = ds.Plan.read(tmp_path / "release.toml").rehearse()
    assert [c for c in opened.released if c not in data.columns] == []
    assert "household_weights" not in opened.keys
