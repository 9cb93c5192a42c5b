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
    assert values(ds.microaggregate(data, k=3, objective="absolute")) == [0.0] * 6
    assert values(ds.microaggregate(data, k=3)) == [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]


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
        ({"method": "best"}, "is not a method"),
        ({"objective": "cubes"}, "is not an objective"),
        ({"columns": ["z"]}, "has no mean"),
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
