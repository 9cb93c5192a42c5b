"""Codes: whole numbers with few values are nominal unless someone says otherwise."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as ds

N = 400
TABLE = {
    "sex": [1 + i % 2 for i in range(N)],
    "roof": [1 + i % 9 for i in range(N)],
    "twenty": [i % 20 for i in range(N)],
    "too_many": [i % 21 for i in range(N)],
    "half": [i % 2 / 2 for i in range(N)],
    "whole": [float(i % 3) for i in range(N)],
    "amount": [i * 7 for i in range(N)],
    "gap": [None if i % 4 == 0 else i % 3 for i in range(N)],
}
CODES = {"sex", "roof", "twenty", "whole", "gap"}


def coded(data):
    return {name for name in data.columns if data.types[name].measure == "nominal"}


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame, dict])
def test_whole_numbers_with_few_values_are_nominal_in_every_frame(make):
    data = ds.read(make(TABLE))
    assert coded(data) == CODES == set(data.types.codes())
    assert {name for name in data.columns if data.types[name].measure == "continuous"} == (
        set(TABLE) - CODES
    )


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_file_and_a_frame_follow_one_rule(tmp_path, suffix):
    file = tmp_path / f"t{suffix}"
    frame = pd.DataFrame(TABLE)  # the gap makes a column of floats: 0.0, 1.0, 2.0
    frame.to_csv(file, index=False) if suffix == ".csv" else frame.to_parquet(file)
    assert coded(ds.read(file)) == CODES


def test_each_value_must_be_in_ten_records_on_average():
    just = {"a": [i % 5 for i in range(50)]}
    below = {"a": [i % 5 for i in range(49)]}
    assert ds.read(just).types["a"].measure == "nominal"
    assert ds.read(below).types["a"].measure == "continuous"


def test_missing_values_are_no_records_of_a_value():
    table = {"a": [i % 5 for i in range(49)] + [None] * 100}
    assert ds.read(table).types["a"].measure == "continuous"
    assert ds.read({"a": [None] * 30, "b": [1] * 30}).types["b"].measure == "nominal"


def test_rows_that_come_late_count():
    """The first rows only exclude columns; what they leave open is counted in all rows."""
    late = {"a": [1] * 5000 + list(range(100)), "b": [1.0] * 5000 + [0.5] * 100}
    assert coded(ds.read(late)) == set()


def test_infinite_numbers_are_no_codes():
    assert coded(ds.read({"a": [1.0, float("inf")] * 50})) == set()


def test_a_declared_type_is_not_inferred():
    data = ds.read(TABLE, types={"sex": "continuous", "roof": [str(i) for i in range(1, 10)]})
    assert data.types["sex"].measure == "continuous"
    assert data.types["roof"].measure == "ordinal"
    assert "sex" not in data.types.codes()


def test_a_weight_is_an_amount():
    table = {"w": [100] * 60, "age": list(range(60))}
    assert ds.read(table, weight="w").types["w"].measure == "continuous"
    assert ds.read(table).with_roles(weight="w").types["w"].measure == "continuous"
    assert ds.read(table, weight="w", types={"w": "nominal"}).types["w"].measure == "nominal"


def test_masked_data_have_the_types_of_their_initial_file():
    data = ds.read(TABLE, keys=["amount"])
    few = ds.sample(data, n=20, seed=1)
    assert coded(few) == CODES


def test_reading_shows_which_columns_are_codes_and_why():
    data = ds.read({"sex": TABLE["sex"], "amount": TABLE["amount"]})
    types = dict(
        zip(*[data.table("arrow")[c].to_pylist() for c in ("column", "type")], strict=True)
    )
    assert types == {"sex": "nominal (codes)", "amount": "continuous"}
    for shown in (repr(data), data._repr_html_()):
        assert "at most 20 values, each in 10 records or more on average" in shown
        assert "continuous" in shown
    assert "types={'sex': 'continuous'}" in repr(data)
    assert "taken for codes" not in repr(ds.read({"a": [1, 2, 3]}))


def test_codes_are_not_averaged():
    data = ds.read(TABLE, keys=["sex", "roof", "amount"])
    masked = ds.microaggregate(data, k=3).to("pandas")
    assert set(masked["sex"]) <= {1, 2}
    assert set(masked["roof"]) <= set(range(1, 10))


@pytest.mark.parametrize("method", ["fixed", "optimal-univariate", "v-mdav"])
def test_methods_that_need_means_refuse_codes_and_say_how_to_allow_them(method):
    with pytest.raises(ds.DiscreetError) as caught:
        ds.microaggregate(ds.read(TABLE), ["sex", "amount"], 3, method=method)
    assert [p.code for p in caught.value.problems] == ["D12"]
    assert "types={'sex': 'continuous'}" in str(caught.value)
    declared = ds.read(TABLE, types={"sex": "continuous"})
    assert ds.microaggregate(declared, ["sex", "amount"], 3, method=method).n == N


def test_intervals_and_files_fit_codes(tmp_path):
    (tmp_path / "sex.csv").write_text("1;*\n2;*\n")
    data = ds.read({"roof": TABLE["roof"], "sex": TABLE["sex"]}, keys=["roof", "sex"])
    by_text = ds.read({"roof": list(map(str, TABLE["roof"]))}, keys=["roof"])
    bins = ds.Hierarchy.intervals([3, 9])
    sexes = ds.Hierarchy.from_csv(tmp_path / "sex.csv")
    found = ds.generalize(data, {"roof": bins, "sex": sexes}, ds.KAnonymity(2))
    masked = found.lattice.node({"roof": 1, "sex": 1}).mask().to("pandas")
    assert {"[0, 3)", "[3, 6)"} <= set(masked["roof"])
    assert set(masked["sex"]) == {"*"}
    assert ds.generalize(by_text, {"roof": bins}, ds.KAnonymity(50)).best.mask().n == N
