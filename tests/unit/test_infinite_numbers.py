"""Infinite numbers: numbers in every source, and refused by count where a mean is needed."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as ds

INF = float("inf")
X = [1.5, INF, 3.0, -INF, 5.0, 6.0, 7.0, 8.0]
TABLE = {"x": X, "y": [float(i) for i in range(8)], "s": list("aabbaabb")}


def written(place, spelling="inf"):
    rows = [str(x).replace("inf", spelling) for x in X]
    lines = [f"{x},{y},{s}" for x, y, s in zip(rows, TABLE["y"], TABLE["s"], strict=True)]
    (place / "t.csv").write_text("x,y,s\n" + "\n".join(lines) + "\n")
    return place / "t.csv"


def parquet(place):
    pq.write_table(pa.table(TABLE), place / "t.parquet")
    return place / "t.parquet"


SOURCES = {
    "csv": written,
    "csv, spelt out": lambda place: written(place, "Infinity"),
    "csv, in capitals": lambda place: written(place, "INF"),
    "parquet": parquet,
    "arrow": lambda _: pa.table(TABLE),
    "pandas": lambda _: pd.DataFrame(TABLE),
    "polars": lambda _: pl.DataFrame(TABLE),
}


@pytest.fixture(params=SOURCES)
def source(request, tmp_path):
    return SOURCES[request.param](tmp_path)


def test_a_column_with_an_infinite_number_is_one_of_numbers(source):
    data = ds.read(source, keys=["x"])
    assert data.types["x"].measure == "continuous"
    assert data.to("arrow")["x"].to_pylist() == X
    assert ds.risk(data).classes == 8


@pytest.mark.parametrize("size", [1e80, 1e155, 1e300, 1.7e308])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_numbers_whose_powers_are_infinite_are_refused_where_a_variance_is_needed(size):
    x = [size * (-1) ** i / (1 + i) for i in range(8)]
    data = ds.read({"x": x, "y": TABLE["y"]}, keys=["x", "y"])
    masked = ds.rank_swap(data, ["x"], window=0.5, seed=1)
    assert sorted(masked.to("arrow")["x"].to_pylist()) == sorted(x)
    for step in (
        lambda: ds.microaggregate(data, ["x", "y"], k=2),
        lambda: ds.microaggregate(data, ["x"], k=2, method="optimal-univariate"),
        lambda: ds.add_noise(data, ["x"], amount=0.1, kind="exact-moments", seed=1),
        lambda: ds.add_noise(data, ["x"], amount=0.1, kind="multiplicative", seed=1),
        lambda: ds.information_loss(data, masked),
        lambda: ds.interval_disclosure(data, masked),
        lambda: ds.linkage(data, masked, ["x"]),
        lambda: ds.propensity(data, masked),
    ):
        with pytest.raises(ds.DiscreetError, match=r"D12.*above 1e\+75 in size"):
            step()


def test_an_infinite_number_can_be_named_as_missing(source):
    data = ds.read(source, keys=["x"], missing_values=["inf", "-inf"])
    assert data.to("arrow")["x"].null_count == 2


def test_what_needs_a_mean_refuses_with_the_number_of_records(source):
    data = ds.read(source, keys=["x", "y"], confidential=["s"])
    masked = ds.microaggregate(data, ["y"], k=2)
    refused = r"D12.*'x' has 2 infinite values"
    for step in (
        lambda: ds.microaggregate(data, ["x"], k=2),
        lambda: ds.microaggregate(data, ["y", "x"], k=2, method="fixed"),
        lambda: ds.information_loss(data, masked),
        lambda: ds.compare_statistics(data, masked),
        lambda: ds.score(data, masked),
        lambda: ds.regression_loss(data, masked, "y ~ x"),
        lambda: ds.regression_loss(data, masked, "x ~ y"),
    ):
        with pytest.raises(ds.DiscreetError, match=refused):
            step()


def test_what_needs_no_mean_takes_them_as_they_are(source):
    data = ds.read(source, keys=["x", "s"], confidential=["y"])
    assert ds.sample(data, n=8, seed=1).to("arrow")["x"].to_pylist() == X
    found = ds.generalize(data, {"x": ds.Hierarchy.suppress()}, ds.KAnonymity(4))
    assert found.best.levels == {"x": 1, "s": 0}
    assert ds.check(data.with_roles(keys=["s"], confidential=["x"]), ds.LDiversity(4)).satisfied


def test_an_open_range_holds_the_infinite_number_at_its_end(source):
    data = ds.read(source)
    ranges = [(None, 4, 1.0), (4, None, 0.5)]
    risk = ds.record_risk(data, {"s": 0.5}, {"x": 1.0}, value_sensitivity={"x": ranges})
    assert risk.values[3] == risk.values[2]
    assert risk.values[1] == risk.values[0] / 2


def test_what_is_written_is_read_as_it_was(tmp_path, source):
    ds.read(source, keys=["s"]).write(tmp_path / "out.csv")
    assert ds.read(tmp_path / "out.csv").to("arrow")["x"].to_pylist() == X


def test_words_that_only_begin_so_are_text(tmp_path):
    (tmp_path / "t.csv").write_text("unit,n\ninf\u200bantry,1\ninfo,2\n", encoding="utf-8")
    assert ds.read(tmp_path / "t.csv").types["unit"].measure == "nominal"
