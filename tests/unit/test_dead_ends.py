"""Where a user of Python got stuck: pickles, names of other programs, cut points, first plans."""

import itertools
import pickle
import re
from pathlib import Path

import pyarrow as pa
import pytest

import discreet as ds
from discreet.errors import DiscreetError


@pytest.fixture(scope="module")
def data():
    return ds.read(ds.datasets.patients(60, 1), keys=["age", "sex"], confidential="illness")


# -- pickles ---------------------------------------------------------------------------------------


def test_microdata_masked_files_and_maps_say_that_they_cannot_be_pickled(data):
    masked = ds.sample(data, fraction=0.5, seed=1)
    for one in (data, masked, ds.ru_map(data, [("sample", masked)])):
        with pytest.raises(DiscreetError, match="N15"):
            pickle.dumps(one)
    risks = ds.record_risk(data, sensitivity={"illness": 1.0})
    with pytest.raises(DiscreetError, match="N15"):
        pickle.dumps(risks)


def test_results_without_records_are_pickled(data):
    for one in (ds.risk(data), ds.check(data, ds.KAnonymity(2))):
        assert pickle.loads(pickle.dumps(one)).to_dict() == one.to_dict()


# -- names of other programs -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("createSdcObj", "ds.read("),
        ("localSuppression", "ds.suppress_cells("),
        ("suda2", "ds.suda("),
        ("removeDirectID", "identifiers="),
        ("topBotCoding", "ds.top_code("),
        ("undolast", "before the last step"),
        ("microaggregation", "ds.microaggregate("),
        ("ARXAnonymizer", "ds.generalize("),
        ("k_anonymity", "ds.risk("),
        ("microagregate", "Did you mean 'microaggregate'"),
    ],
)
def test_a_name_of_another_program_leads_to_ours(name, said):
    with pytest.raises(AttributeError) as found:
        getattr(ds, name)
    assert said in str(found.value)


def test_a_name_that_nobody_knows_is_not_there():
    assert not hasattr(ds, "xyzzy")
    assert not hasattr(ds, "__wrapped__")


def test_every_call_of_the_page_leads_to_ours():
    """What a reader of the tables may type is answered, or is a name of ours."""
    page = (Path(__file__).parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")
    table = page.partition("| sdcMicro | discreet |")[2].partition("| ARX")[0]
    calls = re.findall(
        r"`([A-Za-z]\w*)", "".join(row.split("|")[1] for row in table.split("\n") if "`" in row)
    )
    unanswered = [name for name in calls if not hasattr(ds, name) and not answered(name)]
    assert (len(calls) > 30, unanswered) == (True, ["strataVar", "print"])


def answered(name):
    try:
        return getattr(ds, name)
    except AttributeError as error:
        return "In discreet it is ds." in str(error)


# -- cut points ------------------------------------------------------------------------------------


def test_cut_points_may_be_unequal():
    fitted = ds.Hierarchy.intervals(cuts=[[18, 65], [65]]).fit("a", pa.array([0, 17, 18, 64, 65]))
    assert [level.take(pa.array(at)).to_pylist() for level, at in
            zip(fitted.labels[1:], fitted.maps[1:], strict=True)] == [
        ["<18", "<18", "[18, 65)", "[18, 65)", "≥65"],
        ["<65", "<65", "<65", "<65", "≥65"],
        ["*"] * 5,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "given",
    [
        {"cuts": []},
        {"cuts": [65, 18]},
        {"cuts": [18, 18]},
        {"cuts": ["a"]},
        {"cuts": [[18], [65]]},
        {"cuts": [18], "widths": [10]},
        {"cuts": [18], "top_code": 90},
        {},
    ],
)
def test_cut_points_that_make_no_sense_are_refused(given):
    with pytest.raises(DiscreetError, match="P20"):
        ds.Hierarchy.intervals(**given)


def test_a_plan_has_cut_points_too(tmp_path):
    (tmp_path / "t.csv").write_text("age,sex\n" + "".join(f"{a},M\n" for a in range(20, 90)))
    plan = ds.Plan.of(
        {
            "source": {"file": "t.csv"},
            "roles": {"keys": ["age"]},
            "hierarchies": {"age": {"cuts": [18, 65]}},
            "criterion": {"k": 5},
            "steps": [{"do": "generalize"}],
            "outputs": {"masked": "m.csv"},
        },
        tmp_path,
    )
    plan.run()
    assert set((tmp_path / "m.csv").read_text(encoding="utf-8").split()) >= {"≥65,M"} or "≥65" in (
        tmp_path / "m.csv"
    ).read_text(encoding="utf-8")
    assert "cuts=[18, 65]" in plan.to_python()


# -- first plans -----------------------------------------------------------------------------------


def countries():
    names = (
        "Austria Belgium Chile Denmark Egypt France Ghana Hungary Italy Japan Kenya Latvia".split()
    )
    return "country,age\n" + "".join(f"{names[i % 12]},{20 + i % 40}\n" for i in range(240))


def test_country_names_get_no_prefixes(tmp_path):
    from discreet.plan.first_plan import first_plan

    (tmp_path / "t.csv").write_text(countries())
    plan = first_plan(ds.read(tmp_path / "t.csv", keys=["country", "age"]), None)
    assert plan.section("hierarchies")["country"] == {"by_frequency": True}


def test_hierarchies_beside_the_file_are_taken(tmp_path):
    from discreet.plan.first_plan import first_plan

    (tmp_path / "t.csv").write_text(countries())
    rows = "".join(f"{a};{a // 10}0s;*\n" for a in range(20, 60))
    (tmp_path / "t_hierarchy_age.csv").write_text(rows)
    (tmp_path / "t_hierarchy_country.csv").write_text("Austria;Europe;*\n")  # lacks most values
    plan = first_plan(ds.read(tmp_path / "t.csv", keys=["country", "age"]), None)
    assert plan.section("hierarchies")["age"]["file"].endswith("t_hierarchy_age.csv")
    assert plan.section("hierarchies")["country"] == {"by_frequency": True}


# -- the order of records --------------------------------------------------------------------------


def test_equal_records_are_written_side_by_side(tmp_path):
    table = {"sex": ["M", "F"] * 20, "illness": ["a", "b", "c", "d"] * 10}
    ds.sample(ds.read(table, keys="sex"), fraction=1.0, seed=1).write(tmp_path / "m.csv")
    rows = (tmp_path / "m.csv").read_text(encoding="utf-8").split()[1:]
    changes = sum(a != b for a, b in itertools.pairwise(rows))
    assert changes == len(set(rows)) - 1
    assert "side by side" in ds.Masked.write.__doc__


# -- the first lines ---------------------------------------------------------------------------------


def test_the_first_commands_of_the_readme_show_spss_beside_csv():
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    first = readme.split("```")[1]
    assert "survey.csv" in first
    assert "survey.sav" in first


@pytest.mark.parametrize(
    ("numbers", "given"),
    [
        ([10115 + 7 * i for i in range(40)], {"prefixes": [5, 4, 3, 2, 1, 0]}),
        ([90 + i for i in range(40)], {"suppress": True}),  # no number of digits that all have
    ],
)
def test_postcodes_that_are_stored_as_numbers_become_coarser_by_their_digits(numbers, given):
    plan = ds.Plan.first(ds.read({"zip": numbers * 5}, keys=["zip"]))
    assert plan.section("hierarchies") == {"zip": given}
