"""Lowering the individual risk of records: keys are blanked until no risk is above a limit."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import discreet as ds
from discreet.app.forms import steps
from discreet.errors import DiscreetError
from discreet.registry import maskings


def survey(n=400, seed=1, missing="category", blank=0.0):
    rng = np.random.default_rng(seed)
    table = {name: rng.integers(0, c, n).tolist() for name, c in (("a", 12), ("b", 6), ("c", 3))}
    table["a"] = [None if u < blank else v for u, v in zip(rng.random(n), table["a"], strict=True)]
    table["w"] = rng.uniform(2, 30, n)
    table["d"] = rng.integers(0, 9, n)
    return ds.read(pa.table(table), keys=["a", "b", "c"], weight="w", missing=missing)


@pytest.mark.parametrize("missing", ["category", "wildcard"])
@pytest.mark.parametrize("blank", [0.0, 0.05])
def test_no_record_is_above_the_limit_and_only_keys_lose_cells(missing, blank):
    data = survey(missing=missing, blank=blank)
    risk = ds.individual_risk(data)
    limit = float(np.quantile(risk.values, 0.9))
    masked = ds.protect_records(data, risk, at_most=limit)
    assert ds.individual_risk(masked).highest <= limit
    assert set(masked.changes) <= {"a", "b", "c"}
    before, after = data.to("arrow"), masked.to("arrow")
    assert after["w"].equals(before["w"])
    assert after["d"].equals(before["d"])
    blanked = sum(after[k].null_count - before[k].null_count for k in "abc")
    assert blanked == sum(masked.changes.values()) > 0


@pytest.mark.parametrize("missing", ["category", "wildcard"])
@pytest.mark.parametrize("score", ["original", "alternative"])
def test_the_scores_of_special_uniques_are_brought_down_too(missing, score):
    data = survey(n=60, missing=missing)
    risk = ds.suda(data, fraction=0.1, score=score)
    limit = 0.6 * risk.highest
    masked = ds.protect_records(data, risk, at_most=limit)
    assert ds.suda(masked, fraction=0.1, score=score).highest <= limit < risk.highest
    assert set(masked.changes) <= {"a", "b", "c"}
    step = masked.plan().section("steps")[0]
    assert (step["measure"], step["fraction"], step["score"]) == ("suda", 0.1, score)


def test_cells_are_chosen_as_for_a_criterion_where_the_class_decides():
    """With equal weights a limit of risk is a least class size: as few cells as it takes with the
    records above it alone, none of the others being touched."""
    table = survey(n=3_000).to("arrow").drop(["w"])
    data = ds.read(
        table.append_column("w", pa.array(np.full(3_000, 100.0))), keys=["a", "b", "c"], weight="w"
    )
    risk = ds.individual_risk(data)
    limit = 0.0012  # in a class of ten, but not of nine
    masked = ds.protect_records(data, risk, at_most=limit)
    stays = pa.array(risk.values <= limit)
    flagged = ds.read(data.to("arrow").append_column("stays", stays), keys=["a", "b", "c"])
    alone = ds.suppress_cells(flagged, ds.KAnonymity(10), keep_records="stays")
    assert masked.changes == alone.changes
    assert masked.drawn_in == ()
    assert ds.suppress_cells(data, risk=risk, at_most=limit).changes == alone.changes


def test_cells_that_cost_more_are_blanked_last():
    data = survey(missing="wildcard")
    risk = ds.individual_risk(data)
    limit = float(np.quantile(risk.values, 0.9))
    cheap = ds.protect_records(data, risk, at_most=limit, cost={"a": 0.01}).changes
    dear = ds.protect_records(data, risk, at_most=limit, cost={"a": 100}).changes
    assert cheap.get("a", 0) > dear.get("a", 0)


def test_keys_that_may_not_be_changed_are_left_alone():
    data = survey(missing="wildcard")
    risk = ds.individual_risk(data)
    limit = float(np.quantile(risk.values, 0.9))
    assert set(ds.protect_records(data, risk, at_most=limit, columns=["a"]).changes) == {"a"}


def test_averages_of_risky_records_lower_it_too():
    data = survey()
    risk = ds.individual_risk(data)
    limit = float(np.quantile(risk.values, 0.9))
    masked = ds.protect_records(data, risk, at_most=limit, method="microaggregate")
    assert ds.individual_risk(masked).highest <= limit


def test_a_limit_out_of_reach_is_an_error_with_the_number_of_records():
    data = survey(n=30)
    with pytest.raises(DiscreetError) as failed:
        ds.protect_records(data, ds.individual_risk(data), at_most=1e-9)
    assert failed.value.code == "D42"


def test_a_column_that_is_no_key_is_refused():
    data = survey(n=30)
    with pytest.raises(DiscreetError) as failed:
        ds.protect_records(data, ds.individual_risk(data), at_most=0.1, columns=["d"])
    assert failed.value.code == "P43"


def test_row_order_does_not_matter():
    data = survey(missing="wildcard")
    table = data.to("arrow")
    order = np.random.default_rng(3).permutation(table.num_rows)
    moved = ds.read(
        table.take(pa.array(order)), keys=["a", "b", "c"], weight="w", missing="wildcard"
    )
    one, other = (
        ds.protect_records(d, ds.individual_risk(d), at_most=0.05).changes for d in (data, moved)
    )
    assert one == other


# -- surfaces --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(survey().to("arrow"), "survey.csv")
    return tmp_path


def planned(folder, step):
    (folder / "release.toml").write_text(
        '[source]\nfile = "survey.csv"\n[roles]\nkeys = ["a", "b", "c"]\nweight = "w"\n'
        f'[[steps]]\ndo = "protect_records"\nat_most = 0.2\n{step}\n'
        '[outputs]\nmasked = "masked.csv"\n'
    )
    return ds.Plan.read("release.toml")


def test_a_plan_names_the_measure_and_its_script_writes_the_same(folder):
    data = ds.read("survey.csv", keys=["a", "b", "c"], weight="w")
    masked = ds.protect_records(data, ds.individual_risk(data), at_most=0.2)
    masked.write("api.csv")
    plan = masked.plan("masked.csv", measures={"individual_risk": {}})
    assert plan.section("steps")[0]["measure"] == "individual_risk"
    release = plan.run()
    figures = release.to_dict()["measures"]["individual_risk"]
    assert figures["after"]["highest"] <= 0.2 < figures["before"]["highest"]
    assert (folder / "masked.csv").read_bytes() == (folder / "api.csv").read_bytes()
    (folder / "masked.csv").unlink()
    exec(compile(plan.to_python(), "script", "exec"), {})
    assert (folder / "masked.csv").read_bytes() == (folder / "api.csv").read_bytes()


def test_what_is_for_another_measure_is_refused_in_a_plan(folder):
    with pytest.raises(DiscreetError) as failed:
        planned(folder, 'measure = "individual_risk"\nknown = { a = 0.5 }')
    assert "P30" in {problem.code for problem in failed.value.problems}


def test_the_usual_measure_still_needs_what_it_needs(folder):
    with pytest.raises(DiscreetError) as failed:
        planned(folder, 'measure = "record_risk"')
    assert [problem.code for problem in failed.value.problems] == ["P32", "P32"]


def test_a_form_begins_with_the_measure_that_can_be_taken():
    method = maskings["protect_records"]
    assert steps.first_measure(method, steps.Known(["a"], ["a"])) == {}
    weighted = steps.Known(["a", "w"], ["a"], roles=("keys", "weight"))
    assert steps.first("protect_records", weighted)["measure"] == "individual_risk"
    told = {"record_risk": {"known": {"a": 0.5}, "sensitivity": {"a": 1.0}}}
    both = steps.Known(["a", "w"], ["a"], told, roles=("weight",))
    step = steps.first("protect_records", both)
    assert step["known"] == {"a": 0.5}
    assert step.get("measure", "record_risk") == "record_risk"


def test_a_single_record_cannot_be_averaged():
    data = ds.read({"b": ["v"], "d": ["u"]})
    risk = ds.record_risk(data, {"b": 0.3}, {"d": 1.0})
    with pytest.raises(ds.DiscreetError, match="D42"):
        ds.protect_records(data, risk, at_most=risk.highest / 2, method="microaggregate")


def test_a_sample_with_scaled_weights_is_protected_like_any_file():
    drawn = ds.sample(survey(), fraction=0.5, seed=3)
    risk = ds.individual_risk(drawn)
    limit = float(np.quantile(risk.values, 0.9))
    for masked in (
        ds.protect_records(drawn, risk, at_most=limit),
        ds.suppress_cells(drawn, risk=risk, at_most=limit),
    ):
        assert masked.n == drawn.n
        assert ds.individual_risk(masked).highest <= limit
