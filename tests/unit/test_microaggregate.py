"""Univariate microaggregation of microdata: means of groups, and what is refused."""

import numpy as np
import pytest

import discreet as ds


def values(masked, column="x"):
    return masked.to("arrow")[column].to_pylist()


def test_the_optimal_partition_loses_no_more_than_the_fixed_one():
    rng = np.random.default_rng(1)
    x = np.round(rng.lognormal(3, 1, 500), 2)
    data = ds.read({"x": x}, keys=["x"])
    losses = {
        method: np.sum((x - values(ds.microaggregate(data, k=5, method=method))) ** 2)
        for method in ("fixed", "optimal-univariate")
    }
    assert losses["optimal-univariate"] < losses["fixed"]


@pytest.mark.parametrize("method", ["fixed", "optimal-univariate"])
def test_the_masked_file_is_k_anonymous_on_the_column_and_keeps_the_mean(method):
    x = np.random.default_rng(2).normal(100, 15, 203)
    data = ds.read({"x": x}, keys=["x"])
    masked = ds.microaggregate(data, ["x"], k=4, method=method)
    assert ds.check(masked, ds.KAnonymity(4)).satisfied
    assert np.mean(values(masked)) == pytest.approx(x.mean(), rel=1e-12)


def test_the_papers_objective_can_need_groups_of_2k_and_more():
    data = ds.read({"x": [-3, 0, 0, 0, 0, 3]}, keys=["x"])
    assert (
        values(ds.microaggregate(data, k=3, method="optimal-univariate", objective="absolute"))
        == [0.0] * 6
    )
    assert values(ds.microaggregate(data, k=3, method="optimal-univariate")) == [
        -1.0,
        -1.0,
        -1.0,
        1.0,
        1.0,
        1.0,
    ]


def test_each_column_is_aggregated_by_itself_and_the_others_stay():
    data = ds.read(
        {"x": [1, 3, 5, 7], "y": [4.0, 3.0, 2.0, 1.0], "z": list("abcd")}, keys=["x", "y"]
    )
    masked = ds.microaggregate(data, k=2, method="fixed").to("arrow").to_pydict()
    assert masked == {"x": [2, 2, 6, 6], "y": [3.5, 3.5, 1.5, 1.5], "z": list("abcd")}


def test_the_result_does_not_depend_on_the_order_of_the_rows():
    x = np.random.default_rng(3).integers(0, 30, 100)
    turned = x[::-1]
    first = values(ds.microaggregate(ds.read({"x": x}, keys=["x"]), k=3))
    second = values(ds.microaggregate(ds.read({"x": turned}, keys=["x"]), k=3))
    assert sorted(first) == sorted(second)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "whole number"),
        ({"k": 5}, "more than the 4 records"),
        ({"method": "best"}, "method= is not known"),
        ({"objective": "cubes"}, "objective= is not known"),
        ({"columns": ["z"], "method": "fixed"}, "has no mean"),
        ({"columns": ["m"]}, "1 missing value"),
        ({"columns": ["xx"]}, "Did you mean"),
        ({"columns": []}, "no column"),
    ],
)
def test_what_cannot_be_aggregated_is_refused(options, message):
    table = {"x": [1, 3, 5, 7], "z": list("abcd"), "m": [1, None, 2, 3]}
    with pytest.raises(ds.DiscreetError, match=message):
        ds.microaggregate(ds.read(table, keys=["x"]), **({"k": 2} | options))


def test_equal_values_are_told_apart_by_record_id_whatever_the_order_of_the_rows():
    table = {"x": [1, 1, 1, 5, 5, 5], "rec": ["a", "b", "c", "d", "e", "f"]}
    turned = {name: column[::-1] for name, column in table.items()}
    masked = [
        dict(
            zip(
                t["rec"],
                values(
                    ds.microaggregate(ds.read(t, keys=["x"], record_id="rec"), k=2, method="fixed")
                ),
                strict=True,
            )
        )
        for t in (table, turned)
    ]
    assert masked[0] == masked[1]


def mixed(n=120, seed=7):
    rng = np.random.default_rng(seed)
    return {
        "income": np.round(rng.lognormal(10, 1, n)),
        "edu": rng.choice(["low", "middle", "high", "top"], n),
        "sex": rng.choice(["F", "M"], n),
        "rec": [f"r{i:04}" for i in range(n)],
    }


def read_mixed(table):
    return ds.read(
        table,
        keys=["income", "edu", "sex"],
        types={"edu": ["low", "middle", "high", "top"]},
        record_id="rec",
    )


@pytest.mark.parametrize("ordinal", ["median", "convex-median"])
@pytest.mark.parametrize("k", [2, 5])
def test_mixed_attributes_are_masked_together_and_the_file_is_k_anonymous(ordinal, k):
    data = read_mixed(mixed())
    masked = ds.microaggregate(data, k=k, ordinal=ordinal)
    assert ds.check(masked, ds.KAnonymity(k)).satisfied
    assert set(masked.to("arrow")["edu"].to_pylist()) <= {"low", "middle", "high", "top"}
    found = ds.information_loss(data, masked)
    assert (found.il, found.dist) == (None, None)  # each would see a part of what was changed
    numbers = ds.information_loss(data, masked, scope=["income"])
    assert numbers.il2 < 1e-9
    assert numbers.il3 < 1e-9
    assert ds.information_loss(data, masked, scope=["edu", "sex"]).dist > 0


def test_mdav_does_not_depend_on_the_order_of_the_rows_when_record_ids_are_given():
    table = mixed()
    turned = {name: list(column)[::-1] for name, column in table.items()}
    results = []
    for t in (table, turned):
        masked = ds.microaggregate(read_mixed(t), k=3).to("arrow")
        rows = zip(
            t["rec"], *(masked[c].to_pylist() for c in ("income", "edu", "sex")), strict=True
        )
        results.append(sorted(rows))
    assert results[0] == results[1]


def test_strata_are_masked_apart_and_one_that_is_too_small_is_an_error():
    data = ds.read({"x": [1, 2, 3, 4, 100, 101], "s": list("aaaabb")}, keys=["x"])
    masked = ds.microaggregate(data, ["x"], k=2, by=["s"], preserve_variance=False).to("arrow")
    assert masked["x"].to_pylist() == [1.5, 1.5, 3.5, 3.5, 100.5, 100.5]
    with pytest.raises(ds.DiscreetError, match=r"1 of 2 strata by .s. have fewer than k = 3"):
        ds.microaggregate(data, ["x"], k=3, by=["s"])


def test_integers_stay_integers_when_asked():
    data = ds.read({"x": [1, 2, 10, 12]}, keys=["x"])
    rounded = ds.microaggregate(data, k=2, round=True, preserve_variance=False).to("arrow")["x"]
    assert str(rounded.type) == "int64"


def test_a_missing_nominal_value_can_be_a_category_and_others_are_refused():
    data = ds.read({"c": ["a", None, None, "a"], "x": [1.0, 2.0, None, 4.0]}, keys=["c", "x"])
    with pytest.raises(ds.DiscreetError, match=r"'c' has 2 missing values"):
        ds.microaggregate(data, ["c"], k=2)
    masked = ds.microaggregate(data, ["c"], k=2, missing="category").to("arrow")
    assert masked["c"].to_pylist() == ["a", None, None, "a"]
    with pytest.raises(ds.DiscreetError, match=r"'x' has 1 missing value"):
        ds.microaggregate(data, ["x"], k=2, missing="category")


def test_constant_columns_and_equal_records_do_no_harm():
    data = ds.read({"x": [5.0] * 7, "y": [1, 1, 1, 1, 2, 2, 2]}, keys=["x", "y"])
    masked = ds.microaggregate(data, k=3).to("arrow")
    assert masked["x"].to_pylist() == [5.0] * 7
    assert ds.check(ds.microaggregate(data, k=3), ds.KAnonymity(3)).satisfied


def test_blocks_trade_a_little_loss_for_speed_and_the_result_says_so():
    x = np.random.default_rng(5).normal(size=(600, 3))
    data = ds.read({f"x{i}": x[:, i] for i in range(3)}, keys=["x0", "x1", "x2"])
    whole = ds.microaggregate(data, k=4)
    blocked = ds.microaggregate(data, k=4, blocks=100)
    assert blocked.steps[0].parameters["blocks"] == 100
    assert ds.check(blocked, ds.KAnonymity(4)).satisfied
    loss = [ds.information_loss(data, m).sse_ratio for m in (whole, blocked)]
    assert loss[0] < loss[1] < 2 * loss[0]


def test_v_mdav_follows_clusters():
    rng = np.random.default_rng(1)
    centres = np.repeat(rng.normal(scale=50, size=20), 5)
    data = ds.read({"x": centres + rng.normal(scale=0.1, size=100)}, keys=["x"])
    losses = {
        method: ds.information_loss(
            data, ds.microaggregate(data, k=3, method=method, preserve_variance=False, **options)
        ).sse_ratio
        for method, options in (("mdav", {}), ("v-mdav", {"gamma": 1.1}))
    }
    assert losses["v-mdav"] < losses["mdav"]


def test_columns_in_groups_of_their_own_are_said_not_to_be_k_anonymous(tmp_path):
    rng = np.random.default_rng(9)
    data = ds.read({"x": rng.random(40), "y": rng.random(40)}, keys=["x", "y"])
    masked = ds.microaggregate(data, k=4, method="individual")
    assert masked.outcome.below == ds.check(masked, ds.KAnonymity(4)).violating_records
    assert "not 4-anonymous" in masked.explain()
    assert masked.outcome.to_dict()["smallest_together"] == ds.risk(masked).k
    ds.report(data, masked, tmp_path / "report.html", audience="public")
    assert "columns together need not be k-anonymous" in (tmp_path / "report.html").read_text(
        encoding="utf-8"
    )
    assert ds.microaggregate(data, ["x"], k=4, method="individual").outcome is None
    assert ds.microaggregate(data, k=4).outcome is None


def test_columns_that_follow_each_other_are_k_anonymous_together():
    data = ds.read({"x": list(range(8)), "y": list(range(8))}, keys=["x", "y"])
    masked = ds.microaggregate(data, k=4, method="individual")
    assert masked.outcome.below == 0
    assert "holds for the columns together" in masked.explain()


@pytest.mark.parametrize("method", ["fixed", "individual", "optimal-univariate"])
def test_an_exchange_between_groups_of_single_columns_is_refused(method):
    data = ds.read({"x": list(range(8))}, keys=["x"])
    with pytest.raises(ds.DiscreetError, match="P80"):
        ds.microaggregate(data, k=4, method=method, exchange=True)


def test_an_exchange_needs_means():
    data = ds.read({"x": list(range(8)), "job": list("abababab")}, keys=["x", "job"])
    with pytest.raises(ds.DiscreetError, match="an exchange between groups needs"):
        ds.microaggregate(data, k=4, exchange=True)


def test_an_exchange_works_within_strata_and_blocks_and_for_every_order_of_the_rows():
    rng = np.random.default_rng(11)
    table = {"id": np.arange(90), "x": rng.random(90), "y": rng.random(90), "s": np.arange(90) % 3}
    options = {"k": 3, "by": ["s"], "blocks": 20, "exchange": True}
    found = []
    for order in (np.arange(90), rng.permutation(90), np.arange(90)[::-1]):
        rows = {name: column[order] for name, column in table.items()}
        data = ds.read(rows, keys=["x", "y"], record_id="id")
        masked = ds.microaggregate(data, ["x", "y"], **options).to("arrow")
        back = np.argsort(order)
        found.append([masked[name].to_numpy()[back].tolist() for name in ("x", "y")])
    assert found[0] == found[1] == found[2]
