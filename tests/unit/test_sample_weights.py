"""Weights of samples: divided by the share really drawn, and said by all that does or does not."""

import decimal
import json

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from tests.reasons import reasons


def survey(weights=None, n=60, **roles):
    rng = np.random.default_rng(2)
    table = {
        "age": rng.integers(20, 80, n),
        "region": rng.choice(["n", "s", "w"], n, p=[0.6, 0.3, 0.1]),
        "w": rng.uniform(1, 9, n) if weights is None else weights,
        "rec": np.arange(n),
    }
    return ds.read(table, keys=["age", "region"], weight="w", record_id="rec", **roles)


def drawn(initial, masked):
    """The released records with their initial weights, by record id."""
    ids = ds.disclosure_risk(initial, masked).contributions(kind="pandas")["rec"].tolist()
    whole = initial.to("pandas")
    return ids, whole.loc[ids]


def test_weights_are_divided_by_the_share_drawn():
    data = survey()
    half = ds.sample(data, fraction=0.25, seed=1)
    ids, before = drawn(data, half)
    assert len(ids) == 15
    assert half.to("pandas")["w"].tolist() == (before["w"].to_numpy() * (60 / 15)).tolist()
    assert half.steps[0].parameters["weight"] == {"column": "w", "multiplied_by": 4.0}


def test_the_share_is_the_one_really_drawn_not_the_one_asked_for():
    data = survey(np.ones(50), n=50)
    found = ds.sample(data, fraction=0.29, seed=1)
    assert found.to("pandas")["w"].tolist() == [50 / 15] * 15


@pytest.mark.parametrize("given", [{"fraction": 0.3}, {"n": 20}])
def test_each_stratum_has_its_own_share(given):
    data = survey(np.full(60, 2.0))
    found = ds.sample(data, seed=1, by="region", **given).to("pandas")
    before = data.to("pandas")["region"].value_counts()
    after = found["region"].value_counts()
    assert len({before[r] / after[r] for r in before.index}) > 1
    for region, weights in found.groupby("region")["w"]:
        assert weights.tolist() == [2.0 * (before[region] / after[region])] * after[region]
        assert weights.sum() == pytest.approx(2.0 * before[region])


def test_a_sample_of_a_sample_is_divided_twice():
    data = survey(np.full(60, 3.0))
    first = ds.sample(data, n=30, seed=1, by="region")
    second = ds.sample(first, n=10, seed=2)
    before = first.to("pandas")["w"].to_numpy()
    assert set(second.to("pandas")["w"]) <= set(before * 3.0)
    assert [s.parameters["weight"]["column"] for s in second.steps] == ["w", "w"]


def test_a_sample_of_a_generalized_file_is_divided_by_its_share_of_that_file():
    data = survey(np.full(60, 2))
    up = {"age": ds.Hierarchy.intervals([20]), "region": ds.Hierarchy.suppress()}
    masked = ds.generalize(data, up, ds.KAnonymity(4), max_suppressed=0.2).best.mask()
    assert set(masked.to("pandas")["w"]) == {2}
    sampled = ds.sample(masked, n=10, seed=1)
    assert sampled.to("pandas")["w"].tolist() == [2 * (masked.n / 10)] * 10


def test_a_sample_of_all_records_leaves_the_weights_as_they_are():
    data = survey(np.arange(1, 61))
    for given in ({}, {"by": "region"}):
        whole = ds.sample(data, fraction=1.0, seed=1, **given)
        assert whole.to("arrow")["w"].type == pa.int64()
        assert sorted(whole.to("arrow")["w"].to_pylist()) == list(range(1, 61))
        assert "weight" not in whole.steps[0].parameters


@pytest.mark.parametrize(
    "weights",
    [np.full(60, 7, dtype=np.int16), [decimal.Decimal("1.25")] * 60, np.full(60, 2**60)],
    ids=["short", "decimal", "long"],
)
def test_weights_of_any_kind_become_floating_point_numbers(weights):
    found = ds.sample(survey(weights), n=7, seed=1).to("arrow")["w"]
    assert found.type == pa.float64()
    assert found.to_pylist() == [float(weights[0]) * (60 / 7)] * 7


def test_without_weights_nothing_is_changed():
    data = ds.read({"a": [1, 2, 3, 4], "w": [1, 1, 2, 2]}, keys=["a"])
    half = ds.sample(data, n=2, seed=1)
    assert half.to("arrow")["w"].type == pa.int64()
    assert "weight" not in half.steps[0].parameters
    assert "Not used" not in ds.risk(data).explain()


def test_weights_are_not_a_masked_attribute():
    data = survey()
    half = ds.sample(data, n=30, seed=1)
    assert half.changed == frozenset()
    for scope in ("keys", "file"):
        rows = ds.information_loss(data, half, scope=scope).by_attribute
        assert "w" not in [row["attribute"] for row in rows]


def test_the_released_file_holds_the_new_weights(tmp_path):
    data = survey(np.full(60, 10))
    ds.sample(data, n=20, seed=1).write(tmp_path / "out.csv")
    assert ds.read(tmp_path / "out.csv").to("arrow")["w"].to_pylist() == [30.0] * 20


def test_what_does_not_use_the_weights_says_so():
    data = survey()
    half = ds.sample(data, n=30, seed=1)
    note = "Not used: the weights in 'w'; every record counts once."
    for result in (
        ds.risk(data),
        ds.disclosure_risk(data, half),
        ds.sampling_risk(data),
        ds.information_loss(data, half),
        ds.record_risk(data, {"age": 0.5}, {"region": 1.0}),
    ):
        assert result.explain().split("\n").count(note) == 1


def test_the_report_says_what_was_done_with_the_weights(tmp_path):
    data = survey(np.full(60, 10))
    half = ds.sample(data, n=30, seed=1)
    for audience in ("internal", "public"):
        ds.report(
            data,
            half,
            tmp_path / f"{audience}.html",
            audience=audience,
            unique_columns=reasons(half) if audience == "public" else None,
        )
        page = (tmp_path / f"{audience}.html").read_text(encoding="utf-8")
        assert "The weights in w were multiplied by 2" in page
        assert "Risk and loss do not use the weights in w" in page
        assert "Not used:" not in page
    strata = ds.sample(data, n=20, seed=1, by="region")
    ds.report(data, strata, tmp_path / "strata.html")
    page = (tmp_path / "strata.html").read_text(encoding="utf-8")
    assert "The weights in w were multiplied in each stratum by its records before" in page


def test_a_plan_divides_the_weights_and_the_ledger_says_so(tmp_path):
    data = survey(np.full(60, 10))
    data.write(tmp_path / "in.csv", identifiers=[])
    (tmp_path / "plan.toml").write_text(
        """
[source]
file = "in.csv"
[roles]
keys = ["age", "region"]
weight = "w"
[[steps]]
do = "sample"
n = 15
seed = 4
[outputs]
masked = "out.csv"
ledger = "ledger.json"
"""
    )
    ds.Plan.read(tmp_path / "plan.toml").run()
    assert ds.read(tmp_path / "out.csv").to("arrow")["w"].to_pylist() == [40.0] * 15
    ledger = json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8"))
    said = {"column": "w", "multiplied_by": 4.0}
    assert ledger["steps"][0]["parameters"]["weight"] == said
    public = ds.Ledger.read(tmp_path / "ledger.json").public()
    assert public.document["steps"][0]["parameters"]["weight"] == said


def test_a_sample_can_be_repeated_from_its_plan():
    half = ds.sample(survey(), n=30, seed=1)
    assert half.plan().document["steps"] == [{"do": "sample", "n": 30, "seed": 1}]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: ds.round_values(data, ["w"], 7, kind="nearest"),
        lambda data: ds.add_noise(data, ["w"], 3.0, seed=1),
        lambda data: ds.top_code(data, {"w": 0.9}, replace="category"),
    ],
    ids=["rounded to 0", "below 0", "text"],
)
def test_weights_that_are_masked_must_still_be_weights(change):
    with pytest.raises(ds.DiscreetError, match=r"\[D05\]: the weight 'w' is "):
        change(survey())
    masked = ds.rank_swap(survey(), ["w"], window=0.2, seed=1)
    assert masked.weight == "w"
