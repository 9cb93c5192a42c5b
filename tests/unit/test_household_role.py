"""The household: who lives together. Held back as an identifier is, unless it is asked for."""

import json

import pytest

import discreet as ds

TABLE = {
    "hid": [1, 1, 2, 2, 3, 4],
    "age": [30, 31, 30, 31, 50, 50],
    "sex": list("MFMFMM"),
    "w": [1.5] * 6,
}


def survey(**more):
    return ds.read(TABLE, keys=["age", "sex"], weight="w", household="hid", **more)


def test_the_household_is_a_role_and_its_number_a_name():
    data = survey()
    assert (data.household, data.roles.of("hid"), data.types["hid"].measure) == (
        "hid",
        "household",
        "nominal",
    )
    assert "household" in repr(data)
    assert ds.read(TABLE, keys=["age"]).with_roles(household="hid").household == "hid"
    assert data.with_roles(household=None).household is None


def test_it_is_not_written_unless_asked_for(tmp_path):
    data = survey()
    assert "hid" not in data.released
    assert "hid" not in data.to("arrow").column_names
    left = data.write(tmp_path / "a.csv")
    assert "hid" not in left.columns
    left = data.write(tmp_path / "b.csv", identifiers=["hid"])
    assert "hid" in left.columns
    assert "hid" in [one.column for one in left.unchanged.columns]
    assert [one.role for one in left.unchanged.flagged if one.column == "hid"] == ["household"]


def test_a_public_release_needs_a_reason_for_it():
    found = ds.unchanged(survey(), identifiers=["hid"])
    [told] = found.problems({"age": "x", "w": "x"}, "say why.")
    assert told.code == "O09"
    assert "'hid'" in told.what


def test_maskings_and_chains_keep_it(tmp_path):
    masked = ds.sample(ds.microaggregate(survey(), ["age"], k=2), n=5, seed=1)
    assert masked.household == "hid"
    assert "hid" in masked.columns
    assert "hid" not in masked.released
    assert "hid" not in masked.write(tmp_path / "masked.csv").columns


def test_who_lives_with_whom_is_not_averaged():
    with pytest.raises(ds.DiscreetError, match="'hid' is the household") as caught:
        ds.microaggregate(survey(), ["hid"], k=2)
    assert "R04" in [p.code for p in caught.value.problems]


@pytest.mark.parametrize("empty", [None, float("nan"), "", "  "])
def test_a_missing_household_is_an_error_with_the_number_of_records(empty):
    table = {**TABLE, "hid": [1, 1, empty, empty, 3, 4]}
    if isinstance(empty, str):  # a column of texts
        table["hid"] = [str(value) for value in table["hid"]]
    with pytest.raises(ds.DiscreetError, match="missing in 2 records") as caught:
        ds.read(table, keys=["age"], household="hid")
    assert [p.code for p in caught.value.problems] == ["D60"]


def test_a_code_for_missing_counts_as_missing():
    with pytest.raises(ds.DiscreetError, match="missing in 1 record"):
        ds.read(TABLE, keys=["age"], household="hid", missing_values={"hid": [4]})


def test_lists_are_no_households():
    with pytest.raises(ds.DiscreetError, match="lists"):
        ds.read({"hid": [[1], [2]], "age": [1, 2]}, keys=["age"], household="hid")


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"keys": ["hid"]}, "a key attribute"),
        ({"confidential": ["hid"]}, "a confidential attribute"),
        ({"identifiers": ["hid"]}, "an identifier"),
        ({"weight": "hid"}, "the household"),
        ({"record_id": "hid"}, "the household"),
    ],
)
def test_it_plays_no_other_role(other, said):
    with pytest.raises(ds.DiscreetError, match=said) as caught:
        ds.read(TABLE, household="hid", **other)
    assert [p.code for p in caught.value.problems] == ["R04"]


def test_all_problems_come_at_once():
    with pytest.raises(ds.DiscreetError) as caught:
        ds.read({**TABLE, "w": [-1] * 6, "hid": [None] * 5 + [1]}, weight="w", household="hid")
    assert sorted(p.code for p in caught.value.problems) == ["D05", "D60"]
    with pytest.raises(ds.DiscreetError, match="household 'hif' is not a column"):
        ds.read(TABLE, household="hif")
    with pytest.raises(ds.DiscreetError, match="one column"):
        ds.read(TABLE, household=["hid", "age"])


def test_results_say_it_and_candidates_leave_it_out():
    assert ds.risk(survey()).to_dict()["computed_from"]["household"] == "hid"
    assert "hid" in ds.key_candidates(survey()).left_out


def test_a_plan_holds_it_and_its_script_reads_with_it(tmp_path, monkeypatch):
    import pyarrow.csv

    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(ds.read(TABLE).to("arrow"), "survey.csv")
    data = ds.read("survey.csv", keys=["age", "sex"], household="hid")
    plan = ds.microaggregate(data, ["age"], k=2).plan("masked.csv")
    assert plan.section("roles")["household"] == "hid"
    assert 'household = "hid"' in plan.to_toml()
    assert "household='hid'" in plan.to_python()
    assert "household 'hid'" in plan.explain()
    release = plan.run()
    assert "hid" not in (tmp_path / "masked.csv").read_text(encoding="utf-8").splitlines()[0]
    assert release.ledger.document["plan"]["roles"]["household"] == "hid"
    assert "hid" not in release.ledger.public().to_json()
    assert "household" in json.dumps(ds.Plan.schema()["properties"]["roles"])
    assert "hid" not in ds.Plan.first(ds.read("survey.csv")).section("types")


def test_a_household_in_a_file_masked_elsewhere_is_warned_of(tmp_path):
    initial = ds.read({**TABLE, "rec": list("abcdef")}, keys=["age", "sex"], household="hid",
                      record_id="rec")  # fmt: skip
    for hid in ([1, 1, 2, 2, 3, 4], [None, 1, 2, 2, 3, 4]):
        masked = ds.read({**TABLE, "hid": hid, "rec": list("abcdef")})
        ds.report(initial, masked, tmp_path / "release.html", on="rec", overwrite=True)
        said = (tmp_path / "release.html").read_text(encoding="utf-8")
        assert "identifiers are still in the masked file: hid" in said
