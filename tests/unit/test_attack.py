"""Attacks: printed values of the intervals, what is shown, and ugly input."""

import datetime as dt
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import discreet as ds
from discreet.cli.commands import app
from discreet.errors import DiscreetError, InvalidParameter
from discreet.risks.attack import AttackRisk, SuccessRate

TABLE = {"rec": list(range(40)), "age": [20 + i for i in range(40)],
         "sex": ["F", "M"] * 20, "ill": ["a", "b", "c", "d"] * 10}  # fmt: skip


def survey(**more):
    return ds.read(TABLE, keys=["age", "sex"], types={"age": "continuous"}, **more)


@pytest.mark.parametrize(
    ("successes", "confidence", "value", "error"),
    [  # tests/test_confidence.py of Anonymeter, 100 attacks
        (100, 0.95, 0.9815032508965071, 0.01849674910349284),
        (0, 0.95, 0.01849674910349284, 0.01849674910349284),
        (100, 0.68, 0.9951036894831882, 0.004896310516811869),
        (23, 0.95, 0.23998824451588613, 0.08155558571285167),
        (11, 0.95, 0.1244274643007244, 0.06188550073007873),
    ],
)
def test_rates_are_those_that_anonymeter_has(successes, confidence, value, error):
    found = SuccessRate.of(successes, 100, confidence)
    assert (found.value, found.error) == pytest.approx((value, error), abs=1e-9)


def test_the_risk_is_what_is_beyond_the_control_group():
    found = SuccessRate(0.9, 0.0).beyond(SuccessRate(0.8, 0.0))
    assert (found.value, found.error) == (pytest.approx(0.5), 0.0)
    found = SuccessRate(0.9, 0.02).beyond(SuccessRate(0.85, 0.02))
    assert (round(found.value, 3), round(found.error, 3)) == (0.333, 0.16)
    assert SuccessRate(-0.1, 0.2).interval == (0.0, pytest.approx(0.1))


def test_what_is_found_is_shown_in_full():
    data = survey(confidential=["ill"])
    found = ds.attack(data, ds.sample(data, fraction=1.0, seed=1))
    said = found.explain()
    assert said.startswith("20 people and as many others as a control group, drawn from 40")
    assert "The control group is too small: with fewer than 100 people" in said
    assert said.splitlines()[-1].startswith("Next: ")
    assert found.too_small
    assert found.people == found.alone == 20
    rows = found.table("arrow").to_pylist()
    assert [(row["attack"], row["secret"]) for row in rows] == [
        ("singling_out", None), ("linkability", None), ("inference", "ill"),
    ]  # fmt: skip
    shown = json.loads(json.dumps(found.to_dict()))
    assert shown["singling_out"] == found.singling_out
    assert shown["inference_high"] == found.inference_high == rows[2]["high"]
    assert repr(found).startswith("Attack: 20 people")


def test_an_attack_that_cannot_be_made_says_why():
    data = ds.read(TABLE, keys=["age"], types={"age": "continuous"})
    found = ds.attack(data, ds.sample(data, fraction=1.0, seed=1))
    assert (found.linkability, found.inference_high) == (None, None)
    assert (
        "Linking cannot be tried: linkability needs at least two known attributes, one for each person."
        in found.explain()
    )
    assert found.not_applicable["inference"].startswith("there is no confidential attribute")
    one = ds.attack(data, ds.sample(data, fraction=1.0, seed=1), other_columns=["sex"])
    assert one.linkability is not None
    single = ds.sample(data, n=1, seed=1)
    with pytest.raises(DiscreetError, match=r"\[N07\]: one released record has no control group"):
        ds.attack(data, single)


def test_a_hundred_people_are_enough_of_a_control_group():
    rng = np.random.default_rng(1)
    data = ds.read({"x": rng.normal(size=200)}, keys=["x"])
    found = ds.attack(data, ds.add_noise(data, ["x"], 0.5, seed=1))
    assert not found.too_small
    assert "too small" not in found.explain()


def test_all_bad_arguments_are_named_at_once():
    data = survey(confidential=["ill"])
    same = ds.sample(data, fraction=1.0, seed=1)
    with pytest.raises(InvalidParameter) as caught:
        ds.attack(data, same, attacks=0, width=0, confidence=1, seed="x")
    assert len(caught.value.problems) == 4
    with pytest.raises(DiscreetError) as caught:
        ds.attack(data, same, ["age", "nobody"], other_columns=["age"], secrets=["age"])
    assert [p.code for p in caught.value.problems] == ["R01", "R01", "P16", "P16"]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["x"] * 40, "'sex' has masked values that are not in the initial file"),
        (list(range(40)), "'sex' is not stored alike in both files"),
    ],
)
def test_labels_that_nobody_explained_are_refused(column, said):
    other = ds.read({**TABLE, "sex": column}, keys=["age", "sex"])
    with pytest.raises(DiscreetError, match=said) as caught:
        ds.attack(survey(), other, on="rec")
    assert "give the hierarchies" in str(caught.value)


def test_steps_of_a_scale_dates_and_blanks_can_be_attacked():
    sizes = ["small", "medium", "large"]
    table = {"size": [sizes[i % 3] for i in range(30)], "age": [None, *range(29)],
             "day": [dt.date(2024, 1, 1 + i) for i in range(30)]}  # fmt: skip
    data = ds.read(table, keys=["size", "age", "day"], types={"size": sizes, "day": "continuous"})
    for masked in (
        ds.rank_swap(data, ["size", "day"], window=0.2, seed=1),
        ds.suppress_cells(data, ds.KAnonymity(2), seed=1),
        ds.top_code(data, {"age": 0.8}, k=2),
    ):
        assert 0 <= ds.attack(data, masked).singling_out <= 1


def test_the_command_gates_a_pipeline(tmp_path, monkeypatch):
    import pyarrow as pa
    import pyarrow.csv

    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(pa.table(TABLE), "t.csv")
    given = [
        "attack",
        "t.csv",
        "t.csv",
        "--on",
        "rec",
        "--keys",
        "age,sex",
        "--confidential",
        "ill",
    ]
    ran = CliRunner().invoke(app, [*given, "--fail-above", "singling_out=0.5"])
    assert (ran.exit_code, "Singling out: risk 1.000" in ran.output) == (1, True)
    ran = CliRunner().invoke(app, [*given, "--json", "--attacks", "10"])
    assert (ran.exit_code, json.loads(ran.output)["people"]) == (0, 10)


def test_the_risk_follows_from_the_shares_that_are_shown():
    table = {"a": [f"u{i}" for i in range(10)], "s": list("xy" * 5)}
    data = ds.read(table, keys=["a"], confidential=["s"])
    found = ds.attack(data, ds.sample(data, fraction=1.0, seed=1))
    for one in found.risks:
        shown = one.to_dict()
        a, c = shown["succeed"], shown["succeed_in_control"]
        assert shown["risk"] == pytest.approx((a - c) / (1 - c))
        assert shown["low"] <= shown["risk"] <= shown["high"]


def test_what_always_succeeds_by_chance_is_no_risk():
    assert AttackRisk("inference", "s", 5, 5.0, 5, 5.0, 0.95).value == 0.0
